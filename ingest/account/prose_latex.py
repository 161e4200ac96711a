"""The text of LaTeX by its tokens: what no token proves to be markup is text, and counts word by word."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from ragraph.ingest.account.words import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"\\(?:url|nolinkurl|path)\s*\{(?P<address>[^{}\n]*)\}|%(?P<comment>[^\n]*)\n?|\\end\s*\{(?P<ended>[^{}]*)\}|\\begin\s*\{(?P<begun>[^{}]*)\}"
    r"|\\(?P<name>[a-zA-Z@]+)\*?|\\(?P<sign>.)",
    re.DOTALL,
)
_NO_TEXT = {
    name: count
    for count, names in enumerate(
        (
            """
        label ref eqref pageref autoref nameref vref cref Cref labelcref hyperlink bibitem includegraphics input include
        subfile bibliography bibliographystyle addbibresource usepackage RequirePackage documentclass vspace hspace
        pagestyle thispagestyle pagenumbering index hypertarget color graphicspath cline cmidrule linespread phantom
        vphantom hphantom lstset tikzset pgfplotsset hypersetup usetikzlibrary theoremstyle selectlanguage includepdf
        lstinputlisting arabic alph Alph roman Roman fnsymbol stepcounter refstepcounter value newcounter captionsetup
        usetheme usecolortheme hyphenation textcolor href colorbox parbox raisebox scalebox rotatebox foreignlanguage
        hyperref makebox rowcolor cellcolor columncolor enlargethispage geometry includesvg newif newlength usebox
        newsavebox lhead rhead chead lfoot rfoot cfoot fancyhead fancyfoot vskip hskip typeout hyperdef savebox sbox
        glsadd fontfamily newtheorem newacronym gls Gls glspl ac acs acl acf acp acrshort acrlong acrfull
        pagecolor transparent texttransparent
        """,
            """
        setlength addtolength setcounter addtocounter fontsize numberwithin multicolumn multirow resizebox fcolorbox
        rule settowidth import includefrom subimport setbeamercolor setbeamertemplate setbeamerfont DeclareMathOperator
        """,
            "addcontentsline newenvironment renewenvironment titleformat titlespacing definecolor",
        ),
        1,
    )
    for name in names.split()
}
"""Commands by the number of their first arguments that are no text."""

_CITES = re.compile(r"\w*cite\w*", re.IGNORECASE)
_ENVIRONMENTS = {
    **dict.fromkeys(("tabular", "array", "minipage", "multicols", "thebibliography", "longtable", "supertabular"), 1),
    **dict.fromkeys(("spacing", "subfigure", "subtable", "adjustbox", "column", "alignat"), 1),
    **dict.fromkeys(("tabularx", "tabulary", "wraptable", "wrapfigure", "adjustwidth", "list"), 2),
}
_RAW = frozenset({"verbatim", "lstlisting", "Verbatim", "minted", "alltt"})
_AWAY = frozenset({"comment", "filecontents"})
_DRAWN = frozenset({"tikzpicture", "pgfpicture", "picture", "forest", "asy"})
_DEFINING = frozenset({"def", "gdef", "edef", "xdef", "let", "newcommand", "renewcommand", "providecommand"})
_IN_COLOUR = frozenset(
    {"color", "textcolor", "pagecolor", "colorbox", "fcolorbox", "rowcolor", "cellcolor", "columncolor"}
)
"""Commands whose option is a model of colours, not text."""

_SHORTENED = frozenset({"part", "chapter", "section", "subsection", "subsubsection", "paragraph", "caption", "title"})
_STATED = re.compile(r"\\(?:title|subtitle|author|date|institute|affil|affiliation|address|publishers)\*?(?![a-zA-Z])")
_OPTION = re.compile(r"\s*\[((?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\]")
_SETTING = re.compile(
    r".*=.*|<.*>|[htbpHclrmsijuw!+\d.,:\s*@-]*|\s*[\d.]*\s*\\[a-zA-Z]+\s*|[\d.,\s]+[a-z]{2}", re.DOTALL
)
"""An option that is a setting: a name with a value, a place, a length."""

_OVERLAY = re.compile(r"\s*<[\w+.|@:, -]*>")
"""The slides on which a piece of a presentation is shown."""

_FILE = re.compile(r"[ \t]+[\w./-]+")
_COMPARED = re.compile(r"\s*[01]{1,2}")
"""What a condition compares that is always true or never: 0 or 1."""

_DEFINITION = re.compile(r"\s*(?:\{\s*)?\\[a-zA-Z@]+\s*\}?(?:\s*\[[^\]]*\]|#\d)*\s*=?\s*(?:\\[a-zA-Z@]+)?")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LABEL = re.compile(
    r"(?P<node>\b(?:node|matrix)\b(?!/))|\\(?:addlegendentry|legend)\s*(?=\{)"
    r"|\b(?:title|[xyz]?label|pin|legend entries|[xyz]ticklabels|symbolic [xyz] coords)\s*=\s*"
    r"(?:(?=\{)|(?P<bare>[^{},\]\n]+))"
)
"""A label of a drawing: the text of a node, a title, an axis."""

_STEP = re.compile(r"\\.|[\[\](){};=,]|\b(?:node|matrix)\b", re.DOTALL)
_LONGEST = 1000
"""What may end the options, name and place of a node, before its text; and the most characters of these."""

_SIDE = re.compile(r"\A\{?\s*(?:above|below|left|right|center|-?\d+)(?: left| right)?\s*:")
_LETTER = re.compile(r"\s*(?:\{\s*\\?([a-zA-Z])\s*\}|\\?([a-zA-Z])(?![a-zA-Z])|(?<![a-zA-Z ])([a-zA-Z]))")
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
}  # fmt: skip
_BEHIND_SIGN = re.compile(r"[ \t]*(?:\{\})?")
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å",
    "AA": "Å", "i": "ı", "S": "§", "pounds": "£", "euro": "€", "texteuro": "€", "textdegree": "°", "pm": "±",
    "LaTeX": "LaTeX", "TeX": "TeX",
}  # fmt: skip


def latex_pieces(text: str) -> Iterator[Piece]:
    """Yield the lines of a LaTeX source without its commands and their settings, which are left out."""
    head, begin, body = text.partition("\\begin{document}")
    scan = _Scan()
    if begin:
        body, _, rest = body.partition("\\end{document}")
        scan.leave(rest, "behind the end of the document")
        last = 0
        for found in _STATED.finditer(head):
            place = _behind_options(head, found.end())
            if found.start() >= last and head[place : place + 1] == "{":
                scan.leave(head[last : found.start()], "preamble")
                last = _closing(head, place)
                scan.text(head[place:last])
        scan.leave(head[last:], "preamble")
    scan.text(body if begin else text)
    yield from scan.pieces()


class _Scan:
    """A walk over the tokens of a source; it keeps what is text."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._left: dict[str, list[str]] = {}

    def pieces(self) -> Iterator[Piece]:
        """Yield the lines that are kept, and what is left out, by its reason."""
        yield from (Piece(line) for line in "".join(self._kept).splitlines() if line.strip())
        yield from (Piece("\n".join(texts), reason) for reason, texts in self._left.items())

    def leave(self, text: str, reason: str = "markup") -> None:
        """Leave a text out."""
        self._left.setdefault(reason, []).append(text)

    def text(self, text: str) -> None:
        """Keep what is no token, and the text of tokens."""
        place = 0
        while (found := _TOKEN.search(text, place)) is not None:
            self._kept.append(text[place : found.start()])
            place = found.end()
            if found["address"] is not None:
                self._kept.append(found["address"])
            elif found["comment"] is not None:
                self.leave(found["comment"], "comment")
            elif found["ended"] is not None:
                self.leave(found["ended"])
                self._kept.append("\n")
            elif found["begun"] is not None:
                place = self._environment(text, found["begun"].strip(), place)
            else:
                place = self._command(text, found["name"] or found["sign"], place)
        self._kept.append(text[place:] + "\n")

    def _environment(self, text: str, called: str, place: int) -> int:
        """Keep the text of the begin of an environment, or of all of it; return the place behind."""
        self.leave(called)
        self._kept.append("\n")
        name = called.removesuffix("*")
        if name not in _RAW | _AWAY | _DRAWN:
            return self._arguments(text, place, 2 if called == "tabular*" else _ENVIRONMENTS.get(name, 0))
        end = text.find(f"\\end{{{called}}}", place)
        end = len(text) if end < 0 else end
        if name in _AWAY:
            self.leave(text[place:end], "comment")
        elif name in _DRAWN:
            self._drawing(text[place:end])
        else:
            place = self._arguments(text, place, int(name == "minted"))
            self._kept.append(text[place:end])
        return end

    def _drawing(self, text: str) -> None:
        """Keep the labels of a drawing."""
        last = 0
        for found in _LABEL.finditer(text):
            begin = _text_of_node(text, found.end()) if found["node"] else found.end()
            if found.start() >= last and begin is not None:
                self.leave(text[last:begin])
                last = begin if found["bare"] else _closing(text, begin)
                self.text(_SIDE.sub("", found["bare"] or text[begin:last]))
        self.leave(text[last:])

    def _command(self, text: str, name: str, place: int) -> int:
        """Keep the text of a command; return the place behind what is none."""
        if name in _ACCENTS and (letter := _LETTER.match(text, place)) is not None:
            self._kept.append(unicodedata.normalize("NFC", f"{letter[letter.lastindex or 0]}{_ACCENTS[name]}"))
            return letter.end()
        if not name[0].isalpha():
            self._kept.append(name if name in "%$#&_" else "" if name in "-/" else " ")
            return _behind_options(text, place) if name == "\\" else place
        if name in _LETTERS:
            self._kept.append(_LETTERS[name])
            return _BEHIND_SIGN.match(text, place).end()  # type: ignore[union-attr]  # it may be empty
        self.leave(name)
        self._kept.append(" ")
        if name in ("verb", "lstinline", "mintinline") and text[place : place + 1].strip(" {[\n"):
            end = text.find(text[place], place + 1)
            self._kept.append(text[place + 1 : end] + " ")
            return max(end + 1, place)
        if name in _DEFINING and (named := _DEFINITION.match(text, place)) is not None:
            end = _closing(text, named.end()) if text[named.end() : named.end() + 1] == "{" else named.end()
            self.leave(text[place:end])
            return end
        if name == "texorpdfstring":  # the second is the same for bookmarks
            end = _closing(text, place)
            self.text(text[place:end])
            return self._arguments(text, end, 1)
        if name == "if" and (compared := _COMPARED.match(text, place)) is not None:
            self.leave(compared[0])
            return compared.end()
        if name == "input" and (file := _FILE.match(text, place)) is not None:
            return file.end()
        count = 1 if _CITES.fullmatch(name) else _NO_TEXT.get(name, 0)
        return self._arguments(text, place, count, shortened=name in _SHORTENED | _IN_COLOUR)

    def _arguments(self, text: str, place: int, count: int, *, shortened: bool = False) -> int:
        """Leave out so many arguments and the options that are settings; keep others. Return the place behind."""
        while True:
            if (overlay := _OVERLAY.match(text, place)) is not None:
                self.leave(overlay[0])
                place = overlay.end()
            elif (option := _OPTION.match(text, place)) is not None:
                if shortened or _SETTING.fullmatch(option[1]):
                    self.leave(option[1])
                else:
                    self.text(option[1])
                place = option.end()
            elif count and (opening := re.compile(r"\s*\{").match(text, place)) is not None:
                place = _closing(text, opening.end() - 1)
                self.leave(text[opening.start() : place])
                count -= 1
            else:
                return place


def _behind_options(text: str, place: int) -> int:
    while (option := _OPTION.match(text, place)) is not None:
        place = option.end()
    return place


def _text_of_node(text: str, place: int) -> int | None:
    """Return where the text of a node of a drawing begins, behind its options, name and place; None without one."""
    depth = 0
    for found in _STEP.finditer(text, place, place + _LONGEST):
        if found[0] == "{" and depth == 0:
            return found.start()
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and found[0] in (";", "=", ",", "node", "matrix")):
            return None
    return None


def _closing(text: str, place: int) -> int:
    """Return the place behind the brace that closes the one at ``place``, or the end of the text.

    That of the readers is none of the account: what these take for the end must not be what it is measured by.
    """
    depth = 0
    for found in _BRACE.finditer(text, place):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth <= 0:
            return found.end()
    return len(text)
