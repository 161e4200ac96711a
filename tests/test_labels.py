"""What documents and tags may be called, at every door."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine

from ragraph.base.labels import check_id
from ragraph.errors import ArgumentError, IngestError, RecordError
from ragraph.ingest.files.records import read_records

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store

NO_IDS = ["", " ", " a", "a\u00a0", "a\nb", "a\x1b[31mb", "dl_\u202eevil", "-x", "x" * 201]
NO_TAGS = ["a\nb", "a\tb", "a\x1b[31mb", "x" * 101]


@pytest.fixture
def command(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(database_url, monkeypatch, capsys)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text("The cost of rain.\n")
    return path


def draft(**given: Any) -> dict[str, Any]:
    return {"id": "dl_draft", "nodes": [{"key": "a", "type": "PARAGRAPH", "text": "The cost of rain."}], **given}


@pytest.mark.parametrize("name", ["a", "dl_1", "ü/é", "../x", "a'b\"c", "two words", "%", "東京", "x" * 200])
def test_what_can_be_seen_is_an_id(name: str) -> None:
    assert check_id(name) == name


@pytest.mark.parametrize("name", NO_IDS)
def test_what_no_command_could_name_is_no_id(store: Store, page: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match="cannot be the id of a document; an id has 1 to 200 characters"):
        store.ingest(page, document_id=name, model=None)
    assert store.documents() == []


@pytest.mark.parametrize("name", ["", " a", "a\nb", "-x", "..", "x" * 201])
def test_the_id_of_a_draft_or_a_record_keeps_the_rule(store: Store, tmp_path: Path, name: str) -> None:
    with pytest.raises(IngestError, match=r"id: .* cannot be the id of a document; an id has"):
        store.add(draft(id=name), model=None)
    record = {"id": "p1", "title": "Rain", "downloadLinks": [{"id": name, "url": "https://example.org/a.pdf"}]}
    (tmp_path / "records.json").write_text(json.dumps([record]))
    with pytest.raises(RecordError, match=r"downloadLinks\[0\]\.id: .* cannot be the id of a document"):
        read_records(tmp_path / "records.json")


@pytest.mark.parametrize("tag", NO_TAGS)
def test_what_no_command_could_name_is_no_tag(store: Store, page: Path, tag: str) -> None:
    told = "cannot be a tag; a tag has 1 to 100 characters that are printable"
    with pytest.raises(ArgumentError, match=told):
        store.ingest(page, tags=[tag], model=None)
    assert store.documents() == []
    if not re.search("\x1b", tag):  # which no draft holds
        with pytest.raises(IngestError, match=rf"tags\.0: .* {told}"):
            store.add(draft(tags=[tag]), model=None)
    assert store.add(draft(), model=None).status == "added"
    with pytest.raises(ArgumentError, match=told):
        store.update("dl_draft", add_tags=tag)


def test_space_around_a_tag_is_none_of_it(store: Store, page: Path) -> None:
    store.ingest(page, document_id="dl_page", tags=[" rain", "snow ", "rain"], model=None)
    store.add(draft(tags=[" rain ", "rain"]), model=None)
    assert store.document("dl_draft").tags == ["rain"]
    store.update("dl_draft", add_tags=" hail ")
    assert sorted(store.facets()["tags"]) == ["hail", "rain", "snow"]
    for document, tags in {"dl_page": ["rain", "snow"], "dl_draft": ["rain", "hail"]}.items():
        assert sorted(store.document(document).tags) == sorted(tags)


def test_an_empty_tag_is_refused_wherever_it_comes_from(store: Store, page: Path) -> None:
    with pytest.raises(ArgumentError, match="a tag is empty; leave it out"):
        store.ingest(page, tags=" ", model=None)
    with pytest.raises(IngestError, match=r"tags\.0: a tag is empty; leave it out"):
        store.add(draft(tags=[""]), model=None)
    assert store.documents() == []


@pytest.mark.parametrize("given", [["--id", ""], ["--id", "a\nb"], ["--tag", ""], ["--tag", "a\x1bb"]])
def test_the_command_line_tells_them_in_one_line(command: CommandLine, page: Path, given: list[str]) -> None:
    ended = command("ingest", str(page), "--no-embed", *given)
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert len(ended.err.splitlines()) == 1
    assert "\x1b" not in ended.err
