"""Titles that can be cited: a form of the SEC with its company and year, a contract with its parties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import in_runs
from ragraph.pdf.patterns import MONTH
from ragraph.pdf.stated.titles import letters_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Page

_FIRST = 3
"""Pages, from the first, on which a form or contract says whose it is."""
_GAP = 1.5
"""Room between two cells of a line at least, in the height of its letters."""
_NEXT = 6
"""Lines under the head of a column in which its first cell stands at most."""
_PREAMBLE = 3_000
"""Letters of a contract, the first ones, in which its parties are named."""
_FORM = re.compile(r"^form\s+(\d{1,2}-[a-z]{1,2}(?:/a)?)$", re.I)
_REGISTRANT = re.compile(r"^\(?exact name of\b", re.I)
_DAY = rf"({MONTH})\.?\s+(\d{{1,2}}),?\s+((?:19|20)\d\d)"
_YEARLY = re.compile(rf"(?:fiscal|transition)?\s*year\s+ended[^\d]{{0,40}}?{_DAY}", re.I)
_PERIOD = re.compile(rf"(?:quarter|quarterly period|period)\s+(?:ended|ending)[^\d]{{0,40}}?{_DAY}", re.I)
_REPORTED = re.compile(
    rf"date of (?:earliest event )?report\w*[^\d]{{0,60}}?{_DAY}|{_DAY}\s*\(?\s*date of (?:earliest event )?report",
    re.I,
)
_CONTRACT = re.compile(
    r"\b(?:agreement|contract|lease|licen[cs]e|amendment|guarante\w+|indenture|deed|memorandum of understanding)\b",
    re.I,
)
_BETWEEN = re.compile(r"\b(?:between|among)\b(?:\s+and\s+among\b)?[\s:,]*", re.I)
_LEGAL = ("Inc", "Incorporated", "Corp", "Corporation", "Co", "Company", "Ltd", "Limited", "LLC", "LP", "LLP", "Plc")
_SUFFIX = (
    rf"(?:,?\s(?:{'|'.join([*_LEGAL, *(form.upper() for form in _LEGAL)])}|plc|G[Mm][Bb]H|AG|AB|SAS|L\.\s?L\.\s?C"
    r"|L\.\s?P|S\.\s?A\.\s?S|S\.\s?A|S\.\s?[pP]\.\s?A|N\.\s?V|B\.\s?V|Pty|PTY|Pte|PTE)(?!\w)\.?)"
)
"""What a company is by law, at the end of its name."""
_OTHER = rf"(?!(?:and|between|among|dated|effective|exhibit|page|{MONTH})\b)"
_FIRST_WORD = rf"(?i:{_OTHER})(?:\d*[A-Z][\w&.'’/+-]*\w|[A-Z]\.?(?!\w))\.?"
_WORD = rf"(?i:{_OTHER})(?:[A-Z0-9][\w&.'’/+-]*\w\.?|[A-Z]\.?(?!\w)|\d|\([A-Z][A-Z ]+\))"
_NAME = re.compile(rf"\b{_FIRST_WORD}(?:(?!{_SUFFIX})\s(?:(?:of|the|de|&)\s)?{_WORD}){{0,9}}(?P<suffix>(?:{_SUFFIX})*)")
"""A name in capitals, of a company or a person."""
_SHORT = re.compile(r"\([^()]*[\"“”'‘’][^()]*\)")
"""What a party is called from there on."""
_BRACKETS = re.compile(r"\((?![A-Z ]+\))[^()]*\)")
_TOLD = re.compile(r"[\s,]*§|\s*,\s*[a-z]|\s(?:with|having|whose|located|residing|hereinafter|at\s\d)")
"""What a party is, or where, or what it is called, right behind its name."""
_APART = re.compile(r"(?:^|[,;:§]|\band)\s*$", re.I)
_AND = re.compile(r"(?:^|.*;|.*\band),?\s*", re.I)
"""What stands before a party: it does not stand in the name or the address of another."""
_JUST_AND = re.compile(r"[\s,]*and\s*", re.I)
_NEXT_ONE = re.compile(r"[\s,]*and\b", re.I)
_SENTENCE = re.compile(
    r"(?:[a-z]{4}|[)”\"§])\.[”\"]?\s+(?=[A-Z])"
    r"|\b(?i:witnesseth|whereas|recitals?|table of contents|definitions|now,? therefore)\b"
)
_OPENING = 200
"""Letters between the name of a contract and "between" at most: "This Agreement is made as of May 1, 2020 by and"."""
_COVER = 600
"""Letters of a cover at most: the parties stand there alone."""


class _Cell(NamedTuple):
    """Words of a line that stand close to each other."""

    text: str
    left: float
    right: float


def cited_title(title: str, pages: Sequence[Page]) -> str | None:
    """Return the title under which a form or a contract is cited; ``None`` for other documents.

    Args:
        title: of the document as it is printed or stated.
        pages: those that were read.
    """
    first = [page for page in pages if page.number <= _FIRST]
    form = _form(first)
    if form is not None:
        return form
    if not _CONTRACT.search(title):
        return None
    texts = [" ".join(block.text for block in page.blocks) for page in first]
    cover = texts[0] if texts and len(texts[0]) < _COVER else ""
    parties = parties_of(" ".join(texts), " ".join(cover.split()))
    if len(parties) < 2 or all(letters_of(name) in letters_of(title) for name in parties):
        return None
    *others, last = parties
    return f"{title}, {', '.join(others)} and {last}"


def _form(pages: Sequence[Page]) -> str | None:
    """Return company, form and year; of a form that comes more than once a year its date."""
    for page in pages:
        lines = list(_lines(page))
        cells = [cell.text for line in lines for cell in line]
        company = _company(lines)
        name = next((match[1] for cell in cells if (match := _FORM.match(cell))), None)
        text = " ".join(cells)
        yearly = _YEARLY.search(text)
        when = yearly or _PERIOD.search(text) or _REPORTED.search(text)
        if company and name and when:
            month, day, year = [part for part in when.groups() if part]
            # Words of the page may be parted letter by letter; those of its blocks are not.
            same = (block.text for block in page.blocks if letters_of(block.text) == letters_of(company))
            date = year if yearly else f"{month.capitalize()} {day}, {year}"
            return f"{next(same, company)}, Form {name.upper()}, {date}"
    return None


def _company(lines: Sequence[Sequence[_Cell]]) -> str | None:
    """Return the company over the words that say so, or under them, where they are the head of a column."""
    for at, line in enumerate(lines):
        for head in line:
            if not _REGISTRANT.match(head.text):
                continue
            if head.text.startswith("(") and at:
                return " ".join(cell.text for cell in lines[at - 1])
            for below in lines[at + 1 : at + _NEXT]:
                under = [cell for cell in below if cell.left < head.right and cell.right > head.left]
                if under and len(below) > 2 and not under[0].text.lower().startswith(("as ", "in ", "registrant")):
                    return under[0].text
    return None


def _lines(page: Page) -> Iterator[list[_Cell]]:
    """Yield the cells of each line of a page, from the top."""
    words = sorted(page.words, key=lambda word: word.top + word.bottom)
    for line in in_runs(words, lambda run, word: word.middle_y < run[-1].bottom):
        ordered = sorted(line, key=lambda word: word.left)
        cells = in_runs(ordered, lambda cell, word: word.left - cell[-1].right < _GAP * word.height)
        yield [_Cell(" ".join(word.text for word in cell), cell[0].left, cell[-1].right) for cell in cells]


def parties_of(text: str, cover: str = "") -> list[str]:
    """Return the names of the parties that the first sentences of a contract are between.

    Each is followed by what it is ("a Delaware corporation") or is called ('("Buyer")'), or by "and" and the next one.

    Args:
        text: of the first pages.
        cover: text of a first page that has no more than title, date and parties.
    """
    text = " ".join(text[:_PREAMBLE].split())
    plain = _BRACKETS.sub(" ", _SHORT.sub(" § ", text))
    for company in [found for found in _NAME.finditer(cover) if found["suffix"]][:1]:
        names = _names(cover[company.start() :], text)
        if len(names) > 1:
            return names
    for opening in _BETWEEN.finditer(plain):
        if not _CONTRACT.search(plain, max(0, opening.start() - _OPENING), opening.start()):
            continue  # an article on licences compares companies, too
        names = _names(_SENTENCE.split(plain[opening.end() :], 1)[0], text)
        if len(names) > 1:
            return names
    return []


def _names(sentence: str, text: str) -> list[str]:
    """Return the parties that a sentence names, from its beginning on."""
    names: list[str] = []
    last, begun = 0, None
    for found in _NAME.finditer(sentence):
        name, before = found[0].strip(" ,"), sentence[last : found.start()]
        # A company may have an "and" within its name; a person before it would be said to be one.
        if begun is not None and found["suffix"] and _AND.fullmatch(sentence[begun[1] : found.start()]):
            name, before = sentence[begun[0] : found.end()].strip(" ,"), sentence[last : begun[0]]
        begun = None
        after = sentence[found.end() :]
        # A cover has nothing behind the last one.
        told = _TOLD.match(after) or (not after.strip(" ,.") and _JUST_AND.fullmatch(before))
        if found["suffix"]:
            fits = not names or _APART.search(before) is not None
        else:
            behind = told and _AND.fullmatch(before) if names else told or _NEXT_ONE.match(after)
            called = any(f"{sign}{name}" in text for sign in "\"“'‘")
            fits = bool(behind) and _is_person(name) and not called
        if fits:
            names.append(name)
            last = found.end()
        elif names and not found["suffix"] and _AND.fullmatch(before):
            begun = found.span()
    return list({letters_of(name): name for name in reversed(names)}.values())[::-1]


def _is_person(name: str) -> bool:
    """Return True if a name that no company has may be a person's."""
    return len(name.split()) > 1 and not any(sign.isdigit() for sign in name)
