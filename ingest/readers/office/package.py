"""Office files as packages: read parts of the archive, write it again with replaced parts, read core properties."""

from __future__ import annotations

import posixpath
import re
import zipfile
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lxml import etree

from ragraph.errors import DamagedFileError
from ragraph.ingest.draft import DraftMetadata

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_JUNK_AUTHORS = ("openpyxl", "python-docx", "python-pptx", "Unknown", "Un-named")
_JUNK_TITLES = ("powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint", "word document")


_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
"""Namespace of the strict dialect: its group and its name."""


_OTHER_KIND = re.compile(
    rb"application/vnd\.(?:ms-(?P<macros>word|powerpoint)\.\w+\.macroEnabled(?:Template)?"
    rb"|openxmlformats-officedocument\.(?P<kind>wordprocessing|presentation)ml\.(?:template|slideshow))\.main\+xml"
)
"""Type of a template, a slide show or a file with macros."""


def _plain_kind(found: re.Match[bytes]) -> bytes:
    """Return the type of a document or presentation instead."""
    is_text = found["macros"] == b"word" or found["kind"] == b"wordprocessing"
    kind = b"wordprocessingml.document" if is_text else b"presentationml.presentation"
    return b"application/vnd.openxmlformats-officedocument." + kind + b".main+xml"


def parse_xml(content: bytes) -> etree._Element:
    """Parse XML of an untrusted file: no entities, no network, no DTD, and no comments.

    Raises:
        lxml.etree.XMLSyntaxError: it is not well-formed.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(content, parser)


class Package:
    """The parts of an Office file.

    Raises:
        DamagedFileError: the archive or a part of it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as archive:
                self.names = set(archive.namelist())
                self._lower = {name.lower() for name in self.names}
        except (zipfile.BadZipFile, OSError) as error:
            raise DamagedFileError(f"the file is damaged: {error}. Get a complete copy.") from error

    def xml(self, name: str) -> etree._Element | None:
        """Return the root of a part, or None if there is no such part."""
        if name not in self.names:
            return None
        try:
            with zipfile.ZipFile(self.path) as archive:
                return parse_xml(archive.read(name))
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, etree.XMLSyntaxError) as error:
            words = " ".join(str(error).split())[:150]
            raise DamagedFileError(
                f"the file is damaged: its part {name} cannot be read ({words}). Get a complete copy."
            ) from error

    def transitional(self) -> bytes | None:
        """Return the file with the names of the older dialect, which libraries know; None if it is in that dialect.

        Office writes the strict dialect of OOXML if asked; only the addresses of its namespaces differ.
        """
        main = next((name for name in ("xl/workbook.xml", "ppt/presentation.xml") if name in self.names), None)
        if main is None or _STRICT.search(self.read(main)) is None:
            return None
        out = BytesIO()
        with zipfile.ZipFile(self.path) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
            for member in source.infolist():
                content = source.read(member)
                if member.filename.endswith((".xml", ".rels")):
                    content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", content)
                target.writestr(zipfile.ZipInfo(member.filename), content)
        return out.getvalue()

    def read(self, name: str) -> bytes:
        """Return the bytes of a part.

        Raises:
            DamagedFileError: it is missing or cannot be read.
        """
        try:
            with zipfile.ZipFile(self.path) as archive:
                return archive.read(name)
        except (KeyError, zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError) as error:
            raise DamagedFileError(f"the part {name} of the file is missing or cannot be read") from error

    def relationships(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the relationships of a part (of the package for ""): id to (last word of the type, target)."""
        folder, _, base = name.rpartition("/")
        root = self.xml(f"{folder}/_rels/{base}.rels".lstrip("/"))
        if root is None:
            return {}
        return {
            entry.get("Id", ""): (entry.get("Type", "").rsplit("/", 1)[-1], entry.get("Target", ""))
            for entry in root
            if isinstance(entry.tag, str)
        }

    def replaced(self, parts: Mapping[str, etree._Element]) -> bytes:
        """Return the file with these parts instead of its own, as a plain document without links to missing parts.

        Libraries refuse templates, slide shows and files with macros by their type, and those that lack a picture.
        """
        out = BytesIO()
        with zipfile.ZipFile(self.path) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
            for member in source.infolist():
                root = parts.get(member.filename)
                if member.is_dir():
                    continue
                content = (
                    source.read(member)
                    if root is None
                    else etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
                )
                if member.filename == "[Content_Types].xml":
                    content = _OTHER_KIND.sub(_plain_kind, content)
                elif member.filename.endswith(".rels"):
                    content = self._without_dangling(member.filename, content)
                target.writestr(zipfile.ZipInfo(member.filename), content)
        return out.getvalue()

    def _without_dangling(self, name: str, content: bytes) -> bytes:
        """Return a part of relationships without those that lead to parts which the file lacks."""
        folder = posixpath.dirname(posixpath.dirname(name))
        try:
            root = parse_xml(content)
        except etree.XMLSyntaxError:
            return content  # the library says what is wrong with it
        for entry in list(root):
            if entry.get("TargetMode") != "External" and self._is_missing(entry.get("Target", ""), folder):
                root.remove(entry)
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)

    def _is_missing(self, target: str, folder: str) -> bool:
        """Return True if a relationship of a part in a folder leads to a part that the file lacks."""
        to = target.partition("#")[0]
        place = to.lstrip("/") if to.startswith("/") else posixpath.normpath(posixpath.join(folder, to))
        return bool(to) and {place.lower(), unquote(place).lower()}.isdisjoint(self._lower)

    def lost_pictures(self) -> dict[str, etree._Element]:
        """Return the drawings of a workbook whose pictures the file lacks, without these pictures."""
        changed: dict[str, etree._Element] = {}
        for name in sorted(self.names):
            if not re.fullmatch(r"xl/drawings/[^/]+\.xml", name):
                continue
            lost = {key for key, (_, to) in self.relationships(name).items() if self._is_missing(to, "xl/drawings")}
            root = self.xml(name) if lost else None
            if root is None:
                continue
            for anchor in list(root):
                if any(value in lost for blip in anchor.iter("{*}blip") for value in blip.attrib.values()):
                    changed[name] = root
                    root.remove(anchor)
        return changed

    def metadata(self) -> DraftMetadata:
        """Return the metadata in the core properties of the file."""
        root = self.xml("docProps/core.xml")
        if root is None:
            return DraftMetadata()

        def text(tag: str) -> str | None:
            found = root.findtext(tag)
            return found.strip() or None if found else None

        title = text(f"{_DC}title")
        if title and (title.lower() in _JUNK_TITLES or title.lower().startswith("microsoft ")):
            title = None
        extra = {
            name: value
            for name, value in (
                ("subject", text(f"{_DC}subject")),
                ("keywords", text(f"{_CORE}keywords")),
                ("description", text(f"{_DC}description")),
                ("category", text(f"{_CORE}category")),
            )
            if value
        }
        creator = text(f"{_DC}creator") or ""
        return DraftMetadata(
            title=title,
            authors=[name.strip() for name in creator.split(";") if name.strip() and name.strip() not in _JUNK_AUTHORS],
            publication_date=iso_date(text(f"{_TERMS}created")),
            language=text(f"{_DC}language"),
            extra=extra,
        )


def iso_date(text: str | None) -> date | None:
    """Return the day of an ISO time stamp, or None if it is not valid."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None
