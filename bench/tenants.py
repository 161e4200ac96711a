"""Searches of roles that see a part of a store, compared with searches without policies in the same part.

Documents of 100 nodes are in collections with 0.1, 1, 10, 30 and 59 % of the store; a fifth of the vectors occur twice.
A role was granted one of the collections, or all. Its searches name no collection; those of a superuser, to whom
policies do not apply, do. Both are asked in turn, must find the same, and as many rows as exist up to k.

    python -m bench.tenants --nodes 100000 --pairs 10000
"""

from __future__ import annotations

import argparse
import random
import statistics
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg.conninfo import make_conninfo
from rich.console import Console

import ragraph
from bench.synthetic import WORDS, SyntheticModel, make_draft, make_vectors
from bench.throwaway import throwaway_store
from bench.timing import timed
from ragraph.base.queries import read_queries
from ragraph.database.roles import make_roles
from ragraph.database.tenants import ALL, grant_collection, switch_tenants
from ragraph.errors import RagraphError
from ragraph.ingest.common import ids
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.storing.linking import ingest_draft
from ragraph.ingest.vectors.embed import embed_documents
from ragraph.ingest.vectors.maintenance import build_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ragraph import Store

NODES_PER_DOCUMENT = 100
SHARES = {"tiny": 0.001, "small": 0.01, "large": 0.1, "wide": 0.3}
REST = "rest"
SIGHTS = {"0.1 %": "tiny", "1 %": "small", "10 %": "large", "30 %": "wide", "59 %": REST, "100 %": ALL}
"""What roles see, and the collection granted for it."""
MODES = ("vector", "text", "hybrid")
KS = (1, 10, 100, 1000)
QUERIES = read_queries(Path(__file__).with_suffix(".sql"))
BEGIN, END = "<!-- tenants: begin -->", "<!-- tenants: end -->"
console = Console(width=120, highlight=False)


class TwinModel(SyntheticModel):
    """A fifth of the vectors equal the one of the text before."""

    name = "twins"

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the next vectors of the stream, every fifth one twice."""
        vectors = super().encode_documents(texts)
        vectors[1::5] = vectors[0::5][: len(vectors[1::5])]
        return vectors


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000, help="nodes in the store")
    parser.add_argument("--repeats", type=int, default=20, help="queries per figure")
    parser.add_argument(
        "--pairs", type=int, default=10_000, help="pairs of a role and a query for the search for foreign rows"
    )
    parser.add_argument("--write", type=Path, help="page to write the figures into, between its marks")
    arguments = parser.parse_args()
    with throwaway_store() as store, ExitStack() as stack:
        _fill(store, arguments.nodes)
        queries = _queries(arguments.repeats)
        admin = make_conninfo(store.database.url, user="postgres")
        make_roles(admin)
        for name, collection in SIGHTS.items():
            grant_collection(admin, f"tenant_{name}", collection, create=True)
        switch_tenants(admin, on=True)
        above = stack.enter_context(ragraph.open(admin))
        opened = {name: stack.enter_context(ragraph.open(store.database.url, role=f"tenant_{name}")) for name in SIGHTS}
        build_index(above.database, TwinModel.name)
        lines = [HEAD, *(line for name, tenant in opened.items() for line in _compare(above, tenant, queries, name))]
        lines += ["", _foreign(above, opened, arguments.pairs), "", _told_by_time(above, opened)]
    text = "\n".join(lines)
    console.print(text, soft_wrap=True)
    if arguments.write:
        page = arguments.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        arguments.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


Query = tuple[str, "NDArray[np.float32]"]
Rows = list[tuple[str, str]]


def _fill(store: Store, nodes: int) -> None:
    documents = nodes // NODES_PER_DOCUMENT
    names = [name for name, share in SHARES.items() for _ in range(max(round(documents * share), 1))]
    names += [REST] * (documents - len(names))
    with console.status("filling"):
        for number, name in enumerate(names):
            document_id = f"dl_{number:06}"
            publication = {"id": ids.publication_id(document_id), "title": f"Synthetic {number}", "collection": name}
            document = DocumentRow(
                id=document_id, publication_id=publication["id"], source_uri=f"bench:{number}", collection=name
            )
            with store.database.write() as connection:
                connection.execute(QUERIES["publication"], publication)
                ingest_draft(connection, make_draft(number, NODES_PER_DOCUMENT), document)
        embed_documents(store.database, TwinModel())
        with store.database.write() as connection:
            connection.execute(QUERIES["statistics"])
            connection.execute(QUERIES["analyze"])
    console.print(f"{len(names):,} documents")


def _queries(repeats: int) -> list[Query]:
    words = random.Random(7)
    vectors = make_vectors(99_999, repeats, TwinModel().dimensions)
    return [(" ".join(words.choices(WORDS, k=4)), vector) for vector in vectors]


HEAD = (
    "| sees | mode | k | with a filter, ms | role, ms | times | fewest rows | the same | recall |\n"
    "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def _compare(above: Store, tenant: Store, queries: list[Query], name: str) -> Iterator[str]:
    """Ask both in turn, so that drift affects both, and yield a line with time and results for mode and k."""
    collection = None if SIGHTS[name] == ALL else SIGHTS[name]
    for mode in MODES:
        for k in KS:
            spent: tuple[list[float], list[float]] = [], []
            fewest, expected, equal, recall = k, k, [], []
            for query in [queries[0], *queries]:
                found = []
                for place, (store, where) in enumerate(((above, collection), (tenant, None))):
                    with timed() as clock:
                        found.append(_rows(store, mode, query, k, where))
                    spent[place].append(clock.seconds * 1000)
                owned, rows = found
                fewest, expected = min(fewest, len(rows)), min(expected, len(owned))
                equal.append(set(rows) == set(owned))
                if mode == "vector":
                    best = _rows(above, "nearest", query, k, collection)
                    recall.append(len({*rows} & {*best}) / len(best))
            was, now = (statistics.median(times[1:]) for times in spent)
            times = f"{was:.1f} | {now:.1f} | {now / was:.2f}"
            found_all = f"{statistics.mean(recall):.3f}" if recall else ""
            same = statistics.mean(equal)
            yield f"| {name} | {mode} | {k} | {times} | {fewest} of {expected} | {same:.2f} | {found_all} |"


def _rows(store: Store, name: str, query: Query, k: int, collection: str | None) -> Rows:
    names = {"query": query[0], "vector": query[1], "k": k, "collection": collection}
    with store.database.read() as connection:
        return [(document, node) for document, node in connection.execute(QUERIES[name], names)]


def _foreign(store: Store, opened: dict[str, Store], pairs: int) -> str:
    """Count rows of other collections in searches of roles, with queries from the words and vectors of all."""
    draw = random.Random(11)
    with store.database.read() as connection:
        where: dict[str, str] = dict(connection.execute(QUERIES["collections"]).fetchall())
    hidden = {
        name: [document for document, collection in where.items() if collection != granted]
        for name, granted in SIGHTS.items()
        if granted != ALL
    }
    foreign = found = 0
    vectors = make_vectors(5, 500, TwinModel().dimensions)
    for _ in range(pairs):
        name = draw.choice(list(hidden))
        mode, k = draw.choice(MODES), draw.choice(KS[:3])
        query = " ".join(draw.choices(WORDS, k=draw.randint(1, 4))), vectors[draw.randrange(len(vectors))]
        asked = draw.choice([None, None, *SHARES, REST])  # also by the name of a foreign collection
        rows = _rows(opened[name], mode, query, k, asked)
        found += len(rows)
        foreign += len({document for document, _ in rows}.intersection(hidden[name]))
    return f"{pairs:,} pairs of a role and a query: {found:,} rows, {foreign} of them foreign."


def _told_by_time(above: Store, opened: dict[str, Store]) -> str:
    """Compare the time to refuse a document of others and one that does not exist; medians, asked in turn."""
    tenant = opened["1 %"]
    with above.database.read() as connection:
        where: dict[str, str] = dict(connection.execute(QUERIES["collections"]).fetchall())
    foreign = [document for document, collection in where.items() if collection == REST][:200]
    asked: dict[str, Callable[[str], object]] = {
        "document": tenant.document,
        "search within": lambda document: tenant.search("alpha", mode="text", document=document),
        "quote": lambda document: tenant.quote(document, "cn_1", "alpha beta"),
        "table of contents": tenant.toc,
    }
    said = []
    for name, ask in asked.items():
        spent: tuple[list[float], list[float]] = [], []
        for document in foreign:
            for place, wanted in enumerate((document, document + "x")):
                with timed() as clock, suppress(RagraphError):
                    ask(wanted)
                spent[place].append(clock.seconds * 1000)
        theirs, nobodys = map(statistics.median, spent)
        said.append(f"{name} {theirs:.2f} and {nobodys:.2f} ms ({theirs / nobodys:.2f})")
    return f"Time to refuse a document of others, and one that nobody has ({len(foreign)} each): {'; '.join(said)}."


if __name__ == "__main__":
    main()
