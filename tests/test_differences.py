"""Comparison of two documents: the same in both directions, and no pairs of what is not alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ragraph.schema.enums import ContentNodeType
from ragraph.store.differences import by_content, compared

WORDS = ("rain", "snow", "river", "bridge", "toll", "clerk", "noon", "map")


@dataclass(frozen=True)
class Row:
    id: str
    content: str
    parent_component_id: str | None = None
    content_node_type: ContentNodeType = ContentNodeType.PARAGRAPH
    title: str | None = None
    storage_url: str | None = None
    description: str | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Graph:
    nodes: tuple[Row, ...]
    components: tuple[Row, ...] = ()


def graph(texts: list[tuple[int, str]]) -> Graph:
    sections = tuple(Row(f"c{n}", "", title=f"Section {n}") for n in range(3))
    kinds = (ContentNodeType.PARAGRAPH, ContentNodeType.HEADING)
    nodes = tuple(
        Row(f"n{place}", text, f"c{section % 3}", kinds[section > 2]) for place, (section, text) in enumerate(texts)
    )
    return Graph(nodes, sections)


def changes(one: Graph, other: Graph, *, turned: bool) -> list[Any]:
    (then, _), (now, _) = by_content(one), by_content(other)
    return compared(then, now, turned=turned)


texts = st.lists(
    st.tuples(st.integers(0, 5), st.lists(st.sampled_from(WORDS), min_size=0, max_size=5).map(" ".join)), max_size=9
)
TURNED = {"added": "removed", "removed": "added"}


@given(texts, texts)
def test_a_comparison_is_mirrored_by_the_one_in_the_other_direction(one: Any, other: Any) -> None:
    there = changes(graph(one), graph(other), turned=False)
    back = changes(graph(other), graph(one), turned=True)
    mirrored = [(TURNED.get(item.change, item.change), item.after, item.before) for item in back]
    assert sorted(map(repr, mirrored)) == sorted(repr((item.change, item.before, item.after)) for item in there)


@given(texts)
def test_a_document_does_not_differ_from_itself(one: Any) -> None:
    assert changes(graph(one), graph(one), turned=False) == []
    assert changes(graph(one), graph(one), turned=True) == []


@given(texts, texts)
def test_each_node_is_accounted_for(one: Any, other: Any) -> None:
    """What is not listed is in both; of each list the nodes come in the reading order of the second."""
    first, second = graph(one), graph(other)
    found = changes(first, second, turned=False)
    gone = [item.before for item in found if item.before is not None and item.change != "moved"]
    new = [item.after for item in found if item.after is not None and item.change != "moved"]
    left = sorted(row.content for row in first.nodes)
    for text in gone:
        left.remove(text)
    assert sorted([*left, *new]) == sorted(row.content for row in second.nodes)


def test_only_what_is_alike_is_a_pair() -> None:
    one = graph([(0, "The toll is taken at noon by a clerk"), (0, "Rain falls")])
    other = graph([(0, "Whales sing in the deep"), (0, "The toll is taken at dawn by a clerk"), (0, "Rain falls")])
    said = [(item.change, item.before, item.after) for item in changes(one, other, turned=False)]
    assert said == [
        ("added", None, "Whales sing in the deep"),
        ("changed", "The toll is taken at noon by a clerk", "The toll is taken at dawn by a clerk"),
    ]


def test_texts_without_spaces_are_compared_by_their_characters() -> None:
    one, other = graph([(0, "桥上收取通行费")]), graph([(0, "桥上不收通行费")])
    assert [item.change for item in changes(one, other, turned=False)] == ["changed"]
