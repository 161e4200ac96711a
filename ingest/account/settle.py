"""Settle the words of a source against those of a draft."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragraph.ingest.account.words import RIGHT_TO_LEFT, Piece, letters_of, normal, squeezed, tex_signs, words
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.ingest.draft import Draft

_FURNITURE = (ComponentType.HEADER, ComponentType.FOOTER)
_MOST_WORDS = 1000
"""Words that are joined or parted differently, each of which is looked for in all letters; the rest counts as lost.
A millisecond each in a book of a million letters."""

_ACCENT = re.compile("[´`¨ˆ˜¸ˇ˚˘˙˝¯\u0300-\u036f]")
_SIGN = re.compile("[\u2022\u2190-\u21ff\u2500-\u27bf]")

_SHEETS = ("xlsx", "ods", "csv")
"""Readers of cells, which may be equal: each is stored."""

_REPEATED = 3
"""Minimum letters of a text that counts as repeated."""

_SAMPLES = 20
_LONGEST = 5
_SHOWN = 80


@dataclass(frozen=True)
class Account:
    """What became of the letters of a source.

    Attributes:
        letters: letters, digits and signs that the source holds.
        stored: those that are in the text of the draft.
        furniture: those that are in headers and footers.
        hidden: those that are stored as hidden content.
        left_out: those that are not stored, by the reason.
        unaccounted: all others.
        samples: first words that are unaccounted.
        longest_furniture: the longest texts in headers and footers, with their letters.
    """

    letters: int
    stored: int
    furniture: int
    hidden: int
    left_out: dict[str, int] = field(default_factory=dict)
    unaccounted: int = 0
    samples: list[str] = field(default_factory=list)
    longest_furniture: list[tuple[int, str]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Return the share of the letters that are accounted for; 1 for a source without text."""
        return 1 - self.unaccounted / self.letters if self.letters else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return the account as JSON without what is empty."""
        found = {
            "letters": self.letters,
            "stored": self.stored,
            "furniture": self.furniture,
            "hidden": self.hidden,
            "left_out": self.left_out,
            "unaccounted": self.unaccounted,
            "samples": self.samples,
            "longest_furniture": [list(entry) for entry in self.longest_furniture],
        }
        return {name: value for name, value in found.items() if value or name in ("letters", "stored", "unaccounted")}


@dataclass
class _Stored:
    """Texts of a draft: of its text, of furniture, of hidden content; the texts of furniture with their letters."""

    text: list[str] = field(default_factory=list)
    furniture: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    long: list[tuple[int, str]] = field(default_factory=list)


def settle(pieces: Iterable[Piece], draft: Draft, hidden: Sequence[str] = ()) -> Account:
    """Return the account of a source.

    Args:
        pieces: its texts, in any order.
        draft: the draft that its reader made.
        hidden: the texts that the reader left out because no person sees them.
    """
    source: list[str] = []
    left_out: Counter[str] = Counter()
    for piece in pieces:
        if piece.reason is None:
            source.append(piece.text)
        else:
            left_out[piece.reason] += sum(map(len, words(normal(piece.text))))
    text = "\n".join(source)
    if (body := _plain_body(draft)) is not None:
        letters = letters_of(text)
        # both sides have the same form of Unicode in most texts, and finding the usual one takes longer than all else
        if letters == letters_of(body) or (letters := letters_of(normal(text))) == letters_of(normal(body)):
            return Account(
                letters=len(letters) + left_out.total(),
                stored=len(letters),
                furniture=0,
                hidden=0,
                left_out=dict(sorted((+left_out).items())),
            )
    reader = draft.reader.partition("/")[0]
    return _settled(normal(text), source, _stored(draft), left_out, hidden, reader)


def _plain_body(draft: Draft) -> str | None:
    """Return the text of the nodes; None if some of it is furniture or hidden."""
    if any(container.type in _FURNITURE for container in draft.containers):
        return None
    if any(node.type is ContentNodeType.PAGE_NUMBER or node.data.get("layer") == "invisible" for node in draft.nodes):
        return None
    return "\n".join(node.text for node in draft.nodes)


def _settled(
    whole: str,
    source: list[str],
    stored: _Stored,
    left_out: Counter[str],
    hidden: Sequence[str],
    reader: str,
) -> Account:
    """Settle the words of both sides as multisets."""
    is_pdf = reader == "pdf"
    rest = Counter(words(whole))
    letters = sum(len(word) * count for word, count in rest.items()) + left_out.total()
    sums: Counter[str] = Counter()
    for name, texts in (("text", stored.text), ("hidden", stored.hidden), ("furniture", stored.furniture)):
        there = Counter(words(normal("\n".join(texts))))
        found = {word: min(count, there[word]) for word, count in rest.items() if word in there}
        sums[name] += sum(len(word) * count for word, count in found.items())
        rest.subtract(found)
    if hidden:
        gone = Counter(words(normal("\n".join(hidden)))) & rest
        left_out["hidden"] += sum(len(word) * count for word, count in gone.items())
        rest.subtract(gone)
    rest = +rest
    everything = [*stored.text, *stored.hidden, *stored.furniture]
    end = "\n" if is_pdf else ""  # of a line; ends of markup may be within a word
    lost = _lost(rest, source, [*everything, *hidden], end) if rest else Counter()
    sums["text"] += sum(len(word) * (count - lost[word]) for word, count in rest.items())
    if lost and reader not in _SHEETS:
        again = _again(lost, source)
        left_out["repeated"] += sum(len(word) * count for word, count in again.items())
        lost -= again
    if lost:
        turned = _from_right(lost, source, everything)
        sums["text"] += sum(len(word) * count for word, count in turned.items())
        lost -= turned
        signs = _signs(lost, source, everything)
        left_out["letter of a font of signs"] += signs.total()
        lost -= signs
        if is_pdf:
            other = _other_script(lost, source, everything)
            left_out["read as letters of another script"] += sum(len(word) * count for word, count in other.items())
            lost -= other
    return Account(
        letters=letters,
        stored=sums["text"],
        furniture=sums["furniture"],
        hidden=sums["hidden"],
        left_out=dict(sorted((+left_out).items())),
        unaccounted=sum(len(word) * count for word, count in lost.items()),
        samples=list(lost)[:_SAMPLES],
        longest_furniture=sorted(stored.long, reverse=True)[:_LONGEST],
    )


def _lost(missing: Counter[str], source: list[str], stored: list[str], end: str) -> Counter[str]:
    """Return how often each missing word is lost, in the order of the source.

    A word that only white space, a hyphen or markup parts differently is in the letters of both sides as often. So is a
    word whose parts are in two texts that follow each other: the number of a note and the date that it begins with.
    """
    of_source = end.join(squeezed(normal(text)) for text in source)
    of_stored = "".join(squeezed(normal(text)) for text in stored)
    lost: Counter[str] = Counter()
    for number, (word, count) in enumerate(missing.items()):
        bare = squeezed(word)
        if not bare or number >= _MOST_WORDS:
            lost[word] = count
            continue
        there = of_stored.count(bare)
        lost[word] = min(count, max(of_source.count(bare) - there, 0)) if there else count
    return _with_accents(+lost, source, stored)


def _with_accents(lost: Counter[str], source: list[str], stored: list[str]) -> Counter[str]:
    """Return what is still lost if the source sets accents beside their letters, as TeX does: Math´ematiques."""
    if not lost or not any(map(_ACCENT.search, source)):
        return lost
    of_source, of_stored = (_without_accents("\n".join(texts)) for texts in (source, stored))
    found: Counter[str] = Counter()
    for word, count in lost.items():
        bare = _without_accents(word)
        there = of_stored.count(bare) if bare else 0
        found[word] = min(count, max(of_source.count(bare) - there, 0)) if there else count
    return +found


def _without_accents(text: str) -> str:
    """Return the letters of a text without their accents."""
    return squeezed(_ACCENT.sub("", unicodedata.normalize("NFD", normal(text))))


def _signs(lost: Counter[str], source: list[str], stored: list[str]) -> Counter[str]:
    """Return how often single lost letters can be signs of a font of signs, which the store has as signs: ☐ for y."""
    signs = Counter(_SIGN.findall("\n".join(stored)))
    signs.subtract(_SIGN.findall("\n".join(source)))
    left = (+signs).total()
    found: Counter[str] = Counter()
    for word, count in lost.items():
        if len(word) == 1 and word.isascii():
            found[word] = min(count, left)
            left -= found[word]
    return +found


def _other_script(lost: Counter[str], source: list[str], stored: list[str]) -> Counter[str]:
    """Return lost words in a script that the store has nowhere, if it has as many letters that the source lacks.

    A font of a PDF file may name its letters in two ways, which PDFium and the reader take differently.
    """
    there = {_script(letter) for letter in set("".join(stored)) if letter.isalpha()}
    beside = Counter(words(normal("\n".join(stored)))) - Counter(words(normal("\n".join(source))))
    left = sum(len(word) * count for word, count in beside.items())
    found: Counter[str] = Counter()
    for word, count in lost.items():
        if word[0].isalpha() and _script(word[0]) not in there and len(word) <= left:  # repeated text is stored once
            found[word] = count
            left -= len(word)
    return found


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _from_right(lost: Counter[str], source: list[str], stored: list[str]) -> Counter[str]:
    """Return the lost words from right to left whose letters the store has in words that are parted differently."""
    words_there = [word for word in lost if RIGHT_TO_LEFT.search(word)]
    if not words_there:
        return Counter()
    letters, there = (Counter(RIGHT_TO_LEFT.findall(normal("\n".join(texts)))) for texts in (source, stored))
    return Counter({word: lost[word] for word in words_there}) if not letters - there else Counter()


def _again(lost: Counter[str], source: list[str]) -> Counter[str]:
    """Return how often lost words are in texts that the source has more than once: the store has them once."""
    seen: set[str] = set()
    again: Counter[str] = Counter()
    for text in source:
        bare = squeezed(normal(text))
        if len(bare) >= _REPEATED and bare in seen:
            again.update(word for word in words(normal(text)) if word in lost)
        seen.add(bare)
    return again & lost


def _stored(draft: Draft) -> _Stored:
    found = _Stored()
    beside: dict[str | None, bool] = {None: False}
    for container in draft.containers:  # parents before children
        beside[container.key] = container.type in _FURNITURE or beside[container.parent]
    for node in draft.nodes:
        is_furniture = beside[node.container] or node.type is ContentNodeType.PAGE_NUMBER
        out = found.furniture if is_furniture else found.hidden if node.data.get("layer") == "invisible" else found.text
        out += (text for text in (node.marker, node.text, node.description) if text)
        if node.data:
            out += _data(node.data, node.text)
        if node.type is ContentNodeType.FORMULA or "$" in node.text:
            out.append(tex_signs(node.text))
        if is_furniture and node.text:
            found.long.append((sum(map(len, words(normal(node.text)))), " ".join(node.text.split())[:_SHOWN]))
    found.text += [relation.marker for relation in draft.relations if relation.marker]
    metadata = draft.metadata
    stated = (metadata.title, metadata.abstract, metadata.source, metadata.uri, metadata.language)
    found.text += [text for text in (*stated, *metadata.authors, *_strings(metadata.extra)) if text]
    found.text += [str(metadata.publication_date)] if metadata.publication_date else []
    named = {container.title for container in draft.containers if container.title and not beside[container.key]}
    shown = {node.text for node in draft.nodes}
    found.text += sorted(named - shown)  # a title that no heading shows, such as the name of a list
    return found


def _data(data: dict[str, Any], text: str) -> Iterable[str]:
    """Yield texts that a node has only in its data."""
    for name, value in data.items():
        if name == "record":  # fields that a mapping stores as data
            yield from map(str, value.values())
        elif name != "cells" or not text:
            yield from _strings(value)


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
