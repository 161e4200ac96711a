"""Publication records: what goes where, what is refused, and what a second import changes."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from ingest_tools import by_name, digest, rows, run

from ragraph.errors import RecordError
from ragraph.ingest.files.records import is_record, read_records

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.database.connection import Database

RECORD: dict[str, Any] = {
    "id": "pub_rivers",
    "title": "Rivers of the World",
    "abstract": "About rivers.",
    "citation": "“Smith. 2020. Rivers.”",
    "source": "Open Library",
    "source_url": "https://example.org/rivers",
    "uri": "https://hdl.example.org/1",
    "original_title": "Rivers",
    "metadata": {"authors": "Smith, Ann", "date": "2020-07-01", "issn": None, "published": "2020-08-01"},
    "downloadLinks": [
        {
            "id": "dl_rivers",
            "url": "https://example.org/rivers.pdf",
            "type": "main",
            "text": "English PDF\n      (3.71 MB)",
            "file_info": {"mime_type": "application/pdf", "charset": "utf-8", "final_url": "x"},
            "to_download": True,
        },
        {"id": "dl_note", "type": "supplemental"},
    ],
}
PAGE = "<html><head><title>Other title</title></head><body><h1>Nile</h1><p>The {0} is long.</p></body></html>"


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def changed(**values: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(RECORD)), **values}


def test_everything_goes_where_the_mapping_says(database: Database, tmp_path: Path) -> None:
    report = run(database, write(tmp_path / "records.json", RECORD), tags=["water"], model=None)
    assert report.files[0].status == "record"
    assert report.files[0].reason == "added: 1 publication, 2 documents"
    assert rows(
        database,
        "SELECT id, title, abstract, citation, authors, publication_date, source, source_url, uri, collection, tags,"
        " metadata FROM ragraph.publication",
    ) == [
        (
            "pub_rivers",
            "Rivers of the World",
            "About rivers.",
            "“Smith. 2020. Rivers.”",
            "Smith, Ann",
            date(2020, 7, 1),
            "Open Library",
            "https://example.org/rivers",
            "https://hdl.example.org/1",
            "default",
            ["water"],
            {"original_title": "Rivers", "metadata": {"issn": None, "published": "2020-08-01"}},
        )
    ]
    assert rows(
        database,
        "SELECT id, publication_id, type::text, download_url, description, mime_type, charset,"
        " processing_status::text FROM ragraph.document ORDER BY id DESC",
    ) == [
        (
            "dl_rivers",
            "pub_rivers",
            "MAIN",
            "https://example.org/rivers.pdf",
            "English PDF (3.71 MB)",
            "application/pdf",
            "utf-8",
            "pending",
        ),
        ("dl_note", "pub_rivers", "SUPPLEMENTAL", None, None, None, None, "pending"),
    ]


def test_second_import_changes_what_changed(database: Database, tmp_path: Path) -> None:
    path = write(tmp_path / "records.json", [RECORD])
    run(database, path, tags=["water"], model=None)
    before = digest(database)
    times = rows(database, "SELECT updated_at FROM ragraph.publication")
    assert (run(database, path, model=None).files[0].reason or "").startswith("unchanged")
    assert digest(database) == before
    assert rows(database, "SELECT updated_at FROM ragraph.publication") == times
    write(path, [changed(title="Rivers")])
    assert (run(database, path, model=None).files[0].reason or "").startswith("changed")
    assert rows(database, "SELECT title, tags FROM ragraph.publication") == [("Rivers", ["water"])]


def test_file_beside_the_record_is_its_document(database: Database, tmp_path: Path) -> None:
    write(tmp_path / "z-records.json", RECORD)
    (tmp_path / "dl_rivers.html").write_text(PAGE.format("Nile"))
    (tmp_path / "plain.html").write_text(PAGE.format("Volga"))
    report = by_name(run(database, tmp_path, model=None))
    assert report["dl_rivers.html"].document_id == "dl_rivers"
    assert report["dl_rivers.html"].status == "added"
    assert (report["plain.html"].document_id or "").startswith("dl_")
    assert rows(
        database,
        "SELECT d.publication_id, p.title, d.download_url, d.mime_type, d.processing_status::text"
        " FROM ragraph.document AS d JOIN ragraph.publication AS p ON p.id = d.publication_id WHERE d.id = 'dl_rivers'",
    ) == [("pub_rivers", "Rivers of the World", "https://example.org/rivers.pdf", "text/html", "completed")]
    before = digest(database)
    again = by_name(run(database, tmp_path, model=None))
    assert {file.status for file in again.values()} == {"record", "unchanged"}
    assert digest(database) == before
    by_id = run(database, tmp_path / "plain.html", document_id="dl_note", model=None)
    assert by_id.files[0].status == "duplicate"
    (tmp_path / "dl_rivers.html").write_text(PAGE.format("Rhine"))
    assert by_name(run(database, tmp_path, model=None))["dl_rivers.html"].status == "changed"
    assert rows(database, "SELECT title FROM ragraph.publication WHERE id = 'pub_rivers'") == [("Rivers of the World",)]


def test_id_attaches_a_file_to_a_document_of_a_record(database: Database, tmp_path: Path) -> None:
    run(database, write(tmp_path / "records.json", RECORD), model=None)
    path = tmp_path / "whatever.html"
    path.write_text(PAGE.format("Nile"))
    assert run(database, path, document_id="dl_note", model=None).files[0].status == "added"
    assert rows(database, "SELECT publication_id, type::text FROM ragraph.document WHERE id = 'dl_note'") == [
        ("pub_rivers", "SUPPLEMENTAL")
    ]


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ([RECORD, changed(id="pub_2", downloadLinks=[{"id": 7}])], "$[1].downloadLinks[0].id"),
        (changed(id=""), "$.id"),
        (changed(title=None), "$.title"),
        ({key: value for key, value in RECORD.items() if key != "title"}, "$.title"),
        (changed(metadata={"date": "last year"}), "$.metadata.date"),
        (changed(downloadLinks=[{"id": "dl_x", "type": "poster"}]), "$.downloadLinks[0].type"),
        (changed(downloadLinks={"id": "dl_x"}), "$.downloadLinks"),
        (changed(downloadLinks=[{"id": "dl_x"}, {"id": "dl_x"}]), "$.downloadLinks[1].id"),
        ([RECORD, RECORD], "$[1].id"),
        ([], "$"),
        (changed(id="x" * 201), "$.id"),
    ],
)
def test_malformed_records_are_refused_with_their_place(tmp_path: Path, value: Any, where: str) -> None:
    path = write(tmp_path / "records.json", value)
    assert is_record(path)
    with pytest.raises(RecordError) as caught:
        read_records(path)
    assert str(caught.value).startswith(f"{where}: "), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("stated", "meant"),
    [("2020", date(2020, 1, 1)), (2020, date(2020, 1, 1)), ("2020-07", date(2020, 7, 1)), ("", None), (None, None),
     ("2020-07-02T00:00:00Z", date(2020, 7, 2))],
)  # fmt: skip
def test_dates(tmp_path: Path, stated: Any, meant: date | None) -> None:
    (record,) = read_records(write(tmp_path / "r.json", changed(metadata={"date": stated})))
    assert record.metadata.date == meant


def test_what_is_json_but_no_record(tmp_path: Path) -> None:
    assert not is_record(write(tmp_path / "a.json", {"schema_name": "DoclingDocument", "texts": []}))
    assert not is_record(write(tmp_path / "b.json", {"some": "thing"}))
    (tmp_path / "c.json").write_text('[{"id": ')
    assert is_record(tmp_path / "c.json")
    with pytest.raises(RecordError, match="not JSON"):
        read_records(tmp_path / "c.json")
    (tmp_path / "e.json").write_text('{"id": "pub_1", "title')
    assert is_record(tmp_path / "e.json")
    (tmp_path / "f.json").write_text('{"id": "pub_1", "title": ' + "9" * 5000 + "}")
    with pytest.raises(RecordError, match=r"not JSON \(a number has more than 4,300 digits\)$"):
        read_records(tmp_path / "f.json")
    with pytest.raises(RecordError, match="cannot be opened"):
        read_records(tmp_path / "none.json")
    (tmp_path / "d.json").write_text("[" * 200_000)
    with pytest.raises(RecordError, match="nested"):
        read_records(tmp_path / "d.json")


def test_nothing_is_written_when_one_record_is_refused(database: Database, tmp_path: Path) -> None:
    run(database, write(tmp_path / "first.json", RECORD), model=None)
    before = digest(database)
    stolen = changed(id="pub_thief", downloadLinks=[{"id": "dl_new"}, {"id": "dl_rivers"}])
    report = run(database, write(tmp_path / "second.json", [changed(title="New"), stolen]), model=None)
    assert report.files[0].status == "failed"
    assert digest(database) == before
    fine = changed(id="pub_other", downloadLinks=[{"id": "dl_rivers"}])
    report = run(database, write(tmp_path / "third.json", fine), model=None)
    assert "belongs to publication 'pub_rivers'" in (report.files[0].reason or "")
    other = run(database, write(tmp_path / "fourth.json", RECORD), collection="other", model=None)
    assert "collection 'default'" in (other.files[0].reason or "")
    assert digest(database) == before


def test_hostile_strings_are_data(database: Database, tmp_path: Path) -> None:
    odd = "a\x00'); DROP TABLE x; -- %s \ud800"
    path = write(tmp_path / "r.json", changed(title=odd, more={odd: [odd, 1e400]}))
    assert run(database, path, model=None).ok
    assert rows(database, "SELECT title FROM ragraph.publication") == [("a'); DROP TABLE x; -- %s ",)]


@pytest.mark.parametrize(
    "value", [[{"id": 1, "title": "Mill", "text": "It stands."}], [{"id": "a", "title": "M"}], [5]]
)
def test_a_list_without_documents_is_data_and_no_publications(tmp_path: Path, value: Any) -> None:
    assert not is_record(write(tmp_path / "data.json", value))
