"""The pieces of a source, by its format; and the account of a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragraph.ingest.account.office import office_pieces
from ragraph.ingest.account.pages import epub_pieces, html_pieces, xml_pieces
from ragraph.ingest.account.settle import Account, settle
from ragraph.ingest.account.texts import (
    caption_pieces,
    mail_pieces,
    markdown_pieces,
    pdf_pieces,
    plain_pieces,
    record_pieces,
    table_pieces,
)
from ragraph.ingest.common.charset import decode_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ragraph.ingest.account.words import Piece
    from ragraph.ingest.draft import Draft

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)

COUNTED = frozenset(
    {"pdf", "docx", "pptx", "xlsx", "odt", "ods", "odp", "html", "epub", "jats", "docbook", "tei", "fb2", "xml", "eml"}
    | {"text", "csv", "markdown", "captions", "records", "source"}
)
"""Readers whose sources are counted. The others read markup that only their own grammar tells from text (LaTeX,
AsciiDoc, RTF ...), or pictures."""


def account_of(path: Path, draft: Draft, options: Any) -> Account | None:
    """Return the account of a file; None if sources of its format are not counted, or this one cannot be.

    Args:
        path: the file.
        draft: the draft that its reader made.
        options: the ``ReadOptions`` with which it was read.
    """
    reader = draft.reader.split("/")[0]
    if reader not in COUNTED or (reader == "epub" and path.suffix.lower() == ".opf"):
        return None
    try:
        return settle(_pieces(path, reader, options), draft)
    except Exception:  # the reader has read it; a source that cannot be counted is no fault of the file
        return None


def _pieces(path: Path, reader: str, options: Any) -> Iterable[Piece]:
    if reader == "pdf":
        return pdf_pieces(path, options.password, options.pages)
    if reader in ("docx", "pptx", "xlsx", "odt", "ods", "odp"):
        return office_pieces(path, reader)
    if reader == "epub":
        return epub_pieces(path)
    if reader == "eml":
        return mail_pieces(path, options.attachments)
    if reader in ("jats", "docbook", "tei", "fb2", "xml"):
        return xml_pieces(path, reader)
    data = path.read_bytes()
    stated = _CHARSET.search(data[:4096]) if reader == "html" else None
    text = decode_bytes(data, options.charset, [stated[1].decode("ascii")] if stated else [])
    if reader == "html":
        return html_pieces(text)
    if reader == "markdown":
        return markdown_pieces(text)
    if reader == "captions":
        return caption_pieces(text)
    if reader == "csv":
        return table_pieces(text)
    return record_pieces(text, path.suffix.lower()) if reader == "records" else plain_pieces(text)
