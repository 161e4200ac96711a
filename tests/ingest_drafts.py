"""Drafts for the tests of ingestion: a shorthand for outlines, and a strategy that makes odd ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.draft import Draft, DraftContainer, DraftNode, DraftPage, DraftRelation, Position
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragraph.ingest.common.graph_rows import Graph

DOCUMENT = DocumentRow(id="dl_draft", publication_id="pub_draft")

_PREFIXES = {
    "T:": ContentNodeType.TITLE,
    "A:": ContentNodeType.AUTHOR,
    "N:": ContentNodeType.NOTE,
    "-": ContentNodeType.LIST_ITEM,
    "E:": ContentNodeType.BIBLIOGRAPHIC_ENTRY,
    "P:": ContentNodeType.PAGE_NUMBER,
}


def draft_of(text: str, **given: Any) -> Draft:
    """Read one node per line: "# Heading" by number of signs, prefixes as above, "@3" in front for a page.

    "{key}" after the page puts the node into the container of that key.
    """
    nodes = []
    for number, line in enumerate(line.strip() for line in text.strip().splitlines() if line.strip()):
        page, line = (int(line[1:].split(" ", 1)[0]), line.split(" ", 1)[1]) if line.startswith("@") else (None, line)
        container, line = line[1:].split("} ", 1) if line.startswith("{") else (None, line)
        positions = [Position(page_pdf=page)] if page else []
        common: dict[str, Any] = {"key": f"k{number}", "positions": positions, "container": container}
        if line.startswith("#"):
            bare = line.lstrip("#")
            nodes.append(DraftNode(type="HEADING", level=len(line) - len(bare), text=bare.strip(), **common))
            continue
        kind = next((prefix for prefix in _PREFIXES if line.startswith(prefix)), "")
        node_type = _PREFIXES.get(kind, ContentNodeType.PARAGRAPH)
        nodes.append(DraftNode(type=node_type, text=line.removeprefix(kind).strip(), **common))
    return Draft(reader="test/1", nodes=nodes, **given)


def containers(*rows: tuple[str, str] | tuple[str, str, str]) -> list[DraftContainer]:
    """Give containers from (key, type) or (key, type, parent)."""
    return [DraftContainer(key=row[0], type=row[1], parent=row[2] if len(row) > 2 else None) for row in rows]


def lines(graph: Graph) -> list[str]:
    """Write the tree as indented lines, components as TYPE "title", nodes as their content, in walking order."""
    below: dict[str | None, list[tuple[int, int, str, Any]]] = {}
    place: tuple[int, int, str, Any]
    for component in graph.components:
        place = (component.sequence_in_parent_major, component.sequence_in_parent_minor or 0, "c", component)
        below.setdefault(component.parent_component_id, []).append(place)
    for node in graph.nodes:
        place = (node.sequence_in_parent_major, node.sequence_in_parent_minor or 0, "n", node)
        below.setdefault(node.parent_component_id, []).append(place)
    found = []
    stack = [(row, 0) for row in sorted(below.get(None, []), key=lambda row: row[:3], reverse=True)]
    while stack:
        (_, _, kind, row), depth = stack.pop()
        if kind == "n":
            found.append("  " * depth + row.content)
            continue
        found.append("  " * depth + row.component_type + (f' "{row.title}"' if row.title else ""))
        inner = sorted(below.get(row.id, []), key=lambda row: row[:3], reverse=True)
        stack.extend((place, depth + 1) for place in inner)
    return found


_TITLES = ["Abstract", "Contents", "Preface", "Introduction", "1 Method", "Part I", "Chapter 2", "Results", "Notes"]
_TITLES += ["Conclusion", "Acknowledgements", "References", "Appendix A", "Index", "Part of it", "Notes", "References"]
_WORDS = ["a", "b", "1. see c", "[1] d 2001", "*", "© 2020", "", "2 e"]
_KEYS = ["c0", "c1", "c2", "c3", "c4", "c5"]


@st.composite
def _nodes(draw: st.DrawFn, keys: Iterable[str]) -> list[DraftNode]:
    paged = draw(st.booleans())
    page = 1
    nodes = []
    for number in range(draw(st.integers(0, 25))):
        kind = draw(
            st.sampled_from(["HEADING"] * 4 + ["PARAGRAPH"] * 4 + ["NOTE"] * 4 + ["LIST_ITEM", "TITLE", "PAGE_NUMBER"])
        )
        page += draw(st.sampled_from([0, 0, 0, 1]))
        positions = [Position(page_pdf=page)] if paged and draw(st.integers(0, 9)) else []
        if positions and not draw(st.integers(0, 5)):
            positions.append(Position(page_pdf=max(1, page - 1)))
        nodes.append(
            DraftNode(
                key=f"k{number}",
                type=kind,
                text=draw(st.sampled_from(_TITLES if kind == "HEADING" else _WORDS)),
                level=draw(st.sampled_from([None, 1, 1, 2, 3, 6])) if kind == "HEADING" else None,
                container=draw(st.sampled_from([None, None, None, *keys])),
                marker=draw(st.sampled_from(["1", "2", "*"])) if kind == "NOTE" else None,
                anchors=draw(st.sampled_from([[], [f"a{number}"]])),
                positions=positions,
            )
        )
    return nodes


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Make drafts with odd levels, containers that overlap, go in circles or hold nothing, and notes everywhere."""
    keys = _KEYS[: draw(st.integers(0, len(_KEYS)))]
    stated = [
        DraftContainer(
            key=key,
            type=draw(st.sampled_from(list(ComponentType))),
            title=draw(st.sampled_from([None, None, "Notes", "References", "Box"])),
            parent=draw(st.sampled_from([None, None, *_KEYS])),
        )
        for key in keys
    ]
    nodes = draw(_nodes([*keys, "unknown"]))
    names = [node.key for node in nodes]
    relations = []
    for _ in range(draw(st.integers(0, 12)) if names else 0):
        relations.append(
            DraftRelation(
                source=draw(st.sampled_from(names)),
                type=draw(st.sampled_from([RelationType.REFERENCES_NOTE] * 4 + list(RelationType))),
                target=draw(st.sampled_from([None, None, *names])),
                anchor=draw(st.sampled_from([None, "a1", "a2", "#a3", "a4"])),
                marker=draw(st.sampled_from([None, "1", "2", "*", "Chapter 2"])),
                marker_start=draw(st.sampled_from([None, 0, 1])),
            )
        )
    pages = sorted({position.page_pdf for node in nodes for position in node.positions})
    return Draft(
        reader="test/1",
        nodes=nodes,
        containers=stated,
        relations=relations,
        pages=[DraftPage(page_pdf=page) for page in pages],
    )
