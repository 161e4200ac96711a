"""EPUB books whose table of contents alone names the chapters, of fixed layout, and with pages that are drawings."""
# ruff: noqa: E501 - markup of the books

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from office_files import check_draft, read, texts

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

_TEXT = "The path climbs from the village through the woods to the hut, and down again on the other side."


def _book(path: Path, pages: dict[str, str], points: str = "", nav: str = "", more: str = "") -> Draft:
    kinds = {name: "image/svg+xml" if name.endswith(".svg") else "application/xhtml+xml" for name in pages}
    items = "".join(f'<item id="i{n}" href="{name}" media-type="{kinds[name]}"/>' for n, name in enumerate(pages))
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(pages)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:title>Walks</dc:title>{more}</metadata><manifest>{items}<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        f'<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest><spine toc="ncx">{spine}</spine></package>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="o.opf"/></rootfiles></container>',
        )
        archive.writestr("o.opf", package)
        archive.writestr(
            "toc.ncx", f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'
        )
        if nav:
            archive.writestr(
                "nav.xhtml",
                f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol>{nav}</ol></nav></body></html>',
            )
        for name, body in pages.items():
            held = (
                body
                if name.endswith(".svg")
                else f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'
            )
            archive.writestr(name, held)
    draft = read(path)
    check_draft(draft)
    return draft


def _point(label: str, src: str, inner: str = "") -> str:
    return f'<navPoint><navLabel><text>{label}</text></navLabel><content src="{src}"/>{inner}</navPoint>'


def _headings(draft: Draft) -> list[tuple[int | None, str]]:
    return [(one.level, one.text) for one in draft.nodes if one.type == "HEADING"]


def test_labels_of_an_ncx_are_headings_where_they_point(tmp_path: Path) -> None:
    pages = {
        "a.xhtml": f"<p class='t'><b>The Wood</b></p><p>{_TEXT}</p><p id='two'>THE HUT</p><p>{_TEXT}</p>",
        "b.xhtml": f"<div><img src='x.png' alt=''/></div><p>{_TEXT}</p>",
        "c.xhtml": f"<h3>The Lake</h3><p>{_TEXT}</p>",
    }
    points = _point("Up", "a.xhtml", _point("The Wood", "a.xhtml") + _point("The Hut", "a.xhtml#two")) + _point(
        "Down", "b.xhtml", _point("The Lake", "c.xhtml")
    )
    draft = _book(tmp_path / "a.epub", pages, points)
    assert _headings(draft) == [(1, "Up"), (2, "The Wood"), (2, "THE HUT"), (1, "Down"), (2, "The Lake")]
    assert texts(draft, "PARAGRAPH") == [_TEXT] * 4


def test_labels_of_a_nav_document_and_parts_without_a_place(tmp_path: Path) -> None:
    pages = {"a.xhtml": f"<p>{_TEXT}</p>", "b.xhtml": f"<p>{_TEXT}</p>"}
    nav = "<li><span>Summer</span><ol><li><a href='a.xhtml'>June</a></li><li><a href='b.xhtml'>July</a></li></ol></li>"
    assert _headings(_book(tmp_path / "a.epub", pages, nav=nav)) == [(1, "Summer"), (2, "June"), (2, "July")]


def test_headings_of_a_book_that_has_them_keep_their_levels(tmp_path: Path) -> None:
    pages = {
        "a.xhtml": f"<h2>Wood</h2><p>{_TEXT}</p><h3>Hut</h3><p>{_TEXT}</p>",
        "b.xhtml": f"<h2>Lake</h2><p>{_TEXT}</p>",
    }
    draft = _book(tmp_path / "a.epub", pages, _point("Wood", "a.xhtml") + _point("Lake", "b.xhtml"))
    assert _headings(draft) == [(1, "Wood"), (2, "Hut"), (1, "Lake")]


def test_pages_of_fixed_layout_and_drawings(tmp_path: Path) -> None:
    place = "<span style='position:absolute;left:{}px'>{}</span>"
    words = "".join(place.format(number * 40, word) for number, word in enumerate(["The", "otter", "dives."]))
    plain = "<p><span>Every</span><span>word</span></p>"
    drawing = "<svg xmlns='http://www.w3.org/2000/svg'><title>x</title><text>A drawn <tspan>line</tspan></text><text>and more</text></svg>"
    fixed = '<meta property="rendition:layout">pre-paginated</meta>'
    draft = _book(
        tmp_path / "a.epub",
        {"a.xhtml": f"<div>{words}</div>{plain}", "b.svg": drawing, "c.xhtml": f"<div>{drawing}</div>"},
        more=fixed,
    )
    assert texts(draft, "PARAGRAPH") == [
        "The otter dives.",
        "Every word",
        "A drawn line",
        "and more",
        "A drawn line",
        "and more",
    ]
    loose = _book(tmp_path / "b.epub", {"a.xhtml": f"<div>{words}</div><p><span>To</span><span>gether</span></p>"})
    assert texts(loose, "PARAGRAPH") == ["The otter dives.", "Together"]
