"""References made in words, in drafts of any format: bound where their target is there, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from ingest_drafts import DOCUMENT, draft_of

from ragraph.ingest.draft import Draft, DraftNode, DraftRelation, Position
from ragraph.ingest.structure.assembling import assemble_graph
from ragraph.ingest.structure.references import text_references
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Sequence

N, R = ContentNodeType, RelationType

ENTRIES = """
E: [1] Miller, A. (1999). Bridges of stone. Town Press.
E: [2] Olsen, B. and Smith, C. (2004). Bridges of wood. Town Press.
E: [3] Olsen, B., Lee, D., and Park, E. 2004a. Bridges of iron.
E: [4] World Bank. 2019. World Development Report.
E: [5] van der Berg, P. 2010. Floating bridges. In 1984 and after.
E: [6] Intergovernmental Panel on Bridges (IPB). 2014. Synthesis.
E: [7] A. B. Wright, Toll bridges, 1931.
"""


def said(text: str, stated: Sequence[DraftRelation] = ()) -> list[tuple[str, str | None]]:
    """Give the references of a draft: words as printed, first words of the target."""
    draft = draft_of(text)
    by_key = {node.key: node for node in draft.nodes}
    found = []
    for relation in text_references(draft.nodes, stated):
        source = by_key[relation.source]
        start = relation.marker_start
        assert start is not None and relation.marker is not None
        assert source.text[start : start + len(relation.marker)] == relation.marker
        found.append((relation.marker, by_key[relation.target].text[:9] if relation.target else None))
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("as shown before [2].", [("[2]", "[2] Olsen")]),
        ("as shown before [1, 3].", [("1", "[1] Mille"), ("3", "[3] Olsen")]),
        ("by many [1–3]", [("1–3", "[1] Mille"), ("1–3", "[2] Olsen"), ("1–3", "[3] Olsen")]),
        ("see [see 2; 12]", [("see 2", "[2] Olsen")]),
        ("in the interval [0, 9] and in [x](http://a.org)", []),
        ("Miller (1999) built", [("Miller (1999)", "[1] Mille")]),
        (
            "(Miller 1999, p. 3; Olsen and Smith, 2004)",
            [("Miller 1999", "[1] Mille"), ("Olsen and Smith, 2004", "[2] Olsen")],
        ),
        ("(Olsen et al., 2004a)", [("Olsen et al., 2004a", "[3] Olsen")]),
        ("Olsen & Smith’s (2004) plan", [("Olsen & Smith’s (2004)", "[2] Olsen")]),
        ("(Miller, 1998, 1999)", [("Miller, 1998, 1999", "[1] Mille")]),
        ("the World Bank (2019) says", [("World Bank (2019)", "[4] World")]),
        ("(IPB, 2014)", [("IPB, 2014", "[6] Inter")]),
        ("van der Berg (2010)", [("van der Berg (2010)", "[5] van d")]),
        ("Wright [1931]", [("Wright [1931]", "[7] A. B.")]),
        ("(Olsen and Jones, 2004) and Miller (2001)", []),
        ("since Miller left in 1999 for 2004", []),
        ("Olsen, B. and Smith, C. (2004). Bridges of wood.", [("Olsen, B. and Smith, C. (2004)", "[2] Olsen")]),
    ],
)
def test_citations(text: str, found: list[tuple[str, str]]) -> None:
    assert said(f"{text}\n{ENTRIES}") == found


HEADINGS = """
# 1 Introduction
# 2 Method
## 2.1 Bridges
# Chapter 3: Results
# Appendix B. Tolls
## B.1 Old tolls
# IV. Discussion
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see Section 2.1 for more", [("Section 2.1", "2.1 Bridg")]),
        ("Sections 1 and 2.1", [("Sections 1", "1 Introdu"), ("2.1", "2.1 Bridg")]),
        ("in chapter 3 and Chapter 9", [("chapter 3", "Chapter 3")]),
        ("Appendix B, Appendix B.1", [("Appendix B", "Appendix "), ("Appendix B.1", "B.1 Old t")]),
        ("Section IV", [("Section IV", "IV. Discu")]),
        ("Section 2 of the Data Protection Act and Section 1 of [4]", []),
        ("18 U.S.C. § 2.1", []),
        ("in section I am sure", []),
        ("sections a and part of it", []),
    ],
)
def test_sections(text: str, found: list[tuple[str, str]]) -> None:
    assert said(f"{HEADINGS}\n{text}") == found


def captioned(text: str, *captions: str, formulas: Sequence[str] = ()) -> list[tuple[str, str | None]]:
    """Give the references of a text in front of figures with captions, and formulas."""
    nodes = [DraftNode(key="text", type=N.PARAGRAPH, text=text)]
    relations = []
    for number, caption in enumerate(captions):
        kind = N.TABLE if caption.startswith("Tab") else N.FIGURE
        nodes += [
            DraftNode(key=f"{kind.value} {number}", type=kind),
            DraftNode(key=f"c{number}", type=N.CAPTION, text=caption),
        ]
        relations.append(DraftRelation(source=f"{kind.value} {number}", type=R.IS_CAPTIONED_BY, target=f"c{number}"))
    nodes += [DraftNode(key=f"f{number}", type=N.FORMULA, text=text) for number, text in enumerate(formulas)]
    return [(each.marker or "", each.target) for each in text_references(nodes, relations) if each.source == "text"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Figure 1 and Fig. 2a", [("Figure 1", "FIGURE 0"), ("Fig. 2a", "FIGURE 1")]),
        ("Figs. 1–2", [("Figs. 1–2", "FIGURE 0"), ("Figs. 1–2", "FIGURE 1")]),
        ("Tables 2 and 3 and TABLE A-1", [("Tables 2", "TABLE 2"), ("TABLE A-1", "TABLE 3")]),
        ("Abbildung 1, cuadro 2", [("Abbildung 1", "FIGURE 0"), ("cuadro 2", "TABLE 2")]),
        ("Equation (4), Eqs. 4 and (5)", [("Equation (4)", "f0"), ("Eqs. 4", "f0"), ("(5)", None)]),
        ("Box 1 and figure it out", []),
    ],
)
def test_figures_tables_and_formulas(text: str, found: list[tuple[str, str | None]]) -> None:
    captions = (
        "Figure 1. The town",
        "Figure 2: The bridge",
        "Table 2 – Tolls",
        "Table A-1 Costs",
        "Table A-1 (continued)",
    )
    expected = [each for each in found if each[1] is not None]
    assert captioned(text, *captions, formulas=["a = b (4)"]) == expected


def test_of_two_figures_of_one_number_that_of_the_chapter_is_meant() -> None:
    nodes: list[DraftNode] = []
    for chapter in "ab":
        nodes += [
            DraftNode(key=f"{chapter}0", type=N.HEADING, level=1, text=f"Chapter {chapter}"),
            DraftNode(key=f"{chapter}1", type=N.PARAGRAPH, text="See Figure 1."),
            DraftNode(key=f"{chapter}2", type=N.CAPTION, text="Figure 1. A bridge"),
        ]
    assert [(each.source, each.target) for each in text_references(nodes, [])] == [("a1", "a2"), ("b1", "b2")]


@pytest.mark.parametrize(
    "relation",
    [
        {"target": "k1", "marker": "[1]", "marker_start": 4},
        {"anchor": "ref1", "marker": "1"},
        {"anchor": "ref1"},
        {"marker": "[1]", "marker_start": 4},
    ],
)
def test_what_the_reader_states_is_not_doubled(relation: dict[str, Any]) -> None:
    stated = DraftRelation(source="k0", type=R.REFERENCES_CITATION, **relation)
    nodes = [
        DraftNode(key="k0", type=N.PARAGRAPH, text="see [1] again"),
        DraftNode(key="k1", type=N.BIBLIOGRAPHIC_ENTRY, text="[1] Miller, A. 1999. Bridges.", anchors=["ref1"]),
    ]
    assert list(text_references(nodes, [stated])) == []


def test_running_heads_refer_to_nothing() -> None:
    nodes = [
        DraftNode(key="k0", type=N.PARAGRAPH, text="Chapter 3", container="head"),
        DraftNode(key="k1", type=N.HEADING, text="Chapter 3. Bridges", level=1),
    ]
    assert list(text_references(nodes, [], {"head"})) == []


def test_marks_of_notes_in_brackets_are_left_to_the_database_to_bind() -> None:
    nodes = [
        DraftNode(key="k0", type=N.PARAGRAPH, text="The bridge fell [1] and rose [9]."),
        DraftNode(key="k1", type=N.NOTE, marker="1", text="In a storm."),
    ]
    (found,) = text_references(nodes, [])
    assert (found.type, found.target, found.marker, found.marker_start) == (R.REFERENCES_NOTE, None, "[1]", 16)


@pytest.mark.parametrize(("page", "found"), [(6, 0), (7, 1), (9, 1)])
def test_a_bracketed_mark_means_no_footnote_of_an_earlier_page(page: int, found: int) -> None:
    """A note at the foot of a page belongs there: "[5]" of a later page cites what no list of entries names."""
    note = DraftNode(key="k0", type=N.NOTE, marker="5", text="In a storm.", positions=[Position(page_pdf=page)])
    mark = DraftNode(key="k1", type=N.PARAGRAPH, text="It fell [5].", positions=[Position(page_pdf=7)])
    assert len([*text_references([note, mark], [])]) == found


def test_a_label_is_the_same_with_and_without_a_blank_before_its_number() -> None:
    nodes = [
        DraftNode(key="k0", type=N.PARAGRAPH, text="As told in [SP 800-160v2], and by [1 2]."),
        DraftNode(key="k1", type=N.BIBLIOGRAPHIC_ENTRY, marker="[SP800-160v2]", text="Ross R (2019) Bridges."),
        DraftNode(key="k2", type=N.BIBLIOGRAPHIC_ENTRY, marker="[12]", text="Olsen B (2004) Bridges of wood."),
    ]
    assert [(each.target, each.marker) for each in text_references(nodes, [])] == [("k1", "[SP 800-160v2]")]


def test_assembling_makes_relations_of_them() -> None:
    draft: Draft = draft_of("# Method\nAs shown by Miller (1999).\n# References\nMiller, A. (1999). Bridges of stone.")
    graph = assemble_graph(draft, DOCUMENT, continues=False)
    (relation,) = graph.relations
    entry = next(node for node in graph.nodes if node.content_node_type is N.BIBLIOGRAPHIC_ENTRY)
    assert (relation.target_node_id, relation.marker_text, relation.marker_start) == (entry.id, "Miller (1999)", 12)


ABROAD = """
# 1 Anfang
## 1.2 Weiter
# Глава 2. Мост
# 第三章 桥梁
# 제4장 다리
# Załącznik A. Myto
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("siehe Abschnitt 1.2 unten", [("Abschnitt 1.2", "1.2 Weite")]),
        ("voir la section 1.2", [("section 1.2", "1.2 Weite")]),
        ("si veda la sezione 1.2", [("sezione 1.2", "1.2 Weite")]),
        ("véase la sección 1.2", [("sección 1.2", "1.2 Weite")]),
        ("ver a secção 1.2", [("secção 1.2", "1.2 Weite")]),
        ("zie paragraaf 1.2", [("paragraaf 1.2", "1.2 Weite")]),
        ("zob. podrozdział 1.2 i załącznik A", [("podrozdział 1.2", "1.2 Weite"), ("załącznik A", "Załącznik")]),
        ("см. раздел 1.2 и главу 7, а также главе 2", [("раздел 1.2", "1.2 Weite"), ("главе 2", "Глава 2. ")]),
        ("انظر القسم 1.2 أدناه", [("القسم 1.2", "1.2 Weite")]),
        ("ראו סעיף 1.2 להלן", [("סעיף 1.2", "1.2 Weite")]),
        ("כאמור ובסעיף 1.2 וכן מסעיף 1.2", [("ובסעיף 1.2", "1.2 Weite"), ("מסעיף 1.2", "1.2 Weite")]),
        ("وبالقسم 1.2 وللقسم 1.2", [("وبالقسم 1.2", "1.2 Weite")]),
        ("طبقا للقسم 1.2", [("للقسم 1.2", "1.2 Weite")]),
        ("详见第1.2节和第三章。", [("第1.2节", "1.2 Weite"), ("第三章", "第三章 桥梁")]),
        ("第3章を参照、1.2節も", [("第3章", "第三章 桥梁"), ("1.2節", "1.2 Weite")]),
        ("제4장과 1.2절을 보라", [("제4장", "제4장 다리"), ("1.2절", "1.2 Weite")]),
        ("共有1.5节课，第九章没有", []),
    ],
)
def test_sections_of_other_languages(text: str, found: list[tuple[str, str]]) -> None:
    assert said(f"{ABROAD}\n{text}") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("如图1所示", [("图1", "FIGURE 0")]),
        ("図 1のように", [("図 1", "FIGURE 0")]),
        ("그림 1과 같이, 방식 1", [("그림 1", "FIGURE 0")]),
        ("на рисунке 1 и рис. 1", [("рисунке 1", "FIGURE 0"), ("рис. 1", "FIGURE 0")]),
        ("كما في الشكل 1 هنا", [("الشكل 1", "FIGURE 0")]),
        ("وبشكل 1 هنا", [("وبشكل 1", "FIGURE 0")]),
        ("ראו והתרשים 1", [("והתרשים 1", "FIGURE 0")]),
        ("图19和图1%", []),
    ],
)
def test_figures_of_other_languages(text: str, found: list[tuple[str, str | None]]) -> None:
    assert captioned(text, "图1：桥梁的结构") == found
