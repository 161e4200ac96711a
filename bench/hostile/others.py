"""Hostile files of the formats that few people think of: RTF, Org, books and texts in XML, mail boxes, web archives,
subtitles, records; and of the better known ones what the other modules have not.
"""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
from typing import TYPE_CHECKING

from bench.hostile.archives import _book, _item, _open_document, _page, _sheet
from bench.hostile.basics import LAUGHS, docx, paragraphs, pdf_stream, pdf_text, pdf_with, with_members

if TYPE_CHECKING:
    from bench.hostile.basics import Around, Make

DIGITS = "9" * 5000
"""A number that Python refuses to read."""
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def _rtf(at: Around, more: str) -> bytes:
    return f"{{\\rtf1\\ansi\\deff0{{\\fonttbl{{\\f0 Arial;}}}}\\f0 {at.word} stands here.\\par {more}}}".encode(
        "latin-1"
    )


def _lines(at: Around, *more: str) -> bytes:
    return "\n\n".join([f"{at.word} stands here.", *more]).encode()


def _docbook(at: Around, more: str, declared: str = "") -> bytes:
    doctype = f"<!DOCTYPE article [{declared}]>" if declared else ""
    return f'<?xml version="1.0"?>{doctype}<article xmlns="http://docbook.org/ns/docbook"><title>t</title><para>{at.word}</para>{more}</article>'.encode()


def _tei(at: Around, more: str) -> bytes:
    return f'<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>{at.word}</p>{more}</body></text></TEI>'.encode()


def _fb2(at: Around, more: str, after: str = "") -> bytes:
    return f'<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><body><section><p>{at.word} stands here.</p>{more}</section></body>{after}</FictionBook>'.encode()


def _web_archive(at: Around, body: str, *parts: str) -> bytes:
    page = f"Content-Type: text/html; charset=utf-8\r\nContent-Location: http://a/\r\n\r\n<html><body><h1>t</h1><p>{at.word} stands here.</p>{body}</body></html>\r\n"
    inner = "".join(f"--b\r\n{part}" for part in (page, *parts))
    return f'From: <Saved by Blink>\r\nSnapshot-Content-Location: http://a/\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n{inner}--b--\r\n'.encode()


def _frame(number: int) -> str:
    return f"Content-Type: text/html\r\nContent-ID: <f{number}>\r\nContent-Location: cid:f{number}\r\n\r\n<html><body><iframe src='cid:f{(number + 1) % 50}'></iframe><iframe src='cid:f{number}'></iframe></body></html>\r\n"


def _mails(at: Around, number: int) -> bytes:
    one = "From a@example.org Thu Jan  1 00:00:00 1970\nFrom: a@example.org\nSubject: s\n\n{}\n\n"
    return (one.format(at.word) + one.format("x") * number).encode()


def _compound_file(directory: bytes) -> bytes:
    """An OLE container with one sector of allocation and a directory whose entries lead to each other."""
    head = struct.pack("<8s16sHHHHH6sIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"",
                       0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0)  # fmt: skip
    head = head.ljust(512 - 109 * 4, b"\0")[: 512 - 109 * 4] + b"\0\0\0\0" + b"\xff" * 108 * 4
    table = struct.pack("<128I", 0xFFFFFFFD, 1, *[2] * 126)
    return head + table + directory.ljust(512, b"\0")


def _entry(name: str, kind: int, left: int, right: int, child: int) -> bytes:
    raw = name.encode("utf-16-le")
    return struct.pack("<64sHBBIII16sIQQIQ", raw, len(raw) + 2, kind, 1, left, right, child, b"", 0, 0, 0, 1, 100)


def _strings(word: str, number: int) -> bytes:
    """A workbook with many shared strings, of which it shows the last."""
    book = _sheet(word, f'<sheetData><row r="2"><c r="A2" t="s"><v>{number - 1}</v></c></row></sheetData>')
    shared = "".join(f"<si><t>s{n}</t></si>" for n in range(number))
    named = '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
    types = zipfile.ZipFile(io.BytesIO(book)).read("[Content_Types].xml").decode().replace("</Types>", named)
    strings = f'<?xml version="1.0"?><sst xmlns="{SHEETS}">{shared}</sst>'
    return with_members(book, {"[Content_Types].xml": types, "xl/sharedStrings.xml": strings})


# fmt: off
FILES: dict[str, Make] = {
    "groups.rtf": lambda at: _rtf(at, "{" * 200_000 + "x" + "}" * 200_000),
    "unclosed.rtf": lambda at: _rtf(at, "{\\b " * 100_000)[:-1],
    "binary.rtf": lambda at: _rtf(at, "\\bin2000000000 abc"),
    "negative-binary.rtf": lambda at: _rtf(at, "\\bin-5 abc \\u-99999999? \\u" + DIGITS + "?"),
    "rows.rtf": lambda at: _rtf(at, "\\trowd\\cellx100 a\\cell\\row" * 50_000),
    "nested-tables.rtf": lambda at: _rtf(at, "\\trowd\\cellx99\\pard\\intbl\\itap" + "\\par\\itap".join(map(str, range(2000))) + " x\\nestcell{\\*\\nesttableprops\\nestrow}" * 2000),
    "fields.rtf": lambda at: _rtf(at, "{\\field{\\*\\fldinst HYPERLINK a}{\\fldrslt " * 5000 + "x" + "}}" * 5000),
    "picture.rtf": lambda at: _rtf(at, "{\\pict\\pngblip " + "00" * 10_000_000 + "}"),
    "controls.rtf": lambda at: _rtf(at, "\\b" * 1_000_000 + "\\unknown" + "z" * 1_000_000),
    "hex.rtf": lambda at: _rtf(at, "\\'zz\\'f\\'" + "\\'e4" * 500_000),
    "nested.org": lambda at: _lines(at, "\n".join("*" * n + " t" for n in range(1, 3000))),
    "include.org": lambda at: _lines(at, f'#+INCLUDE: "{at.secret}"', "#+MACRO: a {{{a}}}{{{a}}}", "{{{a}}}"),
    "itself.org": lambda at: _lines(at, "#+SETUPFILE: itself.org", "[fn:a] see[fn:b]", "[fn:b] see[fn:a]", "x[fn:a]"),
    "table.org": lambda at: _lines(at, "|" + "a|" * 20_000, "|-" * 20_000),
    "blocks.org": lambda at: _lines(at, "#+BEGIN_QUOTE\n" * 20_000),
    "emphasis.org": lambda at: _lines(at, "*/_+" * 100_000, "=" * 100_001, "[[" * 100_000),
    "list.org": lambda at: _lines(at, "\n".join(" " * n + "- x" for n in range(2000))),
    "laughs.dbk": lambda at: _docbook(at, "<para>&l9;</para>", LAUGHS),
    "sections.dbk": lambda at: _docbook(at, "<section><title>t</title>" * 3000 + "<para>x</para>" + "</section>" * 3000),
    "links.dbk": lambda at: _docbook(at, '<para xml:id="a"><xref linkend="a"/>' + '<xref linkend="b"/>' * 50_000 + "</para>"),
    "spans.dbk": lambda at: _docbook(at, f'<informaltable><tgroup cols="{DIGITS}"><tbody><row><entry namest="c1" nameend="c{DIGITS}" morerows="{DIGITS}">x</entry></row></tbody></tgroup></informaltable>'),
    "include.dbk": lambda at: _docbook(at, f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{at.secret.as_uri()}" parse="text"/>'),
    "deep.tei": lambda at: _tei(at, "<div><head>h</head>" * 5000 + "<p>x</p>" + "</div>" * 5000),
    "notes.tei": lambda at: _tei(at, '<note xml:id="a">a <ref target="#b"/></note><note xml:id="b">b <ref target="#a"/></note><p>' + '<ref target="#a">1</ref>' * 30_000 + "</p>"),
    "cells.tei": lambda at: _tei(at, f'<table rows="{DIGITS}"><row><cell cols="1000000000" rows="{DIGITS}">x</cell></row></table>'),
    "binary.fb2": lambda at: _fb2(at, '<image l:href="#a"/>', '<binary id="a" content-type="image/png">' + base64.b64encode(b"\0" * 15_000_000).decode() + "</binary>"),
    "deep.fb2": lambda at: _fb2(at, "</section>" + "<section><title><p>t</p></title>" * 250 + "<p>x</p>" + "</section>" * 250 + "<section><p>y</p>"),
    "notes.fb2": lambda at: _fb2(at, '<p>x<a l:href="#n" type="note">1</a></p>', '<body name="notes"><section id="n"><p>see <a l:href="#n" type="note">1</a></p></section></body>'),
    "cut.fb2": lambda at: _fb2(at, "<p>x</p>" * 10_000)[:-5000],
    "frames.mhtml": lambda at: _web_archive(at, "<iframe src='cid:f0'></iframe>", *(_frame(n) for n in range(50))),
    "parts.mht": lambda at: _web_archive(at, "<p>x</p>", *("Content-Type: text/plain\r\n\r\nx\r\n" for _ in range(10_000))),
    "no-page.mht": lambda at: b'From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: image/png\r\n\r\nx\r\n--b--\r\n',
    "many.mbox": lambda at: _mails(at, 10_000),
    "froms.mbox": lambda at: _mails(at, 1) + b"From \n" * 100_000,
    "parts.eml": lambda at: f"From: a@example.org\r\nSubject: {at.word}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n".encode() + f"--b\r\nContent-Type: text/plain\r\n\r\n{at.word}\r\n".encode() + b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n" * 10_000 + b"--b--\r\n",
    "date.eml": lambda at: f"From: a@example.org\r\nDate: Thu, {DIGITS} Jan {DIGITS} 00:00:00 +{DIGITS}\r\nReferences: {'<a@b> ' * 50_000}\r\nSubject: {at.word}\r\n\r\n{at.word}\r\n".encode(),
    "calendar.eml": lambda at: f"From: a@example.org\r\nSubject: {at.word}\r\nMIME-Version: 1.0\r\nContent-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:{at.word}\r\nDTSTART:{DIGITS}\r\nRRULE:FREQ=SECONDLY;COUNT={DIGITS}\r\nDESCRIPTION:{'x' * 5_000_000}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".encode(),
    "loop.msg": lambda at: _compound_file(_entry("Root Entry", 5, 0xFFFFFFFF, 0xFFFFFFFF, 1) + _entry("__substg1.0_1000001F", 2, 1, 1, 1)),
    "storages.msg": lambda at: _compound_file(_entry("Root Entry", 5, 0xFFFFFFFF, 0xFFFFFFFF, 1) + _entry("__attach_version1.0_#00000000", 1, 0xFFFFFFFF, 0xFFFFFFFF, 2) + _entry("__substg1.0_3701000D", 1, 0xFFFFFFFF, 0xFFFFFFFF, 1)),
    "times.vtt": lambda at: f"WEBVTT\n\n00:00.000 --> 00:01.000\n{at.word} stands here.\n\n{DIGITS}:00:00.000 --> {DIGITS}:99:99.999\nx\n\n".encode() + b"99:00.000 --> 00:00.000\n<v " + b"a" * 100_000 + b">x\n\n" + b"00:00.000 --> 00:00.000\n\n" * 50_000,
    "tags.vtt": lambda at: f"WEBVTT\n\nNOTE {'x' * 1_000_000}\n\n00:00.000 --> 00:01.000\n{at.word} stands here.{'<c.a>' * 50_000}\n".encode(),
    "numbers.srt": lambda at: f"{DIGITS}\n00:00:00,000 --> 00:00:01,000\n{at.word} stands here.\n\n".encode() + b"1\n00:00:00,000 --> 00:00:01,000\nx\n\n" * 50_000,
    "lines-jsonl.json": lambda at: f'{{"a": "{at.word} stands here."}}\n'.encode() + b'{"a": 1}\n' * 300_000,
    "deep-jsonl.json": lambda at: f'{{"a": "{at.word} stands here."}}\n'.encode() + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"\n",
    "number-jsonl.json": lambda at: f'{{"a": "{at.word} stands here.", "b": {DIGITS}, "c": 1e999999, "d": -{DIGITS}}}\n'.encode() * 2,
    "keys.json": lambda at: json.dumps([{"a": f"{at.word} stands here."}, {f"k{n}": n for n in range(100_000)}]).encode(),
    "controls.json": lambda at: json.dumps({"a\u0000b": f"{at.word} stands here.", "c": "\ud800 \u0000\u001b[31m\u202e"}).encode(),
    "columns.tsv": lambda at: f"{at.word}\tb\n".encode() + b"\t" * 500_000 + b"\n" + b"\t\n" * 50_000,
    "strings.xlsx": lambda at: _strings(at.word, 1_000_000),
    "nested-tables.docx": lambda at: docx(paragraphs(at.word) + "<w:tbl><w:tr><w:tc><w:p/>" * 2000 + paragraphs("x") + "</w:tc></w:tr></w:tbl>" * 2000),
    "numbers.docx": lambda at: docx(paragraphs(at.word) + f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="{DIGITS}"/><w:vMerge w:val="x"/></w:tcPr>{paragraphs("a")}</w:tc></w:tr></w:tbl><w:p><w:pPr><w:outlineLvl w:val="{DIGITS}"/><w:ind w:left="-{DIGITS}"/></w:pPr><w:r><w:rPr><w:sz w:val="{DIGITS}"/></w:rPr><w:t>b</w:t></w:r></w:p>'),
    "nav-loop.epub": lambda at: _book(at.word, {"n.xhtml": _page('<nav xmlns:e="http://www.idpf.org/2007/ops" e:type="toc"><ol>' + '<li><a href="n.xhtml#a">n</a><ol>' * 1000 + '<li><a href="a.xhtml">x</a></li>' + "</ol></li>" * 1000 + "</ol></nav>")}, items='<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/>', spine='<itemref idref="n"/>'),
    "spine-of-itself.epub": lambda at: _book(at.word, {"b.xhtml": _page('<p><a href="a.xhtml#x">a</a></p><iframe src="b.xhtml"></iframe><object data="b.xhtml"></object>')}, items=_item("b", "b.xhtml"), spine='<itemref idref="b"/>' * 2000),
    "names.pdf": lambda at: pdf_with(pdf_text(f"{at.word} stands here"), {1: b"<</Type/Catalog/Pages 2 0 R/Names<</Dests 6 0 R/EmbeddedFiles 6 0 R>>/Outlines 7 0 R>>", 6: b"<</Kids[6 0 R 6 0 R]/Limits[(a)(z)]>>", 7: b"<</First 8 0 R/Last 8 0 R/Count 1>>", 8: b"<</Title(t)/Parent 7 0 R/Dest(n)/Next 8 0 R/First 8 0 R>>"}),
    "attached-itself.pdf": lambda at: pdf_with(pdf_text(f"{at.word} stands here"), {1: b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(../../a.pdf) 6 0 R]>>>>>>", 6: b"<</Type/Filespec/F(../../../etc/a.pdf)/UF(../../../etc/a.pdf)/EF<</F 7 0 R>>>>", 7: pdf_stream(b"%PDF-1.7\n" + b"\0" * (200 << 20), packed=True)}),
    "numbers-4300.pdf": lambda at: pdf_with(pdf_text(f"{at.word} stands here") + f"\nBT /F1 {DIGITS} Tf {DIGITS} -{DIGITS} Td (far) Tj ET {DIGITS} 0 0 {DIGITS} 0 0 cm".encode(), {3: f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Rotate {DIGITS}/UserUnit {DIGITS}/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>".encode()}),
    "patterns.pdf": lambda at: pdf_with(pdf_text(f"{at.word} stands here") + b"\n/Pattern cs /P1 scn 0 0 612 792 re f", {3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/Pattern<</P1 6 0 R>>>>>>", 6: b"<</Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep .0001/YStep .0001/Resources<</Pattern<</P1 6 0 R>>>>/Length 31>>stream\n/Pattern cs /P1 scn 0 0 1 1 re f\nendstream"}),
    "formulas.odt": lambda at: _open_document("text", f"<text:p>{at.word}</text:p>" + f'<table:table><table:table-column table:number-columns-repeated="{DIGITS}"/><table:table-row table:number-rows-repeated="{DIGITS}"><table:table-cell table:number-columns-spanned="{DIGITS}"><text:p>x</text:p></table:table-cell></table:table-row></table:table>'),
    "data.svg.html": lambda at: f'<html><body><p>{at.word} stands here.</p><svg>{"<g>" * 50_000}<text>t</text></svg><svg><use href="#a" id="a"/>{"<use href=#a />" * 20_000}</svg></body></html>'.encode(),
    "selectors.html": lambda at: f'<html><head><style>{"a:not(" * 2000}b{")" * 2000} {{display:none}} {", ".join("div " * 30 + f".c{n}" for n in range(2000))} {{display:none}} p:has({"p " * 500}) {{opacity:0}}</style></head><body>{"<div class=c1>" * 100}<p>{at.word} stands here.</p></body></html>'.encode(),
    "variables.html": lambda at: f'<html><head><style>:root{{{"".join(f"--v{n}:var(--v{n - 1})var(--v{n - 1});" for n in range(1, 60))}--v0:a;--l:var(--l)}} p{{display:var(--v59);color:var(--l)}}</style></head><body><p>{at.word} stands here.</p></body></html>'.encode(),
    "cell-number.ipynb": lambda at: b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["' + f"{at.word} stands here.".encode() + b'"]}, {"cell_type": "code", "execution_count": ' + DIGITS.encode() + b', "metadata": {}, "source": "x", "outputs": [{"output_type": "stream", "name": "stdout", "text": ["' + b"\\u001b[1A" * 100_000 + b'"]}]}]}',
}
# fmt: on
