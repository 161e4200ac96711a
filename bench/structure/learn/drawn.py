"""Learn to tell text that stands in pictures and drawings from their labels, and judge it on files not learnt from.

    python -m bench.structure.learn.drawn --pdfs PDFS [--dp DP] [--cache DIR] [--judge]

Without --judge, weights of all files are written into the reader. With it, five times four fifths of the sources are
learnt from and the rest is judged, beside the rules: letters of text that are lost in figures, and of labels that leak
into the text.

``drawn.jsonl`` names the files and the pages that are read: with tags, and without, of which captions tell what is a
figure. PDFS holds them, and the web pages of ``printed.jsonl``, by the first 16 digits of their SHA-256 (of a web page,
its own). DP is the half of DP-Bench to develop on: ``pdfs/`` and ``reference.json``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import re
import tempfile
import zlib
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench.structure.learn.writing import write_trees
from ragraph.errors import IngestError
from ragraph.ingest.readers.pdf import blocks, passes
from ragraph.ingest.readers.pdf.blocks.drawn import NAMES, measure, runs_of
from ragraph.ingest.readers.pdf.blocks.figures import find_figures, places
from ragraph.ingest.readers.pdf.blocks.labels import TEXT
from ragraph.ingest.readers.pdf.model import Box, Kind
from ragraph.ingest.readers.pdf.page.parse import parse_pages
from ragraph.ingest.readers.pdf.patterns import CAPTION, FIGURE_CAPTION
from ragraph.ingest.readers.pdf.stated.facts import Facts, open_pdf
from ragraph.ingest.readers.pdf.stated.tag_content import is_table
from ragraph.ingest.readers.pdf.stated.tag_tree import Element, is_tagged, read_tagged_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ragraph.ingest.readers.pdf.model import Line, Page, Word

HERE = Path(__file__).parent
_FOLDS = 5
_HEADING = re.compile(r"^H\d*$|^Title$")
_BAND = 20.0
"""Points of a page by which stated pieces are looked up."""
_SURE = 0.7
"""Share of the letters of a line of which one thing has to be stated."""
_UNDER = 2.5
"""Sizes of type from a figure to its caption at most."""
_MOST = 8
"""Sheets that are read of a printed web page."""
_ALIKE = 2
"""Lines of a place, over which another place with the same text is that of another edition of the file."""
_LEAST, _LONGEST = 8, 40
"""Lines from which on a file counts less for each; letters up to which a longer line counts more."""
TEXT_OF_PAGE, LABEL, OTHER = 1, 0, -1
"""What is known of a line."""


class Piece(NamedTuple):
    """What is stated at a place: "text", "figure", "table" or "" for neither; and whether the place is one of text."""

    box: Box
    kind: str
    text: bool


class Rows(NamedTuple):
    """The lines of a place in features, with what is known of them.

    Attributes:
        how: "tags", "captions", "web" or "boxes".
        source: repository, or the page of a template: by which files are kept together.
        name: of the file.
        values: the features.
        truth: ``TEXT_OF_PAGE``, ``LABEL`` or ``OTHER``, by line.
        ruled: whether the rules alone take the line for a label.
        letters: of each line.
        run: number of the run of lines that each is in.
        text: of all lines.
    """

    how: str
    source: str
    name: str
    values: NDArray[Any]
    truth: NDArray[Any]
    ruled: NDArray[Any]
    letters: NDArray[Any]
    run: NDArray[Any]
    text: tuple[str, ...]


class _File(NamedTuple):
    how: str
    source: str
    path: Path
    first: int
    last: int


def main() -> None:
    """Learn, and write or judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of the files, by SHA-256")
    parser.add_argument("--dp", type=Path, help="folder of the half of DP-Bench to develop on")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "ragraph-learn" / "drawn")
    parser.add_argument("--judge", action="store_true", help="cross-validate by source, write nothing")
    chosen = parser.parse_args()
    rows = _once(rows_of(chosen.pdfs, chosen.dp, chosen.cache))
    known = Counter(int(one) for place in rows for one in place.truth)
    print(f"{len({place.name for place in rows})} files, {known[TEXT_OF_PAGE]} lines of text, {known[LABEL]} labels")
    if chosen.judge:
        _judge(rows)
        return
    target = Path(blocks.__file__).parent / "labels.npz"
    write_trees(_learn(rows), NAMES, target)
    print(f"{target}: {target.stat().st_size} bytes")


def rows_of(pdfs: Path, dp: Path | None, cache: Path) -> Iterator[Rows]:
    """Yield the lines of all places of all files that are there.

    Args:
        pdfs: folder with the files by the first 16 digits of their SHA-256.
        dp: folder of the half of DP-Bench to develop on.
        cache: folder for what was read.
    """
    cache.mkdir(parents=True, exist_ok=True)
    boxes = json.loads((dp / "reference.json").read_text(encoding="utf-8")) if dp else {}
    for file in _files(pdfs, dp):
        opened = _opened(file, cache)
        if opened is None:
            continue
        work, stated = opened
        for step in passes.ANALYSING[_first_table_pass() :]:
            step.run(work)
            if step.run is passes.make_tables:
                break
        for page in work.pages:
            pieces = stated.get(page.number)
            if file.how == "boxes":
                pieces = _boxes(boxes[file.path.name]["elements"], page)
            yield from _of_page(file, page, work.style, pieces)


def _first_table_pass() -> int:
    return next(at for at, step in enumerate(passes.ANALYSING) if step.run is passes.make_tables)


def _files(pdfs: Path, dp: Path | None) -> Iterator[_File]:
    there = {path.stem: path for path in pdfs.rglob("*.pdf")}
    for line in (HERE / "drawn.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        if path := there.get(item["sha256"][:16]):
            yield _File("tags" if item["tags"] else "captions", item["source"], path, item["first"], item["last"])
    for line in (HERE / "printed.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        if path := there.get(item["sha256"][:16]):
            # Templates of one repository are made by many hands: each is a source of its own.
            yield _File("web", item["path"].partition("/")[0], path, 1, _MOST)
    for path in sorted((dp / "pdfs").glob("*.pdf")) if dp else ():
        yield _File("boxes", path.stem, path, 1, 1)


def _opened(file: _File, cache: Path) -> tuple[passes.Work, dict[int, list[Piece]]] | None:
    """Return a file before its tables are looked for, and what its tags state; None where it cannot be read."""
    kept = cache / f"{file.path.stem}.{file.first}"
    if not kept.exists():
        try:
            found = _read(file)
        except IngestError:
            found = None
        kept.write_bytes(zlib.compress(pickle.dumps(found), 1))
    known: tuple[passes.Work, dict[int, list[Piece]]] | None = pickle.loads(zlib.decompress(kept.read_bytes()))
    return known


def _read(file: _File) -> tuple[passes.Work, dict[int, list[Piece]]]:
    document = open_pdf(file.path, None)
    stated: dict[int, list[Piece]] = {}
    try:
        pages = list(parse_pages(file.path, None, (file.first, file.last)))
        work = passes.Work(file.path.name, pages, Facts(len(document)), document, False)
        passes.run(work, passes.PREPARING)
        passes.check_text(work)
        passes.set_frames(work)
        if is_tagged(document):
            stated = {
                page.number: _stated(document, page.number) for page in pages if not page.failed and not page.turn
            }
    finally:
        document.close()
    work.file = None
    passes.run(work, passes.ANALYSING[: _first_table_pass()])
    return work, stated


def _stated(document: Any, number: int) -> list[Piece]:
    """Return the content of a page with what its tags say of it."""
    tagged = read_tagged_page(document, number)
    if tagged is None:
        return []
    kinds: dict[int, str] = {}

    def walk(element: Element, kind: str) -> None:
        if element.role == "Caption":
            kind = "text"
        elif kind not in {"figure", "table"}:
            if element.role == "Figure":
                kind = "figure"
            elif element.role == "Formula":
                kind = "formula"
            elif element.role == "Table" and is_table(element, tagged):
                kind = "table"
        for kid in element.kids:
            if isinstance(kid, int):
                kinds[kid] = kind or "text"
            else:
                walk(kid, kind)

    for element in tagged.elements:
        walk(element, "")
    return [Piece(piece.box, kinds.get(piece.mark, ""), piece.text) for piece in tagged.pieces]


def _boxes(elements: Sequence[dict[str, Any]], page: Page) -> list[Piece]:
    """Return the boxes that others drew on a page of DP-Bench."""
    pieces = []
    for element in elements:
        xs = [corner["x"] * page.width for corner in element["coordinates"]]
        ys = [corner["y"] * page.height for corner in element["coordinates"]]
        kind = {"Figure": "figure", "Chart": "figure", "Table": "table"}.get(element["category"], "text")
        pieces.append(Piece(Box(min(xs), min(ys), max(xs), max(ys)), kind, True))
    return pieces


def _of_page(file: _File, page: Page, style: Any, pieces: Sequence[Piece] | None) -> Iterator[Rows]:
    """Yield the lines of each place of a page."""
    captions = [line for line in page.lines if FIGURE_CAPTION.match(line.text)] if file.how == "captions" else []
    if not pieces and not captions:
        return
    tables = [block for block in page.blocks if block.kind in {Kind.FIGURE, Kind.TABLE}]
    free = list(page.free)
    figures = find_figures(page, free, tables, style, weighed=False)
    labels = {id(line) for figure in figures for line in figure.lines}
    for place in places(page, free, tables, style):
        if not place.inside:
            continue
        if pieces:
            known = _kinds(pieces, [word for line in place.inside for word in line.words])
            truth = [_truth(line, known) for line in place.inside]
        elif _has_caption(place.box, place.inside, captions):
            truth = [LABEL] * len(place.inside)
        else:
            continue
        runs = {id(line): number for number, run in enumerate(runs_of(place.inside)) for line in run}
        yield Rows(
            file.how, file.source, file.path.stem,
            measure(page, place.box, place.inside, free, style),
            np.array(truth),
            np.array([id(line) in labels for line in place.inside]),
            np.array([float(line.length) for line in place.inside]),
            np.array([runs[id(line)] for line in place.inside]),
            tuple(line.text for line in place.inside),
        )  # fmt: skip


def _kinds(pieces: Sequence[Piece], words: Sequence[Word]) -> dict[int, str]:
    """Return what is stated of each word: that of the smallest piece of text, else of content, at its middle."""
    bands: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        for band in range(int(piece.box.top // _BAND), int(piece.box.bottom // _BAND) + 1):
            bands[band].append(piece)
    found = {}
    for word in words:
        x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
        there = [piece for piece in bands[int(y // _BAND)]
                 if piece.box.left - 1 <= x <= piece.box.right + 1 and piece.box.top - 1 <= y <= piece.box.bottom + 1
                 and (piece.text or piece.kind in {"figure", "table"})]  # fmt: skip
        best = min(there, default=None, key=lambda piece: (
            not piece.text, (piece.box.right - piece.box.left) * (piece.box.bottom - piece.box.top)))  # fmt: skip
        found[id(word)] = best.kind if best else ""
    return found


def _truth(line: Line, kinds: dict[int, str]) -> int:
    counted: Counter[str] = Counter()
    for word in line.words:
        counted[kinds[id(word)]] += len(word.text)
    kind, letters = counted.most_common(1)[0]
    if letters <= _SURE * sum(counted.values()):
        return OTHER
    return {"text": TEXT_OF_PAGE, "figure": LABEL}.get(kind, OTHER)


def _has_caption(box: Box, inside: Sequence[Line], captions: Sequence[Line]) -> bool:
    """Say whether the caption of a figure stands right below a place, and none within it."""
    below = any(
        0 < line.top - box.bottom < _UNDER * line.size and line.left < box.right and line.right > box.left
        for line in captions
    )
    return below and not any(CAPTION.match(line.text) for line in inside)


def _once(rows: Iterator[Rows]) -> list[Rows]:
    """Return rows without places whose text was seen before: editions of one file."""
    seen: set[tuple[str, ...]] = set()
    kept = []
    for place in rows:
        if len(place.text) > _ALIKE:
            if place.text in seen:
                continue
            seen.add(place.text)
        kept.append(place)
    return kept


def _learn(rows: Sequence[Rows]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    lines: Counter[str] = Counter()
    for place in rows:
        lines[place.name] += int((place.truth != OTHER).sum())
    values = np.concatenate([place.values for place in rows])
    truth = np.concatenate([place.truth for place in rows])
    weight = np.concatenate(
        [max(lines[place.name], _LEAST) ** -0.5 * np.minimum(place.letters, _LONGEST) ** 0.5 for place in rows]
    )
    kept = truth != OTHER
    values, truth, weight = values[kept], truth[kept], weight[kept]
    # As much for labels as for text: how often either stands in a picture is a matter of the collection.
    weight *= np.where(truth == LABEL, weight[truth != LABEL].sum() / weight[truth == LABEL].sum(), 1.0)
    model = HistGradientBoostingClassifier(
        max_iter=120, max_leaf_nodes=12, learning_rate=0.07, min_samples_leaf=12, l2_regularization=5.0,
        max_features=0.4, early_stopping=False, random_state=0,
    )  # fmt: skip
    return model.fit(values, truth, sample_weight=weight / weight.mean())


def _judge(rows: Sequence[Rows]) -> None:
    odds: dict[int, NDArray[Any]] = {}
    for fold in range(_FOLDS):
        model = _learn([place for place in rows if _fold(place.source) != fold])
        for at, place in enumerate(rows):
            if _fold(place.source) == fold:
                odds[at] = _by_run(model.decision_function(place.values), place)
    print(f"{'':10} {'text':>7} {'labels':>7} | {'lost':>7} {'leaked':>7} | {'lost':>7} {'leaked':>7}")
    print(f"{'letters':10} {'':7} {'':7} | {'rules':>15} | {'and weights':>15}")
    for how in ("tags", "captions", "web", "boxes", ""):
        counted = np.zeros(6)
        for at, place in enumerate(rows):
            if how in {"", place.how}:
                counted += _counted(place, place.ruled, odds[at] > TEXT)
        print(f"{how or 'all':10} {counted[0]:7.0f} {counted[1]:7.0f} | {counted[2]:7.0f} {counted[3]:7.0f}"
              f" | {counted[4]:7.0f} {counted[5]:7.0f}")  # fmt: skip


def _counted(place: Rows, ruled: NDArray[Any], text: NDArray[Any]) -> NDArray[Any]:
    """Return letters of text, of labels; lost and leaked by the rules, and where what is weighed as text is let go."""
    is_text, is_label = place.truth == TEXT_OF_PAGE, place.truth == LABEL
    kept = ruled & ~text
    which = (is_text, is_label, is_text & ruled, is_label & ~ruled, is_text & kept, is_label & ~kept)
    return np.array([place.letters[one].sum() for one in which])


def _by_run(odds: NDArray[Any], place: Rows) -> NDArray[Any]:
    """Return the mean log-odds, by letters, of the run that each line is in."""
    whole = np.bincount(place.run, place.letters)
    mean: NDArray[Any] = (np.bincount(place.run, odds * place.letters) / whole)[place.run]
    return mean


def _fold(source: str) -> int:
    return int(hashlib.sha256(source.encode()).hexdigest(), 16) % _FOLDS


if __name__ == "__main__":
    main()
