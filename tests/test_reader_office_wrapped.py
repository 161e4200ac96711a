"""Word files: text in wrappers, numbers as printed, comments, diagrams, imported and embedded files."""
# ruff: noqa: E501 - markup of the files

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest
from docx import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from office_files import check_draft, node, read, relations, texts
from PIL import Image

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.office.docx_numbers import spelled

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DRAWING = (
    '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
    '<wp:extent cx="9" cy="9"/><wp:docPr id="5" name="Diagram"/>'
    '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">'
    '<dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="rIdX"/>'
    "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
)


def _docx(path: Path, body: str, parts: dict[str, tuple[str, str, bytes]] | None = None) -> Draft:
    """Read a Word file with this body; parts: name to (id, kind of relation, content)."""
    document = WordDocument()
    for element in parse_xml(f"<w:body {nsdecls('w', 'r')}>{body}</w:body>"):
        document.element.body.insert(len(document.element.body) - 1, element)
    document.save(str(path))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, (key, kind, content) in (parts or {}).items():
        members[f"word/{name}"] = content
        link = f'<Relationship Id="{key}" Type="{_R}/{kind}" Target="{name}"/></Relationships>'
        rels = members["word/_rels/document.xml.rels"].decode().replace("</Relationships>", link)
        members["word/_rels/document.xml.rels"] = rels.encode()
        own = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml"
        type_ = own if kind == "comments" else "application/xml"
        kinds = f'<Override PartName="/word/{name}" ContentType="{type_}"/></Types>'
        members["[Content_Types].xml"] = members["[Content_Types].xml"].decode().replace("</Types>", kinds).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    draft = read(path)
    check_draft(draft)
    return draft


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _p(text: str, settings: str = "") -> str:
    return f"<w:p><w:pPr>{settings}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def _cell(content: str) -> str:
    return f"<w:tc><w:tcPr/>{content}</w:tc>"


def test_rows_cells_and_blocks_in_content_controls_and_custom_xml(tmp_path: Path) -> None:
    def held(content: str) -> str:
        return f"<w:sdt><w:sdtPr/><w:sdtContent>{content}</w:sdtContent></w:sdt>"

    row = "<w:tr>" + _cell(_p("Rent")) + held(_cell(_p("970 euro"))) + "</w:tr>"
    own = '<w:customXml w:element="e">'
    body = (
        own + _p("A block in custom XML.") + "</w:customXml>"
        "<w:tbl><w:tblPr/><w:tblGrid/><w:tr>" + _cell(_p("Item")) + _cell(_p("Sum")) + "</w:tr>"
        + held(row) + own + row.replace("Rent", "Heat") + "</w:customXml></w:tbl>" + held(held(_p("Twice held.")))
    )  # fmt: skip
    draft = _docx(tmp_path / "a.docx", body)
    assert texts(draft, "TABLE") == ["Item | Sum\nRent | 970 euro\nHeat | 970 euro"]
    assert texts(draft, "PARAGRAPH") == ["A block in custom XML.", "Twice held."]


def test_directions_ruby_symbols_and_form_fields_keep_their_text_in_place(tmp_path: Path) -> None:
    field = '<w:r><w:fldChar w:fldCharType="{}">{}</w:fldChar></w:r>'
    choice = "<w:ffData><w:ddList><w:result w:val='1'/><w:listEntry w:val='tin'/><w:listEntry w:val='zinc'/></w:ddList></w:ffData>"
    body = (
        '<w:p><w:r><w:t xml:space="preserve">Mixed </w:t></w:r><w:dir w:val="rtl"><w:r><w:t>שלום</w:t></w:r>'
        '<w:bdo w:val="ltr"><w:r><w:t xml:space="preserve"> inner</w:t></w:r></w:bdo></w:dir><w:r><w:t>.</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>駅は</w:t></w:r><w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>おおさか</w:t></w:r></w:rt><w:rubyBase><w:r>"
        "<w:t>大阪</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>です。</w:t></w:r></w:p>"
        '<w:p><w:r><w:t xml:space="preserve">Angle </w:t></w:r><w:r><w:sym w:font="Symbol" w:char="F071"/></w:r>'
        '<w:r><w:t xml:space="preserve"> done </w:t></w:r><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>'
        '<w:p><w:r><w:t xml:space="preserve">Metal: </w:t></w:r>' + field.format("begin", choice)
        + "<w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r>" + field.format("end", "") + "</w:p>"
    )  # fmt: skip
    draft = _docx(tmp_path / "a.docx", body)
    assert texts(draft, "PARAGRAPH") == ["Mixed שלום inner.", "駅は大阪です。", "Angle θ done ✓", "Metal: zinc"]


def test_rows_that_a_tracked_change_deleted_are_gone(tmp_path: Path) -> None:
    rows = (
        "<w:tr>" + _cell(_p("kept")) + "</w:tr><w:tr><w:trPr><w:del w:id='1'/></w:trPr>" + _cell(_p("gone")) + "</w:tr>"
    )
    body = f"<w:tbl><w:tblPr/><w:tblGrid/>{rows}</w:tbl>" + (
        "<w:p><w:r><w:t>New</w:t></w:r><w:moveFrom w:id='2'><w:r><w:t> old</w:t></w:r></w:moveFrom>"
        "<w:ins w:id='3'><w:r><w:t> words</w:t></w:r></w:ins></w:p>"
    )
    draft = _docx(tmp_path / "a.docx", body)
    assert [one.text for one in draft.nodes] == ["kept", "New words"]


_NUMBERING = f"""<w:numbering {nsdecls("w")}>
<w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:pStyle w:val="Heading1"/><w:lvlText w:val="Part %1"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Heading2"/><w:isLgl/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:suff w:val="nothing"/><w:lvlRestart w:val="0"/><w:lvlText w:val="(%3)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimalZero"/><w:lvlText w:val="No. %1)"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
</w:numbering>"""


def test_headings_and_items_have_the_numbers_that_word_prints(tmp_path: Path) -> None:
    def at(number: int, level: int, style: str = "") -> str:
        named = f'<w:pStyle w:val="{style}"/>' if style else ""
        return f'{named}<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'

    body = (
        _p("Sea", at(1, 0, "Heading1")) + _p("Tides", at(1, 1, "Heading2")) + _p("Ebb", at(1, 2, "Heading3"))
        + _p("Winds", at(1, 1, "Heading2")) + _p("Gale", at(1, 2, "Heading3")) + _p("Land", at(1, 0, "Heading1"))
        + _p("one", at(2, 0)) + _p("two", at(2, 0)) + _p("Between the lists.") + _p("seven", at(3, 0))
        + "<w:tbl><w:tblPr/><w:tblGrid/><w:tr>" + _cell(_p("eight", at(3, 0))) + _cell(_p("x")) + "</w:tr></w:tbl>"
    )  # fmt: skip
    path = tmp_path / "a.docx"
    document = WordDocument()
    document.save(str(path))
    with zipfile.ZipFile(path) as archive:
        has = "word/numbering.xml" in archive.namelist()
    assert has
    draft = _numbered(path, body)
    assert texts(draft, "HEADING") == ["Part III Sea", "3.1 Tides", "(a)Ebb", "3.2 Winds", "(b)Gale", "Part IV Land"]
    items = [(one.marker, one.text) for one in draft.nodes if one.type == "LIST_ITEM"]
    assert items == [("No. 01)", "one"), ("No. 02)", "two"), ("No. 07)", "seven")]
    assert texts(draft, "TABLE") == ["No. 08) eight | x"]


def _numbered(path: Path, body: str) -> Draft:
    document = WordDocument()
    for element in parse_xml(f"<w:body {nsdecls('w', 'r')}>{body}</w:body>"):
        document.element.body.insert(len(document.element.body) - 1, element)
    document.save(str(path))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["word/numbering.xml"] = _NUMBERING.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return read(path)


@pytest.mark.parametrize(
    ("number", "style", "shown"),
    [(4, "decimalZero", "04"), (28, "lowerLetter", "bb"), (9, "upperRoman", "IX"), (5, "none", ""), (3, "odd", "3")],
)
def test_numbers_in_their_formats(number: int, style: str, shown: str) -> None:
    assert spelled(number, style) == shown


def test_a_comment_is_a_note_of_its_words(tmp_path: Path) -> None:
    comments = f"""<w:comments {nsdecls("w")}><w:comment w:id="4" w:author="Ada" w:date="2026-01-02T03:04:05Z">
    <w:p><w:r><w:t>Says who?</w:t></w:r></w:p></w:comment></w:comments>"""
    body = (
        '<w:p><w:r><w:t xml:space="preserve">The moon is </w:t></w:r><w:commentRangeStart w:id="4"/><w:r><w:t>very far</w:t>'
        '</w:r><w:commentRangeEnd w:id="4"/><w:r><w:commentReference w:id="4"/></w:r><w:r><w:t>.</w:t></w:r></w:p>'
    )
    draft = _docx(tmp_path / "a.docx", body, {"comments.xml": ("rIdC", "comments", comments.encode())})
    note = node(draft, "Says who?")
    assert (note.type, note.text) == ("NOTE", "Says who?")
    assert note.data == {"author": "Ada", "date": "2026-01-02T03:04:05Z", "words": "very far"}
    (relation,) = relations(draft, "REFERENCES_NOTE")
    assert relation.anchor in note.anchors
    assert relation.marker_start == len("The moon is very far")


_POINT = '<dgm:pt modelId="{}"{}><dgm:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t></dgm:pt>'


def test_every_point_of_a_diagram_is_an_item_in_its_order(tmp_path: Path) -> None:
    points = [
        ("0", ' type="doc"', ""),
        ("2", "", "Second"),
        ("1", "", "First"),
        ("3", "", "Below first"),
        ("4", ' type="pres"', "x"),
    ]
    links = [("0", "1", 0), ("0", "2", 1), ("1", "3", 0)]
    data = (
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>'
        + "".join(_POINT.format(*point) for point in points)
        + "</dgm:ptLst><dgm:cxnLst>"
        + "".join(f'<dgm:cxn srcId="{a}" destId="{b}" srcOrd="{order}"/>' for a, b, order in links)
        + "</dgm:cxnLst></dgm:dataModel>"
    )
    body = _p("Above.") + f"<w:p>{_DRAWING}</w:p>" + _p("Below.")
    draft = _docx(tmp_path / "a.docx", body, {"d.xml": ("rIdX", "diagramData", data.encode())})
    assert [one.text for one in draft.nodes] == ["Above.", "First", "Below first", "Second", "Below."]
    assert len(texts(draft, "LIST_ITEM")) == 3


def test_an_imported_file_is_read_at_its_place(tmp_path: Path) -> None:
    page = b"<html><body><h2>Reefs</h2><p>Coral <b>grows</b>.</p><table><tr><td>a</td><td>7</td></tr></table></body></html>"
    body = _p("Before.") + '<w:altChunk r:id="rIdX"/>' + _p("After.")
    draft = _docx(tmp_path / "a.docx", body, {"part.html": ("rIdX", "aFChunk", page)})
    assert [one.text for one in draft.nodes] == ["Before.", "Reefs", "Coral grows.", "a | 7", "After."]
    assert node(draft, "Reefs").type == "HEADING"
    unread = _docx(tmp_path / "b.docx", body, {"part.bin": ("rIdX", "aFChunk", b"\x01\x02\x00")})
    assert any("part.bin was not read" in warning for warning in unread.warnings)


def test_pictures_have_their_alternative_text(tmp_path: Path) -> None:
    image = io.BytesIO()
    Image.new("RGB", (40, 40), "red").save(image, "PNG")
    document = WordDocument()
    for words in ("A red square", "C:\\scan\\img1.png"):
        image.seek(0)
        document.add_picture(image)
        document.element.body.findall(".//{*}docPr")[-1].set("descr", words)
    document.save(str(tmp_path / "a.docx"))
    figures = [one for one in read(tmp_path / "a.docx").nodes if one.type == "FIGURE"]
    assert [one.description for one in figures] == ["A red square", None]


def test_embedded_documents_are_named(tmp_path: Path) -> None:
    held = (
        '<w:p><w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="Excel.Sheet.12" '
        'r:id="rIdX"/></w:object></w:r></w:p>'
    )
    draft = _docx(tmp_path / "a.docx", _p("Text.") + held, {"embeddings/costs.xlsx": ("rIdX", "package", b"PK")})
    assert texts(draft, "LIST_ITEM") == ["costs.xlsx (Excel)"]
    assert any("costs.xlsx" in warning for warning in draft.warnings)


def test_formulas_without_properties_are_read(tmp_path: Path) -> None:
    """The converter gave up on the whole file, and kept the last part between brackets alone."""
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    run = "<m:r><m:t>{}</m:t></m:r>".format
    body = (
        f'<w:p xmlns:m="{math}"><m:oMathPara><m:oMath><m:acc><m:e>{run("v")}</m:e></m:acc><m:bar><m:e>{run("j")}</m:e></m:bar>'
        f"<m:d><m:e>{run('p')}</m:e><m:e>{run('q')}</m:e></m:d><m:groupChr><m:e>{run('u')}</m:e></m:groupChr>"
        f"<m:nary><m:e>{run('z')}</m:e></m:nary><m:borderBox><m:e>{run('w')}</m:e></m:borderBox></m:oMath></m:oMathPara></w:p>"
    )
    formula = texts(_docx(tmp_path / "a.docx", body), "FORMULA")[0]
    assert "p|q" in formula
    assert {"v", "j", "u", "z", "w"} <= set(formula)


def test_fields_that_set_a_formula_have_its_text(tmp_path: Path) -> None:
    def field(instruction: str) -> str:
        return (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve">'
            f'{instruction}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    reading = field(r' EQ \* jc2 \* "Font:MS Mincho" \* hps10 \o\ad(\s\up 9(かん),漢)')
    half = field(r"EQ \f(1,2)")
    separate = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    root = field(r"EQ \r(x)").replace("</w:instrText></w:r>", f"</w:instrText></w:r>{separate}")
    simple = """<w:fldSimple w:instr='SYMBOL 109 \\f "Symbol"'/>"""
    lines = [
        f"{_run('The ')}{reading}",
        f"{_run('Half is ')}{half}",
        f"{_run('Root is ')}{root}",
        f"{_run('5 ')}{simple}",
    ]
    draft = _docx(tmp_path / "a.docx", "".join(f"<w:p>{line}</w:p>" for line in lines))
    assert texts(draft, "PARAGRAPH") == ["The 漢", "Half is (1)/(2)", "Root is √(x)", "5 μ"]


def test_word_art_is_text_and_requests_of_forms_are_not(tmp_path: Path) -> None:
    art = (
        '<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:90pt;height:50pt">'
        '<v:textpath string="Harbour Festival"/></v:shape></w:pict></w:r></w:p>'
    )
    request = f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{_p('Click here.')}</w:sdtContent></w:sdt>"
    assert texts(_docx(tmp_path / "a.docx", art + request + _p("End.")), "PARAGRAPH") == ["Harbour Festival", "End."]


def test_alternative_text_of_shapes_without_text_is_that_of_a_figure(tmp_path: Path) -> None:
    names = " ".join(
        f'xmlns:{short}="http://schemas.{rest}"'
        for short, rest in (
            ("wp", "openxmlformats.org/drawingml/2006/wordprocessingDrawing"), ("a", "openxmlformats.org/drawingml/2006/main"),
            ("wps", "microsoft.com/office/word/2010/wordprocessingShape"), ("mc", "openxmlformats.org/markup-compatibility/2006"),
        )
    )  # fmt: skip

    def shape(words: str, text: str = "") -> str:
        box = f"<wps:txbx><w:txbxContent>{_p(text)}</w:txbxContent></wps:txbx>" if text else ""
        return (
            f'<w:r><mc:AlternateContent {names}><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:extent cx="900000" cy="900000"/>'
            f'<wp:docPr id="5" name="Arrow" descr="{words}"/><a:graphic><a:graphicData uri="u"><wps:wsp><wps:spPr/>{box}</wps:wsp>'
            "</a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape "
            f'xmlns:v="urn:schemas-microsoft-com:vml" alt="{words}"/></w:pict></mc:Fallback></mc:AlternateContent></w:r>'
        )

    cell = f"<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p>{_run('In')}{shape('Valve')}</w:p></w:tc><w:tc>{_p('x')}</w:tc></w:tr></w:tbl>"
    vml = '<w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" alt="Pump"/></w:pict></w:r>'
    body = f"<w:p>{_run('See:')}{shape('From intake to outlet')}</w:p><w:p>{shape('About a box', 'Boxed')}</w:p>{cell}<w:p>{_run('And:')}{vml}</w:p>"
    draft = _docx(tmp_path / "a.docx", body)
    assert [(one.type.value, one.text, one.description) for one in draft.nodes] == [
        ("PARAGRAPH", "See:", None),
        ("FIGURE", "", "From intake to outlet"),
        ("PARAGRAPH", "Boxed", None),
        ("TABLE", "In Valve | x", None),
        ("PARAGRAPH", "And:", None),
        ("FIGURE", "", "Pump"),
    ]
    account = account_of(tmp_path / "a.docx", draft, ReadOptions())
    assert account is not None
    assert (account.unaccounted, account.left_out) == (0, {"alternative text of a box": len("Aboutabox")})
    lost = draft.model_copy(update={"nodes": [one for one in draft.nodes if "intake" not in (one.description or "")]})
    blind = account_of(tmp_path / "a.docx", lost, ReadOptions())
    assert blind is not None
    assert blind.samples == ["From", "intake", "to", "outlet"]
