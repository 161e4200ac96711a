"""Containers that nest without end are stored to a depth, with all their nodes in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.draft import DraftContainer, DraftDocument, DraftNode
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from ragraph import Store


def chain(length: int) -> DraftDocument:
    """Return a draft whose containers are a chain, each with one paragraph."""
    kinds = (ComponentType.SECTION, ComponentType.LIST)
    return DraftDocument(
        id=f"dl_chain{length}",
        containers=[
            DraftContainer(key=f"c{place}", type=kinds[place % 2], parent=f"c{place - 1}" if place else None)
            for place in range(length)
        ],
        nodes=[
            DraftNode(key=f"n{place}", type=ContentNodeType.PARAGRAPH, text=f"Step {place}.", container=f"c{place}")
            for place in range(length)
        ],
    )


def test_a_chain_of_containers_is_stored_to_a_depth(store: Store) -> None:
    store.add(chain(9000), model=None)
    with store.database.read() as connection:
        (depth,) = connection.execute("SELECT max(depth) FROM ragraph.document_component").fetchone() or (None,)
        texts = connection.execute("SELECT content FROM ragraph.content_node ORDER BY sequence_in_document").fetchall()
    assert 100 < depth < 600
    assert [text for (text,) in texts] == [f"Step {place}." for place in range(9000)]
    assert store.check() == []
