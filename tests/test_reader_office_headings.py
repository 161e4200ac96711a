"""Word files: headings by their level in the outline, by names of styles in other languages, in tables of their own."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from office_files import read

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft


def headings(draft: Draft) -> list[tuple[int | None, str]]:
    return [(one.level, one.text) for one in draft.nodes if one.type == "HEADING"]


def test_levels_of_the_outline_that_paragraphs_state_make_headings(tmp_path: Path) -> None:
    document = Document()
    for text, level in (("Rivers", 0), ("Weirs", 1), ("Plain text, which has no level.", 9), ("A clause. " * 40, 2)):
        paragraph = document.add_paragraph(text)
        stated = OxmlElement("w:outlineLvl")
        stated.set(qn("w:val"), str(level))
        paragraph._p.get_or_add_pPr().append(stated)
        document.add_paragraph("A weir is a low dam.")
    document.save(str(tmp_path / "a.docx"))
    assert headings(read(tmp_path / "a.docx")) == [(1, "Rivers"), (2, "Weirs")]


def test_sentences_items_and_captions_are_no_headings_by_their_level(tmp_path: Path) -> None:
    document = Document()
    kept = (("Definitions and interpretation.", "Normal"), ("Scope of work", "List Paragraph"))
    others = (
        ("The Customer shall pay the Fees within thirty days of the invoice.", "Normal"),
        ("Apologies were received from Mr A and Mrs B.", "List Paragraph"),
        ("会议记录已经通过。", "Normal"),
        ("Definitions", "List Number"),
        ("Quote of the day", "Quote"),
        ("Figure 1: a weir", "Caption"),
    )
    for text, style in (*kept, *others):
        paragraph = document.add_paragraph(text, style=style)
        stated = OxmlElement("w:outlineLvl")
        stated.set(qn("w:val"), "1")
        paragraph._p.get_or_add_pPr().append(stated)
    document.save(str(tmp_path / "a.docx"))
    draft = read(tmp_path / "a.docx")
    assert [text for _, text in headings(draft)] == [text for text, _ in kept]
    assert {one.type for one in draft.nodes if one.text == "Definitions"} == {"LIST_ITEM"}


def test_styles_are_called_headings_in_other_languages(tmp_path: Path) -> None:
    document = Document()
    for name in ("Überschrift 1", "Titre 2", "标题 1", "Kop2"):
        style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph(f"Weirs {name[-1]}", style=style)
        document.add_paragraph("A weir is a low dam.")
    document.save(str(tmp_path / "a.docx"))
    assert headings(read(tmp_path / "a.docx")) == [(1, "Weirs 1"), (2, "Weirs 2"), (1, "Weirs 1"), (2, "Weirs 2")]


def test_a_heading_alone_in_a_table_is_a_heading(tmp_path: Path) -> None:
    document = Document()
    framed = document.add_table(1, 3)
    framed.cell(0, 2).paragraphs[0].text = "Weirs"
    framed.cell(0, 2).paragraphs[0].style = document.styles["Heading 1"]
    document.add_paragraph("A weir is a low dam.")
    table = document.add_table(2, 2)
    table.cell(0, 0).paragraphs[0].text = "Height"
    table.cell(0, 0).paragraphs[0].style = document.styles["Heading 2"]
    table.cell(1, 1).text = "2 m"
    document.save(str(tmp_path / "a.docx"))
    draft = read(tmp_path / "a.docx")
    assert headings(draft)[0] == (1, "Weirs")
    assert [one.text for one in draft.nodes if one.type == "TABLE"] == ["Height | \n | 2 m"]


def test_a_formula_beside_a_heading_in_a_table_is_kept(tmp_path: Path) -> None:
    document = Document()
    framed = document.add_table(1, 2)
    framed.cell(0, 0).paragraphs[0].text = "Flow"
    framed.cell(0, 0).paragraphs[0].style = document.styles["Heading 1"]
    formula, run, text = (OxmlElement(name) for name in ("m:oMath", "m:r", "m:t"))
    text.text = "Q=vA+17"
    run.append(text)
    formula.append(run)
    framed.cell(0, 1).paragraphs[0]._p.append(formula)
    document.add_paragraph("A weir is a low dam.")
    document.save(str(tmp_path / "a.docx"))
    draft = read(tmp_path / "a.docx")
    assert headings(draft) == [(1, "Flow")]
    assert any("Q=vA+17" in one.text for one in draft.nodes)


def test_comments_in_the_markup_are_passed_over(tmp_path: Path) -> None:
    document = Document()
    document.add_paragraph("A weir is a low dam.")
    document.save(str(tmp_path / "plain.docx"))
    with zipfile.ZipFile(tmp_path / "plain.docx") as source, zipfile.ZipFile(tmp_path / "a.docx", "w") as target:
        for member in source.infolist():
            content = source.read(member)
            if member.filename == "word/document.xml":
                content = content.replace(b"<w:body>", b"<w:body><!-- by hand --><?keep this?>")
            target.writestr(member.filename, content)
    assert [one.text for one in read(tmp_path / "a.docx").nodes] == ["A weir is a low dam."]


def test_scripts_before_a_sign_of_a_formula_are_kept(tmp_path: Path) -> None:
    space = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    formula = (
        f'<m:oMath xmlns:m="{space}"><m:sPre><m:sub><m:r><m:t>6</m:t></m:r></m:sub>'
        "<m:sup><m:r><m:t>14</m:t></m:r></m:sup>"
        "<m:e><m:r><m:t>C</m:t></m:r></m:e></m:sPre><m:sPre><m:sub/><m:sup/><m:e><m:r><m:t>Q</m:t></m:r></m:e></m:sPre>"
        "</m:oMath>"
    )
    document = Document()
    document.add_paragraph("Carbon is ")._p.append(parse_xml(formula))
    document.save(str(tmp_path / "a.docx"))
    draft = read(tmp_path / "a.docx")
    said = draft.nodes[0].text.replace(" ", "")
    assert "_{6}^{14}" in said
    assert "C" in said.partition("^{14}")[2]
    assert "Q" in said
