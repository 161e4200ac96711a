"""Makes questions to start with from the content of a store: headings, captions and notes, to be corrected by hand.

Nobody asks in the words of a heading; at first this measures whether the parts of a document find each other.
"""

from __future__ import annotations

import random
import re
from itertools import chain, pairwise, zip_longest
from typing import TYPE_CHECKING, Protocol

from sentencex import get_sentence_boundaries

from ragraph.schema.enums import ContentNodeType, RelationType
from ragraph.tuning.questions import Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ragraph.schema.results import Document, Node, Relation

_WORDS = 3
"""Minimum number of words of a question; an answer must have three times as many."""

_NUMBER = re.compile(
    r"^(?:(?:Chapter|Section|Part|Figure|Fig\.|Table)\s+)?(?:[A-Z]?\.?\d+(?:[.\-–]\d+)*[a-z]?[.:)]?|[IVXLC]+[.:)])\s+"
)
_MARKUP = re.compile(r"[*_`]+|\[([^\]]*)\]\([^)]*\)")
_CAPTIONED = RelationType.IS_CAPTIONED_BY
_TEXT = (ContentNodeType.PARAGRAPH, ContentNodeType.LIST_ITEM)
_HEADINGS = (ContentNodeType.HEADING, ContentNodeType.SUBHEADING)


class Held(Protocol):
    """The methods of an open store that questions are made from."""

    def documents(
        self, *, document: str | Sequence[str] | None = None, collection: str | None = None
    ) -> list[Document]:
        """See ``Store.documents``."""

    def nodes(self, document: str) -> list[Node]:
        """See ``Store.nodes``."""

    def relations(self, document: str) -> list[Relation]:
        """See ``Store.relations``."""


def make_questions(
    store: Held, number: int, document: str | Sequence[str] | None, collection: str | None, seed: int
) -> list[Question]:
    """Return questions made from a store, of each kind as far as there are any; see ``Store.make_questions``."""
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    made: list[Question] = []
    documents = store.documents(document=document, collection=collection)
    draw.shuffle(documents)
    while documents and len(made) < number:
        wanted = -(-(number - len(made)) // len(documents))  # share of each remaining document
        made += _of_document(store, documents.pop().id, wanted, draw)
    return made[:number]


def _of_document(store: Held, document: str, wanted: int, draw: random.Random) -> list[Question]:
    nodes = store.nodes(document)
    by_id = {node.id: node for node in nodes}
    relations = store.relations(document)
    kinds = [
        list(_of_headings(nodes)),
        list(_of_captions(relations, by_id)),
        list(_of_notes(relations, by_id)),
    ]
    for kind in kinds:
        draw.shuffle(kind)
    in_turn = [item for item in chain.from_iterable(zip_longest(*kinds)) if item is not None]
    unlike = dict(reversed(in_turn))  # the first of several nodes with the same question
    chosen = [(asked, answer) for asked, answer in in_turn if unlike[asked] is answer][:wanted]
    return [_question(document, asked, answer) for asked, answer in chosen]


def _of_headings(nodes: Sequence[Node]) -> Iterator[tuple[str, Node]]:
    """Yield pairs of a section title as the question and the first paragraph of the section as the answer."""
    for heading, following in pairwise(nodes):
        if heading.content_node_type in _HEADINGS and following.content_node_type == ContentNodeType.PARAGRAPH:
            asked = _asked(heading.content)
            if _is_long(asked, 1) and _is_long(following.content, 3):
                yield asked, following


def _of_notes(relations: Sequence[Relation], nodes: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    """Yield pairs of a sentence with a note marker as the question and the note as the answer."""
    for item in relations:
        if item.relation_type == RelationType.REFERENCES_NOTE:
            source, note = nodes[item.source_node_id], nodes[item.target_node_id]
            asked = _asked(_sentence(source.content, item.marker_start))
            if source.content_node_type in _TEXT and _is_long(asked, 2) and _is_long(note.content, 3):
                yield asked, note


def _of_captions(relations: Sequence[Relation], nodes: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    """Yield pairs of a caption as the question and the text that refers to its table or figure as the answer."""
    captions = {item.source_node_id: item.target_node_id for item in relations if item.relation_type == _CAPTIONED}
    captions |= {caption: caption for caption in captions.values()}
    for item in relations:
        if item.relation_type == RelationType.CROSS_REFERENCES and item.target_node_id in captions:
            source = nodes[item.source_node_id]
            asked = _asked(nodes[captions[item.target_node_id]].content)
            if source.content_node_type in _TEXT and _is_long(asked, 1) and _is_long(source.content, 3):
                yield asked, source


def _question(document: str, asked: str, answer: Node) -> Question:
    return Question(
        question=asked,
        document=document,
        passages=(answer.content,),
        boxes=tuple(
            {"page_pdf": place["page_pdf"], "bbox": place["bbox"]}
            for place in answer.positional_data
            if place.get("bbox")
        ),
    )


def _sentence(text: str, place: int | None) -> str:
    """Return the sentence of a text at a position; the last one if the position is unknown."""
    sentences = get_sentence_boundaries("en", text)
    at = len(text) - 1 if place is None else max(place - 1, 0)  # a marker follows the text that it belongs to
    return next((item["text"] for item in sentences if item["start_index"] <= at < item["end_index"]), text)


def _asked(text: str) -> str:
    return " ".join(_NUMBER.sub("", _MARKUP.sub(r"\1", text).strip()).split())[:300]


def _is_long(text: str, times: int) -> bool:
    return len(text.split()) >= times * _WORDS
