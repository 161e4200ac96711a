"""Markdown: CommonMark and usual extensions (tables, notes, formulas, front matter), read by markdown-it.

docling does not interpret notes, formulas and front matter, so it is not used here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.captions import bind_captions
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import damaged, not_empty
from ragraph.ingest.readers.text.bibliography import add_entries, csl, read_beside
from ragraph.ingest.readers.text.markdown_inline import InlineReader, slug
from ragraph.ingest.readers.text.markdown_notes import note_lines
from ragraph.ingest.readers.text.markdown_parts import ALERT, front_matter, html_nodes, named_box, usual_form
from ragraph.ingest.readers.text.markdown_unseen import remove_unseen_tokens
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.tree import SyntaxTreeNode

    from ragraph.ingest.draft import Draft, DraftNode
    from ragraph.ingest.readers import ReadOptions

_LEVELS = 200
"""Blocks within each other that are parsed; the parser drops the text of deeper ones."""
_MARKER = r"(?: *+(?:>|[-+*](?= )|\d{1,9}+[.)](?= )))"
_DEEP = re.compile(rf"^({_MARKER}{{90}}){_MARKER}++", re.MULTILINE)
"""More marks of quotes and list items at the begin of a line than are parsed: an item takes two levels."""
_EXPLICIT_ID = re.compile(r"(?<!\s)\s*\{#([\w:.-]+)[^{}]*\}\s*$")


class MarkdownReader:
    """Markdown files, with the bibliographies that their front matter names."""

    name = "markdown"
    version = 12

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the document; raises the errors of ``Reader.read``."""
        return draft_of(decode_file(path, options.charset), f"{self.name}/{self.version}", options, path)


def draft_of(source: str, reader: str, options: ReadOptions, path: Path | None = None) -> Draft:
    """Return the draft of Markdown, in the name of a reader; raises the errors of ``Reader.read``.

    Bibliographies that its front matter names are read from the folder of ``path``.
    """
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode
    from mdit_py_plugins.admon import admon_plugin
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.container import container_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": _LEVELS}).enable("table").enable("strikethrough")
    parser.use(front_matter_plugin).use(footnote_plugin).use(deflist_plugin).use(amsmath_plugin)
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    parser.use(admon_plugin).use(container_plugin, "box", validate=_opens_box)
    parser.disable("footnote_tail")  # it drops notes without a reference, and moves the others
    state: dict[str, Any] = {}
    source = usual_form(source)
    builder = DraftBuilder(reader, Marks(source))
    try:
        tokens = parser.parse(source, state)
        if max((token.level for token in tokens), default=0) > _LEVELS - 3 and _DEEP.search(source):
            state = {}
            tokens = parser.parse(_DEEP.sub(r"\1", source), state)
        if not options.hidden:
            remove_unseen_tokens(tokens)
        tree = SyntaxTreeNode(tokens)
        _Walk(builder, state.get("footnotes", {}), options.table_rows).run(tree)
    except RecursionError as error:
        raise damaged(error) from error
    bind_captions(builder)
    extra = builder.metadata.extra
    stated = csl(extra.get("references"))
    if path is not None and (named := extra.get("bibliography")):
        names = [str(name) for name in (named if isinstance(named, list) else [named])]
        stated |= read_beside(path, names, options, builder.warnings)
    add_entries(builder, stated)
    return not_empty(builder.draft())


def _opens_box(parameters: str, *_: Any) -> bool:
    """Return True if the words behind ``:::`` open a container."""
    return bool(parameters.strip())


class _Walk:
    def __init__(self, builder: DraftBuilder, footnotes: dict[str, Any], table_rows: int) -> None:
        self.builder = builder
        self.table_rows = table_rows
        self.count = 0
        self.slugs: dict[str, int] = {}
        self.notes: list[DraftNode] = []
        self.following: dict[str, list[DraftNode]] = {}
        self.inline = InlineReader(builder, footnotes)
        self.footnotes = footnotes
        self.single_title = False

    def run(self, tree: SyntaxTreeNode) -> None:
        headings = [node for node in tree.children if node.type == "heading"]
        tops = [node for node in headings if node.tag == "h1"]
        self.single_title = len(tops) == 1 and headings[0] is tops[0]
        for node in tree.children:
            self.block(node, None, 0, ContentNodeType.PARAGRAPH)
        for number, entry in sorted(self.footnotes.get("list", {}).items()):
            if entry.get("tokens"):  # an inline note
                from markdown_it.tree import SyntaxTreeNode

                text = self.inline.text(SyntaxTreeNode(entry["tokens"]))
                marker = self.inline.numbers.get(f"inline-{number}")
                self.notes += self.builder.aside(
                    self.key(), ContentNodeType.NOTE, text, marker=marker, anchors=[f"note:inline-{number}"]
                )
        self.builder.place_notes(self.notes, self.following)

    def key(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def block(self, node: SyntaxTreeNode, container: str | None, depth: int, kind: ContentNodeType) -> None:
        """Add the content of a block; ``kind`` is the type of its paragraphs."""
        name = node.type
        if name == "front_matter":
            self.builder.metadata = front_matter(node.content)
        elif name == "heading":
            self.heading(node, container)
        elif name == "paragraph":
            self.paragraph(node, container, kind)
        elif name in {"bullet_list", "ordered_list"}:
            self.list(node, container, depth + 1)
        elif name == "admonition":
            title = "".join(self.inline.text(child) for child in node.children if child.type == "admonition_title")
            self.box(node, container, depth, self.builder.marks.decode(title, plain=True).text, title)
        elif (name == "container_box" and (named := named_box(node.info)) is not None) or (
            name == "blockquote" and (named := self.alert(node)) is not None
        ):
            said, title = named
            self.box(node, container, depth, title or said.capitalize(), title)
        elif name == "blockquote":
            for child in node.children:
                self.block(child, container, depth, ContentNodeType.BLOCK_QUOTATION)
        elif name in {"fence", "code_block"}:
            language = (node.info.split() or [""])[0].strip("{}.") if name == "fence" else ""
            data = {"language": language} if language else {}
            self.builder.node(
                self.key(), ContentNodeType.CODE, node.content.rstrip("\n"), container=container, data=data
            )
        elif name == "table":
            self.table(node, container)
        elif name in {"math_block", "math_block_label", "amsmath"}:
            anchors = [node.info] if name == "math_block_label" and node.info else []
            self.builder.node(self.key(), ContentNodeType.FORMULA, node.content, container=container, anchors=anchors)
        elif name == "html_block":
            html_nodes(node.content, self.builder, self.key, container)
        elif name == "dl":
            self.definitions(node, container, depth)
        elif name == "footnote_reference":
            self.note(node)
        else:
            for child in node.children:
                self.block(child, container, depth, kind)

    def box(self, node: SyntaxTreeNode, container: str | None, depth: int, called: str, title: str) -> None:
        """Add a box, called by its title or kind: the title that it may have as first line, then its content."""
        box = self.builder.container(f"box{self.key()}", ComponentType.TEXT_BOX, called, container)
        if called and title:
            self.builder.node(self.key(), ContentNodeType.PARAGRAPH, title, container=box)
        for child in node.children:
            if child.type != "admonition_title":
                self.block(child, box, depth, ContentNodeType.PARAGRAPH)

    def alert(self, node: SyntaxTreeNode) -> tuple[str, str] | None:
        """Return kind and title of a quotation that is an alert (``> [!NOTE] T``), and remove both; None for others."""
        first = node.children[0] if node.children else None
        inline = first.children[0] if first is not None and first.type == "paragraph" and first.children else None
        found = ALERT.match(inline.content) if inline is not None else None
        if found is None or inline is None or not inline.children or inline.children[0].token is None:
            return None
        title = found[2].strip()
        left = len(found[0].rstrip("\n"))  # the line may be several pieces of text, for example if it has a link
        for piece in inline.children:
            if piece.token is None or piece.type != "text" or left <= 0:
                break
            taken = min(left, len(piece.token.content))
            piece.token.content, left = piece.token.content[taken:], left - taken
        if left > 0:
            title = ""  # the rest of the title has marks, and stays as the first line
        return found[1], title

    def heading(self, node: SyntaxTreeNode, container: str | None) -> None:
        text = self.inline.text(node)
        plain = self.builder.marks.decode(text, plain=True).text
        anchors = []
        explicit = _EXPLICIT_ID.search(text)
        if explicit:
            anchors.append(explicit[1])
            text = text[: explicit.start()]
            plain = _EXPLICIT_ID.sub("", plain)
        base = slug(plain)
        seen = self.slugs.get(base, -1) + 1
        self.slugs[base] = seen
        anchors.append(f"{base}-{seen}" if seen else base)
        level = int(node.tag[1:])
        kind = ContentNodeType.TITLE if level == 1 and self.single_title else ContentNodeType.HEADING
        self.builder.node(self.key(), kind, text, level=level, container=container, anchors=anchors)

    def paragraph(self, node: SyntaxTreeNode, container: str | None, kind: ContentNodeType) -> None:
        text = self.inline.text(node)
        images, formulas = self.inline.take()
        if formulas and not self.builder.marks.decode(text, plain=True).text:
            for formula in formulas:
                self.builder.node(self.key(), ContentNodeType.FORMULA, formula, container=container)
        elif text.strip():
            self.builder.node(self.key(), kind, text, container=container)
            for formula in formulas:
                self.builder.node(self.key(), ContentNodeType.FORMULA, formula, container=container)
        self.figures(images, container)

    def figures(self, images: list[dict[str, str]], container: str | None) -> None:
        for image in images:
            data = {"source": image["source"]} if image["source"] and not image["source"].startswith("data:") else {}
            description = image["alt"] or image["title"] or None
            self.builder.node(
                self.key(), ContentNodeType.FIGURE, container=container, description=description, data=data
            )

    def list(self, node: SyntaxTreeNode, container: str | None, depth: int) -> None:
        ordered = node.type == "ordered_list"
        key = self.builder.container(f"list{self.key()}", ComponentType.LIST, None, container)
        number = int(node.attrs.get("start", 1)) if ordered else 0
        for item in node.children:
            marker = f"{number}{item.markup or '.'}" if ordered else None
            number += 1
            rest = list(item.children)
            text = self.inline.text(rest[0]) if rest and rest[0].type == "paragraph" else ""
            images, formulas = self.inline.take() if text else ([], [])
            data: dict[str, Any] = {"ordered": ordered, "depth": depth}
            task = re.match(r"\[([ xX])\]\s", text)
            if task:
                data["checked"] = task[1] != " "
            if text:
                rest = rest[1:]
            self.builder.node(self.key(), ContentNodeType.LIST_ITEM, text, container=key, marker=marker, data=data)
            for formula in formulas:
                self.builder.node(self.key(), ContentNodeType.FORMULA, formula, container=key)
            self.figures(images, key)
            for child in rest:
                self.block(child, key, depth, ContentNodeType.PARAGRAPH)

    def definitions(self, node: SyntaxTreeNode, container: str | None, depth: int) -> None:
        key = self.builder.container(f"list{self.key()}", ComponentType.LIST, None, container)
        for child in node.children:
            if child.type == "dt":
                text = self.builder.marks.around(self.inline.text(child), "bold")
                self.builder.node(
                    self.key(),
                    ContentNodeType.LIST_ITEM,
                    text,
                    container=key,
                    data={"ordered": False, "depth": depth + 1},
                )
            else:
                for inner in child.children:
                    self.block(inner, key, depth + 1, ContentNodeType.PARAGRAPH)

    def table(self, node: SyntaxTreeNode, container: str | None) -> None:
        rows: list[list[str]] = []
        header_rows = 0
        for part in node.children:
            for row in part.children:
                cells = [self.inline.text(cell) for cell in row.children]
                if part.type == "thead" and not any(cell.strip() for cell in cells):
                    continue  # the grammar has no table without a head
                rows.append(cells)
                header_rows += part.type == "thead"
        images, _ = self.inline.take()
        self.builder.table(self.key(), rows, header_rows=header_rows, limit=self.table_rows, container=container)
        self.figures(images, container)

    def note(self, node: SyntaxTreeNode) -> None:
        """Add a note: its paragraphs, lists and quotations are lines of one node, up to a block that cannot be lines.

        What is behind such a block is another node of the note.
        """
        label = str(node.meta["label"])
        begin = len(self.builder.nodes)
        lines: list[str] = []

        def end() -> None:
            more = {} if len(self.builder.nodes) > begin else self.named(label)
            self.builder.node(self.key(), ContentNodeType.NOTE, "\n".join(lines), **more)
            lines.clear()

        for child in node.children:
            found = note_lines(child, self.inline)
            if found is not None:
                lines += found
                continue
            if lines:
                end()
            self.block(child, None, 0, ContentNodeType.PARAGRAPH)
        if lines or begin == len(self.builder.nodes):
            end()
        made = self.builder.nodes[begin:]
        del self.builder.nodes[begin:]
        if made and not made[0].anchors:  # it begins with a table or code
            made[0] = made[0].model_copy(update={"anchors": [f"note:{label}"]})
        self.notes += made[:1]
        if made:
            self.following[made[0].key] = made[1:]

    def named(self, label: str) -> dict[str, Any]:
        """Return marker and anchor of a note."""
        return {"marker": self.inline.numbers.get(label, label), "anchors": [f"note:{label}"]}
