"""Tokens of the service: what is stored of them, whose rights they have, and how they end."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import psycopg
import pytest
from administrators import administrator
from command_line import CommandLine

import ragraph
from ragraph.database.connection import Database, connect
from ragraph.database.roles import make_roles, with_role
from ragraph.database.tenants import collection_grants, grant_collection, switch_tenants
from ragraph.database.tokens import (
    add_audit_event,
    audit_events,
    create_token,
    known_by_id,
    known_token,
    known_user,
    revoke_token,
    tokens,
)
from ragraph.errors import ArgumentError, RoleNotFoundError, ServerError, ServerReadOnlyError
from ragraph.store.acting import acting

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import MakeDatabase


@pytest.fixture(scope="module")
def url(make_shared_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with roles and tenants, as administrator."""
    made = administrator(make_shared_database())
    make_roles(made)
    switch_tenants(made, on=True)
    folder = tmp_path_factory.mktemp("rivers")
    with ragraph.open(made) as store:
        for collection in ("red", "blue"):
            file = folder / f"{collection}.md"
            file.write_text(f"# {collection} rivers\n\nThe {collection} Rhine.\n")
            assert store.ingest(file, collection=collection).ok
    return made


def test_a_token_is_known_by_its_secret_alone(url: str) -> None:
    made = create_token(url, "known", "reader", collections=["red"])
    assert made.token is not None
    with Database(with_role(url, "service")) as database:
        found = known_token(database, made.token)
        assert found is not None
        assert (found.name, found.kind, found.is_current, found.confined) == ("known", "reader", True, True)
        last = "A" if made.token[-1] != "A" else "B"
        for wrong in (
            made.token[:-1] + last,
            made.token + "A",
            made.token.upper(),
            made.id,
            "",
            "rgt_",
            f" {made.token}",
        ):
            assert known_token(database, wrong) is None
        assert known_user(database, "known") is None  # a token is no user of a proxy
    with connect(url) as connection:
        (row,) = connection.execute("SELECT to_jsonb(t)::text FROM ragraph.access_token AS t WHERE id = %s", [made.id])
    assert made.token.rpartition("_")[2] not in row[0]


def test_a_token_sees_its_collections_and_changes_what_it_may(url: str) -> None:
    with ragraph.open(with_role(url, "service"), create=False, upgrade=False) as service, Database(url) as owner:
        assert owner.local is not None
        for kind, sees in (("reader", {"red"}), ("writer", {"red"}), ("admin", {"red", "blue"})):
            made = create_token(url, f"sees {kind}", kind, collections=[] if kind == "admin" else ["red"])  # type: ignore[arg-type]
            known = known_by_id(service.database, made.id)
            assert known is not None
            store = acting(service, known.role_name, writes=kind != "reader")
            assert {item.collection for item in store.documents()} >= sees
            assert ({item.collection for item in store.documents()} == {"red"}) == (kind != "admin")
            (red,) = [item.id for item in store.documents(collection="red")]
            if kind == "reader":
                with pytest.raises(ServerReadOnlyError):
                    store.update(red, title="Other")
            else:
                store.update(red, title=f"By {kind}")
                assert store.document(red).document.title == f"By {kind}"


def test_the_service_itself_sees_no_document(url: str) -> None:
    with connect(with_role(url, "service")) as connection:
        for statement in (
            "SELECT * FROM ragraph.document",
            "SELECT * FROM ragraph.audit_event",
            "UPDATE ragraph.access_token SET kind = 'admin'",
            "INSERT INTO ragraph.access_token (id, name, kind, role_name) VALUES ('x', 'x', 'admin', 'x')",
            "DELETE FROM ragraph.access_token",
            "UPDATE ragraph.audit_event SET status = 200",
            "DELETE FROM ragraph.audit_event",
            "TRUNCATE ragraph.audit_event",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(statement)


def test_readers_and_writers_see_neither_tokens_nor_the_log(url: str) -> None:
    for role in ("reader", "writer"):
        for table in ("access_token", "audit_event"):
            with connect(with_role(url, role)) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT * FROM ragraph.{table}")


def test_a_reader_of_a_tenant_that_writes_only_reads(url: str) -> None:
    grant_collection(url, "tokens_tenant", "red", write=True, create=True)
    made = create_token(url, "of tenant", "reader", tenant="tokens_tenant")
    with ragraph.open(with_role(url, "service"), create=False, upgrade=False) as service:
        known = known_by_id(service.database, made.id)
        assert known is not None
        assert known.role_name == "tokens_tenant"
        store = acting(service, known.role_name, writes=False)
        (red,) = [item.id for item in store.documents()]
        with pytest.raises(ServerReadOnlyError):
            store.delete(red)
        assert store.documents()
        # what one transaction assumed is gone in the next of the same connection
        with service.database.read() as connection:
            assert connection.execute("SELECT current_user").fetchone() == ("ragraph_service",)
    assert revoke_token(url, "of tenant")
    with connect(url) as connection:  # the tenant stays
        assert connection.execute("SELECT count(*) FROM pg_roles WHERE rolname = 'tokens_tenant'").fetchone() == (1,)


def test_a_revoked_token_leaves_neither_role_nor_grant(url: str) -> None:
    made = create_token(url, "gone", "writer", collections=["red", "blue"])
    assert revoke_token(url, "gone")
    assert not revoke_token(url, "gone")
    with Database(with_role(url, "service")) as database:
        assert known_token(database, str(made.token)) is None
        assert known_by_id(database, made.id) is None
    role = f"ragraph_token_{made.id}"
    assert role not in {grant.role_name for grant in collection_grants(url)}
    with connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_roles WHERE rolname = %s", [role]).fetchone() == (0,)


def test_what_cannot_be_a_token_is_refused(url: str) -> None:
    create_token(url, "twice", "reader", collections=["*"])
    for name, kind, scope, said in (
        ("twice", "reader", {"collections": ["red"]}, "already"),
        ("none", "reader", {}, "name collections"),
        ("both", "reader", {"collections": ["red"], "tenant": "tokens_tenant"}, "name collections"),
        ("admin", "admin", {"collections": ["red"]}, "sees all"),
        (" ", "reader", {"collections": ["red"]}, "characters"),
        ("line\nbreak", "reader", {"collections": ["red"]}, "characters"),
        ("owner", "writer", {"tenant": "ragraph_owner"}, "no tenant"),
        ("super", "writer", {"tenant": "postgres"}, "no tenant"),
        ("late", "reader", {"collections": ["red"], "days": 0}, "days"),
    ):
        with pytest.raises(ArgumentError, match=said):
            create_token(url, name, kind, **scope)  # type: ignore[arg-type]
    with pytest.raises(RoleNotFoundError):
        create_token(url, "nobody", "reader", tenant="no such role")
    assert {"both", "admin", "owner", "late", "nobody"}.isdisjoint(token.name for token in tokens(url))


def test_tokens_of_collections_need_tenants(make_database: MakeDatabase) -> None:
    made = administrator(make_database())
    make_roles(made)
    with pytest.raises(ServerError, match="tenants are off"):
        create_token(made, "some", "reader", collections=["red"])
    switch_tenants(made, on=True)
    some = create_token(made, "some", "reader", collections=["red"])
    every = create_token(made, "every", "reader", collections=["*"], days=1)
    switch_tenants(made, on=False)
    with Database(with_role(made, "service")) as database:
        for token, confined in ((some, False), (every, True)):
            found = known_by_id(database, token.id)
            assert found is not None
            assert found.confined == confined
    for name in ("some", "every"):
        revoke_token(made, name)


def test_a_store_without_roles_says_so(make_database: MakeDatabase) -> None:
    url = make_database()
    with connect(url) as connection:
        if connection.execute("SELECT to_regrole('ragraph_service')").fetchone() == (None,):
            with pytest.raises(ServerError, match="db roles"):
                create_token(url, "early", "reader", collections=["*"])


def test_a_backup_has_the_tokens_and_the_log(url: str, make_database: MakeDatabase, tmp_path: Path) -> None:
    made = create_token(url, "kept", "reader", collections=["red"])
    with Database(with_role(url, "service")) as database:
        event = {"id": "au_kept", "action": "GET /", "documents": ["dl_x"], "document_count": 1, "status": 200}
        nothing = dict.fromkeys(("token_id", "token_name", "role_name", "address", "query"))
        add_audit_event(database, {**nothing, **event})
    with ragraph.open(url) as store:
        store.backup(tmp_path / "store.ragraph")
    other = administrator(make_database())
    ragraph.restore(tmp_path / "store.ragraph", other, replace=True)
    with Database(with_role(other, "service")) as database:
        found = known_token(database, str(made.token))
        assert found is not None
        assert found.is_current
        assert revoke_token(url, "kept")  # the role stays, because the copy has grants for it
        found = known_token(database, str(made.token))
        assert found is not None
        assert found.is_current
        with connect(other) as connection:
            connection.execute("UPDATE ragraph.access_token SET role_name = 'no such role' WHERE id = %s", [made.id])
        found = known_token(database, str(made.token))
        assert found is not None
        assert not found.is_current
        with connect(other) as connection:
            role = f"ragraph_token_{made.id}"
            connection.execute("UPDATE ragraph.access_token SET role_name = %s WHERE id = %s", [role, made.id])
    assert "au_kept" in {event.id for event in audit_events(other)}
    assert revoke_token(other, "kept")


def test_the_commands_show_a_token_once_and_list_what_was_done(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = CommandLine(url, monkeypatch, capsys)
    limits = ("--per-minute", "60", "--upload", "5", "--concurrent", "2", "--expires", "7")
    made = run("tokens", "create", "by hand", "--role", "reader", "--collection", "red", *limits)
    assert re.fullmatch(r"rgt_[0-9a-f]{16}_[\w-]{43}\n", made.out), made.err
    secret = made.out.strip().rpartition("_")[2]
    listed = run("tokens", "list", "--json")
    assert secret not in listed.out + run("tokens", "list").out
    (found,) = [token for token in json.loads(listed.out) if token["name"] == "by hand"]
    assert (found["requests_per_minute"], found["upload_bytes_per_day"], found["concurrent_requests"]) == (
        60,
        5 << 20,
        2,
    )
    assert (found["kind"], found["collections"], found["expired"], found["signs_in"]) == (
        "reader",
        ["red"],
        False,
        False,
    )
    assert run("tokens", "create", "ann", "--role", "reader", "--collection", "red", "--sign-in").out == (
        "ann may sign in as reader\n"
    )
    assert run("tokens", "revoke", "by hand").code == 0
    assert run("tokens", "revoke", "ann").code == 0
    gone = run("tokens", "revoke", "ann")
    assert (gone.code, "there is no token 'ann'" in gone.err) == (1, True)
    with Database(with_role(url, "service")) as database:
        event = {"id": "au_cli", "action": "GET /", "documents": ["dl_x"], "document_count": 1, "status": 200}
        names = {"token_name": "by cli", **dict.fromkeys(("token_id", "role_name", "address", "query"))}
        add_audit_event(database, {**names, **event})
    assert "GET /" in run("audit", "list", "--document", "dl_x", "--token", "by cli").out
    assert "no lines" in run("audit", "list", "--token", "by cli", "--since", "2999-01-01").out
    assert run("audit", "list", "--since", "yesterday").code == 2
    target = tmp_path / "log.jsonl"
    assert run("audit", "export", "--token", "by cli", "-o", str(target)).code == 0
    assert json.loads(target.read_text())["id"] == "au_cli"
    assert run("audit", "prune", "--older-than", "0").code == 0
    assert "no lines" in run("audit", "list").out
