"""Hostile files of the formats that are zip archives: Office, OpenDocument, EPUB."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile
import zlib
from typing import TYPE_CHECKING

from bench.hostile.basics import (
    CONTENT_TYPES,
    LAUGHS,
    RELS,
    archive,
    docx,
    docx_bomb,
    docx_with_link,
    docx_with_outside_name,
    encrypted_office,
    paragraphs,
    with_members,
)

if TYPE_CHECKING:
    from bench.hostile.basics import Around, Make

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"
MANIFEST = f'<manifest:manifest xmlns:manifest="{OFFICE}manifest:1.0">{{}}</manifest:manifest>'
IMAGE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
LINKS = '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'


def _links(*targets: str, outside: bool = True) -> str:
    mode = ' TargetMode="External"' if outside else ""
    return LINKS.format(
        "".join(f'<Relationship Id="r{n}" Type="{IMAGE}" Target="{to}"{mode}/>' for n, to in enumerate(targets))
    )


def _lying_sizes(content: bytes, says: int) -> bytes:
    """Let the list of members say that the largest one has another size, in its own header as well."""
    changed = bytearray(content)
    with zipfile.ZipFile(io.BytesIO(content)) as made:
        largest = max(made.infolist(), key=lambda member: member.file_size)
    struct.pack_into("<I", changed, largest.header_offset + 22, says)
    place = content.find(b"PK\x01\x02")
    while place >= 0:
        if struct.unpack_from("<I", content, place + 42)[0] == largest.header_offset:
            struct.pack_into("<I", changed, place + 24, says)
        place = content.find(b"PK\x01\x02", place + 4)
    return bytes(changed)


def _overlapping(times: int = 2000) -> bytes:
    """Members that all are the same bytes of the archive."""
    kernel = zlib.compress(b"\0" * (10 << 20), 9)[2:-4]
    code = zlib.crc32(b"\0" * (10 << 20))
    head = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 0, code, len(kernel), 10 << 20, 4, 0)
    body = head + b"word" + kernel
    entries = b"".join(
        struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 8, 0, 0, code, len(kernel), 10 << 20, 9, 0, 0, 0, 0, 0, 0)
        + b"word/%04d" % n
        for n in range(times)
    )
    return body + entries + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, times, times, len(entries), len(body), 0)


def _method(content: bytes, method: int) -> bytes:
    """Change the stated compression method of all members."""
    changed = bytearray(content)
    for sign, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = content.find(sign)
        while place >= 0:
            struct.pack_into("<H", changed, place + offset, method)
            place = content.find(sign, place + 4)
    return bytes(changed)


def _twice(text: str) -> bytes:
    """Two members of one name, with different texts."""
    out = io.BytesIO(docx(paragraphs("first")))
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a") as made:
        warnings.simplefilter("ignore", UserWarning)  # it tells of just that
        made.writestr("word/document.xml", _document(text))
    return out.getvalue()


def _document(text: str) -> bytes:
    return zipfile.ZipFile(io.BytesIO(docx(paragraphs(text)))).read("word/document.xml")


def _table(rows: str) -> str:
    return f"<w:tbl>{rows}</w:tbl>"


def _span(columns: str) -> str:
    return _table(f'<w:tr><w:tc><w:tcPr><w:gridSpan w:val="{columns}"/></w:tcPr>{paragraphs("a")}</w:tc></w:tr>')


def _cell(text: str) -> str:
    return f"<w:tc>{paragraphs(text)}</w:tc>"


def _sheet(word: str, data: str, **members: bytes | str) -> bytes:
    """A workbook of one sheet with this content in SpreadsheetML."""
    from openpyxl import Workbook

    book = Workbook()
    book.active["A1"] = word  # type: ignore[index]
    out = io.BytesIO()
    book.save(out)
    first = f'<row r="1"><c r="A1" t="inlineStr"><is><t>{word}</t></is></c></row>'
    sheet = (
        '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        + data.replace("<sheetData>", f"<sheetData>{first}")
        + "</worksheet>"
    )
    return with_members(
        out.getvalue(), {"xl/worksheets/sheet1.xml": sheet} | {f"xl/{k}.xml": v for k, v in members.items()}
    )


def _many_sheets(number: int, word: str) -> bytes:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    for n in range(number):
        book.create_sheet(f"s{n}").append([word, n])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _slides(word: str, inside: str, more: dict[str, bytes | str | None] | None = None) -> bytes:
    """A presentation of a slide whose tree of shapes has this inside, beside its title."""
    from pptx import Presentation

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = word
    out = io.BytesIO()
    deck.save(out)
    name = "ppt/slides/slide1.xml"
    with zipfile.ZipFile(out) as made:
        shapes = made.read(name).decode().replace("</p:spTree>", inside + "</p:spTree>")
    return with_members(out.getvalue(), {name: shapes, **(more or {})})


def _open_document(
    kind: str, body: str, more: dict[str, bytes | str] | None = None, declared: str = "", manifest: str = ""
) -> bytes:
    names = " ".join(
        f'xmlns:{short}="{OFFICE}{name}:1.0"'
        for short, name in (
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("draw", "drawing"),
            ("presentation", "presentation"),
        )
    )
    content = (
        f'<?xml version="1.0"?>{f"<!DOCTYPE x [{declared}]>" if declared else ""}<office:document-content {names} '
        f'xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:{kind}>{body}</office:{kind}></office:body>'
        "</office:document-content>"
    )
    listed = (
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.{kind}"/>'
    )
    listed += '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    styles = f'<?xml version="1.0"?><office:document-styles {names}/>'
    members: dict[str, bytes | str] = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content,
        "styles.xml": styles,
        "meta.xml": f'<?xml version="1.0"?><office:document-meta {names}/>',
        "META-INF/manifest.xml": MANIFEST.format(listed + manifest),
    }
    return archive(members | (more or {}), stored=["mimetype"])


def _book(word: str, more: dict[str, bytes | str | None] | None = None, *, items: str = "", spine: str = "") -> bytes:
    """An EPUB of one chapter; ``items`` and ``spine`` go beside its own."""
    page = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><h1>One</h1><p>{word}</p></body></html>'
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title><dc:identifier id="i">x</dc:identifier>'
        '</metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        f'{items}</manifest><spine><itemref idref="a"/>{spine}</spine></package>'
    )
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    members: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "p.opf": package,
        "a.xhtml": page,
    }
    return with_members(archive(members, stored=["mimetype"]), more or {})


def _page(body: str, declared: str = "") -> str:
    return (
        f'<?xml version="1.0"?>{declared}<html xmlns="http://www.w3.org/1999/xhtml"><head/><body>{body}</body></html>'
    )


def _item(name: str, href: str, more: str = "") -> str:
    return f'<item id="{name}" href="{href}" media-type="application/xhtml+xml" {more}/>'


def _document_type(at: Around) -> str:
    return f'<!DOCTYPE w:document [<!ENTITY secret SYSTEM "{at.secret.as_uri()}">]>'


# fmt: off
FILES: dict[str, Make] = {
    "bomb.docx": lambda at: docx_bomb(),
    "outside.docx": lambda at: docx_with_outside_name(),
    "link.docx": lambda at: docx_with_link(),
    "locked.docx": lambda at: encrypted_office(),
    "absolute.docx": lambda at: docx(paragraphs(at.word), {"/etc/ragraph": b"x"}),
    "backslash.docx": lambda at: docx(paragraphs(at.word), {"..\\..\\outside": b"x"}),
    "drive.docx": lambda at: docx(paragraphs(at.word), {"C:\\outside": b"x"}),
    "lying-small.docx": lambda at: _lying_sizes(docx_bomb(100), 1000),
    "lying-large.docx": lambda at: _lying_sizes(docx(paragraphs(at.word)), 0xFFFFFFF0),
    "overlapping.docx": lambda at: _overlapping(),
    "matryoshka.docx": lambda at: docx(paragraphs(at.word), {"word/embeddings/a.docx": docx_bomb(60)}),
    "members.docx": lambda at: docx(paragraphs(at.word), {f"word/m{n}.xml": "" for n in range(25_000)}),
    "method.docx": lambda at: _method(docx(paragraphs(at.word)), 99),
    "cut.docx": lambda at: docx(paragraphs(at.word))[:-200],
    "cut-in-half.docx": lambda at: (whole := docx(paragraphs(at.word) * 1000))[: len(whole) // 2],
    "crc.docx": lambda at: docx(paragraphs(at.word)).replace(b"PK\x03\x04\x14\x00\x00\x00\x08\x00", b"PK\x03\x04\x14\x00\x00\x00\x00\x00"),
    "twice.docx": lambda at: _twice(at.word),
    "before.docx": lambda at: b"#!/bin/sh\nexit\n" + docx(paragraphs(at.word)),
    "laughs.docx": lambda at: docx(paragraphs(at.word, "&l9;"), head=f"<!DOCTYPE w:document [{LAUGHS}]>"),
    "entity.docx": lambda at: docx(paragraphs(at.word, "&secret;"), head=_document_type(at)),
    "deep-tables.docx": lambda at: docx(paragraphs(at.word) + "<w:tbl><w:tr><w:tc>" * 3000 + paragraphs("x") + "</w:tc></w:tr></w:tbl>" * 3000),
    "deep-controls.docx": lambda at: docx("<w:sdt><w:sdtContent>" * 5000 + paragraphs(at.word) + "</w:sdtContent></w:sdt>" * 5000),
    "runs.docx": lambda at: docx(paragraphs(at.word) + "<w:p>" + "<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r>" * 200_000 + "</w:p>"),
    "long.docx": lambda at: docx(paragraphs(at.word, "x" * (20 << 20))),
    "span.docx": lambda at: docx(paragraphs(at.word) + _span("1000000000")),
    "negative-span.docx": lambda at: docx(paragraphs(at.word) + _span("-5")),
    "wide.docx": lambda at: docx(paragraphs(at.word) + _table(f"<w:tr>{_cell('a') * 3000}</w:tr>" * 10)),
    "level.docx": lambda at: docx(f'<w:p><w:pPr><w:numPr><w:ilvl w:val="999999999"/><w:numId w:val="-7"/></w:numPr></w:pPr><w:r><w:t>{at.word}</w:t></w:r></w:p>'),
    "no-document.docx": lambda at: with_members(docx(paragraphs(at.word)), {"word/document.xml": None, "word/other.xml": "<a/>"}),
    "no-links.docx": lambda at: with_members(docx(paragraphs(at.word)), {"_rels/.rels": None}),
    "link-to-itself.docx": lambda at: docx(paragraphs(at.word), {"word/_rels/document.xml.rels": _links("document.xml", "../word/document.xml", outside=False)}),
    "pictures-outside.docx": lambda at: docx(
        paragraphs(at.word), {"word/_rels/document.xml.rels": _links(at.secret.as_uri(), f"{at.address}/picture.png")}
    ),
    "invalid-letters.docx": lambda at: with_members(docx(""), {"word/document.xml": b'<?xml version="1.0"?><w:document xmlns:w="x"><w:body>\xff\xfe\x00</w:body></w:document>'}),
    "control-letters.docx": lambda at: docx(paragraphs(at.word, "a&#0;b&#27;[31m")),
    "utf16.docx": lambda at: with_members(docx(""), {"word/document.xml": _document(at.word).decode().encode("utf-16")}),
    "types.docx": lambda at: with_members(docx(paragraphs(at.word)), {"[Content_Types].xml": CONTENT_TYPES.replace("document.main", "nothing")}),
    "loop.docx": lambda at: with_members(docx(paragraphs(at.word)), {"_rels/.rels": RELS.replace("word/document.xml", "_rels/.rels")}),
    "far-cell.xlsx": lambda at: _sheet(at.word, '<sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'),
    "dimension.xlsx": lambda at: _sheet(at.word, '<dimension ref="A1:XFD1048576"/><sheetData></sheetData>'),
    "merged.xlsx": lambda at: _sheet(at.word, '<sheetData></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
    "many-merged.xlsx": lambda at: _sheet(at.word, "<sheetData></sheetData><mergeCells>" + "".join(f'<mergeCell ref="A{n}:ZZ{n + 50}"/>' for n in range(2, 5000)) + "</mergeCells>"),
    "index.xlsx": lambda at: _sheet(at.word, '<sheetData><row r="2"><c r="A2" t="s"><v>999999999</v></c><c r="B2" t="s"><v>-1</v></c></row></sheetData>'),
    "style.xlsx": lambda at: _sheet(at.word, '<sheetData><row r="2"><c r="A2" s="4000000000"><v>1</v></c></row></sheetData>'),
    "date.xlsx": lambda at: _sheet(at.word, '<sheetData><row r="2"><c r="A2" t="d"><v>99999-99-99T99:99:99</v></c><c r="B2"><v>1e999</v></c></row></sheetData>'),
    "columns.xlsx": lambda at: _sheet(at.word, "<sheetData>" + "".join(f'<row r="{r}">' + "".join(f"<c><v>{c}</v></c>" for c in range(16_384)) + "</row>" for r in range(2, 30)) + "</sheetData>"),
    "rows.xlsx": lambda at: _sheet(at.word, "<sheetData>" + "".join(f'<row r="{r}"><c><v>{r}</v></c></row>' for r in range(2, 400_000)) + "</sheetData>"),
    "huge-cell.xlsx": lambda at: _sheet(at.word, f'<sheetData><row r="2"><c r="A2" t="inlineStr"><is><t>{"y" * (20 << 20)}</t></is></c></row></sheetData>'),
    "laughs.xlsx": lambda at: _sheet(at.word, "<sheetData></sheetData>", sharedStrings=f'<?xml version="1.0"?><!DOCTYPE sst [{LAUGHS}]><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&l9;</t></si></sst>'),
    "sheets.xlsx": lambda at: _many_sheets(1000, at.word),
    "formula.xlsx": lambda at: _sheet(at.word, f'<sheetData><row r="2"><c r="A2"><f>WEBSERVICE("{at.address}")</f></c><c r="B2" t="str"><f>cmd|/c calc!A0</f><v>=1+1</v></c></row></sheetData>'),
    "groups.pptx": lambda at: _slides(at.word, "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>" * 2000 + "</p:grpSp>" * 2000),
    "laughs.pptx": lambda at: _slides(at.word, "", {"ppt/presentation.xml": f'<?xml version="1.0"?><!DOCTYPE p [{LAUGHS}]><p>&l9;</p>'}),
    "no-slide.pptx": lambda at: _slides(at.word, "", {"ppt/slides/slide1.xml": None}),
    "slide-of-noise.pptx": lambda at: _slides(at.word, "", {"ppt/slides/slide1.xml": b"\x00\x01<<<"}),
    "layout-loop.pptx": lambda at: _slides(at.word, "", {"ppt/slideLayouts/_rels/slideLayout6.xml.rels": _links("../slideLayouts/slideLayout6.xml", outside=False)}),
    "outside.pptx": lambda at: _slides(at.word, "", {"ppt/media/../../../../tmp/x": b"x"}),
    "repeated-columns.ods": lambda at: _open_document("spreadsheet", f'<table:table table:name="t"><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>{at.word}</text:p></table:table-cell></table:table-row></table:table>'),
    "repeated-rows.ods": lambda at: _open_document("spreadsheet", f'<table:table table:name="t"><table:table-row><table:table-cell><text:p>{at.word}</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048575"><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>'),
    "spaces.odt": lambda at: _open_document("text", f'<text:p>{at.word}<text:s text:c="2000000000"/>b</text:p>'),
    "negative-spaces.odt": lambda at: _open_document("text", f'<text:p>{at.word} <text:s text:c="-3"/>b<text:s text:c="many"/></text:p>'),
    "deep-lists.odt": lambda at: _open_document("text", f"<text:p>{at.word}</text:p>" + "<text:list><text:list-item>" * 3000 + "<text:p>x</text:p>" + "</text:list-item></text:list>" * 3000),
    "level.odt": lambda at: _open_document("text", f'<text:h text:outline-level="99999999999999999999">{at.word}</text:h><text:h text:outline-level="-1">b</text:h>'),
    "laughs.odt": lambda at: _open_document("text", f"<text:p>{at.word} &l9;</text:p>", declared=LAUGHS),
    "entity.odt": lambda at: _open_document("text", f"<text:p>{at.word} &s;</text:p>", declared=f'<!ENTITY s SYSTEM "{at.secret.as_uri()}">'),
    "locked.odt": lambda at: _open_document("text", "", manifest='<manifest:file-entry manifest:full-path="x"><manifest:encryption-data/></manifest:file-entry>'),
    "pictures-outside.odt": lambda at: _open_document("text", f'<text:p>{at.word}<draw:frame><draw:image xlink:href="{at.secret.as_uri()}"/></draw:frame><draw:frame><draw:image xlink:href="../../../../../../etc/passwd"/></draw:frame><draw:frame><draw:image xlink:href="{at.address}/p.png"/></draw:frame></text:p>'),
    "no-content.odt": lambda at: with_members(_open_document("text", ""), {"content.xml": None}),
    "nothing-in-it.odp": lambda at: _open_document("presentation", "<draw:page/>" * 50_000),
    "lying-mimetype.odt": lambda at: with_members(_book(at.word), {"mimetype": "application/vnd.oasis.opendocument.text"}),
    "outside.epub": lambda at: _book(at.word, items=_item("b", "../../../../../../../../etc/passwd") + _item("c", "/etc/passwd") + _item("d", at.secret.as_uri()), spine='<itemref idref="b"/><itemref idref="c"/><itemref idref="d"/>'),
    "remote.epub": lambda at: _book(at.word, items=_item("b", f"{at.address}/b.xhtml"), spine='<itemref idref="b"/>'),
    "missing.epub": lambda at: _book(at.word, items=_item("b", "nowhere.xhtml"), spine='<itemref idref="b"/><itemref idref="zzz"/>'),
    "again.epub": lambda at: _book(at.word, spine='<itemref idref="a"/>' * 100_000),
    "laughs.epub": lambda at: _book(at.word, {"b.xhtml": _page("<p>&l9;</p>", f"<!DOCTYPE html [{LAUGHS}]>")}, items=_item("b", "b.xhtml"), spine='<itemref idref="b"/>'),
    "entity.epub": lambda at: _book(at.word, {"b.xhtml": _page("<p>b &s;</p>", f'<!DOCTYPE html [<!ENTITY s SYSTEM "{at.secret.as_uri()}">]>')}, items=_item("b", "b.xhtml"), spine='<itemref idref="b"/>'),
    "package-entity.epub": lambda at: _book(at.word, {"p.opf": f'<?xml version="1.0"?><!DOCTYPE package [<!ENTITY s SYSTEM "{at.secret.as_uri()}">]><package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>&s;</dc:title></metadata><manifest>{_item("a", "a.xhtml")}</manifest><spine><itemref idref="a"/></spine></package>'}),
    "package-is-itself.epub": lambda at: _book(at.word, {"META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="META-INF/container.xml"/></rootfiles></container>'}),
    "package-outside.epub": lambda at: _book(at.word, {"META-INF/container.xml": f'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="../../../..{at.secret}"/></rootfiles></container>'}),
    "contents.epub": lambda at: _book(at.word, {"n.xhtml": _page('<nav xmlns:e="http://www.idpf.org/2007/ops" e:type="toc">' + '<ol><li><a href="a.xhtml">x</a>' * 5000 + "</li></ol>" * 5000 + "</nav>")}, items=_item("n", "n.xhtml", 'properties="nav"')),
    "locked.epub": lambda at: _book(at.word, {"META-INF/encryption.xml": '<e><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></e>'}),
    "deep.epub": lambda at: _book(at.word, {"b.xhtml": _page("<div>" * 20_000 + "x" + "</div>" * 20_000)}, items=_item("b", "b.xhtml"), spine='<itemref idref="b"/>'),
    "pictures-outside.epub": lambda at: _book(at.word, {"b.xhtml": _page(f'<p>b</p><img src="{at.secret.as_uri()}"/><img src="../../../../etc/passwd"/><img src="{at.address}/x.png"/>')}, items=_item("b", "b.xhtml"), spine='<itemref idref="b"/>'),
    "bomb.epub": lambda at: _book(at.word, {"x.css": b" " * (300 << 20)}),
}
