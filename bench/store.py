"""Costs of the store: writing, section search, global search, filters, rendering. `make bench`.

Everything runs on a throw-away embedded server with synthetic documents, so it needs no data. Compare the ratios of one
run: machines differ, and a shared one varies.

    python -m bench.store --sizes 10000 300000 --json results.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from bench.synthetic import SyntheticModel, make_draft, make_vectors
from bench.throwaway import throwaway_store
from bench.timing import medians, timed
from ragraph.base.queries import read_queries
from ragraph.ingest.common import ids
from ragraph.ingest.common.graph_rows import DocumentRow, PublicationRow
from ragraph.ingest.storing.linking import ingest_draft
from ragraph.ingest.vectors.embed import embed_documents
from ragraph.models.registry import register_model

if TYPE_CHECKING:
    from ragraph import Store

NODES_PER_DOCUMENT = 1000
RARE_SHARE = 0.001
_TABLES = {"graph": ("page", "component", "node", "relation"), "vectors": ("embedding",)}
QUERIES = read_queries(Path(__file__).parent / "store.sql")
console = Console(width=120, highlight=False)


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 300_000], help="nodes in the store")
    parser.add_argument("--repeats", type=int, default=40, help="queries per figure")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {}
    with throwaway_store() as store:
        _note(figures, "write", _write(store))
        filled = 0
        for size in sorted(arguments.sizes):
            filled = fill(store, filled, size)
            _note(figures, f"search at {size:,} nodes", _search(store, filled, arguments.repeats))
        _note(figures, "render", _render(store))
        _note(figures, "check", {"violations": len(store.check())})
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def _document(number: int) -> tuple[DocumentRow, PublicationRow]:
    document_id = f"dl_bench_{number:06}"
    publication = PublicationRow(id=ids.publication_id(document_id), title=f"Synthetic document {number}")
    return DocumentRow(id=document_id, publication_id=publication.id, source_uri=f"bench:{number}"), publication


def _ingest(store: Store, numbers: range) -> float:
    """Write documents and return the seconds of the store, without the time for making the drafts."""
    seconds = 0.0
    for number in numbers:
        document, publication = _document(number)
        draft = make_draft(number, NODES_PER_DOCUMENT)
        with timed() as clock, store.database.write() as connection:
            connection.execute(QUERIES["publication"], {"id": publication.id, "title": publication.title})
            ingest_draft(connection, draft, document)
        seconds += clock.seconds
    return seconds


def _write(store: Store, documents: int = 10) -> dict[str, float]:
    """Return the rows per second of complete ingestion with vectors, and of a bare binary COPY of the same rows."""
    model = SyntheticModel()
    graph = _ingest(store, range(1_000_000, 1_000_000 + documents))
    with timed() as vectors:
        embed_documents(store.database, model)
    with store.database.read() as connection:
        counts = connection.execute(QUERIES["count_rows"]).fetchone()
    assert counts is not None
    rows, embeddings = counts
    bare, full = copy_seconds(store, "bare"), copy_seconds(store, "full")
    for number in range(1_000_000, 1_000_000 + documents):
        store.delete(_document(number)[0].id)
    ours = (rows + embeddings) / (graph + vectors.seconds)
    return {
        "rows of the graph": rows,
        "  per second, both stages": rows / graph,
        "  per second, binary COPY into tables with our keys and indexes": rows / full["graph"],
        "  per second, binary COPY into bare tables": rows / bare["graph"],
        "vectors": embeddings,
        "  per second, planned, compared and written": embeddings / vectors.seconds,
        "  per second, binary COPY into a table with our keys": embeddings / full["vectors"],
        "  per second, binary COPY into a bare table": embeddings / bare["vectors"],
        "all rows per second": ours,
        "  COPY with keys and indexes is faster by": (rows + embeddings) / sum(full.values()) / ours,
        "  bare COPY is faster by": (rows + embeddings) / sum(bare.values()) / ours,
    }


def copy_seconds(store: Store, kind: str) -> dict[str, float]:
    """Return the seconds of binary COPY of rows of graph and vectors into ``bare`` or ``full`` tables of store.sql."""
    with store.database.write() as connection:
        connection.execute(QUERIES["bare_tables"])
    return {name: _copy(store, kind, tables) for name, tables in _TABLES.items()}


def _copy(store: Store, kind: str, tables: tuple[str, ...]) -> float:
    """Copy the rows of tables in binary, and return the seconds of writing."""
    data = []
    with store.database.read() as connection:
        for table in tables:
            with connection.cursor().copy(QUERIES[f"copy_out_{table}"]) as copy:
                data.append([bytes(block) for block in copy])
    with timed() as clock, store.database.write() as connection:
        for table, blocks in zip(tables, data, strict=True):
            with connection.cursor().copy(QUERIES[f"copy_{kind}_{table}"]) as copy:
                for block in blocks:
                    copy.write(block)
    return clock.seconds


def fill(store: Store, filled: int, size: int) -> int:
    """Ingest until the store has ``size`` nodes; one document in a thousand, at least one, is in ``rare``."""
    model = SyntheticModel()
    numbers = range(filled // NODES_PER_DOCUMENT, size // NODES_PER_DOCUMENT)
    with console.status(f"filling up to {size} nodes"):
        with store.database.write() as connection:
            register_model(connection, model)
        _ingest(store, numbers)
        with timed() as clock:
            embed_documents(store.database, model)
        console.print(f"{size} nodes: vectors and index in {clock.seconds:.0f} s")
        with store.database.write() as connection:
            connection.execute(QUERIES["tag_rare"], {"share": RARE_SHARE})
            connection.execute(QUERIES["analyze"])
    return size


def _search(store: Store, nodes: int, repeats: int) -> dict[str, float]:
    queries = make_vectors(10_000_019, repeats + 2, 384)
    documents = [item.id for item in store.documents(limit=50)]
    sections = {item: [entry.component_id for entry in store.toc(item) if entry.nodes >= 20] for item in documents}
    with store.database.read() as connection:
        connection.prepare_threshold = None
        recalls: dict[str, list[float]] = {"section": [], "global": [], "bare": []}
        complete = []

        def rows(name: str, number: int, **scope: Any) -> list[tuple[str, str]]:
            parameters = {"vector": queries[number], "model": "synthetic", "k": 10, **scope}
            return connection.execute(QUERIES[name], parameters).fetchall()

        def scope(number: int) -> dict[str, str]:
            document = documents[number % len(documents)]
            return {"document_id": document, "component_id": sections[document][number % len(sections[document])]}

        connection.execute(QUERIES["set_index"])
        times = medians(
            {
                "section": lambda number: rows("section", number, **scope(number)),
                "global": lambda number: rows("global", number),
                "bare": lambda number: rows("bare", number),
                "rare": lambda number: rows("rare", number),
                "empty": lambda _: connection.execute(QUERIES["nothing"]),
            },
            repeats,
        )
        for number in range(repeats):
            exact_section = set(rows("section_exact", number, **scope(number)))
            recalls["section"].append(_recall(rows("section", number, **scope(number)), exact_section))
            exact_global = set(rows("global_exact", number))
            recalls["global"].append(_recall(rows("global", number), exact_global))
            recalls["bare"].append(_recall(rows("bare", number), exact_global))
            complete.append(len(rows("rare", number)))
        rare_nodes = connection.execute(QUERIES["count_rare"]).fetchone()
    return {
        "ten nearest within a section, ms": times["section"],
        "  recall against an exact scan": _mean(recalls["section"]),
        "ten nearest in the store, ms": times["global"],
        "  recall@10": _mean(recalls["global"]),
        "bare pgvector query over the same index (ef_search 40), ms": times["bare"],
        "  its recall@10": _mean(recalls["bare"]),
        "ten nearest under a filter that keeps few, ms": times["rare"],
        "  share of vectors it keeps": (rare_nodes[0] if rare_nodes else 0) / nodes,
        "  fewest rows returned": min(complete),
        "a statement that does nothing, ms": times["empty"],
    }


def _render(store: Store) -> dict[str, float]:
    """Read a document of 20,000 nodes in order: by the stamps, by walking the tree, by following CONTINUES."""
    document, publication = _document(2_000_000)
    with store.database.write() as connection:
        connection.execute(QUERIES["publication"], {"id": publication.id, "title": publication.title})
        ingest_draft(connection, make_draft(2_000_000, 20_000), document, keep_continues=True)
        connection.execute(QUERIES["analyze"])
    key = {"document_id": document.id}
    with store.database.read() as connection:
        calls = {
            name: connection.execute(QUERIES[f"order_{name}"], key).fetchone()
            for name in ("stamped", "walk", "continues")
        }
        assert len(set(calls.values())) == 1, "the three ways must give the same text"
        times = medians(
            {name: lambda _, name=name: connection.execute(QUERIES[f"order_{name}"], key).fetchone() for name in calls}
            | {"markdown": lambda _: store.render(document.id)},
            repeats=5,
        )
    return {
        "nodes": 20_000,
        "text by stamped order, ms": times["stamped"],
        "text by walk_document, ms": times["walk"],
        "  slower by": times["walk"] / times["stamped"],
        "text by following CONTINUES, ms": times["continues"],
        "  slower by (CONTINUES)": times["continues"] / times["stamped"],
        "render_document, markdown, ms": times["markdown"],
    }


def _recall(found: list[tuple[str, str]], exact: set[tuple[str, str]]) -> float:
    return len(set(found) & exact) / len(exact)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _note(figures: dict[str, Any], title: str, values: dict[str, float]) -> None:
    figures[title] = values
    table = Table("figure", "value", title=title, title_justify="left", box=None)
    for name, value in values.items():
        table.add_row(name, f"{value:,.0f}" if value >= 100 else f"{value:.4g}")
    console.print(table)
    console.print()


if __name__ == "__main__":
    main()
