"""The database itself refuses a document that breaks the model, whoever writes it; sound ones it takes.

The property tests build a random sound document, then break it in one way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg
from factories import (
    make_component,
    make_document,
    make_node,
    make_relation,
    positions,
    refused,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import errors

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]

# The transaction of the fixture is shared by all examples of a test; each rolls its own savepoint back.
tries = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class Shape:
    """A sound document: for each component the number of its parent (-1 for the top), for each node its component."""

    parents: list[int]
    homes: list[int]
    pages: int
    spans: list[tuple[int, int]] = field(default_factory=list)

    def depth(self, component: int) -> int:
        return 0 if component < 0 or self.parents[component] < 0 else 1 + self.depth(self.parents[component])

    def below(self, component: int) -> list[int]:
        """The component and everything under it."""
        found = [component]
        for child, parent in enumerate(self.parents):
            if parent in found:
                found.append(child)
        return found


@st.composite
def shapes(draw: st.DrawFn, components: int = 1, nodes: int = 1, pages: int = 1) -> Shape:
    count = draw(st.integers(components, 12))
    parents = [draw(st.integers(-1, number - 1)) for number in range(count)]
    homes = draw(st.lists(st.integers(-1, count - 1), min_size=nodes, max_size=15))
    last = draw(st.integers(pages, 6))
    page = st.integers(1, last)
    spans = [tuple(sorted((draw(page), draw(page)))) if last else (0, 0) for _ in homes]
    return Shape(parents, homes, last, spans)  # type: ignore[arg-type]


def build(connection: Connection, shape: Shape, document_id: str = "dl_a") -> None:
    """Insert a document of this shape: components "cmp_0" ..., nodes "cn_0" ..., parents before children."""
    make_document(connection, document_id, pages=shape.pages)
    for number, parent in enumerate(shape.parents):
        make_component(
            connection,
            document_id,
            f"cmp_{number}",
            parent_component_id=f"cmp_{parent}" if parent >= 0 else None,
            depth=shape.depth(number),
            sequence_in_parent_major=number,
        )
    for number, (home, span) in enumerate(zip(shape.homes, shape.spans, strict=True)):
        make_node(
            connection,
            document_id,
            f"cn_{number}",
            number,
            parent_component_id=f"cmp_{home}" if home >= 0 else None,
            positional_data=positions(*range(span[0], span[1] + 1)) if shape.pages else [],
        )


@tries
@given(shape=shapes(components=0, nodes=0, pages=0))
def test_sound_trees_are_taken(connection: Connection, shape: Shape) -> None:
    with connection.transaction(force_rollback=True):
        build(connection, shape)
        row = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE parent_depth IS DISTINCT FROM depth - 1)"
            " FROM ragraph.document_component WHERE parent_component_id IS NOT NULL"
        ).fetchone()
        assert row == (sum(parent >= 0 for parent in shape.parents), 0)


@tries
@given(shape=shapes(components=2), data=st.data())
def test_no_update_can_close_a_cycle(connection: Connection, shape: Shape, data: st.DataObject) -> None:
    """Hang a component below itself or its own offspring, at any depth claimed: refused, always."""
    child = data.draw(st.integers(0, len(shape.parents) - 1))
    below = data.draw(st.sampled_from(shape.below(child)))
    claimed = data.draw(st.integers(-1, 14))
    with connection.transaction(force_rollback=True):
        build(connection, shape)
        refused(
            connection,
            lambda: connection.execute(
                "UPDATE ragraph.document_component SET parent_component_id = %s, depth = %s WHERE id = %s",
                [f"cmp_{below}", claimed, f"cmp_{child}"],
            ),
        )


@tries
@given(size=st.integers(1, 6), depths=st.lists(st.integers(-2, 8), min_size=6, max_size=6))
def test_no_insert_can_make_a_cycle(connection: Connection, size: int, depths: list[int]) -> None:
    """A ring of components in one INSERT, where foreign keys are checked at the end: refused at any depths."""
    with connection.transaction(force_rollback=True):
        make_document(connection)
        refused(
            connection,
            lambda: connection.execute(
                "INSERT INTO ragraph.document_component"
                " (document_id, id, component_type, parent_component_id, depth, sequence_in_parent_major)"
                " SELECT 'dl_a', 'cmp_' || i, 'SECTION', 'cmp_' || (i + 1) %% %(size)s, (%(depths)s::int[])[i + 1], 0"
                " FROM generate_series(0, %(size)s - 1) AS i",
                {"size": size, "depths": depths},
            ),
        )


@tries
@given(shape=shapes(components=2), data=st.data())
def test_a_subtree_moves_when_depths_are_right(connection: Connection, shape: Shape, data: st.DataObject) -> None:
    """One UPDATE moves a component with all below it, wherever that closes no cycle; with a wrong depth it does not."""
    child = data.draw(st.integers(0, len(shape.parents) - 1))
    below = shape.below(child)
    goals = [number for number in range(-1, len(shape.parents)) if number not in below]
    goal = data.draw(st.sampled_from(goals))
    shift = (0 if goal < 0 else shape.depth(goal) + 1) - shape.depth(child)
    move = (
        "UPDATE ragraph.document_component SET depth = depth + %(shift)s, parent_component_id ="
        " CASE WHEN id = %(child)s THEN %(goal)s ELSE parent_component_id END"
        " WHERE id = %(child)s OR id = ANY(%(below)s)"
    )
    values = {
        "child": f"cmp_{child}",
        "goal": f"cmp_{goal}" if goal >= 0 else None,
        "below": [f"cmp_{number}" for number in below],
    }
    with connection.transaction(force_rollback=True):
        build(connection, shape)
        with connection.transaction():
            connection.execute(move, {**values, "shift": shift})
        wrong = data.draw(st.integers(-9, 9).filter(lambda number: number != 0))
        refused(connection, lambda: connection.execute(move, {**values, "shift": wrong}))


@tries
@given(shape=shapes(), data=st.data())
def test_parents_come_from_the_same_document(connection: Connection, shape: Shape, data: st.DataObject) -> None:
    component = f"cmp_{data.draw(st.integers(0, len(shape.parents) - 1))}"
    with connection.transaction(force_rollback=True):
        build(connection, shape)
        make_document(connection, "dl_b", pages=1)
        make_component(connection, "dl_b", "cmp_own")
        depth = data.draw(st.integers(1, 14))
        for parent in (component, "cmp_nowhere"):
            refused(
                connection,
                lambda parent=parent: make_component(  # type: ignore[misc]
                    connection, "dl_b", "cmp_new", parent_component_id=parent, depth=depth
                ),
                errors.ForeignKeyViolation,
            )
            refused(
                connection,
                lambda parent=parent: make_node(connection, "dl_b", "cn_new", 0, parent_component_id=parent),  # type: ignore[misc]
                errors.ForeignKeyViolation,
            )


@tries
@given(shape=shapes(nodes=2), data=st.data())
def test_relations_stay_inside_a_document(connection: Connection, shape: Shape, data: st.DataObject) -> None:
    one, other = data.draw(st.permutations(range(len(shape.homes))))[:2]
    with connection.transaction(force_rollback=True):
        build(connection, shape)
        build(connection, shape, "dl_b")
        make_node(connection, "dl_b", "cn_b", len(shape.homes))
        make_relation(connection, "dl_a", "rel_open", f"cn_{one}", None)
        make_relation(connection, "dl_a", "rel_1", f"cn_{one}", f"cn_{other}")
        for source, target in ((f"cn_{one}", "cn_b"), ("cn_b", f"cn_{one}"), (f"cn_{one}", "cn_nowhere")):
            refused(
                connection,
                lambda ends=(source, target): make_relation(connection, "dl_a", "rel_2", *ends),  # type: ignore[misc]
                errors.ForeignKeyViolation,
            )
        refused(connection, lambda: make_relation(connection, "dl_a", "rel_2", f"cn_{one}", f"cn_{one}"))


@tries
@given(shape=shapes(components=2, nodes=2), data=st.data())
def test_no_two_siblings_share_a_place(connection: Connection, shape: Shape, data: st.DataObject) -> None:
    """Neither with equal minors nor with none; in reading order no number comes twice."""
    minor = data.draw(st.none() | st.integers(0, 3))
    home = data.draw(st.integers(-1, len(shape.parents) - 1))
    parent = f"cmp_{home}" if home >= 0 else None
    place = {"parent_component_id": parent, "sequence_in_parent_major": 50, "sequence_in_parent_minor": minor}
    depth = 0 if home < 0 else shape.depth(home) + 1
    last = len(shape.homes)
    with connection.transaction(force_rollback=True):
        build(connection, shape)
        make_node(connection, "dl_a", "cn_x", last, **place)
        refused(connection, lambda: make_node(connection, "dl_a", "cn_y", last + 1, **place), errors.UniqueViolation)
        other = {**place, "sequence_in_parent_minor": 9}
        make_node(connection, "dl_a", "cn_y", last + 1, **other)
        make_component(connection, "dl_a", "cmp_x", depth=depth, **place)
        refused(
            connection,
            lambda: make_component(connection, "dl_a", "cmp_y", depth=depth, **place),
            errors.UniqueViolation,
        )
        taken = data.draw(st.integers(0, last + 1))
        refused(
            connection,
            lambda: make_node(connection, "dl_a", "cn_z", taken, sequence_in_parent_major=99),
            errors.UniqueViolation,
        )


@tries
@given(shape=shapes(components=1, nodes=1), data=st.data())
def test_pages_lie_within_the_document(connection: Connection, shape: Shape, data: st.DataObject) -> None:
    """First, middle or last page of a node, or of a component: none may lie outside."""
    inside = st.lists(st.integers(1, shape.pages), max_size=2)
    outside = data.draw(st.integers(-3, 0) | st.integers(shape.pages + 1, 10**6))
    pages = sorted([*data.draw(inside), outside])
    with connection.transaction(force_rollback=True):
        build(connection, shape)
        for order in (pages, pages[::-1]):
            refused(
                connection,
                lambda order=order: connection.execute(  # type: ignore[misc]
                    "UPDATE ragraph.content_node SET positional_data = %s WHERE id = 'cn_0'",
                    [psycopg.types.json.Jsonb(positions(*order))],
                ),
            )
        refused(
            connection,
            lambda: connection.execute(
                "UPDATE ragraph.document_component SET page_range = int4range(%s, %s, '[]') WHERE id = 'cmp_0'",
                [pages[0], pages[-1]],
            ),
        )
