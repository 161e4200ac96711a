"""What the sources say of a PDF: headings and footnotes of TeX files, outline and labels of the file itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ragraph.ingest.draft import Draft

_NUMBER = re.compile(
    r"^(?:(?:chapter|part|appendix|section)\s+)?(?:[ivxlc]{1,7}|[a-z]|\d{1,3}(?:\.\d{1,3})*|[a-z](?:\.\d{1,3})+)[.:)\s–—-]+(?=\S)",
    re.I,
)


class Heading(NamedTuple):
    """A title and its depth from 1."""

    title: str
    depth: int


def plain(text: str) -> str:
    """Return letters and digits of a text, lower case, without a number in front."""
    bare = _NUMBER.sub("", text.strip()) if len(text) > 6 else text
    return "".join(character for character in bare.lower() if character.isalnum())


def outline_of(path: Path) -> tuple[list[Heading], list[str]]:
    """Return the outline and the page labels of a PDF."""
    from ragraph.ingest.readers.pdf.facts import open_pdf, read_facts

    document = open_pdf(path)
    facts = read_facts(document)
    document.close()
    return [Heading(entry.title, entry.depth) for entry in facts.outline], list(facts.labels)


def tex_source(path: Path) -> str:
    """Return a TeX file with the files it takes in, comments taken out."""
    text = "\n".join(_uncommented(_decoded(path.read_bytes())))

    def taken(match: re.Match[str]) -> str:
        inner = path.parent / match[1]
        return tex_source(inner) if inner.is_file() else ""

    return re.sub(r"\\input\{([^{}]+)\}", taken, text)


def headings_of(sources: Sequence[str], commands: Mapping[str, tuple[int, int]]) -> list[Heading]:
    """Return the headings of TeX sources.

    Args:
        sources: the texts, in the order of the document.
        commands: by name of command, the depth and the number of arguments that make up the title.
    """
    found: list[Heading] = []
    names = "|".join(map(re.escape, commands))
    for source in sources:
        text = _body(source)
        for match in re.finditer(rf"\\({names})\*?\s*(?:\[[^\]]*\])?\s*(?={{)", text):
            depth, count = commands[match[1]]
            if match[1] == "textbf" and not re.match(r"\{[^{}\n]*\}\s*\n", text[match.end() :]):
                continue
            if match[1] == "textbf" and text[: match.start()].rstrip(" ")[-1:] != "\n":
                continue
            end = match.end()
            parts = []
            for _ in range(count):
                part, end = _argument(text, end)
                parts.append(part)
                while end < len(text) and text[end] in " \n":
                    end += 1
            title = words_of(" ".join(parts))
            if plain(title):
                found.append(Heading(title, depth))
    return found


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
            # What a command prints is not known here: the longest stretch between such commands stands for the note.
            parts = [words_of(part) for part in _PRINTING.split(note)]
            longest = max(parts, key=len)
            if plain(longest):
                notes.append(longest)
    return notes


_PRINTING = re.compile(
    r"\\(?:UseVerb|hyperref|href|url|ref|pageref|xref|pagexref|figureref|cite\w*|blackout|sout|Pageref)"
    r"\s*(?:\[[^\]]*\])?(?:\{[^{}]*\})+|\$[^$]*\$"
)
_DROPPED = re.compile(r"\\(?:UseVerb|nblabel|label|index|hyperref|href|url)\s*(?:\[[^\]]*\])?\{[^{}]*\}")


def words_of(text: str) -> str:
    """Return TeX as plain text: commands dropped, their arguments kept."""
    text = _DROPPED.sub("", text)
    text = re.sub(r"\\footnote\s*\{.*", "", text, flags=re.S)
    text = re.sub(r"\\(?:[\"'`^~=.]|[uvHtcdbk](?=[\s{]))\s*\{?\\?([A-Za-z])\}?", r"\1", text)
    text = re.sub(r"\\(?:[A-Za-z]+\*?|.)", " ", text)
    return re.sub(r"\s+", " ", re.sub(r"[{}$~]", " ", text)).strip()


def cited_captions(draft: Draft) -> float | None:
    """Return the share of captions that a table or figure is bound to; None without captions."""
    captions = {node.key for node in draft.nodes if node.type is ContentNodeType.CAPTION}
    bound = {item.target for item in draft.relations if item.type is RelationType.IS_CAPTIONED_BY}
    return len(captions & bound) / len(captions) if captions else None


def _body(source: str) -> str:
    """Return the source between begin and end of the document, comments taken out."""
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
    """Return the argument in braces that begins at ``start``, and the place after it."""
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
