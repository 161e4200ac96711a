"""Tenants: a role sees the collections that it was granted, on every way there is, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from administrators import administrator
from factories import (
    insert,
    make_component,
    make_document,
    make_embedding,
    make_model,
    make_node,
    make_relation,
    vector,
)
from forked_python import run_python
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql
from tiny_models import save_tiny_bert

import ragraph
from ragraph.database import migrate
from ragraph.database.connection import connect
from ragraph.database.roles import make_roles, with_role
from ragraph.database.tenants import (
    collection_grants,
    grant_collection,
    revoke_collection,
    switch_tenants,
    tenants_on,
)
from ragraph.errors import (
    AccessError,
    ArgumentError,
    AssetError,
    BackupError,
    DocumentNotFoundError,
    ModelError,
    RagraphNotice,
    RoleNotFoundError,
    ServerError,
    ServerLoginError,
)
from ragraph.models.embedding import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import MakeDatabase

    Connection = psycopg.Connection[tuple[Any, ...]]

OF_THE_OWNER = {"access_token", "audit_event"}
"""Tables on which tenants have no right at all."""

OF_NO_COLLECTION = {"alembic_version", "collection_grant", "embedding_model", *OF_THE_OWNER}
"""Tables that have no column ``collection`` of their rows, or say who sees which."""

RIVERS = "# Rivers\n\nThe Rhine flows north. It is long.\n"
LAKES = "# Lakes\n\nLake Constance is deep, and the Rhine flows through it.\n"


@pytest.fixture(scope="module")
def admin(make_shared_database: MakeDatabase) -> str:
    """A store with two tenants, a document each, and a reader of one of them; its URL as administrator."""
    url = administrator(make_shared_database())
    make_roles(url)
    with connect(url) as connection:
        make_model(connection)
        for name, text in (("acme", "The Rhine flows north"), ("beta", "The Rhine is a river")):
            _document(connection, f"dl_{name}", name, [text, "Reeds grow"])
    grant_collection(url, "tenant_acme", "acme", write=True, create=True)
    grant_collection(url, "tenant_acme_reader", "acme", create=True)
    grant_collection(url, "tenant_beta", "beta", write=True, create=True)
    switch_tenants(url, on=True)
    return url


@pytest.fixture
def acme(admin: str) -> Iterator[Connection]:
    with connect(with_role(admin, "tenant_acme")) as connection:
        yield connection
        connection.rollback()


def _document(connection: Connection, document_id: str, collection: str, texts: list[str]) -> None:
    make_document(connection, document_id, collection=collection)
    connection.execute(
        "UPDATE ragraph.publication AS p SET collection = d.collection FROM ragraph.document AS d"
        " WHERE d.publication_id = p.id AND d.id = %s",
        [document_id],
    )
    make_component(connection, document_id, "cmp_body", collection=collection)
    for place, text in enumerate(texts):
        make_node(connection, document_id, f"cn_{place}", place, content=text, collection=collection)
        make_embedding(connection, document_id, f"cn_{place}", vector(place % 3), collection=collection)
    if len(texts) > 1:
        make_relation(connection, document_id, "rl_0", "cn_0", "cn_1", collection=collection)


def _values(connection: Connection, statement: str, *values: Any) -> list[Any]:
    return [row[0] for row in connection.execute(statement, values).fetchall()]


def test_no_table_is_forgotten(admin: str) -> None:
    """One that is added belongs to a collection, or is named above with the reason."""
    with connect(admin) as connection:
        tables = _values(
            connection,
            "SELECT c.relname FROM pg_class AS c"
            " WHERE c.relnamespace = 'ragraph'::regnamespace AND c.relkind IN ('r', 'p')",
        )
        secured = _values(
            connection,
            "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'ragraph'::regnamespace"
            " AND c.relrowsecurity AND c.relforcerowsecurity",
        )
        policies = connection.execute(
            "SELECT p.tablename, p.cmd FROM pg_policies AS p"
            " WHERE p.schemaname = 'ragraph' AND 'tenant_acme' = ANY (p.roles)"
        ).fetchall()
    assert set(tables) - set(secured) == {"alembic_version", *OF_THE_OWNER}
    commands = {"SELECT", "INSERT", "UPDATE", "DELETE"}
    assert set(policies) == {
        *((table, command) for table in tables if table not in OF_NO_COLLECTION for command in commands),
        ("embedding_model", "INSERT"),
    }


def test_views_ask_as_whoever_asks(admin: str) -> None:
    with connect(admin) as connection:
        odd = _values(
            connection,
            "SELECT c.relname FROM pg_class AS c"
            " WHERE c.relnamespace = 'ragraph'::regnamespace AND c.relkind IN ('v', 'm')"
            " AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)",
        )
    assert odd == []


def test_every_table_and_view_shows_own_rows_alone(admin: str, acme: Connection) -> None:
    with connect(admin) as above:
        for name in _values(
            above,
            "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'ragraph'::regnamespace"
            " AND c.relkind IN ('r', 'p', 'v', 'm') AND c.relname NOT IN ('alembic_version', 'embedding_model')",
        ):
            rows = sql.SQL("SELECT to_jsonb(t)::text FROM {} AS t").format(sql.Identifier("ragraph", name))
            if name in OF_THE_OWNER:
                with pytest.raises(psycopg.errors.InsufficientPrivilege), acme.transaction():
                    acme.execute(rows)
                continue
            seen = {text for (text,) in acme.execute(rows).fetchall()}
            assert not [text for text in seen if "beta" in text], name
            own = {text for (text,) in above.execute(rows).fetchall() if "beta" not in text}
            assert seen == (set() if name == "collection_grant" else own), name


def test_missing_and_foreign_documents_are_told_alike(acme: Connection) -> None:
    """By each public function that takes a document; nothing of the text either."""
    given_values = {
        **{"component_id": "'cmp_body'", "node_id": "'cn_0'", "label": "'1'", "page": "1", "pages": "'[1,2)'"},
        **{"first_sequence": "0", "last_sequence": "1", "quote": "'The Rhine is a river'", "query": "'Rhine'"},
    }
    functions = acme.execute(
        "SELECT p.oid::regprocedure::text, p.proname, p.proargnames[:p.pronargs - p.pronargdefaults]"
        " FROM pg_proc AS p"
        " WHERE p.pronamespace = 'ragraph'::regnamespace AND 'document_id' = ANY (p.proargnames[:p.pronargs])"
    ).fetchall()
    asked = 0
    for signature, name, parameters in functions:
        if not set(parameters) <= {"document_id", *given_values}:
            continue
        said = []
        for document in ("dl_beta", "dl_gone"):
            values = ", ".join("%(document)s" if each == "document_id" else given_values[each] for each in parameters)
            try:
                with acme.transaction():
                    statement = sql.SQL("SELECT * FROM {}(" + values + ")").format(sql.Identifier("ragraph", name))
                    rows = acme.execute(statement, {"document": document}).fetchall()
                said.append(str(rows).replace(document, "DOC"))
            except psycopg.Error as error:
                # what it suggests instead is one of its own
                told = (error.diag.message_primary or "").partition("; did you mean")
                assert "beta" not in told[2]
                said.append(f"{error.sqlstate} {told[0]}".replace(document, "DOC"))
        assert said[0] == said[1], signature
        assert "river" not in said[0], signature
        asked += 1
    assert asked >= 20


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO ragraph.collection_grant VALUES ('tenant_acme', 'beta', true)",
        "SELECT ragraph.grant_collection('tenant_acme', 'beta')",
        "SELECT ragraph.revoke_collection('tenant_beta')",
        "SELECT ragraph.enable_tenants(false)",
        "ALTER TABLE ragraph.document DISABLE ROW LEVEL SECURITY",
        "ALTER ROLE tenant_acme BYPASSRLS",
        "CREATE POLICY mine ON ragraph.document USING (true)",
        "GRANT tenant_beta TO tenant_acme",
        "INSERT INTO ragraph.publication (id, title, collection) VALUES ('pub_x', 'x', 'beta')",
        "UPDATE ragraph.document SET collection = 'beta'",
        "UPDATE ragraph.publication SET collection = 'beta'",
        "UPDATE ragraph.text_statistics SET collection = 'beta'",
        "SET LOCAL row_security = off; SELECT * FROM ragraph.document",
    ],
)
def test_nothing_that_a_tenant_says_opens_anything(admin: str, acme: Connection, statement: str) -> None:
    try:
        acme.execute(statement)
        acme.commit()
    except psycopg.errors.InsufficientPrivilege:
        acme.rollback()
    assert _values(acme, "SELECT id FROM ragraph.document") == ["dl_acme"]
    with connect(admin) as above:
        assert len(_values(above, "SELECT id FROM ragraph.document WHERE collection = 'beta'")) == 1
        assert tenants_on(admin)


def test_models_are_of_all_and_recorded_by_who_has_all(acme: Connection) -> None:
    """Where a model lies is where texts and queries of all are sent."""
    assert _values(acme, "SELECT name FROM ragraph.embedding_model") == ["tiny"]
    lies: tuple[dict[str, str], ...] = (
        {},
        {"location": "openai:x@https://example.org"},
        {"switched_at": "infinity"},
        {"index_kind": "bit"},
    )
    for values in lies:
        for name in ("own", DEFAULT_MODEL):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), acme.transaction():
                insert(acme, "embedding_model", name=name, dimensions=3, max_tokens=256, normalized=True, **values)
    assert acme.execute("UPDATE ragraph.embedding_model SET query_prefix = 'x'").rowcount == 0
    assert acme.execute("UPDATE ragraph.embedding_model SET switched_at = now()").rowcount == 0
    assert acme.execute("DELETE FROM ragraph.embedding_model").rowcount == 0


def test_a_tenant_embeds_by_the_packaged_model_and_by_those_of_the_owner(
    make_database: MakeDatabase, tmp_path: Path
) -> None:
    url = administrator(make_database())
    make_roles(url)
    switch_tenants(url, on=True)
    grant_collection(url, "tenant_embeds", "acme", write=True, create=True)
    tiny = str(save_tiny_bert(tmp_path / "tiny"))
    (tmp_path / "rivers.md").write_text(RIVERS)
    with ragraph.open(url, role="tenant_embeds") as store:
        assert store.ingest(tmp_path / "rivers.md", collection="acme").totals["embeddings"] > 0
        with pytest.raises(ModelError, match="the store's owner"):
            store.embed(tiny, name="own")
        with ragraph.open(url) as owner:
            owner.add_model(tiny, name="own")
        assert store.embed("own").embeddings > 0


def test_originals_of_others_stay(make_database: MakeDatabase, tmp_path: Path) -> None:
    """A tenant that deletes, prunes or cleans does not see who else has the same bytes."""
    url = administrator(make_database())
    make_roles(url)
    switch_tenants(url, on=True)
    file = tmp_path / "rivers.md"
    file.write_text(RIVERS)
    for tenant in ("one", "two"):
        grant_collection(url, f"tenant_{tenant}", tenant, write=True, create=True)
        with ragraph.open(url, role=f"tenant_{tenant}") as store:
            store.ingest(file, collection=tenant, model=None)
    with ragraph.open(url, role="tenant_one") as one, ragraph.open(url, role="tenant_two") as two:
        (document,) = one.documents()
        with pytest.warns(RagraphNotice, match="assets clean"):
            one.delete(document.id)
        with pytest.raises(AssetError, match="cannot see all"):
            one.clean_assets()
        (other,) = two.documents()
        assert two.original(other.id)
        with pytest.warns(RagraphNotice, match="assets clean"):
            two.delete(other.id)
    with ragraph.open(url) as owner:
        assert len(owner.clean_assets().removed) == 1


def test_one_connection_through_many_roles(admin: str) -> None:
    """What a connection has planned for one role it does not use for another."""
    names = {"query": "Rhine", "vector": str(vector(0))}
    search = (
        "SELECT array_agg(DISTINCT s.document_id)"
        " FROM ragraph.search_hybrid(%(query)s, %(vector)s::vector, 'tiny') AS s"
    )
    with connect(admin) as connection:
        for turn in range(50):
            role = ("tenant_acme", "tenant_beta", "tenant_acme_reader", "ragraph_reader")[turn % 4]
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
            found = connection.execute(search, names, prepare=True).fetchone()
            wanted = {"tenant_beta": ["dl_beta"], "ragraph_reader": None}.get(role, ["dl_acme"])
            assert found == (wanted,), role


words = st.sampled_from(["heron", "reed", "marsh", "water"])
stores = st.lists(
    st.tuples(st.sampled_from(["one", "two", "three"]), st.lists(st.lists(words, min_size=1, max_size=4), max_size=8)),
    min_size=1,
    max_size=5,
)
SEARCHES = {
    "vector": "SELECT s.document_id, s.node_id FROM ragraph.search_vector(%(vector)s::vector, 'tiny', %(k)s) AS s",
    "text": "SELECT s.document_id, s.node_id FROM ragraph.search_text(%(query)s, %(k)s, match => 'any') AS s",
    "hybrid": "SELECT s.document_id, s.node_id"
    " FROM ragraph.search_hybrid(%(query)s, %(vector)s::vector, 'tiny', %(k)s, graph_weight => 1) AS s",
}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    drawn=stores, granted=st.sets(st.sampled_from(["one", "two", "three", "none"])), k=st.sampled_from([1, 3, 10, 100])
)
def test_a_search_finds_what_is_in_sight(
    admin: str, drawn: list[tuple[str, list[list[str]]]], granted: set[str], k: int
) -> None:
    """As many rows as there are up to k, the same as if nothing else were in the store."""
    names = {"query": "heron reed", "vector": str(vector(1)), "k": k}
    found: dict[str, dict[str, list[Any]]] = {}
    with connect(admin) as connection:
        connection.execute("DELETE FROM ragraph.document")
        for number, (collection, texts) in enumerate(drawn):
            _document(connection, f"dl_{number}", collection, [" ".join(text) for text in texts])
        for collection in granted:
            connection.execute("SELECT ragraph.grant_collection('tenant_acme', %s)", [collection])
        connection.execute("SET LOCAL ROLE tenant_acme")
        found["seen"] = {mode: connection.execute(search, names).fetchall() for mode, search in SEARCHES.items()}
        connection.execute("RESET ROLE")
        connection.execute("DELETE FROM ragraph.document WHERE collection <> ALL (%s)", [sorted(granted)])
        found["alone"] = {mode: connection.execute(search, names).fetchall() for mode, search in SEARCHES.items()}
        held = _values(connection, "SELECT count(DISTINCT (e.document_id, e.node_id)) FROM ragraph.embedding AS e")[0]
        connection.rollback()
    assert found["seen"] == found["alone"]
    assert len(found["seen"]["vector"]) == min(k, held)


def test_a_large_collection_is_searched_by_an_index_of_its_own(make_database: MakeDatabase) -> None:
    """No row of another is looked at and thrown away."""
    url = administrator(make_database())
    make_roles(url)
    grant_collection(url, "tenant_large", "large", create=True)
    switch_tenants(url, on=True)
    with connect(url) as connection:
        make_model(connection)
        for collection, held in (("large", 40), ("other", 60), ("small", 5)):
            _document(connection, f"dl_{collection}", collection, [f"Word {place}" for place in range(held)])
        assert _values(connection, "SELECT ragraph.ensure_vector_index('tiny', 20)") == [True]
        assert _values(connection, "SELECT ragraph.ensure_vector_index('tiny', 20)") == [False]
        indexes = _values(
            connection, "SELECT indexdef FROM pg_indexes WHERE schemaname = 'ragraph' AND indexdef LIKE '%%hnsw%%'"
        )
        assert len(indexes) == 2
        ends = {index.rpartition(" WHERE ")[2] for index in indexes}
        assert ends == {
            "(model_name = 'tiny'::text)",
            "((model_name = 'tiny'::text) AND (collection = 'large'::text))",
        }
        connection.execute("ANALYZE ragraph.embedding")
    with connect(with_role(url, "tenant_large")) as connection:
        connection.execute("SET enable_seqscan = off; SET enable_sort = off")
        nearest = (
            "EXPLAIN (ANALYZE) SELECT e.node_id FROM ragraph.embedding AS e WHERE e.model_name = 'tiny'"
            " ORDER BY e.embedding_vector::halfvec(3) <=> '[1,0,0]'::halfvec(3) LIMIT 10"
        )
        plan = "\n".join(_values(connection, nearest))
        own = _values(connection, "SELECT ragraph_private.vector_index_name('tiny', 'large')")
        assert f"Index Scan using {own[0]}" in plan
        assert "Rows Removed" not in plan
        names = {"query": "Word", "vector": str(vector(1)), "k": 30}
        assert len(connection.execute(SEARCHES["vector"], names).fetchall()) == 30


def test_a_tenant_ingests_changes_and_deletes(make_database: MakeDatabase, tmp_path: Path) -> None:
    url = administrator(make_database())
    with pytest.raises(ServerError, match="ragraph db roles"):
        switch_tenants(url, on=True)
    make_roles(url)
    switch_tenants(url, on=True)
    grant_collection(url, "tenant_writer", "acme", write=True, create=True)
    grant_collection(url, "tenant_writer", "shared")
    (tmp_path / "rivers.md").write_text(RIVERS)
    with ragraph.open(url, role="owner") as owner:
        (tmp_path / "lakes.md").write_text(LAKES)
        owner.ingest(tmp_path / "lakes.md", collection="shared")
    with ragraph.open(url, role="tenant_writer") as store:
        report = store.ingest(tmp_path / "rivers.md", collection="acme")
        assert not report.warnings
        (tmp_path / "rivers.md").write_text(RIVERS + "\nAnd wet.\n")
        report = store.ingest(tmp_path / "rivers.md", collection="acme")
        assert [file.status for file in report.files] == ["changed"]
        rivers, lakes = sorted(store.documents(), key=lambda document: document.title, reverse=True)
        assert {hit.document_id for hit in store.search("Rhine", k=10)} == {rivers.id, lakes.id}
        assert store.check() == []
        with pytest.raises(AccessError, match="name one that you may: 'acme'"):
            store.ingest(tmp_path / "rivers.md", collection="shared")
        with pytest.warns(RagraphNotice, match="assets clean"):
            store.delete(rivers.id)
        assert [document.id for document in store.documents()] == [lakes.id]
        with pytest.raises(BackupError, match="cannot see the whole store"):
            store.backup(tmp_path / "b.zip")
    with ragraph.open(url, role="owner") as owner:
        assert owner.backup(tmp_path / "b.zip").rows["document"] == 1
        revoke_collection(url, "owner")
        assert owner.documents() == []
    switch_tenants(url, on=False)
    with ragraph.open(url, role="tenant_writer") as store:
        assert [document.id for document in store.documents()] == [lakes.id]
        assert store.render(lakes.id)


def test_an_upgrade_keeps_them(make_database: MakeDatabase) -> None:
    url = administrator(make_database())
    make_roles(url)
    grant_collection(url, "tenant_kept", "acme", create=True)
    switch_tenants(url, on=True)
    with connect(url) as connection:
        insert(connection, "publication", id="pub_a", title="a", collection="acme")
        insert(connection, "publication", id="pub_b", title="b", collection="beta")
        # a table that another version adds, and functions of another
        connection.execute("CREATE TABLE ragraph.later (document_id text, collection text)")
        connection.execute("COMMENT ON TABLE ragraph.alembic_version IS 'other'")
    assert migrate.upgrade(url)
    with connect(with_role(url, "tenant_kept")) as connection:
        assert _values(connection, "SELECT id FROM ragraph.publication") == ["pub_a"]
        assert _values(connection, "SELECT relrowsecurity FROM pg_class WHERE oid = 'ragraph.later'::regclass") == [
            True
        ]


def test_what_cannot_be_granted_is_told(admin: str) -> None:
    with pytest.raises(RoleNotFoundError, match="role 'tenant_nobody' does not exist; make it first: CREATE ROLE"):
        grant_collection(admin, "tenant_nobody", "acme")
    with connect(admin) as connection:
        above = _values(connection, "SELECT rolname FROM pg_roles WHERE rolsuper LIMIT 1")
    with pytest.raises(ArgumentError, match="sees everything"):
        grant_collection(admin, above[0], "acme")
    assert revoke_collection(admin, "tenant_acme", "beta") == 0
    with pytest.raises(RoleNotFoundError, match="role 'nobody_here' does not exist"):
        revoke_collection(admin, "nobody_here")
    with pytest.raises(ServerLoginError, match="permission denied for table collection_grant"):
        grant_collection(with_role(admin, "tenant_acme"), "tenant_acme", "beta")
    assert [grant.collection for grant in collection_grants(admin) if grant.role_name == "tenant_acme"] == ["acme"]


def test_the_command_line(admin: str) -> None:
    def run(*words: str) -> str:
        done = run_python("from ragraph.faces.cli import main; main()", "--url", admin, *words)
        return done.stdout + done.stderr

    assert "tenant_cli may read acme" in run("db", "grant", "tenant_cli", "acme", "--create")
    assert "tenant_cli  acme  read" in run("db", "grants")
    assert run("db", "tenants").startswith("on:")
    assert json.loads(run("db", "tenants", "--json"))["tenants"] is True
    granted = [grant for grant in json.loads(run("db", "grants", "--json")) if grant["role_name"] == "tenant_cli"]
    assert [(grant["collection"], grant["may_write"]) for grant in granted] == [("acme", False)]
    assert "dl_acme" in (listed := run("--role", "tenant_cli", "list"))
    assert "dl_beta" not in listed
    assert "1 revoked from" in run("db", "revoke", "tenant_cli")
    assert "had no grants" in run("db", "revoke", "tenant_cli")
    assert "role 'tenant_nobody' does not exist; create it with --create" in run("db", "grant", "tenant_nobody", "acme")
    with ragraph.open(admin, role="tenant_cli") as store, pytest.raises(DocumentNotFoundError):
        store.toc("dl_acme")
