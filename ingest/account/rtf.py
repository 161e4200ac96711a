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
    tokens = _Tokens(data)
    for found in _RTF.finditer(data):
        if not tokens.read(found):
            break
    texts = tokens.texts()
    for asked in "".join(texts.pop(_FIELD, [])).split("\n"):
        if letters := equation_letters(asked):
            yield Piece(letters)
    for reason, parts in texts.items():
        if reason in (None, _APART):
            yield from (Piece(line) for line in paired("".join(parts)).split("\n") if line.strip())
        elif "".join(parts).strip():
            yield Piece("".join(parts), reason)


class _Tokens:
    """Collects the text of the tokens of an RTF file by the reason why it is not stored.

    A group opens with the state that is around it, and its end brings that state back.

    Args:
        data: the file, for its character set and its fonts.
    """

    def __init__(self, data: bytes) -> None:
        stated = re.search(rb"\\ansicpg(\d+)", data[:4096])
        self._charset = f"cp{stated[1].decode()}" if stated and stated[1] != b"0" else "cp1252"
        sets, signs = fonts_of(data.decode("latin-1"))
        self._charsets = sets | {number: f"{_OF_SIGNS}{name}" for number, name in signs.items()}
        self._texts: dict[str | None, list[str]] = {}
        self._reason: str | None = None
        self._signs = 1  # that stand for a \u
        self._font = self._charset
        self._around: list[tuple[str | None, int, str]] = []
        self._skip = 0
        self._waiting = bytearray()  # whose letters may go on

    def texts(self) -> dict[str | None, list[str]]:
        """Return the parts of the text by their reason: None for text, "apart" for that of a note or shape."""
        self._decode()
        return self._texts

    def read(self, found: re.Match[bytes]) -> bool:
        """Take a token; return False behind the outermost group, where nothing is text."""
        word, number, code, sign, brace, plain = found.groups()
        if code is None and plain is None and found[0].strip():
            self._decode()
        if brace:
            return self._group(brace)
        if word is not None:
            self._word(word, number)
        elif sign == b"*":
            self._reason = ""
        elif sign is not None:
            self._put(_RTF_SIGNS.get(sign, sign.decode("latin-1") if sign in b"\\{}" else ""))
        elif code is not None:
            if self._skip:
                self._skip -= 1
            else:
                self._waiting += bytes.fromhex(code.decode())
        elif plain:
            self._waiting += plain[self._skip :]
            self._skip = max(self._skip - len(plain), 0)
        return True

    def _group(self, brace: bytes) -> bool:
        self._skip = 0
        if brace == b"{":
            self._around.append((self._reason, self._signs, self._font))
        elif self._around:
            self._reason, self._signs, self._font = self._around.pop()
            return bool(self._around)
        return True

    def _word(self, word: bytes, number: bytes | None) -> None:
        if word == b"bin" and number:
            return
        if word == b"f":
            self._font = self._charsets.get((number or b"0").decode(), self._charset)
        elif word == b"uc":
            self._signs = int(number or 1)
        elif word == b"u" and number:
            self._put(shown_in(self._font.removeprefix(_OF_SIGNS), chr(int(number) % 0x10000)))
            self._skip = self._signs
        elif word in _OPENING or word == b"ud":
            self._open(word)
        elif word.startswith(b"m") and word.endswith((b"Pr", b"Pict")):
            self._reason = ""  # properties of a formula, or its picture
        elif word in _RTF_LEFT_OUT and number != b"0":
            keeps = self._reason == "" and word != b"fldinst"
            self._reason = "" if keeps else _RTF_LEFT_OUT[word]
            self._put(_RTF_SIGNS.get(word, ""))
        elif word in (b"v", b"plain"):
            self._reason = None if self._reason == "hidden" else self._reason
            self._font = self._charset if word == b"plain" else self._font
        else:
            self._put(_RTF_SIGNS.get(word, ""))

    def _open(self, word: bytes) -> None:
        reason = self._around[-1][0] if self._around else None
        if word == b"ud":  # the newer form of what is around it: text, or a name of the author
            self._reason = None if reason == _COPY else reason
        elif not reason or reason == _APART:
            self._reason = _OPENING[word]
            self._put("\n" if self._reason else "")

    def _put(self, text: str) -> None:
        if self._reason != "":
            self._texts.setdefault(self._reason, []).append(text)

    def _decode(self) -> None:
        if self._waiting:
            self._put(_decoded(bytes(self._waiting), self._font))
            self._waiting.clear()


def _decoded(data: bytes, charset: str) -> str:
    if charset.startswith(_OF_SIGNS):
        return shown_in(charset.removeprefix(_OF_SIGNS), data.decode("latin-1"))
    try:
        return data.decode(charset, "replace")
    except LookupError:
        return data.decode("cp1252", "replace")
