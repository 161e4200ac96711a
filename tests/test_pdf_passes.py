"""The list of passes of the PDF reader: whole, in an order in which each finds what it reads, and true."""

from __future__ import annotations

import inspect
from collections import defaultdict
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf import analysis, passes
from ragraph.pdf.model import Block, Line, Page, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

REPORT = Path(__file__).parent.parent / "examples" / "documents" / "dl_nist_sp_800_207.pdf"
WATCHED: dict[type, set[str]] = {
    Page: {field.name for field in fields(Page)} - {"number", "width", "height"},
    Block: {field.name for field in fields(Block)} - {"page", "lines"},
    Line: {"bulleted"},
    Word: {"font", "raised", "size", "text", "underlined"},
    passes.Work: {field.name for field in fields(passes.Work)} - {"name", "pages"},
}
TYPE = {"font", "raised", "size", "text", "words"}
"""Of the words of lines, which any pass may make anew from some of them."""
PARSED = {"words", "letters", "sideways", "horizontals", "verticals", "images", "drawings", "failed", "turn"}
PARSED |= {"spots", "striped", "size", "font", "slanted", "upside_down"}
GIVEN = PARSED | {"facts", "file", "ocr", "engine"}


def test_every_pass_stands_in_the_list_once() -> None:
    functions = {
        function
        for name, function in inspect.getmembers(passes, inspect.isfunction)
        if function.__module__ == passes.__name__ and not name.startswith("_")
    }
    listed = [step.run for step in passes.PASSES]
    assert functions <= set(listed)
    assert len({run.__name__ for run in listed}) == len(listed)


def test_a_pass_reads_what_is_given_or_set_before_it() -> None:
    there = set(GIVEN)
    for step in passes.PASSES:
        assert set(step.reads.split()) <= there, step.run.__name__
        there |= set(step.sets.split())
    assert there <= set().union(*WATCHED.values())


def _designed(path: Path) -> Path:
    """Write a page with what reading order looks at: columns, a frame, pictures, terms, a drop cap, a field, tables."""
    canvas = Canvas(str(path), pagesize=(612, 792))
    canvas.setFont("Times-Bold", 20)
    canvas.drawString(60, 730, "The mills of the valley")
    canvas.rect(50, 452, 500, 160)
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 30), (20, 90, 160))), 420, 640, 120, 70)
    canvas.setFont("Times-Roman", 46)
    canvas.drawString(60, 646, "O")
    canvas.setFont("Times-Roman", 11)
    for row in range(4):
        canvas.drawString(98 if row < 3 else 60, 672 - 13 * row, "nce upon a time there was a little town in the hills")
    for row in range(5):
        canvas.drawString(60, 592 - 24 * row, f"term{row}")
        canvas.drawString(200, 592 - 24 * row, f"explains{row} these are words that go on to say it")
        canvas.drawString(200, 580 - 24 * row, f"more{row} these are words that go on to say it too.")
    for column in range(2):
        canvas.setFont("Times-Bold", 13)
        canvas.drawString(60 + 260 * column, 420, f"{column + 1}. The river and the town")
        canvas.setFont("Times-Roman", 11)
        for row in range(14):
            canvas.drawString(60 + 260 * column, 400 - 13 * row, "the river was low and nobody came to the mill")
    canvas.acroForm.textfield(name="bird", value="Great crested grebe", x=200, y=160, width=200, height=20)
    canvas.showPage()
    canvas.save()
    return path


@pytest.mark.parametrize("designed", [False, True])
def test_a_pass_reads_and_sets_only_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, designed: bool
) -> None:
    at: list[str] = []
    new: set[int] = set()
    changed: dict[str, set[str]] = defaultdict(set)
    looked: dict[str, set[str]] = defaultdict(set)

    def watch(kind: Any, names: set[str]) -> None:
        plain_set, plain_get, plain_init = kind.__setattr__, kind.__getattribute__, kind.__init__

        def set_one(self: object, name: str, value: object) -> None:
            if at and name in names and id(self) not in new:
                changed[at[-1]].add(name)
            plain_set(self, name, value)

        def get_one(self: object, name: str) -> Any:
            if at and name in names and id(self) not in new:
                looked[at[-1]].add(name)
            return plain_get(self, name)

        def make(self: object, *given: Any, **named: Any) -> None:
            new.add(id(self))  # what is set while a thing is made is no change of it
            plain_init(self, *given, **named)
            new.discard(id(self))

        monkeypatch.setattr(kind, "__setattr__", set_one)
        monkeypatch.setattr(kind, "__getattribute__", get_one)
        monkeypatch.setattr(kind, "__init__", make)

    def run(work: passes.Work, steps: Sequence[passes.Pass]) -> None:
        for step in steps:
            at.append(step.run.__name__)
            step.run(work)
            at.pop()

    for kind, names in WATCHED.items():
        watch(kind, names)
    monkeypatch.setattr(analysis, "run", run)
    path = _designed(tmp_path / "designed.pdf") if designed else REPORT
    PdfReader().read(path, ReadOptions(pages=None if designed else (3, 24)))
    sets = {step.run.__name__: set(step.sets.split()) for step in passes.PASSES}
    reads = {step.run.__name__: set(step.reads.split()) | sets[step.run.__name__] for step in passes.PASSES}
    assert {name: extra for name, found in changed.items() if (extra := found - sets[name])} == {}
    assert {name: extra for name, found in looked.items() if (extra := found - reads[name] - TYPE)} == {}
    assert len(changed) > 15
