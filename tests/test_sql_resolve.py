"""resolve_relations: by anchor, marker, author and year, label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from factories import make_document, make_node, make_relation, positions

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]


class Draft:
    """Nodes and relations of document "dl_a", one after the other."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        make_document(connection, pages=9)
        self.nodes = 0

    def node(
        self, node_id: str, content: str = "", type: str = "PARAGRAPH", page: int | None = None, **data: Any
    ) -> str:
        make_node(
            self.connection,
            "dl_a",
            node_id,
            self.nodes,
            content=content or node_id,
            content_node_type=type,
            data=data,
            positional_data=positions(page) if page else [],
        )
        self.nodes += 1
        return node_id

    def refer(self, source: str, type: str, marker: str | None = None, target: str | None = None, **values: Any) -> str:
        relation = f"r_{source}_{marker}_{values.get('target_anchor')}_{values.get('marker_start')}"
        return make_relation(
            self.connection, "dl_a", relation, source, target, relation_type=type, marker_text=marker, **values
        )

    def resolve(self) -> int:
        (count,) = self.connection.execute("SELECT ragraph.resolve_relations('dl_a')").fetchone() or (None,)
        assert isinstance(count, int)
        return count

    def target(self, relation: str) -> str | None:
        (node,) = self.connection.execute(
            "SELECT target_node_id FROM ragraph.relation WHERE document_id = 'dl_a' AND id = %s", [relation]
        ).fetchone() or (None,)
        return node if node is None else str(node)


@pytest.fixture
def draft(connection: Connection) -> Draft:
    return Draft(connection)


def test_anchors_come_first_and_case_comes_last(draft: Draft) -> None:
    draft.node("p")
    draft.node("other", type="PARAGRAPH", anchors=["FN1"])
    draft.node("holder", type="PARAGRAPH", anchors=["fn2"])
    draft.node("exact", type="NOTE", anchors=["fn1", "x"])
    draft.node("typed", type="NOTE", anchors=["fn2"])
    by_anchor = draft.refer("p", "REFERENCES_NOTE", "9", target_anchor="fn1")
    hashed = draft.refer("p", "CROSS_REFERENCES", target_anchor="#X")
    shared = draft.refer("p", "REFERENCES_NOTE", target_anchor="fn2")
    own = draft.refer("holder", "CROSS_REFERENCES", target_anchor="fn2")
    unknown = draft.refer("p", "CROSS_REFERENCES", target_anchor="nowhere")
    assert draft.resolve() == 4
    assert [draft.target(item) for item in (by_anchor, hashed, shared, own, unknown)] == [
        "exact",
        "exact",
        "typed",
        "typed",
        None,
    ]
    assert draft.resolve() == 0


def test_a_note_on_the_same_page_then_the_next_one(draft: Draft) -> None:
    draft.node("p1", page=1)
    draft.node("n1", type="NOTE", page=1, marker="1")
    draft.node("n2", type="NOTE", page=2, marker="1.")
    draft.node("p2", page=2)
    draft.node("p3", page=3)
    draft.node("n4", type="NOTE", page=4, marker="[1]")
    relations = [draft.refer(source, "REFERENCES_NOTE", "¹") for source in ("p1", "p2", "p3")]
    assert draft.resolve() == 3
    assert [draft.target(item) for item in relations] == ["n1", "n2", "n4"]


def test_numbering_that_begins_anew_meets_the_notes_at_the_end_in_turn(draft: Draft) -> None:
    for chapter in "abc":
        draft.node(chapter)
    for chapter in "abc":
        draft.node(f"n{chapter}", type="NOTE", marker="1")
    relations = [draft.refer(chapter, "REFERENCES_NOTE", "1", marker_start=3) for chapter in "abc"]
    draft.resolve()
    assert [draft.target(item) for item in relations] == ["na", "nb", "nc"]


def test_signs_are_markers_too(draft: Draft) -> None:
    draft.node("p")
    draft.node("dagger", type="NOTE", marker="†")
    draft.node("star", type="NOTE", marker="*")
    relations = [draft.refer("p", "REFERENCES_NOTE", marker) for marker in ("*", "†", "‡")]
    draft.resolve()
    assert [draft.target(item) for item in relations] == ["star", "dagger", None]


def test_a_note_never_refers_to_itself(draft: Draft) -> None:
    draft.node("only", type="NOTE", marker="1")
    relation = draft.refer("only", "REFERENCES_NOTE", "1")
    assert draft.resolve() == 0
    assert draft.target(relation) is None


def test_numbered_entries_by_marker_or_by_their_text(draft: Draft) -> None:
    draft.node("p")
    draft.node("n22", type="NOTE", marker="22")
    draft.node("e22", "Someone. A work.", "BIBLIOGRAPHIC_ENTRY", marker="22.")
    draft.node("e23", "[23] Someone else.", "BIBLIOGRAPHIC_ENTRY")
    draft.node("e24", "24. Third.", "BIBLIOGRAPHIC_ENTRY")
    relations = [draft.refer("p", "REFERENCES_CITATION", f"[{number}]") for number in (22, 23, 24, 25)]
    draft.resolve()
    assert [draft.target(item) for item in relations] == ["e22", "e23", "e24", None]


@pytest.mark.parametrize(
    ("marker", "target"),
    [
        ("(Author, 2025)", "author"),
        ("Author (2025)", "author"),
        ("(see Author et al., 2025)", "author"),
        ("(van der Berg and Öz, 2001)", "berg"),
        ("(Berg, 2001)", "berg"),
        ("(Twin, 1999)", None),
        ("(Twin, 1999b)", "twin_b"),
        ("(Author, 1900)", None),
        ("(Nobody, 2025)", None),
        ("(Author)", None),
    ],
)
def test_author_and_year(draft: Draft, marker: str, target: str | None) -> None:
    draft.node("p")
    draft.node("author", "Author, A. N. (2025). A work. City: Press.", "BIBLIOGRAPHIC_ENTRY")
    draft.node("berg", "van der Berg, J., & Öz, A. 2001. Another.", "BIBLIOGRAPHIC_ENTRY")
    draft.node("twin_a", "Twin, T. 1999a. First.", "BIBLIOGRAPHIC_ENTRY")
    draft.node("twin_b", "Twin, T. 1999b. Second.", "BIBLIOGRAPHIC_ENTRY")
    relation = draft.refer("p", "REFERENCES_CITATION", marker)
    draft.resolve()
    assert draft.target(relation) == target


@pytest.mark.parametrize(
    ("marker", "target"),
    [
        ("Section 4.2", "s42"),
        ("see Section 4.2", "s42"),
        ("§ 4.2", "s42"),
        ("Chapter 3", "c3"),
        ("Appendix A", "appendix"),
        ("Figure 3", "figure"),
        ("Fig. 3", "figure"),
        ("Table A-1", "table"),
        ("Table A–1", "table"),
        ("Figure 9", "lonely"),
        ("Section 4", None),
        ("Figure 4.2", None),
        ("elsewhere", None),
    ],
)
def test_labels(draft: Draft, marker: str, target: str | None) -> None:
    draft.node("p")
    draft.node("c3", "Chapter 3: Middle", "HEADING")
    draft.node("s42", "4.2 Method", "HEADING")
    draft.node("s421", "4.2.1 Details", "HEADING")
    draft.node("appendix", "Appendix A. Proofs", "HEADING")
    draft.node("figure", " ", "FIGURE")
    draft.node("figure_caption", "**Figure 3.** A view", "CAPTION")
    draft.node("table", "a | b", "TABLE")
    draft.node("table_caption", "Table A-1: Costs", "CAPTION")
    draft.node("lonely", "Fig. 9: no picture", "CAPTION")
    draft.refer("figure", "IS_CAPTIONED_BY", target="figure_caption")
    draft.refer("table", "IS_CAPTIONED_BY", target="table_caption")
    relation = draft.refer("p", "CROSS_REFERENCES", marker)
    draft.resolve()
    assert draft.target(relation) == target


def test_an_ambiguous_label_stays_open(draft: Draft) -> None:
    draft.node("p")
    draft.node("one", "1 Introduction", "HEADING")
    draft.node("two", "1 Introduction again", "HEADING")
    relation = draft.refer("p", "CROSS_REFERENCES", "Section 1")
    assert draft.resolve() == 0
    assert draft.target(relation) is None


def test_a_target_once_set_stays(draft: Draft) -> None:
    draft.node("p")
    draft.node("n1", type="NOTE", marker="1")
    draft.node("n2", type="NOTE", marker="2")
    relation = draft.refer("p", "REFERENCES_NOTE", "1", target="n2")
    assert draft.resolve() == 0
    assert draft.target(relation) == "n2"


def test_anchors_that_are_no_list_are_passed_over(draft: Draft) -> None:
    draft.node("p")
    draft.node("n", anchors="x")
    draft.refer("p", "CROSS_REFERENCES", target_anchor="x")
    assert draft.resolve() == 0


def test_notes_that_refer_to_each_other_do_not_go_round(draft: Draft) -> None:
    draft.node("p")
    for name, following in (("n1", "2"), ("n2", "3"), ("n3", "1")):
        draft.node(name, type="NOTE", marker=name[1])
        draft.refer(name, "REFERENCES_NOTE", following)
    draft.refer("p", "REFERENCES_NOTE", "1")
    assert draft.resolve() == 4
    types: dict[str, str] = dict(
        draft.connection.execute(
            "SELECT source_node_id, relation_type::text FROM ragraph.relation WHERE document_id = 'dl_a'"
        ).fetchall()
    )
    note = "REFERENCES_NOTE"
    assert types == {"p": note, "n1": note, "n2": note, "n3": "CROSS_REFERENCES"}
    assert draft.connection.execute("SELECT * FROM ragraph_private.check_cycles('dl_a')").fetchall() == []
