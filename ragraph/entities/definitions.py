"""Finds without a model what documents define themselves: acronyms, terms, glossaries, the entries of an index."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING

from ragraph.entities.acronyms import find_acronyms
from ragraph.entities.found import Found, FoundEntity, NodeText, Span
from ragraph.entities.spotting import Names
from ragraph.entities.terms import find_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

_GLOSSARY = re.compile(r"\b(?:glossary|abbreviations?|acronyms|nomenclature|definitions|terms and definitions)\b", re.I)
_ENTRY = re.compile(r"^\s*(?P<name>[^\s:=–—.;][^:=–—.;\n]{0,80}?)\s*(?:[:=–—]\s|\s-\s|\.\s)\s*(?P<text>\S.{3,})", re.S)
_INDEX_LINE = re.compile(
    r"^\s*(?P<name>[^\W\d_][^\n]{1,80}?)[,\s.]+(?:(?:see (?:also )?)?[ivxlc\d]+(?:[–-]\d+)?n?[,;\s]*)+$", re.M
)
_NOT_READ = ("PAGE_NUMBER", "FORMULA", "CODE")
_NO_DEFINITIONS = ("BIBLIOGRAPHIC_ENTRY", *_NOT_READ)


class Definitions:
    """Extractor of the entities that documents define themselves; it reads a complete document at once."""

    name = "definitions"
    version = "2"
    batch = 0

    def extract(self, nodes: Sequence[NodeText]) -> Found:
        """Return the entities that the document defines, with all their mentions."""
        made = _Made()
        for place, node in enumerate(nodes):
            if node.type not in _NO_DEFINITIONS:
                made.read(place, node)
        made.spot(nodes)
        return Found([entity for entity in made.entities if any(span.defines for span in entity.spans)])


def make(argument: str | None) -> Definitions:
    """Return the extractor; it takes no argument."""
    from ragraph.errors import ArgumentError

    if argument:
        raise ArgumentError(f"the extractor definitions takes no {argument!r}; name it alone")
    return Definitions()


class _Made:
    """Entities by kind and name, and for each short form the places that define it."""

    def __init__(self) -> None:
        self.entities: list[FoundEntity] = []
        self._known: dict[tuple[str, str], int] = {}
        self._defined: dict[str, list[tuple[tuple[int, int], int]]] = defaultdict(list)
        self._exact: dict[str, list[int]] = defaultdict(list)
        self._loose: dict[str, list[int]] = defaultdict(list)

    def read(self, place: int, node: NodeText) -> None:
        """Add the definitions in a node."""
        taken: set[int] = set()
        text = node.content
        for term in find_terms(text):
            number = self._entity("term", term.name, shared=False)
            end = term.start + len(term.name)
            if " ".join(text[term.start : end].split()) != term.name:  # it contains line feeds
                end = re.compile(r"\s+".join(map(re.escape, term.name.split()))).match(text, term.start).end()  # type: ignore[union-attr]
            self._defines(number, node, term.start, end)
            self._exact[term.name].append(number)
            self._defined[term.name].append(((place, term.start), number))
            taken.add(term.start)
        for found in find_acronyms(text):
            if found.short_start in taken:
                entity = self.entities[self._known["term", found.short]]
                if (long := " ".join(found.long.split())) not in entity.aliases:
                    entity.aliases.append(long)
                continue
            long = " ".join(found.long.split())
            number = self._entity("acronym", long)
            if found.short not in self.entities[number].aliases:
                self.entities[number].aliases.append(found.short)
            self._defines(number, node, found.short_start, found.short_start + len(found.short))
            self._defines(number, node, found.long_start, found.long_start + len(found.long))
            self._exact[found.short].append(number)
            self._defined[found.short].append(((place, min(found.short_start, found.long_start)), number))
            self._loose[long].append(number)
        if any(kind == "INDEX" for kind in node.components):
            self._index(place, node)
        elif node.sections and _GLOSSARY.search(node.sections[-1]) and node.type in ("LIST_ITEM", "PARAGRAPH"):
            self._glossary(node)

    def _entity(self, kind: str, name: str, *, shared: bool = True) -> int:
        key = (kind, name if kind == "term" else name.casefold())
        if key not in self._known:
            self._known[key] = len(self.entities)
            self.entities.append(FoundEntity(kind, name, shared=shared))
        return self._known[key]

    def _defines(self, number: int, node: NodeText, start: int, end: int) -> None:
        self.entities[number].spans.append(Span(node.id, start, end, defines=True))

    def _glossary(self, node: NodeText) -> None:
        match = _ENTRY.match(node.content)
        if match is None or len(match["name"].split()) > 6 or ("acronym", match["name"].casefold()) in self._known:
            return
        if match["name"] in self._exact:  # an acronym or a term
            return
        number = self._entity("glossary", match["name"])
        self._defines(number, node, *match.span("name"))
        self._loose[match["name"]].append(number)

    def _index(self, place: int, node: NodeText) -> None:
        for match in _INDEX_LINE.finditer(node.content):
            name = match["name"].strip(" ,.")
            if len(name) < 3 or len(name.split()) > 8:
                continue
            number = self._entity("index", name)
            self._defines(number, node, match.start("name"), match.start("name") + len(name))
            self._loose[name].append(number)

    def spot(self, nodes: Sequence[NodeText]) -> None:
        """Add the mentions of defined entities; a short form refers to its last definition before."""
        names = Names()
        meant: list[tuple[str, list[int], bool]] = []
        for exact, group in ((True, self._exact), (False, self._loose)):
            for name, numbers in group.items():
                names.add(name, len(meant), exact=exact)
                meant.append((name, sorted(set(numbers)), exact))
        names.ready()
        for place, node in enumerate(nodes):
            if node.type in _NOT_READ:
                continue
            seen: set[tuple[int, int]] = set()
            for spotted in names.spot(node.content):
                name, numbers, exact = meant[spotted.value]
                number = numbers[0]
                if exact and len(numbers) > 1:
                    defined = sorted(self._defined[name])
                    before = bisect_right(defined, ((place, spotted.start), len(self.entities)))
                    number = defined[max(before - 1, 0)][1]
                if (spotted.start, number) not in seen:
                    seen.add((spotted.start, number))
                    self.entities[number].spans.append(Span(node.id, spotted.start, spotted.end))
