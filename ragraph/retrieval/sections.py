"""Top-down search: rank sections first, then the nodes in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from ragraph.schema.context import SectionHit, SectionHits
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.database.runner import Rows
    from ragraph.schema.results import Hit


CANDIDATES = 20
"""Number of hits to search for each requested section; at least 50 in all."""


def candidates(k: int) -> int:
    """Return the number of nodes to search for k sections."""
    return max(CANDIDATES * k, 50)


def rank_sections(rows: Rows, hits: Sequence[Hit], k: int, nodes: int) -> list[SectionHit]:
    """Return the k sections ranked best by hits, each with its best nodes; see ``Store.search_sections``."""
    by_node = {(hit.document_id, hit.node_id): hit for hit in hits}
    given = [{"document_id": hit.document_id, "node_id": hit.node_id, "score": hit.score} for hit in hits]
    return SectionHits(
        SectionHit(
            document_id=row["document_id"],
            component_id=row["component_id"],
            component_type=ComponentType(row["component_type"]),
            section_path=row["section_path"],
            score=row["score"],
            hits=tuple(by_node[row["document_id"], node] for node in row["node_ids"][:nodes]),
        )
        for row in rows("rank_sections", dict_row, {"hits": Jsonb(given), "k": k})
    )
