"""Rewrite LaTeX so that docling keeps notes, labels, references, citations, links and emphasis."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.ingest.readers.docling.marks import Marks

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n[ \t]*)?")
VERBATIM = re.compile(
    r"\\begin\{(verbatim\*?|lstlisting|minted|Verbatim|comment)\}.*?\\end\{\1\}|\\verb\*?(?P<q>[^\w\s*]).*?(?P=q)",
    re.DOTALL,
)
MATH = re.compile(
    r"(?<!\\)\$\$.*?\$\$|(?<!\\)\$(?:[^$\\]|\\.)*\$|\\\[.*?\\\]|\\\(.*?\\\)"
    r"|\\begin\{(equation|align|gather|multline|eqnarray|displaymath|math|alignat|flalign)(\*?)\}.*?\\end\{\1\2\}",
    re.DOTALL,
)
_SECTION_NAMES = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_FLOATS = ("figure", "table", "equation", "align", "gather", "multline", "eqnarray", "algorithm", "listing")
_STRUCTURE = re.compile(
    r"\\(?P<section>" + "|".join(_SECTION_NAMES) + r")(?P<star>\*?)(?=[\[{])"
    r"|\\begin\{(?P<begin>[A-Za-z]+)(?P<bstar>\*?)\}|\\end\{(?P<end>[A-Za-z]+)\*?\}"
    r"|\\label\{(?P<label>[^{}]*)\}|\\(?P<appendix>appendix)\b"
)
_COMMAND = re.compile(
    r"\\(?P<name>footnote|thanks|textbf|emph|textit|textsl|href|url|ref|eqref|autoref|cref|Cref|pageref|vref|nameref"
    r"|[a-zA-Z]*cite[a-zA-Z]*|label|bibitem)\*?(?![a-zA-Z])"
)
_QUOTES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", " "))
_STYLES = {"textbf": "bold", "emph": "italic", "textit": "italic", "textsl": "italic"}
_SPECIAL = re.compile(r"([_%&#])")
_ESCAPED = re.compile(r"\\([_%&#~])")


@dataclass
class LatexNote:
    """A note: its name, its printed number, its LaTeX with marks."""

    anchor: str
    label: str
    source: str


@dataclass
class LatexMarker:
    """Rewrites a source; ``notes`` are removed from it, in the order of their references."""

    marks: Marks
    notes: list[LatexNote] = field(default_factory=list)
    numbers: dict[str, str] = field(default_factory=dict)

    def mark(self, source: str) -> str:
        """Return the source without comments, with marks instead of commands."""
        pieces: list[str] = []
        for text, is_raw in split(source, VERBATIM):
            pieces.append(text if is_raw else _COMMENT.sub(r"\1", text))
        source = "".join(pieces)
        head, begin, body = source.partition("\\begin{document}")
        if not begin:
            head, body = "", source
        self.numbers = number_labels(body)
        head = self._typography(self._titles(head))
        body = "".join(
            text if is_raw else self._commands(_labels_inside(text)) for text, is_raw in split(body, VERBATIM)
        )
        for name, kind in (("quote", "BLOCK_QUOTATION"), ("quotation", "BLOCK_QUOTATION"), ("verse", "STANZA")):
            body = body.replace(f"\\begin{{{name}}}", f"\\begin{{{name}}}" + self.marks.put("type", kind))
        return head + begin + self._typography(body)

    def _titles(self, head: str) -> str:
        """Mark title and authors in the preamble; definitions do not change."""
        out, end = "", 0
        for found in re.finditer(r"\\(?:title|author|date)\s*(?=\{)", head):
            if found.start() < end:
                continue
            close = closing(head, found.end())
            out += head[end : found.start()] + self._commands(head[found.start() : close])
            end = close
        return out + head[end:]

    def _typography(self, text: str) -> str:
        pieces: list[str] = []
        for outer, is_raw in split(text, VERBATIM):
            for inner, is_math in [(outer, True)] if is_raw else split(outer, MATH):
                if not is_math:
                    for typed, printed in _QUOTES:
                        inner = re.sub(rf"(?<!\\){re.escape(typed)}", printed, inner)
                pieces.append(inner)
        return "".join(pieces)

    def _commands(self, text: str) -> str:
        out: list[str] = []
        place = 0
        while (found := _COMMAND.search(text, place)) is not None:
            out.append(text[place : found.start()])
            name, place = found["name"], found.end()
            options: list[str] = []
            while (option := re.compile(r"\s*\[([^\[\]]*)\]").match(text, place)) is not None:
                options.append(option[1])
                place = option.end()
            opening = re.compile(r"\s*\{").match(text, place)
            if opening is None:
                out.append(text[found.start() : place])
                continue
            close = closing(text, opening.end() - 1)
            argument = text[opening.end() : close - 1]
            place = close
            if name == "href" and text[place : place + 1] == "{":
                close = closing(text, place)
                shown = self._commands(text[place + 1 : close - 1])
                out.append(self.marks.around(shown, "link", argument.replace("\\", "")))
                place = close
            else:
                out.append(self._replaced(name, options, argument))
        out.append(text[place:])
        return "".join(out)

    def _replaced(self, name: str, options: list[str], argument: str) -> str:
        """Return the replacement of a command and its argument."""
        put = self.marks.put
        if name in {"footnote", "thanks"}:
            note = LatexNote(f"footnote-{len(self.notes) + 1}", "", "")
            self.notes.append(note)
            note.label = str(len(self.notes))
            note.source = self._typography(self._commands(argument))
            return put("note", note.anchor, note.label)
        if name in _STYLES:
            return self.marks.around(self._commands(argument), _STYLES[name])
        if name == "url":
            return _SPECIAL.sub(r"\\\1", _ESCAPED.sub(r"\1", argument))
        if name == "label":
            return put("anchor", argument.strip())
        if name == "bibitem":
            return f"\\bibitem{{{argument}}}" + put("type", "BIBLIOGRAPHIC_ENTRY") + put("anchor", argument.strip())
        if name == "nocite":
            return ""
        if "cite" in name:
            keys = [key.strip() for key in argument.split(",") if key.strip()]
            shown = ", ".join(self.marks.around(_SPECIAL.sub(r"\\\1", key), "cite", key) for key in keys)
            where = f", {self._commands(options[-1])}" if options and options[-1].strip() else ""
            return put("guard") + f"[{shown}{where}]"  # the guard keeps "[" from being read as an option
        keys = [key.strip() for key in argument.split(",") if key.strip()]
        references = [
            self.marks.around(self.numbers.get(key) or _SPECIAL.sub(r"\\\1", key), "ref", key) for key in keys
        ]
        return f"({references[0]})" if name == "eqref" and len(references) == 1 else ", ".join(references)


def number_labels(body: str) -> dict[str, str]:
    """Return the printed number of each label, by counting sections, floats and equations as LaTeX does."""
    counts = dict.fromkeys((*_SECTION_NAMES, "figure", "table", "equation", "algorithm", "listing"), 0)
    top = 1 if "\\chapter" in body else 2
    numbers: dict[str, str] = {}
    stack: list[str] = []  # what a label would name, innermost last
    section, appendix = "", False
    for found in _STRUCTURE.finditer(body):
        if found["appendix"]:
            appendix = True
            counts[_SECTION_NAMES[top]] = 0
        elif found["section"] and not found["star"]:
            level = _SECTION_NAMES.index(found["section"])
            counts[found["section"]] += 1
            for lower in _SECTION_NAMES[max(level, 1) + 1 :]:
                counts[lower] = 0
            parts = [str(counts[name]) for name in _SECTION_NAMES[top : level + 1]]
            if appendix and parts:
                parts[0] = chr(ord("A") + counts[_SECTION_NAMES[top]] - 1)
            section = ".".join(parts) or str(counts["part"])
        elif found["begin"] in _FLOATS:
            kind = found["begin"] if found["begin"] in counts else "equation"
            if not (found["bstar"] and kind == "equation"):
                counts[kind] += 1
            stack.append(f"{counts['chapter']}.{counts[kind]}" if top == 1 and counts["chapter"] else str(counts[kind]))
        elif found["end"] in _FLOATS and stack:
            stack.pop()
        elif found["label"] is not None:
            numbers[found["label"].strip()] = stack[-1] if stack else section
    return numbers


def _labels_inside(text: str) -> str:
    """Move labels into the heading or caption before them, where a mark stays with its text."""
    for command in (*_SECTION_NAMES, "caption"):
        out, end = "", 0
        for found in re.finditer(rf"\\{command}\*?\s*(?:\[[^\[\]]*\])?\s*(?=\{{)", text):
            if found.start() < end:
                continue
            close = closing(text, found.end())
            labels = re.compile(r"(?:\s*\\label\{[^{}]*\})+").match(text, close)
            if labels is not None:
                out += text[end : close - 1] + labels[0].strip() + "}"
                end = labels.end()
        text = out + text[end:]
    return text


def closing(text: str, start: int) -> int:
    """Return the offset after the brace that closes the one at ``start``, or the end of the text."""
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0 and found[0] == "}":
            return found.end()
    return len(text)


def split(text: str, pattern: re.Pattern[str]) -> list[tuple[str, bool]]:
    """Return the text in pieces, each with whether the pattern matched it."""
    pieces: list[tuple[str, bool]] = []
    end = 0
    for found in pattern.finditer(text):
        pieces += [(text[end : found.start()], False), (found[0], True)]
        end = found.end()
    return [*pieces, (text[end:], False)]


def outside_code(change: Callable[[str], str], source: str) -> str:
    """Return a source with its text changed, but not its code."""
    return "".join(text if is_code else change(text) for text, is_code in split(source, VERBATIM))
