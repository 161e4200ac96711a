"""Learn to tell text that stands in pictures and drawings from their labels, and judge it on files not learnt from.

    python -m ragraph.pdf.training.drawn --pdfs PDFS [--dp DP] [--cache DIR] [--judge]

Without --judge, weights of all files are written into the reader. With it, five times four fifths of the sources are
learnt from and the rest is judged, beside the rules: letters of text that are lost in figures, and of labels that leak
into the text.

``drawn.jsonl`` names the files and the pages that are read: with tags, and without, of which captions tell what is a
figure. PDFS holds them, and the web pages of ``printed.jsonl``, by the first 16 digits of their SHA-256 (of a web page,
its own). DP is the half of DP-Bench to develop on: ``pdfs/`` and ``reference.json``.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragraph.pdf import blocks, passes
from ragraph.pdf.blocks.drawn import MOST, NAMES, measure, runs_of
from ragraph.pdf.blocks.figures import find_figures
from ragraph.pdf.blocks.figures import places as places_of_figures
from ragraph.pdf.blocks.labels import TEXT, Asked, is_prose
from ragraph.pdf.model import Box, Kind
from ragraph.pdf.patterns import CAPTION, FIGURE_CAPTION
from ragraph.pdf.stated.tag_content import is_table
from ragraph.pdf.stated.tag_tree import Element, is_tagged, read_tagged_page
from ragraph.pdf.training.folds import fold_of
from ragraph.pdf.training.over import over
from ragraph.pdf.training.reading import kept, listed, options, places, read_pages
from ragraph.pdf.training.writing import write_trees

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ragraph.pdf.model import Line, Page, Word
    from ragraph.pdf.training.reading import Open

_FOLDS = 5
_ABOVE = 1.0
"""Points that what is stated reaches above and below its box."""
_SURE = 0.7
"""Share of the letters of a line of which one thing has to be stated."""
_UNDER = 2.5
"""Sizes of type from a figure to its caption at most."""
_MOST = 8
"""Sheets that are read of a printed web page."""
_ALIKE = 2
"""Lines of a place, over which another place with the same text is that of another edition of the file."""
_LEAST, _LONGEST = 8, 40
"""Minimum number of lines at which a file counts less for each; letters up to which a longer line counts more."""
TEXT_OF_PAGE, LABEL, OTHER = 1, 0, -1
"""What is known of a line."""


class Piece(NamedTuple):
    """What is stated at a place: "text", "figure", "table" or "" for neither; and whether the place is one of text."""

    box: Box
    kind: str
    text: bool


class Rows(NamedTuple):
    """Lines of a place in features, with what is known of them: those that are asked of, or the rest.

    Attributes:
        how: "tags", "captions", "web" or "boxes".
        source: repository, or the page of a template: by which files are kept together.
        name: of the file.
        values: the features.
        truth: ``TEXT_OF_PAGE``, ``LABEL`` or ``OTHER``, by line.
        asked: whether the reader asks the weights of these lines; of others what the rules say stays.
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
    asked: bool
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
    parser = options(__doc__)
    parser.add_argument("--dp", type=Path, help="folder of the half of DP-Bench to develop on")
    chosen = parser.parse_args()
    rows = _once(rows_of(chosen.pdfs, chosen.dp, chosen.cache))
    known = Counter(int(one) for place in rows for one in place.truth)
    print(f"{len({place.name for place in rows})} files, {known[TEXT_OF_PAGE]} lines of text, {known[LABEL]} labels")
    if chosen.judge:
        _judge(rows)
    else:
        write_trees(_learn(rows), NAMES, Path(blocks.__file__).parent / "labels.npz")


def rows_of(pdfs: Path, dp: Path | None, cache: Path) -> Iterator[Rows]:
    """Yield the lines of all places of all files that are there.

    Args:
        pdfs: folder with the files by the first 16 digits of their SHA-256.
        dp: folder of the half of DP-Bench to develop on.
        cache: folder for what was read.
    """
    boxes = json.loads((dp / "reference.json").read_text(encoding="utf-8")) if dp else {}
    for file in _files(pdfs, dp):
        yield from _of_file(file, boxes, cache)


def _of_file(file: _File, boxes: dict[str, Any], cache: Path) -> Iterator[Rows]:
    read = kept(cache, file.path, f"{file.path.stem}.{file.first}.drawn", partial(_read, file))
    if read is None:
        return
    work, stated = read
    for page in work.pages:
        pieces = stated.get(page.number)
        if file.how == "boxes":
            pieces = _boxes(boxes[file.path.name]["elements"], page)
        yield from _of_page(file, page, work.style, pieces)


def _files(pdfs: Path, dp: Path | None) -> Iterator[_File]:
    there = places(pdfs)
    for item in listed("drawn.jsonl"):
        if path := there.get(item["sha256"][:16]):
            yield _File("tags" if item["tags"] else "captions", item["source"], path, item["first"], item["last"])
    for item in listed("printed.jsonl"):
        if path := there.get(item["sha256"][:16]):
            # Templates of one repository are made by many hands: each is a source of its own.
            yield _File("web", item["path"].partition("/")[0], path, 1, _MOST)
    for path in sorted((dp / "pdfs").glob("*.pdf")) if dp else ():
        yield _File("boxes", path.stem, path, 1, 1)


def _read(file: _File) -> tuple[passes.Work, dict[int, list[Piece]]]:
    """Return a file before its figures are looked for, and what its tags state, by page."""

    def ask(opened: Open) -> dict[int, list[Piece]]:
        if not is_tagged(opened.file):
            return {}
        return {page.number: _stated(opened.file, page.number) for page in opened.pages
                if not page.failed and not page.turn}  # fmt: skip

    return read_pages(file.path, (file.first, file.last), passes.make_figures, ask)


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
    asked: list[tuple[Box, Sequence[Line]]] = []

    def texts(_: Page, figures: Sequence[Asked], *__: Any) -> list[list[Line]]:
        asked.extend((figure.box, figure.inside) for figure in figures if 0 < len(figure.inside) <= MOST)
        return [[] for _ in figures]

    figures = find_figures(page, free, tables, style, texts=texts)
    labels = {id(line) for figure in figures for line in figure.lines}
    for place in places_of_figures(page, free, tables, style):
        if not place.inside:
            continue
        if pieces:
            known = _kinds(pieces, [word for line in place.inside for word in line.words])
            truth = [_truth(line, known) for line in place.inside]
        elif _has_caption(place.box, place.inside, captions):
            truth = [LABEL] * len(place.inside)
        else:
            continue
        of_line = {id(line): known for line, known in zip(place.inside, truth, strict=True)}
        left = dict.fromkeys(of_line)
        for box, inside in asked:
            if all(id(line) in left for line in inside):
                yield _rows(file, measure(page, box, inside, free, style), inside, inside, of_line, labels, asked=True)
                for line in inside:
                    del left[id(line)]
        rest = [line for line in place.inside if id(line) in left]
        if rest:
            values = measure(page, place.box, place.inside, free, style)
            values = values[[id(line) in left for line in place.inside]]
            yield _rows(file, values, rest, place.inside, of_line, labels, asked=False)


def _rows(
    file: _File, values: NDArray[Any], lines: Sequence[Line], inside: Sequence[Line], truth: dict[int, int],
    labels: set[int], *, asked: bool,
) -> Rows:  # fmt: skip
    # Short pieces of a figure have one verdict.
    runs = {id(line): at if is_prose(run) else 0 for at, run in enumerate(runs_of(inside), 1) for line in run}
    return Rows(
        file.how, file.source, file.path.stem, values,
        np.array([truth[id(line)] for line in lines]),
        asked,
        np.array([id(line) in labels for line in lines]),
        np.array([float(line.length) for line in lines]),
        np.unique([runs[id(line)] for line in lines], return_inverse=True)[1],
        tuple(line.text for line in lines),
    )  # fmt: skip


def _kinds(pieces: Sequence[Piece], words: Sequence[Word]) -> dict[int, str]:
    """Return what is stated of each word: that of the smallest piece of text, else of content, at its middle."""
    said = [piece for piece in pieces if piece.text or piece.kind in {"figure", "table"}]
    found = {}
    for word, there in over(said, words, _ABOVE):
        best = min(there, default=None, key=lambda piece: (not piece.text, piece.box.area))
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
    """Return True if the caption of a figure stands right below a place, and none within it."""
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
        model = _learn([place for place in rows if fold_of(place.source, _FOLDS) != fold])
        for at, place in enumerate(rows):
            if fold_of(place.source, _FOLDS) == fold:
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
    """Return letters of text, of labels; lost and leaked by the rules, and where the weights, if asked, let text go."""
    is_text, is_label = place.truth == TEXT_OF_PAGE, place.truth == LABEL
    kept = ruled & ~text if place.asked else ruled
    which = (is_text, is_label, is_text & ruled, is_label & ~ruled, is_text & kept, is_label & ~kept)
    return np.array([place.letters[one].sum() for one in which])


def _by_run(odds: NDArray[Any], place: Rows) -> NDArray[Any]:
    """Return the mean log-odds, by letters, of the run that each line is in."""
    whole = np.bincount(place.run, place.letters)
    mean: NDArray[Any] = (np.bincount(place.run, odds * place.letters) / whole)[place.run]
    return mean


if __name__ == "__main__":
    main()
