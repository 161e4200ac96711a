"""The lines of ragraph: the default result of ``store.context``, and single steps of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.retrieval.lines import BUDGETS, DEPTH, Answer
from bench.retrieval.metrics import cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.retrieval.data import Question
    from ragraph import Store
    from ragraph.schema.results import Hit


@dataclass(frozen=True)
class Settings:
    """Arguments of ``Store.search`` and of ``Store.expand``."""

    name: str
    search: Mapping[str, Any] = field(default_factory=dict)
    expand: Mapping[str, Any] = field(default_factory=dict)
    sections: bool = False
    """Top-down: ``Store.search_sections``, with the nodes of the best section first."""


class StoreLine:
    """ragraph, through ``Store.search`` and ``Store.expand``."""

    def __init__(self, settings: Settings, store: Store, ids: Mapping[str, str]) -> None:
        self.name = settings.name
        self._settings = settings
        self._store = store
        self._ids = dict(ids)
        self._items: dict[str, list[tuple[str, str]]] = {}

    def items(self, document: str) -> list[tuple[str, str]]:
        """Return the nodes of a document, id and text."""
        if document not in self._items:
            nodes = self._store.nodes(self._ids[document])
            self._items[document] = [(node.id, node.content) for node in nodes]
        return self._items[document]

    def answer(self, question: Question, *, whole: bool) -> Answer:
        """Return the nodes found and the contexts made of them."""
        scope: Any = list(self._ids.values()) if whole else self._ids[question.document]
        hits = self._hits(question.text, scope)
        texts = [self._context(question.text, scope, hits, budget) for budget in BUDGETS]
        contexts = [cut(text, [budget])[0] for text, budget in zip(texts, BUDGETS, strict=True)]
        return Answer([(hit.node_id, hit.content) for hit in hits], contexts)

    def _hits(self, query: str, scope: Any) -> list[Hit]:
        options = dict(self._settings.search)
        if self._settings.sections:
            sections = self._store.search_sections(query, **options, document=scope)
            return [hit for section in sections for hit in section.hits]
        return self._store.search(query, **{"k": DEPTH, **options}, document=scope)

    def _context(self, query: str, scope: Any, hits: list[Hit], budget: int) -> str:
        return self._store.expand(hits, token_budget=budget, query=query, tuned=False, **self._settings.expand).text


class ContextLine(StoreLine):
    """ragraph as a user calls it: ``Store.context``, and ``Store.search`` for the ranking.

    Args:
        name: name of the line.
        store: store with the documents.
        ids: id of each document in the store, by key.
        options: arguments of ``Store.context``; ``tuned`` is False by default, because the store keeps its rankers.
    """

    def __init__(
        self, name: str, store: Store, ids: Mapping[str, str], options: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(Settings(name), store, ids)
        self._options = {"tuned": False, **(options or {})}

    def _context(self, query: str, scope: Any, hits: list[Hit], budget: int) -> str:
        return self._store.context(query, budget, document=scope, **self._options).text
