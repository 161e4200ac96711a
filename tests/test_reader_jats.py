"""The JATS reader: everything the format states arrives, and hostile files end in a clear error."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from ragraph.errors import DamagedFileError, EmptyFileError, FileTooLargeError
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.jats.reader import JatsReader
from ragraph.schema.enums import ComponentType as C
from ragraph.schema.enums import ContentNodeType as N
from ragraph.schema.enums import RelationType as R

if TYPE_CHECKING:
    from ragraph.ingest.draft import Draft, DraftNode, DraftRelation

ARTICLE = Path(__file__).parent / "data" / "markup" / "article.nxml"


@pytest.fixture(scope="module")
def draft() -> Draft:
    return JatsReader().read(ARTICLE, ReadOptions())


def read(tmp_path: Path, body: str, prolog: str = "") -> Draft:
    path = tmp_path / "a.nxml"
    path.write_text(f"{prolog}<article><body>{body}</body></article>", encoding="utf-8")
    return JatsReader().read(path, ReadOptions())


def node(draft: Draft, start: str) -> DraftNode:
    found = [one for one in draft.nodes if one.text.startswith(start)]
    assert len(found) == 1, (start, [one.text for one in found])
    return found[0]


def relations(draft: Draft, source: DraftNode) -> list[DraftRelation]:
    return [one for one in draft.relations if one.source == source.key]


def path_of(draft: Draft, one: DraftNode) -> list[C]:
    containers = {container.key: container for container in draft.containers}
    path: list[C] = []
    key = one.container
    while key is not None:
        path.insert(0, containers[key].type)
        key = containers[key].parent
    return path


def test_metadata(draft: Draft) -> None:
    meta = draft.metadata
    assert meta.title == "Nitrate in small streams"
    assert meta.authors == ["Ada Weir", "Ben Ford"]
    assert meta.publication_date == date(2021, 3, 4)
    assert (meta.language, meta.source, meta.uri) == (
        "en",
        "Journal of Small Streams",
        "https://doi.org/10.5555/streams.1",
    )
    assert meta.abstract is not None
    assert "We measured nitrate." in meta.abstract
    assert meta.extra["keywords"] == ["nitrate", "streams"]


def test_every_xref_is_a_relation_whose_anchor_a_node_carries(draft: Draft) -> None:
    stated = [rid for xref in etree.parse(ARTICLE).iter("xref") for rid in xref.get("rid", "").split()]
    assert len(stated) == 21
    made = [relation.anchor for relation in draft.relations if relation.anchor]
    for rid in set(stated):
        assert made.count(rid) >= stated.count(rid), rid
    anchors = {anchor for one in draft.nodes for anchor in one.anchors}
    assert set(stated) <= anchors


@pytest.mark.parametrize(
    ("kind", "anchor"),
    [
        (R.REFERENCES_CITATION, "r1"),
        (R.REFERENCES_NOTE, "tf1"),
        (R.REFERENCES_NOTE, "n1"),
        (R.CROSS_REFERENCES, "f1"),
        (R.CROSS_REFERENCES, "s2-1"),
        (R.CROSS_REFERENCES, "a2"),
    ],
)
def test_types_of_relations(draft: Draft, kind: R, anchor: str) -> None:
    assert {relation.type for relation in draft.relations if relation.anchor == anchor} == {kind}


def test_markers_in_the_text_and_raised_ones(draft: Draft) -> None:
    paragraph = node(draft, "Streams carry")
    assert "[1]–[3] and **much** else. See Figure 1, Table 1 and" in paragraph.text
    assert "Ca²⁺ and 10⁻⁵ mol H2O differ by site." in paragraph.text
    attached: list[DraftRelation] = []
    detached: list[DraftRelation] = []
    for relation in relations(draft, paragraph):
        assert relation.marker is not None
        assert relation.marker_start is not None
        end = relation.marker_start + len(relation.marker)
        (attached if paragraph.text[relation.marker_start : end] == relation.marker else detached).append(relation)
    assert [one.marker for one in attached] == ["1", "3", "Figure 1", "Table 1", "section 2.1"]
    assert [(one.anchor, one.marker) for one in detached] == [("r1", "1"), ("r2", "2"), ("fn0", "a")]
    assert {one.marker_start for one in detached[:2]} == {paragraph.text.index(" See")}


def test_bracketed_superscripts_stay_in_the_text(tmp_path: Path) -> None:
    draft = read(tmp_path, '<p>So<sup>[<xref ref-type="bibr" rid="r">7</xref>]</sup> it is.</p>')
    assert draft.nodes[0].text == "So[7] it is."
    assert [(one.marker, one.marker_start) for one in draft.relations] == [("7", 3)]


def test_a_note_within_a_paragraph_follows_it(draft: Draft) -> None:
    keys = [one.key for one in draft.nodes]
    note = node(draft, "Slightly.")
    assert note.type is N.NOTE
    assert keys.index(note.key) == keys.index(node(draft, "Streams carry").key) + 1


def test_sections_are_containers_that_begin_with_their_heading(draft: Draft) -> None:
    heading = node(draft, "2.1. Sites")
    assert (heading.type, heading.level, heading.anchors) == (N.HEADING, 2, ["s2-1"])
    assert path_of(draft, heading) == [C.BODY_MATTER, C.SECTION, C.SECTION]
    titles = {container.title: container.type for container in draft.containers}
    assert titles["1. Introduction"] is C.INTRODUCTION
    assert titles["Thanks"] is C.ACKNOWLEDGEMENTS
    assert titles["Appendix A Counts"] is C.APPENDIX
    assert titles["References"] is C.BIBLIOGRAPHY
    assert titles["Notes"] is C.NOTES_SECTION
    assert titles["Box 1"] is C.TEXT_BOX


def test_figures_and_tables(draft: Draft) -> None:
    figure = next(one for one in draft.nodes if one.type is N.FIGURE)
    assert (figure.description, figure.storage_url, figure.anchors) == ("A map of nine sites", "sites.png", ["f1"])
    caption = node(draft, "Figure 1. The sites.")
    assert (R.IS_CAPTIONED_BY, caption.key) in {(one.type, one.target) for one in relations(draft, figure)}
    table = next(one for one in draft.nodes if one.type is N.TABLE)
    assert table.text == "Site | mg/l\n | 2019 | 2020\nUpper | 1.2 | 1.4 * x"
    assert table.data["cells"] == [["Site", "mg/l", ""], ["", "2019", "2020"], ["Upper", "1.2", "1.4 * x"]]
    assert table.data["header_rows"] == 2
    notes = {one.key: one.text for one in draft.nodes if one.type is N.NOTE}
    linked = [one for one in relations(draft, table) if one.type is R.REFERENCES_NOTE]
    assert [(one.anchor, one.marker) for one in linked if one.anchor] == [("tf1", "a")]
    assert [notes[one.target] for one in linked if one.target] == ["Unused mark.", "Source: own."]


def test_lists_and_terms(draft: Draft) -> None:
    items = [one for one in draft.nodes if one.type is N.LIST_ITEM]
    assert [(one.marker, one.text, one.data["depth"]) for one in items] == [
        ("a.", "three brooks", 1),
        ("•", "fed by springs", 2),
        ("b.", "one ditch", 1),
        (None, "which was dry", 1),
        (None, "**DO:** dissolved oxygen", 1),
    ]
    assert path_of(draft, items[1])[-2:] == [C.LIST, C.LIST]


def test_formulas_code_verse_and_quotations(draft: Draft) -> None:
    by_type = {one.type: one for one in draft.nodes}
    assert by_type[N.FORMULA].text == "Q = v A (1)"
    assert by_type[N.FORMULA].anchors == ["e1"]
    assert by_type[N.CODE].text == "x = 1\nif x:\n    y = x * 2"
    assert by_type[N.CODE].data == {"language": "python"}
    assert by_type[N.STANZA].text == "Down the brook\ngoes the leaf"
    assert node(draft, "Water is life.").type is N.BLOCK_QUOTATION
    assert node(draft, "where v^2").text == "where v^2 is small (1)."


def test_links_that_act_are_dropped(draft: Draft) -> None:
    text = node(draft, "Boxed words").text
    assert text == "Boxed words, see [the site](https://example.org/a_%28b%29) or do not."


def test_entries_of_the_reference_list(draft: Draft) -> None:
    entries = [one for one in draft.nodes if one.type is N.BIBLIOGRAPHIC_ENTRY]
    assert [one.marker for one in entries] == ["1.", "2.", "3."]
    assert entries[0].text == "Rill C, Beck D. On brooks. J Water. 2001. 3(2): 10-12. doi:10.5555/rill."
    said = {"title": "On brooks", "container": "J Water", "year": "2001", "volume": "3", "issue": "2", "pages": "10-12"}
    assert entries[0].data == {"ids": {"doi": "10.5555/rill"}, "entry": {"authors": ["Rill, C", "Beck, D"], **said}}
    assert entries[1].text == "Brook E (2019). Maps. Atlas 7."


def test_plain_entities_of_the_document_are_text(draft: Draft) -> None:
    assert node(draft, "1 Field Laboratory, Riverton").anchors == ["a1"]


def test_targets_without_a_node_fall_to_the_nearest(tmp_path: Path) -> None:
    body = (
        '<sec id="s"><p>One <named-content id="here">word</named-content>.</p></sec><p><xref rid="here">it</xref></p>'
    )
    draft = read(tmp_path, body)
    assert set(draft.nodes[0].anchors) == {"s", "here"}


def test_entity_bombs_and_files_elsewhere_are_inert(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    outside = f'<!DOCTYPE article [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    assert [one.text for one in read(tmp_path, "<p>a &x; b</p>", outside).nodes] == ["a b"]
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE article [<!ENTITY e0 "bomb">{levels}]>'
    try:
        texts = [one.text for one in read(tmp_path, "<p>a &e9; b</p>", bomb).nodes]
    except DamagedFileError:
        texts = []  # libxml2 may already refuse the declarations
    assert sum(map(len, texts)) < 100


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ("", EmptyFileError, "empty"),
        ("<article/>", EmptyFileError, "without any text"),
        ("<article><body><p>x\n</body></article>", DamagedFileError, "line 2"),
        ("<patent/>", DamagedFileError, "not a JATS article"),
        (f"<article><body>{'<sec>' * 400}x{'</sec>' * 400}</body></article>", DamagedFileError, "deeper"),
        (f"<article><body>{'<sec>' * 200}x{'</sec>' * 200}</body></article>", DamagedFileError, "deeper"),
        (f"<article><body><p>{'word ' * 2_100_000}</p></body></article>", FileTooLargeError, "10 MB"),
    ],
    ids=["empty", "no text", "malformed", "other root", "very deep", "deep", "huge paragraph"],
)
def test_refused_with_one_clear_line(tmp_path: Path, content: str, error: type[Exception], says: str) -> None:
    path = tmp_path / "a.nxml"
    path.write_text(content)
    with pytest.raises(error, match=says) as raised:
        JatsReader().read(path, ReadOptions())
    assert "\n" not in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


def test_fifty_levels_of_sections(tmp_path: Path) -> None:
    draft = read(tmp_path, "<sec><title>t</title>" * 50 + "<p>x</p>" + "</sec>" * 50)
    assert [one.level for one in draft.nodes[:-1]] == list(range(1, 51))


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8"])
def test_declared_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.nxml"
    path.write_bytes(
        f'<?xml version="1.0" encoding="{encoding}"?><article><body><p>äö</p></body></article>'.encode(encoding)
    )
    assert JatsReader().read(path, ReadOptions()).nodes[0].text == "äö"
