"""Raised and lowered text in markup: H2O, 10⁶."""

from __future__ import annotations

import re

_RAISED = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_FORMULA = re.compile(r"(\$[^$\n]+\$)")
_EXPONENT = re.compile(r"[+\-−–]?\d+")

TILDES = re.compile(
    r"(?<=[\w)\]])(?:~(?!~)(?P<low>(?:[^\s~]|\\ ){1,40})~(?!~)|\^(?P<high>(?:[^\s^\[\]]|\\ ){1,40})\^(?!\^))"
)
"""``H~2~O`` and ``10^6^`` of Pandoc and AsciiDoc, behind a letter or digit."""

BRACES = re.compile(r"(?<=[\w)\]])(?:_\{(?P<low>[^{}\n]{1,40})\}|\^\{(?P<high>[^{}\n]{1,40})\})")
"""``H_{2}O`` and ``10^{6}`` of Org."""

COMMANDS = re.compile(
    r"(?<=\w)(?:\\textsubscript\{(?P<low>\w{1,40})\}|(?:\\textsuperscript|\\up)\{(?P<high>[+\-−–]?\w{1,40})\})"
)
"""``H\\textsubscript{2}O`` and ``10\\textsuperscript{6}`` of LaTeX."""


def without_scripts(text: str, pattern: re.Pattern[str]) -> str:
    """Return a text with lowered and raised parts as plain text; an exponent of a number has raised digits."""

    def plain(found: re.Match[str]) -> str:
        inner = found["low"] if found["low"] is not None else found["high"]
        behind_digit = found.string[found.start() - 1].isdigit()
        if found["high"] is not None and behind_digit and _EXPONENT.fullmatch(inner):
            return inner.translate(_RAISED)
        return inner.replace("\\ ", " ")

    if "$" not in text:
        return pattern.sub(plain, text)
    parts = _FORMULA.split(text)  # where these signs mean something else
    parts[::2] = [pattern.sub(plain, part) for part in parts[::2]]
    return "".join(parts)
