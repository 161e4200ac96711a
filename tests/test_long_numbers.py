"""Numbers with more digits than Python reads are read as they are written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

NUMBER = "7" * 5000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", f'[{{"river": "Trent", "number": {NUMBER}}}, {{"river": "Ouse", "number": 4}}]'),
        ("a.jsonl", f'{{"river": "Trent", "number": {NUMBER}}}\n{{"river": "Ouse", "number": 4}}\n'),
        (
            "a.ipynb",
            json.dumps(
                {
                    "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["The river Trent."]}],
                    "metadata": {"number": 4},
                    "nbformat": 4,
                    "nbformat_minor": 5,
                }
            ).replace('"number": 4', f'"number": {NUMBER}'),
        ),
    ],
)
def test_they_are_read_as_written(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    draft = read_draft(tmp_path / name, ReadOptions(), Limits())
    held = "\n".join(node.text for node in draft.nodes)
    assert "Trent" in held
    assert name == "a.ipynb" or NUMBER in held
    assert not draft.made_by.get("account", {}).get("unaccounted")
