"""OpenDocument files that each hold one sentence which no person sees."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from typing import TYPE_CHECKING

from unseen_sentence import SECRET, SHOWN, TAGGED

if TYPE_CHECKING:
    from collections.abc import Callable

_ODF = (
    " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for short, long in {
            **{"office": "office", "text": "text", "style": "style", "table": "table", "draw": "drawing"},
            **{"fo": "xsl-fo-compatible", "svg": "svg-compatible", "presentation": "presentation"},
            **{"number": "datastyle"},
        }.items()
    )
    + ' xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
)


def odf(kind: str, body: str, styles: str = "") -> bytes:
    """Return an OpenDocument file with a body and automatic styles."""
    mime = f"application/vnd.oasis.opendocument.{kind}"
    page = (
        f'<office:document-styles {_ODF} office:version="1.3"><office:automatic-styles><style:page-layout'
        ' style:name="L"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/>'
        '</style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="M"'
        ' style:page-layout-name="L"/></office:master-styles></office:document-styles>'
    )
    content = (
        f'<office:document-content {_ODF} office:version="1.3"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    )
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{media}"/>'
        for name, media in (("/", mime), ("content.xml", "text/xml"), ("styles.xml", "text/xml"))
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", mime)
        archive.writestr("content.xml", content)
        archive.writestr("styles.xml", page)
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
            f' manifest:version="1.3">{listed}</manifest:manifest>',
        )
    return out.getvalue()


def odt(block: str, styles: str = "") -> bytes:
    """Return a text of OpenDocument with a block between two paragraphs that are seen."""
    body = f"<text:p>{SHOWN}</text:p>{block}<text:p>It fell in June.</text:p>"
    return odf("text", f"<office:text>{body}</office:text>", styles)


def _style(properties: str, family: str = "paragraph", more: str = "") -> str:
    return f'<style:style style:name="Z" style:family="{family}"{more}>{properties}</style:style>'


def _span(properties: str) -> Callable[[], bytes]:
    span = f'<text:p>Before <text:span text:style-name="Z">{SECRET}</text:span> after.</text:p>'
    return partial(odt, span, _style(f"<style:text-properties {properties}/>", "text"))


ODT: dict[str, Callable[[], bytes]] = {
    "hidden characters": _span('text:display="none"'),
    "hidden paragraph": partial(
        odt, f'<text:p text:style-name="Z">{SECRET}</text:p>', _style('<style:text-properties text:display="none"/>')
    ),
    "hidden paragraph by condition": partial(
        odt, f'<text:p><text:hidden-paragraph text:condition="ooow:1" text:is-hidden="true"/>{SECRET}</text:p>'
    ),
    "hidden text by condition": partial(
        odt,
        f'<text:p>It <text:hidden-text text:condition="ooow:1" text:string-value="{SECRET}" text:is-hidden="true">'
        f"{SECRET}</text:hidden-text> stood.</text:p>",
    ),
    "hidden section": partial(
        odt, f'<text:section text:name="S" text:display="none"><text:p>{SECRET}</text:p></text:section>'
    ),
    "hidden section by condition": partial(
        odt,
        '<text:section text:name="S" text:display="condition" text:condition="ooow:1" text:is-hidden="true"><text:p>'
        f"{SECRET}</text:p></text:section>",
    ),
    "white": _span('fo:color="#ffffff"'),
    "colour behind it": _span('fo:color="#102030" fo:background-color="#102030"'),
    "one point": _span('fo:font-size="1pt"'),
    "transparent": _span('fo:color="#000000" loext:opacity="0%"'),
    "shape off the page": partial(
        odt,
        '<text:p><draw:frame text:anchor-type="page" text:anchor-page-number="1" svg:x="-60cm" svg:y="2cm"'
        f' svg:width="6cm" svg:height="2cm"><draw:text-box><text:p>{SECRET}</text:p>'
        "</draw:text-box></draw:frame></text:p>",
    ),
    "invisible characters": partial(odt, f"<text:p>It{TAGGED} stood.</text:p>"),
}


def ods(
    row: str = "", column: str = "", cell: str = "", table: str = "", styles: str = "", text: str = SECRET
) -> bytes:
    """Return a sheet whose third row, third column or cell is hidden, or a second sheet if ``table`` is set."""

    def cells(*texts: str, last: str = "") -> str:
        return "".join(
            f'<table:table-cell office:value-type="string"{last if place == 1 else ""}><text:p>{one}</text:p>'
            "</table:table-cell>"
            for place, one in enumerate(texts)
        )

    text = SECRET
    hidden = text if not table else "low"
    extra = text if column else "high"
    rows = (
        f"<table:table-row>{cells('river', 'remark', extra)}</table:table-row>"
        f"<table:table-row>{cells('Trent', SHOWN, extra)}</table:table-row>"
        f"<table:table-row {row}>{cells('Ouse', 'low' if column else hidden, extra, last=cell)}</table:table-row>"
        f"<table:table-row>{cells('Wye', 'It fell in June.', extra)}</table:table-row>"
    )
    columns = f'<table:table-column table:number-columns-repeated="2"/><table:table-column {column}/>'
    sheets = f'<table:table table:name="Rivers">{columns}{rows}</table:table>'
    if table:
        rows = f"<table:table-row>{cells(text, text)}</table:table-row>"
        sheets += f'<table:table table:name="Zyxomma" {table}>{rows}</table:table>'
    return odf("spreadsheet", f"<office:spreadsheet>{sheets}</office:spreadsheet>", styles)


ODS = {
    "hidden sheet": partial(
        ods, table='table:style-name="Z"', styles=_style('<style:table-properties table:display="false"/>', "table")
    ),
    "hidden row": partial(ods, row='table:visibility="collapse"'),
    "filtered row": partial(ods, row='table:visibility="filter"'),
    "hidden column": partial(ods, column='table:visibility="collapse"'),
    "row of no height": partial(
        ods,
        row='table:style-name="Z"',
        styles=_style('<style:table-row-properties style:row-height="0cm"/>', "table-row"),
    ),
    "column of no width": partial(
        ods,
        column='table:style-name="Z"',
        styles=_style('<style:table-column-properties style:column-width="0cm"/>', "table-column"),
    ),
    "white": partial(
        ods,
        cell=' table:style-name="Z"',
        styles=_style('<style:text-properties fo:color="#ffffff"/>', "table-cell"),
    ),
    "colour of its cell": partial(
        ods,
        cell=' table:style-name="Z"',
        styles=_style(
            '<style:table-cell-properties fo:background-color="#102030"/><style:text-properties fo:color="#102030"/>',
            "table-cell",
        ),
    ),
    "hidden by protection": partial(
        ods,
        cell=' table:style-name="Z"',
        styles=_style('<style:text-properties fo:font-size="1pt"/>', "table-cell"),
    ),
}


def odp(shape: str, page: str = "", styles: str = "") -> bytes:
    """Return slides, the second with a shape."""
    box = (
        '<draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>{0}</text:p>'
        "</draw:text-box></draw:frame>"
    )
    pages = (
        f'<draw:page draw:name="a" draw:master-page-name="M">{box.format(SHOWN)}</draw:page>'
        f'<draw:page draw:name="b" draw:master-page-name="M" {page}>{shape or box.format(SECRET)}</draw:page>'
    )
    return odf("presentation", f"<office:presentation>{pages}</office:presentation>", styles)


_FRAME = (
    '<draw:frame svg:x="{x}" svg:y="2cm" svg:width="20cm" svg:height="3cm"{more}><draw:text-box><text:p>'
    f'<text:span text:style-name="Z">{SECRET}</text:span></text:p></draw:text-box></draw:frame>'
)

ODP = {
    "hidden slide": partial(
        odp,
        "",
        'draw:style-name="Z"',
        _style('<style:drawing-page-properties presentation:visibility="hidden"/>', "drawing-page"),
    ),
    "off the slide": partial(odp, _FRAME.format(x="-40cm", more="")),
    "right of the slide": partial(odp, _FRAME.format(x="40cm", more="")),
    "shape that is not drawn": partial(odp, _FRAME.format(x="2cm", more=' draw:display="none"')),
    "white": partial(
        odp, _FRAME.format(x="2cm", more=""), "", _style('<style:text-properties fo:color="#ffffff"/>', "text")
    ),
}
