"""RTF, and lines of prose in markup whose grammar only its reader knows: LaTeX, reStructuredText, AsciiDoc, Org."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.account.words import Piece
from ragraph.ingest.readers.office.symbols import shown_in
from ragraph.ingest.readers.text.rtf_opening import fonts_of, paired

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKUP = "markup"

_PROSE = {
    "latex": re.compile(r"[^\W_][^\\{}$%&~^_#`\"*<>=@-]*"),
    "rst": re.compile(r"[^\W_](?:(?!::)[^`|*_\\<>=+{}\[\]~^\"#-])*"),
    "asciidoc": re.compile(r"[^\W_](?:(?!::)[^`|*_\\<>=+{}\[\]~^\"#:-])*"),
    "org": re.compile(r"[^\W_](?:(?!::)[^`|*_\\<>=+{}\[\]~^\"#/$@-])*"),
}
"""A line of prose alone, by format: no sign that may be markup."""

_NO_PROSE = {
    "latex": re.compile(
        r"\A.*?\\begin\{document\}|\\end\{document\}.*|\\begin\{(comment|filecontents\*?|tikzpicture|pgfpicture"
        r"|equation\*?|align\*?|eqnarray\*?|gather\*?|multline\*?|displaymath|math)\}.*?\\end\{\1\}"
        r"|\$\$.*?\$\$|\\\[.*?\\\]|(?<!\\)\$(?:[^$\\]|\\.)+\$|\\\(.*?\\\)|(?<!\\)%[^\n]*"
        r"|\\(?:re)?newcommand\b[^\n]*|\\def\\[^\n]*",
        re.DOTALL,
    ),
    "rst": re.compile(
        r"^(?P<indent>[ \t]*)\.\.(?:[ \t]+(?!\S[^\n]*::)(?!\[)[^\n]*|[ \t]+(?:image|figure|include|toctree|raw|math"
        r"|contents|index|highlight|only|meta|currentmodule|module|default-role|role|\|)[^\n]*|$)"
        r"(?:\n(?:(?P=indent)[ \t][^\n]*|[ \t]*)(?=\n|\Z))*"
        r"|^[ \t]*(?:\.\. _|__ )[^\n]*|^[ \t]*:[\w -]+:.*$",
        re.MULTILINE,
    ),
    "asciidoc": re.compile(
        r"^(/{4,})$.*?^\1$|^//[^\n]*|^:[\w!-]+:[^\n]*|^\[[^\[\]\n]*\]$|^(?:include|image|ifdef|ifndef|endif|toc)::[^\n]*",
        re.MULTILINE | re.DOTALL,
    ),
    "org": re.compile(
        r"^[ \t]*#\+begin_(comment|export|html|latex)\b.*?^[ \t]*#\+end_\1[^\n]*"
        r"|^[ \t]*:\w+:[ \t]*\n.*?^[ \t]*:END:|^[ \t]*:\w+:.*?$|^[ \t]*#[^\n]*|^\*+ COMMENT.*?(?=^\*|\Z)"
        r"|<\d{4}-[^<>\n]*>|\[\d{4}-[^\[\]\n]*\]",
        re.MULTILINE | re.DOTALL | re.IGNORECASE,
    ),
}  # fmt: skip
"""Comments, preambles, formulas, attributes and files in other places, by format."""

_ENUMERATED = re.compile(r"^\s*\(?(?:[ivxlcdm]+|[a-zA-Z]|\d+|#)[.)]\s+")

_COMMANDS = {
    "latex": re.compile(
        r"\\(?:label|ref|eqref|pageref|autoref|[cC]ref|\w*cite\w*\*?|includegraphics|input|include|bibliography\w*|usepackage"
        r"|documentclass|vspace|hspace|setlength|addtolength|setcounter|pagestyle|thispagestyle|begin|end|hypertarget"
        r"|href|url|index|color|textcolor|rule|parbox|multicolumn|cmidrule|cline)\*?(?:\s*\[[^\]]*\])*(?:\s*\{[^{}]*\})?"
        r"|\\[a-zA-Z@]+\*?(?:\[[^\]]*\])*|\\."
    ),
    "rst": re.compile(
        r":[\w:+.-]+:(?=`)|<[^<>\n]*>(?=`)|^\.\. [\w:+.-]+::|^\.\. \[[^\]]*\]|\[[\w#.-]+\]_", re.MULTILINE
    ),
    "asciidoc": re.compile(
        r"(?:https?|ftp|mailto|link|xref|image|footnote\w*|kbd|btn|menu|stem|latexmath|asciimath|pass|anchor|icon):[^\s\[\]]*(?=\[)"
        r"|<<[^,<>]*(?:,|(?=>>))|\[\[[^\]]*\]\]|\[[^\[\]=]*=[^\[\]]*\]|\{[\w-]+\}"
    ),
    "org": re.compile(r"\[\[[^\[\]]*\]\[|\[fn:[\w-]*:?|:(?:\w+:)+[ \t]*$|^\*+ (?:TODO|DONE)\b", re.MULTILINE),
}  # fmt: skip
"""Commands and addresses between words, by format."""


def prose_pieces(text: str, kind: str) -> Iterator[Piece]:
    """Yield the lines of plain prose of a text, and what its other lines hold besides commands as loose pieces.

    Markup and text are one there, and the account does not know the grammar. A line of prose is compared word by word;
    the marked lines of a paragraph are lost only if most of their words are.
    """
    prose, no_prose = _PROSE[kind], _NO_PROSE[kind]
    for found in no_prose.finditer(text):
        yield Piece(found[0], _MARKUP)
    for paragraph in re.split(r"\n[ \t]*\n", no_prose.sub(" ", text)):
        marked = []
        for line in paragraph.splitlines():
            shown = _ENUMERATED.sub("", line).strip()
            if shown and prose.fullmatch(shown):
                yield Piece(shown)
            elif shown:
                marked.append(line)
        if marked:
            yield Piece(_COMMANDS[kind].sub(" ", "\n".join(marked)), loose=True)


_RTF = re.compile(
    rb"\\([a-zA-Z]+)(-?\d+)? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
_FIELD = "instruction of a field"
_EQUATION = re.compile(r"\s*EQ\b(.*)", re.DOTALL)
_RTF_LEFT_OUT = {
    **dict.fromkeys(
        (b"fonttbl", b"colortbl", b"stylesheet", b"info", b"listtable", b"listoverridetable", b"revtbl", b"rsidtbl",
         b"generator", b"themedata", b"colorschememapping", b"datastore", b"latentstyles", b"xmlnstbl", b"filetbl",
         b"pict", b"objdata", b"bkmkstart", b"bkmkend", b"listtext", b"pntext", b"pnseclvl", b"nonshppict",
         b"mmathPr", b"atnid", b"atnauthor", b"atntime", b"atndate", b"atnref", b"xe", b"tc", b"shpinst"), "",
    ),
    **dict.fromkeys((b"upr", b"shprslt", b"do"), "copy for older programs"),
    b"nonesttables": "copy for older programs", b"v": "hidden", b"deleted": "deleted by a tracked change",
    b"fldinst": _FIELD,
}  # fmt: skip
"""Destinations and properties whose text is not stored, and why; empty if it is no text."""

_RTF_SIGNS = {
    b"par": "\n", b"line": "\n", b"cell": "\n", b"row": "\n", b"tab": " ", b"sect": "\n", b"page": "\n",
    b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”",
    b"\n": "\n", b"\r": "\n", b"bullet": "•", b"nestcell": "\n", b"nestrow": "\n", b"~": " ", b"_": "-", b"-": "",
    b"footnote": " ", b"fldinst": "\n", b"annotation": "\n",
}  # fmt: skip


_OF_SIGNS = "signs of "
_OPENING = frozenset({b"ud", b"shptxt", b"moMath", b"moMathPara", b"annotation"})
"""Destinations for newer programs whose text is text."""


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
        elif word in _OPENING:
            state = (None, state[1])
            put(_RTF_SIGNS.get(word, ""))
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
        if (equation := _EQUATION.match(asked)) is not None:
            yield Piece(re.sub(r"\\[a-z]+\s*\d*|\\.", " ", equation[1]))
    for reason, parts in texts.items():
        if reason is None:
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
