"""The demo in Python: ingest, contents, page, search, note, citation, rendering, graph.

Run it after `make demo`, or on its own: it ingests documents that are missing. `RAGRAPH_HOME` is the folder of the
store.
"""

from __future__ import annotations

from pathlib import Path

import ragraph

DOCUMENTS = Path(__file__).parent / "documents"
NIST = "dl_nist_sp_800_207"


def main() -> None:
    with ragraph.open() as store:
        report = store.ingest(DOCUMENTS)
        for file in report.files:
            print(f"{file.status:<10} {file.document_id or '':<30} {Path(file.path).name}")

        print("\nContents")
        for entry in store.toc(NIST, max_depth=1):
            print("  " * entry.depth + (entry.title or entry.component_type))

        print("\nPrinted page iii starts with")
        print(next(node.content for node in store.page(NIST, "iii") if node.content_node_type == "PARAGRAPH"))

        print("\nWithin one section")
        hits = store.search("secure communication whatever the network location", k=3, document=NIST, section="2.1")
        for hit in hits:
            print(f"{hit.score:.3f}  {hit.citation}")
        best = hits[0].citation
        print(best.excerpt, best.boxes[0])

        book = next(item.id for item in store.documents() if item.title.startswith("The Wealth of Nations"))
        hit = store.search("tenants who share the harvest with the landlord", k=1, document=book)[0]
        print("\nNotes of the paragraph found")
        for related in store.related(book, hit.node_id, types=["REFERENCES_NOTE"]):
            print(f"[{related.marker_text}] {related.node.content}")

        guide = next(item.id for item in store.documents() if item.title.startswith("A Field Guide"))
        print("\nA section as text")
        print(store.render(guide, section="Content nodes", format="text"))

        graph = store.graph(guide)
        print(f"\nAs a graph: {graph.number_of_nodes()} nodes, {graph.number_of_edges()} edges")
        print("Violations:", store.check())


if __name__ == "__main__":
    main()
