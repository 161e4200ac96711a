"""Tables, lists and inline marks of Org as those of Markdown."""

from __future__ import annotations

import re
from html.entities import html5

from ragraph.ingest.common.scripts import raised
from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.readers.text.scripts import BRACES, without_scripts

_LINK = re.compile(r"\[\[([^\[\]]+)\](?:\[((?:[^\[\]]|\[[^\[\]]*\])+)\])?\]")
_NOTE = re.compile(r"\[fn:([\w-]+)\]")
_NOTE_HERE = re.compile(r"\[fn:[\w-]*:((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_STYLES = (("*", "**"), ("/", "*"), ("=", "`"), ("~", "`"), ("+", "~~"))
_TARGET = re.compile(r"<<<([^<>\n]+)>>>|<<([^<>\n]+)>>")
_TAG = re.compile(r"(?<!<)<(?=[A-Za-z/!?])(?!\w+:)")
"""A sign that is text in Org, and would begin a piece of HTML in Markdown."""
_SNIPPET = re.compile(r"@@[\w-]+:(.*?)@@")
_ENTITY = re.compile(r"(?<!\S)[A-Za-z]:\\\S*|\\([A-Za-z]{2,}[1-4]{0,2})(?:\{\}|(?![A-Za-z{]))")
"""A name of a sign; or a path of Windows, which has none."""

_SIGNS = frozenset(
    re.findall(
        r"\w+",
        """
    Agrave agrave Aacute aacute Acirc acirc Amacr amacr Atilde atilde Auml auml Aring aring AElig aelig Ccedil ccedil
    Egrave egrave Eacute eacute Ecirc ecirc Euml euml Igrave igrave Iacute iacute Idot inodot Icirc icirc Iuml iuml
    Ntilde ntilde Ograve ograve Oacute oacute Ocirc ocirc Otilde otilde Ouml ouml Oslash oslash OElig oelig Scaron
    scaron szlig Ugrave ugrave Uacute uacute Ucirc ucirc Uuml uuml Yacute yacute Yuml yuml fnof real image weierp ell
    imath jmath Alpha alpha Beta beta Gamma gamma Delta delta Epsilon epsilon varepsilon Zeta zeta Eta eta Theta theta
    thetasym vartheta Iota iota Kappa kappa Lambda lambda Mu mu Nu nu Xi xi Omicron omicron Pi pi Rho rho Sigma sigma
    sigmaf varsigma Tau tau Upsilon upsih upsilon Phi phi varphi Chi chi Psi psi Omega omega piv varpi alefsym aleph
    gimel beth ETH eth THORN thorn hellip middot iexcl iquest shy ndash mdash quot acute ldquo rdquo bdquo lsquo rsquo
    sbquo laquo raquo lsaquo rsaquo circ vert brvbar sect amp lt gt tilde plus dagger Dagger nbsp ensp emsp thinsp
    curren cent pound yen euro dollar copy reg trade minus pm plusmn times frasl colon div frac12 frac14 frac34 permil
    sup1 sup2 sup3 radic sum prod micro macr deg prime Prime infin prop propto not wedge vee cap cup smile frown int
    therefore there4 because sim cong simeq asymp approx ne equiv triangleq le leq ge geq lessgtr lesseqgtr ll Ll gg
    Gg ggg prec preceq preccurlyeq succ succeq succcurlyeq sub subset supset nsub sube nsup supe setminus forall exist
    nexist nexists empty emptyset isin in notin ni nabla ang angle perp parallel sdot cdot lceil rceil lfloor rfloor
    lang rang langle rangle hbar larr leftarrow lArr Leftarrow uarr uparrow uArr Uparrow rarr rightarrow rArr
    Rightarrow darr downarrow dArr Downarrow harr leftrightarrow hArr Leftrightarrow crarr bull bullet star lowast ast
    odot oplus otimes check checkmark para ordf ordm cedil uml zwnj zwj lrm rlm clubs clubsuit spades spadesuit hearts
    heartsuit diams diamondsuit loz
    """,
    )
)
"""Names of Org whose signs have the same names in HTML."""

_FORMULA = re.compile(
    r"(\$[^$\n]+\$|\\\((?:(?!\\\().)*?\\\)|\\\[(?:(?!\\\[).)*?\\\]|(?<!\w)[=~]\S(?:[^=~\n]*\S)?[=~](?!\w))"
)
"""A formula or code, where signs mean something else."""

_POWER = re.compile(r"(?<=[\w)])\^([+-]?\d+)(?![\w{])")
_NAMED = {
    "ldots": "…", "dots": "…", "cdots": "⋯", "to": "→", "infty": "∞", "land": "∧", "lor": "∨", "neq": "≠",
    "exists": "∃", "partial": "∂", "dag": "†", "ddag": "‡", "EUR": "€", "vbar": "|",
}  # fmt: skip
"""Names of Org that are none in HTML, or have another sign there."""

_RULE = re.compile(r"\s*\|-")
_COOKIE = re.compile(r"<[lrc]?\d*>")
_MARKS = frozenset("!^_$#*/")
"""Signs in the first column that say what a row is: names, parameters, groups of columns, or to be computed."""

_NOT_SHOWN = frozenset("!^_$/")
_ITEM = re.compile(r"(\s*)([-+]|(?<=\s)\*|\d{1,9}[.)])(?:\s+(?:\[@(\d+)\]\s*)?(.*)|\s*)$")


def table(lines: list[str]) -> list[str]:
    """Return the lines of a table as one of Markdown, without rules, formats of columns and rows that are settings."""
    rows: list[list[str]] = []
    head = 0
    for line in lines:
        if _RULE.match(line):
            head = head or len(rows)
            continue
        bare = line.strip().removeprefix("|").removesuffix("|")
        rows.append([cell.strip() for cell in bare.split("|")])
    shown, first = [], [row[0] for row in rows]
    marked = any(one in _MARKS for one in first) and all(not one or one in _MARKS for one in first)
    heads = 0
    for place, row in enumerate(rows):
        cells = [cell for cell in row if cell]
        settings = bool(cells) and all(_COOKIE.fullmatch(cell) for cell in cells)
        if settings or (marked and row[0] in _NOT_SHOWN):
            leave_out(" ".join(row))
            continue
        shown.append(row[1:] if marked else row)
        heads += place < head
    if not shown:
        return []
    width = max(map(len, shown))
    lines = [f"| {' | '.join([*map(_cell, row), *[''] * (width - len(row))])} |" for row in shown]
    blank = [f"|{' |' * width}"] if not heads or heads == len(shown) else []
    return [*blank, *lines[: 0 if blank else 1], f"|{'---|' * width}", *lines[0 if blank else 1 :]]


def _cell(text: str) -> str:
    r"""Return the text of a cell, with a bar that Org writes as ``\vert`` as one of Markdown."""
    return inline(text).replace("|", r"\|")


class Lists:
    """The open items of lists: where Org has each, and where Markdown has its text."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int]] = []

    @property
    def is_open(self) -> bool:
        """Return True within a list."""
        return bool(self._open)

    def close(self) -> None:
        """End all lists."""
        self._open.clear()

    def prefix(self, line: str) -> str:
        """Return the space before a line that is no item: that of the item it is in, which ends deeper ones."""
        self._leave(_indent(line))
        return " " * (self._open[-1][1] if self._open else 0)

    def item(self, line: str) -> tuple[str, str] | None:
        """Return the mark of an item with the space before it, and its text; None for other lines."""
        found = _ITEM.match(line)
        if found is None:
            return None
        self._leave(len(found[1].expandtabs(8)))
        mark = f"{found[3]}{found[2][-1]}" if found[3] and found[2][-1] in ".)" else found[2]
        at = self._open[-1][1] if self._open else 0
        self._open.append((len(found[1].expandtabs(8)), at + len(mark) + 1))
        return f"{' ' * at}{mark} ", found[4] or ""

    def _leave(self, indent: int) -> None:
        while self._open and self._open[-1][0] >= indent:
            self._open.pop()


def _indent(line: str) -> int:
    wide = line.expandtabs(8)
    return len(wide) - len(wide.lstrip())


def inline(text: str) -> str:
    """Return a line with Org's links, notes and emphasis as those of Markdown."""
    text = _SNIPPET.sub(lambda found: _left_out(found[1]), text)
    if "<" in text:
        parts = _FORMULA.split(text)
        parts[::2] = [_TAG.sub(r"\<", part) for part in parts[::2]]
        text = "".join(parts)
    text = _TARGET.sub(lambda found: found[1] or f'<a id="{found[2]}"></a>', text)
    text = _LINK.sub(_link, text)
    text = _NOTE_HERE.sub(lambda found: f"^[{found[1].strip()}]", _NOTE.sub(r"[^\1]", text))
    if "\\" in text or "^" in text or "_" in text:
        parts = _FORMULA.split(text)
        parts[::2] = map(_plain, parts[::2])
        text = "".join(parts)
    for sign, fence in _STYLES:
        mark = re.escape(sign)
        text = re.sub(
            rf"(?<![\w{mark}\\<(:/]){mark}(?=\S)([^{mark}\n]*?\S){mark}(?![\w{mark}])",
            lambda found, fence=fence: f"{fence}{found[1]}{fence}",  # type: ignore[misc]
            text,
        )
    return text


def _link(found: re.Match[str]) -> str:
    """Return a link as one of Markdown, which knows no addresses that begin with ``file:``."""
    return f"[{found[2]}](<{found[1].removeprefix('file:')}>)" if found[2] else f"<{found[1]}>"


def _plain(text: str) -> str:
    """Return a piece of text without Org's names of signs, raised and lowered parts."""
    text = _ENTITY.sub(_sign, text)
    text = re.sub(r"\\\\\s*$", "  ", text)
    text = _POWER.sub(lambda found: raised(found[1], found.string[found.start() - 1]), text)
    return without_scripts(text, BRACES)


def _sign(found: re.Match[str]) -> str:
    """Return the sign of a name; unchanged if Org has no such name."""
    own = _NAMED.get(found[1])
    return own or (html5.get(f"{found[1]};", found[0]) if found[1] in _SIGNS else found[0])


def _left_out(text: str) -> str:
    leave_out(text)
    return ""
