-- A table is written anew beside itself: whoever writes waits, whoever reads reads on, until the new takes the place of
-- the old behind a lock that is held for as long as it takes to drop and rename. Made by a revision, dropped at its end.

CREATE FUNCTION ragraph.aside_possible(old REGCLASS) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path TO pg_catalog, pg_temp AS $$
-- Whether the table holds anything, and hangs on nothing that would not be taken over: policies, triggers, rights on
-- single columns, partitions, keys into itself, logical replication, the nodes of a cluster. Else it is altered where it is.
DECLARE
    found BOOLEAN;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = $1)' INTO found USING old;
        IF found THEN
            RETURN FALSE;
        END IF;
    END IF;
    IF EXISTS (SELECT FROM pg_class WHERE oid = old AND (relrowsecurity OR relispartition OR relhassubclass))
        OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = old AND NOT tgisinternal)
        OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = old AND attacl IS NOT NULL)
        OR EXISTS (SELECT FROM pg_publication_rel WHERE prrelid = old)
        OR EXISTS (SELECT FROM pg_constraint WHERE conrelid = old AND confrelid = old)
        OR NOT pg_has_role((SELECT relowner FROM pg_class WHERE oid = old), 'SET')
    THEN
        RETURN FALSE;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %s)', old) INTO found;
    RETURN found;
END
$$;

CREATE FUNCTION ragraph.aside_make(old REGCLASS, altered TEXT) RETURNS TEXT
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path TO public AS $$
-- Make an empty table beside the old, without the column that is altered; return its name.
DECLARE
    around TEXT;
    options TEXT;
    copy TEXT := format('%I.%I', 'ragraph', 'aside_' || (SELECT relname FROM pg_class WHERE oid = old));
BEGIN
    -- what holds the other end of a foreign key first, as who writes does
    SELECT string_agg(DISTINCT t::regclass::text, ', ') INTO around
    FROM pg_constraint, unnest(ARRAY[conrelid, confrelid]) AS t
    WHERE contype = 'f' AND (conrelid = old OR confrelid = old) AND t <> old;
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', concat_ws(', ', around, old));
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING INDEXES)', copy, old);
    SELECT array_to_string(reloptions, ', ') INTO options FROM pg_class WHERE oid = old;
    IF options IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s SET (%s)', copy, options);
    END IF;
    EXECUTE format('COMMENT ON TABLE %s IS %L', copy, obj_description(old, 'pg_class'));
    EXECUTE format('ALTER TABLE %s DROP COLUMN %I', copy, altered);
    RETURN copy;
END
$$;

CREATE FUNCTION ragraph.aside_fill(old REGCLASS, copy REGCLASS) RETURNS VOID
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path TO public AS $$
-- Write the rows into the copy, some documents at a time, with indexes and constraints, and tell how far it is.
DECLARE
    fields TEXT;
    document_ids TEXT[];
    last_id TEXT := '';
    told TEXT := split_part(old::text, '.', 2);
    written BIGINT := 0;
    number BIGINT;
    total BIGINT;
    made TEXT[];
BEGIN
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO fields
    FROM pg_attribute
    WHERE attrelid = copy AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    EXECUTE format('SELECT count(*) FROM %s', old) INTO total;
    LOOP
        SELECT array_agg(d.id ORDER BY d.id), max(d.id COLLATE "C") INTO document_ids, last_id
        FROM (
            SELECT id FROM ragraph.document WHERE id COLLATE "C" > last_id ORDER BY id COLLATE "C" LIMIT 20
        ) AS d;
        EXIT WHEN document_ids IS NULL;
        EXECUTE format(
            'INSERT INTO %s (%s) SELECT %2$s FROM %3$s WHERE document_id = ANY ($1)', copy, fields, old
        ) USING document_ids;
        GET DIAGNOSTICS number = ROW_COUNT;
        written := written + number;
        RAISE INFO 'ragraph: % of % rows of % written anew',
            to_char(written, 'FM999,999,999,990'), to_char(total, 'FM999,999,999,990'), told;
    END LOOP;
    IF written <> total THEN
        RAISE EXCEPTION '% of % rows of % were written anew', written, total, told;
    END IF;
    SELECT array_agg(text ORDER BY nth) INTO made
    FROM (
        SELECT 1 AS nth, format('ALTER TABLE %s ADD CONSTRAINT %I %s', copy, 'aside_' || conname, pg_get_constraintdef(oid)) AS text
        FROM pg_constraint WHERE conrelid = old AND contype IN ('p', 'u')
        UNION ALL
        SELECT
            2,
            regexp_replace(
                pg_get_indexdef(i.indexrelid), '^CREATE (UNIQUE )?INDEX \S+ ON \S+ ',
                format('CREATE \1INDEX %I ON %s ', 'aside_' || c.relname, copy)
            )
        FROM pg_index AS i INNER JOIN pg_class AS c ON i.indexrelid = c.oid
        WHERE i.indrelid = old
            AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.conrelid = old)
        UNION ALL
        SELECT 3, format('ANALYZE %s', copy)
        UNION ALL
        SELECT 4, format('ALTER TABLE %s ADD CONSTRAINT %I %s', copy, conname, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE conrelid = old AND contype = 'f'
        UNION ALL
        SELECT
            5,
            format(
                'ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, 'aside_' || conname,
                replace(pg_get_constraintdef(oid), format('REFERENCES %s(', old), format('REFERENCES %s(', copy))
            )
        FROM pg_constraint WHERE confrelid = old AND contype = 'f'
    ) AS t;
    FOR step IN 1..cardinality(made) LOOP
        RAISE INFO 'ragraph: step % of % of the indexes and rules of %', step, cardinality(made), told;
        EXECUTE made[step];
    END LOOP;
END
$$;

CREATE FUNCTION ragraph.aside_swap(old REGCLASS, copy REGCLASS) RETURNS VOID
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path TO public SET check_function_bodies TO off AS $$
-- Put the copy in the place of the old, with its rights, and the functions and views that are made of it.
DECLARE
    name TEXT := (SELECT relname FROM pg_class WHERE oid = old);
    owner REGROLE := (SELECT relowner FROM pg_class WHERE oid = old)::regrole;
    around TEXT;
    before TEXT[];
    after TEXT[];
    rights TEXT[];
    swapped TEXT[];
    statement TEXT;
BEGIN
    SELECT string_agg(DISTINCT t::regclass::text, ', ') INTO around
    FROM pg_constraint, unnest(ARRAY[conrelid, confrelid]) AS t
    WHERE contype = 'f' AND (conrelid = old OR confrelid = old) AND t <> old;
    -- Whoever comes while this waits for a reader waits too: it gives up soon, and tries again.
    FOR attempt IN 1..200 LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '300ms', TRUE);
            EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', concat_ws(', ', around, old, copy));
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            IF attempt = 200 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.3);
        END;
    END LOOP;
    PERFORM set_config('lock_timeout', '0', TRUE);

    WITH RECURSIVE made (classid, objid) AS (
        SELECT t.classid, t.objid
        FROM (
            SELECT 'pg_class'::regclass::oid, old::oid
            UNION ALL
            SELECT 'pg_type'::regclass::oid, oid FROM pg_type WHERE typrelid = old
            UNION ALL
            SELECT 'pg_type'::regclass::oid, typarray FROM pg_type WHERE typrelid = old
        ) AS t (classid, objid)
        UNION
        SELECT x.classid, x.objid
        FROM made AS m
        INNER JOIN pg_depend AS d ON m.classid = d.refclassid AND m.objid = d.refobjid
        LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
        CROSS JOIN
            LATERAL (
                SELECT 'pg_class'::regclass::oid, r.ev_class WHERE r.oid IS NOT NULL
                UNION ALL
                SELECT 'pg_type'::regclass::oid, c.reltype FROM pg_class AS c WHERE c.oid = r.ev_class
                UNION ALL
                SELECT d.classid, d.objid WHERE d.classid = 'pg_proc'::regclass
            ) AS x (classid, objid)
    ),
    things AS (
        SELECT
            'FUNCTION' AS kind, p.oid, p.oid::regprocedure::text AS name, p.proacl AS acl, p.proowner::regrole AS owner,
            pg_get_functiondef(p.oid) AS definition, obj_description(p.oid, 'pg_proc') AS comment
        FROM made AS m INNER JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
        UNION ALL
        SELECT
            'VIEW', c.oid, c.oid::regclass::text, c.relacl, c.relowner::regrole,
            format(
                'CREATE VIEW %s %s AS %s', c.oid::regclass,
                'WITH (' || array_to_string(c.reloptions, ', ') || ')', pg_get_viewdef(c.oid)
            ), obj_description(c.oid, 'pg_class')
        FROM made AS m INNER JOIN pg_class AS c ON m.classid = 'pg_class'::regclass AND m.objid = c.oid AND c.relkind = 'v'
    ),
    kept AS (
        SELECT 'TABLE' AS kind, oid, format('ragraph.%I', name) AS name, relacl AS acl FROM pg_class WHERE oid = old
        UNION ALL
        SELECT CASE kind WHEN 'VIEW' THEN 'TABLE' ELSE kind END, oid, things.name, acl FROM things
    )
    SELECT
        (SELECT array_agg(format('DROP %s IF EXISTS %s CASCADE', kind, things.name) ORDER BY oid DESC) FROM things),
        (
            SELECT array_agg(text ORDER BY oid, nth)
            FROM things, LATERAL (VALUES
                (1, definition),
                (2, format('ALTER %s %s OWNER TO %s', kind, things.name, things.owner)),
                (3, format('COMMENT ON %s %s IS %L', kind, things.name, comment))
            ) AS s (nth, text)
        ),
        (
            SELECT array_agg(format(
                'GRANT %s ON %s %s TO %s%s', a.privilege_type, k.kind, k.name,
                CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
            ))
            FROM kept AS k, aclexplode(k.acl) AS a WHERE NOT (a.is_grantable AND a.grantee = a.grantor)
        )
    INTO before, after, rights;

    SELECT array_agg(text ORDER BY nth) INTO swapped
    FROM (
        SELECT 1 AS nth, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS text
        FROM pg_constraint WHERE confrelid = old AND contype = 'f'
        UNION ALL
        SELECT 2, format('DROP TABLE %s', old)
        UNION ALL
        SELECT 3, format('ALTER TABLE %s RENAME TO %I', copy, name)
        UNION ALL
        SELECT
            4,
            format(
                'ALTER TABLE %s RENAME CONSTRAINT %I TO %I',
                CASE WHEN conrelid = copy THEN format('ragraph.%I', name) ELSE conrelid::regclass::text END,
                conname, substr(conname, 7)
            )
        FROM pg_constraint WHERE (conrelid = copy OR confrelid = copy) AND starts_with(conname, 'aside_')
        UNION ALL
        SELECT 5, format('ALTER INDEX %s RENAME TO %I', i.indexrelid::regclass, substr(c.relname, 7))
        FROM pg_index AS i INNER JOIN pg_class AS c ON i.indexrelid = c.oid
        WHERE i.indrelid = copy
            AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.conrelid = copy)
        UNION ALL
        SELECT 6, format('ALTER TABLE ragraph.%I OWNER TO %s', name, owner)
    ) AS t;
    FOREACH statement IN ARRAY coalesce(before, '{}') || swapped || coalesce(after, '{}') || coalesce(rights, '{}') LOOP
        EXECUTE statement;
    END LOOP;
END
$$;
