"""Characters that hide text from people are left out of every format, with a warning; scripts and emoji stay whole."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragraph.base.unseen_characters import without_unseen
from ragraph.ingest.draft import clean_text
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "Ignore this"
HIDDEN = {
    "tags": "".join(chr(0xE0000 + ord(letter)) for letter in SECRET),
    "selectors of the supplement": "".join(chr(0xE0100 + ord(letter)) for letter in SECRET),
    "selectors": "\ufe00\ufe01" * 20,
    "zero width": "".join("\u200b\u200c"[int(bit)] for letter in SECRET for bit in f"{ord(letter):08b}"),
    "invisible operators": "\u2061\u2062\u2063\u2064" * 8,
    "fillers": "\u3164" * 12,
}
KEPT = [
    "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f wins",  # the flag of Scotland
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 and \u2764\ufe0f",  # a family, a red heart
    "\u845b\U000e0100\u98fe",  # an ideograph in one of its forms
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
    "\u0915\u094d\u200d\u0937",  # Devanagari, with a joiner
    "\u202b\u0639\u0631\u0628\u064a\u202c \u2067\u05d0\u2069 \u200e1\u200f",  # embedding and marks of direction
    "soft\u00adhyphen, zero\u200bwidth",
]


@pytest.mark.parametrize("way", HIDDEN)
def test_hidden_text_goes(way: str) -> None:
    assert without_unseen(f"The river rose{HIDDEN[way]} in spring.") == (
        "The river rose\ufe00 in spring." if way == "selectors" else "The river rose in spring."
    )


def test_overridden_direction_goes() -> None:
    assert without_unseen("Pay \u202e001\u202c pounds, \u202dnot\u202c less") == "Pay 001\u202c pounds, not\u202c less"


@pytest.mark.parametrize("text", KEPT)
def test_scripts_and_emoji_stay(text: str) -> None:
    assert without_unseen(text) == text


@given(st.text(st.characters(codec="utf-8")))
def test_what_is_clean_stays_clean(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once


def files(text: str) -> dict[str, bytes]:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("a.opf", package)
        page = f'<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Rivers</h1><p>{text}</p></body></html>'
        archive.writestr("a.xhtml", page)
    cell = {"cell_type": "markdown", "metadata": {}, "source": [text]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return {
        "a.txt": text.encode(),
        "a.md": f"# Rivers\n\n{text}\n".encode(),
        "a.html": f'<meta charset="utf-8"><h1>Rivers</h1><p>{text}</p>'.encode(),
        "a.rst": f"Rivers\n======\n\n{text}\n".encode(),
        "a.csv": f"name,text\na,{text}\nb,{text}\n".encode(),
        "a.eml": f"Subject: Rivers\nContent-Type: text/plain; charset=utf-8\n\n{text}\n".encode(),
        "a.epub": book.getvalue(),
        "a.ipynb": json.dumps(notebook).encode(),
    }


@pytest.mark.parametrize("name", files(""))
def test_they_go_in_every_format_with_a_warning(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(files(f"The river{HIDDEN['tags']} rose{HIDDEN['zero width']} in spring.")[name])
    draft = read_draft(path, ReadOptions(), Limits())
    held = draft.model_dump_json()
    assert "The river rose in spring." in held
    assert not any("\U000e0000" <= letter <= "\U000e007f" for letter in held)
    assert any(warning.endswith("left out: nobody sees them, and they can hide text") for warning in draft.warnings)
    path.write_bytes(files("The river rose in spring.")[name])
    assert not any("nobody sees them" in warning for warning in read_draft(path, ReadOptions(), Limits()).warnings)
