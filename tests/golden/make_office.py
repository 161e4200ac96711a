"""Makes the Office files and the book in EPUB of the library: python tests/golden/make_office.py. The same bytes every time.

As make_documents.py: nothing here knows what the truth files say.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from typing import Any

import docx
import pptx
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt
from make_documents import HERE
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Font
from PIL import Image, ImageDraw
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

WHEN = dt.datetime(2024, 1, 15, 9, 0)


def packed(data: bytes, changed: dict[str, Any] | None = None) -> bytes:
    """A ZIP with the same dates every time; ``changed`` maps names to functions of their text, or to new text."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        files = {name: source.read(name) for name in source.namelist()}
        for name, change in (changed or {}).items():
            text = change(files[name].decode()) if callable(change) else change
            files[name] = text.encode()
        for name, content in files.items():
            inner = packed(content, {"docProps/core.xml": undated}) if name.endswith(".xlsx") else content
            target.writestr(zipfile.ZipInfo(name, (2024, 1, 15, 9, 0, 0)), inner, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def undated(text: str) -> str:
    """Properties of a workbook without the time at which it was written."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", f"{WHEN:%Y-%m-%dT%H:%M:%SZ}", text)


def drawing() -> io.BytesIO:
    image = Image.new("RGB", (320, 160), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 60, 300, 140), outline="black")
    draw.line((20, 60, 160, 10, 300, 60), fill="black")
    data = io.BytesIO()
    image.save(data, "PNG")
    data.seek(0)
    return data


def field(paragraph: Any, code: str, shown: str) -> None:
    """A field as Word writes it: begin, instruction, separator, what it shows, end."""
    for part in ('<w:fldChar w:fldCharType="begin"/>', f'<w:instrText xml:space="preserve"> {code} </w:instrText>',
                 '<w:fldChar w:fldCharType="separate"/>', f"<w:t>{shown}</w:t>", '<w:fldChar w:fldCharType="end"/>'):  # fmt: skip
        paragraph._p.append(parse_xml(f"<w:r {nsdecls('w')}>{part}</w:r>"))


def bookmark(paragraph: Any, name: str, number: int) -> None:
    paragraph._p.insert(1, parse_xml(f'<w:bookmarkStart {nsdecls("w")} w:id="{number}" w:name="{name}"/>'))
    paragraph._p.append(parse_xml(f'<w:bookmarkEnd {nsdecls("w")} w:id="{number}"/>'))


def footmark(paragraph: Any, number: int) -> None:
    paragraph._p.append(parse_xml(f'<w:r {nsdecls("w")}><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
                                  f'<w:footnoteReference w:id="{number}"/></w:r>'))  # fmt: skip


FOOTNOTES = ["The survey of 1988 counted lofts as floors.", "Where the owner was away, the neighbour was asked."]


def report() -> None:
    document = docx.Document()
    document.core_properties.author = "Office"
    document.core_properties.title = ""
    document.core_properties.created = document.core_properties.modified = WHEN
    section = document.sections[0]
    section.header.paragraphs[0].text = "Roofs of Kettle Street – draft 3"
    foot = section.footer.paragraphs[0]
    foot.add_run("Page ")
    field(foot, "PAGE", "1")
    document.add_paragraph("The roofs of Kettle Street", style="Title")
    document.add_paragraph("A survey of forty houses", style="Subtitle")
    document.add_paragraph("Lena Marsh and Okke Visser")
    document.add_paragraph("Town Archive, January 2024")
    document.add_heading("1 Why roofs", 1)
    lines = document.add_paragraph("Kettle Street has forty houses from before 1900. Their roofs were surveyed in 1988")
    footmark(lines, 2)
    lines.add_run(" and again in 2023. This report says what has changed. ")
    lines.add_run("Section 3").italic = True
    lines.add_run(" says what ought to be done.")
    changed = document.add_paragraph("Of the forty roofs ")
    changed._p.append(parse_xml(f'<w:del {nsdecls("w")} w:id="70" w:author="OV" w:date="2024-01-12T10:00:00Z"><w:r>'
                                "<w:delText>nearly a third</w:delText></w:r></w:del>"))  # fmt: skip
    changed._p.append(parse_xml(f'<w:ins {nsdecls("w")} w:id="71" w:author="OV" w:date="2024-01-12T10:00:00Z"><w:r>'
                                "<w:t>eleven</w:t></w:r></w:ins>"))  # fmt: skip
    changed.add_run(" still carry the tiles of their first builder.")
    document.add_heading("2 What was found", 1)
    document.add_heading("2.1 Tiles", 2)
    seen = document.add_paragraph("Three kinds of tile were found (")
    field(seen, "REF tab_tiles \\h", "Table 1")
    seen.add_run("). Every house was entered.")
    footmark(seen, 3)
    caption = document.add_paragraph("Table ", style="Caption")
    field(caption, "SEQ Table \\* ARABIC", "1")
    bookmark(caption, "tab_tiles", 1)
    caption.add_run(": Tiles by side of the street")
    table = document.add_table(rows=5, cols=4, style="Table Grid")
    cells = [["Tile", "North side", "", "South side"], ["", "1988", "2023", "2023"], ["Pantile", "12", "9", "11"],
             ["Slate", "7", "6", "9"], ["Concrete", "0", "4", "1"]]  # fmt: skip
    for row, words in zip(table.rows, cells, strict=True):
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    for row in table.rows[:2]:
        row._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {nsdecls('w')}/>"))
    document.add_heading("2.2 Frames", 2)
    document.add_paragraph("The frames are of three ages:")
    for item, look in (("oak, pegged, before 1780;", "List Bullet"), ("pine, nailed:", "List Bullet"),
                        ("cut by hand, to 1850;", "List Bullet 2"), ("sawn, later;", "List Bullet 2"),
                        ("steel, in one house.", "List Bullet")):  # fmt: skip
        document.add_paragraph(item, style=look)
    document.add_picture(drawing(), width=Inches(3))
    caption = document.add_paragraph("Figure ", style="Caption")
    field(caption, "SEQ Figure \\* ARABIC", "1")
    caption.add_run(": Front of No. 14, with the pegged frame")
    quoted = "“The roof is the house. The rest is what keeps it dry from below.”"
    document.add_paragraph(quoted, style="Intense Quote")
    boxed = document.add_paragraph()
    boxed._p.append(parse_xml(
        f'<w:r {nsdecls("w")} xmlns:v="urn:schemas-microsoft-com:vml"><w:pict><v:shape style="width:200pt;height:60pt">'
        "<v:textbox><w:txbxContent><w:p><w:r><w:t>No. 22 could not be entered: the stairs are gone.</w:t></w:r></w:p>"
        "</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"))  # fmt: skip
    document.add_heading("3 What ought to be done", 1)
    for step in ("Mend the four roofs that leak before winter.", "Ask the owners of Nos. 3 and 5 to keep their tiles.",
                  "Survey again in ten years."):  # fmt: skip
        document.add_paragraph(step, style="List Number")
    strong = document.add_paragraph()
    strong.add_run("Cost.").bold = True
    strong.add_run(" The first costs some 48,000; the others cost nothing.")
    strong.add_run().add_break(WD_BREAK.PAGE)
    document.add_heading("References", 1)
    for entry in ("Marsh, L. (2019). Pantiles of the coast. Town Archive.",
                  "Visser, O. and Dunn, P. (1990). Forty roofs: the survey of 1988. Building Past 7, 41–66."):  # fmt: skip
        document.add_paragraph(entry).paragraph_format.first_line_indent = Pt(-14)
    data = io.BytesIO()
    document.save(data)
    notes = "".join(
        f'<w:footnote w:id="{number}"><w:p><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r><w:r>'
        f'<w:t xml:space="preserve"> {words}</w:t></w:r></w:p></w:footnote>' for number, words in enumerate(FOOTNOTES, 2)
    )  # fmt: skip
    bars = ('<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote '
            'w:type="continuationSeparator" w:id="1"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>')  # fmt: skip
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    related = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    (HERE / "survey.docx").write_bytes(packed(data.getvalue(), {
        "word/footnotes.xml": f'<?xml version="1.0"?><w:footnotes {nsdecls("w")}>{bars}{notes}</w:footnotes>',
        "[Content_Types].xml": lambda text: text.replace(
            "</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'),
        "word/_rels/document.xml.rels": lambda text: text.replace(
            "</Relationships>", f'<Relationship Id="rId90" Type="{related}" Target="footnotes.xml"/></Relationships>'),
    }))  # fmt: skip


def talk() -> None:
    deck = pptx.Presentation()
    deck.core_properties.author = "Office"
    deck.core_properties.created = deck.core_properties.modified = WHEN
    layouts = deck.slide_layouts

    def slide(layout: int, title: str) -> Any:
        made = deck.slides.add_slide(layouts[layout])
        made.shapes.title.text = title
        return made

    first = slide(0, "Bees on the roof")
    first.placeholders[1].text = "Two summers of city honey\nIlse Brandt, Rooftop Club"
    bullets = slide(1, "What we did")
    frame = bullets.placeholders[1].text_frame
    frame.text = "Six hives on the library"
    for words, level in (
        ("four of pine", 1),
        ("two of straw", 1),
        ("Weighed every Sunday", 0),
        ("Honey spun in July", 0),
    ):
        line = frame.add_paragraph()
        line.text, line.level = words, level
    bullets.notes_slide.notes_text_frame.text = "Thank the library here. They lent us the lift."
    figures = slide(5, "Honey by hive")
    shape = figures.shapes.add_table(5, 4, Inches(1), Inches(1.8), Inches(8), Inches(3))
    rows = [["Hive", "Honey, kg", "", "Bees lost"], ["", "2022", "2023", "winter 2022"], ["Pine 1", "14.2", "17.9", "no"],
            ["Pine 2", "11.0", "16.4", "no"], ["Straw 1", "6.5", "–", "yes"]]  # fmt: skip
    for row, texts in enumerate(rows):
        for column, word in enumerate(texts):
            shape.table.cell(row, column).text = word
    shape.table.cell(0, 1).merge(shape.table.cell(0, 2))
    shape.table.cell(0, 0).merge(shape.table.cell(1, 0))
    chart = slide(5, "Weight through the summer")
    untyped: Any = CategoryChartData
    data = untyped()
    data.categories = ["May", "June", "July"]
    data.add_series("Pine", (21.5, 30.25, 38))
    data.add_series("Straw", (17, 22.5, 24))
    chart.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1.6), Inches(8), Inches(5), data)
    two = slide(3, "For and against straw")
    for place, lines in ((1, ["Warm in winter", "Cheap"]), (2, ["Cannot be opened", "Rots in a wet year"])):
        frame = two.placeholders[place].text_frame
        frame.text = lines[0]
        frame.add_paragraph().text = lines[1]
    picture = slide(5, "Where they stand")
    picture.shapes.add_picture(drawing(), Inches(1), Inches(2), Inches(5))
    box = picture.shapes.add_textbox(Inches(6.3), Inches(2), Inches(3), Inches(1))
    box.text_frame.text = "The hives face south-east, so that they warm early."
    grouped = picture.shapes.add_group_shape()
    for number, words in enumerate(("Library", "Park")):
        part = grouped.shapes.add_textbox(Inches(1 + 2 * number), Inches(5), Inches(1.5), Inches(0.5))
        part.text_frame.text = words
    last = slide(1, "Next year")
    last.placeholders[1].text_frame.text = "Two more hives of pine"
    last.placeholders[1].text_frame.add_paragraph().text = "No more straw"
    data_out = io.BytesIO()
    deck.save(data_out)
    (HERE / "talk.pptx").write_bytes(packed(data_out.getvalue()))


def orders() -> None:
    book = Workbook()
    book.properties.creator = "Office"
    book.properties.created = book.properties.modified = WHEN
    sheet = book.active
    assert sheet is not None
    sheet.title = "Orders"
    sheet["A1"] = "Orders of the spring fair"
    sheet["A1"].font = Font(bold=True, size=16)
    sheet.merge_cells("A1:F1")
    sheet["A2"] = "Amounts in euros; orders below 20 euros are left out."
    sheet.merge_cells("B4:C4")
    sheet.merge_cells("D4:E4")
    heads: list[list[Any]] = [
        ["Customer", "Order", None, "Goods", None, "Paid"],
        [None, "No.", "Date", "Item", "Amount", "share"],
    ]
    body: list[list[Any]] = [["Ash & Sons", 101, dt.date(2024, 3, 4), "Seed trays", 1240.5, 1], ["Birk", 102, dt.date(2024, 3, 5), "Tools", 89, 0.5],
            ["Birk", 105, dt.date(2024, 3, 11), "Gloves, 12 pairs", 54, 0], ["Cole", 106, dt.date(2024, 3, 12), "Twine", 23.75, 1],
            ["Total", None, None, None, 1407.25, 0.93]]  # fmt: skip
    for row, words in enumerate(heads + body, 4):
        for column, word in enumerate(words, 1):
            cell = sheet.cell(row, column)
            if word is not None:
                cell.value = word
            if row < 6:
                cell.font = Font(bold=True)
                cell.alignment = Alignment(horizontal="center")
        if row > 5:
            sheet.cell(row, 3).number_format = "DD.MM.YYYY"
            sheet.cell(row, 5).number_format = '#,##0.00" €"'
            sheet.cell(row, 6).number_format = "0%"
    sheet.merge_cells("A7:A8")
    sheet["D8"].comment = Comment("Sizes to be told by phone.", "Office", 80, 200)
    sheet["H4"], sheet["I4"] = "Key", "Meaning"
    sheet["H5"], sheet["I5"] = "share", "part of the amount that is paid"
    sheet["A13"] = "Checked by R. Cole on 15 March"
    other = book.create_sheet("Stock")
    for line in (["Item", "In store", "Minimum"], ["Seed trays", 340, 100], ["Twine", 12, 40]):
        other.append(line)
    other["C3"].font = Font(bold=True, color="FF0000")
    hidden = book.create_sheet("Lists")
    hidden.append(["Items"])
    hidden.append(["Seed trays"])
    hidden.sheet_state = "hidden"
    data = io.BytesIO()
    book.save(data)
    (HERE / "orders.xlsx").write_bytes(packed(data.getvalue(), {
        "docProps/core.xml": undated}))  # fmt: skip


PAGE = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en"><head><title>{title}</title></head>
<body>
{body}
</body></html>
"""
BOOK = {
    "title.xhtml": ("Title page", '<section epub:type="titlepage"><h1>The Lamplighter’s Year</h1><p>Notes of a street</p>'
                    "<p>Edda Thorne</p><p>Small Lane Press</p></section>"),
    "preface.xhtml": ("Preface", '<section epub:type="preface"><h1>Preface</h1><p>My father lit the lamps of Small Lane until the '
                      "year in which there were none left to light. He kept a diary, from which most of this is taken.</p>"
                      '<p class="signed">E. T.</p></section>'),
    "one.xhtml": ("Winter", '<section epub:type="chapter"><h1><span epub:type="ordinal">I</span> Winter</h1>'
                  '<blockquote epub:type="epigraph"><p>Light is a habit.</p><cite>Old saying of the lane</cite></blockquote>'
                  '<p><span epub:type="pagebreak" id="p1" title="1"/>In winter he went out at four. There were sixty-one lamps, and '
                  'each took him a minute.<a epub:type="noteref" href="notes.xhtml#n1">1</a></p>'
                  "<h2>The ladder</h2><p>He carried a ladder of ash, which weighed as much as a child. The rungs, he said, "
                  '<em>know</em> your feet.<a epub:type="noteref" href="#f1">*</a></p>'
                  '<aside epub:type="footnote" id="f1"><p>* He had it mended twice, in 1911 and in 1919.</p></aside>'
                  '<figure><img src="ladder.png" alt="A ladder against a lamp"/><figcaption>The ladder, drawn from memory'
                  "</figcaption></figure><hr/><p>On Sundays he took me with him.</p></section>"),
    "two.xhtml": ("Summer", '<section epub:type="chapter"><h1><span epub:type="ordinal">II</span> Summer</h1>'
                  "<p>In summer there was little to do. He wrote verses, of which one is good:</p>"
                  '<blockquote epub:type="z3998:verse"><p><span>The lamps are out, the moths go home,</span><br/>'
                  "<span>the lane belongs to cats.</span></p><p><span>I count my matches, every one,</span><br/>"
                  "<span>and hang up all my hats.</span></p></blockquote>"
                  "<p>He also kept accounts:</p>"
                  '<table><caption>What a lamp costs</caption><thead><tr><th rowspan="2">Year</th><th colspan="2">Pence</th></tr>'
                  "<tr><th>Gas</th><th>Mantles</th></tr></thead><tbody><tr><td>1912</td><td>31</td><td>8</td></tr>"
                  "<tr><td>1913</td><td>33</td><td>8 ½</td></tr></tbody></table>"
                  '<ol><li><p>Clean the glass.</p></li><li><p>Trim the mantle:</p><ul><li>not wet,</li><li>not hot.</li></ul></li></ol>'
                  '<p>The last lamp went out in 1931.<a epub:type="noteref" href="notes.xhtml#n2">2</a> See <a href="one.xhtml">'
                  "Winter</a> for how it began.</p></section>"),
    "notes.xhtml": ("Notes", '<section epub:type="endnotes"><h1>Notes</h1><ol><li id="n1" epub:type="endnote"><p>The town paid for '
                    "fifty-eight of them. <a href=\"one.xhtml\" epub:type=\"backlink\">↩</a></p></li>"
                    '<li id="n2" epub:type="endnote"><p>It hangs in the museum. <a href="two.xhtml" epub:type="backlink">↩</a></p></li>'
                    "</ol></section>"),
}  # fmt: skip


def novel() -> None:
    names = list(BOOK)
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(names)))
    entries = "".join(f'<li><a href="{name}">{title}</a></li>' for name, (title, _) in BOOK.items())
    opf = (
        '<?xml version="1.0" encoding="utf-8"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:example:lamplighter</dc:identifier>'
        "<dc:title>The Lamplighter’s Year</dc:title><dc:creator>Edda Thorne</dc:creator><dc:language>en</dc:language>"
        '<meta property="dcterms:modified">2024-01-15T09:00:00Z</meta></metadata><manifest>'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        f'<item id="pic" href="ladder.png" media-type="image/png"/>{items}</manifest><spine>{spine}</spine></package>'
    )
    nav = PAGE.format(title="Contents", body=f'<nav epub:type="toc"><h1>Contents</h1><ol>{entries}</ol></nav>')
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    pages = {f"book/{name}": PAGE.format(title=title, body=body).encode() for name, (title, body) in BOOK.items()}
    files = {"META-INF/container.xml": container.encode(), "book/book.opf": opf.encode(), "book/nav.xhtml": nav.encode(),
             "book/ladder.png": drawing().getvalue(), **pages}  # fmt: skip
    with zipfile.ZipFile(HERE / "lamplighter.epub", "w") as target:
        target.writestr(zipfile.ZipInfo("mimetype", (2024, 1, 15, 9, 0, 0)), "application/epub+zip")
        for name, content in files.items():
            target.writestr(zipfile.ZipInfo(name, (2024, 1, 15, 9, 0, 0)), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    for make in (report, talk, orders, novel):
        make()
