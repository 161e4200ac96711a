"""Texts, pages and books that each hold one sentence which no person sees; the files of offices are beside them."""

from __future__ import annotations

import io
import json
import zipfile
from functools import partial
from typing import TYPE_CHECKING

from unseen_sentence import SECRET, SHOWN, TAGGED

if TYPE_CHECKING:
    from collections.abc import Callable


def _text(source: str) -> Callable[[], bytes]:
    return lambda: source.replace("SHOWN", SHOWN).replace("SECRET", SECRET).encode()


def _latex(body: str, head: str = "") -> Callable[[], bytes]:
    return _text(
        f"\\documentclass{{article}}\n\\usepackage{{xcolor,comment}}\n{head}\n\\begin{{document}}\nSHOWN\n\n{body}\n\n"
        "It fell in June.\n\\end{document}\n"
    )


LATEX = {
    "comment": _latex("% SECRET"),
    "comment behind text": _latex("It stood. % SECRET"),
    "iffalse": _latex("\\iffalse\nSECRET\n\\fi"),
    "iffalse around another": _latex("\\iffalse\n\\ifx\\a\\b a\\else b\\fi\nSECRET\n\\fi"),
    "else of iftrue": _latex("\\iftrue\nIt stood.\n\\else\nSECRET\n\\fi"),
    "if0": _latex("\\if0 SECRET \\fi It stood."),
    "comment environment": _latex("\\begin{comment}\nSECRET\n\\end{comment}"),
    "excluded environment": _latex("\\begin{aside}\nSECRET\n\\end{aside}", "\\excludecomment{aside}"),
    "white": _latex("It \\textcolor{white}{SECRET} stood."),
    "white group": _latex("It {\\color{white}SECRET} stood."),
    "white by model": _latex("It \\textcolor[rgb]{1,1,1}{SECRET} stood."),
    "phantom": _latex("It \\phantom{SECRET} stood."),
    "hphantom": _latex("It \\hphantom{SECRET} stood."),
    "font of no size": _latex("It {\\fontsize{0.1pt}{0.1pt}\\selectfont SECRET} stood."),
    "scaled to nothing": _latex("It \\scalebox{0.001}{SECRET} stood."),
    "behind the end": _text("\\documentclass{article}\n\\begin{document}\nSHOWN\n\\end{document}\nSECRET\n"),
    "saved box": _latex("\\sbox{0}{SECRET} It stood."),
    "own comment command": _latex("It \\hide{SECRET} stood.", "\\newcommand{\\hide}[1]{}"),
    "transparent": _latex("It {\\transparent{0}SECRET} stood."),
    "environment of a file": _latex("\\begin{filecontents}{a.txt}\nSECRET\n\\end{filecontents}"),
}

ASCIIDOC = {
    "line comment": _text("= Rivers\n\nSHOWN\n\n// SECRET\n\nIt fell in June.\n"),
    "line comment in a paragraph": _text("= Rivers\n\nSHOWN\n// SECRET\nIt fell in June.\n"),
    "block comment": _text("= Rivers\n\nSHOWN\n\n////\nSECRET\n\nmore SECRET\n////\n\nIt fell in June.\n"),
    "comment style": _text("= Rivers\n\nSHOWN\n\n[comment]\nSECRET\n\nIt fell in June.\n"),
    "comment style of a block": _text("= Rivers\n\nSHOWN\n\n[comment]\n--\nSECRET\n\nSECRET\n--\n\nIt fell in June.\n"),
    "condition": _text("= Rivers\n\nSHOWN\n\nifdef::nonesuch[]\nSECRET\nendif::[]\n\nIt fell in June.\n"),
    "condition on a line": _text("= Rivers\n\nSHOWN\n\nifdef::nonesuch[SECRET]\n\nIt fell in June.\n"),
    "other condition": _text("= Rivers\n:set:\n\nSHOWN\n\nifndef::set[]\nSECRET\nendif::[]\n\nIt fell in June.\n"),
    "raw HTML": _text('= Rivers\n\nSHOWN\n\n++++\n<p style="display:none">SECRET</p>\n++++\n\nIt fell in June.\n'),
    "term of the index": _text("= Rivers\n\nSHOWN (((rivers, SECRET)))It fell in June.\n"),
    "macro of the index": _text("= Rivers\n\nSHOWN indexterm:[SECRET] It fell in June.\n"),
    "pass": _text('= Rivers\n\nSHOWN pass:[<span style="display:none">SECRET</span>]\n\nIt fell in June.\n'),
}

_SAVED = (
    "From: <Saved by Blink>\r\nSnapshot-Content-Location: http://a/\r\nSubject: s\r\nMIME-Version: 1.0\r\n"
    'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n'
    "Content-Location: http://a/\r\n\r\n<html><head>{}</head><body><h1>Rivers</h1><p>SHOWN</p>"
    "<p class=z>SECRET</p></body></html>\r\n--b\r\nContent-Type: text/css\r\nContent-ID: <c@x>\r\n"
    "Content-Location: http://a/s.css\r\n\r\n.z{{display:none}}\r\n--b--\r\n"
)

SAVED_PAGES = {
    "style sheet beside it": _text(_SAVED.format('<link href="s.css" rel="stylesheet">')),
    "style sheet by its id": _text(_SAVED.format("<LINK REL='stylesheet' HREF='cid:c@x' media=screen>")),
    "style": _text(_SAVED.format("<style>.z{opacity:0}</style>")),
}

RST = {
    "comment": _text("Rivers\n======\n\nSHOWN\n\n.. SECRET\n\nIt fell in June.\n"),
    "block comment": _text("Rivers\n======\n\nSHOWN\n\n..\n   SECRET\n\n   SECRET\n\nIt fell in June.\n"),
    "raw HTML": _text("Rivers\n======\n\nSHOWN\n\n.. raw:: html\n\n   <p hidden>SECRET</p>\n\nIt fell in June.\n"),
    "only": _text("Rivers\n======\n\nSHOWN\n\n.. only:: nonesuch\n\n   SECRET\n\nIt fell in June.\n"),
    "meta": _text("Rivers\n======\n\n.. meta::\n   :description: SECRET\n\nSHOWN\n"),
}

ORG = {
    "comment": _text("* Rivers\nSHOWN\n# SECRET\nIt fell in June.\n"),
    "block comment": _text("* Rivers\nSHOWN\n#+BEGIN_COMMENT\nSECRET\n#+END_COMMENT\nIt fell in June.\n"),
    "drawer": _text("* Rivers\n:PROPERTIES:\n:NOTE: SECRET\n:END:\nSHOWN\n"),
    "COMMENT heading": _text(
        "* Rivers\nSHOWN\n* COMMENT Drafts\nSECRET\n** Deeper\nSECRET\n* Others\nIt fell in June.\n"
    ),
    "noexport": _text("* Rivers\nSHOWN\n* Drafts :noexport:\nSECRET\n* Others\nIt fell in June.\n"),
    "HTML export": _text(
        "* Rivers\nSHOWN\n#+BEGIN_EXPORT html\n<p hidden>SECRET</p>\n#+END_EXPORT\nIt fell in June.\n"
    ),
}

MARKDOWN = {
    "comment": _text("# Rivers\n\nSHOWN\n\n<!-- SECRET -->\n\nIt fell in June.\n"),
    "comment in a line": _text("# Rivers\n\nSHOWN <!-- SECRET --> It fell in June.\n"),
    "comment that does not end": _text("# Rivers\n\nSHOWN\n\n<!-- SECRET\n"),
    "comment by a link": _text("# Rivers\n\nSHOWN\n\n[//]: # (SECRET)\n\nIt fell in June.\n"),
    "comment by a reference": _text('# Rivers\n\nSHOWN\n\n[note]: <> "SECRET"\n\nIt fell in June.\n'),
    "style": _text('# Rivers\n\nSHOWN\n\n<p style="display:none">SECRET</p>\n\nIt fell in June.\n'),
    "hidden": _text("# Rivers\n\nSHOWN\n\n<div hidden>\n\nSECRET\n\n</div>\n\nIt fell in June.\n"),
    "style in a line": _text('# Rivers\n\nSHOWN <span style="display:none">SECRET</span> It fell in June.\n'),
    "white in a line": _text('# Rivers\n\nSHOWN <span style="color:white">SECRET</span> It fell in June.\n'),
    "font of no size around blocks": _text(
        '# Rivers\n\nSHOWN\n\n<div style="font-size:0">\n\nSECRET\n\n- SECRET\n\n</div>\n\nIt fell in June.\n'
    ),
    "class": _text(
        '<style>.a{opacity:0}</style>\n\n# Rivers\n\nSHOWN\n\n<p class="a">SECRET</p>\n\nIt fell in June.\n'
    ),
    "class in a line": _text(
        '<style>.a{opacity:0}</style>\n\n# Rivers\n\nSHOWN <b class="a">SECRET</b> It fell in June.\n'
    ),
    "invisible characters": lambda: f"# Rivers\n\n{SHOWN} It{TAGGED} stood.\n".encode(),
    "template": _text("# Rivers\n\nSHOWN\n\n<template>SECRET</template>\n\nIt fell in June.\n"),
    "noscript": _text("# Rivers\n\nSHOWN\n\n<noscript>SECRET</noscript>\n\nIt fell in June.\n"),
    "hidden table": _text(
        '# Rivers\n\nSHOWN\n\n<table style="display:none"><tr><td>SECRET</td></tr></table>\n\nIt fell in June.\n'
    ),
}


def notebook(source: str, output: dict[str, object] | None = None) -> bytes:
    """Return a notebook with a cell of Markdown, and one of code if it has an output."""
    cells: list[dict[str, object]] = [{"cell_type": "markdown", "metadata": {}, "source": [source]}]
    if output is not None:
        shown = {"output_type": "display_data", "metadata": {}, "data": output}
        cells.append(
            {"cell_type": "code", "metadata": {}, "source": ["show()"], "outputs": [shown], "execution_count": 1}
        )
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


NOTEBOOKS = {
    "style": partial(notebook, f'# Rivers\n\n{SHOWN}\n\n<p style="display:none">{SECRET}</p>'),
    "style in a line": partial(notebook, f'# Rivers\n\n{SHOWN} <span style="font-size:0">{SECRET}</span>'),
    "comment": partial(notebook, f"# Rivers\n\n{SHOWN}\n\n<!-- {SECRET} -->"),
    "page of a cell": partial(
        notebook,
        f"# Rivers\n\n{SHOWN}",
        {
            "text/html": [f'<p>It fell.</p><p style="display:none">{SECRET}</p>'],
            "text/plain": ["<IPython.core.display.HTML object>"],
        },
    ),
    "table of a cell": partial(
        notebook,
        f"# Rivers\n\n{SHOWN}",
        {"text/html": [f'<table><tr><td>It fell</td><td style="display:none">{SECRET}</td></tr></table>']},
    ),
}


def _rtf(body: str) -> Callable[[], bytes]:
    return _text(
        "{\\rtf1\\ansi\\ansicpg1252{\\colortbl;\\red255\\green255\\blue255;\\red0\\green0\\blue0;}\\f0\\fs24 SHOWN"
        "\\par\n"
        f"{body}\\par\nIt fell in June.\\par}}"
    )


RTF = {
    "v": _rtf("{\\v SECRET}"),
    "v until v0": _rtf("It \\v SECRET\\v0  stood."),
    "v until plain": _rtf("It \\v SECRET\\plain  stood."),
    "white": _rtf("It {\\cf1 SECRET} stood."),
    "colour behind it": _rtf("It {\\cf2\\highlight2 SECRET} stood."),
    "size": _rtf("It {\\fs1 SECRET} stood."),
    "deleted": _rtf("It {\\deleted SECRET} stood."),
    "webhidden": _rtf("It {\\v\\webhidden SECRET} stood."),
    "unknown destination": _rtf("It {\\*\\nonesuch SECRET} stood."),
    "unicode": _rtf("It {\\v " + "".join(f"\\u{ord(one)}?" for one in SECRET) + "} stood."),
}

CAPTIONS = {
    "note": _text("WEBVTT\n\nNOTE SECRET\n\n00:01.000 --> 00:02.000\nSHOWN\n\nNOTE\nSECRET\nSECRET\n"),
    "style": _text("WEBVTT\n\nSTYLE\n::cue(SECRET){}\n\n00:01.000 --> 00:02.000\nSHOWN\n"),
}

_PAGE = "<html><head><style>{0}</style></head><body><h1>Rivers</h1><p>SHOWN</p>{1}<p>It fell in June.</p></body></html>"


def _page(hidden: str, style: str = "") -> Callable[[], bytes]:
    return _text(_PAGE.format(style, hidden))


def _styled(style: str) -> Callable[[], bytes]:
    return _page(f'<div style="{style}">SECRET</div>')


HTML = {
    "display": _styled("display:none"),
    "hidden": _page("<p hidden>SECRET</p>"),
    "class": _page('<p class="a">SECRET</p>', ".a{display:none}"),
    "visibility": _styled("visibility:hidden"),
    "collapse": _styled("visibility:collapse"),
    "white": _styled("color:#fff"),
    "colour of an ancestor": _page(
        '<section><div><p style="color:#102030">SECRET</p></div></section>', "section{background:#102030}"
    ),
    "opacity": _styled("opacity:0"),
    "filter": _styled("filter:opacity(0)"),
    "filter in percent": _styled("filter:opacity(0%)"),
    "font of no size": _styled("font-size:0"),
    "tiny font": _styled("font-size:0.1px"),
    "off the screen": _styled("position:absolute;left:-9999em"),
    "off to the right": _styled("position:absolute;left:99999px"),
    "clip": _styled("position:absolute;clip:rect(0,0,0,0)"),
    "clip-path": _styled("clip-path:polygon(0 0,0 0,0 0)"),
    "inset": _styled("clip-path:inset(0 100% 0 0)"),
    "indent": _styled("text-indent:-9999px"),
    "indent to the right": _styled("text-indent:100%;white-space:nowrap;overflow:hidden"),
    "height": _styled("max-height:0;overflow:hidden"),
    "scale": _styled("transform:scale(0)"),
    "scale x": _styled("transform:scaleX(0)"),
    "matrix": _styled("transform:matrix(0,0,0,0,0,0)"),
    "rotated": _styled("transform:rotateY(90deg)"),
    "zoom": _styled("zoom:0.001"),
    "transparent": _styled("color:transparent"),
    "text fill": _styled("-webkit-text-fill-color:transparent"),
    "media": _page('<p class="a">SECRET</p>', "@media screen{.a{display:none}}"),
    "media with a width": _page('<p class="a">SECRET</p>', "@media (min-width:1px){.a{display:none}}"),
    "variable": _page('<p style="display:var(--x)">SECRET</p>', ":root{--x:none}"),
    "template": _page("<template><p>SECRET</p></template>"),
    "noscript": _page("<noscript><p>SECRET</p></noscript>"),
    "comment": _page("<!-- SECRET -->"),
    "script": _page("<script>SECRET</script>"),
    "dialog": _page("<dialog><p>SECRET</p></dialog>"),
    "input": _page('<form><input type="hidden" value="SECRET"></form>'),
    "mask": _styled("-webkit-mask-image:linear-gradient(transparent,transparent)"),
    "margin": _styled("margin-left:-9999px"),
    "nested": _page('<section style="height:0;overflow:hidden"><p>SECRET</p></section>'),
    "nesting of rules": _page('<section><p class="a">SECRET</p></section>', "section{.a{display:none}}"),
    "hidden column": _page("<table><tr><td>It fell</td><td style='display:none'>SECRET</td></tr></table>"),
    "collapsed column": _page(
        '<table><colgroup><col><col style="visibility:collapse"></colgroup><tr><td>It fell</td><td>SECRET</td></tr>'
        "<tr><td>again</td><td>SECRET</td></tr></table>"
    ),
    "option of a list": _page("<datalist><option>SECRET</option></datalist>"),
    "svg": _page('<svg><desc>SECRET</desc><text display="none">SECRET</text></svg>'),
    "offset path": _styled("position:fixed;inset:auto auto 200vh auto"),
    "invisible characters": lambda: _PAGE.format("", f"<p>It{TAGGED} stood.</p>").replace("SHOWN", SHOWN).encode(),
}


def book(hidden: str, style: str = "") -> bytes:
    """Return an EPUB with one chapter."""
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    page = (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><style>{style}</style></head><body><h1>Rivers</h1>'
        f"<p>{SHOWN}</p>{hidden}</body></html>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("a.opf", package)
        archive.writestr("a.xhtml", page)
    return out.getvalue()


BOOKS = {
    "display": partial(book, f'<p style="display:none">{SECRET}</p>'),
    "class": partial(book, f'<p class="a">{SECRET}</p>', ".a{opacity:0}"),
    "white": partial(book, f'<p style="color:#ffffff">{SECRET}</p>'),
    "font of no size": partial(book, f'<p><span style="font-size:0">{SECRET}</span></p>'),
    "hidden": partial(book, f'<p hidden="hidden">{SECRET}</p>'),
}

PLAIN = {
    "tags": lambda: f"{SHOWN} It{TAGGED} stood.".encode(),
    "selectors": lambda: f"{SHOWN} It{''.join(chr(0xE0100 + ord(one) % 240) for one in SECRET)} stood.".encode(),
}
