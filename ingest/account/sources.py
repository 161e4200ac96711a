"""The pieces of a source, by its format; and the account of a file."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragraph.ingest.account.office import office_pieces
from ragraph.ingest.account.pages import epub_pieces, html_pieces, xml_pieces
from ragraph.ingest.account.prose import prose_pieces
from ragraph.ingest.account.rtf import rtf_pieces
from ragraph.ingest.account.settle import Account, settle
from ragraph.ingest.account.texts import (
    caption_pieces,
    mail_pieces,
    mailbox_pieces,
    notebook_pieces,
    outlook_pieces,
    pdf_pieces,
    plain_pieces,
    record_pieces,
    saved_page_pieces,
    table_pieces,
)
from ragraph.ingest.common.charset import decode_bytes
from ragraph.ingest.readers.mappings import parse_mappings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ragraph.ingest.account.words import Piece
    from ragraph.ingest.draft import Draft

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)

COUNTED = frozenset(
    {"pdf", "docx", "pptx", "xlsx", "odt", "ods", "odp", "html", "epub", "jats", "docbook", "tei", "fb2", "xml", "eml"}
    | {"text", "csv", "markdown", "captions", "records", "source", "mbox", "msg", "mhtml", "notebook", "rtf"}
    | {"latex", "rst", "asciidoc", "org"}
)
"""Readers whose sources are counted; the others read pictures, patents, and files that a program has converted."""

_STYLED = ("html", "epub")
_PROSE = ("latex", "rst", "asciidoc", "org", "markdown")


def account_of(path: Path, draft: Draft, options: Any, hidden: Sequence[str] = ()) -> Account | None:
    """Return the account of a file; None if sources of its format are not counted, or this one cannot be.

    Args:
        path: the file.
        draft: the draft that its reader made.
        options: the ``ReadOptions`` with which it was read.
        hidden: the texts that its reader left out because no person sees them.
    """
    reader = draft.reader.split("/")[0]
    if reader not in COUNTED or (reader == "epub" and path.suffix.lower() == ".opf"):
        return None
    if options.charset is None and (guessed := draft.made_by.get("charset")):
        options = replace(options, charset=guessed)  # the reader has weighed all letters for it
    try:
        account = settle(_pieces(path, reader, options, unseen=False), draft, hidden)
        if reader == "pdf" and account.unaccounted and (pages := _hidden_pages(draft)):
            texts = [piece.text for page in pages for piece in pdf_pieces(path, options.password, (page, page))]
            return settle(_pieces(path, reader, options, unseen=False), draft, [*hidden, *texts])
        again = account.unaccounted and reader in _STYLED
        return settle(_pieces(path, reader, options, unseen=True), draft, hidden) if again else account
    except Exception:  # the reader has read it; a source that cannot be counted is no fault of the file
        return None


def _hidden_pages(draft: Draft) -> list[int]:
    """Return the pages of a PDF file with text that they do not show, as its reader lists them."""
    from ragraph.ingest.readers.pdf import UNSEEN  # sources of other formats need no reader of PDF

    listed = next((one for one in draft.warnings if one.startswith(UNSEEN)), "").rpartition(":")[2]
    return list(map(int, re.findall(r"\d+", listed)))


def _pieces(path: Path, reader: str, options: Any, *, unseen: bool) -> Iterable[Piece]:
    """Return the pieces of a file; without ``unseen``, text that the style of a page hides counts as any other."""
    if reader == "pdf":
        return pdf_pieces(path, options.password, options.pages)
    if reader in ("docx", "pptx", "xlsx", "odt", "ods", "odp"):
        return office_pieces(path, reader)
    if reader == "epub":
        return epub_pieces(path, unseen=unseen)
    if reader == "eml":
        return mail_pieces(path, options.attachments)
    if reader == "mbox":
        return mailbox_pieces(path, options.attachments)
    if reader == "msg":
        return outlook_pieces(path, options.attachments)
    if reader == "mhtml":
        return saved_page_pieces(path)
    if reader in ("jats", "docbook", "tei", "fb2", "xml"):
        return xml_pieces(path, reader, _dropped(reader, options.mapping))
    data = path.read_bytes()
    if reader == "rtf":
        return rtf_pieces(data)
    stated = _CHARSET.search(data[:4096]) if reader == "html" else None
    text = decode_bytes(data, options.charset, [stated[1].decode("ascii")] if stated else [])
    if reader in _PROSE:
        return prose_pieces(text, reader)
    if reader == "notebook":
        return notebook_pieces(text)
    if reader == "html":
        return html_pieces(text, unseen=unseen)
    if reader == "captions":
        return caption_pieces(text)
    if reader == "csv":
        return table_pieces(text)
    if reader == "records":
        return record_pieces(text, path.suffix.lower(), parse_mappings(options.mapping).records)
    return plain_pieces(text)


def _dropped(reader: str, mapping: str | None) -> frozenset[str]:
    """Return the elements that a user's mapping leaves out of files of a reader."""
    own = parse_mappings(mapping)
    return own.xml.dropped if own.xml is not None and reader in ("xml", own.extends) else frozenset()
