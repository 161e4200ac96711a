"""Readers that parse with docling: USPTO patents and DoclingDocument JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.errors import DamagedFileError
from ragraph.ingest.draft import Draft, DraftMetadata
from ragraph.ingest.readers.docling.document import draft_of
from ragraph.ingest.readers.docling.run import not_empty, run_docling
from ragraph.ingest.readers.office.package import iso_date
from ragraph.ingest.readers.text.patent import patent_nodes

if TYPE_CHECKING:
    from pathlib import Path

    from docling_core.types.doc import DoclingDocument
    from lxml import etree

    from ragraph.ingest.readers import ReadOptions


class _DoclingReader:
    """Parses with docling and converts; base of the readers of this module."""

    name = ""
    version = 3

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the file; raises the errors of ``Reader.read``."""
        document = run_docling(path, self.name)
        return not_empty(draft_of(document, f"{self.name}/{self.version}", table_rows=options.table_rows))


class DoclingJsonReader(_DoclingReader):
    """A DoclingDocument, as docling and others save it; read completely."""

    name = "docling"


class UsptoReader(_DoclingReader):
    """US patents and applications: XML of all years and the text format before 2002."""

    name = "uspto"

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the patent; raises the errors of ``Reader.read``."""
        content = path.read_bytes()
        if (table := _lone_table(content)) is not None:
            return not_empty(draft_of(table, f"{self.name}/{self.version}", table_rows=options.table_rows))
        if not content.lstrip().startswith(b"<"):
            stated = _from_text(content)
            nodes = patent_nodes(content.decode("utf-8", "replace"), stated.title)
            return not_empty(Draft(reader=f"{self.name}/{self.version}", metadata=stated, nodes=nodes))
        draft = super().read(path, options)
        stated = _from_xml(content)
        title = draft.metadata.title or stated.title
        return draft.model_copy(update={"metadata": stated.model_copy(update={"title": title})})


def _lone_table(content: bytes) -> DoclingDocument | None:
    """Return the document of a table alone, or None for a complete patent.

    Raises:
        DamagedFileError: it begins like a table but is not valid.
    """
    if re.match(rb"\s*(<\?xml[^>]*>)?\s*(<!--.*?-->\s*)*<table\b", content, re.DOTALL) is None:
        return None
    from docling.backend.xml.uspto_backend import XmlTable
    from docling_core.types.doc import DoclingDocument

    try:
        data = XmlTable(content.decode("utf-8", "replace")).parse()
    except Exception as error:  # the parser has no error class of its own
        raise DamagedFileError(f"the table cannot be read ({type(error).__name__}); check the file") from error
    document = DoclingDocument(name="table")
    if data is not None:
        document.add_table(data=data)
    return document


def _from_xml(content: bytes) -> DraftMetadata:
    """Return inventors, date and number, by their names in the three generations of the XML."""
    from lxml import etree

    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
    root = etree.fromstring(content, parser)
    if root is None:
        return DraftMetadata()
    people = [person for tag in ("inventor", "applicant", "B721") for person in root.iter(tag)]
    names = [_name(person) for person in people]
    number = _first(root, "publication-reference//doc-number", "document-id//doc-number", "B110//PDAT")
    return DraftMetadata(
        title=_first(root, "invention-title", "title-of-invention", "B540//PDAT"),
        authors=list(dict.fromkeys(name for name in names if name)),
        publication_date=iso_date(_day(_first(root, "publication-reference//date", "document-date", "B140//PDAT"))),
        language="en",
        extra={"number": number} if number else {},
    )


def _from_text(content: bytes) -> DraftMetadata:
    """Return title, inventors and date of the format with four-letter fields."""
    text = content[:65536].decode("utf-8", "replace")
    field = re.compile(r"^(TTL|ISD|WKU) +(.*(?:\n {5}.*)*)", re.MULTILINE)
    found = {name: " ".join(value.split()) for name, value in reversed(field.findall(text))}
    inventors = re.findall(r"^INVT\s*\nNAM +(.*)$", text, re.MULTILINE)
    return DraftMetadata(
        title=found.get("TTL"),
        authors=[" ".join(reversed([part.strip() for part in name.split(";", 1)])) for name in inventors],
        publication_date=iso_date(_day(found.get("ISD"))),
        language="en",
        extra={"number": found["WKU"]} if "WKU" in found else {},
    )


def _first(root: etree._Element, *paths: str) -> str | None:
    for path in paths:
        for element in root.iterfind(f".//{path}"):
            text = " ".join(str(part) for part in element.itertext()).split()
            if text:
                return " ".join(text)
    return None


def _name(person: etree._Element) -> str:
    given = _first(person, "first-name", "given-name", "FNM")
    family = _first(person, "last-name", "family-name", "SNM")
    return " ".join(part for part in (given, family) if part)


def _day(digits: str | None) -> str | None:
    """Return YYYYMMDD as an ISO date."""
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}" if digits and re.fullmatch(r"\d{8}", digits) else None
