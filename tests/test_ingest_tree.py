"""The tree: nesting, types by title and place, matter, containers, page furniture."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from ingest_drafts import DOCUMENT, containers, draft_of, drafts, lines

from ragraph.ingest.draft import Draft, DraftNode
from ragraph.ingest.structure.assembling import assemble_graph
from ragraph.ingest.structure.tree import build_tree


def tree(text: str, **given: object) -> list[str]:
    return lines(build_tree(assemble_graph(draft_of(text, **given), DOCUMENT)))


def types(text: str, **given: object) -> dict[str, tuple[str, str]]:
    """Give, by title, the type of each component and the matter it is in."""
    graph = build_tree(assemble_graph(draft_of(text, **given), DOCUMENT))
    rows = {row.id: row for row in graph.components}
    found = {}
    for row in graph.components:
        top = row
        while top.parent_component_id:
            top = rows[top.parent_component_id]
        if row.title:
            found[row.title] = (str(row.component_type), top.component_type.removesuffix("_MATTER"))
    return found


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(drafts())
def test_any_draft_becomes_a_sound_tree_and_the_same_one_again(draft: Draft) -> None:
    flat = assemble_graph(draft, DOCUMENT)
    graph = build_tree(flat)
    assert Counter(node.id for node in graph.nodes) == Counter(node.id for node in flat.nodes)
    rows = {row.id: row for row in graph.components}
    assert len(rows) == len(graph.components)
    tops = [row.component_type for row in graph.components if row.depth == 0]
    assert tops in (
        ["FRONT_MATTER", "BODY_MATTER"],
        ["BODY_MATTER"],
        ["BODY_MATTER", "BACK_MATTER"],
        ["FRONT_MATTER", "BODY_MATTER", "BACK_MATTER"],
    )
    majors: dict[str | None, list[int]] = {}
    for row in graph.components:
        assert row.depth == (rows[row.parent_component_id].depth + 1 if row.parent_component_id else 0)
        assert (row.sequence_in_parent_minor is not None) == (row.component_type in ("HEADER", "FOOTER"))
        assert row.depth == 0 or row.component_type not in ("FRONT_MATTER", "BODY_MATTER", "BACK_MATTER")
        if row.sequence_in_parent_minor is None:
            majors.setdefault(row.parent_component_id, []).append(row.sequence_in_parent_major)
    text = "\n\n".join(node.content for node in graph.nodes)
    for place, node in enumerate(graph.nodes):
        assert node.sequence_in_document == place
        assert text[node.char_start : node.char_end] == node.content
        majors.setdefault(node.parent_component_id, []).append(node.sequence_in_parent_major)
        at = node.parent_component_id
        while at is not None:
            row = rows[at]
            assert row.first_sequence is not None
            assert row.last_sequence is not None
            assert row.first_sequence <= place <= row.last_sequence
            at = row.parent_component_id
    for numbers in majors.values():
        assert sorted(numbers) == list(range(len(numbers)))
    assert build_tree(graph) == graph


def test_headings_nest_by_level_whatever_the_step() -> None:
    assert tree("# A\na\n### B\nb\n## C\nc\n#### D\n# E") == [
        "BODY_MATTER",
        '  SECTION "A"',
        "    A",
        "    a",
        '    SECTION "B"',
        "      B",
        "      b",
        '    SECTION "C"',
        "      C",
        "      c",
        '      SECTION "D"',
        "        D",
        '  SECTION "E"',
        "    E",
    ]


def test_a_paper() -> None:
    text = """
    T: A paper
    A: Somebody
    # Abstract
    abs
    # 1 Introduction
    intro
    ## Introduction
    deep
    # Index
    in the middle of the body
    # Conclusions
    # Acknowledgments
    thanks
    # References
    Smith 2001
    # Appendix A: data
    # Survey questions
    """
    assert tree(text) == [
        "FRONT_MATTER",
        "  TITLE_PAGE",
        "    A paper",
        "    Somebody",
        '  ABSTRACT "Abstract"',
        "    Abstract",
        "    abs",
        "BODY_MATTER",
        '  INTRODUCTION "1 Introduction"',
        "    1 Introduction",
        "    intro",
        '    SECTION "Introduction"',
        "      Introduction",
        "      deep",
        '  SECTION "Index"',
        "    Index",
        "    in the middle of the body",
        '  CONCLUSION "Conclusions"',
        "    Conclusions",
        "BACK_MATTER",
        '  ACKNOWLEDGEMENTS "Acknowledgments"',
        "    Acknowledgments",
        "    thanks",
        '  BIBLIOGRAPHY "References"',
        "    References",
        "    Smith 2001",
        '  APPENDIX "Appendix A: data"',
        "    Appendix A: data",
        '  SECTION "Survey questions"',
        "    Survey questions",
    ]


def test_a_book() -> None:
    found = types(
        """
        @1 T: The book
        @2 © 2020 A press. All rights reserved.
        @3 # Contents
        @4 # Foreword
        @5 # Preface
        @6 # Acknowledgements
        @7 # Introduction
        @8 # Part I
        @8 # Chapter 1
        @9 ## Notes
        @9 1. A note.
        @10 ## References
        @11 # Chapter 2
        @12 # Part II
        @12 # Chapter 3
        @13 ## Notes on method
        @13 ## Notes
        @13 Plain words.
        @14 # Conclusion
        @15 # Epilogue
        @16 # Notes
        @17 # Bibliography
        @18 # About the Author
        @19 # Index
        """
    )
    assert found == {
        "Contents": ("TABLE_OF_CONTENTS", "FRONT"),
        "Foreword": ("FOREWORD", "FRONT"),
        "Preface": ("PREFACE", "FRONT"),
        "Acknowledgements": ("ACKNOWLEDGEMENTS", "FRONT"),
        "Introduction": ("INTRODUCTION", "BODY"),
        "Part I": ("PART", "BODY"),
        "Chapter 1": ("CHAPTER", "BODY"),
        "References": ("BIBLIOGRAPHY", "BODY"),
        "Chapter 2": ("CHAPTER", "BODY"),
        "Part II": ("PART", "BODY"),
        "Chapter 3": ("CHAPTER", "BODY"),
        "Notes on method": ("SECTION", "BODY"),
        "Conclusion": ("CONCLUSION", "BODY"),
        "Epilogue": ("EPILOGUE", "BACK"),
        "Notes": ("NOTES_SECTION", "BACK"),
        "Bibliography": ("BIBLIOGRAPHY", "BACK"),
        "About the Author": ("SECTION", "BACK"),
        "Index": ("INDEX", "BACK"),
    }


def test_notes_in_the_body_are_a_section_of_notes_if_they_hold_some() -> None:
    graph = build_tree(assemble_graph(draft_of("# A\n## Notes\n1. A note.\n# B\n## Notes\nWords.\n# C\nc"), DOCUMENT))
    assert [row.component_type for row in graph.components if row.title == "Notes"] == ["NOTES_SECTION", "SECTION"]


def test_parts_hold_the_chapters_of_their_own_level() -> None:
    found = tree("# Part I\n# Chapter 1\n# Chapter 2\n# Part II\n# Chapter 3\n# References")
    assert [line for line in found if '"' in line] == [
        '  PART "Part I"',
        '    CHAPTER "Chapter 1"',
        '    CHAPTER "Chapter 2"',
        '  PART "Part II"',
        '    CHAPTER "Chapter 3"',
        '  BIBLIOGRAPHY "References"',
    ]


def test_title_copyright_and_cover_pages() -> None:
    found = tree("@1 T: Title\n@1 A: Author\n@2 Copyright 2020\n@2 ISBN 1\n@3 For you\n@4 # Preface\n@5 # One")
    assert found[:9] == [
        "FRONT_MATTER",
        "  TITLE_PAGE",
        "    Title",
        "    Author",
        "  COPYRIGHT_PAGE",
        "    Copyright 2020",
        "    ISBN 1",
        "  TITLE_PAGE",
        "    For you",
    ]


def test_text_between_title_and_first_section_is_body() -> None:
    assert tree("T: Title\nA lead.\n# One\nx")[:5] == [
        "FRONT_MATTER",
        "  TITLE_PAGE",
        "    Title",
        "BODY_MATTER",
        "  A lead.",
    ]


def test_without_headings_all_is_body() -> None:
    assert tree("T: Title\ntext") == ["BODY_MATTER", "  Title", "  text"]
    assert tree("") == ["BODY_MATTER"]


def test_a_single_heading_around_everything_is_the_title() -> None:
    assert tree("# A readme\n## Install\nx\n## References\nSmith 2001") == [
        "FRONT_MATTER",
        "  TITLE_PAGE",
        "    A readme",
        "BODY_MATTER",
        '  SECTION "Install"',
        "    Install",
        "    x",
        "BACK_MATTER",
        '  BIBLIOGRAPHY "References"',
        "    References",
        "    Smith 2001",
    ]
    assert tree("# Chapter 1\n## One\n## Two")[1] == '  CHAPTER "Chapter 1"'
    assert tree("# 3 Methods\n## One\n## Two")[1] == '  SECTION "3 Methods"'


def test_text_without_a_heading_behind_the_contents_is_no_line_of_them() -> None:
    """Found by bench.retrieval: a contract whose 81 clauses stood under its contents, which contexts leave out."""
    clause = "The Distributor shall not assign this Agreement without the consent of the Company; " * 3
    clauses = "\n\n".join(f"{clause}it may end it, as clause {number} says." for number in range(5))
    contents = "\n\n".join(f"ARTICLE {number}" for number in range(1, 6))
    graph = build_tree(assemble_graph(draft_of(f"# Contents\n\n{contents}\n\n{clauses}\n"), DOCUMENT))
    rows = {row.id: row for row in graph.components}
    held = {node.content[:7]: rows[str(node.parent_component_id)].component_type for node in graph.nodes}
    assert held == {"Content": "TABLE_OF_CONTENTS", "ARTICLE": "TABLE_OF_CONTENTS", "The Dis": "BODY_MATTER"}
    assert "TABLE_OF_CONTENTS" not in str(tree(f"# Contents\n\n{clauses}\n"))
    captions = "\n\n".join(f"Figure {number}. {clauses[:250]}" for number in range(1, 6))
    assert types(f"# List of figures\n\n{captions}\n\n# One\n\nText.\n")["List of figures"][0] == "LIST_OF_FIGURES"


def test_headings_before_the_contents_are_front_matter() -> None:
    found = types("# Annual Report\n# Some Office\n# Contents\n# Findings\nx\n# Index of names")
    assert {title: matter for title, (_, matter) in found.items()} == {
        "Annual Report": "FRONT",
        "Some Office": "FRONT",
        "Contents": "FRONT",
        "Findings": "BODY",
        "Index of names": "BACK",
    }


def test_weak_front_titles_are_drawn_along_by_a_strong_one() -> None:
    found = types(
        "# A report\nx\n# Authority\nx\n# Acknowledgments\nx\n# Patent Notice\nx\n# Contents\n# 1 Introduction\nx"
    )
    assert {title for title, (_, matter) in found.items() if matter == "BODY"} == {"1 Introduction"}
    assert found["Acknowledgments"] == ("ACKNOWLEDGEMENTS", "FRONT")
    assert types("# A\nx\n# Acknowledgments\nx\n# B\nx")["Acknowledgments"] == ("ACKNOWLEDGEMENTS", "BODY")


def test_a_summary_in_the_middle_is_a_section() -> None:
    assert types("# One\n# Two\n# Summary\n# Three\n# Executive Summary\n# Four\n" + "x\n" * 30)["Summary"][0] in (
        "SECTION",
        "ABSTRACT",
    )
    body = "# One\n" + "x\n" * 60 + "# Summary\nx\n# Two\nx"
    assert types(body)["Summary"] == ("SECTION", "BODY")


def test_references_after_each_chapter_stay_with_it() -> None:
    found = tree("# A\nx\n# References\nS 2001\n# B\nx\n# References\nS 2002\n# C\nx")
    assert "BACK_MATTER" not in found
    assert found.count('  BIBLIOGRAPHY "References"') == 2


def test_weighty_headings_leave_a_bibliography_however_deep_they_claim_to_be() -> None:
    assert types("# One\nx\n# References\nS 2001\n## Appendix A\nx\n### Detail\nx") == {
        "One": ("SECTION", "BODY"),
        "References": ("BIBLIOGRAPHY", "BACK"),
        "Appendix A": ("APPENDIX", "BACK"),
        "Detail": ("SECTION", "BACK"),
    }


def test_stated_sections_keep_their_nesting_and_take_the_heading_as_title() -> None:
    stated = containers(("s", "SECTION"), ("t", "SECTION", "s"), ("l", "LIST", "t"), ("b", "TEXT_BOX", "s"))
    text = "{s} # Methods\n{t} # Sample\n{l} - one\n{l} - two\n{t} after\n{b} ## In a box\n{b} boxed\n{s} end"
    assert tree(text, containers=stated) == [
        "BODY_MATTER",
        '  SECTION "Methods"',
        "    Methods",
        '    SECTION "Sample"',
        "      Sample",
        "      LIST",
        "        one",
        "        two",
        "      after",
        '    TEXT_BOX "In a box"',
        "      In a box",
        "      boxed",
        "    end",
    ]


def test_headings_nest_within_a_container_and_lists_within_sections() -> None:
    stated = containers(("l", "LIST"), ("b", "TEXT_BOX"))
    text = "# A\n{l} - x\n## B\n{b} # Box\n{b} ## Inner\n{b} y\n- z\n# C"
    assert tree(text, containers=stated) == [
        "BODY_MATTER",
        '  SECTION "A"',
        "    A",
        "    LIST",
        "      x",
        '    SECTION "B"',
        "      B",
        '      TEXT_BOX "Box"',
        "        Box",
        '        SECTION "Inner"',
        "          Inner",
        "          y",
        "      z",
        '  SECTION "C"',
        "    C",
    ]


def test_stated_matter_is_the_top_and_is_merged() -> None:
    stated = containers(("w", "CONTAINER"), ("f", "FRONT_MATTER", "w"), ("f2", "FRONT_MATTER"), ("k", "BACK_MATTER"))
    stated += containers(("a", "ABSTRACT", "f"), ("r", "BIBLIOGRAPHY", "k"))
    text = "{f} T: Title\n{a} abs\n# Results\nx\n{r} # Literature\n{r} - S 2001\n{f2} late"
    assert tree(text, containers=stated) == [
        "FRONT_MATTER",
        "  TITLE_PAGE",
        "    Title",
        "  ABSTRACT",
        "    abs",
        "  late",
        "BODY_MATTER",
        '  SECTION "Results"',
        "    Results",
        "    x",
        "BACK_MATTER",
        '  BIBLIOGRAPHY "Literature"',
        "    Literature",
        "    S 2001",
    ]


def test_containers_in_circles_unknown_or_empty_do_no_harm() -> None:
    stated = containers(("a", "LIST", "b"), ("b", "LIST", "a"), ("e", "LIST"), ("n", "LIST", "nowhere"))
    found = tree("{a} - x\n{b} - y\n{gone} z\n{n} - w", containers=stated)
    assert sorted(line.strip() for line in found) == ["BODY_MATTER", "LIST", "LIST", "LIST", "w", "x", "y", "z"]


def test_headers_and_footers_are_one_per_page_and_kind_behind_their_sibling() -> None:
    stated = containers(("h", "HEADER"), ("f", "FOOTER"))
    text = """
    @1 {h} running head
    @1 T: Title
    @1 {f} P: i
    @2 {h} running head
    @2 # Preface
    @2 {f} P: ii
    @3 {h} running head
    @3 {h} chapter head
    @3 # One
    @3 text
    @3 {f} P: 1
    @4 more
    @4 {f} P: 2
    """
    assert tree(text, containers=stated) == [
        "FRONT_MATTER",
        "  TITLE_PAGE",
        "    Title",
        "  HEADER",
        "    running head",
        "  FOOTER",
        "    i",
        '  PREFACE "Preface"',
        "    Preface",
        "  HEADER",
        "    running head",
        "  FOOTER",
        "    ii",
        "BODY_MATTER",
        '  SECTION "One"',
        "    One",
        "    text",
        "    more",
        "  HEADER",
        "    running head",
        "    chapter head",
        "  FOOTER",
        "    1",
        "  FOOTER",
        "    2",
    ]


def test_a_note_that_may_move_makes_no_container() -> None:
    stated = containers(("n", "CONTAINER"), ("e", "NOTES_SECTION"))
    assert tree("a\n{n} N: foot\nb\n{e} N: end", containers=stated) == [
        "BODY_MATTER",
        "  a",
        "  foot",
        "  b",
        "BACK_MATTER",
        "  NOTES_SECTION",
        "    end",
    ]


def test_a_note_in_a_footer_is_a_note() -> None:
    stated = containers(("f", "FOOTER"), ("e", "NOTES_SECTION"), ("g", "FOOTER", "e"))
    assert tree("a\n{f} N: foot\n{f} P: 1\n{g} N: end", containers=stated) == [
        "BODY_MATTER",
        "  a",
        "  FOOTER",
        "    1",
        "  foot",
        "BACK_MATTER",
        "  NOTES_SECTION",
        "    end",
    ]


@pytest.mark.parametrize("stated", [False, True])
def test_depth_has_no_limit(stated: bool) -> None:
    depth = 2_000
    nodes = [
        DraftNode(
            key=str(n),
            type="HEADING",
            text=f"H{n}",
            level=None if stated else n + 1,
            container=f"c{n}" if stated else None,
        )
        for n in range(depth)
    ]
    chain = containers(*[(f"c{n}", "SECTION", f"c{n - 1}") if n else ("c0", "SECTION") for n in range(depth)])
    draft = Draft(reader="t/1", nodes=nodes, containers=chain if stated else [])
    graph = build_tree(assemble_graph(draft, DOCUMENT))
    # the outermost heading is the title of the document
    assert max(row.depth for row in graph.components) >= depth - 1
    assert [node.content for node in graph.nodes] == [node.text for node in nodes]


def test_component_ids_outlive_changes_elsewhere() -> None:
    def ids(text: str) -> dict[str | None, str]:
        return {row.title: row.id for row in build_tree(assemble_graph(draft_of(text), DOCUMENT)).components}

    before = ids("# One\na\n## Deep\nb\n# Two\nc")
    after = ids("# Zero\n# One\nchanged\n## Deep\nb\n# Two\nc")
    assert {title: after[title] for title in before} == before
