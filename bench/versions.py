"""Cost of earlier versions: ingesting a changed document, space, and reading one compared with the live document.

    python -m bench.versions --sizes 1000 20000 --write bench/results/reliability.md

Two documents of the same text, one in a collection that keeps versions, are changed in turn. One paragraph in a
hundred is rewritten, and one is inserted at the front, so that the positions of all others change. Everything is
synthetic, on a throw-away embedded server.
"""

from __future__ import annotations

import argparse
import statistics
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.synthetic import WORDS, SyntheticModel, make_draft
from bench.throwaway import throwaway_store
from bench.timing import medians, timed
from ragraph.base.queries import read_queries
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.storing.linking import ingest_draft
from ragraph.ingest.vectors.embed import embed_documents
from ragraph.retrieval.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from ragraph import Store
    from ragraph.ingest.draft import Draft

BEGIN, END = "<!-- versions: begin -->", "<!-- versions: end -->"
QUERIES = read_queries(Path(__file__).parent / "versions.sql")
_ROWS = {"node": "content_node", "relation": "relation", "vector": "embedding"}


def main() -> None:
    """Run the benchmark, print its table, and write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000], help="nodes in the document")
    parser.add_argument("--changes", type=int, default=5, help="number of changes")
    parser.add_argument("--repeats", type=int, default=9, help="readings per figure")
    parser.add_argument("--write", type=Path, help="page to write the figures into, between its marks")
    arguments = parser.parse_args()
    columns = []
    for size in arguments.sizes:
        with throwaway_store() as store:
            columns.append(_measure(store, size, arguments.changes, arguments.repeats))
    lines = [f"| | {' | '.join(f'{size:,} nodes' for size in arguments.sizes)} |"]
    lines.append("| --- |" + " ---: |" * len(columns))
    lines += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        before, rest = arguments.write.read_text().split(BEGIN)
        after = rest.split(END)[1]
        arguments.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def _measure(store: Store, size: int, changes: int, repeats: int) -> dict[str, str]:
    documents = {name: DocumentRow(f"dl_{name}", f"pub_{name}", collection=name) for name in ("without", "with")}
    store.keep_versions("with")
    draft = make_draft(1, size)
    for row in documents.values():
        with store.database.write() as connection:
            connection.execute(QUERIES["publication"], {"id": row.publication_id, "collection": row.collection})
        _take_in(store, draft, row)
    seconds: dict[str, list[float]] = {name: [] for name in documents}
    for number in range(changes):
        draft = _changed(draft, number)
        for name in sorted(documents, reverse=bool(number % 2)):
            seconds[name].append(_take_in(store, draft, documents[name]))
    taken = {name: statistics.median(values) for name, values in seconds.items()}

    figures = {
        "ingested again, s": f"{taken['without']:.2f}",
        "the same, keeping the earlier version, s": f"{taken['with']:.2f}",
    }
    figures["times"] = f"{taken['with'] / taken['without']:.2f}"
    with store.database.read() as connection:
        (live,) = connection.execute(QUERIES["live_bytes"], {"document_id": "dl_with"}).fetchone() or (0,)
        noted = dict(connection.execute(QUERIES["noted_rows"], {"document_id": "dl_with"}).fetchall())
    kept = store.history("dl_with")
    figures["rows of the document, MB"] = f"{live / 1e6:.1f}"
    figures["rows of a version beside it, MB"] = f"{statistics.mean(item.bytes for item in kept[:-1]) / 1e6:.2f}"
    for kind in _ROWS:
        figures[f"{kind}s noted of {changes} versions"] = f"{noted.get(kind, 0):,}"
    figures |= _read(store, repeats)
    return figures


def _changed(draft: Draft, number: int) -> Draft:
    nodes = list(draft.nodes)
    for place in range(7 + number, len(nodes), 100):
        if nodes[place].type == "PARAGRAPH":
            nodes[place] = nodes[place].model_copy(update={"text": f"{nodes[place].text} {number} {WORDS[number]}"})
    new = nodes[1].model_copy(update={"key": f"new {number}", "text": f"News {number}"})
    return draft.model_copy(update={"nodes": [*nodes[:1], new, *nodes[1:]]})


def _take_in(store: Store, draft: Draft, row: DocumentRow) -> float:
    with timed() as clock:
        with store.database.write() as connection:
            ingest_draft(connection, draft, row)
        embed_documents(store.database, SyntheticModel())
    return clock.seconds


def _read(store: Store, repeats: int) -> dict[str, str]:
    (node,) = [found.id for found in store.nodes("dl_with")[50:51]]
    vector = SyntheticModel().encode_query("")
    asked: dict[str, Callable[[Store], object]] = {
        "render": lambda of: of.render("dl_with"),
        "contents": lambda of: of.toc("dl_with"),
        "page": lambda of: of.page("dl_with", 3),
        "cite": lambda of: of.cite("dl_with", node),
        "search by words": lambda of: of.search("section", mode="text", document="dl_with"),
        "search by vectors": lambda of: _by_vector(of, vector),
    }
    times = medians({name: partial(_now, store, ask) for name, ask in asked.items()}, repeats)
    past = medians({name: partial(_as_of, store, ask) for name, ask in asked.items()}, repeats)
    return {f"{name}, now and as of 1, ms": f"{times[name]:.0f}, {past[name]:.0f}" for name in asked}


def _by_vector(store: Store, vector: NDArray[np.float32]) -> None:
    scope = Scope(documents=("dl_with",)).asked(None)
    given = {"query_vector": vector, "model_name": SyntheticModel.name, "models_stamp": None, "k": 10, "scope": scope}
    with store.database.read() as connection:
        query = store.database.queries["search_vector"]
        connection.execute(query, given).fetchall()


def _now(store: Store, ask: Callable[[Store], object], _: int) -> None:
    ask(store)


def _as_of(store: Store, ask: Callable[[Store], object], _: int) -> None:
    with store.as_of("dl_with", 1) as past:
        ask(past)


if __name__ == "__main__":
    main()
