"""Files of many formats that each hold one sentence which no person sees, by many ways; made here, from nowhere else.

``FILES`` is format to way to a function that returns the bytes of the file. ``SEEN`` is the same for sentences that a
person sees although they look hidden.
"""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, Any

from docx import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl import Workbook
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.colors import Color
from pptx import Presentation
from pptx.oxml import parse_xml as parse_slide_xml
from pptx.util import Emu, Inches
from unseen_odf import ODP, ODS, ODT
from unseen_sentence import SECRET, SHOWN, TAGGED
from unseen_texts import (
    ASCIIDOC,
    BOOKS,
    CAPTIONS,
    HTML,
    LATEX,
    MARKDOWN,
    NOTEBOOKS,
    ORG,
    PLAIN,
    RST,
    RTF,
    SAVED_PAGES,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# -- Word -----------------------------------------------------------------------------------------------------------


def _run(properties: str, text: str = SECRET) -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def _paragraph(runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


def text_box(
    anchor: str = "",
    hidden: str = "",
    x: int = 0,
    size: tuple[int, int] = (3_000_000, 600_000),
    fill: str = "",
    run: str = "",
    body: str = "",
) -> str:
    """Return a paragraph with a text box, with its copy for old programs."""
    cx, cy = size
    content = f"<w:txbxContent><w:p>{run or _run('')}</w:p></w:txbxContent>"
    return (
        '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor distT="0" distB="0" distL="0"'
        ' distR="0" simplePos="0" relativeHeight="1" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1">'
        '<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="page"><wp:posOffset>'
        f'{x}</wp:posOffset></wp:positionH><wp:positionV relativeFrom="paragraph"><wp:posOffset>0</wp:posOffset>'
        f'</wp:positionV><wp:extent cx="{cx}" cy="{cy}"/><wp:wrapNone/><wp:docPr id="9" name="Box"{hidden}/>'
        '<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>'
        f'<wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{cx}" cy="{cy}"/></a:xfrm>'
        f'<a:prstGeom prst="rect"/>{fill}</wps:spPr><wps:txbx>{content}</wps:txbx>'
        f"<wps:bodyPr>{body}</wps:bodyPr></wps:wsp>"
        "</a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape"
        f"{anchor}><v:textbox>{content}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )


_WORD_SPACES = (
    f'{nsdecls("w", "wp", "a", "r")} xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)


def word(blocks: str, styles: str = "", *, background: str = "") -> bytes:
    """Return a Word file with blocks between two paragraphs that are seen."""
    document: Any = WordDocument()
    first = document.add_paragraph(SHOWN)
    document.add_paragraph("It fell in June.")
    held: Any = parse_xml(f"<w:body {_WORD_SPACES}>{blocks}</w:body>")
    for block in reversed(list(held)):
        first._p.addnext(block)
    for style in parse_xml(f"<w:styles {_WORD_SPACES}>{styles}</w:styles>") if styles else ():
        document.styles.element.append(style)
    if background:
        document.element.insert(0, parse_xml(f'<w:background {_WORD_SPACES} w:color="{background}"/>'))
        document.settings.element.insert(0, parse_xml(f"<w:displayBackgroundShape {_WORD_SPACES}/>"))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


_HIDDEN_STYLE = '<w:style w:type="paragraph" w:styleId="Z"><w:name w:val="Z"/><w:rPr><w:vanish/></w:rPr></w:style>'
_PALE_STYLE = (
    '<w:style w:type="character" w:styleId="Y"><w:name w:val="Y"/><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Z"><w:name w:val="Z"/><w:basedOn w:val="Y"/></w:style>'
)
_CELL = (
    "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>{row}<w:tc><w:tcPr>{cell}</w:tcPr>{held}</w:tc></w:tr>"
    "</w:tbl>"
)
_GONE = '<w14:textFill xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml">{0}</w14:textFill>'

WORD = {
    "vanish": partial(word, _paragraph(_run("<w:vanish/>"))),
    "vanish within a sentence": partial(
        word, _paragraph(_run("", "Before ") + _run("<w:vanish/>") + _run("", " after."))
    ),
    "vanish by style": partial(word, _paragraph(_run(""), '<w:pStyle w:val="Z"/>'), _HIDDEN_STYLE),
    "white": partial(word, _paragraph(_run('<w:color w:val="FFFFFF"/>'))),
    "nearly white": partial(word, _paragraph(_run('<w:color w:val="FEFEFE"/>'))),
    "white by theme": partial(word, _paragraph(_run('<w:color w:val="auto" w:themeColor="background1"/>'))),
    "white by style": partial(word, _paragraph(_run('<w:rStyle w:val="Z"/>')), _PALE_STYLE),
    "colour of its shade": partial(
        word, _paragraph(_run('<w:color w:val="123456"/><w:shd w:val="clear" w:color="auto" w:fill="123456"/>'))
    ),
    "colour of its cell": partial(
        word,
        _CELL.format(
            row="", cell='<w:shd w:val="clear" w:fill="000000"/>', held=_paragraph(_run('<w:color w:val="000000"/>'))
        ),
    ),
    "colour of the page": partial(word, _paragraph(_run('<w:color w:val="203040"/>')), background="203040"),
    "one point": partial(word, _paragraph(_run('<w:sz w:val="2"/>'))),
    "transparent": partial(word, _paragraph(_run(_GONE.format("<w14:noFill/>")))),
    "alpha": partial(
        word,
        _paragraph(
            _run(
                _GONE.format(
                    '<w14:solidFill><w14:srgbClr w14:val="000000"><w14:alpha w14:val="100000"/></w14:srgbClr>'
                    "</w14:solidFill>"
                )
            )
        ),
    ),
    "line of no height": partial(word, _paragraph(_run(""), '<w:spacing w:line="1" w:lineRule="exact"/>')),
    "indented off the page": partial(word, _paragraph(_run(""), '<w:ind w:left="-20000"/>')),
    "frame off the page": partial(
        word, _paragraph(_run(""), '<w:framePr w:w="3000" w:hAnchor="page" w:vAnchor="page" w:x="-9000" w:y="100"/>')
    ),
    "hidden row": partial(word, _CELL.format(row="<w:trPr><w:hidden/></w:trPr>", cell="", held=_paragraph(_run("")))),
    "hidden shape": partial(word, text_box(' style="visibility:hidden"', ' hidden="1"')),
    "shape off the page": partial(word, text_box(' style="position:absolute;margin-left:-900pt"', x=-9_000_000)),
    "shape in its own colour": partial(
        word,
        text_box(
            ' fillcolor="#102030"',
            fill='<a:solidFill><a:srgbClr val="102030"/></a:solidFill>',
            run=_run('<w:color w:val="102030"/>'),
        ),
    ),
    "invisible characters": partial(word, _paragraph(_run("", f"It{TAGGED} stood."))),
}


# -- PowerPoint -----------------------------------------------------------------------------------------------------


def slides(change: Callable[[Any, Any], None], text: str = SECRET) -> bytes:
    """Return a presentation whose second text box is changed: ``change(presentation, shape)``."""
    deck: Any = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    shown = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(6), Inches(1))
    shown.text_frame.text = SHOWN
    other = deck.slides.add_slide(deck.slide_layouts[6])
    shape = other.shapes.add_textbox(Inches(1), Inches(3), Inches(6), Inches(1))
    shape.text_frame.text = text
    change(deck, shape)
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def _fill(shape: Any, xml: str) -> None:
    run = shape.text_frame.paragraphs[0].runs[0]
    held: Any = parse_slide_xml(f"<a:rPr {nsdecls('a')}>{xml}</a:rPr>")
    run._r.get_or_add_rPr().insert(0, held[0])


def _slide_hidden(deck: Any, shape: Any) -> None:
    deck.slides[1]._element.set("show", "0")


def _notes_of_hidden(deck: Any, shape: Any) -> None:
    _slide_hidden(deck, shape)
    deck.slides[1].notes_slide.notes_text_frame.text = SECRET


def _shape_hidden(deck: Any, shape: Any) -> None:
    shape._element.nvSpPr.cNvPr.set("hidden", "1")


def _placed(left: int, top: int) -> Callable[[Any, Any], None]:
    def change(deck: Any, shape: Any) -> None:
        shape.left, shape.top = Emu(left), Emu(top)

    return change


def _filled(xml: str) -> Callable[[Any, Any], None]:
    return lambda deck, shape: _fill(shape, xml)


def _sized(deck: Any, shape: Any) -> None:
    shape.text_frame.paragraphs[0].runs[0].font.size = Emu(12700)


def _own_colour(deck: Any, shape: Any) -> None:
    from pptx.dml.color import RGBColor

    shape.fill.solid()
    shape.fill.fore_color.rgb = RGBColor(0x10, 0x20, 0x30)  # type: ignore[no-untyped-call]
    _fill(shape, '<a:solidFill><a:srgbClr val="102030"/></a:solidFill>')


def _slide_colour(deck: Any, shape: Any) -> None:
    from pptx.dml.color import RGBColor

    ground = deck.slides[1].background.fill
    ground.solid()
    ground.fore_color.rgb = RGBColor(0x10, 0x20, 0x30)  # type: ignore[no-untyped-call]
    _fill(shape, '<a:solidFill><a:srgbClr val="102030"/></a:solidFill>')


def _group_off(deck: Any, shape: Any) -> None:
    slide = deck.slides[1]
    group = slide.shapes.add_group_shape([shape])
    group.left = Emu(-20_000_000)


def _group_hidden(deck: Any, shape: Any) -> None:
    group = deck.slides[1].shapes.add_group_shape([shape])
    group._element.nvGrpSpPr.cNvPr.set("hidden", "1")


def _covered(deck: Any, shape: Any) -> None:
    from pptx.dml.color import RGBColor

    cover = deck.slides[1].shapes.add_shape(1, Inches(0), Inches(2), Inches(9), Inches(4))
    cover.fill.solid()
    cover.fill.fore_color.rgb = RGBColor(0x10, 0x20, 0x30)  # type: ignore[no-untyped-call]


def _table_off(deck: Any, shape: Any) -> None:
    table = deck.slides[1].shapes.add_table(2, 2, Emu(-9_000_000), Inches(1), Inches(4), Inches(1))
    table.table.cell(0, 0).text = SECRET
    shape.text_frame.text = "It fell in June."


SLIDES = {
    "hidden slide": partial(slides, _slide_hidden),
    "notes of a hidden slide": partial(slides, _notes_of_hidden),
    "hidden shape": partial(slides, _shape_hidden),
    "hidden group": partial(slides, _group_hidden),
    "left of the slide": partial(slides, _placed(-9_000_000, 3_000_000)),
    "below the slide": partial(slides, _placed(1_000_000, 9_000_000)),
    "group off the slide": partial(slides, _group_off),
    "table off the slide": partial(slides, _table_off),
    "white": partial(slides, _filled('<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>')),
    "white by theme": partial(slides, _filled('<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>')),
    "no fill": partial(slides, _filled("<a:noFill/>")),
    "transparent": partial(
        slides, _filled('<a:solidFill><a:srgbClr val="000000"><a:alpha val="0"/></a:srgbClr></a:solidFill>')
    ),
    "colour of its shape": partial(slides, _own_colour),
    "colour of its slide": partial(slides, _slide_colour),
    "one point": partial(slides, _sized),
    "covered by a shape": partial(slides, _covered),
    "invisible characters": partial(slides, lambda deck, shape: None, f"It{TAGGED} stood."),
}


# -- sheets ---------------------------------------------------------------------------------------------------------


def sheet(change: Callable[[Any], None], *, far: bool = False) -> bytes:
    """Return a workbook with a table whose third row and third column hold the secret; ``change`` hides them."""
    book: Any = Workbook()
    table = book.active
    table.title = "Rivers"
    rows = [["river", "remark", "metres"], ["Trent", SHOWN, 4], ["Ouse", "It fell in June.", 5], ["Wye", "low", 6]]
    for row in rows:
        table.append(row)
    change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _cell(**style: object) -> Callable[[Any], None]:
    def change(book: Any) -> None:
        cell = book.active["B3"]
        cell.value = SECRET
        for name, value in style.items():
            setattr(cell, name, value)

    return change


def _row_hidden(book: Any) -> None:
    book.active["B3"] = SECRET
    book.active.row_dimensions[3].hidden = True


def _row_flat(book: Any) -> None:
    book.active["B3"] = SECRET
    book.active.row_dimensions[3].height = 0.5


def _rows_hidden(book: Any) -> None:
    for row in range(5, 12):
        book.active.append(["Severn", SECRET, row])
        book.active.row_dimensions[row].hidden = True
    book.active.append(["Tees", "high", 9])


def _column_hidden(book: Any) -> None:
    for row in range(1, 5):
        book.active.cell(row, 4, SECRET)
    book.active.column_dimensions["D"].hidden = True


def _column_flat(book: Any) -> None:
    for row in range(1, 5):
        book.active.cell(row, 4, SECRET)
    book.active.column_dimensions["D"].width = 0.001


def _columns_grouped(book: Any) -> None:
    for row in range(1, 5):
        for column in (4, 5, 6):
            book.active.cell(row, column, SECRET)
    book.active.column_dimensions.group("D", "F", hidden=True)


def _sheet(state: str, title: str = "Other") -> Callable[[Any], None]:
    def change(book: Any) -> None:
        other = book.create_sheet(title)
        other.append([SECRET, "b"])
        other.append(["a", SECRET])
        other.sheet_state = state

    return change


def _lonely(book: Any) -> None:
    book.active["H30"] = SECRET
    book.active["H30"].font = Font(color="FFFFFFFF")


def _large(book: Any) -> None:
    table = book.active
    for row in range(5, 20_100):
        table.append(["Severn", "high", row, *range(8)])
    table["B3"] = SECRET
    table.row_dimensions[3].hidden = True
    table["B900"] = SECRET
    table["B900"].font = Font(color="FFFFFFFF")
    for row in (1, 8, 9000):
        table.cell(row, 12, SECRET)
    table.column_dimensions["L"].hidden = True


SHEETS = {
    "hidden sheet": partial(sheet, _sheet("hidden")),
    "very hidden sheet": partial(sheet, _sheet("veryHidden")),
    "name of a hidden sheet": partial(sheet, _sheet("hidden", "Zyxomma to Qoph")),
    "hidden row": partial(sheet, _row_hidden),
    "row of no height": partial(sheet, _row_flat),
    "many hidden rows": partial(sheet, _rows_hidden),
    "hidden column": partial(sheet, _column_hidden),
    "column of no width": partial(sheet, _column_flat),
    "group of hidden columns": partial(sheet, _columns_grouped),
    "format ;;;": partial(sheet, _cell(number_format=";;;")),
    "white": partial(sheet, _cell(font=Font(color="FFFFFFFF"))),
    "white by theme": partial(sheet, _cell(font=Font(color=Color(theme=0)))),
    "white by index": partial(sheet, _cell(font=Font(color=Color(indexed=9)))),
    "colour of its fill": partial(
        sheet, _cell(font=Font(color="FF102030"), fill=PatternFill("solid", fgColor="FF102030"))
    ),
    "one point": partial(sheet, _cell(font=Font(size=1))),
    "white and alone": partial(sheet, _lonely),
    "large workbook": partial(sheet, _large),
    "invisible characters": partial(sheet, lambda book: book.active.append(["Tees", f"It{TAGGED} stood", 3])),
}


FILES: dict[str, Mapping[str, Callable[[], bytes]]] = {
    "docx": WORD,
    "pptx": SLIDES,
    "xlsx": SHEETS,
    "odt": ODT,
    "ods": ODS,
    "odp": ODP,
    "html": HTML,
    "epub": BOOKS,
    "md": MARKDOWN,
    "ipynb": NOTEBOOKS,
    "tex": LATEX,
    "adoc": ASCIIDOC,
    "mhtml": SAVED_PAGES,
    "rst": RST,
    "org": ORG,
    "rtf": RTF,
    "vtt": CAPTIONS,
    "txt": PLAIN,
}
"""Files with a sentence that nobody sees, by the ending of their name and the way."""
