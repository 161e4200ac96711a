"""Raised and lowered text in markup."""

from __future__ import annotations

import re

from ragraph.ingest.common.scripts import lowered, raised

_FORMULA = re.compile(r"(\$[^$\n]+\$)")

TILDES = re.compile(
    r"(?<=[\w)\]])(?:~(?!~)(?P<low>(?:[^\s~]|\\ ){1,40})~(?!~)|\^(?P<high>(?:[^\s^\[\]]|\\ ){1,40})\^(?!\^))"
)
"""``H~2~O`` and ``10^6^`` of Pandoc and AsciiDoc, behind a letter or digit."""

BRACES = re.compile(r"(?<=[\w)\]])(?:_\{(?P<low>[^{}\n]{1,40})\}|\^\{(?P<high>[^{}\n]{1,40})\})")
"""``H_{2}O`` and ``10^{6}`` of Org."""

ELEMENTS = re.compile(r"<sub>(?P<low>[^<>\[\]`\n]{1,40})</sub>|<sup>(?P<high>[^<>\[\]`\n]{1,40})</sup>", re.IGNORECASE)
"""``H<sub>2</sub>O`` and ``10<sup>6</sup>`` of HTML in Markdown."""

COMMANDS = re.compile(
    r"(?<=\w)(?:\\textsubscript\{(?P<low>\w{1,40})\}|(?:\\textsuperscript|\\up)\{(?P<high>[+\-−–]?\w{1,40})\})"
)
"""``H\\textsubscript{2}O`` and ``10\\textsuperscript{6}`` of LaTeX."""


def without_scripts(text: str, pattern: re.Pattern[str]) -> str:
    """Return a text with lowered and raised parts as plain text."""

    def plain(found: re.Match[str]) -> str:
        before = found.string[max(found.start() - 1, 0) : found.start()]
        if found["low"] is not None:
            return lowered(found["low"].replace("\\ ", " "), before)
        return raised(found["high"].replace("\\ ", " "), before)

    if "$" not in text:
        return pattern.sub(plain, text)
    parts = _FORMULA.split(text)  # where these signs mean something else
    parts[::2] = [pattern.sub(plain, part) for part in parts[::2]]
    return "".join(parts)
