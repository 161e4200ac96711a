"""References in the words of a text, for every format: "[22]", "(Smith, 2020)", "Figure 3", "Section 4.2".

They are found in the nodes of a draft and become relations only if their target is in the document. References that
the reader states are not added twice. Markers stay in the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.draft import DraftRelation
from ragraph.ingest.structure.citations import Entries, by_author, by_label, plain_label
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ragraph.ingest.draft import DraftNode

N, R = ContentNodeType, RelationType

_FAMILIES = {
    "figure": "fig figs figure figures abbildung abbildungen abb figura figuras bild afbeelding figuur figuren "
    "illustrazione ilustração ilustración rysunek rysunku rysunki rysunkach rys рисунок рисунке "
    "рисунка рисунки рис الشكل شكل والشكل بالشكل איור באיור תרשים בתרשים",
    "table": "table tables tab tabelle tabellen cuadro cuadros tableau tableaux tabla tablas tabela tabelas "
    "tabel tabella tabeli tabele tabelach quadro quadri таблица таблице таблицы таблицу табл الجدول "
    "جدول والجدول بالجدول טבלה בטבלה לוח",
    "box": "box boxes encadré recuadro kasten riquadro kader ramka",
    "equation": "equation equations eq eqs eqn eqns gleichung gleichungen équation ecuación equazione equazioni "
    "equação equações ecuaciones vergelijking vergelijkingen równanie równaniu równania wzór wzorze "
    "уравнение уравнении уравнения формула формуле المعادلة معادلة משוואה במשוואה",
    "exhibit": "exhibit exhibits",
    "chart": "chart charts",
    "map": "map maps",
    "plate": "plate plates",
    "scheme": "scheme schemes",
    "algorithm": "algorithm algorithms",
    "listing": "listing listings",
    "section": "section sections sec secs sect § §§ abschnitt abschnitte sección secciones seção paragraaf "
    "abschnitts sezione sezioni seções secção secções apartado paragrafo paragrafi sectie paragrafen "
    "sekcja sekcji podrozdział podrozdziale podrozdziału раздел разделе раздела разд параграф "
    "параграфе القسم قسم סעיף בסעיף",
    "chapter": "chapter chapters chap chaps ch kapitel chapitre chapitres capítulo capítulos hoofdstuk kapiteln "
    "kapitels capitolo capitoli cap hoofdstukken rozdział rozdziale rozdziału rozdz глава главе "
    "главы гл الفصل فصل פרק בפרק",
    "appendix": "appendix appendices annex annexes app anhang annexe anexo anexos bijlage anhänge anlage "
    "appendice allegato allegati apéndice apêndice bijlagen dodatek dodatku załącznik załączniku "
    "приложение приложении приложения الملحق ملحق נספח בנספח",
    "part": "part parts teil partie parte parti teile deel część części часть части الجزء חלק",
    "article": "article articles artikel artículo articolo articoli artículos artigo artigos artikelen art "
    "artykuł artykułu статья статье статьи ст المادة",
    "schedule": "schedule schedules",
    "clause": "clause clauses",
    "attachment": "attachment attachments",
    "theorem": "theorem theorems satz théorème teorema twierdzenie теорема теореме",
    "lemma": "lemma lemmas",
    "definition": "definition definitions definición definizione definição definicja определение",
    "proposition": "proposition propositions",
}
_FAMILY = {word: family for family, words in _FAMILIES.items() for word in words.split()}
_HEBREW_BEFORE = frozenset("ובלמכשה")
_ARABIC_BEFORE = frozenset("بكل")
"""And, in, of, as, that: Hebrew and Arabic write them without a space before the word."""
_WORD = "|".join(sorted(map(re.escape, _FAMILY), key=len, reverse=True))
_NUMBER = (
    r"(?:[A-Z]{1,2}[.-]?)?\d+(?:[.–-]\d+)*[a-z]?|[IVXLC]{1,6}(?:\.[A-Z])?(?:\.\d{1,2})*(?:\.[a-z])?"
    r"|[A-Z](?:\.\d{1,2})*(?:\.[a-z])?"
)
_NEXT = r"\s?(?:,\s?(?:and|und|or|&)|,|and|or|&|to|–|-|und|et|y|through|bis)\s?"
# The longest possible word, or one up to a capital within it ("FigureA"). Written so that most words fail at once.
_NAMED = re.compile(
    r"(?<![\w-])(?P<word>[^\W\d_]{1,12}+(?=\.?\s?\(?[A-Z0-9])"
    r"|(?=[^\W\d_][^\W\d_A-Z]*+[A-Z])[^\W\d_]{1,12}(?=[A-Z])|§§?)\.?\s?(?=\(?[A-Z0-9])"
)
_NUMBERS = re.compile(rf"\(?(?:{_NUMBER})(?!\w)(?:\([a-z]\)|\))?(?:{_NEXT}\(?(?:{_NUMBER})(?!\w)\)?)*")
_ONE = re.compile(rf"(?:{_NUMBER})(?!\w)")
# "见图3", "第 4.2 节", "図 2 を参照", "그림 5와", "3.1절": no space separates these words from their neighbours.
_HAN_WORDS = {
    "figure": "图 圖 図 그림", "table": "表 표", "equation": "式 식", "appendix": "附录 附錄 付録 부록",
    "section": "节 節 절", "chapter": "章 장", "article": "条 條 조",
}  # fmt: skip
_HAN_FAMILY = {word: family for family, words in _HAN_WORDS.items() for word in words.split()}
_HAN_NUMBER = r"[A-Z]?\d+(?:[.-]\d+)*|[A-Z](?:\.\d+)*"
_HAN = re.compile(
    rf"(?P<word>[图圖図]|(?<!代)表|式(?=\s?[(（])|(?<![가-힣])(?:그림|표|식|부록)|附[录錄]|付録)\s?[(（]?(?P<number>{_HAN_NUMBER})(?![A-Za-z0-9%％])"
    r"|第\s?(?P<ordinal>\d+(?:\.\d+)*|[〇零一二三四五六七八九十]{1,3})\s?(?P<unit>[章节節条條])|제\s?(?P<after>\d+)\s?(?P<of>[장절조])"
    r"|(?<![\d.])(?P<dotted>\d+(?:\.\d+)+)\s?(?P<part>[节節절])"
)
_HAN_DIGITS = {sign: value for value, signs in enumerate(("〇零", *"一二三四五六七八九")) for sign in signs}
_RANGE = re.compile(r"([A-Z]?[.-]?)(\d{1,3})[–-](?:\1)?(\d{1,3})")
_TARGET = re.compile(rf"^\W?(?:(?!(?i:{_WORD})\b)\w+\s+)?(?P<word>[^\W\d]+|§)\.?\s*(?P<number>{_NUMBER})(?!\w)")
_HEADING_NUMBER = re.compile(r"^(?P<number>(?:[A-Z]\.)?\d+(?:\.\d+)*|[IVXLC]+|[A-Z](?:\.\d+)*)[.:)]?\s")
_EQUATION_NUMBER = re.compile(r"\((?P<number>(?:[A-Z]\.?)?\d+(?:[.-]\d+)*[a-z]?)\)\s*\W?$")
_PRONOUN = re.compile(r"\s+(?:[a-z]|$)")
# "Section 4 of the Data Act", "18 U.S.C. § 1512", "Section 3 of [12]": these are sections of other texts.
_ELSEWHERE = re.compile(
    r"\s*(?:\([\w]{1,3}\))*\s+of\s+(?:the\s+)?(?:\[|(?:[A-Z][\w.’'-]*\s+(?:(?:of|for|on|and|to)\s+(?:the\s+)?)?){0,7}"
    r"(?:Act|Code|Directive|Regulations?|Constitution|Law|Treaty|Convention|Statute|Rules?|Ordinance|Bill|Charter"
    r"|Covenant|TFEU|TEU|GDPR|RFC)\b)"
)
_CODE_BEFORE = re.compile(r"(?:U\.?\s?S\.?\s?C\.?|C\.?\s?F\.?\s?R\.?|Stat\.|Act|Code|Law|RFC\s\d+|\d)[,;]?\s*$")
_SOURCES = {N.PARAGRAPH, N.LIST_ITEM, N.NOTE, N.CAPTION, N.BLOCK_QUOTATION, N.STANZA}
_HEADINGS = {N.HEADING, N.SUBHEADING}
_CALLED = {N.CAPTION, N.FORMULA, *_HEADINGS}
"""Types of nodes that may have a label."""


def _family_of(word: str) -> str | None:
    """Return the family that a word names, also if it has a Hebrew or Arabic prefix without a space."""
    if (family := _FAMILY.get(word.lower())) is not None:
        return family
    if word.isascii():
        return None
    for bare in _bare(word):
        if (family := _FAMILY.get(bare)) is not None:
            return family
    return None


def _bare(word: str) -> Iterator[str]:
    """Yield a word without such prefixes, the shortest ones first: the word may begin with the same letters."""
    for end in range(1, 4):
        if set(word[:end]) <= _HEBREW_BEFORE:
            yield word[end:]
    for rest in dict.fromkeys((word, word.lstrip("وف"))):
        yield rest
        if rest.startswith("لل"):  # of the ...
            yield from (rest[2:], f"ال{rest[2:]}")
        if rest[:1] in _ARABIC_BEFORE:
            yield rest[1:]


class _Place(NamedTuple):
    """The position of a node: its chapter, and the number of nodes before it."""

    chapter: int
    order: int


class _Labelled(NamedTuple):
    """A node with a label, and its position."""

    key: str
    place: _Place


class _Found(NamedTuple):
    """A reference: type, target key (None if the database has to choose), words as printed, their offset."""

    type: RelationType
    target: str | None
    marker: str
    start: int


def text_references(
    nodes: Sequence[DraftNode], stated: Sequence[DraftRelation], furniture: Collection[str] = ()
) -> Iterator[DraftRelation]:
    """Yield the references in words that the reader has not stated.

    Args:
        nodes: nodes of a draft, in reading order, with entries and notes typed as such.
        stated: relations of the reader. They identify captions, and the references that are skipped.
        furniture: keys of the containers of page headers and footers, whose text refers to nothing.
    """
    known = _Known(nodes, stated)
    labels = _labels(nodes, known)
    entries = Entries()
    for node in nodes:
        if node.type is N.BIBLIOGRAPHIC_ENTRY:
            entries.add(node.key, node.marker, node.text)
    notes = _bracketed_notes(nodes, stated) if not entries.by_label else {}
    for node in nodes:
        if node.type not in _SOURCES or node.container in furniture:
            continue
        found = [*_to_labels(node, labels, known.places[node.key])]
        if entries.by_label:
            found += [_Found(R.REFERENCES_CITATION, *each) for each in by_label(node.text, entries)]
        if entries.by_year:
            found += [_Found(R.REFERENCES_CITATION, *each) for each in by_author(node.text, entries)]
        found += _to_notes(node, notes)
        for each in found:
            if each.target != node.key and not known.covers(node.key, each):
                yield DraftRelation(
                    source=node.key, type=each.type, target=each.target, marker=each.marker, marker_start=each.start
                )


class _Known:
    """Captions, offsets and targets of references that the reader states; also the chapter of each node."""

    def __init__(self, nodes: Sequence[DraftNode], stated: Sequence[DraftRelation]) -> None:
        anchors = {anchor: node.key for node in reversed(nodes) for anchor in node.anchors}
        self.described: dict[str, str] = {}
        self._spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._targets: dict[str, set[str]] = defaultdict(set)
        self._unplaced: dict[str, set[str]] = defaultdict(set)
        for relation in stated:
            target = relation.target or anchors.get((relation.anchor or "").lstrip("#"))
            if relation.type is R.IS_CAPTIONED_BY and target:
                self.described.setdefault(target, relation.source)
        for relation in stated:
            if relation.type in {R.IS_CAPTIONED_BY, R.CONTINUES}:
                continue
            target = relation.target or anchors.get((relation.anchor or "").lstrip("#"))
            if relation.marker and relation.marker_start is not None:
                self._spans[relation.source].append(
                    (relation.marker_start, relation.marker_start + len(relation.marker))
                )
            else:
                if target:
                    self._targets[relation.source].add(self.described.get(target, target))
                if relation.marker:
                    self._unplaced[relation.source].add(plain_label(relation.marker))
        self.places = _places(nodes)

    def covers(self, source: str, found: _Found) -> bool:
        """Return True if the reader has stated a reference."""
        end = found.start + len(found.marker)
        return (
            found.target in self._targets[source]
            or plain_label(found.marker) in self._unplaced[source]
            or any(start < end and found.start < stop for start, stop in self._spans[source])
        )


def _places(nodes: Sequence[DraftNode]) -> dict[str, _Place]:
    """Return the position of each node; the highest headings begin chapters."""
    highest = min((node.level or 1 for node in nodes if node.type in _HEADINGS), default=1)
    places: dict[str, _Place] = {}
    chapter = 0
    for index, node in enumerate(nodes):
        chapter += node.type in _HEADINGS and (node.level or 1) == highest
        places[node.key] = _Place(chapter, index)
    return places


def _labels(nodes: Iterable[DraftNode], known: _Known) -> dict[tuple[str, str], list[_Labelled]]:
    """Return the labels of captions, formulas and headings: ("figure", "3"), ("section", "4.2")."""
    labels: dict[tuple[str, str], list[_Labelled]] = defaultdict(list)
    above: list[tuple[int, str]] = []

    def add(family: str, number: str, node: DraftNode, key: str | None = None) -> None:
        found = _Labelled(key or node.key, known.places[node.key])
        name = (family, _plain(number))
        # a table continued on the next page repeats its caption
        again = any(other.key == found.key for other in labels[name]) or (
            labels[name] and re.search(r"\bcontinued\b|\bcont['’.]|\bfortsetzung\b|\bsuite\b", node.text[:80], re.I)
        )
        if not again:
            labels[name].append(found)

    for node in nodes:
        if node.type not in _CALLED:
            continue
        named = _TARGET.match(node.text[:80])
        family = _family_of(named["word"]) if named else None
        written = next(_han(node.text[:80]), None)
        if written and written[2] <= 1 and node.type is not N.FORMULA:
            add(written[0], written[1], node, known.described.get(node.key) if node.type is N.CAPTION else None)
            continue
        if node.type is N.CAPTION:
            if named and family:
                add(family, named["number"], node, known.described.get(node.key))
        elif node.type is N.FORMULA:
            match = _EQUATION_NUMBER.search(node.marker or node.text)
            if match:
                add("equation", match["number"], node)
        else:
            if named and family:
                add(family, named["number"], node)
                continue
            numbered = _HEADING_NUMBER.match(node.text)
            above = [item for item in above if item[0] < (node.level or 1)]
            if numbered:
                number = numbered["number"]
                above.append((node.level or 1, _plain(number)))
                if "." not in number and len(above) > 1:
                    # "A." under "II." is Section II.A; "A" alone may be any of them
                    add("section", ".".join(each for _, each in above), node)
                    continue
                for name in ("section", "chapter") if "." not in number else ("section", "appendix"):
                    add(name, number, node)
    return labels


def _han(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield family, number, start and end of numbered names in Chinese, Japanese and Korean."""
    if text.isascii():  # three times faster than a search for these words
        return
    for found in _HAN.finditer(text):
        word = found["word"] or found["unit"] or found["of"] or found["part"]
        number = found["number"] or found["ordinal"] or found["after"] or found["dotted"]
        yield _HAN_FAMILY[word], _digits(number), found.start(), found.end()


def _digits(number: str) -> str:
    """Return a number below 100 in digits if it is written as 二十三, else unchanged."""
    if not set(number) <= {*_HAN_DIGITS, "十"}:
        return number
    tens, ten, ones = number.rpartition("十")
    return str((_HAN_DIGITS.get(tens, 1) * 10 if ten else 0) + _HAN_DIGITS.get(ones, 0))


def _plain(number: str) -> str:
    return number.replace("–", "-").rstrip(".").lower()


def _to_labels(source: DraftNode, labels: dict[tuple[str, str], list[_Labelled]], place: _Place) -> Iterator[_Found]:
    text = source.text if labels else ""  # nothing to refer to
    for called, number, begin, end in _han(text):
        if source.type is not N.CAPTION or begin > 1:
            for target in _targets(called, number, labels, place):
                yield _Found(R.CROSS_REFERENCES, target, text[begin:end], begin)
    for named in _NAMED.finditer(text):
        family = _family_of(named["word"])
        match = _NUMBERS.match(text, named.end()) if family else None
        if family is None or match is None or (source.type is N.CAPTION and named.start() < 3):
            continue
        if _is_elsewhere(text, named.start(), match.end(), family):
            continue
        for index, one in enumerate(_ONE.finditer(match.group())):
            begin, end = match.start() + one.start(), match.start() + one.end()
            if one.group() == "I" and _PRONOUN.match(text, end):
                continue
            if named["word"].startswith("§") and "." not in one.group():
                continue  # usually sections of laws
            start = begin if index else named.start()
            closes = index == 0 and match.group()[0] == "(" and text[end : end + 1] == ")"
            for target in _targets(family, one.group(), labels, place):
                yield _Found(R.CROSS_REFERENCES, target, text[start : end + closes], start)


def _is_elsewhere(text: str, start: int, end: int, family: str) -> bool:
    """Return True if the section or article of another text is meant."""
    if family not in {"section", "article", "chapter", "part", "schedule", "clause", "appendix"}:
        return False
    return bool(_ELSEWHERE.match(text, end) or _CODE_BEFORE.search(text[max(start - 14, 0) : start]))


def _targets(family: str, number: str, labels: dict[tuple[str, str], list[_Labelled]], place: _Place) -> Iterator[str]:
    """Yield the targets of a number: one node, those of a range ("2–4"), or "3" if there is no "3a"."""
    plain = _plain(number)
    names = [plain] if (family, plain) in labels else []
    series = _RANGE.fullmatch(number) if not names else None
    if series and int(series[2]) < int(series[3]) <= int(series[2]) + 20:
        names = [f"{series[1].lower()}{each}" for each in range(int(series[2]), int(series[3]) + 1)]
    elif not names and plain[-1:].isalpha() and plain[:-1]:
        names = [plain[:-1].rstrip(".-")]
    for name in names:
        found = labels.get((family, name), [])
        near = [each for each in found if each.place.chapter == place.chapter] if len(found) > 1 else found
        if len(near) > 1:
            # numbers that start again in each chapter: take the node that is by far the nearest
            near.sort(key=lambda each: abs(each.place.order - place.order))
            first, second = (abs(each.place.order - place.order) for each in near[:2])
            near = near[:1] if 2 * first < second else []
        if near:
            yield near[0].key


def _bracketed_notes(nodes: Sequence[DraftNode], stated: Sequence[DraftRelation]) -> dict[str, list[DraftNode]]:
    """Return the notes for which the reader has found no reference, by their markers."""
    anchors = {anchor: node.key for node in nodes for anchor in node.anchors}
    bound = {relation.target or anchors.get((relation.anchor or "").lstrip("#"), "") for relation in stated}
    notes: dict[str, list[DraftNode]] = defaultdict(list)
    if any(relation.type is R.REFERENCES_NOTE and not relation.target for relation in stated):
        return notes  # the reader knows marks; the database finds the note of each
    for node in nodes:
        if node.type is N.NOTE and node.marker and node.key not in bound and plain_label(node.marker):
            notes[plain_label(node.marker)].append(node)
    return notes


def _to_notes(source: DraftNode, notes: dict[str, list[DraftNode]]) -> Iterator[_Found]:
    """Yield marks of notes in brackets, "[3]". The database finds by position which note of that number is meant."""
    for match in re.finditer(r"\[(\d{1,4}|[*†‡§]{1,3})\](?!\()", source.text) if notes else ():
        own = source.type is N.NOTE and match.start() == 0
        if not own and any(_may_mean(source, note) for note in notes.get(plain_label(match[1]), ())):
            yield _Found(R.REFERENCES_NOTE, None, match.group(), match.start())


def _may_mean(source: DraftNode, note: DraftNode) -> bool:
    """Return False if the note ends on a page before the source: it is a footnote of that page."""
    first = min((place.page_pdf for place in source.positions), default=None)
    last = max((place.page_pdf for place in note.positions), default=None)
    return first is None or last is None or last >= first
