"""Text and headings that a file itself states, read without any of our readers, per format."""

from __future__ import annotations

import re
import zipfile
from html import unescape as html_entities
from pathlib import Path

import docx
import pptx
import pypdfium2
from lxml import etree, html
from markdown_it import MarkdownIt

from bench.text_loss import html_text, jats_text

Headings = list[tuple[int, str]]
"""Level from 1 and text, in the order of the file."""

_XHTML = "{http://www.w3.org/1999/xhtml}"


def source_text(path: Path) -> str:
    """Return the visible text of a file.

    Raises:
        ValueError: there is no independent way to the text of this format.
    """
    match path.suffix.lower():
        case ".nxml":
            return jats_text(path)
        case ".xml":
            return _xml_text(path)
        case ".html":
            return html_text(path.read_bytes())
        case ".epub":
            return "\n".join(html_text(data) for data in _epub_pages(path))
        case ".opf":
            return "\n".join(html_text(page.read_bytes()) for page in _spine(path))
        case ".docx":
            return _docx_text(path)
        case ".pptx":
            return _pptx_text(path)
        case ".md":
            page = MarkdownIt("commonmark").enable("table").render(_without_front_matter(path.read_text("utf-8")))
            return html_text(page.encode())
        case ".txt":
            text = path.read_text(encoding="utf-8", errors="replace")
            if not text.startswith("PATN"):
                return text
            # a patent in fields of four letters: the part after the office's own data
            return re.sub(r"^[A-Z0-9]{3,4}(?=\s)", "", text[text.index("\nABST") :], flags=re.MULTILINE)
        case ".pdf":
            with pypdfium2.PdfDocument(path) as document:
                return "\n".join(page.get_textpage().get_text_range() for page in document)
        case suffix:
            raise ValueError(f"no independent text of {suffix}")


def source_headings(path: Path) -> Headings | None:
    """Return the headings that a file states; None for formats that state none."""
    match path.suffix.lower():
        case ".nxml":
            return _jats_headings(path)
        case ".html":
            return _html_headings(html.document_fromstring(path.read_bytes()))
        case ".opf":
            return _contents(path)
        case ".docx":
            return _docx_headings(path)
        case ".md":
            page = MarkdownIt("commonmark").render(_without_front_matter(path.read_text("utf-8")))
            return _html_headings(html.document_fromstring(page or "<p></p>"))
        case ".pdf":
            with pypdfium2.PdfDocument(path) as document:
                return [(item.level + 1, item.get_title()) for item in document.get_toc()] or None
        case _:
            return None


_PATENT_TEXT = {"invention-title", "abstract", "description", "claims"}
_PATENT_TEXT |= {"title-of-invention", "subdoc-abstract", "subdoc-description", "subdoc-claims"}
_PATENT_TEXT |= {"B540", "SDOAB", "SDODE", "SDOCL"}


def _xml_text(path: Path) -> str:
    """Return the text of JATS by its measure; of a patent title, abstract, description and claims only."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, load_dtd=False)
    root = etree.fromstring(path.read_bytes(), parser)
    if root is None or etree.QName(root).localname == "article":
        return jats_text(path)
    return " ".join(_patent_text(part) for part in root.iter() if part.tag in _PATENT_TEXT)


_PATENT_INLINE = {
    "b",
    "i",
    "u",
    "o",
    "sub",
    "sup",
    "sub2",
    "sup2",
    "figref",
    "claim-ref",
    "highlight",
    "bold",
    "italic",
}
_PATENT_INLINE |= {"subscript", "superscript", "SB", "SP", "HIL", "ITALIC"}
_PATENT_INLINE |= {"BOLD", "PDAT", "STEXT", "smallcaps", "cross-reference"}


def _patent_text(part: etree._Element) -> str:
    """Return the words of an element: chemical formulas whole, entities of the old formats as characters."""
    words: list[str] = []
    for event, element in etree.iterwalk(part, events=("start", "end", "comment", "pi")):
        entity = element.text if element.tag is etree.Entity else None
        space = "" if entity or element.tag in _PATENT_INLINE else " "
        words.append(space + str((element.text if event == "start" else element.tail) or ""))
    return html_entities("".join(words))


def _epub_pages(path: Path) -> list[bytes]:
    with zipfile.ZipFile(path) as archive:
        container = etree.fromstring(archive.read("META-INF/container.xml"))
        rootfile = container.find(".//{*}rootfile")
        assert rootfile is not None
        name = _stated(rootfile.get("full-path"))
        folder = name.rpartition("/")[0]
        wanted = _spine_names(etree.fromstring(archive.read(name)))
        return [archive.read(f"{folder}/{href}" if folder else href) for href in wanted]


def _spine(package: Path) -> list[Path]:
    return [package.parent / name for name in _spine_names(etree.parse(str(package)).getroot())]


def _spine_names(package: etree._Element) -> list[str]:
    hrefs = {item.get("id"): item.get("href") for item in package.iter("{*}item")}
    return [_stated(hrefs[item.get("idref")]) for item in package.iter("{*}itemref")]


def _stated(value: str | None) -> str:
    assert value is not None
    return value


def _without_front_matter(text: str) -> str:
    return re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)


def _contents(package: Path) -> Headings:
    """Read the headings of a book from its table of contents, whose lists are nested like its parts."""
    root = etree.parse(str(package)).getroot()
    href = next(item.get("href") for item in root.iter("{*}item") if "nav" in (item.get("properties") or "").split())
    nav = _stated(href)
    contents = next(
        element
        for element in etree.parse(str(package.parent / nav)).getroot().iter(f"{_XHTML}nav")
        if element.get("{http://www.idpf.org/2007/ops}type") == "toc"
    )
    return [
        (sum(above.tag == f"{_XHTML}ol" for above in link.iterancestors()), _text(link))
        for link in contents.iter(f"{_XHTML}a")
    ]


def _html_headings(root: etree._Element) -> Headings:
    found: Headings = []
    for element in root.iter():
        name = etree.QName(element).localname if isinstance(element.tag, str) else ""
        if re.fullmatch(r"h[1-6]", name) and (text := _text(element)):
            found.append((int(name[1]), text))
    return found


def _jats_headings(path: Path) -> Headings:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    found: Headings = []
    for title in etree.fromstring(path.read_bytes().lstrip(), parser).iter("{*}title"):
        parent = title.getparent()
        if parent is None or etree.QName(parent).localname not in ("sec", "app", "ack", "ref-list", "abstract"):
            continue
        level = sum(etree.QName(above).localname in ("sec", "app") for above in title.iterancestors())
        if text := _text(title):
            found.append((max(level, 1), text))
    return found


def _docx_text(path: Path) -> str:
    """Return body text with tables and text boxes in the order of the XML, then footnotes and endnotes."""
    word = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    parts = []
    with zipfile.ZipFile(path) as archive:
        for name in ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml"):
            if name not in archive.namelist():
                continue
            root = etree.fromstring(archive.read(name))
            for fallback in list(root.iter("{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")):
                above = fallback.getparent()
                assert above is not None
                above.remove(fallback)  # the same text again, for old programs
            for element in root.iter(f"{word}p", f"{word}t"):  # boxes have paragraphs within paragraphs: each text once
                parts.append("\n" if element.tag == f"{word}p" else element.text or "")
    return "".join(parts)


def _docx_headings(path: Path) -> Headings | None:
    try:
        document = docx.Document(str(path))
    except KeyError:  # strict Open XML, which this library cannot open
        return None
    found: Headings = []
    for paragraph in document.paragraphs:
        match = re.fullmatch(r"Heading (\d)", paragraph.style.name if paragraph.style else "")
        if match and paragraph.text.strip():
            found.append((int(match[1]), paragraph.text))
    return found


def _pptx_text(path: Path) -> str:
    parts = []
    for slide in pptx.Presentation(str(path)).slides:
        for element in slide.element.iter("{*}t"):
            parts.append(element.text or "")
    return "\n".join(parts)


def _text(element: etree._Element) -> str:
    return " ".join("".join(str(part) for part in element.itertext()).split())
