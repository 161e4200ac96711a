"""Detect the format of a file by its first bytes, its members or its root element, and by its name last."""

from __future__ import annotations

import mmap
import re
import zipfile
from pathlib import Path, PurePosixPath

from ragraph.errors import DamagedFileError, EmptyFileError, EncryptedFileError
from ragraph.ingest.readers.languages import LANGUAGES

_HEAD = 64 * 1024

IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*")
"""First bytes of PNG, JPEG and TIFF."""

_OTHER_IMAGES = (b"GIF87a", b"GIF89a", b"BM", b"\x00\x00\x00\x0cjP", b"II+\x00", b"MM\x00+")

_OLDEST_SHEETS = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00")
"""First record of workbooks of Excel 2, 3 and 4, which are no compound files."""

_HEADER = re.compile(rb"(?:From |[!-9;-~]+:)")
"""Beginning of a mail message: a header, or the line that mailboxes put before it."""

_MAIL_SUFFIXES = frozenset({".eml", ".mbox", ".mbx", ".mht", ".mhtml"})

_SAVED_PAGE = re.compile(rb"^Content-Type:\s*multipart/related;[^\n]*(?:\n[ \t][^\n]*)*text/html", re.MULTILINE | re.I)
_MAILBOX = re.compile(rb"From [^\n]{3,200}\d\d:\d\d[^\n]{0,40}\n[!-9;-~]+:")
"""Beginning of a mailbox: the line between messages, with sender and time, and a header."""

_OPEN_DOCUMENT = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}

_BY_SUFFIX = {
    ".md": "markdown", ".markdown": "markdown", ".mdown": "markdown", ".mkd": "markdown", ".qmd": "markdown",
    ".rmd": "markdown", ".adoc": "asciidoc", ".asciidoc": "asciidoc", ".asc": "asciidoc", ".tex": "latex",
    ".latex": "latex", ".csv": "csv", ".tsv": "csv", ".txt": "text", ".text": "text", "": "text",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".rst": "rst", ".rest": "rst", ".ipynb": "notebook",
    ".log": "text", ".vtt": "captions", ".srt": "captions", ".org": "org", ".json": "records", ".jsonl": "records",
    ".ndjson": "records", ".geojson": "records", ".jsonld": "records", ".yaml": "records", ".yml": "records",
    **dict.fromkeys(LANGUAGES, "source"),
}  # fmt: skip

_BY_MEDIA_TYPE = {
    "text/markdown": "markdown", "text/x-markdown": "markdown", "text/asciidoc": "asciidoc", "text/csv": "csv",
    "text/tab-separated-values": "csv", "text/x-tex": "latex", "application/x-tex": "latex",
    "application/x-latex": "latex", "text/html": "html", "application/xhtml+xml": "html", "text/plain": "text",
    "message/rfc822": "eml", "text/x-rst": "rst", "text/prs.fallenstein.rst": "rst",
    "application/x-ipynb+json": "notebook", "text/vtt": "captions", "application/x-subrip": "captions",
    "text/org": "org", "application/json": "records", "application/x-ndjson": "records", "application/jsonl": "records",
    "application/yaml": "records",
}  # fmt: skip

_USPTO_ROOTS = frozenset(
    {"us-patent-application", "us-patent-grant", "patent-application-publication", "PATDOC", "PATENT"}
)

_DOCBOOK_ROOTS = frozenset({"book", "chapter", "refentry", "appendix", "preface", "sect1"})
"""Roots of DocBook without a namespace or DOCTYPE; an article is JATS then."""

_ROOT = re.compile(
    rb"(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?P<doctype>[^\[>]*)(?:\[.*?\]\s*)?>|\s)*<(?P<root>[A-Za-z_][\w.:-]*)(?P<rest>[^>]*)",
    re.DOTALL | re.IGNORECASE,
)

_LATEX = re.compile(rb"^\s*\\documentclass\b|^\s*\\begin\{document\}", re.MULTILINE)


def format_of(path: Path, media_type: str | None = None) -> str:
    """Return the name of the file's format as in ``FORMATS``, or a few words on why it has none.

    Raises:
        EmptyFileError, EncryptedFileError, DamagedFileError: see ``reader_for``.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip(b"\x00\t\r\n\x0c "):
        if path.stat().st_size <= _HEAD:
            raise EmptyFileError("the file is empty: nothing to ingest.")
        return ""
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return _archive(path)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _compound_file(path)
    if head.startswith(_OLDEST_SHEETS):
        return "xls"
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if head.startswith(IMAGES):
        return "image"
    if head.startswith(_OTHER_IMAGES) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return "this kind of image is not read, make a PNG, JPEG or TIFF of it first"
    if head.startswith((b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ")) or head[257:262] == b"ustar":
        return "it is an archive, unpack it first"
    return _text(path, head, media_type)


def _archive(path: Path) -> str:
    """Return the format of a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            names = {member.filename for member in members}
            if any(member.flag_bits & 0x1 for member in members):
                raise EncryptedFileError("the file is a locked archive: save it without a password.")
            kind = archive.open("mimetype").read(200).decode("ascii", "replace").strip() if "mimetype" in names else ""
            manifest = (
                archive.open("META-INF/manifest.xml").read(1 << 20)
                if kind.startswith("application/vnd.oasis") and "META-INF/manifest.xml" in names
                else b""
            )
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise DamagedFileError(
            f"the file is damaged: its archive cannot be opened ({error}). Get a complete copy."
        ) from error
    if kind == "application/epub+zip" or "META-INF/container.xml" in names:
        return "epub"
    if kind.startswith("application/vnd.oasis.opendocument."):
        if b"encryption-data" in manifest:
            raise EncryptedFileError("the file needs a password: save it without one and ingest that.")
        return _OPEN_DOCUMENT.get(kind.rsplit(".", 1)[1].split("-")[0], "this kind of OpenDocument file has no text")
    folders = {PurePosixPath(name.replace("\\", "/")).parts[0].lower() for name in names if name.strip("/\\")}
    for folder, name in (("word", "docx"), ("ppt", "pptx"), ("xl", "xlsx")):
        if folder in folders:
            return name
    return "it is an archive, unpack it first"


def _compound_file(path: Path) -> str:
    """Return the format of an old binary Office file, or refuse an encrypted new one, by the names of its streams."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:

        def holds(stream: str) -> bool:
            return content.find(stream.encode("utf-16-le")) >= 0

        if holds("EncryptedPackage"):
            raise EncryptedFileError("the file needs a password: save it without one in Office and ingest that.")
        if holds("__substg1.0_"):
            return "msg"
        for stream, name in (
            ("WordDocument", "doc"),
            ("PowerPoint Document", "ppt"),
            ("Workbook", "xls"),
            ("Book", "xls"),
        ):
            if holds(stream):
                return name
    return "this kind of compound file is not known"


def _text(path: Path, head: bytes, media_type: str | None) -> str:
    """Return the format of text: by root element, by words that only one format has, then by name."""
    suffix = path.suffix.lower()
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "ignore").encode()
    elif b"\x00" in head[:8192] and suffix not in _BY_SUFFIX and suffix not in _MAIL_SUFFIXES:
        return "it is binary"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    named = _BY_SUFFIX.get(suffix) if suffix else None
    stated = _BY_MEDIA_TYPE.get((media_type or "").split(";")[0].strip().lower())
    if start.startswith(b"<"):
        found = _markup(start, suffix)
        if found:
            return found
        if suffix in {".xml", ".nxml", ".fb2"} or start.startswith(b"<?xml"):
            return "xml"
    found = _by_first_words(start, head) or _message(start, head, suffix, named, stated)
    return found or _by_name(start, head, suffix, stated if stated and stated != "text" else named or stated)


def _by_first_words(start: bytes, head: bytes) -> str:
    """Return the format of text that begins as files of only one format do; empty if it does not."""
    if start.startswith(b"{") and re.search(rb'"schema_name"\s*:\s*"DoclingDocument"', head):
        return "docling"
    if start.startswith((b"PATN\n", b"PATN\r\n", b"PATN ")) or (start.startswith(b"HHHHHT") and b"\nPATN" in head):
        return "uspto"
    return "captions" if start.startswith(b"WEBVTT") else ""


def _message(start: bytes, head: bytes, suffix: str, named: str | None, stated: str | None) -> str:
    """Return the format of text with headers: a mail, a mailbox or a saved page; empty if it is none of them."""
    if suffix in {".mht", ".mhtml"} or (_SAVED_PAGE.search(head[:4096]) and named is None):
        return "mhtml" if _HEADER.match(start) else "it does not begin as a saved page does, with headers"
    if suffix in {".mbox", ".mbx"} or (_MAILBOX.match(start) and suffix != ".eml" and named is None):
        return "mbox"
    if suffix == ".eml" or (stated == "eml" and not named):
        return "eml" if _HEADER.match(start) else "it does not begin as a mail message does, with headers"
    return ""


def _by_name(start: bytes, head: bytes, suffix: str, named: str | None) -> str:
    """Return the format that the name of a file or its media type states, unless the text shows that it is another."""
    if named == "notebook" and not start.startswith(b"{"):
        return "it does not begin as a notebook does, with JSON"
    named = named or _BY_SUFFIX.get(suffix)
    is_text = b"\x00" not in head[:8192]
    if is_text and suffix in {".xls", ".xlsx"} and re.search(rb"[\t;,]", start[:4096]):
        return "csv"  # programs that export tables name them so
    if is_text and suffix in {".doc", ".docx"}:
        return "text"
    if named in {"text", "latex", None} and _LATEX.search(head):
        return "latex"
    if named == "source" and suffix == ".r" and start.startswith(b"---"):
        return "markdown"
    return named or ""


def _markup(start: bytes, suffix: str) -> str | None:
    """Return the format of text that begins with a tag, by its root element and DOCTYPE; None = not known."""
    match = _ROOT.match(start)
    if match is None:
        return "html" if start[:200].lower().startswith((b"<!doctype html", b"<html")) else None
    root = match["root"].decode("ascii", "replace")
    local = root.rsplit(":", 1)[-1]
    doctype = (match["doctype"] or b"").lower()
    if local.lower() == "html" or doctype.split()[:1] == [b"html"]:
        return "html"
    if local in _USPTO_ROOTS or (local == "table" and b"<tgroup" in start[:8192]):  # a table from a patent
        return "uspto"
    if local in {"article", "pmc-articleset"} and b"docbook" not in doctype + match["rest"].lower():
        return "jats" if suffix not in {".html", ".htm", ".md"} else None
    if local in {"TEI", "teiCorpus", "TEI.2"}:
        return "tei"
    if local == "FictionBook":
        return "fb2"
    if b"docbook" in doctype + match["rest"].lower() or (
        local in _DOCBOOK_ROOTS and suffix in {".xml", ".dbk", ".docbook"}
    ):
        return "docbook"
    if local == "package" and b"idpf.org" in match["rest"]:
        return "epub"
    if suffix in {".html", ".htm", ".xhtml"}:
        return "html"
    return None
