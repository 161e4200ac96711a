"""Every place that tells types of relations, nodes or components apart knows all of them.

A place names the members that it treats by themselves; for the others it has a default, and here it is written which
they are. Whoever adds a type is told by the failing lines which places have to know it, and enters it in each: there,
or among the others here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import httpx
import pytest
from factories import make_relation, make_tree
from web_tools import served

import ragraph
from ragraph.evaluation import make
from ragraph.ingest.common import long_texts
from ragraph.ingest.storing import linking
from ragraph.ingest.structure import arrange, assembling, outline, references
from ragraph.ingest.vectors import texts
from ragraph.retrieval import pagerank
from ragraph.schema.enums import FURNITURE, ComponentType, ContentNodeType, RelationType
from ragraph.tools import reading as tools
from ragraph.tuning import tune

if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import StrEnum

ROOT = Path(__file__).parent.parent
R, N, T = RelationType, ContentNodeType, ComponentType

HEADS = {N.TITLE, N.SUBTITLE, N.AUTHOR, N.HEADING, N.SUBHEADING}
DRAWN = {N.TABLE, N.FIGURE}
PROSE = {N.PARAGRAPH, N.LIST_ITEM, N.BLOCK_QUOTATION, N.STANZA}
ASIDE = {N.NOTE, N.CAPTION, N.BIBLIOGRAPHIC_ENTRY}
SET = {N.CODE, N.FORMULA}
MATTERS = {T.FRONT_MATTER, T.BODY_MATTER, T.BACK_MATTER}
HOLDING = {T.LIST, T.TEXT_BOX, T.CONTAINER}
CLOSED = {T.BIBLIOGRAPHY, T.NOTES_SECTION, T.INDEX, T.TABLE_OF_CONTENTS, T.ABSTRACT, T.ACKNOWLEDGEMENTS, T.DEDICATION}
LISTS = {T.LIST_OF_BOXES, T.LIST_OF_TABLES, T.LIST_OF_FIGURES}
PAGES = {T.TITLE_PAGE, T.COPYRIGHT_PAGE, T.EXECUTIVE_SUMMARY}
DIVIDING = {T.PART, T.CHAPTER, T.APPENDIX, T.INTRODUCTION, T.CONCLUSION, T.PREFACE, T.FOREWORD, T.EPILOGUE}
LEADING = {R.REFERENCES_NOTE, R.IS_CAPTIONED_BY, R.IS_SUPPLEMENTED_BY}
ROUND = {R.REFERENCES_CITATION, R.CONTINUES, R.CROSS_REFERENCES, R.CITES}

# Never "all but": the others are written out, or a new type would be among them unseen.
PYTHON: list[tuple[str, type[StrEnum], Iterable[Any], set[Any], str]] = [
    (
        "pagerank.WEIGHTS", R, pagerank.WEIGHTS.keys() - {"CONTAINS", "NEXT"},
        LEADING | {R.CONTINUES, R.CROSS_REFERENCES, R.CITES}, "weighs 2",
    ),
    (
        "assembling._BY_TARGET", R, assembling._BY_TARGET.values(),
        {R.IS_CAPTIONED_BY, R.IS_SUPPLEMENTED_BY, R.CONTINUES, R.CROSS_REFERENCES, R.CITES}, "follows from no target",
    ),
    ("linking._LEADING", R, linking._LEADING, ROUND, "may go round"),
    ("texts._NOT_EMBEDDED", N, texts._NOT_EMBEDDED, PROSE | ASIDE | SET | DRAWN, "embedded"),
    ("texts._DRAWN", N, texts._DRAWN, HEADS | PROSE | ASIDE | SET | {N.PAGE_NUMBER}, "its content is embedded"),
    ("tune._NO_TEXT", N, tune._NO_TEXT, PROSE | SET | DRAWN | {N.NOTE, N.CAPTION}, "may answer"),
    (
        "long_texts._HEADINGS", N, long_texts._HEADINGS,
        PROSE | ASIDE | SET | DRAWN | {N.AUTHOR, N.PAGE_NUMBER}, "goes on as what it is",
    ),
    (
        "references._SOURCES", N, references._SOURCES,
        HEADS | SET | DRAWN | {N.BIBLIOGRAPHIC_ENTRY, N.PAGE_NUMBER}, "not read for references",
    ),
    ("assembling._PROSE", N, assembling._PROSE, HEADS | ASIDE | SET | DRAWN | {N.PAGE_NUMBER}, "no prose"),
    (
        "arrange._TITLE_LIKE", N, arrange._TITLE_LIKE,
        PROSE | ASIDE | SET | DRAWN | {N.PAGE_NUMBER, N.HEADING, N.SUBHEADING}, "of no title page",
    ),
    (
        "make._TEXT", N, make._TEXT,
        HEADS | ASIDE | SET | DRAWN | {N.PAGE_NUMBER, N.BLOCK_QUOTATION, N.STANZA}, "no question is made of it",
    ),
    ("enums.FURNITURE", T, FURNITURE, MATTERS | HOLDING | CLOSED | LISTS | PAGES | DIVIDING | {T.SECTION}, "text"),
    (
        "arrange._MATTER_OF_TYPE", T, arrange._MATTER_OF_TYPE,
        MATTERS | {T.HEADER, T.FOOTER, T.SECTION} | HOLDING, "of the matter where it stands",
    ),
    (
        "outline._WEIGHTY", T, outline._WEIGHTY,
        MATTERS | {T.HEADER, T.FOOTER, T.SECTION} | HOLDING | PAGES, "may lie in any section",
    ),
]  # fmt: skip

SQL: list[tuple[str, str, type[StrEnum], set[Any], str]] = [
    (
        "04_sequence", "reading_order", R,
        {R.REFERENCES_CITATION, R.IS_CAPTIONED_BY, R.IS_SUPPLEMENTED_BY, R.CROSS_REFERENCES, R.CITES}, "moves nothing",
    ),
    ("05_resolve", "break_cycles", R, {R.REFERENCES_CITATION, R.CONTINUES, R.CITES}, "may go round"),
    ("14_check_cycles", "check_cycles", R, ROUND, "may go round"),
    ("16_expand_candidates", "expand_relations", R, {R.CONTINUES, R.CITES}, "not followed"),
    ("01_common", "is_section", T, MATTERS | CLOSED | LISTS | PAGES | DIVIDING | {T.SECTION}, "a section"),
    (
        "11_render", "render", N,
        {N.CAPTION, N.AUTHOR, N.SUBTITLE, N.PAGE_NUMBER}, "a paragraph, in html with its type as class",
    ),
    ("08_search_hybrid", "", N, {N.STANZA, N.CAPTION} | (SET | DRAWN) - {N.TABLE}, "searched"),
    ("14_check_vectors", "", N, PROSE | ASIDE | SET | DRAWN, "embedded"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "enum", "named", "others", "default"), PYTHON, ids=[row[0] for row in PYTHON])
def test_a_table_knows_every_type(place: str, enum: Any, named: Any, others: Any, default: str) -> None:
    named = {enum(member) for member in named}
    assert named | others == set(enum), f"{place}: a type is neither there nor among the others ({default})"
    assert not named & others, f"{place}: named there, and among the others here"


@pytest.mark.parametrize(("file", "function", "enum", "others", "default"), SQL, ids=[f"{s[0]} {s[1]}" for s in SQL])
def test_a_function_knows_every_type(file: str, function: str, enum: Any, others: Any, default: str) -> None:
    text = (ROOT / "sql" / "functions" / f"{file}.sql").read_text(encoding="utf-8")
    if function:
        (text,) = re.findall(rf"create or replace function \S+\.{function}\((.*?)\ncomment on", text, re.S)
    literals = {word for quoted in re.findall(r"'\{?([A-Z_,]+)\}?'", text) for word in quoted.split(",")}
    named = {member for member in enum if member.value in literals}
    assert named | others == set(enum), f"{file} {function}: neither named nor among the others ({default})"
    assert not named & others, f"{file} {function}: named there, and among the others here"


def test_what_may_answer_is_the_same_in_sql() -> None:
    text = (ROOT / "sql" / "functions" / "21_search_context.sql").read_text(encoding="utf-8")
    (left_out,) = re.findall(r"t\.type not in \(([^)]*)\)", text)
    assert set(re.findall(r"\w+", left_out)) == tune._NO_TEXT


def test_agents_and_the_documentation_are_told_of_every_relation() -> None:
    told = get_type_hints(tools.ReadingTools.follow, include_extras=True)["relation"].__metadata__[0].description
    said = (ROOT / "sql" / "functions" / "00_types.sql").read_text(encoding="utf-8")
    for member in R:
        assert re.search(rf"\b{member}\b", told), member
        assert re.search(rf"\b{member}\b", said), member


def test_the_page_of_a_passage_shows_every_relation(database_url: str) -> None:
    """Both ways, between nodes of one document."""
    with ragraph.open(database_url) as store:
        with store.database.write() as connection:
            make_tree(connection, "dl_a", sections=3, nodes=4)
            for number, kind in enumerate(R):
                make_relation(connection, "dl_a", f"r{number}", "cn_1", f"cn_{number + 2}", relation_type=kind.value)
        assert store.check() == []
        shown = {"cn_1": {kind.outward for kind in R}, **{f"cn_{n + 2}": {kind.inward} for n, kind in enumerate(R)}}
        with served(store) as site:
            for node, words in shown.items():
                answer = httpx.get(f"{site}/documents/dl_a", params={"node": node}, timeout=60)
                assert answer.status_code == 200
                assert set(re.findall(r'<span class="tie">([^<]*)</span>', answer.text)) == words
    assert len({word for kind in R for word in (kind.outward, kind.inward) if word}) == 2 * len(R)
