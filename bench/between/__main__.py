"""How well search finds all documents that answer a question if there are several: trials of one intervention.

    RAGRAPH_DATA=../shared/data python -m bench.between

The truth is the annotation of evidence_inference: doctors recorded for each article which intervention it tries on
which outcome. ``topics.tsv`` names interventions and outcomes, with a regular expression for the words of the
annotations. It was written from the annotations alone, before any search. A topic, or an intervention with an outcome,
is asked if two or more articles were annotated with it; these are the relevant ones. An article with an outcome that
nobody annotated counts as wrong, for every mode alike.

In addition, one question of each article is asked as it was annotated, with that article as the only relevant one.

Documents are ranked by their best hit among the 200 best nodes. They are also ranked by their links to the documents of
the best hits: shared entities, shared cited works, and PageRank over both (``links.py``).
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from bench.between.links import Links
from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.data import CSV_LIMIT, evidence_inference
from bench.retrieval.store import ingest_files, kept_store
from ragraph.base.defaults import ModeName
from ragraph.tuning.evidence import interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ragraph import Hit

HITS, DEPTH = 200, 20
MODES: tuple[ModeName, ...] = ("vector", "text", "hybrid", "graph")
COLLECTION = "between"

csv.field_size_limit(CSV_LIMIT)


@dataclass(frozen=True)
class Asked:
    """A query and the keys of the documents relevant to it."""

    query: str
    relevant: frozenset[str]


def topics(folder: Path, keys: Iterable[str]) -> list[Asked]:
    """Return the topics and their pairs with which two or more of the articles were annotated."""
    known = set(keys)
    named: dict[str, list[tuple[str, re.Pattern[str]]]] = {"intervention": [], "outcome": []}
    for line in Path(__file__).with_name("topics.tsv").read_text(encoding="utf-8").splitlines():
        kind, words, pattern = line.split("\t")
        named[kind].append((words, re.compile(pattern, re.IGNORECASE)))
    relevant: dict[str, set[str]] = defaultdict(set)
    with (folder / "prompts.dev.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            key = f"PMC{row['PMCID']}"
            tried, seen = (
                [words for words, pattern in named[kind] if pattern.search(" ".join(row[kind.title()].split()))]
                for kind in named
            )
            if key in known:
                for query in [
                    *(f"trials of {one}" for one in tried),
                    *(f"effect on {other}" for other in seen),
                    *(f"effect of {one} on {other}" for one in tried for other in seen),
                ]:
                    relevant[query].add(key)
    return [Asked(query, frozenset(found)) for query, found in relevant.items() if len(found) > 1]


def measures(ranked: Sequence[str], relevant: frozenset[str]) -> tuple[float, float]:
    """Return recall and nDCG of the first 20 documents; recall is relative to what 20 places can hold."""
    gains = [item in relevant for item in ranked[:DEPTH]]
    most = min(len(relevant), DEPTH)
    best = sum(1 / math.log2(place + 2) for place in range(most))
    return sum(gains) / most, sum(gain / math.log2(place + 2) for place, gain in enumerate(gains)) / best


def table(title: str, asked: Sequence[Asked], ways: dict[str, Callable[[str], list[str]]]) -> None:
    """Print the figures of every way to search, with the difference from hybrid search."""
    several = sum(len(one.relevant) for one in asked) / len(asked)
    print(f"\n{title}: {len(asked)} queries, {several:.1f} relevant documents each\n")
    print("| documents by | recall@20 | nDCG@20 | nDCG@20 minus hybrid | |\n| --- | ---: | ---: | ---: | --- |")
    found = {
        name: np.array([measures(search(one.query), one.relevant) for one in asked]) for name, search in ways.items()
    }
    for name, values in found.items():
        figures = []
        for column in (0, 1):
            low, high = interval(values[:, column].tolist())
            figures.append(f"{values[:, column].mean():.3f} ({low:.3f} to {high:.3f})")
        apart = values[:, 1] - found["hybrid"][:, 1]
        low, high = interval(apart.tolist())
        print(f"| {name} | {' | '.join(figures)} | {apart.mean():+.3f} | {low:+.3f} to {high:+.3f} |")


def main() -> None:
    """Ingest the articles and ask all queries in every mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics-only", action="store_true", help="leave out the questions with one article each")
    given = parser.parse_args()
    assert set(MODES) == set(get_args(ModeName))
    folder = Path(os.environ["RAGRAPH_DATA"]) / "evidence_inference"
    corpus = evidence_inference(folder, None)
    model = CachedModel(cache_folder())
    with kept_store() as store:
        ids = ingest_files(store, corpus.files, COLLECTION, model)
        keys = {document: key for key, document in ids.items()}
        report = store.extract_entities(collection=COLLECTION)
        print(f"{len(keys)} articles, {report.entities} new entities")
        ways: dict[str, Callable[[str], list[str]]] = {}

        def hits(query: str, mode: ModeName = "hybrid") -> list[Hit]:
            return store.search(
                query,
                HITS,
                mode=mode,
                match="any" if mode == "text" else "all",
                collection=COLLECTION,
                model=str(model.name),
            )

        for mode in MODES:

            def ranked(query: str, mode: ModeName = mode) -> list[str]:
                return list(dict.fromkeys(keys[hit.document_id] for hit in hits(query, mode)))

            ways[mode] = ranked
        links = Links(store, COLLECTION)
        ways["hybrid, and entities they share"] = lambda query: [keys[one] for one in links.by_entities(hits(query))]
        ways["hybrid, and works they share"] = lambda query: [keys[one] for one in links.by_works(hits(query))]
        ways["hybrid, and PageRank over both"] = lambda query: [keys[one] for one in links.by_pagerank(hits(query))]
        table("Several documents", topics(folder, keys.values()), ways)
        if not given.topics_only:
            first = {item.document: item.text for item in reversed(corpus.questions)}
            table("One document", [Asked(text, frozenset({key})) for key, text in first.items()], ways)


if __name__ == "__main__":
    main()
