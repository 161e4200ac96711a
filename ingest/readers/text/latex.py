"""LaTeX: docling reads the blocks; notes, labels, references, citations and links come from the source itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.errors import IngestError
from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import not_empty, run_docling
from ragraph.ingest.readers.text.bibliography import add_entries, read_beside
from ragraph.ingest.readers.text.latex_drawn import add_labels
from ragraph.ingest.readers.text.latex_lists import with_numbers
from ragraph.ingest.readers.text.latex_marks import LatexMarker, outside_code
from ragraph.ingest.readers.text.latex_printed import printed
from ragraph.ingest.readers.text.latex_unseen import without_hidden
from ragraph.ingest.readers.text.scripts import COMMANDS, without_scripts
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.ingest.draft import Draft, DraftNode
    from ragraph.ingest.readers import ReadOptions

_INCLUDED = re.compile(
    r"(?<!\\)%[^\n]*|\\begin\{(?P<raw>verbatim\*?|lstlisting|minted|Verbatim|comment)\}.*?\\end\{(?P=raw)\}"
    r"|\\(?:input|include|subfile)\s*\{(?P<name>[^{}]+)\}|\\input[ \t]+(?P<bare>[\w./-]+)"
    r"|\\(?:sub)?import\*?\s*\{(?P<folder>[^{}]*)\}\s*\{(?P<within>[^{}]+)\}"
    r"|\\(?:includefrom|subincludefrom)\*?\s*\{(?P<from>[^{}]*)\}\s*\{(?P<part>[^{}]+)\}|(?P<end>\\end\{document\})",
    re.DOTALL,
)
"""A comment, code, a command that includes a file, or the end of the document."""

_LISTED = re.compile(
    r"\\(?:bibliography|bibliographystyle|addbibresource|addglobalbib)\s*(?:\[[^\]]*\])?\s*\{[^{}]+\}"
    r"|\\(printbibliography|printglossar(?:y|ies)|printindex|printacronyms)\b(?:\s*\[[^\]]*\])?"
    r"|\\(?:citestyle|setcitestyle|graphicspath|bibpunct|index|glsadd|makeindex|sindex)\s*(?:\[[^\]]*\])?"
    r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
)
"""Commands for lists that programs make, their entries and settings: no text."""

_BRACED = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_SPANNING = re.compile(
    r"\\multi(column|row)\*?\s*(?:\[[^\]]*\])?\s*\{\s*([^{}]*?)\s*\}\s*(?:\[[^\]]*\])?\s*"
    rf"{_BRACED}\s*(?:\[[^\]]*\])?\s*{_BRACED}"
)
"""A cell that spans several columns or rows: their number, its columns or width, its text."""
_MOST_COLUMNS = 100

_OPTIONAL = re.compile(
    r"\\(?:new|renew|provide)command\*?\s*(?:\{\s*\\([A-Za-z@]+)\s*\}|\\([A-Za-z@]+))\s*\[\d\]"
    r"\s*\[((?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\]"
)
"""The definition of a macro with an optional argument: its name, what the argument is if it is not given."""
_DEFINED = re.compile(r"command\*?\s*\{?\s*\Z")
_NEAR = 20
"""Letters before the name of a macro that is being defined."""

_ADDRESS = re.compile(r"\\(?:url|href|nolinkurl|path)\s*\{[^{}\n]*\}")
_PERCENT = re.compile(r"(?<!\\)%")
"""A sign that begins no comment in an address."""

_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_DEEPEST = 8
_MOST_BYTES = 20 << 20
_BIBLIOGRAPHY = re.compile(
    r"^[^%\n]*\\(?:bibliography|addbibresource|addglobalbib)\s*(?:\[[^\]]*\])?\s*\{([^{}]+)\}", re.MULTILINE
)
_NOCITE = re.compile(r"^[^%\n]*\\nocite\s*\{([^{}]+)\}", re.MULTILINE)
_KEY = re.compile(r"\[([^\[\]]+)\]\s*")


class LatexReader:
    """LaTeX sources with the files beside them that they include, and with their bibliographies.

    A bibliography made by BibTeX (``.bbl`` with the same name) is inserted where the source asks for it, with the
    metadata of its entries in a ``.bib``. Without it, the cited entries are made from the ``.bib``.
    """

    name = "latex"
    version = 14

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the source; raises the errors of ``Reader.read``."""
        warnings: list[str] = []
        source = included(decode_file(path, options.charset), path.resolve().parent, options, warnings)
        source = outside_code(_with_percents, source)
        if not options.hidden:
            source = without_hidden(source)
        source = without_scripts(source, COMMANDS)
        names = [name for found in _BIBLIOGRAPHY.findall(source) for name in found.split(",")]
        if names and "\\bibitem" not in source:
            source = _with_entries(source, path, options)
        source = printed(_with_arguments(outside_code(_without_settings, source)))
        marks = Marks(source)
        source = outside_code(lambda text: with_numbers(text, marks), source) if "enum" in source else source
        marker = LatexMarker(marks)
        builder = DraftBuilder(f"{self.name}/{self.version}", marks)
        document = run_docling(path, "latex", marker.mark(source).encode(), prepare=_without_time_limit)
        add_labels(document, _plain)
        convert(document, builder, table_rows=options.table_rows, skip=_is_no_text)
        for index, node in enumerate(builder.nodes):
            key = _KEY.match(node.text) if node.type is ContentNodeType.BIBLIOGRAPHIC_ENTRY else None
            if key is not None:
                update = {"marker": f"[{key[1]}]", "text": node.text[key.end() :]}
                builder.nodes[index] = node.model_copy(update=update)
        notes: list[DraftNode] = []
        for note in marker.notes:
            text = _plain(note.source)
            notes += builder.aside(note.anchor, ContentNodeType.NOTE, text, marker=note.label, anchors=[note.anchor])
        builder.place_notes(notes)
        stated = read_beside(path, names, options, builder.warnings)
        add_entries(builder, stated, [key.strip() for found in _NOCITE.findall(source) for key in found.split(",")])
        builder.warnings += dict.fromkeys(warnings)
        return not_empty(builder.draft())


def _without_time_limit(backend: Any) -> None:
    """Let docling parse as long as the run allows; its own limit returns the source as one paragraph, silently."""
    backend.options.parse_timeout = None


def included(source: str, folder: Path, options: ReadOptions, warnings: list[str], depth: int = 0) -> str:
    """Return a source with the files that it includes in their places.

    Args:
        source: the source.
        folder: its folder; files outside of it are not read.
        options: options of the reader.
        warnings: gets a line for each file that is not read.
        depth: number of files around it.
    """
    out: list[str] = []
    last = 0
    for begin, end, name in _names(source):
        out.append(source[last:begin])
        last = end
        file = _part(name, folder) if depth < _DEEPEST else None
        try:
            text = decode_file(file, options.charset) if file is not None else None
        except (OSError, IngestError):
            text = None
        if text is None:
            warnings.append(f"the file {name} that it includes was not read")
        else:
            out.append(f"\n{included(_body(text), folder, options, warnings, depth + 1)}\n")
    return "".join([*out, source[last:]])


def included_files(files: Sequence[Path]) -> dict[Path, Path]:
    """Return which of some sources others include, each with the document that holds its text.

    A source that is too large to be read as a part is none, and its own commands are not looked at.
    """
    named: dict[Path, tuple[list[str], list[str]]] = {}  # names in a document, and in a part
    classes: set[Path] = set()
    for file in files:
        if file.stat().st_size <= _MOST_BYTES:
            text = file.read_bytes().decode("utf-8", "replace")
            known = file.resolve()
            named[known] = [name for *_, name in _names(text)], [name for *_, name in _names(_body(text))]
            classes.update([known] if "\\documentclass" in text else [])
    stems = {Path(name).stem for names, _ in named.values() for name in names}
    parts: dict[Path, Path] = {}
    roots: set[Path] = set()
    waiting = sorted(named, key=lambda file: (file.stem in stems, file not in classes))[::-1]
    while waiting:
        if (root := waiting.pop()) not in parts:
            roots.add(root)
            names = named[root][0]
            for _ in range(_DEEPEST):
                found = dict.fromkeys(part for name in names if (part := _part(name, root.parent)) in named)
                new = [part for part in found if part is not None and part not in parts and part not in roots]
                parts.update(dict.fromkeys(new, root))
                names = [name for part in new for name in named[part][1]]
            # what is too deep is a document of its own
            waiting += [part for name in names if (part := _part(name, root.parent)) in named and part is not None]
    return parts


def _names(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the commands that include files begin and end, up to the end of the document, and their files."""
    for found in _INCLUDED.finditer(source):
        if found["end"]:
            return
        if (name := _file_of(found)) is not None:
            yield *found.span(), name


def _part(name: str, folder: Path) -> Path | None:
    """Return the file that a source in a folder includes by a name; None if it is not read: elsewhere, or too large."""
    try:
        file = (folder / (name if Path(name).suffix else f"{name}.tex")).resolve()
        return file if file.is_relative_to(folder) and file.stat().st_size <= _MOST_BYTES else None
    except (OSError, ValueError):
        return None


def _body(text: str) -> str:
    """Return what a part shows: the body of a document, or all of a source that is none."""
    body = _BODY.search(text)
    return body[1] if body else text


def _file_of(found: re.Match[str]) -> str | None:
    """Return the name of the file that a command includes, from the folder of the source; None if it is no command."""
    parts = found.groupdict()
    within = parts["within"] or parts["part"]
    if within:
        return f"{(parts['folder'] or parts['from'] or '').strip().rstrip('/') or '.'}/{within.strip()}"
    name = parts["name"] or parts["bare"]
    return name.strip() if name else None


def _with_entries(source: str, path: Path, options: ReadOptions) -> str:
    """Return a source with the entries that BibTeX made, where it asks for them."""
    made = path.with_suffix(".bbl")
    try:
        entries = decode_file(made, options.charset) if made.resolve().parent == path.resolve().parent else ""
    except OSError:
        return source
    if "\\begin{thebibliography}" not in entries:  # biblatex writes a language of its own there
        return source
    return re.sub(r"\\bibliography\s*\{[^{}]+\}", lambda _: f"\n\n{entries}\n\n", source, count=1)


def _with_percents(text: str) -> str:
    """Return a text whose addresses have no sign that begins a comment elsewhere."""
    return _ADDRESS.sub(lambda found: _PERCENT.sub(r"\\%", found[0]), text) if "%" in text else text


def _without_settings(source: str) -> str:
    """Return a source without commands that are no text, and without the settings of cells that span several."""
    return _SPANNING.sub(_spanned, _LISTED.sub("", source))


def _with_arguments(source: str) -> str:
    """Return a source whose macros have no optional arguments: they are written out wherever the macros are used.

    docling takes the text behind such a macro for its next argument.
    """
    defaults: dict[str, str] = {}

    def required(found: re.Match[str]) -> str:
        defaults[found[1] or found[2]] = found[3]
        return found[0][: found.start(3) - found.start() - 1]

    def written(found: re.Match[str]) -> str:
        if _DEFINED.search(found.string, max(found.start() - _NEAR, 0), found.start()):
            return found[0]
        return f"\\{found[1]}{{{defaults[found[1]] if found[2] is None else found[2]}}}"

    source = outside_code(lambda text: _OPTIONAL.sub(required, text), source)
    names = "|".join(map(re.escape, defaults))
    uses = re.compile(rf"\\({names})(?![A-Za-z@])(?:\s*\[((?:[^\[\]{{}}]|{_BRACED})*)\])?")
    return outside_code(lambda text: uses.sub(written, text), source) if defaults else source


def _spanned(found: re.Match[str]) -> str:
    """Return the text of a cell, and empty cells for the other columns that it spans."""
    columns = int(found[2]) if found[1] == "column" and found[2].isdecimal() else 1
    return f"{{{found[4]}}}" + " & " * (min(columns, _MOST_COLUMNS) - 1)


def _is_no_text(item: Any) -> bool:
    """Return True for commands of the preamble, and for names of picture files, which docling adds as captions."""
    is_name = item.label.value == "caption" and item.text.startswith("Image: ")
    return bool(item.content_layer.value == "furniture" or is_name)


def _plain(source: str) -> str:
    """Return the text of a piece of LaTeX, with formulas unchanged."""
    from pylatexenc.latex2text import LatexNodes2Text

    text = LatexNodes2Text(math_mode="verbatim", keep_comments=False).latex_to_text(source)
    return re.sub(r"\s+", " ", text).strip()
