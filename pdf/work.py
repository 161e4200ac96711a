"""A file on its way through the passes, and what a pass is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.pdf.stated import engines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ragraph.base.hyphens import Vocabulary
    from ragraph.pdf.headings.contents import Entry
    from ragraph.pdf.model import Page, Style
    from ragraph.pdf.notes.marks import NoteMark
    from ragraph.pdf.stated.engines import LayoutEngine
    from ragraph.pdf.stated.facts import Facts
    from ragraph.pdf.stated.tags import Tags


@dataclass
class Work:
    """A file on its way through the passes: its pages and what is known of the whole.

    Attributes:
        name: of the file, for messages.
        pages: from ``parse_pages``.
        facts: what the file says of itself.
        file: opened by ``facts.open_pdf``; None once the passes that need it are done.
        ocr: whether text may be recognised.
        engine: the layout engine that was chosen.
        ocr_model: file of the model that recognises lines; None = the packaged one.
        scanned: numbers of the pages that are images.
        unknown: numbers of the pages with letters for which the file gives no text.
        sure: how sure the recognition of their text was, from 0 to 1, by number of the page.
        tags: what came of the tags of the file.
        style: the running style of the document.
        vocabulary: the words of the document, for hyphenation.
        entries: of the contents pages.
        marks: of notes and entries, bound to them.
        warnings: lines for the user.
        made_by: what to record of the engines that worked on the file.
    """

    name: str
    pages: list[Page]
    facts: Facts
    file: Any = None
    ocr: bool = True
    engine: LayoutEngine = field(default_factory=engines.Rules)
    ocr_model: str | None = None
    scanned: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    sure: dict[int, float] = field(default_factory=dict)
    tags: Tags = field(init=False)
    style: Style = field(init=False)
    vocabulary: Vocabulary = field(init=False)
    entries: list[Entry] = field(init=False)
    marks: list[NoteMark] = field(init=False)
    warnings: list[str] = field(default_factory=list)
    made_by: dict[str, Any] = field(default_factory=dict)


class Pass(NamedTuple):
    """A step of the work.

    Attributes:
        run: changes the work; what it raises ends the reading.
        reads: fields of the work, its pages, blocks and words that it looks at, with blanks between them.
        sets: those that it changes. Lines of blocks go with the blocks, text and places of words with the words.
    """

    run: Callable[[Work], None]
    reads: str
    sets: str


def each(function: Callable[..., object], *given: str) -> Callable[[Work], None]:
    """Return a step that calls a function with each page.

    Args:
        function: of a page.
        given: fields of the work that it gets, too.
    """

    @wraps(function)
    def step(work: Work) -> None:
        values = [attrgetter(name)(work) for name in given]
        for page in work.pages:
            function(page, *values)

    return step


def over(function: Callable[..., object], *given: str) -> Callable[[Work], None]:
    """Return a step that calls a function with all pages, and with fields of the work; see ``each``."""

    @wraps(function)
    def step(work: Work) -> None:
        function(work.pages, *(attrgetter(name)(work) for name in given))

    return step


def run(work: Work, passes: Iterable[Pass]) -> None:
    """Run passes over a work, one after the other."""
    for step in passes:
        step.run(work)
