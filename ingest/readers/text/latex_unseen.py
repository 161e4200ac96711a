"""Remove from LaTeX what its document does not show: branches that are not taken, comments, phantoms, white text.

Comments behind ``%`` are removed with the marks; they are counted here. Branches whose condition is not known stay.
"""

from __future__ import annotations

import re

from ragraph.ingest.common.unseen import WHITE, Colour, hex_colour, is_same, leave_out
from ragraph.ingest.readers.text.latex_marks import closing

_RAW = re.compile(
    r"\\begin\{(verbatim\*?|lstlisting|minted|Verbatim)\}.*?\\end\{\1\}|\\verb\*?(?P<q>[^\w\s*]).*?(?P=q)", re.DOTALL
)
_BEGIN, _END = "\\begin{document}", "\\end{document}"
_EXCLUDED = re.compile(r"\\excludecomment\s*\{(\w+)\}")
_SWITCH = re.compile(r"\\newif\s*\\if([A-Za-z@]+)")
_TESTS = frozenset(
    {"if", "ifx", "ifnum", "ifdim", "ifodd", "ifcase", "ifmmode", "ifvmode", "ifhmode", "ifinner", "ifcat", "ifeof"}
    | {"ifdefined", "ifcsname", "iffontchar", "ifvoid", "ifhbox", "ifvbox", "ifpdf", "ifPDFTeX", "ifxetex", "ifluatex"}
    | {"iftrue", "iffalse"}
)
_WORD = re.compile(r"(?<!\\)(?:\\\\)*%[^\n]*|\\([A-Za-z@]+)|\\.", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%([^\n]*)")
_GIVEN = re.compile(r"\s*(?:\[([^\[\]]*)\])?\s*\{")
_BOXES = re.compile(
    r"\\(?:f?colorbox|cellcolor|rowcolors?|columncolor|fbox|begin\{(?:tcolorbox|mdframed|tikzpicture|shaded|colorbox)\}"
    r"|tikz|node|fill|includegraphics|tcbox|hl|sethlcolor)(?![a-zA-Z])"
)
"""Commands that give text another background."""

_GROUNDS = re.compile(r"\\pagecolor|\\documentclass(?:\[[^\]]*\])?\{beamer\}|\\setbeamercolor")
_DEFINED = re.compile(r"\\definecolor\s*\{([^{}]+)\}\s*\{(\w+)\}\s*\{([^{}]+)\}")
_EMPTY = re.compile(
    r"\\(?:re)?newcommand\*?\s*\{?\\([A-Za-z@]+)\}?\s*\[1\]\s*\{\s*\}|\\def\s*\\([A-Za-z@]+)#1\s*\{\s*\}"
)
"""A definition of a command that shows nothing of its argument."""

_ARGUMENTS = {"phantom": 1, "hphantom": 1, "vphantom": 1, "sbox": 2, "savebox": 2, "typeout": 1, "pdfinfo": 1}
"""Commands whose arguments show nothing, and how many they have."""

_COMMAND = re.compile(
    r"\\(phantom|hphantom|vphantom|sbox|savebox|typeout|pdfinfo|textcolor|color|scalebox|resizebox|transparent"
    r"|texttransparent|fontsize)\*?(?![A-Za-z])"
)
_LENGTH = re.compile(r"\s*(-?[\d.]+)\s*(pt|mm|cm|in|em|ex|sp|bp)?")
_POINTS = {"pt": 1.0, "mm": 2.85, "cm": 28.5, "in": 72.3, "em": 10.0, "ex": 4.3, "sp": 1 / 65536, "bp": 1.0}
_TOO_SMALL = 1.0
"""Size of letters in points up to which nobody can read."""

_TOO_SCALED = 0.1
"""Factor up to which scaled text cannot be read."""


def without_hidden(source: str) -> str:
    """Return a source without what its document does not show; what is removed is recorded by ``leave_out``."""
    head, begin, body = source.partition(_BEGIN)
    if not begin:
        head, body = "", source
    raws: list[str] = []
    excluded = "|".join(map(re.escape, {"comment", "filecontents", "filecontents*", *_EXCLUDED.findall(head)}))
    body = re.sub(rf"\\begin\{{({excluded})\}}.*?(?:\\end\{{\1\}}|\Z)", _recorded, body, flags=re.DOTALL)
    head = re.sub(r"\\begin\{(filecontents\*?)\}.*?(?:\\end\{\1\}|\Z)", _recorded, head, flags=re.DOTALL)

    def put_away(found: re.Match[str]) -> str:
        raws.append(found[0])
        return f"\ue010{len(raws) - 1}\ue011"

    body = _RAW.sub(put_away, body)
    body, end, rest = body.partition(_END)
    leave_out(rest)
    body = _branches(body, {name: bool(_is_set(head, name)) for name in _SWITCH.findall(head)})
    for found in _COMMENT.finditer(body):
        leave_out(found[1])
    body = _without_empty_commands(body, _EMPTY.findall(head))
    body = _unseen_commands(body, None if _GROUNDS.search(source) else WHITE, _colours(source))
    body = re.sub("\ue010(\\d+)\ue011", lambda found: raws[int(found[1])], body)
    return head + begin + body + end


def _recorded(found: re.Match[str]) -> str:
    leave_out(found[0].removeprefix(f"\\begin{{{found[1]}}}").removesuffix(f"\\end{{{found[1]}}}"))
    return ""


def _is_set(head: str, name: str) -> bool:
    """Return True if the last command for a switch sets it."""
    return head.rfind(f"\\{name}true") > head.rfind(f"\\{name}false")


def _branches(text: str, switches: dict[str, bool]) -> str:
    """Return a text without the branches of conditions that are known not to be taken."""
    out: list[str] = []
    stack: list[bool | None] = []  # of each open condition: is its present branch taken; None if unknown
    last = 0
    found = _WORD.search(text)
    while found is not None:
        name, after = found[1] or "", found.end()
        value: bool | None = None
        opens = name in _TESTS or (name.startswith("if") and name[2:] in switches)
        if opens:
            if name in ("iftrue", "iffalse"):
                value = name == "iftrue"
            elif name == "if" and (same := re.compile(r"\s*([01])([01])?").match(text, after)):
                value = bool(same[2]) and same[1] == same[2]
                after = same.end()
            elif name[2:] in switches:
                value = switches[name[2:]]
        known = value is not None or (name in ("else", "fi") and stack and stack[-1] is not None)
        if opens or known:
            _add(out, text[last : found.start() if known else after], stack)
            last = after
        if opens:
            stack.append(value)
        elif name == "else" and stack and stack[-1] is not None:
            stack[-1] = not stack[-1]
        elif name == "fi" and stack:
            stack.pop()
            if not known:
                _add(out, text[last:after], stack)
                last = after
        elif name.endswith(("true", "false")) and False not in stack:
            switch = name.removesuffix("true").removesuffix("false")
            if switch in switches:
                switches[switch] = name.endswith("true")
        found = _WORD.search(text, after)
    _add(out, text[last:], stack)
    return "".join(out)


def _add(out: list[str], text: str, stack: list[bool | None]) -> None:
    if False in stack:
        leave_out(text)
    else:
        out.append(text)


def _without_empty_commands(text: str, names: list[tuple[str, str]]) -> str:
    """Return a text without commands that show nothing of their argument."""
    if not names:
        return text
    named = "|".join({re.escape(one or other) for one, other in names})
    out: list[str] = []
    last = 0
    for found in re.finditer(rf"\\(?:{named})(?![A-Za-z@])", text):
        if found.start() < last:
            continue
        _, argument, end = _argument(text, found.end())
        if argument is not None:
            leave_out(argument)
            out.append(text[last : found.start()])
            last = end
    return "".join([*out, text[last:]])


def _unseen_commands(text: str, ground: Colour | None, colours: dict[str, Colour]) -> str:
    """Return a text without the arguments of commands, and the groups behind them, that nobody sees."""
    out: list[str] = []
    last = 0
    at = 0
    while (found := _COMMAND.search(text, at)) is not None:
        at = found.end()
        name = found[1]
        model, first, after = _argument(text, at)
        if first is None:
            continue
        end = after
        hides = False
        if name in _ARGUMENTS:
            hides = True
            if _ARGUMENTS[name] == 2:
                end = _argument(text, after)[2]
        elif name == "textcolor":
            hides = _is_ground(text, found.start(), _colour(model, first, colours), ground)
            end = _argument(text, after)[2]
        elif name in ("scalebox", "resizebox"):
            hides = _is_nothing(first, scaled=name == "scalebox")
            end = _argument(text, after)[2] if name == "scalebox" else _argument(text, _argument(text, after)[2])[2]
        elif name == "texttransparent":
            hides = first.strip() in ("0", "0.0", ".0", "0.00")
            end = _argument(text, after)[2]
        elif name == "color":
            hides = _is_ground(text, found.start(), _colour(model, first, colours), ground)
            end = _end_of_group(text, after) if hides else after
        elif name == "transparent":
            hides = first.strip() in ("0", "0.0", ".0", "0.00")
            end = _end_of_group(text, after) if hides else after
        elif name == "fontsize":
            hides = _is_nothing(first, scaled=False)
            end = _end_of_group(text, after) if hides else after
        if hides:
            out.append(text[last : found.start()])
            leave_out(text[after if name not in _ARGUMENTS else found.end() : end])
            last = at = end
    return "".join([*out, text[last:]])


def _argument(text: str, at: int) -> tuple[str | None, str | None, int]:
    """Return the option and the argument in braces at a place, None if there is none, and the place behind it."""
    found = _GIVEN.match(text, at)
    if found is None:
        return None, None, at
    end = closing(text, found.end() - 1)
    return found[1], text[found.end() : end - 1], end


def _end_of_group(text: str, start: int) -> int:
    """Return the place before the brace, or the end of an environment, that closes the group around a place."""
    depth = 1
    inner = 0
    for found in re.compile(r"\\begin\{[^{}]*\}|\\end\{[^{}]*\}|\\.|[{}]", re.DOTALL).finditer(text, start):
        if found[0].startswith("\\begin{"):
            inner += 1
        elif found[0].startswith("\\end{"):
            inner -= 1
            if inner < 0:
                return found.start()
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    return len(text)


def _is_nothing(size: str, *, scaled: bool) -> bool:
    """Return True for a factor or a length that leaves nothing to read."""
    found = _LENGTH.match(size)
    if found is None:
        return False
    try:
        value = abs(float(found[1]))
    except ValueError:
        return False
    return value <= _TOO_SCALED if scaled else value * _POINTS[found[2] or "pt"] <= _TOO_SMALL


def _is_ground(text: str, at: int, colour: Colour | None, ground: Colour | None) -> bool:
    """Return True if text at a place has the colour of the page, and nothing in its paragraph may be behind it."""
    if not is_same(colour, ground):
        return False
    start, end = text.rfind("\n\n", 0, at), text.find("\n\n", at)
    return _BOXES.search(text, max(start, 0), end if end >= 0 else len(text)) is None


def _colours(source: str) -> dict[str, Colour]:
    """Return the colours that a source defines, by their names."""
    stated = ((name.strip(), _of_model(model, value)) for name, model, value in _DEFINED.findall(source))
    return {name: colour for name, colour in stated if colour is not None}


def _colour(model: str | None, value: str, colours: dict[str, Colour]) -> Colour | None:
    if model:
        return _of_model(model, value)
    name, _, rest = value.strip().partition("!")
    if name == "white" and rest:
        share = rest.split("!")[0]
        return (float(share) / 100,) * 3 if share.replace(".", "", 1).isdigit() else None
    return WHITE if name == "white" else colours.get(name)


def _of_model(model: str, value: str) -> Colour | None:
    """Return the colour of a model of xcolor, such as rgb or HTML; None if it is not known."""
    if model == "HTML":
        return hex_colour(value)
    try:
        parts = [float(part) for part in value.split(",")]
    except ValueError:
        return None
    if model == "gray" and len(parts) == 1:
        return parts[0], parts[0], parts[0]
    if model in ("rgb", "RGB") and len(parts) == 3:
        scale = 255 if model == "RGB" else 1
        return parts[0] / scale, parts[1] / scale, parts[2] / scale
    if model == "cmyk" and len(parts) == 4:
        cyan, magenta, yellow, black = parts
        return (1 - cyan) * (1 - black), (1 - magenta) * (1 - black), (1 - yellow) * (1 - black)
    return None
