"""Earlier versions for those who only read, and for tenants."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from administrators import administrator
from ingest_drafts import DOCUMENT, draft_of

import ragraph
from ragraph.database.connection import connect
from ragraph.database.roles import make_roles, with_role
from ragraph.database.tenants import grant_collection, switch_tenants
from ragraph.errors import ArgumentError, DocumentNotFoundError, ServerLoginError
from ragraph.ingest.storing.linking import ingest_draft

if TYPE_CHECKING:
    from conftest import MakeDatabase

    from ragraph import Store
    from ragraph.base.defaults import ModeName

STATES = (
    "# One\nAlpha wolves hunt.\nBeta testers test.",
    "# One\nNews.\nBeta wolves sleep.",
    "# Other\nBeta testers test.",
)
MODES: tuple[ModeName, ...] = ("vector", "text", "hybrid")


def take_in(store: Store, text: str, collection: str) -> None:
    row = replace(DOCUMENT, id=f"dl_{collection}", publication_id=f"pub_{collection}", collection=collection)
    with store.database.write() as connection:
        connection.execute(
            "INSERT INTO ragraph.publication (id, title, collection) VALUES (%s, 'A draft', %s) ON CONFLICT DO NOTHING",
            [row.publication_id, collection],
        )
        ingest_draft(connection, draft_of(text), row)


@pytest.fixture(scope="module")
def url(make_shared_database: MakeDatabase) -> str:
    url = administrator(make_shared_database())
    make_roles(url)
    with ragraph.open(url) as store:
        for collection in ("acme", "beta"):
            store.keep_versions(collection)
            for text in STATES[:2]:
                take_in(store, text, collection)
                store.embed()
    return url


def test_a_reader_reads_a_version_while_others_write(url: str) -> None:
    with ragraph.open(url) as store, ragraph.open(url, role="reader") as reader:
        assert reader.history("dl_acme")
        with reader.as_of("dl_acme", 1) as past:
            before = past.render("dl_acme")
            take_in(store, STATES[2], "acme")
            assert past.render("dl_acme") == before == "## One\n\nAlpha wolves hunt.\n\nBeta testers test."
            assert [entry.title for entry in past.toc("dl_acme")][-1] == "One"
            for mode in MODES:
                hit = past.search("hunting wolves" if mode != "text" else "wolves", mode=mode, document="dl_acme")[0]
                assert hit.content == "Alpha wolves hunt."
                assert past.cite("dl_acme", hit.node_id).excerpt == hit.content
            assert past.document("dl_acme").document.nodes == 3
            with pytest.raises(DocumentNotFoundError):
                past.render("dl_beta")
            with pytest.raises(ArgumentError, match="restore_version"):
                past.delete("dl_acme")
        assert reader.diff("dl_acme")
        with pytest.raises(ServerLoginError, match="permission denied"):
            reader.prune_versions("dl_acme")
        with pytest.raises(ServerLoginError, match="permission denied"):
            reader.restore_version("dl_acme", 1)


def test_a_tenant_sees_no_version_of_others(url: str) -> None:
    grant_collection(url, "tenant_acme", "acme", write=True, create=True)
    switch_tenants(url, on=True)
    try:
        with ragraph.open(url, role="tenant_acme") as store:
            with store.as_of("dl_acme", 1) as past:
                assert "Alpha wolves hunt." in past.render("dl_acme")
                assert past.search("wolves", mode="vector", document="dl_acme")
            for ask in (store.history, store.diff, store.prune_versions):
                with pytest.raises(DocumentNotFoundError):
                    ask("dl_beta")
            with pytest.raises(DocumentNotFoundError), store.as_of("dl_beta", 1):
                pass
            with pytest.raises(ServerLoginError, match="row-level security"):
                store.keep_versions("beta")
        with connect(with_role(url, "tenant_acme")) as connection:
            seen = "SELECT DISTINCT collection FROM ragraph.{}"
            for table in ("document_version", "document_version_row", "version_keeping"):
                assert connection.execute(seen.format(table)).fetchall() == [("acme",)]  # names of ours
            # settings are anybody's; they open nothing
            connection.execute("SELECT set_config('ragraph.as_of_document', 'dl_beta', true)")
            connection.execute("SELECT set_config('ragraph.as_of_version', '1', true)")
            for view in ("noted", "document", "document_page", "document_component", "content_node", "relation"):
                assert connection.execute(f"SELECT count(*) FROM ragraph_past.{view}").fetchall() == [(0,)]
            assert connection.execute("SELECT count(*) FROM ragraph_past.embedding").fetchall() == [(0,)]
    finally:
        switch_tenants(url, on=False)
