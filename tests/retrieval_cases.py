"""Queries for the tests of retrievers: questions and scopes for the store of sample_library."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from sample_library import BOOK, GUIDE

if TYPE_CHECKING:
    from ragraph import Node, Store

DOCUMENTS = (GUIDE, BOOK)


def questions(store: Store, number: int = 50) -> list[tuple[str, dict[str, Any]]]:
    """Return questions made of words of the store, each with options: every mode, scopes, numbers of hits."""
    draw = random.Random(5)
    texts = [node.content for document in DOCUMENTS for node in store.nodes(document) if len(node.content) > 60]
    asked = []
    for place in range(number):
        words = [word for word in draw.choice(texts).split() if word.isalpha() and len(word) > 3] or ["corn"]
        options: dict[str, Any] = {
            "k": draw.choice([1, 3, 10]),
            "mode": ("hybrid", "vector", "text", "graph")[place % 4],
        }
        if draw.random() < 0.5:
            options["document"] = draw.choice(DOCUMENTS)
        if draw.random() < 0.3:
            options["types"] = ["PARAGRAPH"]
        if options["mode"] == "text":
            options["match"] = "any"
        asked.append((" ".join(draw.sample(words, min(len(words), 5))), options))
    return asked


def scopes(store: Store) -> st.SearchStrategy[dict[str, Any]]:
    """Return scopes: a document, a section of it, types of nodes, in any combination."""
    sections = {document: [entry.component_id for entry in store.toc(document)] for document in DOCUMENTS}
    types = st.lists(st.sampled_from(["PARAGRAPH", "HEADING", "NOTE", "LIST_ITEM", "TABLE"]), max_size=2, unique=True)
    return st.sampled_from(DOCUMENTS).flatmap(
        lambda document: st.fixed_dictionaries(
            {"document": st.just(document)},
            optional={"section": st.sampled_from(sections[document]), "types": types, "k": st.integers(1, 30)},
        )
    )


def inside(store: Store, options: dict[str, Any]) -> dict[tuple[str, str], Node]:
    """Return the nodes of a scope, read without searching."""
    document, types = options["document"], options.get("types")
    nodes = store.nodes(document, options.get("section"))
    return {(document, node.id): node for node in nodes if types is None or node.content_node_type in types}
