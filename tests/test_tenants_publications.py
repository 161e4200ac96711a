"""Tenants and publications, which hold several documents and whose ids others may give: nobody is in another's way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from administrators import administrator

import ragraph
from ragraph.database.connection import connect
from ragraph.database.roles import make_roles, with_role
from ragraph.database.tenants import grant_collection, switch_tenants
from ragraph.errors import ArgumentError
from ragraph.ingest.common import ids

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import MakeDatabase

    from ragraph.schema.reports import FileReport


@pytest.fixture
def url(make_database: MakeDatabase) -> str:
    made = administrator(make_database())
    make_roles(made)
    switch_tenants(made, on=True)
    for tenant in ("one", "two"):
        grant_collection(made, f"tenant_{tenant}", tenant, write=True, create=True)
    return made


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A publication of two documents, as a repository gives it to everybody."""
    for name in ("main", "annex"):
        (tmp_path / f"{name}.md").write_text(f"# The {name}\n\nIts turnover was seven.\n")
    links = [
        {"id": name, "url": f"https://example.org/{name}.md", "type": kind}
        for name, kind in (("main", "main"), ("annex", "supplemental"))
    ]
    (tmp_path / "publication.json").write_text(json.dumps([{"id": "pub_r", "title": "Report", "downloadLinks": links}]))
    return tmp_path


def test_a_tenant_cannot_keep_another_from_deleting(url: str, tmp_path: Path) -> None:
    """By a document of its own that says it belongs to a publication of the other; nothing of that stays."""
    (tmp_path / "rivers.md").write_text("# Rivers of Quixotria\n\nThey flow.\n")
    with ragraph.open(url, role="tenant_two") as two:
        two.ingest(tmp_path / "rivers.md", collection="two", model=None, keep=False)
        (document,) = two.documents()
        with connect(with_role(url, "tenant_one")) as one:
            one.execute(
                "INSERT INTO ragraph.document (id, publication_id, collection) VALUES ('dl_x', %s, 'one')",
                [document.publication_id],
            )
        two.delete(document.id)
        assert two.documents() == []
    with connect(url) as admin:
        rows = admin.execute("SELECT to_jsonb(p)::text FROM ragraph.publication AS p").fetchall()
    assert "Quixotria" not in str(rows)


def test_an_id_that_another_has_fails_its_file_alone(url: str, record: Path) -> None:
    with ragraph.open(url, role="tenant_one") as one:
        assert one.ingest(record, collection="one", model=None).ok
    (record / "rivers.md").write_text("# Rivers\n\nThey flow.\n")
    with ragraph.open(url, role="tenant_two") as two:
        report = two.ingest(record, collection="two", model=None)
        assert report.ended is None
        failed = {file.path.rpartition("/")[2]: file.reason for file in report.files if file.status == "failed"}
        assert list(failed) == ["publication.json"]
        reason = str(failed["publication.json"])
        assert "the id of publication 'pub_r', or of a document of it, is taken in a collection out of sight" in reason
        assert "give it and its documents other ids" in reason
        assert "Rivers" in [document.title for document in two.documents()]


def test_one_of_several_documents_does_not_leave_its_publication(url: str, record: Path) -> None:
    """It would be in nobody's sight: not in that of the tenant who has its collection, nor of who has the other."""
    with ragraph.open(url) as owner:
        owner.ingest(record, collection="one", model=None)
        with pytest.raises(ArgumentError, match="db tenants"):
            owner.update("annex", collection="two")
        assert owner.document("annex").document.collection == "one"
        switch_tenants(url, on=False)
        owner.update("annex", collection="two")
        switch_tenants(url, on=True)
        (found,) = [item for item in owner.doctor() if item.what == "tenants"]
        assert not found.ok
        assert "1 document in another collection" in found.detail
        owner.update("annex", collection="one")
        assert [item.ok for item in owner.doctor() if item.what == "tenants"] == [True]


@pytest.mark.parametrize("taken", ["document", "publication"])
def test_nobody_is_kept_from_a_file_by_its_id(url: str, tmp_path: Path, taken: str) -> None:
    """Another tenant works out which id a file gets in a collection, and takes that of document or publication."""
    (tmp_path / "rivers.md").write_text("# Rivers of Quixotria\n\nThey flow.\n")
    draft = {"nodes": [{"key": "n", "type": "PARAGRAPH", "text": "A draft of a river"}]}
    with ragraph.open(url, role="tenant_two") as two:

        def taken_in() -> list[FileReport]:
            (file,) = two.ingest(tmp_path / "rivers.md", collection="two", model=None, keep=False).files
            return [file, two.add(draft, collection="two", model=None)]

        first = [str(file.document_id) for file in taken_in()]
        for name in first:
            two.delete(name)
        with connect(with_role(url, "tenant_one")) as one:
            for number, name in enumerate(first):
                publication = ids.publication_id(name) if taken == "publication" else f"pub_x{number}"
                document = name if taken == "document" else f"dl_x{number}"
                one.execute(
                    "INSERT INTO ragraph.publication (id, title, collection) VALUES (%s, '', 'one')", [publication]
                )
                one.execute(
                    "INSERT INTO ragraph.document (id, publication_id, collection) VALUES (%s, %s, 'one')",
                    [document, publication],
                )
        for expected in ("added", "unchanged"):
            for file in taken_in():
                assert (file.status, file.reason) == (expected, None)
                assert file.document_id not in first
        assert len(two.documents()) == 2
        assert two.check() == []
