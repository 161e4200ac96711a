"""TeX sources as truth for their PDF: headings, notes, figures and the order of words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.structure.reading import Heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.structure.documents import TexHeading

_NUMBER = re.compile(
    r"^(?:(?:chapter|part|appendix|section)\s+)?(?:[ivxlc]{1,7}|[a-z]|\d{1,3}(?:\.\d{1,3})*|[a-z](?:\.\d{1,3})+)[.:)\s–—-]+(?=\S)",
    re.I,
)


def plain(text: str) -> str:
    """Return letters and digits of a text, lower case, without a leading number."""
    bare = _NUMBER.sub("", text.strip()) if len(text) > 6 else text
    return "".join(character for character in bare.lower() if character.isalnum())


def tex_source(path: Path) -> str:
    """Return a TeX file with the files it includes, without comments."""
    text = "\n".join(_uncommented(_decoded(path.read_bytes())))

    def taken(match: re.Match[str]) -> str:
        inner = path.parent / match[1]
        return tex_source(inner) if inner.is_file() else ""

    return re.sub(r"\\input\{([^{}]+)\}", taken, text)


def headings_of(sources: Sequence[str], rules: Sequence[TexHeading]) -> list[Heading]:
    """Return the headings that commands of TeX sources set, in the order of the sources."""
    found: list[Heading] = []
    by_command = {rule.command: rule for rule in rules}
    names = "|".join(map(re.escape, by_command))
    for source in sources:
        text = _body(source)
        for match in re.finditer(rf"\\({names})(?![A-Za-z])\*?\s*(?:\[[^\]]*\])?\s*(?=({{)?)", text):
            rule = by_command[match[1]]
            if not rule.title and (not match[2] or (rule.command == "textbf" and not _stands_alone(text, match))):
                continue
            title = rule.title or _title(text, match.end(), rule.arguments)
            if rule.keep:
                kept = re.search(rule.keep, title)
                title = kept[0] if kept else title
            if plain(title):
                found.append(Heading(title, rule.depth))
    return found


def _title(text: str, start: int, count: int) -> str:
    """Return the title made of this many arguments from an offset on."""
    parts = []
    end = start
    for _ in range(count):
        part, end = _argument(text, end)
        parts.append(part)
        while end < len(text) and text[end] in " \n":
            end += 1
    return words_of(" ".join(parts))


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    """Return True if bold words are a line of their own."""
    after = re.match(r"\{[^{}\n]*\}\s*\n", text[match.end() :])
    return after is not None and text[: match.start()].rstrip(" ")[-1:] == "\n"


def footnotes_of(sources: Sequence[str], commands: Sequence[str]) -> list[str]:
    """Return the texts of the footnotes of TeX sources."""
    notes: list[str] = []
    if not commands:
        return notes
    names = "|".join(map(re.escape, commands))
    for source in sources:
        text = _body(source)
        for match in re.finditer(rf"\\(?:{names})\s*(?:\[[^\]]*\])?\s*(?={{)", text):
            note, _ = _argument(text, match.end())
            # the output of a command is not known here, so the longest text between such commands represents the note
            parts = [words_of(part) for part in _PRINTING.split(note)]
            longest = max(parts, key=len)
            if plain(longest):
                notes.append(longest)
    return notes


_PRINTING = re.compile(
    r"\\(?:UseVerb|hyperref|href|url|ref|pageref|xref|pagexref|figureref|cite\w*|blackout|sout|Pageref)"
    r"\s*(?:\[[^\]]*\])?(?:\{[^{}]*\})+|\$[^$]*\$"
)
_DROPPED = re.compile(
    r"\\(?:pdfbookmark\s*(?:\[[^\]]*\])?\{[^{}]*\}\{[^{}]*\}"
    r"|(?:UseVerb|nblabel|label|index|hyperref|href|url)\s*(?:\[[^\]]*\])?\{[^{}]*\})"
)


def words_of(text: str) -> str:
    """Return TeX as plain text: commands dropped, their arguments kept."""
    text = _DROPPED.sub("", text)
    text = re.sub(r"\\footnote\s*\{.*", "", text, flags=re.S)
    text = re.sub(r"\\(?:[\"'`^~=.]|[uvHtcdbk](?=[\s{]))\s*\{?\\?([A-Za-z])\}?", r"\1", text)
    text = re.sub(r"\\(?:[A-Za-z]+\*?|.)", " ", text)
    return re.sub(r"\s+", " ", re.sub(r"[{}$~]", " ", text)).strip()


def running_text(sources: Sequence[str], notes: Sequence[str]) -> list[str]:
    """Return the words of TeX sources in order, without notes, formulas, labels and index entries."""
    words: list[str] = []
    for source in sources:
        text = re.sub(r"\\iffalse\b.*?\\fi\b", " ", _body(source), flags=re.S)
        text = _without(text, [*notes, "index", "label", "includegraphics"])
        text = re.sub(r"\$\$.*?\$\$|\\\[.*?\\\]|\$[^$]*\$", " ", text, flags=re.S)
        text = re.sub(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\[[^\]]*\])?", " ", text)
        words += words_of(text).replace("---", " ").replace("--", " ").split()
    return words


def figures_of(sources: Sequence[str], command: str) -> list[str]:
    """Return the captions "Fig. N." of a command whose argument is the number of the figure."""
    if not command:
        return []
    pattern = re.compile(rf"\\{command}\s*(?:\[[^\]]*\])?\{{(\w+)\}}")
    return [f"Fig. {match[1]}." for source in sources for match in pattern.finditer(_body(source))]


def _without(text: str, commands: Sequence[str]) -> str:
    """Return a text without some commands and their arguments."""
    pattern = re.compile(rf"\\(?:{'|'.join(map(re.escape, commands))})\*?\s*(?:\[[^\]]*\])?\s*(?={{)")
    kept = []
    place = 0
    while match := pattern.search(text, place):
        kept.append(text[place : match.start()])
        _, place = _argument(text, match.end())
    return "".join([*kept, text[place:]])


def _body(source: str) -> str:
    """Return the source between begin and end of the document, without comments."""
    text = "\n".join(_uncommented(source))
    start, end = text.find("\\begin{document}"), text.find("\\end{document}")
    return text[max(start, 0) : end if end > 0 else len(text)]


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _uncommented(source: str) -> Iterator[str]:
    for line in source.splitlines():
        yield re.sub(r"(?<!\\)%.*", "", line)


def _argument(text: str, start: int) -> tuple[str, int]:
    """Return the argument in braces that begins at ``start``, and its end."""
    if start >= len(text) or text[start] != "{":
        return "", start
    depth = 0
    for place in range(start, len(text)):
        if text[place] == "\\":
            continue
        if text[place] == "{" and text[place - 1] != "\\":
            depth += 1
        elif text[place] == "}" and text[place - 1] != "\\":
            depth -= 1
            if depth == 0:
                return text[start + 1 : place], place + 1
    return text[start + 1 :], len(text)
