"""The list of passes of the PDF reader: whole, in an order in which each finds what it reads, and true."""

from __future__ import annotations

import inspect
from collections import defaultdict
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader, passes, reader
from ragraph.ingest.readers.pdf.model import Block, Line, Page, Word

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
PARSED = {"words", "letters", "sideways", "horizontals", "verticals", "images", "drawings", "failed", "turn"}
PARSED |= {"spots", "size", "font", "slanted", "upside_down"}
GIVEN = PARSED | {"facts", "file", "ocr", "engine"}


def test_every_pass_stands_in_the_list_once() -> None:
    functions = {
        function
        for name, function in inspect.getmembers(passes, inspect.isfunction)
        if function.__module__ == passes.__name__ and not name.startswith("_") and name != "run"
    }
    listed = [step.run for step in passes.PASSES]
    assert set(listed) == functions
    assert len(listed) == len(functions)


def test_a_pass_reads_what_is_given_or_set_before_it() -> None:
    there = set(GIVEN)
    for step in passes.PASSES:
        assert set(step.reads.split()) <= there, step.run.__name__
        there |= set(step.sets.split())
    assert there <= set().union(*WATCHED.values())


def test_a_pass_sets_only_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    at: list[str] = []
    new: set[int] = set()
    changed: dict[str, set[str]] = defaultdict(set)

    def watch(kind: Any, names: set[str]) -> None:
        plain_set, plain_init = kind.__setattr__, kind.__init__

        def set_one(self: object, name: str, value: object) -> None:
            if at and name in names and id(self) not in new:
                changed[at[-1]].add(name)
            plain_set(self, name, value)

        def make(self: object, *given: Any, **named: Any) -> None:
            new.add(id(self))  # what is set while a thing is made is no change of it
            plain_init(self, *given, **named)
            new.discard(id(self))

        monkeypatch.setattr(kind, "__setattr__", set_one)
        monkeypatch.setattr(kind, "__init__", make)

    def run(work: passes.Work, steps: Sequence[passes.Pass]) -> None:
        for step in steps:
            at.append(step.run.__name__)
            step.run(work)
            at.pop()

    for kind, names in WATCHED.items():
        watch(kind, names)
    monkeypatch.setattr(reader, "run", run)
    PdfReader().read(REPORT, ReadOptions(pages=(3, 24)))
    allowed = {step.run.__name__: set(step.sets.split()) for step in passes.PASSES}
    assert {name: extra for name, found in changed.items() if (extra := found - allowed[name])} == {}
    assert len(changed) > 15
