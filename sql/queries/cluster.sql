-- name: cluster_version
SELECT e.extversion
FROM pg_extension AS e
WHERE e.extname = 'citus';

-- name: cluster_is_coordinator
SELECT citus_is_coordinator() AS coordinator;

-- name: cluster_nodes
-- The nodes that hold rows, and the coordinator.
SELECT
    n.nodeid AS node_id,
    n.nodename AS node_host,
    n.nodeport AS node_port,
    n.groupid = 0 AS coordinator,
    n.isactive AS active,
    n.shouldhaveshards AS holds_shards
FROM pg_dist_node AS n
WHERE n.noderole = 'primary'
ORDER BY n.groupid;

-- name: cluster_vector
-- The version of pgvector on each node, queried as the role of this connection; an error for a node that does not let
-- the role in.
SELECT
    r.nodeid AS node_id,
    r.success,
    r.result
FROM
    run_command_on_all_nodes(
        $$ SELECT extversion FROM pg_extension WHERE extname = 'vector' $$, TRUE, FALSE
    ) AS r;

-- name: cluster_reach
-- False, with a warning that says why, if a node cannot be reached as this role.
SELECT citus_check_connection_to_node(%(node_host)s, %(node_port)s::integer) AS reached;

-- name: cluster_shards
SELECT count(*) AS shards FROM pg_dist_shard AS s WHERE s.logicalrelid = 'ragraph.document'::regclass;

-- name: cluster_distribute
SELECT ragraph.distribute_store(%(shards)s) AS changed;

-- name: cluster_forget_local
-- Rows from before the tables were distributed stay on the coordinator until they are deleted.
SELECT truncate_local_data_after_distributing_table(c.oid::regclass)
FROM pg_class AS c
INNER JOIN pg_dist_partition AS p ON c.oid = p.logicalrelid
WHERE c.relnamespace = 'ragraph'::regnamespace AND pg_relation_size(c.oid) > 0;

-- name: cluster_status
SELECT
    s.table_name,
    s.kind,
    s.shards,
    s.bytes
FROM ragraph.cluster_status() AS s;
