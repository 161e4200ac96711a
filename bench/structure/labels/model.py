"""Content of a label file, and its rules."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ragraph.schema.enums import ContentNodeType

HERE = Path(__file__).parent
CUT = " [...] "
"""Replaces the text that was left out between the beginning and the end of a text."""
RAISED = re.compile(r"\^\{([^{}]*)\}")
"""A raised mark, as texts of labels write it."""


class Furniture(StrEnum):
    """Content of a page that belongs to no text; page numbers are nodes of the model."""

    HEADER = "HEADER"
    FOOTER = "FOOTER"
    FURNITURE = "FURNITURE"


Type = ContentNodeType | Furniture
Fraction = Annotated[float, Field(ge=0, le=1)]

_WHOLE = frozenset({"TITLE", "SUBTITLE", "HEADING", "SUBHEADING", "CAPTION", "PAGE_NUMBER", "HEADER", "FOOTER"})
"""Types whose text is complete, never cut."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Page(_Strict):
    """A chosen page: a line of ``pages.jsonl``.

    Attributes:
        number: number of the label file, from "000".
        source: the set of the file.
        file: path within the set.
        page: page of the file, from 1.
        width: width in points, as the page is shown (turned pages turned).
        height: height in points.
        commit: commit of the file's repository; None if the file is of a data set. ``file`` then begins with owner and
            name of the repository.
    """

    number: str = Field(pattern=r"^\d{3}$")
    source: str
    file: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    page: int = Field(ge=1)
    kind: str
    width: float
    height: float
    commit: str | None = Field(None, pattern=r"^[0-9a-f]{40}$")


class FirstPage(_Strict):
    """What a document says of itself on its first pages: a line of ``first_pages.jsonl``.

    Attributes:
        source: the set of the file.
        file: path within the set; owner, name and path for files of repositories.
        commit: as of ``Page``.
        group: files of one group look alike, so all of them are learnt from or none: company, publisher, repository.
        titles: each of them is right; ``None`` if no title is.
        parties: of a contract, as they are named first; a title that names them behind the printed one is right.
        authors: whom the page names as the authors; empty if nobody.
        doubtful: names that may or may not be given as authors.
        date: of the document, as far as it is printed: year, month, day.
    """

    source: str
    file: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    group: str
    titles: list[str | None] = Field(min_length=1)
    parties: list[str] = []
    authors: list[str] = []
    doubtful: list[str] = []
    date: str | None = Field(None, pattern=r"^\d{4}(-\d\d){0,2}$")
    commit: str | None = Field(None, pattern=r"^[0-9a-f]{40}$")

    @property
    def composed(self) -> list[str | None]:
        """The right titles as the whole is cited: those of a contract with its parties."""
        if not self.parties:
            return self.titles
        *others, last = self.parties
        parties = f"{', '.join(others)} and {last}" if others else last
        return [f"{title}, {parties}" for title in self.titles if title]


class Cell(_Strict):
    """A cell that a plain string cannot express: one that spans, or is a header outside the header rows."""

    text: str
    rows: int = Field(1, ge=1)
    columns: int = Field(1, ge=1)
    head: bool = False


class Table(_Strict):
    """The cells of a table, row by row, each at the first row and column that it covers.

    Attributes:
        head_rows: number of leading rows with column headers.
        rows: cells; a string is a cell of one row and one column.
        indents: indentation steps of the label of each row, if any is indented.
    """

    head_rows: int = Field(0, ge=0)
    rows: list[list[str | Cell]] = Field(min_length=1)
    indents: list[int] | None = None

    def grid(self) -> list[list[str]]:
        """Return the text at each row and column, a spanning cell at each that it covers.

        Raises:
            ValueError: the rows are not equally long, or cells lie over each other.
        """
        cells: dict[tuple[int, int], str] = {}
        for y, row in enumerate(self.rows):
            x = 0
            for cell in row:
                text, rows, columns = (cell, 1, 1) if isinstance(cell, str) else (cell.text, cell.rows, cell.columns)
                while (y, x) in cells:
                    x += 1
                for place in ((y + dy, x + dx) for dy in range(rows) for dx in range(columns)):
                    if place in cells:
                        raise ValueError(f"row {y + 1}: two cells lie over each other in column {place[1] + 1}")
                    cells[place] = text
                x += columns
        width = 1 + max(x for _, x in cells)
        for y in range(len(self.rows)):
            count = sum((y, x) in cells for x in range(width))
            if count != width:
                raise ValueError(f"row {y + 1} has {count} columns, others have {width}: {self.rows[y]}")
        if max(y for y, _ in cells) >= len(self.rows):
            raise ValueError("a cell reaches below the last row")
        return [[cells[y, x] for x in range(width)] for y in range(len(self.rows))]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        self.grid()
        if self.head_rows > len(self.rows):
            raise ValueError("more head rows than rows")
        if self.indents is not None and len(self.indents) != len(self.rows):
            raise ValueError(f"{len(self.indents)} indents for {len(self.rows)} rows")
        return self


class Mark(_Strict):
    """A mark that leads to a note.

    Attributes:
        mark: mark as printed, not raised: "1", "*", "(a)".
        note: ``id`` of the note on this page; None if it is elsewhere or missing.
        after: the last words before the mark, if the text of the block does not show the mark.
    """

    mark: str = Field(min_length=1)
    note: str | None = None
    after: str = ""


class Block(_Strict):
    """A block of the page; README.md describes each field.

    Attributes:
        id: name within the page, for references.
        level: of headings, 1 = highest on the page, None = unknown; of list items the depth of nesting.
        also: other texts that are as right as ``text``.
        also_types: other types that are as right as ``type``.
        box: left, top, right, bottom in fractions of the page from its top left corner.
        of: ``id`` of the target of a caption.
        run_in: a heading within the first line of the paragraph that follows.
        note: a doubt, or a fact that the fields cannot express.
    """

    type: Type
    id: str | None = None
    text: str = ""
    level: int | None = Field(None, ge=1)
    also: list[str] = []
    also_types: list[Type] = []
    box: tuple[Fraction, Fraction, Fraction, Fraction] | None = None
    of: str | None = None
    run_in: bool = False
    continued_from_previous_page: bool = False
    continues_on_next_page: bool = False
    marks: list[Mark] = []
    table: Table | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.table is not None) != (self.type == ContentNodeType.TABLE):
            raise ValueError("a TABLE has its cells in `table`, and nothing else has")
        if not self.text.strip() and self.type not in {
            ContentNodeType.TABLE,
            ContentNodeType.FIGURE,
            ContentNodeType.FORMULA,
            Furniture.FURNITURE,
        }:
            raise ValueError(f"{self.type} without text")
        if CUT in self.text and self.type in _WHOLE:
            raise ValueError(f"{self.type} is cut: {self.text!r}")
        if self.level is not None and self.type not in {
            ContentNodeType.HEADING,
            ContentNodeType.SUBHEADING,
            ContentNodeType.LIST_ITEM,
        }:
            raise ValueError(f"{self.type} has a level")
        if self.run_in and self.type != ContentNodeType.HEADING:
            raise ValueError(f"{self.type} runs in")
        if self.box and (self.box[0] >= self.box[2] or self.box[1] >= self.box[3]):
            raise ValueError(f"box {self.box} is empty")
        return self


class Label(_Strict):
    """The blocks of a page in reading order.

    Attributes:
        note: note on the page as a whole.
    """

    number: str = Field(pattern=r"^\d{3}$")
    blocks: list[Block]
    note: str | None = None

    @model_validator(mode="after")
    def _bound(self) -> Self:
        named = {block.id: block for block in self.blocks if block.id}
        if len(named) != sum(block.id is not None for block in self.blocks):
            raise ValueError("two blocks have the same id")
        for block in self.blocks:
            if block.of is not None and block.of not in named:
                raise ValueError(f"caption of {block.of!r}, which is no block of the page")
            for mark in block.marks:
                if mark.note is not None and (mark.note not in named or named[mark.note].type != ContentNodeType.NOTE):
                    raise ValueError(f"mark {mark.mark!r} leads to {mark.note!r}, which is no NOTE of the page")
        levels = {block.level for block in self.blocks if block.type == ContentNodeType.HEADING} - {None}
        if levels != set(range(1, len(levels) + 1)):
            raise ValueError(f"levels of headings are {sorted(map(str, levels))}, not 1, 2, 3 without a gap")
        if self.blocks and self.blocks[-1].run_in:
            raise ValueError("a heading runs in, but nothing follows")
        return self


def pages(folder: Path = HERE) -> list[Page]:
    """Return the chosen pages, in the order of their numbers."""
    lines = (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()
    return [Page.model_validate_json(line) for line in lines]


def first_pages(folder: Path = HERE) -> list[FirstPage]:
    """Return the labelled first pages, by set and path."""
    lines = (folder / "first_pages.jsonl").read_text(encoding="utf-8").splitlines()
    return [FirstPage.model_validate_json(line) for line in lines]


def titles(folder: Path = HERE) -> dict[tuple[str, str], list[str]]:
    """Return the right titles of each file, by its set and path."""
    lines = (folder / "titles.jsonl").read_text(encoding="utf-8").splitlines()
    return {(entry["source"], entry["file"]): entry["titles"] for entry in map(json.loads, lines)}


def labels(folder: Path = HERE) -> dict[str, Label]:
    """Return the labels in a folder by the number of their page.

    Raises:
        ValueError: a file is not valid; the message names each such file.
    """
    found, wrong = {}, []
    for path in sorted(folder.glob("[0-9][0-9][0-9].json")):
        try:
            found[path.stem] = label = Label.model_validate(json.loads(path.read_text(encoding="utf-8")))
            if label.number != path.stem:
                wrong.append(f"{path.name}: its number is {label.number}")
        except ValueError as error:
            wrong.append(f"{path.name}: {error}")
    if wrong:
        raise ValueError("\n".join(wrong))
    return found
