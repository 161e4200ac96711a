"""HTML pages, read with a lenient parser and our own walk, which keeps anchors, notes and spans."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from lxml import etree, html

from ragraph.errors import DamagedFileError, EmptyFileError, FileTooLargeError
from ragraph.ingest.common.charset import decode_bytes
from ragraph.ingest.draft import DraftMetadata, clean_text
from ragraph.ingest.readers.html.blocks import HtmlWalker
from ragraph.ingest.readers.html.links import Links
from ragraph.ingest.readers.html.page import Page
from ragraph.ingest.readers.html.prune import count_hidden, prune
from ragraph.ingest.readers.html.raised import raise_by_style
from ragraph.ingest.readers.html.unseen import remove_unseen
from ragraph.ingest.readers.markup.builder import DraftBuilder
from ragraph.ingest.readers.markup.inline import collapse, safe_link
from ragraph.ingest.readers.markup.xml import attribute, parse_xml, words

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_META_CHARSET = re.compile(
    rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)|^\s*<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE
)
_XHTML = b"http://www.w3.org/1999/xhtml"
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_NO_FRAMES = re.compile(r"</?noframes\b[^<>]*>", re.IGNORECASE)
"""Tags around what a page of frames says without them, which the parser would read as one text."""

_ENDS = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
"""Ends of the page. Browsers put what is behind them into the body; the parser would put it beside the page."""

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DATE_NAMES = (
    "article:published_time",
    "dc.date",
    "dcterms.date",
    "dcterms.created",
    "citation_publication_date",
    "date",
    "dc.date.issued",
)


class HtmlReader:
    """Reads a single HTML page.

    Links to notes and to bibliography entries become relations, other links within the page cross-references. Links to
    other pages stay as Markdown unless they could run code (``javascript:``, ``data:``). Nothing is fetched.
    """

    name = "html"
    version = 18

    def read(self, path: Path, options: ReadOptions | None) -> Draft:
        """Return the draft of a page.

        Raises:
            EmptyFileError: no bytes, or a page without any text.
            DamagedFileError: an HTML parser cannot make a page of it.
        """
        data = path.read_bytes()
        if not data.strip():
            raise EmptyFileError(f"{path.name} is empty; nothing to read")
        root = _parse(data, options.charset if options is not None else None, path.name)
        start = next(root.iter("{*}body"), root)
        remove_unseen(root)
        raise_by_style(root)
        prune(start)
        page = Page(root, start)
        links = Links([("", root)])
        builder = DraftBuilder(f"{self.name}/{self.version}")
        HtmlWalker(builder, links, "", page=page).walk(start)
        count_hidden(start)
        if not builder.nodes:
            raise EmptyFileError(f"{path.name} shows no text; nothing to read")
        for warning in parser_warnings(root):
            builder.warn(warning)
        title = next((node.text for node in builder.nodes if node.type == "TITLE"), None)
        return builder.build(_metadata(root, title))


def _parse(data: bytes, charset: str | None, name: str) -> etree._Element:
    """Parse XHTML as XML, so that ``<a id="x"/>`` is closed there; everything else with the lenient parser."""
    if _XHTML in data[:2000] and charset is None:
        try:
            return parse_xml(data, name)
        except (DamagedFileError, FileTooLargeError):
            pass  # not well formed after all
    return parse_html(decode(data, charset), name)


def decode(data: bytes, charset: str | None = None, stated: str | None = None) -> str:
    """Return the text of markup.

    Args:
        data: the markup.
        charset: its character set as the user names it; None finds it.
        stated: the character set of what carried the markup, such as a mail; it counts before the markup's own.

    Raises:
        DamagedFileError: the markup is not in ``charset``.
    """
    declared = _META_CHARSET.search(data[:4096])
    names = [stated, *(group.decode("ascii") for group in (declared.groups() if declared else ()) if group)]
    return decode_bytes(data, charset, [name for name in names if name])


def parse_html(text: str, name: str) -> etree._Element:
    """Return the root element of a page; the parser repairs what is not well formed.

    Raises:
        EmptyFileError: no element at all.
        DamagedFileError: nested so deep that the parser gives up.
    """
    text = _ENDS.sub("", _DECLARATION.sub("", str(clean_text(text)), count=1))
    text = _NO_FRAMES.sub("", text)
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = html.document_fromstring(text.encode("utf-8"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise EmptyFileError(f"{name} holds no HTML element; nothing to read") from None
    if any("depth" in (entry.message or "").lower() for entry in parser.error_log):
        raise DamagedFileError(f"{name} nests elements deeper than 2,000 levels; it is not a document")
    _part_terms(root)
    _put_into_rows(root)
    _take_out_of_tables(root)
    return root


def _put_into_rows(root: etree._Element) -> None:
    """Put cells that are directly in a table or its head into rows, as browsers do."""
    for around in root.iter("table", "thead", "tbody", "tfoot"):
        row = None
        for one in list(around):
            if one.tag not in ("td", "th"):
                row = None
                continue
            if row is None:
                row = around.makeelement("tr")
                one.addprevious(row)
            row.append(one)


def _part_terms(root: etree._Element) -> None:
    """Move terms and meanings out of those before them whose end tags are left out; the parser nests them."""
    for one in list(root.iter("dt", "dd")):
        around = next(one.iterancestors("dt", "dd", "dl"), None)
        if around is not None and around.tag != "dl":
            for moved in reversed([one, *one.itersiblings()]):
                around.addnext(moved)


_WITHIN = {
    "table": frozenset({"caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr"}),
    **dict.fromkeys(("thead", "tbody", "tfoot"), frozenset({"tr"})),
    "tr": frozenset({"td", "th"}),
}
"""What may be in a table and its parts. Readers of rows and cells would not see anything else."""

_ANYWHERE = frozenset({"script", "style", "template", "form", "input"})


def _take_out_of_tables(root: etree._Element) -> None:
    """Move what is in a table but in no cell beside the table, as browsers do: tables behind it, the rest before.

    Tables with elements directly in their rows are left alone if they have no cell.
    """
    places = {one: place for place, one in enumerate(root.iter())}
    loose: list[tuple[int, bool, etree._Element, etree._Element | str]] = []
    for part in root.iter(*_WITHIN):
        table = part if part.tag == "table" else next(part.iterancestors("table"), None)
        if table is None or table.getparent() is None or next(table.iter("td", "th"), None) is None:
            continue
        if _is_said(part.text):
            loose.append((places[part], False, table, str(part.text)))
            part.text = None
        for child in part:
            stays = not isinstance(child.tag, str) or child.tag in _WITHIN[str(part.tag)] | _ANYWHERE
            moves = not stays and any(str(text).strip() for text in child.itertext())
            if moves:
                loose.append((places[child], False, table, child))
            if _is_said(child.tail):
                *_, last = child.iter()
                loose.append((places[last], True, table, str(child.tail)))
            if moves or _is_said(child.tail):
                child.tail = None
    loose.sort(key=lambda found: found[:2])
    behind: dict[etree._Element, etree._Element] = {}
    for *_, table, found in loose:  # tables first, from the outermost: the rest of one within another is put beside it
        if not isinstance(found, str) and found.tag == "table":
            behind.get(table, table).addnext(found)
            behind[table] = found
    for *_, table, found in loose:
        if isinstance(found, str):
            paragraph = table.makeelement("p")
            paragraph.text = found
            table.addprevious(paragraph)
        elif found.tag != "table":
            table.addprevious(found)


def _is_said(text: str | None) -> bool:
    """Return True for words; stray signs between tags are no text."""
    return text is not None and any(map(str.isalnum, text))


def parser_warnings(root: etree._Element) -> list[str]:
    """Return warnings for the reader of the page: pictures that are elsewhere."""
    remote = sum(1 for image in root.iter("{*}img") if (image.get("src") or "").startswith(("http:", "https:", "//")))
    return [f"{remote} images lie on the web and were not fetched"] if remote else []


def _metadata(root: etree._Element, title: str | None) -> DraftMetadata:
    stated: dict[str, list[str]] = {}
    for element in root.iter("{*}meta"):
        name = (element.get("name") or element.get("property") or "").lower()
        content = collapse(element.get("content") or "")
        if name and content:
            stated.setdefault(name, []).append(content)

    def first(*names: str) -> str | None:
        return next((stated[name][0] for name in names if name in stated), None)

    shown = next((words(element) for element in root.iter("{*}title") if words(element)), None)
    canonical = next(
        (element.get("href") for element in root.iter("{*}link") if element.get("rel") == "canonical"), None
    )
    doi = first("citation_doi", "dc.identifier.doi")
    authors = stated.get("citation_author") or stated.get("author") or stated.get("dc.creator") or []
    extra: dict[str, Any] = {
        "generator": first("generator"),
        "keywords": _keywords(first("keywords", "citation_keywords")),
    }
    return DraftMetadata(
        title=first("citation_title") or title or first("dc.title", "og:title") or shown,
        abstract=first("citation_abstract", "dc.description", "description", "og:description"),
        authors=authors,
        publication_date=_date(first(*_DATE_NAMES)),
        language=attribute(root, "lang"),
        source=first("citation_journal_title", "og:site_name"),
        uri=f"https://doi.org/{doi}" if doi else safe_link(canonical),
        extra={name: value for name, value in extra.items() if value},
    )


def _keywords(value: str | None) -> list[str]:
    return [word.strip() for word in re.split("[,;]", value or "") if word.strip()]


def _date(value: str | None) -> date | None:
    found = _DATE.search((value or "").replace("/", "-"))
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None
