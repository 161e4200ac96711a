"""The schema of a database as plain sets, to compare two databases whatever the order of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, LiteralString

import psycopg

if TYPE_CHECKING:
    from collections.abc import Mapping

_QUERIES: Mapping[str, LiteralString] = {
    "tables": """
        SELECT c.relname, c.relkind::text, obj_description(c.oid, 'pg_class')
        FROM pg_class c WHERE c.relnamespace = 'ragraph'::regnamespace
        AND c.relkind IN ('r', 'm', 'S', 'p') AND c.relname <> 'alembic_version'""",
    "columns": """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated::text,
            a.attidentity::text, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.relnamespace = 'ragraph'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        AND c.relname <> 'alembic_version'""",
    "views": """
        SELECT c.relname, a.attnum, a.attname, c.reloptions::text, pg_get_viewdef(c.oid),
            obj_description(c.oid, 'pg_class'), col_description(c.oid, a.attnum)
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'ragraph'::regnamespace AND c.relkind = 'v'""",
    "constraints": """
        SELECT conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'ragraph'::regnamespace AND contype <> 'n'
        AND conrelid <> coalesce(to_regclass('ragraph.alembic_version')::oid, 0)""",
    "indexes": """
        SELECT tablename, indexname, indexdef FROM pg_indexes
        WHERE schemaname = 'ragraph' AND tablename <> 'alembic_version'""",
    "enums": """
        SELECT t.typname, array_agg(e.enumlabel ORDER BY e.enumsortorder)::text
        FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid
        WHERE t.typnamespace = 'ragraph'::regnamespace GROUP BY t.typname""",
    "functions": """
        SELECT oid::regprocedure::text, pg_get_functiondef(oid), obj_description(oid, 'pg_proc')
        FROM pg_proc WHERE pronamespace IN ('ragraph'::regnamespace, to_regnamespace('ragraph_private'))""",
    "types": """
        SELECT c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), obj_description(c.oid, 'pg_class')
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = to_regnamespace('ragraph_private') AND c.relkind = 'c'""",
}

_RIGHTS: LiteralString = """
    SELECT c.relname, a.grantee::regrole::text, a.privilege_type, a.is_grantable
    FROM pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS a
    WHERE c.relnamespace = 'ragraph'::regnamespace AND c.relkind IN ('r', 'v') AND c.relname <> 'alembic_version'
    UNION ALL
    SELECT p.oid::regprocedure::text, a.grantee::regrole::text, a.privilege_type, a.is_grantable
    FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
    WHERE p.pronamespace IN ('ragraph'::regnamespace, to_regnamespace('ragraph_private'))
    UNION ALL
    SELECT n.nspname, a.grantee::regrole::text, a.privilege_type, a.is_grantable
    FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a
    WHERE n.nspname LIKE 'ragraph%'
"""


def rights(url: str) -> set[tuple[Any, ...]]:
    """Return who may do what with the schemas of ragraph in a database, and with their tables, views and functions."""
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path TO public")
        return set(connection.execute(_RIGHTS).fetchall())


def catalog(url: str) -> dict[str, set[tuple[Any, ...]]]:
    """Return all objects in the schemas of ragraph in a database, without rows and the version table."""
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path TO public")
        return {name: set(connection.execute(query).fetchall()) for name, query in _QUERIES.items()}
