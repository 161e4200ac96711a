"""Learn the weights of furniture from tagged files, measure the rules on these, judge both on files not learnt from.

    python -m ragraph.pdf.training.edges --pdfs PDFS [--cache DIR] [--dp DP_BENCH] [--judge]

What files mark as an artifact at the edges of their pages is furniture, or is not tagged there while the rest is; what
they tag is text. With --judge, four times the weights are learnt without a quarter of the sources and judged on that:
"rules, in groups" is what the reader does, the other lines are limits for each line by itself.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ragraph.pdf.furniture as furniture
from ragraph.pdf import passes
from ragraph.pdf.furniture.features import NAMES, measure
from ragraph.pdf.furniture.running import doubted_lines, edge_furniture
from ragraph.pdf.page.lines import running_style
from ragraph.pdf.stated.tag_tree import Element, is_tagged, read_tagged_page
from ragraph.pdf.training.folds import fold_of
from ragraph.pdf.training.over import over
from ragraph.pdf.training.reading import kept, listed, options, places, read_pages
from ragraph.pdf.training.writing import write_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ragraph.pdf.model import Page
    from ragraph.pdf.stated.tag_tree import TaggedPage
    from ragraph.pdf.training.reading import Open

_MOST_PAGES = 24
"""Pages that are read of a file, the first ones."""
_ZONE = 0.17
"""Share of the height of a page, at top and foot, where furniture is known; elsewhere artifacts are no lesson."""
_TAGGED, _UNTAGGED = 0.8, 0.1
"""Share of the letters of a file that are tagged at least, and are neither tagged nor an artifact at most where it has
artifacts, for it to teach."""
_AT_EDGES, _OF_PAGE = 0.5, 0.5
"""Share of the pages with furniture, for a file to teach: others tag their heads as text. And of the letters of a page
that are tagged, for it to teach."""
_MOSTLY = 0.7
"""Share of the letters of a line that are known to be one thing."""
_ABOVE = 2.0
"""Points that the content of an element reaches above and below its box."""
_CHUNK = 3
"""Pages of a short document: each file teaches whole, in such parts, and page by page."""
_TEXT = 2.0
"""Weight of a line of text against one of furniture: text that is lost is the worse error."""
_FOLDS = 4
_DOUBTED = (-2.0, -1.0, 0.0)
_CERTAIN = (2.0, 3.0, 3.5, 4.0)
_TAGGED_HEADS = {
    "26204bf36e1adf09": r"PAGE \d+ \| ",
    "432281f324a48cd8": r"\d+ \| ",
    "5c9720ac99fce426": "TLP: ",
    "78b8fd4b4d631e14": "",
    "841a01a22501c4be": "TLP: ",
    "d320f7b6ff27082d": r"BCDiploma \| ",
}
"""Running heads that files tag as text, as their pictures show, by the beginning of the line: no lesson."""
CONTENT, ARTIFACT, UNTAGGED = "content", "artifact", "untagged"


class Part(NamedTuple):
    """Lines at the edges of a file, or of some pages of it.

    Attributes:
        kind: "whole", "three" or "one" page.
        values: features.
        truth: 1 for furniture, 0 for text, -1 where it is not known.
        letters: of each line.
        ruled: whether the rules take it.
        furniture: letters of all furniture of these pages.
        text: letters of all text.
        doubted: whether the reader would leave a line in the text if weights said these log-odds of all of them.
    """

    kind: str
    values: NDArray[Any]
    truth: NDArray[Any]
    letters: NDArray[Any]
    ruled: NDArray[Any]
    furniture: int
    text: int
    doubted: Callable[[NDArray[Any]], NDArray[Any]]


class File(NamedTuple):
    """A file with its source, why it teaches nothing ("" if it does), and its parts."""

    name: str
    source: str
    left: str
    parts: list[Part]


def main() -> None:
    """Learn, and write or judge."""
    parser = options(__doc__)
    parser.add_argument("--dp", type=Path, help="DP-Bench, the half to develop on: pdfs/ and reference.json")
    chosen = parser.parse_args()
    files = list(_tagged_files(chosen.pdfs, chosen.cache))
    print(dict(Counter(file.left or "teaches" for file in files)))
    files = [file for file in files if not file.left]
    benched = list(_benched_files(chosen.dp, chosen.cache)) if chosen.dp else []
    if chosen.judge:
        _judge(files, benched)
    else:
        write_trees(_learn([*files, *benched]), NAMES, Path(furniture.__file__).parent / "weights.npz")


# ---- what files say


def _tagged_files(pdfs: Path, cache: Path) -> Iterator[File]:
    there = places(pdfs)
    for row in listed("files.jsonl"):
        name = row["sha256"][:16]
        if row["tags"] and name in there:
            yield _file(name, row["source"], there[name], cache)


def _file(name: str, source: str, path: Path, cache: Path) -> File:
    read = _read(path, cache, _MOST_PAGES)
    if read is None:
        return File(name, source, "unreadable", [])
    work, tagged = read
    states = {page.number: _states(page, tagged[page.number]) for page in work.pages
              if page.number in tagged and page.turn is None}  # fmt: skip
    left = _left(work.pages, states)
    return File(name, source, left, [] if left else list(_parts(work.pages, _truth(name, work, states))))


def _benched_files(folder: Path, cache: Path) -> Iterator[File]:
    """Yield the pages of DP-Bench: furniture is what its boxes call header and footer, text what others hold."""
    reference = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    for path in sorted((folder / "pdfs").glob("*.pdf")):
        read = _read(path, cache, None)
        if read is None or path.name not in reference:
            continue
        boxes = []
        for element in reference[path.name]["elements"]:
            xs, ys = ([corner[axis] for corner in element["coordinates"]] for axis in "xy")
            boxes.append((min(xs), min(ys), max(xs), max(ys), element["category"]))
        truth = {}
        for page in read[0].pages:
            for word in (word for line in page.lines for word in line.words):
                x, y = word.middle_x / page.width, word.middle_y / page.height
                within = [box for box in boxes if box[0] <= x <= box[2] and box[1] <= y <= box[3]]
                box = min(within, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]), default=None)
                truth[id(word)] = -1 if box is None else int(box[4] in {"Header", "Footer"})
        yield File(path.stem, "DP-Bench", "", [_part("bench", read[0].pages, truth)])


def _read(path: Path, cache: Path, most: int | None) -> tuple[passes.Work, dict[int, TaggedPage]] | None:
    """Return a file up to where furniture is taken, no tags shown to the reader, and what its tags say of its pages."""

    def read() -> tuple[passes.Work, dict[int, TaggedPage]]:
        return read_pages(path, (1, most) if most else None, passes.take_furniture, _tagged)

    return kept(cache, path, f"{path.stem}.edges", read)


def _tagged(opened: Open) -> dict[int, TaggedPage]:
    numbers = [page.number for page in opened.pages if not page.failed and is_tagged(opened.file)]
    return {number: found for number in numbers if (found := read_tagged_page(opened.file, number)) is not None}


def _states(page: Page, tagged: TaggedPage) -> dict[int, str]:
    """Return whether each word of a page, by ``id``, is content, an artifact or not tagged."""
    marks = {kid for top in tagged.elements for element in top.walk() for kid in element.kids
             if not isinstance(kid, Element)}  # fmt: skip
    pieces = [piece for piece in tagged.pieces if piece.text or piece.artifact or piece.mark in marks]
    words = [word for line in page.lines for word in line.words]
    found = {}
    for word, there in over(pieces, words, _ABOVE):
        # The smallest piece of text, else of a drawing.
        piece = min(there, key=lambda one: (not one.text, one.box.area), default=None)
        state = UNTAGGED if piece is None else ARTIFACT if piece.artifact else CONTENT
        found[id(word)] = UNTAGGED if state == CONTENT and piece is not None and piece.mark not in marks else state
    return found


def _left(pages: Sequence[Page], states: dict[int, dict[int, str]]) -> str:
    """Return why the tags of a file teach nothing of furniture; "" if they do."""
    letters: Counter[str] = Counter()
    edges = 0
    for page in pages:
        state = states.get(page.number, {})
        edge = False
        for line in page.lines:
            for word in line.words if state else ():
                letters[state[id(word)]] += len(word.text)
                edge |= state[id(word)] != CONTENT and _at_edge(line.top, line.bottom, page)
        edges += edge
    if len(states) < _TAGGED * len(pages) or not letters:
        return "pages without tags"
    if letters[CONTENT] < _TAGGED * letters.total():
        return "too little tagged"
    if letters[ARTIFACT] and letters[UNTAGGED] > _UNTAGGED * letters.total():
        return "text neither tagged nor an artifact"
    return "" if edges >= max(_AT_EDGES * len(states), 1) else "no furniture stated"


def _at_edge(top: float, bottom: float, page: Page) -> bool:
    return bottom < _ZONE * page.height or top > (1 - _ZONE) * page.height


def _truth(name: str, work: passes.Work, states: dict[int, dict[int, str]]) -> dict[int, int]:
    """Return what each word is, by ``id``: furniture (1), text (0), or not known (-1)."""
    rows = edge_furniture(work.pages, work.style).rows
    on: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        on[row.alike].add(row.page.number)
    # What is not tagged may be a note that a program left out: it is furniture only where it comes back.
    back = {id(word) for row in rows if len(on[row.alike]) > 1 for line in row.lines for word in line.words}
    truth = {}
    for page in work.pages:
        state = states.get(page.number, {})
        every = [word for line in page.lines for word in line.words]
        tagged = sum(len(word.text) for word in every if state.get(id(word)) == CONTENT)
        teaches = tagged >= _OF_PAGE * sum(len(word.text) for word in every)
        for line in page.lines:
            tagged_head = name in _TAGGED_HEADS and re.match(_TAGGED_HEADS[name], line.text)
            for word in line.words:
                said = state.get(id(word))
                known = -1
                if teaches and said == CONTENT and not tagged_head:
                    known = 0
                elif teaches and said != CONTENT and _at_edge(line.top, line.bottom, page):
                    known = 1 if said == ARTIFACT or id(word) in back else -1
                truth[id(word)] = known
    return truth


def _parts(pages: Sequence[Page], truth: dict[int, int]) -> Iterator[Part]:
    yield _part("whole", pages, truth)
    for size, kind in ((1, "one"), (_CHUNK, "three")) if len(pages) > 1 else ():
        for first in range(0, len(pages), size):
            chunk = [page for page in pages[first : first + size] if len(page.lines) > 1]
            if chunk:
                yield _part(kind, chunk, truth)


def _part(kind: str, pages: Sequence[Page], truth: dict[int, int]) -> Part:
    style = running_style(list(pages))
    ruled_rows = edge_furniture(pages, style)
    measured, values = measure(ruled_rows.rows, pages, style)
    said, letters = [], []
    for _, line in measured:
        counts: Counter[int] = Counter()
        for word in line.words:
            counts[truth.get(id(word), -1)] += len(word.text)
        most, count = counts.most_common(1)[0]
        said.append(most if count > _MOSTLY * counts.total() else -1)
        letters.append(counts.total())
    total: Counter[int] = Counter()
    for word in (word for page in pages for line in page.lines for word in line.words):
        total[truth.get(id(word), -1)] += len(word.text)
    ruled = np.array([id(row) in ruled_rows.known for row, _ in measured], dtype=bool)

    def doubted(odds: NDArray[Any]) -> NDArray[Any]:
        left = doubted_lines(ruled_rows, len(pages), measured, odds)
        return np.array([id(line) in left for _, line in measured], dtype=bool)

    return Part(
        kind, values, np.array(said, dtype=int), np.array(letters, dtype=int), ruled, total[1], total[0], doubted
    )


# ---- learning


def _learn(files: Sequence[File]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    values, truth, weight = [], [], []
    for file in files:
        for kind in ("whole", "one", "three", "bench"):
            for_kind = [part for part in file.parts if part.kind == kind and len(part.truth)]
            said = np.concatenate([part.truth for part in for_kind]) if for_kind else np.zeros(0)
            if not (said >= 0).any():
                continue
            rows = np.concatenate([part.values for part in for_kind])[said >= 0]
            letters = np.concatenate([part.letters for part in for_kind])[said >= 0]
            each = np.minimum(letters, 100) ** 0.5
            values.append(rows)
            truth.append(said[said >= 0])
            # A file counts with the root of its lines.
            weight.append(np.where(truth[-1] == 0, _TEXT, 1.0) * each / each.sum() * len(each) ** 0.5)
    model = HistGradientBoostingClassifier(
        max_iter=140, max_leaf_nodes=14, learning_rate=0.08, min_samples_leaf=25, l2_regularization=5.0,
        max_features=0.4, early_stopping=False, random_state=0,
    )  # fmt: skip
    weights = np.concatenate(weight)
    return model.fit(np.concatenate(values), np.concatenate(truth), sample_weight=weights / weights.mean())


def _judge(files: Sequence[File], benched: Sequence[File]) -> None:
    judged: list[tuple[File, Part, NDArray[Any]]] = []
    for fold in range(_FOLDS):
        model = _learn([*(file for file in files if _fold(file.source) != fold), *benched])
        judged += _asked(model, [file for file in files if _fold(file.source) == fold])
    judged += _asked(_learn(files), benched)
    for kind in ("whole", "three", "one", "bench"):
        these = [one for one in judged if one[1].kind == kind]
        if these:
            _report(kind, these)


def _asked(model: Any, files: Sequence[File]) -> Iterator[tuple[File, Part, NDArray[Any]]]:
    for file in files:
        for part in file.parts:
            if len(part.truth):
                yield file, part, model.decision_function(part.values)


def _report(kind: str, judged: Sequence[tuple[File, Part, NDArray[Any]]]) -> None:
    ruled = [part.ruled for _, part, _ in judged]
    odds = [odds for _, _, odds in judged]
    _line(kind, "rules", judged, ruled)
    sources = sorted({file.source for file, _, _ in judged}) if kind == "whole" else []
    for source in sources:
        _line(source[:24], "rules", [one for one in judged if one[0].source == source],
              [part.ruled for file, part, _ in judged if file.source == source])  # fmt: skip
    for least in (0.0, 1.0, 2.0, 3.0):
        _line(kind, f"learnt > {least}", judged, [one > least for one in odds])
    in_groups = [part.ruled & ~part.doubted(one) for (_, part, _), one in zip(judged, odds, strict=True)]
    _line(kind, "rules, in groups", judged, in_groups)
    for doubted in _DOUBTED:
        kept = [rule & (one > doubted) for rule, one in zip(ruled, odds, strict=True)]
        _line(kind, f"rules, > {doubted}", judged, kept)
        for certain in _CERTAIN if doubted == -1.0 else ():
            _line(kind, f"the same, or > {certain}", judged,
                  [one | (other > certain) for one, other in zip(kept, odds, strict=True)])  # fmt: skip


def _line(
    kind: str, how: str, judged: Sequence[tuple[File, Part, NDArray[Any]]], taken: Sequence[NDArray[Any]]
) -> None:
    right = wrong = 0
    losing = set()
    for (file, part, _), mine in zip(judged, taken, strict=True):
        right += int(part.letters[mine & (part.truth == 1)].sum())
        lost = int(part.letters[mine & (part.truth == 0)].sum())
        wrong += lost
        losing |= {file.name} if lost else set()
    whole = sum(part.furniture for _, part, _ in judged)
    text = sum(part.text for _, part, _ in judged)
    print(f"{kind:24} {how:20} leaks {1 - right / max(whole, 1):.3f}  lost {wrong / max(text, 1):.5f}"
          f"  P {right / max(right + wrong, 1):.4f}  files losing {len(losing)}")  # fmt: skip


def _fold(source: str) -> int:
    return fold_of(f"f{source}", _FOLDS)


if __name__ == "__main__":
    main()
