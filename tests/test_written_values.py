"""Values of JSON and YAML are read as they are written, also numbers with more digits than Python reads."""

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


def _texts(path: Path, text: str) -> str:
    path.write_text(text)
    return "\n".join(node.text for node in read_draft(path, ReadOptions(), Limits()).nodes)


def test_numbers_of_json_keep_their_digits(tmp_path: Path) -> None:
    held = _texts(tmp_path / "a.json", '{"price": 1.50, "mass": 1E5, "far": 1e400, "deep": -0.0, "count": 3}')
    for said in ("price: 1.50", "mass: 1E5", "far: 1e400", "deep: -0.0", "count: 3"):
        assert said in held


def test_values_of_yaml_keep_their_form(tmp_path: Path) -> None:
    said = ["price: 1.50", "time: 12:30", "code: 010", "colour: 0x1F", "sum: 1_000", "open: yes", "right: true"]
    said += ["day: 2020-01-05", "moment: 2001-12-14t21:59:43.10-05:00", "far: .inf", "never: 2020-13-45"]
    held = _texts(tmp_path / "a.yaml", "\n".join(said))
    for line in said:
        assert line in held


def test_names_that_mappings_share_are_stated_once_each(tmp_path: Path) -> None:
    text = "base: &base\n  depth: 1\nmid: &mid\n  <<: *base\n  depth: 2\ntop:\n  <<: *mid\n  name: weir\n"
    held = _texts(tmp_path / "merged.yaml", text)
    assert held.count("depth: 2") == 2
    assert "[1, 2]" not in held
