"""Ids, derived from what they name, so that reading a file again finds the rows it made before.

An id never derives from a place: a paragraph that moves keeps its id, its relations and its embeddings.
Rows of one document that are alike are told apart by a count (``n``, from 0, in reading order), so one
more copy of a paragraph, put before the first, shifts the count of the copies after it: all ids stay,
only the last copy is new.
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
    """Return the n-th id (from 0) for a document that neither a record nor the user names: ``dl_`` and 24 digits.

    It derives from the bytes that the document has when it is first taken in, so it is the same on every machine; a
    document that changes keeps it, and the next one to come in with those first bytes takes the next id.
    """
    return _derive("dl_", collection, sha256, str(n))


def publication_id(document_id: str) -> str:
    """Return the id of the publication that stands for a plain file: ``pub_`` and the document's own part."""
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
