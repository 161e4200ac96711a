"""Readers: one module per family of formats; each turns a file into a Draft.

``reader_for(path)`` chooses the reader, first by the content of the file, then by its name. Only the standard library
is loaded until a reader reads.
"""

from __future__ import annotations

import codecs
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast, get_args

from ragraph.base.arguments import check_fields
from ragraph.base.defaults import Attachments
from ragraph.errors import ArgumentError, UnsupportedFormatError
from ragraph.ingest.readers.detect import format_of
from ragraph.ingest.readers.unread import why_unread
from ragraph.pdf import Layout

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

__all__ = [
    "FORMATS",
    "Format",
    "Layout",
    "ReadOptions",
    "Reader",
    "format_of",
    "image_suffixes",
    "is_older",
    "reader_for",
    "supported_suffixes",
]


@dataclass(frozen=True)
class ReadOptions:
    """Options for a reader; plain values, because they are sent to the reader's process as JSON.

    Attributes:
        password: opens an encrypted file; None = no password.
        layout: how the structure of a PDF is found. "rules"; "model": docling's model beneath the rules if its weights
            are on this machine, else the model of the extra ``layout``, which votes beside them; "auto": docling's if
            its weights are there, else the rules.
        ocr: recognise the text of images and of PDF pages that are images, if the extra ``ocr`` is installed.
        ocr_model: file of another model that recognises lines, for letters that the packaged one does not know: a
            PaddleOCR model as ONNX that contains its letters; None = the packaged one.
        pages: first and last page to read, from 1, inclusive; None = all. Only for formats with pages.
        charset: character set of text formats, by a name that Python knows; a byte order mark overrules it. None =
            stated by the file, or found by the reader. A set that was named for a document holds for it until another
            is named; "auto" is None again.
        table_rows: a table with more rows becomes several TABLE nodes of this many rows each.
        hidden: store what Office files hide from people too. Sheets, slides and paragraphs that are hidden as a whole
            are marked ``"layer": "invisible"``. Otherwise it is left out, with a warning that counts its letters.
        strict: maximum share of the letters of the source that may be unaccounted, 0 to 1; a file with more fails.
            None = no limit.
        attachments: what becomes of attachments of mails and PDF files, and of forwarded messages. "documents": each is
            a document of its own, which a run finds beside the file; "sections": those of mails are read as sections;
            "none": they are named alone.
        mapping: text of a mapping file: which fields of records and elements of XML are title, text, data or left out.
            None = by their usual names.
        pictures: folder for the pictures of figures, named by their hash; None = none are stored.
    """

    password: str | None = None
    layout: str = "auto"
    ocr: bool = True
    ocr_model: str | None = None
    pages: tuple[int, int] | None = None
    charset: str | None = None
    table_rows: int = 200
    hidden: bool = False
    strict: float | None = None
    attachments: str = "documents"
    mapping: str | None = None
    pictures: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.layout not in get_args(Layout):
            raise ArgumentError(f"layout must be one of {', '.join(get_args(Layout))}, not {self.layout!r}")
        if self.pages is not None and not _is_range(self.pages):
            raise ArgumentError(f"pages must be the first and the last page, from 1, not {self.pages!r}")
        if self.table_rows < 1:
            raise ArgumentError(f"table_rows must be at least 1, not {self.table_rows}")
        if self.strict is not None and not 0 <= self.strict <= 1:
            raise ArgumentError(f"strict must be a share from 0 to 1, not {self.strict!r}")
        if self.mapping is not None:
            importlib.import_module("ragraph.ingest.readers.mappings").parse_mappings(self.mapping)
        if self.attachments not in get_args(Attachments):
            known = ", ".join(get_args(Attachments))
            raise ArgumentError(f"attachments must be one of {known}, not {self.attachments!r}")
        if self.charset not in (None, AUTO) and not _is_charset(str(self.charset)):
            raise ArgumentError(f"charset must name a character set, like utf-8 or windows-1252, not {self.charset!r}")


AUTO = "auto"
"""Value of ``ReadOptions.charset`` that forgets the set named for a document."""

_NO_TEXT = ("unicode_escape", "raw_unicode_escape", "unicodeescape", "rawunicodeescape", "punycode", "idna", "charmap")
"""Codecs of Python that give text, but are notations and no character sets."""


def _is_range(pages: object) -> bool:
    match pages:
        case (int(first), int(last)):
            return 1 <= first <= last
    return False


def _is_charset(name: str) -> bool:
    """Return True if Python decodes text by this name; it knows others, such as ``base64``, that are no text."""
    try:
        b"a".decode(name)
        known = codecs.lookup(name).name.replace("-", "_")
    except UnicodeDecodeError:
        return True
    except (LookupError, ValueError):
        return False
    return known not in _NO_TEXT


class Reader(Protocol):
    """Turns a file of its format into a draft.

    ``name`` and ``version`` make up ``Draft.reader``. The version is raised whenever the same file would give another
    draft, so that known documents are read again.
    """

    name: str
    version: int

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the file; the same file always gives the same draft.

        Raises:
            ragraph.errors.IngestError: the file cannot be read; one line has the reason and what to do.
        """


@dataclass(frozen=True)
class Format:
    """A readable format: its name for people, the module and class of its reader, its usual file name endings."""

    label: str
    module: str
    reader: str
    suffixes: tuple[str, ...]


FORMATS: dict[str, Format] = {
    "pdf": Format("PDF", "pdf.reader", "PdfReader", (".pdf",)),
    "docx": Format("Word (DOCX)", "office.docx", "DocxReader", (".docx", ".docm", ".dotx", ".dotm")),
    "pptx": Format("PowerPoint (PPTX)", "office.pptx", "PptxReader", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx")),
    "xlsx": Format("Excel (XLSX)", "office.sheets", "XlsxReader", (".xlsx", ".xlsm")),
    "doc": Format("Word 97 to 2003 (DOC)", "office.legacy", "DocReader", (".doc", ".dot")),
    "ppt": Format("PowerPoint 97 to 2003 (PPT)", "office.legacy", "PptReader", (".ppt", ".pps")),
    "xls": Format("Excel 97 to 2003 (XLS)", "office.legacy", "XlsReader", (".xls",)),
    "odt": Format("OpenDocument text (ODT)", "office.opendocument", "OdtReader", (".odt", ".ott")),
    "ods": Format("OpenDocument sheet (ODS)", "office.opendocument", "OdsReader", (".ods", ".ots")),
    "odp": Format("OpenDocument slides (ODP)", "office.opendocument", "OdpReader", (".odp", ".otp")),
    "epub": Format("EPUB", "epub.reader", "EpubReader", (".epub", ".opf")),
    "html": Format("HTML", "html.reader", "HtmlReader", (".html", ".htm", ".xhtml")),
    "jats": Format("JATS XML", "jats.reader", "JatsReader", (".xml", ".nxml")),
    "uspto": Format("USPTO patent", "docling.reader", "UsptoReader", (".xml", ".txt")),
    "markdown": Format(
        "Markdown", "text.markdown", "MarkdownReader", (".md", ".markdown", ".mdown", ".mkd", ".qmd", ".rmd")
    ),
    "asciidoc": Format("AsciiDoc", "text.asciidoc", "AsciiDocReader", (".adoc", ".asciidoc", ".asc")),
    "rst": Format("reStructuredText", "text.restructured", "RestructuredReader", (".rst", ".rest")),
    "notebook": Format("notebook (Jupyter)", "text.notebook", "NotebookReader", (".ipynb",)),
    "latex": Format("LaTeX", "text.latex", "LatexReader", (".tex", ".latex")),
    "csv": Format("CSV", "office.sheets", "CsvReader", (".csv", ".tsv")),
    "text": Format("plain text", "text.plain", "TextReader", (".txt", ".text", ".log")),
    "eml": Format("mail (EML)", "mail.reader", "EmlReader", (".eml",)),
    "mbox": Format("mailbox (mbox)", "mail.others", "MboxReader", (".mbox",)),
    "msg": Format("mail (MSG)", "mail.others", "MsgReader", (".msg",)),
    "mhtml": Format("saved web page (MHTML)", "mail.others", "MhtmlReader", (".mht", ".mhtml")),
    "image": Format(
        "scanned page (PNG, JPEG, TIFF)", "image.reader", "ImageReader", (".png", ".jpg", ".jpeg", ".tif", ".tiff")
    ),
    "rtf": Format("rich text (RTF)", "text.rtf", "RtfReader", (".rtf",)),
    "docbook": Format("DocBook", "xml.reader", "DocBookReader", (".dbk", ".docbook")),
    "tei": Format("TEI", "xml.reader", "TeiReader", (".tei",)),
    "fb2": Format("FictionBook (FB2)", "xml.reader", "FictionBookReader", (".fb2",)),
    "xml": Format("other XML", "xml.reader", "PlainXmlReader", ()),
    "captions": Format("subtitles (WebVTT, SRT)", "text.captions", "CaptionReader", (".vtt", ".srt")),
    "org": Format("Org", "text.org", "OrgReader", (".org",)),
    "records": Format("records (JSON, JSONL, YAML)", "text.records", "RecordsReader", ()),
    "source": Format("source code", "text.source", "SourceReader", ()),
    "docling": Format("DoclingDocument JSON", "docling.reader", "DoclingJsonReader", (".json",)),
}
"""Every readable format, by the name that ``format_of`` returns."""


def is_older(reader: str) -> bool:
    """Return True if ``name/version`` is of a reader that has another version now, so that its files are read again."""
    name, _, version = reader.partition("/")
    if name not in FORMATS or not version.isdecimal():
        return False
    entry = FORMATS[name]
    module = importlib.import_module(f"ragraph.ingest.readers.{entry.module}")
    return bool(int(version) != getattr(module, entry.reader).version)


def supported_suffixes() -> frozenset[str]:
    """Return the file name endings of all formats, lower case with dot; for finding files in a folder."""
    return frozenset(suffix for known in FORMATS.values() for suffix in known.suffixes)


def image_suffixes() -> frozenset[str]:
    """Return the file name endings of images, which may be pages or mere decoration."""
    return frozenset(FORMATS["image"].suffixes)


def reader_for(path: Path, media_type: str | None = None) -> Reader:
    """Return a reader for the file, chosen by its content first, then by media type and name.

    Args:
        path: the file; its first bytes (of an archive, its list of members) are examined.
        media_type: type that the sender stated, for example "text/markdown; charset=utf-8".

    Raises:
        UnsupportedFormatError: no reader knows the format; the message lists the known ones.
        EmptyFileError: the file has no bytes.
        EncryptedFileError: an Office or OpenDocument file that needs a password.
        DamagedFileError: an archive that cannot be opened.
    """
    name = format_of(path, media_type)
    if name not in FORMATS:
        if (told := why_unread(path)) is not None:
            vague = name in ("", "it is binary", "this kind of compound file is not known")
            raise UnsupportedFormatError(f"the file cannot be read: {f'{told[0]}, {told[1]}' if vague else name}")
        known = ", ".join(entry.label for entry in FORMATS.values())
        reason = name or "its format is not known"
        raise UnsupportedFormatError(f"the file cannot be read: {reason}. Formats that can: {known}.")
    entry = FORMATS[name]
    module = importlib.import_module(f"ragraph.ingest.readers.{entry.module}")
    return cast("Reader", getattr(module, entry.reader)())
