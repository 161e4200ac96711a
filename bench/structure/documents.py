"""The documents that the PDF benchmark reads, and the source of the truth for each of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class TexHeading(NamedTuple):
    """A command that sets a heading: its depth, the number of arguments in the title, or the title that it prints.

    ``keep`` is a pattern of the printed part of the title, if not all of it is printed.
    """

    command: str
    depth: int
    arguments: int = 1
    title: str = ""
    keep: str = ""


class Printed(NamedTuple):
    """Pages with printed numbers although the file has no labels, read off the pages by eye.

    From page ``first`` to ``last`` of the file, counting from ``value``, in roman or arabic numerals.
    """

    first: int
    last: int
    value: int
    roman: bool = False


@dataclass(frozen=True)
class Document:
    """A file, or several small ones that make one line of the table.

    Attributes:
        name: name of the line.
        paths: patterns of files within the data; several files are added up.
        title: title as printed; a heading that repeats it does not count.
        tex: TeX files in the order of the document; without them tags are the truth, else the outline.
        headings: commands of the TeX files that make headings.
        notes: commands that make notes.
        figures: command whose argument is the number of a figure with the caption "Fig. N.".
        printed: page numbers, if the file has no labels.
        held_out: whether it was not looked at while the rules were made.
    """

    name: str
    paths: tuple[str, ...]
    title: str = ""
    tex: tuple[str, ...] = ()
    headings: tuple[TexHeading, ...] = ()
    notes: tuple[str, ...] = ()
    figures: str = ""
    printed: tuple[Printed, ...] = ()
    held_out: bool = False

    def files(self, data: Path) -> list[Path]:
        """Return the files of the document, sorted."""
        return sorted({path for pattern in self.paths for path in data.glob(pattern)})


# Bold lines are headings on the page, so they count in the Mueller report. The source states no depth for them, so it
# comes from the text: "Overview" and "Analysis" open and close the parts of volume 2, beside the subsubsections between
# them and not within the last one. In the appendix they are within subsubsections.
_REPORT = (
    TexHeading("section", 1),
    TexHeading("subsection", 2),
    TexHeading("subsubsection", 3),
    TexHeading("paragraph", 4),
)
_VOLUME = "books/mueller/src/volume-2"
_APPENDIX = "books/mueller/src/appendix"
DOCUMENTS = (
    Document(
        "Ball",
        ("books/gitenberg/31246_ball/31246-pdf.pdf",),
        "A Short Account of the History of Mathematics",
        ("books/gitenberg/31246_ball/31246-t/31246-t.tex",),
        (
            TexHeading("nbpart", 1, 2),
            TexHeading("chapter", 2),
            TexHeading("nbChapter", 2, 2),
            TexHeading("section", 3),
            TexHeading("nbparagraph", 4),
            TexHeading("nbtopictitle", 4),
            TexHeading("printindex", 1, title="Index"),
        ),
        ("footnote",),
    ),
    Document(
        "Whitehead",
        ("books/gitenberg/41568_whitehead/41568-pdf.pdf",),
        "An Introduction to Mathematics",
        ("books/gitenberg/41568_whitehead/41568-t/41568-t.tex",),
        (
            TexHeading("TableofContents", 1, title="Contents"),
            TexHeading("Chapter", 1, 2),
            TexHeading("Appendix", 1),
            TexHeading("printindex", 1, title="Index"),
        ),
        ("footnote",),
        figures="Figure",
    ),
    Document(
        "Mueller 2",
        ("books/mueller/docs/mueller-report-vol-2.pdf",),
        "Report On The Investigation Into Russian Interference In The 2016 Presidential Election",
        tuple(
            f"{_VOLUME}/{name}.tex"
            for name in (
                "table-of-contents",
                "introduction",
                "executive-summary",
                "background-principles",
                "factual-results",
                "legal-defenses-of-president",
                "conclusion",
            )
        ),
        (TexHeading("tableofcontents", 1, title="Table of Contents - Volume II"), *_REPORT, TexHeading("textbf", 3)),
        ("footnote",),
    ),
    Document(
        "Mueller app.",
        ("books/mueller/docs/mueller-report-appendix.pdf",),
        "Report On The Investigation Into Russian Interference In The 2016 Presidential Election",
        (f"{_APPENDIX}/table-of-contents.tex", *(f"{_APPENDIX}/appendix-{letter}.tex" for letter in "abcd")),
        (
            TexHeading("tableofcontents", 1, title="Table of Contents - Appendix"),
            TexHeading("invisiblesection", 1, keep="Appendix [A-D]"),
            *_REPORT,
            TexHeading("textbf", 4),
        ),
        ("footnote",),
    ),
    Document(
        "NIST 800-207",
        ("books/nist/NIST.SP.800-207.pdf",),
        "Zero Trust Architecture",
        printed=(Printed(4, 9, 2, roman=True), Printed(10, 59, 1)),
    ),
    Document(
        "DIME",
        ("books/worldbank_dime/Data-for-Development-Impact.pdf",),
        "Data for Development Impact: The DIME Analytics Resource Guide",
        ("books/worldbank_dime/tex/manuscript.tex",),
        (
            TexHeading("tableofcontents", 1, title="Contents"),
            TexHeading("chapter", 1),
            TexHeading("section", 2),
            TexHeading("subsection", 3),
            TexHeading("bibliography", 1, title="Bibliography"),
        ),
        ("sidenote",),
        printed=(Printed(12, 86, 11),),
    ),
    Document("veraPDF", ("verapdf/**/*.pdf",), held_out=True),
    Document("docling", ("docling/pdf/**/*.pdf",), held_out=True),
    Document("pypdf", ("pypdf-samples/**/*.pdf",), held_out=True),
)


_STATED = ("/Outlines", "/StructTreeRoot", "/PageLabels", "/MarkInfo")


def states_structure(path: Path) -> bool:
    """Return True if a PDF has an outline, tags or page labels; otherwise it equals its stripped copy."""
    import pikepdf

    with pikepdf.open(path) as pdf:
        return any(key in pdf.Root for key in _STATED)


def strip(source: Path, target: Path) -> None:
    """Write a copy of a PDF without outline, tags and page labels, with the same bytes every time."""
    import pikepdf

    with pikepdf.open(source) as pdf:
        for key in _STATED:
            if key in pdf.Root:
                del pdf.Root[key]
        pdf.save(target, deterministic_id=not pdf.is_encrypted)


def stripped(path: Path, cache: Path) -> Path:
    """Return the stripped copy of a file, made once and cached."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    target = cache / "stripped" / f"{digest[:24]}.pdf"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        strip(path, target)
    return target
