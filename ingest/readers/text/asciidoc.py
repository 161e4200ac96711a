"""AsciiDoc: docling reads the blocks; before that, notes, links, references, anchors and formulas are marked."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import not_empty, run_docling
from ragraph.ingest.readers.markup.lists import ordered_marker
from ragraph.ingest.readers.office.package import iso_date
from ragraph.ingest.readers.text.asciidoc_blocks import Blocks
from ragraph.ingest.readers.text.asciidoc_tables import RAW, rows_on_lines
from ragraph.ingest.readers.text.asciidoc_unseen import seen_lines
from ragraph.ingest.readers.text.scripts import TILDES, without_scripts
from ragraph.schema.enums import ContentNodeType, EmbeddingSource

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode
    from ragraph.ingest.readers import ReadOptions

_FRAME = re.compile(r"(={4,}|\*{4,}|_{4,}|--)\s*$")
_ATTRIBUTE = re.compile(r":([\w-]+):\s*(.*)$")
_IMAGE = re.compile(r"image::[^\[]+\[(.*)\]\s*$")
_ANCHOR_LINE = re.compile(r"\[\[([^\],]+)[^\]]*\]\]\s*$|\[[^\]#]*#([\w:.-]+)[^\]]*\]\s*$")
_LEAD = re.compile(r"(=+\s+|\s*(?:\*+|-|\.+|\d+\.)\s+|\||\.(?=[^\s.]))?")
_LEFT_ALONE = re.compile(r"\[|:[\w-]+:|image::|include::|//|\|===|<<<|'''|ifdef|ifndef|endif")
_STYLES = ("1", "a", "i", "A", "I")
"""Numbers of lists by their depth, as in the attribute type of HTML."""

_RULE = re.compile(r"'{3,}")
_BREAK = re.compile(r"\s\+\s*$")
_INSIDE = r"(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*"
_FORMULA = re.compile(rf"((?:latexmath|stem|asciimath|pass):\w*\[{_INSIDE}\]|\+\+.*?\+\+|`[^`]*`)")
"""A formula or code, where tildes mean something else."""

_INLINE = re.compile(
    rf"footnote:(?P<noteid>[\w-]*)\[(?P<note>{_INSIDE})\]"
    rf"|(?:latexmath|stem|asciimath):\[(?P<math>{_INSIDE})\]"
    r"|(?:link:(?P<address>[^\s\[\]]+)|(?P<url>(?:https?|ftp)://[^\s\[\]<>]+|mailto:[^\s\[\]]+))"
    rf"\[(?P<shown>{_INSIDE})\]"
    r"|<<(?P<target>[^,>]+)(?:,\s*(?P<words>[^>]*))?>>"
    rf"|xref:(?P<xref>[^\s\[]+)\[(?P<xwords>{_INSIDE})\]"
    r"|\[\[\[(?P<entry>[\w:.-]+)(?:,\s*(?P<label>[^\]]*))?\]\]\]"
    r"|\[\[(?P<place>[\w:.-]+)[^\]]*\]\]"
    r"|`(?P<code>[^`\s](?:[^`]*[^`\s])?)`"
    r"|\*\*(?P<ubold>.+?)\*\*|__(?P<uitalic>.+?)__"
    r"|(?<![\w*])\*(?P<bold>[^*\s](?:[^*]*?[^*\s])?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic>[^_\s](?:[^_]*?[^_\s])?)_(?![\w_])"
)


class AsciiDocReader:
    """AsciiDoc sources, one file each; ``include::`` is not followed."""

    name = "asciidoc"
    version = 11

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the source; raises the errors of ``Reader.read``."""
        source = decode_file(path, options.charset)
        if not options.hidden:
            source = "\n".join(seen_lines(source.splitlines()))
        marker = _Marker(Marks(source))
        content = marker.mark(source)
        builder = DraftBuilder(f"{self.name}/{self.version}", marker.marks)
        builder.metadata = _metadata(marker.attributes)
        convert(
            run_docling(path, "asciidoc", content.encode()), builder, table_rows=options.table_rows, own_styles=False
        )
        figures = [index for index, node in enumerate(builder.nodes) if node.type is ContentNodeType.FIGURE]
        if len(figures) == len(marker.images):
            for index, (words, box) in zip(figures, marker.images, strict=True):
                update = {"description": words, "embedding_source": EmbeddingSource.DESCRIPTION} if words else {}
                inside = {"container": box} if box in builder.containers else {}
                builder.nodes[index] = builder.nodes[index].model_copy(update={**update, **inside})
        _keep_together(builder)
        notes: list[DraftNode] = []
        for number, (anchor, text) in enumerate(marker.notes.items(), 1):
            notes += builder.aside(anchor, ContentNodeType.NOTE, text, marker=str(number), anchors=[anchor])
        builder.place_notes(notes)
        if re.search(r"^include::", source, re.MULTILINE):
            builder.warnings.append("files that it includes were not read")
        return not_empty(builder.draft())


def _keep_together(builder: DraftBuilder) -> None:
    """Put what is between two definitions of a list into that list, so that it stays behind its own term."""
    places: dict[str, list[int]] = {}
    for place, node in enumerate(builder.nodes):
        if (node.container or "").startswith("list/"):
            places.setdefault(str(node.container), []).append(place)
    for key, its in places.items():
        for place in range(its[0], its[-1]):
            node = builder.nodes[place]
            at = node.container
            while at is not None and at != key and builder.containers[at].parent not in (None, key):
                at = builder.containers[at].parent
            if at is None:
                builder.nodes[place] = node.model_copy(update={"container": key})
            elif at != key and builder.containers[at].parent is None:
                builder.containers[at] = builder.containers[at].model_copy(update={"parent": key})


class _Marker:
    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self.notes: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.images: list[tuple[str, str | None]] = []  # what each shows, the key of the box around it
        self.blocks = Blocks(marks, self.inline)
        self._counts: list[int] = []  # of the items of numbered lists, by depth
        self._attached = False  # a plus has taken the next block into its item

    def mark(self, source: str) -> str:
        """Return the source with marks instead of inline macros; raw blocks do not change."""
        out: list[str] = []
        raw, begun, title_seen, blocks = "", False, False, self.blocks
        lines = list(rows_on_lines(source.splitlines()))
        ends = Counter(line.rstrip() for line in lines)
        for line in lines:
            ends[line.rstrip()] -= 1
            if raw:
                raw = "" if line.rstrip() == raw else raw
                if raw and begun:
                    line, begun = line + blocks.around(boxes=True), False
            elif (opening := RAW.match(line)) is not None:
                blocks.part(out)
                raw = opening[1] if not opening[1].startswith("```") else "```"
                out.append(line)
                begun = True
                continue
            elif (frame := _FRAME.match(line)) is not None:
                blocks.delimit(frame[1], out, closed=ends[line.rstrip()] > 0)
                line = ""
            elif blocks.states(line):
                continue
            elif (place := _ANCHOR_LINE.match(line)) is not None:
                blocks.waiting += self.marks.put("anchor", place[1] or place[2])
                continue
            elif (image := _IMAGE.match(line)) is not None:
                self.images.append((_alternative(image[1]), blocks.box))
            elif (stated := _ATTRIBUTE.match(line)) is not None:
                self.attributes[stated[1].lower()] = stated[2].strip()
            elif line.strip() == "+":
                blocks.attach()
                line, self._attached = "", True
            elif _RULE.fullmatch(line.strip()):
                line = ""
            elif line.strip() and not _LEFT_ALONE.match(line):
                if title_seen and re.fullmatch(
                    r"[^\W\d_][\w.'-]*(?: [\w.'-]+){0,3}(?: <[^<>]+>)?(?:; .+)?", line.strip()
                ):
                    self.attributes.setdefault("author", line.strip())
                    blocks.waiting += self.marks.put("type", "AUTHOR")
                title_seen = line.startswith("= ")
                lead = _LEAD.match(line)
                end = lead.end() if lead else 0
                if line.startswith("="):
                    blocks.end_definitions()
                number = self._number(line[:end], is_new=not out or not out[-1].strip())
                line = line[:end] + number + blocks.text(_BREAK.sub("", line[end:]), out, line[:end])
            elif not line.strip():
                blocks.part(out)
            out.append(line)
        blocks.part(out)
        return "\n".join(out) + ("\n\n" + blocks.waiting if blocks.waiting else "") + "\n"

    def _number(self, lead: str, *, is_new: bool) -> str:
        """Return the number of an item as a mark; docling drops it. A block that is in no list ends all lists."""
        dots = lead.strip()
        if dots and set(dots) == {"."} and lead[-1:].isspace():
            deep = len(dots)
            self._counts = [*self._counts[:deep], *[0] * (deep - len(self._counts))]
            self._counts[-1] += 1
            style = _STYLES[min(deep, len(_STYLES)) - 1]
            return self.marks.put("number", ordered_marker(style, self._counts[-1]), " ")
        if is_new and not self._attached and not (lead.strip() and lead[-1:].isspace() and "=" not in lead):
            self._counts = []
        self._attached = False
        return ""

    def inline(self, text: str) -> str:
        """Return a line with its inline macros as marks."""
        text = re.sub(r"\{([\w-]+)\}", lambda found: self.attributes.get(found[1].lower(), found[0]), text)
        parts = _FORMULA.split(text)
        parts[::2] = [without_scripts(part, TILDES) for part in parts[::2]]
        return _INLINE.sub(self._replaced, "".join(parts))

    def _replaced(self, found: re.Match[str]) -> str:
        around, parts = self.marks.around, found.groupdict()
        if parts["note"] is not None:
            anchor = f"note-{parts['noteid'] or len(self.notes) + 1}"
            if parts["note"] or anchor not in self.notes:
                self.notes.setdefault(anchor, self.inline(parts["note"].replace("\\]", "]")))
            return self.marks.put("note", anchor, str(list(self.notes).index(anchor) + 1))
        if parts["math"] is not None:
            return around(parts["math"].replace("\\]", "]").strip("$"), "math")
        if parts["shown"] is not None:
            address = parts["address"] or parts["url"]
            return around(self.inline(parts["shown"].split("^")[0]) or address, "link", address)
        if parts["target"] is not None:
            return around(parts["words"] or parts["target"], "ref", parts["target"].lstrip("#"))
        if parts["xref"] is not None:
            return around(parts["xwords"] or parts["xref"], "ref", parts["xref"].lstrip("#"))
        if parts["entry"] is not None:
            return self.marks.put("anchor", parts["entry"]) + f"[{parts['label'] or parts['entry']}]"
        if parts["place"] is not None:
            return self.marks.put("anchor", parts["place"])
        for kind, names in (("code", ("code",)), ("bold", ("ubold", "bold")), ("italic", ("uitalic", "italic"))):
            for name in names:
                if parts[name] is not None:
                    return around(parts[name] if kind == "code" else self.inline(parts[name]), kind)
        return found[0]


def _alternative(attributes: str) -> str:
    """Return the words for a picture: its attribute of that name, or the first one without a name."""
    first = attributes.split(",")[0].strip(' "')
    named = re.search(r"(?:^|,)\s*alt\s*=\s*(?:\"([^\"]*)\"|([^,]*))", attributes)
    if named is not None:
        return (named[1] or named[2] or "").strip()
    return "" if re.match(r"\w+=", first) else first


def _metadata(attributes: dict[str, str]) -> DraftMetadata:
    authors = re.split(r";\s*", re.sub(r"\s*<[^<>]*>", "", attributes.get("author") or attributes.get("authors") or ""))
    return DraftMetadata(
        authors=[name for name in authors if name],
        publication_date=iso_date(attributes.get("revdate")),
        language=attributes.get("lang") or None,
        abstract=attributes.get("description") or None,
    )
