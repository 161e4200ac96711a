"""Roles of a store on a server that somebody else administers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql

from ragraph.database import migrate
from ragraph.database.connection import Database, connect
from ragraph.database.driver import translate_errors
from ragraph.database.roles import make_roles, roles_sql
from ragraph.database.tenants import grant_collection, switch_tenants
from ragraph.errors import ServerLoginError

if TYPE_CHECKING:
    from tcp_server import TcpServer


def _store(server: TcpServer, name: str) -> str:
    with psycopg.connect(server.url(), autocommit=True) as owner:
        owner.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    url = server.url(name)
    migrate.upgrade(url)
    return url


def _login(server: TcpServer, name: str, member_of: str | None = None) -> str:
    with psycopg.connect(server.admin_url(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(sql.Identifier(name)))
        if member_of:
            admin.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(member_of), sql.Identifier(name)))
    return name


def test_the_owner_grants_to_roles_that_are_there(tcp: TcpServer) -> None:
    """The administrator makes the roles once; the owner of the store decides who works with it."""
    url = _store(tcp, "granted_by_owner")
    with pytest.raises(ServerLoginError, match="roles --print"), connect(url) as owner, translate_errors(url):
        owner.execute("CREATE ROLE elsewhere_role")
    with psycopg.connect(tcp.admin_url("granted_by_owner"), autocommit=True) as admin:
        admin.execute(roles_sql())
    make_roles(url)  # as after an upgrade
    switch_tenants(url, on=True)
    name = _login(tcp, "elsewhere_writer")
    grant_collection(url, name, "acme", write=True)
    with psycopg.connect(tcp.url("granted_by_owner", user=name, password="x")) as writer:
        writer.execute("INSERT INTO ragraph.publication (id, title, collection) VALUES ('pub_a', 'a', 'acme')")
    with pytest.raises(ServerLoginError, match=r'of the server run: CREATE ROLE "elsewhere_new" NOLOGIN'):
        grant_collection(url, "elsewhere_new", "acme", create=True)


def test_a_login_that_only_reads_has_the_minute_of_the_reader(tcp: TcpServer) -> None:
    """PostgreSQL gives settings of a role to nobody that is a member of it."""
    _store(tcp, "timed")
    make_roles(tcp.admin_url("timed"))
    for name, kind, time in (
        ("timed_reader", "ragraph_reader", "1min"),
        ("timed_writer", "ragraph_writer", "0"),
    ):
        url = tcp.url("timed", user=_login(tcp, name, kind), password="x")
        with Database(url) as database, database.read() as connection:
            assert connection.execute("SHOW statement_timeout").fetchone() == (time,)
    own = f"{tcp.url('timed', user='timed_reader', password='x')}?options=-c%20statement_timeout%3D5s"
    with Database(own) as database, database.read() as connection:
        assert connection.execute("SHOW statement_timeout").fetchone() == ("5s",)


def test_a_reader_makes_nothing(tcp: TcpServer) -> None:
    """Not even a large object, which PostgreSQL lets everybody make."""
    _store(tcp, "made_nothing")
    make_roles(tcp.admin_url("made_nothing"))
    url = tcp.url("made_nothing", user=_login(tcp, "maker", "ragraph_reader"), password="x")
    for statement in (
        *("SELECT lo_create(0)", "SELECT lo_creat(-1)", "SELECT lo_from_bytea(0, 'x')"),
        *("CREATE TABLE public.a ()", "CREATE TEMPORARY TABLE a ()"),
    ):
        with psycopg.connect(url) as reader, pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(statement)
