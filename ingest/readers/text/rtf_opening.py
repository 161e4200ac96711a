"""Open what rich text wraps its text in, before the library reads it: shapes, objects, letters of other fonts."""

from __future__ import annotations

import re
from itertools import groupby, islice
from typing import TYPE_CHECKING

from ragraph.ingest.common.scripts import shown_as_one
from ragraph.ingest.readers.office.symbols import is_of_signs, shown_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OPENED = re.compile(r"\\[\\{}]|\{\\(shp|shpgrp|object|upr)(?![a-z])")
_TEXT = re.compile(r"\{\\shptxt(?![a-z])")
_RESULT = re.compile(r"\{\\result(?![a-z])")
_UNICODE = re.compile(r"\{\\\*\\ud(?![a-z])")
_PICTURE = re.compile(r"\{\\pict(?![a-z])")
_BYTES = re.compile(r"[0-9a-fA-F\s]{128,}")
_BEYOND = re.compile(r"\\\\|\\u(-?\d{6,18})\d*")
"""A letter of more than 16 bits: there is none, and the library would refuse the file. Or an escaped backslash."""
_FONTS = re.compile(r"\{\s*\\fonttbl(?![a-z])")
_IGNORED = re.compile(r"\{\\\*")

_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_TOKEN = re.compile(r"((?:\\'[0-9a-fA-F]{2})+)|\\([a-zA-Z]+)(-?\d+)? ?|\\[^a-zA-Z']|[{}]|[^\\{}]+", re.DOTALL)
_SETS = {
    128: "cp932", 129: "cp949", 134: "gbk", 136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255",
    178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
"""Character sets of fonts, by their number in RTF."""

_SET_OF_SIGNS = 2

_SHIFTS = {"super": 1, "up": 1, "sub": -1, "dn": -1, "nosupersub": 0, "plain": 0}
_SUSPECT = re.compile(r"\\(?:super|sub|up|dn)(?![a-zA-Z])")
_BREAKS = frozenset({"par", "line", "tab", "cell", "row"})


def text_of(source: str, charset: str) -> str:
    """Return the text of rich text, or of a part of it. The library raises errors of many classes."""
    from striprtf.striprtf import rtf_to_text

    source = _BEYOND.sub(lambda found: rf"\u{int(found[1]) & 0xFFFF}" if found[1] else found[0], source)
    whole = source if source.startswith("{\\rtf") else f"{{\\rtf1 {source}}}"
    return paired(str(rtf_to_text(whole, encoding=charset, errors="replace")))  # type: ignore[no-untyped-call]


def paired(text: str) -> str:
    """Return a text with the two halves joined in which RTF writes a letter beyond 16 bits, as an emoji."""
    return _HALVES.sub(lambda found: found[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)


def end_of_group(source: str, start: int) -> int:
    """Return the place behind the group that begins at a brace."""
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(source, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(source)


def groups(source: str, begin: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the groups of a kind, none within another: where each begins and ends, and what is behind its beginning."""
    at = 0
    while (found := begin.search(source, at)) is not None:
        at = end_of_group(source, found.start())
        yield found.start(), at, source[found.end() : at - 1]


def replace_groups(source: str, begin: re.Pattern[str], new: Callable[[str], str]) -> str:
    """Return a source with groups of a kind replaced; ``new`` gets what is behind the beginning of each.

    A group without a replacement is left empty: its braces part the control word before it from the word behind it.
    """
    out: list[str] = []
    at = 0
    for start, end, content in groups(source, begin):
        out += [source[at:start], new(content) or "{}"]
        at = end
    return "".join([*out, source[at:]])


def without_pictures(source: str) -> str:
    """Return a source without the bytes of its pictures, over which the library takes a second for each MB."""
    return replace_groups(source, _PICTURE, lambda content: f"{{\\pict{_BYTES.sub('', content)}}}")


def opened(source: str, charset: str) -> str:
    """Return rich text, decoded as Latin-1, in which text of shapes, objects and other fonts is as any other.

    Args:
        source: the rich text.
        charset: the character set of the file, which fonts without one of their own have.
    """
    return _with_letters(_without_wrappers(source), charset)


def _without_wrappers(source: str) -> str:
    """Return a source with the text of shapes and objects in their places, and of two forms the one in Unicode."""
    out: list[str] = []
    at = 0
    while (found := _OPENED.search(source, at)) is not None:
        out.append(source[at : found.start()])
        if found[1] is None:
            out.append(found[0])
            at = found.end()
            continue
        end = end_of_group(source, found.start())
        group, kind = source[found.end() : end - 1], found[1]
        out.append("{}")  # parts the control word before from the word behind
        if kind in ("shp", "shpgrp"):
            out.extend(f"{{{_without_wrappers(text)}\\par }}" for _, _, text in groups(group, _TEXT))
        else:
            held = groups(group, _RESULT if kind == "object" else _UNICODE)
            out.extend(f"{{{_without_wrappers(text)}}}" for _, _, text in islice(held, 1))
        at = end
    return "".join([*out, source[at:]])


def fonts_of(source: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the character sets of fonts that state one, and the names of the fonts of signs, by their numbers."""
    sets: dict[str, str] = {}
    signs: dict[str, str] = {}
    font, charset = "", 0
    for _, _, table in groups(source, _FONTS):
        for found in _TOKEN.finditer(replace_groups(table, _IGNORED, lambda _: "")):
            word, number = found[2], found[3]
            if word == "f":
                font, charset = number or "0", 0
            elif word == "fcharset":
                charset = int((number or "0")[:5])
                sets |= {font: _SETS[charset]} if charset in _SETS else {}
            elif charset == _SET_OF_SIGNS and is_of_signs(name := found[0].partition(";")[0].strip()):
                signs[font] = name
    return sets, signs


def _with_letters(source: str, charset: str) -> str:
    """Return a source in which letters in the character set of their font are Unicode; the library knows one set.

    Letters of a font of signs are these signs.
    """
    fonts, signs = fonts_of(source)
    if not signs and not any(name != charset for name in fonts.values()):
        return source
    out: list[str] = []
    around: list[str | None] = []
    font: str | None = None
    tables = 0  # groups around the table of fonts, whose names are no text; 0 outside
    for found in _TOKEN.finditer(source):
        codes, word, sign = found[1], found[2], found[0]
        if sign == "{":
            around.append(font)
        elif sign == "}":
            font = around.pop() if around else None
            tables = tables if len(around) >= tables else 0
        elif word == "fonttbl":
            tables = len(around)
        elif word in ("f", "plain"):
            font = (found[3] or "0") if word == "f" else None
        elif font in signs and not tables and word == "u":
            sign = f"\\u{ord(shown_in(signs[font], chr(int(found[3] or 0) % 0x10000)))} "
        elif font in signs and not tables and (codes or sign[0] not in "\\{}"):
            standing = int(_follows_unicode(out))  # the first letter stands for one in Unicode, for older programs
            kept = sign[: standing * (4 if codes else 1)]
            letters = bytes.fromhex(codes.replace("\\'", "")).decode("latin-1") if codes else sign
            letters = letters[standing:].replace("\r", "").replace("\n", "")
            sign = kept + written(shown_in(signs[font], letters))
        elif codes and font in fonts and not _follows_unicode(out):
            sign = written(bytes.fromhex(codes.replace("\\'", "")).decode(fonts[font], "replace"))
        out.append(sign)
    return "".join(out)


def written(text: str) -> str:
    """Return a text as rich text: each of its letters in Unicode."""
    letters = text.encode("utf-16-le")
    units = (int.from_bytes(letters[place : place + 2], "little") for place in range(0, len(letters), 2))
    return "".join(f"{{\\uc1\\u{unit - 0x10000 if unit > 0x7FFF else unit}?}}" for unit in units)


def with_scripts(source: str) -> str:
    """Return a source whose raised and lowered text is plain text, as all readers write it."""
    if not _SUSPECT.search(source):
        return source
    out: list[str] = []
    pieces: list[tuple[str, int, int, int]] = []  # text, shift, its place in ``out``, letters before it there
    around: list[int] = []
    shift = 0
    standing = 0  # letters that stand for one in Unicode, for older programs
    for found in _TOKEN.finditer(source):
        sign, word = found[0], found[2]
        text, kept = "", 0
        if sign == "{":
            around.append(shift)
        elif sign == "}":
            shift = around.pop() if around else 0
        elif word in _SHIFTS:
            shift = _SHIFTS[word] * int((found[3] or "1") != "0")
        elif word == "u":
            text = chr(int(found[3] or 0) % 0x10000)
        elif word in _BREAKS or (found[1] and not standing):
            pieces.append(("\n" if word else "?", 0, -1, 0))
        elif word is None and not found[1] and sign[0] not in "\\\r\n":
            kept, text = standing, sign[standing:].replace("\r", "").replace("\n", "")
        if text:
            pieces.append((text, shift, len(out), kept))
        if text or found[1]:
            standing = int(word == "u")
        out.append(sign)
    before = ""
    for shift, group in groupby(pieces, lambda piece: piece[1]):
        parts = list(group)
        texts = [text for text, *_ in parts]
        shown = shown_as_one(texts, shift, before)
        before = "".join(texts)
        if not shift:
            continue
        if any(
            len(new) != 1 for (_, _, place, _), new in zip(parts, shown, strict=True) if out[place].startswith("\\u")
        ):
            continue  # older programs have one letter for it
        for (text, _, place, kept), new in zip(parts, shown, strict=True):
            if new == text:
                continue
            if out[place].startswith("\\u"):
                out[place] = f"\\u{ord(new)} "
            else:
                letters = (f"{{\\uc1\\u{ord(one)}?}}" if ord(one) > 127 else one for one in new)
                out[place] = out[place][:kept] + "".join(letters)
    return "".join(out)


def _follows_unicode(out: list[str]) -> bool:
    """Return True if a letter is before these codes as Unicode: they are the same letter for older programs."""
    return bool(out) and re.match(r"\\u-?\d", out[-1]) is not None
