"""Ids, derived from the content, so that reading a file again finds the rows it made before.

An id never depends on a position: a paragraph that moves keeps its id, its relations and its embeddings.
Equal rows of one document differ by a count (``n``, from 0, in reading order). If another copy of a paragraph is
inserted before the first, the counts of the copies shift: all ids stay, and only the last copy is new.
"""

from __future__ import annotations

import hashlib

_DIGITS = 24


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text (UTF-8) as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _derive(prefix: str, *parts: str) -> str:
    return prefix + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]


def document_id(collection: str, sha256: str, n: int) -> str:
    """Return the n-th id (from 0) of a document that neither a record nor the user names: ``dl_`` and 24 digits.

    It is derived from the bytes of the document when it is first ingested, so it is the same on every machine. A
    document that changes keeps it. The next document that is ingested with those first bytes gets the next id.
    """
    return _derive("dl_", collection, sha256, str(n))


def publication_id(document_id: str) -> str:
    """Return the id of the publication made up for a plain file: ``pub_`` and the rest of the document's id."""
    return "pub_" + document_id.removeprefix("dl_")


def node_id(document_id: str, node_type: str, content: str, n: int) -> str:
    """Return the id of the n-th node (from 0) of this type and content in the document."""
    return _derive("cn_", document_id, node_type, content, str(n))


def component_id(document_id: str, component_type: str, title: str | None, n: int) -> str:
    """Return the id of the n-th component (from 0) of this type and title in the document."""
    return _derive("cmp_", document_id, component_type, title or "", str(n))


def relation_id(document_id: str, source_node_id: str, relation_type: str, marker: str | None, n: int) -> str:
    """Return the id of the n-th relation (from 0) of this source, type and marker."""
    return _derive("rel_", document_id, source_node_id, relation_type, marker or "", str(n))


def embedding_id(document_id: str, node_id: str, model_name: str, source: str, part: int) -> str:
    """Return the id of the vector of one part of a node under a model."""
    return _derive("em_", document_id, node_id, model_name, source, str(part))
