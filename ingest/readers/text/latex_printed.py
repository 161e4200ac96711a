"""Write commands of LaTeX that docling does not know as the text that they print: boxes, units, signs, theorems."""

from __future__ import annotations

import re
from functools import partial

from ragraph.ingest.common.scripts import raised
from ragraph.ingest.readers.text.latex_marks import MATH, VERBATIM, outside_code, split

_OPTIONS = r"(?:\s*\[[^\[\]]*\])*"
_BRACED = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_SETTINGS = {
    0: (r"begin\{(?:mdframed|algorithm|algorithmic|listing)\*?\}", r"(?:make|frame|f)box\*?(?![A-Za-z])"),
    1: (
        r"begin\{(?:minipage|multicols|subfigure|subtable|spacing|adjustbox|column)\*?\}",
        r"(?:par|raise|scale|rotate|adjust|p)box\*?(?![A-Za-z])",
    ),
    2: (r"begin\{(?:wrapfigure|wraptable|adjustwidth)\*?\}", r"(?:resize|fcolor)box\*?(?![A-Za-z])"),
}
"""Environments and commands by the number of arguments that are settings, such as a width, before their text."""

_ENVIRONMENT = re.compile(
    "|".join(rf"(\\{names}){_OPTIONS}(?:\s*{_BRACED}{_OPTIONS}){{{count}}}" for count, (names, _) in _SETTINGS.items())
)
_COMMAND = re.compile(
    "|".join(
        rf"\\{names}{_OPTIONS}(?:\s*{_BRACED}{_OPTIONS}){{{count}}}\s*(?=\{{)"
        for count, (_, names) in _SETTINGS.items()
    )
)
_TITLED = re.compile(r"(\\begin\{tcolorbox\})\s*\[")
_OPTION = re.compile(r"\\begin\{|\\.|[\[\]{},=]|\n[ \t]*\n", re.DOTALL)
"""A box with options, one of which may be its title; and the signs that part options, or are in none."""

_SLIDES = (
    (re.compile(r"(\\(?:begin\{\w+\*?\}|[A-Za-z]+\*?))<[\d,+.|@:a-z-]+>"), r"\1"),
    (
        re.compile(rf"(\\begin\{{frame\}}){_OPTIONS}\s*({_BRACED})\s*({_BRACED})?"),
        lambda found: f"{found[1]}\\subsubsection*{found[2]}\n\n{(found[3] or '')[1:-1]}\n\n",
    ),
    (re.compile(rf"\\frametitle\s*({_BRACED})"), r"\n\n\\subsubsection*\1\n\n"),
    (re.compile(rf"\\framesubtitle\s*({_BRACED})"), r"\n\n\1\n\n"),
    (re.compile(rf"(\\begin\{{(?:alert|example)?block\}})\s*({_BRACED})"), r"\1\n\n\\textbf\2\n\n"),
)
"""What slides have: the steps at which a piece is shown, which is no text; titles of slides and of their blocks."""

_ACRONYM = re.compile(
    rf"\\newacronym\s*(?:\[[^\]]*\])?\s*\{{([^{{}}]+)\}}\s*({_BRACED})\s*({_BRACED})"
    rf"|\\newglossaryentry\s*\{{([^{{}}]+)\}}\s*\{{[^{{}}]*?name\s*=\s*({_BRACED}|[^{{}},]+)"
)
_CALLED = re.compile(
    r"\\(?:[Gg]ls|GLS|[Aa]c|acr)(?P<form>short|long|full|[slf])?(?P<plural>pl|p)?\*?\s*\{(?P<key>[^{}]+)\}"
)

_AMPERSAND = re.compile(rf"\\(?:url|href|nolinkurl|path)\s*{_BRACED}|\\\\|\\&")
"""A printed ampersand, but not one of an address: docling begins a cell of a table there, unless it is in braces."""

_THEOREM = re.compile(r"\\newtheorem\*?\s*\{([^{}]+)\}\s*(?:\[[^\[\]]*\])?\s*\{([^{}]*)\}")
_USUAL = ("theorem", "lemma", "corollary", "proposition", "definition", "remark", "example", "conjecture")
"""Theorems that classes define."""

_CAPTION = re.compile(r"\\begin\{lstlisting\}\s*\[((?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\]")
_GIVEN = re.compile(r"(?:^|,)\s*(caption|label)\s*=\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|([^,{}]*))")

_QUANTITY = re.compile(
    r"\\(?:(?P<pair>SI|qty)|(?P<unit>si|unit)|(?P<angle>ang)|(?P<span>SIrange|qtyrange)|(?P<numbers>numrange))"
    rf"\s*(?:\[[^\[\]]*\])?\s*(?P<one>{_BRACED})(?:(?<=\}})\s*(?P<two>{_BRACED}))?(?:\s*(?P<three>{_BRACED}))?"
)
_UNIT = re.compile(r"\\(tothe|raiseto)\s*\{([^{}]*)\}|\\([A-Za-z]+)|([^\\\s]+)")
_PREFIXES = {
    "pico": "p", "nano": "n", "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "deca": "da", "hecto": "h",
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "femto": "f",
}  # fmt: skip
_UNITS = {
    "metre": "m", "meter": "m", "gram": "g", "kilogram": "kg", "second": "s", "ampere": "A", "kelvin": "K",
    "mole": "mol", "candela": "cd", "hertz": "Hz", "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W",
    "coulomb": "C", "volt": "V", "farad": "F", "ohm": "Ω", "siemens": "S", "weber": "Wb", "tesla": "T", "henry": "H",
    "lumen": "lm", "lux": "lx", "becquerel": "Bq", "gray": "Gy", "sievert": "Sv", "katal": "kat", "radian": "rad",
    "steradian": "sr", "degreeCelsius": "°C", "celsius": "°C", "degree": "°", "arcminute": "′", "arcsecond": "″",
    "minute": "min", "hour": "h", "day": "d", "litre": "L", "liter": "L", "tonne": "t", "hectare": "ha",
    "electronvolt": "eV", "percent": "\\%", "bel": "B", "decibel": "dB", "dalton": "Da", "byte": "B", "angstrom": "Å",
}  # fmt: skip
"""Units by their names in siunitx; the name of any other one is printed as it is."""

_SIGNS = {
    "S": "§", "P": "¶", "dag": "†", "ddag": "‡", "copyright": "©", "pounds": "£", "euro": "€", "dots": "…",
    "ldots": "…", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "TeX": "TeX", "BibTeX": "BibTeX", "textdegree": "°",
    "texteuro": "€", "textregistered": "®", "texttrademark": "™", "textellipsis": "…", "textendash": "–",
    "textemdash": "—", "textbullet": "•", "textpm": "±", "texttimes": "×", "textmu": "µ",
}  # fmt: skip
_SIGN = re.compile(rf"\\({'|'.join(_SIGNS)})(?![A-Za-z@])[ \t]*")
_STATED = re.compile(rf"\\(?:title|author|date)\s*{_BRACED}")
_BEGIN = "\\begin{document}"

_POWERS = {"square": "2", "squared": "2", "cubic": "3", "cubed": "3"}
_POWER = re.compile(r"\^\{?([-−]?\d+)\}?")


def printed(source: str) -> str:
    """Return a source with the text that its boxes, quantities, theorems and captions of listings print."""
    head, begin, body = source.partition(_BEGIN) if _BEGIN in source else ("", "", source)
    if "\\begin{frame}" in body:
        for pattern, said in _SLIDES:
            body = outside_code(partial(pattern.sub, said), body)
    head, body = _with_acronyms(head, body)
    theorems = {name: name.capitalize() for name in _USUAL} | dict(_THEOREM.findall(source))
    pieces: list[str] = []
    for text, is_code in split(body, VERBATIM):
        if is_code:
            pieces.append(_caption(text) + text)
            continue
        text = _without_theorems(text, theorems)
        pieces += [inner if is_math else _signs(_text(inner)) for inner, is_math in split(text, MATH)]
    head = _STATED.sub(lambda found: _signs(found[0]), _text(head))
    return head + begin + "".join(pieces)


def _with_acronyms(head: str, body: str) -> tuple[str, str]:
    """Return a source with acronyms and entries of its glossary as they are printed: the first time in full."""
    names: dict[str, tuple[str, str]] = {}

    def defined(found: re.Match[str]) -> str:
        key, short, long, entry, name = found.groups(default="")
        names[key or entry] = (short[1:-1], long[1:-1]) if key else (name.strip("{}"), "")
        return ""

    head, body = (outside_code(partial(_ACRONYM.sub, defined), text) for text in (head, body))
    if not names:
        return head, body
    used: set[str] = set()

    def called(found: re.Match[str]) -> str:
        if found["key"] not in names:
            return found[0]
        short, long = names[found["key"]]
        form = (found["form"] or "")[:1] or ("f" if found["key"] not in used else "s")
        used.add(found["key"])
        end = "s" if found["plural"] else ""
        if not long or form == "s":
            return short + end
        return f"{long}{end}" if form == "l" else f"{long}{end} ({short}{end})"

    return head, outside_code(partial(_CALLED.sub, called), body)


def _signs(text: str) -> str:
    return _SIGN.sub(lambda found: _SIGNS[found[1]], text)


def _text(text: str) -> str:
    """Return a text, or definitions of macros, with the text of boxes and quantities."""
    text = _with_titles(text.replace("\\part*", "\\part"))
    text = _ENVIRONMENT.sub(lambda found: f"{next(filter(None, found.groups()))} ", text)
    while (shorter := _COMMAND.sub("", text)) != text:  # a box in the argument of another
        text = shorter
    text = _AMPERSAND.sub(lambda found: "{\\&}" if found[0] == "\\&" else found[0], text)
    return _QUANTITY.sub(_quantity, text)


def _with_titles(text: str) -> str:
    """Return a text with the titles of boxes, which are in their options, behind their begin."""
    out: list[str] = []
    at = 0
    for found in _TITLED.finditer(text):
        if found.start() >= at and (options := _options(text, found.end())) is not None:
            out += [text[at : found.start()], _with_title(found[1], options[0])]
            at = options[1]
    return "".join([*out, text[at:]])


def _options(text: str, start: int) -> tuple[str, int] | None:
    """Return the title in the options that begin at a place, and where they end; None if they do not."""
    title, name, begin, depth = "", "", start, 0
    for sign in _OPTION.finditer(text, start):
        last = sign[0] == "]" and depth == 0
        if sign[0] in ("{", "["):
            depth += 1
        elif sign[0] in ("}", "]") and not last:
            depth -= 1
        elif sign[0] == "=" and depth == 0 and not name:
            name, begin = text[begin : sign.start()].strip(), sign.end()
        elif last or (sign[0] == "," and depth == 0):
            value = text[begin : sign.start()].strip()
            title = value if name == "title" else title
            name, begin = "", sign.end()
        elif sign[0].startswith("\\begin") or sign[0].startswith("\n"):
            return None
        if last:
            return title.removeprefix("{").removesuffix("}"), sign.end()
    return None


def _with_title(begin: str, title: str) -> str:
    return f"{begin}\n\n\\textbf{{{title.strip()}}}\n\n" if title.strip() else f"{begin} "


def _without_theorems(text: str, names: dict[str, str]) -> str:
    """Return a text with the names of theorems and proofs before them, as paragraphs."""
    known = "|".join(map(re.escape, names))
    option = r"\s*(?:\[((?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\])?"

    def begun(found: re.Match[str]) -> str:
        if found[1] == "proof":
            return f"\n\n\\textit{{{found[2] or 'Proof'}.}} "
        about = f" ({found[2]})" if found[2] else ""
        return f"\n\n\\textbf{{{names[found[1]]}}}{about}. "

    text = re.sub(rf"\\begin\{{({known}|proof)\}}{option}\s*", begun, text)
    return re.sub(rf"\\end\{{(?:{known}|proof)\}}", "\n\n", text)


def _caption(code: str) -> str:
    """Return the caption of a listing that is in its options."""
    options = _CAPTION.match(code)
    given = {name: one or other for name, one, other in _GIVEN.findall(options[1])} if options else {}
    if not given.get("caption", "").strip():
        return ""
    label = f"\\label{{{given['label'].strip()}}}" if given.get("label") else ""
    return f"\n\n\\captionof{{lstlisting}}{{{given['caption'].strip()}{label}}}\n\n"


def _quantity(found: re.Match[str]) -> str:
    """Return a number with its unit, as siunitx prints it."""
    one, two, three = (part[1:-1].strip() if part else "" for part in found.group("one", "two", "three"))
    rest = found[0]
    used = found.end("one") - found.start()
    if found["unit"]:
        return _unit(one) + rest[used:]
    if found["angle"]:
        return "".join(f"{part}{sign}" for part, sign in zip(one.split(";"), "°′″", strict=False)) + rest[used:]
    if not found["two"]:
        return rest
    used = found.end("two") - found.start()
    if found["pair"]:
        return _measured(one, two) + rest[used:]
    if found["numbers"]:
        return f"{one} to {two}{rest[used:]}"
    return f"{_measured(one, three)} to {_measured(two, three)}"


def _measured(number: str, unit: str) -> str:
    shown = _unit(unit)
    return f"{number}{shown}" if shown in ("°", "′", "″") else f"{number} {shown}"


def _unit(source: str) -> str:
    """Return the symbol of a unit; metre per second is "m s⁻¹"."""
    units: list[list[str]] = []  # symbol, power
    prefix, power, sign = "", "", ""
    for name, number, word, literal in _UNIT.findall(source):
        if word == "per":
            sign = "-"
        elif word in _PREFIXES:
            prefix = _PREFIXES[word]
        elif name == "raiseto" or word in ("square", "cubic"):
            power = number or _POWERS[word]
        elif name == "tothe" or word in ("squared", "cubed"):
            if units:
                units[-1][1] = units[-1][1].replace("1", "") + (number or _POWERS[word])
        else:
            shown = literal.replace("~", " ").replace(".", " ") if literal else prefix + _UNITS.get(word, word)
            units.append([shown, sign + power if power else sign + "1" if sign else ""])
            prefix, power, sign = "", "", ""
    shown = " ".join(f"{symbol}{raised(power, symbol)}" for symbol, power in units)
    return _POWER.sub(lambda found: raised(found[1], ""), shown)
