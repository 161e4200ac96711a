"""reStructuredText: docutils converts it, and the reader of HTML reads the result.

Directives and roles of Sphinx, which docutils does not know, are read for their content.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from ragraph.errors import EmptyFileError
from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.docling.run import damaged
from ragraph.ingest.readers.html.blocks import HtmlWalker
from ragraph.ingest.readers.html.fragments import remove_hidden
from ragraph.ingest.readers.html.links import Links
from ragraph.ingest.readers.html.reader import parse_html
from ragraph.ingest.readers.markup.builder import DraftBuilder
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_DIRECTIVE = re.compile(r"^\s*\.\.\s+(?:\|[^|]+\|\s+)?([\w][\w:+.-]*?)::(?:\s|$)", re.MULTILINE)
_ROLE = re.compile(r":([A-Za-z][\w:+.-]*):`|`:([A-Za-z][\w:+.-]*):(?!`)")
_FIELD = re.compile(r":[\w-]+:(\s|$)")
_CLASS = re.compile(r"\S*[A-Z.(]")
_CLASS_OF_CODE = re.compile(rf"^[ \t]*\.\. class::[ \t]*{_CLASS.pattern}", re.MULTILINE)
"""The name of a class of code, not of a style sheet."""

_FILE = re.compile(r"\s*:file:[ \t]*(\S+)")
_CAPTION = re.compile(r"\s*:caption:\s*(\S.*)$")
_TITLED = re.compile(r"(.+?)\s*<[^<>]+>", re.DOTALL)
_OBJECT = re.compile(r"(?=.*[~!._(])[~!]?[A-Za-z_][\w.]*(?:\(\))?")
"""The most common use of the default role in Python projects: ``~package.Name``, ``find()``; not plain words."""

_LINK = re.compile(r"`([^`<>]+?)(?:\s*<[^<>]*>)?`__?|([A-Z][\w.:+-]*?)__?")
"""A link whose target is not in the file, because a project may define it elsewhere; ``in_`` is a name of code."""

_SILENT = frozenset(
    {"index", "highlight", "currentmodule", "module", "py:module", "tabularcolumns", "meta", "sectionauthor"}
    | {"moduleauthor", "program"}
)
"""Directives of Sphinx that show nothing where they are."""

_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_PROSE_ROLES = frozenset({"ref", "doc", "term", "numref", "any", "guilabel", "menuselection", "abbr", "pep", "rfc"})
_OPTIONS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": True,  # files and addresses of raw text are as forbidden as others
    "report_level": 5,
    "halt_level": 5,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "traceback": True,
    "doctitle_xform": True,
    "warning_stream": False,
}


_OBJECTS = frozenset(
    {"function", "class", "method", "attribute", "data", "exception", "decorator", "option", "envvar", "describe"}
    | {"staticmethod", "classmethod", "property", "confval", "setting", "automodule", "autoclass", "autofunction"}
)
"""Directives of Sphinx whose argument is code that they describe."""


class RestructuredReader:
    """reStructuredText files, also of Sphinx. Nothing is included or fetched."""

    name = "rst"
    version = 10

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the document; raises the errors of ``Reader.read``."""
        source = decode_file(path, options.charset)
        page, stated, files = _published(source)
        root = parse_html(page, path.name)
        body = next(root.iter("body"), root)
        remove_hidden(body)  # of raw HTML
        title = next((one for one in body.iter("h1") if "title" in (one.get("class") or "").split()), None)
        for one in list(body.iter("aside", "span")):
            named = (one.get("class") or "").split()
            if "literal" in named:
                one.tag = "code"
                continue
            if "footnote-list" in named:
                one.tag = "div"
            elif "classifier" in named:  # a page shows the colon by its style
                one.text = f" : {one.text or ''}"
            backs = "label" in named and one.find(".//a[@role='doc-backlink']") is not None
            if backs or "colon" in named or "system-message" in named:
                one.drop_tree()  # type: ignore[attr-defined]
        builder = DraftBuilder(f"{self.name}/{self.version}")
        if files:
            builder.warn(f"files that it includes were not read: {', '.join(files)}")
        HtmlWalker(builder, Links([("", root)]), "", title).walk(body)
        if not builder.nodes:
            raise EmptyFileError(f"{path.name} shows no text; nothing to read")
        shown = next((node.text for node in builder.nodes if node.type is ContentNodeType.TITLE), None)
        return builder.build(DraftMetadata(title=shown, **stated))


def _published(source: str) -> tuple[str, dict[str, Any], list[str]]:
    """Return a source as HTML, its authors as stated, and the files that its directives name."""
    from docutils import nodes
    from docutils.core import publish_doctree, publish_from_doctree

    _register(source)
    try:
        tree = publish_doctree(source, settings_overrides=_OPTIONS)
        files = list(tree.settings.record_dependencies.list)
        _mend(tree)
        authors = [one.astext() for one in tree.findall(nodes.author)]
        page = publish_from_doctree(tree, writer="html5", settings_overrides={**_OPTIONS, "output_encoding": "unicode"})
    except Exception as error:  # docutils and its parts raise errors of any kind
        raise damaged(error) from error
    return str(page), {"authors": authors}, files


def _mend(tree: Any) -> None:
    """Show as Sphinx does what docutils cannot know: names of objects in the default role, links defined elsewhere."""
    from docutils import nodes

    for one in list(tree.findall(nodes.title_reference)):
        if one.rawsource.startswith("`") and _OBJECT.fullmatch(one.astext()):
            one.replace_self(nodes.literal("", _shown(one.astext())))
    for one in list(tree.findall(nodes.problematic)):
        link = _LINK.fullmatch(one.astext())
        if link:
            one.parent.replace(one, nodes.Text(link[1] or link[2]))


def _shown(text: str) -> str:
    """Return what Sphinx shows of a name: the last part of ``~package.Name``."""
    shown = text.lstrip("!~")
    return shown.rsplit(".", 1)[-1] if text.startswith("~") else shown


_TAGS = frozenset({"html", "text", "builder_html", "format_html", "singlehtml", "dirhtml"})
"""Tags that Sphinx sets for web pages. Those of a project are not known; without its configuration none is set."""


def _is_shown(condition: str) -> bool:
    """Return True if the condition of ``only`` holds for a web page: names with and, or, not and parentheses."""
    words = re.findall(r"\w+|[()]", condition)
    known = {"and", "or", "not", "(", ")"}
    expression = " ".join(word if word in known else str(word in _TAGS) for word in words)
    try:
        return bool(_value_of(ast.parse(expression, mode="eval").body))
    except (SyntaxError, ValueError, RecursionError):
        return True


def _value_of(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return bool(node.value)
        case ast.UnaryOp():
            return not _value_of(node.operand)
        case ast.BoolOp():
            return (all if isinstance(node.op, ast.And) else any)(map(_value_of, node.values))
    raise ValueError


_UNREAD = object()
"""Value of an option that a directive does not know or cannot parse."""


class _LenientOptions(dict[str, Any]):
    """Options of a directive; those it does not know or cannot parse are ``_UNREAD``, a caption is text."""

    def __missing__(self, name: str) -> Callable[[str | None], Any]:
        return (lambda value: value) if name == "caption" else lambda _: _UNREAD

    def __getitem__(self, name: str) -> Callable[[str | None], Any]:
        convert = super().__getitem__(name)

        def read(value: str | None) -> Any:
            try:
                return convert(value)
            except (TypeError, ValueError):
                return _UNREAD

        return read


def _lenient(directive: Any) -> Any:
    """Return a directive of docutils that ignores unknown options of Sphinx and its extensions, but not its content.

    The caption of a listing is an option of Sphinx too; it is shown above the listing, as in Sphinx.
    """
    from docutils import nodes

    if not directive.option_spec or isinstance(directive.option_spec, _LenientOptions):
        return directive

    class Lenient(directive):  # type: ignore[misc]
        option_spec = _LenientOptions(directive.option_spec)
        options: dict[str, Any]

        def run(self) -> list[Any]:
            self.options = {name: value for name, value in self.options.items() if value is not _UNREAD}
            if file := self.arguments[0].split()[:1] if self.name == "include" else self.options.get("file"):
                self.state.document.settings.record_dependencies.add(*file if self.name == "include" else [file])
            caption = self.options.pop("caption", None)
            above = self.state.inline_text(caption, self.lineno)[0] if caption else []
            return [*([nodes.paragraph(caption, "", *above)] if above else []), *super().run()]

    return Lenient


def _register(source: str) -> None:
    """Register with docutils the directives and roles of a source that docutils lacks."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives, roles
    from docutils.parsers.rst.languages import en

    class Plain(Directive):  # type: ignore[misc]
        """A directive that is read for its content: its argument, then its body."""

        optional_arguments = 1
        final_argument_whitespace = True
        has_content = True

        def run(self) -> list[Any]:
            name = self.name.rsplit(":", 1)[-1]
            if name in _SILENT:
                return []
            if name == "only" and not _is_shown(self.arguments[0] if self.arguments else ""):
                leave_out("\n".join(self.content))
                return []
            lines = self.arguments[0].splitlines() if self.arguments else []
            if name == "only":
                lines = []
            captions = [said[1] for line in [*lines, *self.content] if (said := _CAPTION.match(line))]
            found: list[Any] = [nodes.paragraph("", "", *self.state.inline_text(one, 0)[0]) for one in captions[:1]]
            if name == "toctree":
                return [*found, *self._titles([*lines, *self.content])]
            files = [*lines[:1]] if name == "literalinclude" else []
            files += [said[1] for line in [*lines, *self.content] if (said := _FILE.match(line))]
            self.state.document.settings.record_dependencies.add(*files)
            about = "\n".join(line for line in lines if not _FIELD.match(line.strip()))
            if name in _VERSIONS:
                number, _, why = " ".join(about.split()).partition(" ")
                inline = self.state.inline_text(why, self.lineno)[0] if why else []
                begin = nodes.Text(f"{_VERSIONS[name]} {number}{': ' if why else ''}")
                found.append(nodes.paragraph("", "", begin, *inline))
            elif ":" in self.name or name in _OBJECTS:
                found += [nodes.paragraph("", "", nodes.literal("", line.strip())) for line in about.splitlines()]
            elif about:
                found.append(nodes.paragraph(about, "", *self.state.inline_text(about, self.lineno)[0]))
            while self.content and _FIELD.match(self.content[0]):
                self.content.trim_start()
            content = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, content)
            return [*found, *content.children]

        def _titles(self, lines: list[str]) -> list[Any]:
            """Return the titles that a table of contents states itself, as a list; others are in their own files."""
            titles = [found[1] for line in lines if (found := _TITLED.fullmatch(line.strip()))]
            listed = (nodes.list_item("", nodes.paragraph("", "", nodes.Text(title))) for title in titles)
            return [nodes.bullet_list("", *listed)] if titles else []

    def role(name: str, rawtext: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
        titled = _TITLED.fullmatch(text)
        shown = (titled.group(1) if titled else _shown(text)).replace("\x00", "")
        plain = name.rsplit(":", 1)[-1] in _PROSE_ROLES
        return [nodes.inline("", shown) if plain else nodes.literal("", shown)], []

    class ClassOrStyle(Plain):
        """What Sphinx takes for a class of code, docutils for that of a style sheet.

        It is one of code by its name, or if it is described in a source that describes others.
        """

        def run(self) -> list[Any]:
            is_code = not self.arguments or _CLASS.match(self.arguments[0]) or (self.content and has_code)
            return super().run() if is_code else style.run(self)

    has_code = _CLASS_OF_CODE.search(source) is not None
    style = directives.directive("class", en, None)[0]
    style = getattr(style, "style", style)  # this was registered for another source
    ClassOrStyle.style = style
    for name in {one.lower() for one in _DIRECTIVE.findall(source)}:
        known = directives.directive(name, en, None)[0] if name in en.directives else Plain
        directives.register_directive(name, _lenient(ClassOrStyle if name == "class" else known))
    for name in {one or other for one, other in _ROLE.findall(source)}:
        if name.lower() not in en.roles:
            roles.register_local_role(name.lower(), role)
