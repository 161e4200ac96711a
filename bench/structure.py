"""How well the structure of PDF files is read: headings, tree, footnotes, page numbers, text, order, speed.

    RAGRAPH_DATA=../shared/data python -m bench.structure [name ...] [--speed] [--misses]

Every document is read twice: as it is, and with its outline, tags and page labels taken out (pikepdf), since most
files have none; the second line is the one that counts. Truth: TeX sources where there are some, else the outline
of the file. No figure is left out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.structure_truth import Heading, cited_captions, footnotes_of, headings_of, outline_of, plain, tex_source
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.ingest.readers.pdf.furniture import number_value
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.ingest.draft import Draft

_SIMILAR = 85.0


@dataclass(frozen=True)
class Document:
    """A file and where its truth is: TeX files with the commands that make headings, else its outline."""

    name: str
    path: str
    tex: tuple[str, ...] = ()
    commands: dict[str, tuple[int, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_LATEX = {"section": (1, 1), "subsection": (2, 1), "subsubsection": (3, 1), "textbf": (4, 1)}
# Bold lines of their own ("Overview", "Evidence") are headings on the page, so they count in the Mueller report.
DOCUMENTS = (
    Document(
        "Ball",
        "books/gitenberg/31246_ball/31246-pdf.pdf",
        ("books/gitenberg/31246_ball/31246-t/31246-t.tex",),
        {"nbpart": (1, 2), "nbChapter": (2, 2), "section": (3, 1)},
        ("footnote",),
    ),
    Document(
        "Whitehead",
        "books/gitenberg/41568_whitehead/41568-pdf.pdf",
        ("books/gitenberg/41568_whitehead/41568-t/41568-t.tex",),
        {"Chapter": (1, 2)},
        ("footnote",),
    ),
    Document(
        "Mueller 2",
        "books/mueller/docs/mueller-report-vol-2.pdf",
        tuple(
            f"books/mueller/src/volume-2/{name}.tex"
            for name in (
                "introduction",
                "executive-summary",
                "background-principles",
                "factual-results",
                "legal-defenses-of-president",
                "conclusion",
            )
        ),
        _LATEX,
        ("footnote",),
    ),
    Document(
        "Mueller app.",
        "books/mueller/docs/mueller-report-appendix.pdf",
        tuple(f"books/mueller/src/appendix/appendix-{letter}.tex" for letter in "abcd"),
        _LATEX,
        ("footnote",),
    ),
    Document("NIST 800-207", "books/nist/NIST.SP.800-207.pdf"),
    Document(
        "DIME",
        "books/worldbank_dime/Data-for-Development-Impact.pdf",
        ("books/worldbank_dime/tex/manuscript.tex",),
        {"chapter": (1, 1), "section": (2, 1), "subsection": (3, 1)},
        ("sidenote",),
    ),
)


@dataclass
class Scores:
    """The figures of one document; None where the truth says nothing."""

    pages: int
    precision: float
    recall: float
    parents: float
    levels: float
    notes_found: float | None
    notes_linked: float | None
    labels: float | None
    text_recall: float
    text_precision: float
    order: float
    furniture: float
    captions: float | None
    seconds: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall of headings."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def main() -> int:
    """Print the table; return 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="names of documents; default all")
    parser.add_argument("--speed", action="store_true", help="compare with docling-parse alone on the same files")
    parser.add_argument("--misses", action="store_true", help="list headings missed and invented")
    chosen = parser.parse_args()
    data = Path(os.environ.get("RAGRAPH_DATA", "../shared/data"))
    columns = "doc as pages P R F1 parents levels notes linked labels recall precision order furniture captions s"
    print("  ".join(f"{name:>9}" for name in columns.split()))
    totals: dict[str, list[Scores]] = {"asis": [], "stripped": []}
    for document in DOCUMENTS:
        if chosen.names and document.name not in chosen.names:
            continue
        path = data / document.path
        with tempfile.TemporaryDirectory() as folder:
            bare = Path(folder) / "bare.pdf"
            strip(path, bare)
            for form, file in (("asis", path), ("stripped", bare)):
                scores = score(document, data, path, file, chosen.misses and form == "stripped")
                totals[form].append(scores)
                _print(document.name, form, scores)
    for form, every in totals.items():
        if every:
            _print("mean", form, _mean(every))
    if chosen.speed:
        _speed([data / document.path for document in DOCUMENTS])
    return 0


def strip(source: Path, target: Path) -> None:
    """Write a copy of a PDF without outline, tags and page labels."""
    import pikepdf

    with pikepdf.open(source) as pdf:
        for key in ("/Outlines", "/StructTreeRoot", "/PageLabels", "/MarkInfo"):
            if key in pdf.Root:
                del pdf.Root[key]
        pdf.save(target)


def score(document: Document, data: Path, original: Path, file: Path, misses: bool) -> Scores:
    """Read a file and compare it with its truth."""
    start = time.perf_counter()
    draft = PdfReader().read(file, ReadOptions())
    seconds = time.perf_counter() - start
    outline, labels = outline_of(original)
    sources = [tex_source(data / name) for name in document.tex]
    truth = headings_of(sources, document.commands) if document.commands else outline
    found = [
        Heading(node.text, node.level or 1)
        for node in draft.nodes
        if node.type in {ContentNodeType.HEADING, ContentNodeType.TITLE}
        and (node.type is ContentNodeType.HEADING or any(similar(node.text, item.title) for item in truth))
    ]
    pairs = match(truth, found)
    if misses:
        _list_misses(truth, found, pairs)
    notes = footnotes_of(sources, document.notes)
    linked = _notes(draft, notes)
    recall, precision, order = _text(draft, original)
    captions = cited_captions(draft)
    return Scores(
        pages=len(draft.pages),
        precision=len(pairs) / max(len(found), 1),
        recall=len(pairs) / max(len(truth), 1),
        parents=_parents(truth, found, pairs),
        levels=_levels(truth, found, pairs),
        notes_found=linked[0] if notes else None,
        notes_linked=linked[1] if notes else None,
        labels=_labels(draft, labels),
        text_recall=recall,
        text_precision=precision,
        order=order,
        furniture=_furniture(draft),
        captions=captions,
        seconds=seconds,
    )


def similar(one: str, other: str) -> bool:
    """Say whether two titles are the same but for number, case, marks and a few letters."""
    from rapidfuzz.fuzz import ratio

    left, right = plain(one), plain(other)
    if not left or not right:
        return False
    if len(right) > 8 and (left.startswith(right) or left.endswith(right)):
        return len(left) < 2.5 * len(right)
    return float(ratio(left, right)) >= _SIMILAR


def match(truth: Sequence[Heading], found: Sequence[Heading]) -> dict[int, int]:
    """Pair headings in the order of the document: the longest chain of like titles (difflib's is not the longest)."""
    rows, columns = len(truth), len(found)
    like = [[similar(found[column].title, truth[row].title) for column in range(columns)] for row in range(rows)]
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            step = best[row + 1][column + 1] + 1 if like[row][column] else 0
            best[row][column] = max(best[row + 1][column], best[row][column + 1], step)
    pairs: dict[int, int] = {}
    row = column = 0
    while row < rows and column < columns:
        if like[row][column] and best[row][column] == best[row + 1][column + 1] + 1:
            pairs[row] = column
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs


def _above(headings: Sequence[Heading]) -> list[int | None]:
    parents: list[int | None] = []
    stack: list[int] = []
    for index, heading in enumerate(headings):
        while stack and headings[stack[-1]].depth >= heading.depth:
            stack.pop()
        parents.append(stack[-1] if stack else None)
        stack.append(index)
    return parents


def _parents(truth: Sequence[Heading], found: Sequence[Heading], pairs: dict[int, int]) -> float:
    """Return the share of paired headings whose nearest paired ancestor is the same on both sides."""
    back = {column: row for row, column in pairs.items()}
    ours, theirs = _above(found), _above(truth)
    right = 0
    for row, column in pairs.items():
        mine: int | None = ours[column]
        while mine is not None and mine not in back:
            mine = ours[mine]
        other: int | None = theirs[row]
        while other is not None and other not in pairs:
            other = theirs[other]
        right += (None if mine is None else back[mine]) == other
    return right / max(len(pairs), 1)


def _levels(truth: Sequence[Heading], found: Sequence[Heading], pairs: dict[int, int]) -> float:
    """Return the share of paired headings at the level that most of their depth have."""
    by_depth: dict[int, Counter[int]] = {}
    for row, column in pairs.items():
        by_depth.setdefault(truth[row].depth, Counter())[found[column].depth] += 1
    return sum(counter.most_common(1)[0][1] for counter in by_depth.values()) / max(len(pairs), 1)


def _notes(draft: Draft, notes: Sequence[str]) -> tuple[float, float]:
    """Return the shares of the notes of the source that are NOTE nodes, and that a mark refers to."""
    targets = {item.target for item in draft.relations if item.type is RelationType.REFERENCES_NOTE}
    known = [(plain(node.text), node.key) for node in draft.nodes if node.type is ContentNodeType.NOTE]
    place = found = linked = 0
    used: set[int] = set()
    for note in notes:
        wanted = plain(note)[:30]
        # In order as a rule; notes in margins may come in another.
        places = [*range(place, min(place + 40, len(known))), *range(len(known))]
        at = next((index for index in places if index not in used and wanted in known[index][0]), None)
        if at is not None:
            place = at + 1
            used.add(at)
            found += 1
            linked += known[at][1] in targets
    return found / max(len(notes), 1), linked / max(len(notes), 1)


def _labels(draft: Draft, truth: Sequence[str]) -> float | None:
    """Return the share of pages whose label is found, from the labels in the draft or by counting printed numbers."""
    if not truth:
        return None
    printed = logical_pages(draft)
    checked = [(page, label) for page, label in enumerate(truth, 1) if label]
    # Unnumbered pages in front have labels in the file that no page shows.
    shown = [item for item in checked if item[0] in printed]
    return sum(printed[page] == label for page, label in shown) / max(len(checked), 1)


def logical_pages(draft: Draft) -> dict[int, str]:
    """Return page labels: those of the file, else printed numbers, gaps filled within runs that count."""
    stated = {page.page_pdf: page.page_logical for page in draft.pages if page.page_logical}
    if stated:
        return {page: label for page, label in stated.items() if label}
    runs: dict[tuple[str, int], list[int]] = {}
    for node in draft.nodes:
        if node.type is ContentNodeType.PAGE_NUMBER:
            value = number_value(node.text.strip("-–—|[]() ."))
            if value:
                page = node.positions[0].page_pdf
                runs.setdefault((value[0], value[1] - page), []).append(page)
    labels: dict[int, str] = {}
    for (kind, shift), pages in sorted(runs.items(), key=lambda item: -len(item[1])):
        for page in range(max(min(pages) - 4, 1), max(pages) + 1):
            if page not in labels and page + shift > 0:
                labels[page] = _numeral(kind, page + shift)
    return labels


def _numeral(kind: str, value: int) -> str:
    if kind not in {"roman", "ROMAN"}:
        return str(value) if kind == "arabic" else f"{kind}{value}"
    text = ""
    for size, letters in (
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ):
        while value >= size:
            text, value = text + letters, value - size
    return text if kind == "roman" else text.upper()


def _text(draft: Draft, original: Path) -> tuple[float, float, float]:
    """Return text recall and precision by words, and the order of words, against PDFium's text of the pages."""
    import pypdfium2
    from rapidfuzz.distance import Indel

    ours = [plain(word) for word in _words(_body(draft))]
    with pypdfium2.PdfDocument(original) as pdf:
        theirs = [plain(word) for page in pdf for word in _words([_unbroken(page.get_textpage().get_text_range())])]
    ours, theirs = [word for word in ours if word], [word for word in theirs if word]
    mine, other = Counter(ours), Counter(theirs)
    common = sum((mine & other).values())
    order = max(
        Indel.normalized_similarity(ours[start : start + 20000], theirs[start : start + 20000]) for start in (0,)
    )
    return common / max(len(theirs), 1), common / max(len(ours), 1), float(order)


def _unbroken(text: str) -> str:
    return text.replace("\ufffe\r\n", "").replace("\x02\r\n", "").replace("-\r\n", "")


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in text.replace("|", " ").split()]


def _body(draft: Draft) -> list[str]:
    """Return the texts of all nodes, markers in front, in the order of their pages."""
    marks: dict[str, list[str]] = {}
    for relation in draft.relations:
        if relation.type is RelationType.REFERENCES_NOTE and relation.marker:
            marks.setdefault(relation.source, []).append(relation.marker)
    return [f"{node.marker or ''} {node.text} {' '.join(marks.get(node.key, []))}" for node in draft.nodes]


def _furniture(draft: Draft) -> float:
    """Return the share of texts that come back on four pages or more that stand in headers and footers."""
    kinds = {item.key: item.type for item in draft.containers}
    outside = {ComponentType.HEADER, ComponentType.FOOTER}
    pages: dict[str, set[int]] = {}
    for node in draft.nodes:
        if node.text and len(node.text) < 120 and node.type is not ContentNodeType.CODE:
            pages.setdefault(node.text, set()).add(node.positions[0].page_pdf)
    again = [
        kinds.get(node.container or "") in outside
        for node in draft.nodes
        if len(pages.get(node.text, ())) >= 4 and len(node.text) > 12 and node.type is ContentNodeType.PARAGRAPH
    ]
    return sum(again) / len(again) if again else 1.0


def _print(name: str, form: str, scores: Scores) -> None:
    def show(value: float | None) -> str:
        return f"{value:9.3f}" if value is not None else f"{'-':>9}"

    values = (
        scores.precision, scores.recall, scores.f1, scores.parents, scores.levels, scores.notes_found,
        scores.notes_linked, scores.labels, scores.text_recall, scores.text_precision, scores.order, scores.furniture,
        scores.captions, scores.seconds,
    )  # fmt: skip
    print("  ".join([f"{name[:9]:>9}", f"{form:>9}", f"{scores.pages:9d}", *map(show, values)]), flush=True)


def _mean(every: Sequence[Scores]) -> Scores:
    def mean(name: str) -> Any:
        values = [getattr(item, name) for item in every if getattr(item, name) is not None]
        return sum(values) / len(values) if values else None

    names = [name for name in Scores.__dataclass_fields__ if name != "pages"]
    return Scores(pages=sum(item.pages for item in every), **{name: mean(name) for name in names})


def _list_misses(truth: Sequence[Heading], found: Sequence[Heading], pairs: dict[int, int]) -> None:
    for row, heading in enumerate(truth):
        if row not in pairs:
            print(f"    missed {heading.depth} {heading.title[:90]}")
    taken = set(pairs.values())
    for column, heading in enumerate(found):
        if column not in taken:
            print(f"    extra  {heading.depth} {heading.title[:90]}")


def _speed(paths: Sequence[Path]) -> None:
    """Print pages per second of docling-parse alone (words, lines, shapes, as docling takes them) and of the reader."""
    from docling_parse.pdf_parser import DoclingThreadedPdfParser, ThreadedPdfParserConfig

    pages = alone = reader = 0.0
    for path in paths:
        start = time.perf_counter()
        parser = DoclingThreadedPdfParser(parser_config=ThreadedPdfParserConfig(loglevel="fatal", threads=1))
        parser.load(path)
        for result in parser.iterate_results():
            if result.success:
                result.get_page()
            pages += 1
        alone += time.perf_counter() - start
        start = time.perf_counter()
        PdfReader().read(path, ReadOptions())
        reader += time.perf_counter() - start
    share = alone / reader
    print(f"docling-parse alone {pages / alone:.1f} pages/s, reader {pages / reader:.1f} pages/s, share {share:.2f}")


if __name__ == "__main__":
    sys.exit(main())
