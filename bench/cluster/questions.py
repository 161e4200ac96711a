"""Questions for both stores: every read, over every document, at random but the same each time."""

from __future__ import annotations

import json
import random
import re
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragraph import Store

    Question = tuple[str, Callable[[Store], Any]]

MODES = ("vector", "text", "hybrid", "graph")
_TIMES = (
    "created_at",
    "updated_at",
    "processed_at",
    "seconds",
    "timings",
    "ingested_at",
    "superseded_at",
    "switched_at",
)
_WORD = re.compile(r"[^\W\d_]{6,}")


def questions(store: Store, seed: int = 1) -> Iterator[Question]:
    """Yield named questions about the content of a store; another store with the same content gets the same."""
    chance = random.Random(seed)
    documents = [document.id for document in store.documents()]
    yield "list", lambda s: sorted((asdict(d) for d in s.documents()), key=lambda d: d["id"])
    yield "facets", lambda s: s.facets()
    yield "check store", lambda s: s.check()
    yield "models", lambda s: s.models()
    yield "doctor", lambda s: [(found.what, found.ok) for found in s.doctor()]
    yield "stats", lambda s: sorted((table.table_name, table.table_bytes > 0) for table in s.stats().tables)
    for name, condition in _conditions(documents):
        yield f"filter {name}", lambda s, c=condition: s.filter_documents(c)  # type: ignore[misc]
    yield "references", lambda s: sorted(s.references().split("\n"))
    yield "works", lambda s: s.works()
    yield "entities", lambda s: s.entities()
    for document in documents:
        yield from _of_document(store, document, chance)
    yield from _of_store(store, documents, chance)


def _conditions(documents: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield conditions on documents, some of them on metadata keys that no document has."""
    many = list(range(0, 1000, 7))
    yield "few values", {"metadata.number": {"$in": many[:5]}}
    yield "many values", {"metadata.number": {"$in": many}}
    yield "none of many", {"metadata.number": {"$nin": many}}
    yield "many or less", {"$or": [{"metadata.number": {"$in": many}}, {"metadata.number": {"$lt": 20}}]}
    yield "documents", {"document_id": {"$in": [*documents[::2], *map(str, many)]}}
    yield "words", {"title": {"$contains": "What"}}
    yield "years", {"year": {"$in": [2020, 2021, 2022]}}


def _of_document(store: Store, document: str, chance: random.Random) -> Iterator[Question]:
    nodes = store.nodes(document)
    sections = [entry.component_id for entry in store.toc(document)]
    pages = [page.page_pdf for page in store.pages(document)]
    for name in ("document", "toc", "text", "nodes", "relations", "pages", "check", "bibliography"):
        yield f"{name} {document}", lambda s, name=name: getattr(s, name)(document)  # type: ignore[misc]
    for name in ("history", "diff", "citing", "cited_by", "co_cited", "coupled", "erased"):
        yield f"{name} {document}", lambda s, name=name: getattr(s, name)(document)  # type: ignore[misc]
    yield f"graph {document}", lambda s: sorted(map(str, s.graph(document).edges(keys=True)))
    for style in ("markdown", "html", "text"):
        for notes in ("after", "section", "none"):
            yield (
                f"render {style} {notes} {document}",
                lambda s, style=style, notes=notes: s.render(document, format=style, notes=notes),  # type: ignore[misc]
            )
    for section in chance.sample(sections, min(3, len(sections))):
        yield f"path {section}", lambda s, c=section: s.path(document, c)  # type: ignore[misc]
        yield f"section {section}", lambda s, c=section: s.nodes(document, c)  # type: ignore[misc]
        yield f"render section {section}", lambda s, c=section: s.render(document, section=c)  # type: ignore[misc]
        words = _words(nodes, chance)
        for mode in MODES:
            yield (
                f"search {mode} in {section}: {words}",
                lambda s, c=section, m=mode, w=words: s.search(w, 5, mode=m, document=document, section=c),  # type: ignore[misc]
            )
    for page in chance.sample(pages, min(2, len(pages))):
        yield f"page {page} {document}", lambda s, p=page: s.page(document, p)  # type: ignore[misc]
        yield f"page -{page} {document}", lambda s, p=page: s.page(document, (None, p))  # type: ignore[misc]
    for node in chance.sample(nodes, min(3, len(nodes))):
        yield f"cite {node.id}", lambda s, n=node.id: s.cite(document, n)  # type: ignore[misc]
        quote = " ".join(node.content.split()[:6])
        yield f"quote {node.id}", lambda s, n=node.id, q=quote: s.quote(document, n, q)  # type: ignore[misc]
        yield f"state {node.id}", lambda s, n=node.id: s.citation_state(document, n, s.history(document)[0].version)  # type: ignore[misc]
        for hops in (1, 3):
            yield (
                f"related {hops} {node.id}",
                lambda s, n=node.id, h=hops: s.related(document, n, direction="both", max_hops=h),  # type: ignore[misc]
            )
        for strategy in ("none", "section", "merge", "sentences", "neighbours", "graph", "pagerank", "auto"):
            hit = {"document_id": document, "node_id": node.id, "score": 1.0}
            yield (
                f"expand {strategy} {node.id}",
                lambda s, h=hit, t=strategy: s.expand([h], strategy=t, token_budget=400),  # type: ignore[misc]
            )


def _of_store(store: Store, documents: list[str], chance: random.Random) -> Iterator[Question]:
    scopes: list[dict[str, Any]] = [
        {},
        {"collection": "default"},
        {"languages": "en"},
        {"types": ["TABLE", "CAPTION"]},
        {"filter": {"type": {"$ne": "SUPPLEMENTAL"}}},
        {"filter": {"metadata.number": {"$in": list(range(0, 1000, 7))}}},
        {"pages": (1, 3)},
        {"published": (None, None)},
    ]
    named = [entity.identity for entity in store.entities()]
    for number in range(6):
        words = _words(store.nodes(chance.choice(documents)), chance)
        some = chance.sample(documents, min(2, len(documents)))
        for scope in [*scopes, {"document": some}]:
            for mode in MODES:
                yield (
                    f"{number} search {mode} {scope} {words}",
                    lambda s, w=words, m=mode, o=scope: s.search(
                        w, 10, mode=m, match="any" if m == "text" else "all", **o
                    ),  # type: ignore[misc]
                )
        for entity in chance.sample(named, min(2, len(named))):
            yield f"{number} entity {entity}", lambda s, e=entity: s.entity(e)  # type: ignore[misc]
            yield f"{number} mentions {entity}", lambda s, e=entity: s.mentions(e)  # type: ignore[misc]
            yield f"{number} said of {entity}", lambda s, e=entity: s.entity_relations(e)  # type: ignore[misc]
            for mode in MODES:
                yield (
                    f"{number} search {mode} among {entity}: {words}",
                    lambda s, w=words, m=mode, e=entity: s.search(
                        w, 10, mode=m, match="any" if m == "text" else "all", entity=e
                    ),  # type: ignore[misc]
                )
            yield f"{number} search boost {entity}: {words}", lambda s, w=words, e=entity: s.search(w, 10, boost=e)  # type: ignore[misc]
        yield f"{number} sections {words}", lambda s, w=words: s.search_sections(w)  # type: ignore[misc]
        for strategy in ("auto", "focus", "graph", "merge"):
            yield (
                f"{number} context {strategy} {words}",
                lambda s, w=words, t=strategy: s.context(w, 800, strategy=t),  # type: ignore[misc]
            )


def _words(nodes: list[Any], chance: random.Random) -> str:
    known = sorted({word.lower() for node in nodes for word in _WORD.findall(node.content)})
    return " ".join(chance.sample(known, min(3, len(known)))) or "nothing"


def answer(ask: Callable[[Store], Any], store: Store) -> str:
    """Return an answer, or an error, as text that can be compared."""
    try:
        given = ask(store)
    except Exception as error:  # both stores have to raise the same
        return f"{type(error).__name__}: {error}"
    return json.dumps(_plain(given), sort_keys=True, default=str)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        # a field that two equal answers may differ in, as the store that a hit came from, is not compared
        return _plain({item.name: getattr(value, item.name) for item in fields(value) if item.compare})
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items() if name not in _TIMES}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in (sorted(value, key=str) if isinstance(value, set | frozenset) else value)]
    # sums over shards are added in another order
    return float(f"{value:.5g}") if isinstance(value, float) else value
