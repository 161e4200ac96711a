"""Mappings that users write for records and XML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from ingest_tools import rows, run
from office_files import check_draft, texts

from ragraph.errors import ArgumentError, IngestError
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.database.connection import Database
    from ragraph.ingest.draft import Draft


def _read(path: Path, content: str, mapping: dict[str, Any]) -> Draft:
    path.write_text(content, encoding="utf-8")
    draft = read_draft(path, ReadOptions(mapping=json.dumps(mapping)), Limits())
    check_draft(draft)
    return draft


RECORDS = {
    "took": 3,
    "response": {
        "docs": [
            {
                "id": 7,
                "headline": "Otters",
                "body": {"text": "They swim.\n\nThey dive."},
                "year": 1999,
                "vector": "x1 x2",
            },
            {"id": 8, "headline": "Weirs", "body": {"text": "Built of oak."}, "site": "brook"},
        ]
    },
}
MAPPING = {
    "records": "response.docs", "title": "headline", "text": ["body.text"], "data": ["id", "year"], "drop": ["vector"]
}  # fmt: skip


def test_records_are_read_by_a_mapping(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.json", json.dumps(RECORDS), {"records": MAPPING})
    assert texts(draft, "HEADING") == ["Otters", "Weirs"]
    assert texts(draft, "PARAGRAPH") == ["They swim.", "They dive.", "Built of oak."]
    assert texts(draft, "LIST_ITEM") == ["site: brook"]
    assert [node.data["record"] for node in draft.nodes if node.text == "They dive."] == [{"id": 7, "year": 1999}]
    assert draft.made_by["account"]["left_out"] == {"left out by the mapping": 5}
    assert draft.made_by["account"]["unaccounted"] == 0


def test_lines_of_records_too(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"q": f"Question {n}", "a": f"Answer {n}."}) + "\n" for n in (1, 2))
    draft = _read(tmp_path / "a.jsonl", lines, {"records": {"title": "q", "text": ["a"]}})
    assert texts(draft, "HEADING") == ["Question 1", "Question 2"]
    assert texts(draft, "PARAGRAPH") == ["Answer 1.", "Answer 2."]


PLAY = (
    "<play><act><rubric>Act one</rubric><scene><rubric>A mill</rubric><line>The weir is high.</line>"
    "<apparatus>so in B</apparatus></scene></act></play>"
)


def test_xml_is_read_by_a_mapping(tmp_path: Path) -> None:
    mapping = {"sections": ["act", "scene"], "headings": ["rubric"], "tags": {"line": "p"}, "dropped": ["apparatus"]}
    draft = _read(tmp_path / "a.xml", PLAY, {"xml": mapping})
    headings = [(node.text, node.level) for node in draft.nodes if node.type == "HEADING"]
    assert headings == [("Act one", 1), ("A mill", 2)]
    assert texts(draft, "PARAGRAPH") == ["The weir is high."]
    assert draft.made_by["account"]["left_out"] == {"left out by the mapping": 5}


def test_a_built_in_mapping_is_extended(tmp_path: Path) -> None:
    tei = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>One</head><p>Kept.</p>'
        "<app>Variant.</app></div></body></text></TEI>"
    )
    assert "Variant." in texts(_read(tmp_path / "a.xml", tei, {"xml": {}}), "PARAGRAPH")
    draft = _read(tmp_path / "a.xml", tei, {"xml": {"extends": "tei", "dropped": ["app"]}})
    assert (draft.reader.split("/")[0], texts(draft, "PARAGRAPH")) == ("tei", ["Kept."])


def test_a_changed_mapping_reads_again(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(RECORDS))
    statuses = []
    for title in ("headline", "headline", "site"):
        options = ReadOptions(mapping=json.dumps({"records": {**MAPPING, "title": title}}))
        statuses += [file.status for file in run(database, tmp_path / "a.json", model=None, options=options).files]
    assert statuses == ["added", "unchanged", "changed"]
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ("{}", "neither records nor xml"),
        ('{"records": {"titel": "a"}}', "no key 'titel'"),
        ('{"records": {"text": 1}}', "records.text must be a list of names"),
        ('{"xml": {"extends": "html"}}', "xml.extends must be one of"),
        ('{"xml": {"tags": {"a": "script"}}}', "xml.tags.a must be one of"),
    ],
)
def test_a_wrong_mapping_is_refused_at_once(text: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        ReadOptions(mapping=text)


def test_a_path_of_a_mapping_that_matches_nothing_is_named(tmp_path: Path) -> None:
    content = json.dumps(RECORDS)
    with pytest.raises(IngestError, match=r"records 'response.items' matches nothing: 'response' has the keys 'docs'"):
        _read(tmp_path / "a.json", content, {"records": {"records": "response.items"}})
    with pytest.raises(IngestError, match=r"records 'docs' matches nothing: the file has the keys 'took', 'response'"):
        _read(tmp_path / "a.json", content, {"records": {"records": "docs"}})
    with pytest.raises(IngestError, match=r"records 'took.docs' matches nothing: 'took' has the value '3'"):
        _read(tmp_path / "a.json", content, {"records": {"records": "took.docs"}})
    mapping = {"records": "response.docs", "title": "title", "text": ["body.txt"], "data": ["id"], "drop": ["vektor"]}
    draft = _read(tmp_path / "a.json", content, {"records": mapping})
    assert draft.warnings == [
        "the mapping: title 'title', text 'body.txt', drop 'vektor' in no record; the records have the keys"
        " 'id', 'headline', 'body', 'site', 'year', 'vector'"
    ]


def test_records_of_each_line_are_found(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({"docs": [{"text": f"Text {number}."}]}) for number in range(3))
    draft = _read(tmp_path / "a.jsonl", lines, {"records": {"records": "docs", "text": ["text"]}})
    assert texts(draft, "PARAGRAPH") == ["Text 0.", "Text 1.", "Text 2."]
    assert draft.made_by["account"]["unaccounted"] == 0


def test_a_mapping_of_xml_that_matches_nothing_is_named(tmp_path: Path) -> None:
    mapping = {"xml": {"headings": ["rubric"], "tags": {"verse": "line"}}}
    draft = _read(tmp_path / "a.xml", "<play><act>They swim.</act></play>", mapping)
    assert draft.warnings == ["the mapping: the file has none of verse, rubric; its elements are play, act"]
    with pytest.raises(IngestError, match=r"holds no text; nothing to read; the mapping: the file has none of verse"):
        _read(tmp_path / "b.xml", "<play><act/></play>", mapping)
    assert _read(tmp_path / "c.xml", "<play><verse>They swim.</verse></play>", mapping).warnings == []
