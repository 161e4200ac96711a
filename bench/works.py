"""How well bibliography entries are parsed, and how well entries of the same work are recognised.

    RAGRAPH_DATA=../shared/data python -m bench.works
    python -m bench.works --articles FOLDER      # other JATS articles

The truth is stated in JATS articles: the fields of their citations, and the PubMed numbers and DOIs, which are removed
before the articles are read. Measured once with the fields of the format, once with text alone, as in PDF files.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lxml import etree

from bench.throwaway import throwaway_store
from ragraph.ingest.readers.jats.references import reference
from ragraph.ingest.readers.markup.xml import parse_xml, words
from ragraph.works.fields import Fields, clean_doi, fold, surname
from ragraph.works.parse import parse_entry

if TYPE_CHECKING:
    import ragraph

FOLDERS = ("evidence_inference/xml", "craft/nxml")
FIELDS = ("authors", "first author", "year", "title", "container", "volume", "first page")
Place = tuple[str, str]
"""File and id of an entry."""


@dataclass(frozen=True)
class Entry:
    """An entry of an article: its identifiers, its stated fields, and its text without identifiers."""

    pmid: str | None
    doi: str | None
    stated: Fields | None
    text: str

    def same(self, other: Entry) -> bool | None:
        """Return whether both are the same work by their identifiers; None if these are not sufficient."""
        if self.doi and self.doi == other.doi:
            return True
        if self.pmid and other.pmid:
            return self.pmid == other.pmid
        return False if self.doi and other.doi else None


def hide(path: Path, hidden: Path, *, as_text: bool) -> dict[Place, Entry]:
    """Write an article without the identifiers of its entries, or with their text alone; return its entries."""
    root = parse_xml(path.read_bytes(), path.name)
    entries: dict[Place, Entry] = {}
    for number, ref in enumerate(list(root.iter("ref"))):
        ref.set("id", ref.get("id") or f"bench{number}")
        ids = {found.get("pub-id-type"): words(found) for found in ref.iter("pub-id")}
        for found in [*ref.iter("pub-id", "ext-link", "uri")]:
            before, parent = found.getprevious(), found.getparent()
            if parent is None:
                continue
            if before is not None:
                before.tail = (before.tail or "") + (found.tail or "")
            else:
                parent.text = (parent.text or "") + (found.tail or "")
            parent.remove(found)
        inline, data = reference(ref)
        stated = Fields.of(data["entry"]) if "entry" in data else None
        pmid = (ids.get("pmid") or ids.get("medline") or "").lstrip("0") or None
        entries[path.name, str(ref.get("id"))] = Entry(pmid, clean_doi(ids.get("doi")), stated, inline.text)
        if as_text:
            for child in [child for child in ref if child.tag != "label"]:
                ref.remove(child)
            etree.SubElement(ref, "mixed-citation").text = re.sub(r"[*\\]", "", inline.text)
    (hidden / path.name).write_bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))
    return entries


def compared(name: str, said: Fields) -> Any:
    """Return a field in the form of comparison."""
    if name == "authors":
        return [surname(author) for author in said.authors]
    if name == "first author":
        return surname(said.authors[0]) if said.authors else ""
    if name == "first page":
        return fold((said.pages or "").split("-")[0])
    value = getattr(said, name)
    return fold(value) if isinstance(value, str) else value


def fields(entries: dict[Place, Entry]) -> None:
    """Print how many stated fields are parsed from the text alone."""
    right: Counter[str] = Counter()
    stated: Counter[str] = Counter()
    for entry in entries.values():
        if entry.stated is None:
            continue
        found = parse_entry(entry.text)
        for name in FIELDS:
            if wanted := compared(name, entry.stated):
                stated[name] += 1
                right[name] += compared(name, found) == wanted
    print("| field | stated | read from the text |\n| --- | ---: | ---: |")
    for name in FIELDS:
        print(f"| {name} | {stated[name]:,} | {right[name] / max(stated[name], 1):.3f} |")


def identities(store: ragraph.Store, collection: str) -> dict[Place, str]:
    """Return the work of each entry of a collection."""
    query = """
        SELECT d.source_uri, a.anchor, e.identity
        FROM ragraph.work_entry AS e
        INNER JOIN ragraph.document AS d ON e.document_id = d.id
        INNER JOIN ragraph.content_node AS n ON e.document_id = n.document_id AND e.node_id = n.id
        CROSS JOIN jsonb_array_elements_text(n.data -> 'anchors') AS a (anchor)
        WHERE e.collection = %s
    """
    with store.database.read() as connection:
        rows = connection.execute(query, [collection]).fetchall()
    return {(file_name(uri), anchor): identity for uri, anchor, identity in rows}


def pairs(name: str, entries: dict[Place, Entry], works: dict[Place, str], show: bool) -> None:
    """Print how many pairs of entries of two articles are the same work, and how many of those are found."""
    by_id: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for place, entry in entries.items():
        for kind in ("pmid", "doi"):
            if value := getattr(entry, kind):
                by_id[kind, value].append(place)
    wanted = {pair for places in by_id.values() for pair in combinations(sorted(places), 2) if pair[0][0] != pair[1][0]}
    by_work: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(entries.keys() & works.keys()):
        by_work[works[place]].append(place)
    found = {pair for places in by_work.values() for pair in combinations(places, 2) if pair[0][0] != pair[1][0]}
    told = {pair: entries[pair[0]].same(entries[pair[1]]) for pair in found}
    right, wrong = (sum(value is answer for value in told.values()) for answer in (True, False))
    figures = f"{right / max(right + wrong, 1):.3f} | {len(found & wanted) / max(len(wanted), 1):.3f}"
    print(f"| {name} | {len(wanted)} | {right} | {wrong} | {len(found) - right - wrong} | {figures} |")
    if show:
        for what, some in (("wrong", {p for p, value in told.items() if value is False}), ("missed", wanted - found)):
            for one, other in sorted(some):
                print(f"  {what}: {entries[one].text[:160]}\n      {entries[other].text[:160]}")


def citations(store: ragraph.Store, entries: dict[Place, Entry], collection: str) -> None:
    """Add cited works as documents, from the fields of one entry each, and count the citing documents found."""
    by_id: dict[str, list[Place]] = defaultdict(list)
    for place, entry in entries.items():
        if entry.pmid:
            by_id[entry.pmid].append(place)
    drafts: list[dict[str, Any]] = []
    wanted: set[tuple[str, str]] = set()
    for number, places in by_id.items():
        for source in places:
            said = entries[source].stated
            others = {name for name, _ in places if name != source[0]}
            if said is None or not (said.title and said.authors and said.year and others):
                continue
            authors = [" ".join(reversed(author.split(", "))) for author in said.authors]
            made = {"title": said.title, "authors": authors, "publication_date": f"{said.year}-01-01"}
            node = {"key": "title", "type": "PARAGRAPH", "text": said.title}
            drafts.append({"id": f"dl_{number}", "metadata": made, "nodes": [node]})
            wanted |= {(f"dl_{number}", other) for other in others}
            break
    store.add_many(drafts, collection=collection, model=None)
    names = {item.id: file_name(item.source_uri) for item in store.documents()}
    found = {(draft["id"], names[entry.document_id]) for draft in drafts for entry in store.citing(draft["id"])}
    counts = f"{len(wanted)} citations, {len(found & wanted)} of them found"
    print(f"\n{len(drafts)} works of which several articles cite each, added as documents: {counts}")


def file_name(uri: str | None) -> str:
    """Return the name of the file of a document."""
    return Path(unquote(uri or "")).name


def main() -> None:
    """Measure fields, pairs, citations and time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=Path, help="folder of JATS articles to measure on, instead of the usual")
    parser.add_argument("--show", action="store_true", help="print wrong and missed ones")
    given = parser.parse_args()
    folders = [given.articles] if given.articles else [Path(os.environ["RAGRAPH_DATA"]) / name for name in FOLDERS]
    paths = sorted(path for folder in folders for path in folder.iterdir() if path.suffix == ".nxml")
    rows = []
    with throwaway_store() as store, tempfile.TemporaryDirectory() as folder:
        for collection in ("stated", "text"):
            hidden = Path(folder) / collection
            hidden.mkdir()
            entries: dict[Place, Entry] = {}
            for path in paths:
                entries |= hide(path, hidden, as_text=collection == "text")
            begin = time.monotonic()
            store.ingest(hidden, collection=collection, model=None)
            took = time.monotonic() - begin
            works = identities(store, collection)
            rows.append((collection, entries, works))
            with store.database.write() as connection:
                connection.execute("DELETE FROM ragraph.work_entry WHERE collection = %s", [collection])
            report = store.update_works(collection=collection)
            print(f"{collection}: {report.entries:,} entries of {report.documents:,} articles,", end=" ")
            print(f"{report.seconds:.1f} s; ingestion {took / (took - report.seconds):.3f} times as long with them")
        fields(rows[0][1])
        print("\n| entries | pairs that are one work | found right | wrong | ids do not tell | precision | recall |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for name, entries, works in rows:
            pairs("as JATS states them" if name == "stated" else "by their text alone", entries, works, given.show)
        citations(store, rows[0][1], "stated")


if __name__ == "__main__":
    main()
