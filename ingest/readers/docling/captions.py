"""Captions beside a table or figure, if the format does not state which one they belong to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from ragraph.ingest.readers.docling.builder import DraftBuilder

_CAPTIONED = frozenset({ContentNodeType.TABLE, ContentNodeType.FIGURE, ContentNodeType.FORMULA, ContentNodeType.CODE})
_TABLE_WORDS = re.compile(r"\W*(tab|tableau|tabla|таб|表)", re.IGNORECASE)
_CAPTION_WORDS = re.compile(
    r"[*\s]*(table|figure|fig\.|tab\.|tableau|abbildung|abb\.|tabelle|tabla|figura)\s*[\dIVX.]+\s*[.:–—*]",
    re.IGNORECASE,
)
_LONGEST = 400


def bind_captions(builder: DraftBuilder) -> None:
    """Link captions without a relation to the table or figure right beside them.

    A paragraph beside one that begins like "Table 3:" is a caption as well. Captions of tables are usually above, those
    of figures below. If both sides are possible, the words of the caption decide.
    """
    bound = {relation.target for relation in builder.relations if relation.type is RelationType.IS_CAPTIONED_BY}
    captioned = {relation.source for relation in builder.relations if relation.type is RelationType.IS_CAPTIONED_BY}
    nodes = builder.nodes
    for index, node in enumerate(nodes):
        likely = (
            node.type is ContentNodeType.PARAGRAPH and len(node.text) < _LONGEST and _CAPTION_WORDS.match(node.text)
        )
        if not (node.type is ContentNodeType.CAPTION or likely) or node.key in bound:
            continue
        sides = [nodes[place] for place in (index - 1, index + 1) if 0 <= place < len(nodes)]
        sides = [side for side in sides if side.type in _CAPTIONED]
        sides = [side for side in sides if side.key not in captioned]
        is_table = _TABLE_WORDS.match(node.text) is not None
        wanted = ContentNodeType.TABLE if is_table else ContentNodeType.FIGURE
        sides.sort(key=lambda side: side.type is not wanted)
        if sides:
            builder.relate(sides[0].key, RelationType.IS_CAPTIONED_BY, target=node.key)
            captioned.add(sides[0].key)
            builder.retype(index, ContentNodeType.CAPTION)
