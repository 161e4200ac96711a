"""Questions to one document of a cluster: the statements they send, and their answers while another worker is down.

    RAGRAPH_CITUS_SOURCE=~/citus python -m bench.cluster.one_shard examples/documents

Counts for each kind of question the statements that the coordinator sends to the worker of the document and to others,
as it logs them (``citus.log_remote_commands``). Then each worker is stopped in turn, and the documents of others are
asked once more. Exit code 1 if a question sent a statement elsewhere, or its answer changed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

import ragraph
from bench.cluster.build import build
from bench.cluster.nodes import CLUSTER, Cluster, cluster
from bench.cluster.questions import answer
from ragraph.database import cluster as ragraph_cluster
from ragraph.database import migrate

if TYPE_CHECKING:
    from collections.abc import Callable

QUERY = "how many towns have access to silver and diagnostics in 2020, 800-207"
"""Words of the example documents, a year and a code: each way of searching has something to do."""
_PLACE = """
    SELECT n.nodeport
    FROM pg_dist_placement AS p JOIN pg_dist_node AS n USING (groupid)
    WHERE p.shardid = get_shard_id_for_distribution_column('ragraph.document', %s::text)
"""
_SENT = re.compile(r"NOTICE:  issuing (?P<said>.*?)\n.*?DETAIL:  on server \S+@\S+?:(?P<port>\d+)", re.S)
_AROUND = re.compile(r"BEGIN|COMMIT|ROLLBACK|SET |SAVEPOINT|RELEASE|PREPARE")
"""Beginnings of statements of transactions, which are not counted."""


def main() -> None:
    """Run the command; exit code 1 if a question left its shard."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("examples/documents")])
    parser.add_argument("--build", type=Path, default=Path(".cluster"), help="folder where Citus is or will be built")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    programs = build(given.build.resolve())
    with tempfile.TemporaryDirectory() as folder, cluster(programs, Path(folder) / "nodes") as started:
        url = started.url(CLUSTER)
        migrate.upgrade(url)
        ragraph_cluster.distribute(url, 4)
        with ragraph.open(url) as store:
            store.ingest(given.paths, backend="plain")
            store.extract_entities()
        wrong = counted(started) + stopped(started)
    for line in wrong:
        print(f"wrong: {line}")
    sys.exit(1 if wrong else 0)


def questions(store: ragraph.Store, document: str) -> dict[str, Callable[[ragraph.Store], Any]]:
    """Return questions to one document by name."""
    toc = store.toc(document)
    node = max(store.nodes(document), key=lambda node: len(node.content))
    hits = store.search(QUERY, 3, document=document)
    words = node.content[:80].rsplit(" ", 1)[0]
    expansions = ("none", "section", "merge", "sentences", "neighbours", "graph", "pagerank", "auto")
    within: dict[str, dict[str, Any]] = {
        "text": {"mode": "text"},
        "vector": {"mode": "vector"},
        "hybrid": {},
        "graph": {"mode": "graph"},
        "in a section": {"section": toc[-1].component_id},
        "on pages": {"pages": (1, 3)},
        "of tables": {"types": "TABLE"},
        "filtered": {"filter": {"collection": "default"}},
        "without words": {"mode": "text", "match": "any"},
    }
    asked: dict[str, Callable[[ragraph.Store], Any]] = {
        "document": lambda s: s.document(document),
        "toc": lambda s: s.toc(document),
        "text": lambda s: s.text(document),
        "render": lambda s: s.render(document),
        "nodes": lambda s: s.nodes(document),
        "tables": lambda s: s.tables(document),
        "pages": lambda s: s.pages(document),
        "relations": lambda s: s.relations(document),
        "related": lambda s: s.related(document, node.id),
        "graph": lambda s: s.graph(document).number_of_edges(),
        "history": lambda s: s.history(document),
        "entities": lambda s: s.entities(document=document),
        "works": lambda s: s.works(document=document),
        "bibliography": lambda s: s.bibliography(document),
        "export": lambda s: list(s.export(document=document)),
        "cite": lambda s: s.cite(document, node.id),
        "quote": lambda s: s.quote(document, node.id, words),
        "sections": lambda s: s.search_sections(QUERY, 3, document=document),
        "search nothing": lambda s: s.search("xyzzyx", document=document, mode="text"),
    }
    for name, options in within.items():
        query = f"{QUERY} -draft" if name == "without words" else QUERY
        asked[f"search {name}"] = lambda s, q=query, o=options: s.search(q, 5, document=document, **o)  # type: ignore[misc]
    for name in expansions:
        asked[f"expand {name}"] = lambda s, n=name: s.expand(hits, n, 1000).text  # type: ignore[misc]
    for name in (*expansions[1:], "focus"):
        asked[f"context {name}"] = lambda s, n=name: s.context(QUERY, 1000, document=document, strategy=n).text  # type: ignore[misc]
    return asked


def counted(started: Cluster) -> list[str]:
    """Print how many statements each question sends to the worker of its document and to others."""
    log = started.nodes[0].data / "log"
    wrong = []
    with psycopg.connect(started.url(CLUSTER, "postgres"), autocommit=True) as admin:
        admin.execute("ALTER DATABASE cluster SET citus.log_remote_commands = on")
        admin.execute("ALTER DATABASE cluster SET log_min_messages = notice")
        try:
            with ragraph.open(started.url(CLUSTER)) as store:
                document = max(store.documents(), key=lambda document: document.nodes).id
                own = _port(admin, document)
                print(f"{'question':24} {'its worker':>10} {'others':>7}")
                for name, ask in questions(store, document).items():
                    ask(store)  # the first time, metadata and models are read too
                    before = log.stat().st_size
                    ask(store)
                    with log.open("rb") as file:
                        file.seek(before)
                        said = file.read().decode()
                    sent = Counter(
                        int(found["port"]) == own for found in _SENT.finditer(said) if not _AROUND.match(found["said"])
                    )
                    print(f"{name:24} {sent[True]:10} {sent[False]:7}", flush=True)
                    if sent[False]:
                        wrong.append(f"{name}: {sent[False]} statements to other workers")
        finally:
            admin.execute("ALTER DATABASE cluster RESET citus.log_remote_commands")
            admin.execute("ALTER DATABASE cluster RESET log_min_messages")
    return wrong


def stopped(started: Cluster) -> list[str]:
    """Stop each worker in turn, and ask the documents of the others; return the answers that changed."""
    wrong, asked = [], 0
    with (
        psycopg.connect(started.url(CLUSTER, "postgres"), autocommit=True) as admin,
        ragraph.open(started.url(CLUSTER)) as store,
    ):
        ports = {document.id: _port(admin, document.id) for document in store.documents()}
        asking = {document: questions(store, document) for document in ports}
        whole = {(d, name): answer(ask, store) for d, each in asking.items() for name, ask in each.items()}
        for node in started.nodes[1:]:
            node.stop()
            try:
                for document in (document for document, port in ports.items() if port != node.port):
                    for name, ask in asking[document].items():
                        asked += 1
                        if (found := answer(ask, store)) != whole[document, name]:
                            wrong.append(f"{document} {name}: {found[:200]}")
            finally:
                node.start()
    print(f"{asked} questions while a worker was stopped, {len(wrong)} answers differ")
    return wrong


def _port(admin: psycopg.Connection, document: str) -> int:
    """Return the port of the worker that has a document."""
    row = admin.execute(_PLACE, [document]).fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    main()
