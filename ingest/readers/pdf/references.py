"""References in the text: "Figure 3", "Section 4.2", "[22]", "(Smith, 2020)", found in finished texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.pdf.layout import Kind
from ragraph.schema.enums import RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FAMILIES = {
    "fig": "figure", "figure": "figure", "figures": "figure", "figs": "figure", "abbildung": "figure", "abb": "figure",
    "table": "table", "tables": "table", "tab": "table", "tabelle": "table", "cuadro": "table", "tableau": "table",
    "box": "box", "boxes": "box", "exhibit": "exhibit", "exhibits": "exhibit", "chart": "chart", "map": "map",
    "section": "section", "sections": "section", "sec": "section", "secs": "section", "§": "section", "§§": "section",
    "abschnitt": "section", "chapter": "chapter", "chapters": "chapter", "chap": "chapter", "ch": "chapter",
    "kapitel": "chapter", "appendix": "appendix", "appendices": "appendix", "annex": "annex", "part": "part",
    "article": "article", "articles": "article", "schedule": "schedule",
}  # fmt: skip
_NUMBER = (
    r"(?:[A-Z]{1,2}[.-]?)?\d+(?:[.–-]\d+)*[a-z]?|[IVXLC]{1,6}(?:\.[A-Z])?(?:\.\d{1,2})*(?:\.[a-z])?"
    r"|[A-Z](?:\.\d{1,2})*(?:\.[a-z])?"
)
_PRONOUN = re.compile(r"\s+(?:[a-z]|$)")
_REFERENCE = re.compile(
    rf"(?<![\w-])(?P<word>{'|'.join(sorted(map(re.escape, _FAMILIES), key=len, reverse=True))})\.?\s?"
    rf"(?P<numbers>(?:{_NUMBER})(?![\w])(?:\([a-z]\))?(?:\s?(?:,|and|or|&|to|–|,\s?and|through)\s?"
    rf"(?:{_NUMBER})(?![\w]))*)",
    re.I,
)
_ONE = re.compile(rf"(?:{_NUMBER})(?!\w)")
_TARGET = re.compile(rf"^\W?(?:\w+\s+)?(?P<word>[^\W\d]+)\.?\s*(?P<number>{_NUMBER})(?!\w)")
_HEADING_NUMBER = re.compile(r"^(?P<number>(?:[A-Z]\.)?\d+(?:\.\d+)*|[IVXLC]+|[A-Z](?:\.\d+)*)[.:)]?\s")
_BRACKETED = re.compile(r"\[(?P<inside>[^\[\]]{1,80})\]")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?")
_AUTHOR_YEAR = re.compile(
    r"(?P<name>[A-Z][^\W\d_]+(?:[-'’][A-Z]?[^\W\d_]+)*)(?P<more>(?:\s+et\s+al\.?|\s+(?:and|&)\s+[A-Z][\w'’-]+"
    r"|(?:,\s+[A-Z][\w'’-]+)+,?\s+(?:and|&)\s+[A-Z][\w'’-]+)?),?\s+\(?(?P<year>(?:1[5-9]|20)\d\d[a-z]?)(?!\d)"
)
_SOURCES = {Kind.TEXT, Kind.LIST_ITEM, Kind.NOTE, Kind.CAPTION, Kind.SIDE}


class Target(NamedTuple):
    """A node that can be referred to: its key, kind, text and marker, and the level of a heading."""

    key: str
    kind: Kind
    text: str
    marker: str | None
    level: int | None = None


class Found(NamedTuple):
    """A reference: source key, type, target key, the words as printed and their place in the text."""

    source: str
    type: RelationType
    target: str
    marker: str
    start: int


def find_references(targets: list[Target], instead: dict[str, str]) -> Iterator[Found]:
    """Yield the references whose target is in the document.

    Args:
        targets: the nodes in reading order.
        instead: key of a caption to the key of the table or figure that it describes.
    """
    labels = _labels(targets, instead)
    by_marker, by_author = _entries(targets)
    for source in targets:
        if source.kind not in _SOURCES:
            continue
        yield from _to_labels(source, labels)
        if by_marker:
            yield from _to_markers(source, by_marker)
        if by_author:
            yield from _to_authors(source, by_author)


def _labels(targets: Iterable[Target], instead: dict[str, str]) -> dict[tuple[str, str], str]:
    """Return what captions and headings are called: ("figure", "3"), ("section", "4.2")."""
    labels: dict[tuple[str, str], str] = {}
    above: list[tuple[int, str]] = []
    for target in targets:
        if target.kind is Kind.CAPTION:
            match = _TARGET.match(target.text)
            family = _FAMILIES.get(match["word"].lower()) if match else None
            if match and family:
                labels.setdefault((family, _plain(match["number"])), instead.get(target.key, target.key))
        elif target.kind is Kind.HEADING:
            named = _TARGET.match(target.text)
            family = _FAMILIES.get(named["word"].lower()) if named else None
            if named and family:
                labels.setdefault((family, _plain(named["number"])), target.key)
                continue
            match = _HEADING_NUMBER.match(target.text)
            above = [item for item in above if item[0] < (target.level or 1)]
            if match:
                above.append((target.level or 1, _plain(match["number"])))
                if "." not in match["number"]:
                    # "A." under "II." is Section II.A, and a plain "A" only where nothing stands above it.
                    path = ".".join(number for _, number in above)
                    labels.setdefault(("section", path), target.key)
                    if len(above) > 1:
                        continue
                families = ("section", "chapter") if "." not in match["number"] else ("section", "appendix")
                for name in families:
                    labels.setdefault((name, _plain(match["number"])), target.key)
    return labels


def _plain(number: str) -> str:
    return number.replace("–", "-").rstrip(".").lower()


def _to_labels(source: Target, labels: dict[tuple[str, str], str]) -> Iterator[Found]:
    for match in _REFERENCE.finditer(source.text):
        family = _FAMILIES[match["word"].lower()]
        if source.kind is Kind.CAPTION and match.start() < 3:
            continue
        for index, one in enumerate(_ONE.finditer(match["numbers"])):
            target = labels.get((family, _plain(one.group())))
            end = match.start("numbers") + one.end()
            if target is None or target == source.key:
                continue
            if one.group() == "I" and _PRONOUN.match(source.text, end):
                continue
            if match["word"].startswith("§") and "." not in one.group():
                continue  # sections of laws, as a rule
            start = match.start() if index == 0 else match.start("numbers") + one.start()
            yield Found(source.key, RelationType.CROSS_REFERENCES, target, source.text[start:end], start)


def _entries(targets: Iterable[Target]) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """Return bibliography entries by their label, and by first author and year."""
    by_marker: dict[str, str] = {}
    by_author: dict[tuple[str, str], str] = {}
    for target in targets:
        if target.kind is not Kind.ENTRY:
            continue
        if target.marker:
            by_marker.setdefault(_key(target.marker), target.key)
        name = re.match(r"\W*([^\W\d_]+(?:[-'’][^\W\d_]+)*)", target.text)
        year = _YEAR.search(target.text)
        if name and year:
            by_author.setdefault((name[1].lower(), year.group()), target.key)
    return by_marker, by_author


def _key(label: str) -> str:
    return re.sub(r"\s+", " ", label.strip("[]().,: ")).lower()


def _to_markers(source: Target, entries: dict[str, str]) -> Iterator[Found]:
    """Yield citations in brackets: "[22]", "[3, 5-7]", "[SP800-63]"."""
    for match in _BRACKETED.finditer(source.text):
        inside, offset = match["inside"], match.start("inside")
        whole = entries.get(_key(inside))
        if whole is not None:
            yield Found(source.key, RelationType.REFERENCES_CITATION, whole, match.group(), match.start())
            continue
        for part in re.finditer(r"[^,;]+", inside):
            text = part.group().strip()
            start = offset + part.start() + len(part.group()) - len(part.group().lstrip())
            series = re.fullmatch(r"(\d{1,3})\s?[-–]\s?(\d{1,3})", text)
            names = [text] if series is None else [str(n) for n in range(int(series[1]), int(series[2]) + 1)][:40]
            for name in names:
                target = entries.get(_key(name))
                if target is not None:
                    yield Found(source.key, RelationType.REFERENCES_CITATION, target, text, start)


def _to_authors(source: Target, entries: dict[tuple[str, str], str]) -> Iterator[Found]:
    """Yield citations by author and year: "Smith et al. (2020)", "(Smith, 2020)"."""
    for match in _AUTHOR_YEAR.finditer(source.text):
        target = entries.get((match["name"].lower(), match["year"]))
        if target is None and match["year"][-1].isalpha():
            target = entries.get((match["name"].lower(), match["year"][:-1]))
        if target is not None and target != source.key:
            end = match.end() + (source.text[match.end() : match.end() + 1] == ")" and "(" in match.group())
            marker = source.text[match.start() : end]
            yield Found(source.key, RelationType.REFERENCES_CITATION, target, marker, match.start())
