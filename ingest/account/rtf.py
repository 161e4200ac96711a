"""The text of RTF by its tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.account.words import Piece, equation_letters
from ragraph.ingest.readers.office.symbols import shown_in
from ragraph.ingest.readers.text.rtf_opening import fonts_of, paired

if TYPE_CHECKING:
    from collections.abc import Iterator

_RTF = re.compile(
    rb"\\([a-zA-Z]+)(-?\d+)? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
_FIELD, _COPY = "instruction of a field", "copy for older programs"
_RTF_LEFT_OUT = {
    **dict.fromkeys(
        (b"fonttbl", b"colortbl", b"stylesheet", b"info", b"listtable", b"listoverridetable", b"revtbl", b"rsidtbl",
         b"generator", b"themedata", b"colorschememapping", b"datastore", b"latentstyles", b"xmlnstbl", b"filetbl",
         b"pict", b"objdata", b"bkmkstart", b"bkmkend", b"listtext", b"pntext", b"pnseclvl", b"nonshppict",
         b"mmathPr", b"atnid", b"atnauthor", b"atntime", b"atndate", b"atnref", b"xe", b"tc", b"shpinst"), "",
    ),
    **dict.fromkeys((b"upr", b"shprslt", b"do"), _COPY),
    b"nonesttables": _COPY, b"v": "hidden", b"deleted": "deleted by a tracked change",
    b"fldinst": _FIELD,
}  # fmt: skip
"""Destinations and properties whose text is not stored, and why; empty if it is no text."""

_RTF_SIGNS = {
    b"par": "\n", b"line": "\n", b"cell": "\n", b"row": "\n", b"tab": " ", b"sect": "\n", b"page": "\n",
    b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”",
    b"\n": "\n", b"\r": "\n", b"bullet": "•", b"nestcell": "\n", b"nestrow": "\n", b"~": " ", b"_": "-", b"-": "",
    b"fldinst": "\n",
}  # fmt: skip


_OF_SIGNS = "signs of "
_APART = "apart"
_OPENING: dict[bytes, str | None] = {
    **dict.fromkeys((b"moMath", b"moMathPara")),
    **dict.fromkeys(
        (b"shptxt", b"footnote", b"annotation", b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl",
         b"footerr", b"footerf"), _APART,
    ),
}  # fmt: skip
"""Destinations whose text is text; that of a note, a shape or a header is apart from the words around its place."""


def rtf_pieces(data: bytes) -> Iterator[Piece]:
    """Yield the text of an RTF file by its tokens; that of its tables of fonts, styles and the like is none."""
    stated = re.search(rb"\\ansicpg(\d+)", data[:4096])
    charset = f"cp{stated[1].decode()}" if stated and stated[1] != b"0" else "cp1252"
    texts: dict[str | None, list[str]] = {}
    sets, signs = fonts_of(data.decode("latin-1"))
    charsets = sets | {number: f"{_OF_SIGNS}{name}" for number, name in signs.items()}
    state: tuple[str | None, int] = (None, 1)  # reason, signs that stand for a \u
    font = charset
    around: list[tuple[tuple[str | None, int], str]] = []
    skip = 0
    waiting = b""

    def put(text: str) -> None:
        if state[0] != "":
            texts.setdefault(state[0], []).append(text)

    for found in _RTF.finditer(data):
        word, number, code, sign, brace, plain = found.groups()
        if waiting and code is None and plain is None and found[0].strip():
            put(_decoded(waiting, font))
            waiting = b""
        if brace:
            if brace == b"{":
                around.append((state, font))
            elif around:
                state, font = around.pop()
                if not around:
                    break  # what is behind the outermost group is no text
            skip = 0
        elif word == b"bin" and number:
            continue
        elif word == b"f":
            font = charsets.get((number or b"0").decode(), charset)
        elif word == b"uc":
            state = (state[0], int(number or 1))
        elif word == b"u" and number:
            letter = chr(int(number) % 0x10000)
            put(shown_in(font.removeprefix(_OF_SIGNS), letter))
            skip = state[1]
        elif word in _OPENING or word == b"ud":
            reason = around[-1][0][0] if around else None
            if word == b"ud":  # the newer form of what is around it: text, or a name of the author
                state = (None if reason == _COPY else reason, state[1])
            elif not reason or reason == _APART:
                state = (_OPENING[word], state[1])
                put("\n" if state[0] else "")
        elif word is not None and word.startswith(b"m") and word.endswith((b"Pr", b"Pict")):
            state = ("", state[1])  # properties of a formula, or its picture
        elif word is not None:
            if word in _RTF_LEFT_OUT and number != b"0":
                keeps = state[0] == "" and word != b"fldinst"
                state = ("" if keeps else _RTF_LEFT_OUT[word], state[1])
                put(_RTF_SIGNS.get(word, ""))
            elif word in (b"v", b"plain"):
                state = (None if state[0] == "hidden" else state[0], state[1])
                font = charset if word == b"plain" else font
            else:
                put(_RTF_SIGNS.get(word, ""))
        elif sign == b"*":
            state = ("", state[1])
        elif sign is not None:
            put(_RTF_SIGNS.get(sign, sign.decode("latin-1") if sign in b"\\{}" else ""))
        elif code is not None:
            if skip:
                skip -= 1
            else:
                waiting += bytes.fromhex(code.decode())
        elif plain:
            waiting += plain[skip:]
            skip = max(skip - len(plain), 0)
    put(_decoded(waiting, font))
    for asked in "".join(texts.pop(_FIELD, [])).split("\n"):
        if letters := equation_letters(asked):
            yield Piece(letters)
    for reason, parts in texts.items():
        if reason in (None, _APART):
            yield from (Piece(line) for line in paired("".join(parts)).split("\n") if line.strip())
        elif "".join(parts).strip():
            yield Piece("".join(parts), reason)


def _decoded(data: bytes, charset: str) -> str:
    if charset.startswith(_OF_SIGNS):
        return shown_in(charset.removeprefix(_OF_SIGNS), data.decode("latin-1"))
    try:
        return data.decode(charset, "replace")
    except LookupError:
        return data.decode("cp1252", "replace")
