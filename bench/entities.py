"""How well entities are found that documents define themselves, and the cost.

    RAGRAPH_DATA=../shared/data python -m bench.entities
    RAGRAPH_DATA=../shared/data python -m bench.entities --with spacy:en_core_sci_sm --craft CRAFT/concept-annotation

Labels: bench/entity_labels. With --craft an extractor is compared with the concept annotations of CRAFT (a checkout of
UCDenver-ccp/CRAFT) on the articles of the data folder, by the annotated words, whatever the concept.
"""

from __future__ import annotations

import argparse
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote
from xml.etree import ElementTree

from bench.throwaway import throwaway_store

if TYPE_CHECKING:
    from collections.abc import Iterable

    import ragraph

LABELS = Path(__file__).parent / "entity_labels"
Pairs = set[tuple[str, ...]]


def labelled(path: Path) -> dict[str, Pairs]:
    """Return the labels of a file by document: short and long forms, or terms, in the form of comparison."""
    labels: dict[str, Pairs] = {}
    if not path.exists():
        return labels
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found = labels.setdefault(line[3:], set())
        elif line and not line.startswith("# "):
            found.add(tuple(plain(part) for part in line.split(" | ")))
    return labels


def plain(text: str) -> str:
    """Return a name in the form of comparison: letters and digits, without case, articles and plural s."""
    words = re.sub(r"[\W_]+", " ", text.casefold()).split()
    while words and words[0] in ("the", "a", "an"):
        words.pop(0)
    return " ".join(words).removesuffix("s").replace(" ", "")


def score(found: Pairs, wanted: Pairs) -> tuple[int, int, int]:
    """Return the numbers of right, found and wanted ones."""
    return len(found & wanted), len(found), len(wanted)


def line(what: str, scores: Iterable[tuple[int, int, int]]) -> str:
    """Return the line of a table: precision and recall over all documents."""
    right, found, wanted = (sum(column) for column in zip(*scores, strict=True))
    return f"| {what} | {wanted} | {found} | {right / max(found, 1):.3f} | {right / max(wanted, 1):.3f} |"


def acronyms(store: ragraph.Store, document: str) -> Pairs:
    """Return the pairs that a document defines, with the short or the long form in brackets."""
    text = " ".join(node.content for node in store.nodes(document))
    pairs: Pairs = set()
    for entity in store.entities(document=document, kinds="acronym"):
        for short in entity.aliases:
            bracketed = rf"[(\[][\"“]?(?:{re.escape(short)}\b|[^()\[\]]*{re.escape(entity.name)}, {re.escape(short)}\b)"
            if re.search(bracketed, text) or re.search(rf"{re.escape(short)}\s*[(\[]\s*{re.escape(entity.name)}", text):
                pairs.add((plain(short), plain(entity.name)))
    return pairs


def measured(labels_folder: Path, show: bool) -> None:
    """Ingest the labelled documents, find their definitions, and print the table."""
    data = Path(os.environ["RAGRAPH_DATA"])
    articles, contracts = labelled(labels_folder / "acronyms.txt"), labelled(labels_folder / "terms.txt")
    added = labelled(labels_folder / "added.txt")
    files = [data / "evidence_inference/xml" / f"{name}.nxml" for name in articles]
    files += [data / "cuad/txt" / f"{name}.txt" for name in contracts]
    with throwaway_store() as store:
        begin = time.monotonic()
        store.ingest(files, model=None)
        ingested = time.monotonic() - begin
        report = store.extract_entities()
        by_name = {Path(unquote(item.source_uri or "")).stem: item.id for item in store.documents()}
        results = []
        for what, labels in (("acronyms with long forms", articles), ("defined terms", contracts)):
            scores, judged = [], []
            for name, wanted in labels.items():
                if what == "defined terms":
                    kept = store.entities(document=by_name[name], kinds="term")
                    found: Pairs = {(plain(entity.name),) for entity in kept}
                else:
                    found = acronyms(store, by_name[name])
                scores.append(score(found, wanted))
                judged.append(score(found, wanted | (found & added.get(name, set()))))
                if show:
                    print(name[:40], "missed", sorted(wanted - found), "wrong", sorted(found - wanted))
            if labels:
                results.append(line(what, scores))
            if added and what != "defined terms":
                results.append(line(f"{what}, with the true ones that were not labelled", judged))
    print("| | labelled | found | precision | recall |\n| --- | ---: | ---: | ---: | ---: |")
    print("\n".join(results))
    cost = report.seconds / report.nodes * 1000
    print(f"{report.nodes:,} nodes, {report.mentions:,} mentions: {cost:.2f} s for 1,000 nodes;", end=" ")
    reading = ingested / report.nodes * 1000
    print(f"reading them in without vectors {reading:.2f} s; with entities {1 + report.seconds / ingested:.2f} times")


def annotated(folder: Path) -> dict[str, Pairs]:
    """Return the words that CRAFT annotates, by PubMed id of the article; from Knowtator files, of any concept."""
    words: dict[str, Pairs] = {}
    for path in sorted(folder.rglob("*.knowtator.xml")):
        found = words.setdefault(path.name.split(".")[0], set())
        found |= {(plain(item.text),) for item in ElementTree.parse(path).iter("spannedText") if item.text}
    return words


def craft(folder: Path, extractor: str) -> None:
    """Print how much of CRAFT's annotations an extractor finds in the articles of the data folder."""
    data = Path(os.environ["RAGRAPH_DATA"]) / "craft/nxml"
    truth = annotated(folder)
    scores = []
    with throwaway_store() as store:
        store.ingest(data, model=None)
        store.extract_entities(extractor)
        for item in store.documents():
            # the PubMed number, which is CRAFT's file name, is in the metadata
            numbers = set(re.findall(r"\d{6,}", str(store.document(item.id).metadata) + (item.source_uri or "")))
            for number in numbers & truth.keys():
                words: Pairs = {(plain(mention),) for mention in surfaces(store, item.id)}
                scores.append(score(words, truth[number]))
    print(
        line(f"{extractor}, {len(scores)} articles", scores) if scores else "no article of the data folder is annotated"
    )


def surfaces(store: ragraph.Store, document: str) -> set[str]:
    """Return the names and aliases that a document has for its entities."""
    return {name for entity in store.entities(document=document) for name in (entity.name, *entity.aliases)}


def main() -> None:
    """Run the requested measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", dest="extractor", default="definitions", help="extractor to measure against CRAFT")
    parser.add_argument("--craft", type=Path, help="folder of CRAFT's concept annotations")
    parser.add_argument("--show", action="store_true", help="print missed and wrong ones")
    given = parser.parse_args()
    if given.craft:
        craft(given.craft, given.extractor)
    else:
        for folder in (LABELS, LABELS / "unseen", LABELS / "fresh"):
            print(folder.name)
            measured(folder, given.show)


if __name__ == "__main__":
    main()
