"""Slides and OpenDocument files: titles in headers of lists, values as shown, diagrams and alternative texts."""
# ruff: noqa: E501 - markup of the files

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

from office_files import check_draft, read, texts
from PIL import Image
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.util import Inches

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

_NS = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("presentation", "presentation"),
        ("svg", "svg-compatible"),
    )
)  # fmt: skip


def _odf(path: Path, kind: str, body: str) -> Draft:
    content = f"<office:document-content {_NS} office:version='1.2'><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
            f'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.{kind}"/></manifest:manifest>',
        )
        archive.writestr("content.xml", content)
    draft = read(path)
    check_draft(draft)
    return draft


def test_headers_of_lists_are_lines_before_or_between_their_items(tmp_path: Path) -> None:
    item = "<text:list-item><text:p>{}</text:p></text:list-item>"
    header = "<text:list-header><text:p>{}</text:p></text:list-header>"
    body = (
        "<text:list>" + header.format("Knots") + item.format("bowline") + header.format("and hitches") + item.format("clove")
        + "</text:list><text:list>" + header.format("alone") + "</text:list>"
    )  # fmt: skip
    draft = _odf(tmp_path / "a.odt", "text", body)
    assert [one.text for one in draft.nodes] == ["Knots", "bowline", "and hitches", "clove", "alone"]


def test_a_title_of_a_slide_in_a_header_of_a_list_is_its_title(tmp_path: Path) -> None:
    title = (
        "<draw:frame presentation:class='title'><draw:text-box><text:list><text:list-header><text:p>{}</text:p>"
        "</text:list-header></text:list></draw:text-box></draw:frame>"
    )
    text = "<draw:custom-shape><text:p>{}</text:p></draw:custom-shape>"
    body = "".join(
        f"<draw:page draw:name='p{number}'>{text.format(words)}{title.format(head)}</draw:page>"
        for number, (head, words) in enumerate([("Owls", "They hunt at night."), ("Larks", "They sing.")])
    )
    draft = _odf(tmp_path / "a.odp", "presentation", body)
    assert [one.text for one in draft.nodes] == ["Owls", "They hunt at night.", "Larks", "They sing."]
    assert [one.title for one in draft.containers if one.type == "SECTION"] == ["Owls", "Larks"]


def test_cells_show_times_percentages_and_booleans_as_the_sheet_does(tmp_path: Path) -> None:
    def cell(kind: str, value: str, shown: str) -> str:
        text = f"<text:p>{shown}</text:p>" if shown else ""
        return f"<table:table-cell office:value-type='{kind}' {value}>{text}</table:table-cell>"

    cells = [
        cell("string", "", "lap"), cell("time", "office:time-value='PT00H01M05.25S'", "1:05.25"),
        cell("percentage", "office:value='0.125'", "12.5 %"), cell("boolean", "office:boolean-value='true'", "TRUE"),
        cell("boolean", "office:boolean-value='false'", ""), cell("currency", "office:value='3.5' office:currency='EUR'", "3,50 €"),
        cell("date", "office:date-value='2026-05-03'", "03.05.26"),
    ]  # fmt: skip
    rows = "<table:table-row>" + "".join(cells) + "</table:table-row>"
    draft = _odf(tmp_path / "a.ods", "spreadsheet", f"<table:table table:name='T'>{rows}</table:table>")
    assert texts(draft, "TABLE") == ["lap | 1:05.25 | 12.5 % | TRUE | FALSE | 3,50 € | 03.05.26"]


def test_ruby_in_opendocument_keeps_its_base(tmp_path: Path) -> None:
    body = "<text:p>駅は<text:ruby><text:ruby-base>大阪</text:ruby-base><text:ruby-text>おおさか</text:ruby-text></text:ruby>です</text:p>"
    assert texts(_odf(tmp_path / "a.odt", "text", body), "PARAGRAPH") == ["駅は大阪です"]


def _slides(path: Path) -> Any:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Rock cycle"
    image = io.BytesIO()
    Image.new("RGB", (40, 40), "red").save(image, "PNG")
    image.seek(0)
    picture = slide.shapes.add_picture(image, Inches(1), Inches(3))
    picture._element.find(".//{*}cNvPr").set("descr", "Photograph of a lava field")
    deck.save(str(path))
    return deck


def test_boxes_and_tables_on_a_page_of_notes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pptx"
    deck = Presentation()
    page = deck.slides.add_slide(deck.slide_layouts[6]).notes_slide
    assert page.notes_text_frame is not None
    page.notes_text_frame.text = "Say it."
    cell = "<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    table = f"<a:tbl><a:tblPr/><a:tblGrid/><a:tr h='9'>{cell.format('Depth')}{cell.format('2 m')}</a:tr></a:tbl>"
    for xml in (_BOX.format("Mind the weir."), f"{_FRAME}{table}</a:graphicData></a:graphic></p:graphicFrame>"):
        page.shapes._spTree.append(parse_xml(xml))
    deck.save(str(path))
    assert [node.text for node in read(path).nodes] == ["Say it.\nMind the weir.\nDepth\n2 m"]


_NAMES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
_BOX = (
    f'<p:sp {_NAMES}><p:nvSpPr><p:cNvPr id="91" name="B"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody>'
    "<a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody></p:sp>"
)
_FRAME = (
    f'<p:graphicFrame {_NAMES}><p:nvGraphicFramePr><p:cNvPr id="92" name="T"/><p:cNvGraphicFramePr/><p:nvPr/>'
    '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic>'
    '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table">'
)


def test_slides_have_diagrams_shapes_for_newer_programs_and_alternative_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.pptx"
    _slides(path)
    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="91" name="D"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        '<p:xfrm><a:off x="914400" y="5000000"/><a:ext cx="914400" cy="914400"/></p:xfrm><a:graphic>'
        '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds '
        'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="rIdX"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    box = (
        '<p:sp><p:nvSpPr><p:cNvPr id="92" name="B"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="914400" '
        'y="6000000"/><a:ext cx="914400" cy="100"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>Only in new programs</a:t>'
        "</a:r></a:p></p:txBody></p:sp>"
    )
    choices = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice '
        f'xmlns:q="urn:q" Requires="q">{box}</mc:Choice><mc:Fallback/></mc:AlternateContent>'
    )
    points = "".join(
        f'<dgm:pt modelId="{number}"><dgm:t><a:p><a:r><a:t>{words}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for number, words in enumerate(["Magma cools", "Rain wears", "Sand settles", "Clay sinks", "Stone melts"], 1)
    )
    data = (
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
        f'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>'
    )
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name).decode("latin-1") for name in archive.namelist()}
    members["ppt/slides/slide1.xml"] = members["ppt/slides/slide1.xml"].replace(
        "</p:spTree>", f"{frame}{choices}</p:spTree>"
    )
    link = '<Relationship Id="rIdX" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData" Target="../d.xml"/></Relationships>'
    rels = "ppt/slides/_rels/slide1.xml.rels"
    members[rels] = members[rels].replace("</Relationships>", link)
    members["[Content_Types].xml"] = members["[Content_Types].xml"].replace(
        "</Types>", '<Override PartName="/ppt/d.xml" ContentType="application/xml"/></Types>'
    )
    members["ppt/d.xml"] = data
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text.encode("latin-1"))
    draft = read(path)
    check_draft(draft)
    assert texts(draft, "LIST_ITEM") == ["Magma cools", "Rain wears", "Sand settles", "Clay sinks", "Stone melts"]
    assert "Only in new programs" in texts(draft, "PARAGRAPH")
    assert [one.description for one in draft.nodes if one.type == "FIGURE"] == ["Photograph of a lava field"]


def test_comments_of_a_text_have_author_and_place(tmp_path: Path) -> None:
    comment = (
        '<office:annotation xmlns:dc="http://purl.org/dc/elements/1.1/" office:name="1"><dc:creator>Ann</dc:creator>'
        '<text:p>How high?</text:p></office:annotation>the weir<office:annotation-end office:name="1"/>'
    )
    draft = _odf(tmp_path / "a.odt", "text", f"<text:p>They raised {comment}.</text:p><text:p>End.</text:p>")
    assert [(one.type.value, one.text) for one in draft.nodes] == [
        ("PARAGRAPH", "They raised the weir."),
        ("NOTE", "How high?"),
        ("PARAGRAPH", "End."),
    ]
    assert draft.nodes[1].data == {"author": "Ann"}


def test_words_about_shapes_are_read_where_shapes_have_none(tmp_path: Path) -> None:
    about = "<svg:title>Arrow</svg:title><svg:desc>from A to B</svg:desc>"
    shapes = (
        f"<text:p>See<draw:custom-shape>{about}</draw:custom-shape>there.</text:p>"
        f"<text:p>Or <draw:custom-shape>{about}<text:p>words in it</text:p></draw:custom-shape> here.</text:p>"
    )
    draft = _odf(tmp_path / "a.odt", "text", shapes)
    assert [one.text for one in draft.nodes] == ["See Arrow: from A to B there.", "Or words in it here."]
    account = account_of(tmp_path / "a.odt", draft, ReadOptions())
    assert account is not None
    assert (account.unaccounted, account.left_out) == (0, {"alternative text of a box": len("ArrowfromAtoB")})


def test_fields_that_are_not_displayed_and_scripts_are_no_text(tmp_path: Path) -> None:
    fields = (
        '<text:variable-set text:name="v" text:display="none">unseen</text:variable-set><text:script>alert(1)</text:script>'
        '<text:variable-get text:name="v">seen</text:variable-get>'
    )
    draft = _odf(tmp_path / "a.odt", "text", f"<text:p>They have {fields}.</text:p>")
    assert [one.text for one in draft.nodes] == ["They have seen."]
