"""The truth of a page, and the distance of a reading from it."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import html

from ragraph.ingest.readers.html.links import INLINE

if TYPE_CHECKING:
    from pathlib import Path

    from bench.web.readers import Reading

_WORD = re.compile(r"\w+")
_HEADINGS = "descendant-or-self::*[self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6]"
_SILENT = ("script", "style", "noscript", "template", "head", "svg", "select", "textarea", "math", "iframe", "object")


class Truth(NamedTuple):
    """Headings with levels in order, and the words that must and that may be there.

    Every element separates words; ``runs`` are words that a line shows as one, as in scripts without spaces.
    """

    headings: list[tuple[int, str]]
    words: Counter[str]
    may: Counter[str]
    aside: set[str]
    runs: frozenset[str] = frozenset()


class Score(NamedTuple):
    """Counts of one page.

    ``level`` counts headings found with the level of the truth, after shifting all of them by the same number.
    """

    found: int
    level: int
    stated: int
    true: int
    leaked: int
    words: int
    lost: int
    main: int


def truth(path: Path, labels: dict[str, Any]) -> Truth:
    """Return the truth of a page: its text is what the labels select in it, its headings are those labelled."""
    raw = path.read_bytes()
    encoding = labels.get("encoding", "utf-8")
    root: Any = html.fromstring(raw.decode(encoding, "replace").encode(), parser=html.HTMLParser(encoding="utf-8"))
    for element in list(root.iter(*_SILENT)):
        element.drop_tree()
    for element in root.xpath("//*[@hidden]|//comment()"):
        if element.getparent() is not None:
            element.drop_tree()
    for path_ in labels["drop"]:
        for element in root.xpath(path_):
            if element.getparent() is not None:
                element.drop_tree()
    may: Counter[str] = Counter()
    aside: set[str] = set()
    for path_ in labels["neutral"]:
        for element in root.xpath(path_):
            if element.getparent() is not None:
                may += _words(element)
                aside.update(letters(one.text_content()) for one in element.xpath(_HEADINGS))
                element.drop_tree()
    main: Counter[str] = Counter()
    runs: set[str] = set()
    for path_ in labels["main"]:
        for element in root.xpath(path_):
            main += _words(element)
            runs.update(_WORD.findall(_line(element).casefold().replace("\xad", "")))
            for image in element.iter("img"):
                may += Counter(_WORD.findall((image.get("alt") or "").casefold()))
    return Truth(
        [(level, title) for level, title in labels["headings"]], main, main + may, aside, frozenset(runs - set(main))
    )


def _words(element: Any) -> Counter[str]:
    return Counter(_WORD.findall(" ".join(map(str, element.itertext())).casefold().replace("\xad", "")))


def _line(element: Any) -> str:
    """Return the text of an element, with spaces only around elements that are not inline."""
    gap = "" if element.tag in INLINE else " "
    inner = "".join(_line(child) + (child.tail or "") for child in element)
    return f"{gap}{element.text or ''}{inner}{gap}"


def letters(text: str) -> str:
    """Return the letters by which titles are compared."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def score(reading: Reading, true: Truth) -> Score:
    """Compare headings in order, and words as bags, whatever their joints: runs of letters are split alike."""
    stated = [letters(title) for _, title in true.headings]
    headings = [one for one in reading.headings if letters(one[1]) in stated or letters(one[1]) not in true.aside]
    ours = [letters(title) for _, title in headings]
    pairs = [
        (headings[block.a + number][0], true.headings[block.b + number][0])
        for block in SequenceMatcher(None, ours, stated, autojunk=False).get_matching_blocks()
        for number in range(block.size)
    ]
    shift = Counter(mine - right for mine, right in pairs).most_common(1)
    level = shift[0][1] if shift else 0
    read = Counter(_WORD.findall(reading.text.casefold().replace("\xad", "")))
    lost = _unlike(true.words - read, read - true.words)
    other = Counter({word: count for word, count in (read - true.may).items() if word not in true.runs})
    leaked = _unlike(other, true.may - read)
    size, main = _size(read), _size(true.words)
    return Score(len(pairs), level, len(ours), len(stated), leaked, size, lost, main)


def _unlike(words: Counter[str], others: Counter[str]) -> int:
    """Return the letters of missing words, except those that are only split differently elsewhere."""
    joined = "\n".join(others.elements())
    return sum(len(word) * count for word, count in words.items() if len(word) < 3 or word not in joined)


def _size(words: Counter[str]) -> int:
    return sum(len(word) * count for word, count in words.items())
