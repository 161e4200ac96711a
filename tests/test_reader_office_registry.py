"""Which reader takes a file, what is said of files that none takes, and DoclingDocuments taken in whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from office_files import check_draft, make_docx, make_pptx, make_xlsx, node, read, relations, texts, zipped

from ragraph import errors
from ragraph.ingest.readers import FORMATS, ReadOptions, format_of, reader_for, supported_suffixes
from ragraph.ingest.readers.docling.run import run_docling

if TYPE_CHECKING:
    from pathlib import Path

_ODF = "application/vnd.oasis.opendocument."
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", b"%PDF-1.7\n", "pdf"),
        ("a.html", zipped({"word/document.xml": "x", "[Content_Types].xml": "x"}), "docx"),
        ("a.docx", zipped({"ppt/presentation.xml": "x"}), "pptx"),
        ("a", zipped({"xl/workbook.xml": "x"}), "xlsx"),
        ("a.zip", zipped({"mimetype": "application/epub+zip", "META-INF/container.xml": "x"}), "epub"),
        ("a.zip", zipped({"mimetype": f"{_ODF}text"}), "odt"),
        ("a.zip", zipped({"mimetype": f"{_ODF}spreadsheet"}), "ods"),
        ("a.zip", zipped({"mimetype": f"{_ODF}presentation-template"}), "odp"),
        ("a.md", b"<!DOCTYPE html><html></html>", "html"),
        ("a.xml", b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html xmlns="z"/>', "html"),
        ("a.xml", b'<?xml version="1.0"?><!-- c --><article article-type="research-article"/>', "jats"),
        ("a.xml", b'<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "x.dtd" [<!ENTITY a "b">]><article/>', "jats"),
        ("a.xml", b"<us-patent-grant/>", "uspto"),
        ("a.xml", b'<!DOCTYPE PATDOC SYSTEM "x.dtd"><PATDOC/>', "uspto"),
        ("a.txt", b"PATN\nWKU  1", "uspto"),
        ("a.opf", b'<package xmlns="http://www.idpf.org/2007/opf"/>', "epub"),
        ("a.json", b'{"schema_name": "DoclingDocument"}', "docling"),
        ("a.txt", b"\\documentclass{article}\n", "latex"),
        ("a.md", b"# about \\documentclass\n\\documentclass{a}", "markdown"),
        ("a.MARKDOWN", b"text", "markdown"),
        ("a.adoc", b"text", "asciidoc"),
        ("a.rst", b"text", "rst"),
        ("a.ipynb", b'{"cells": []}', "notebook"),
        ("a.ipynb", b"text", "it does not begin as a notebook does, with JSON"),
        ("a.csv", b"a,b", "csv"),
        ("README", b"text", "text"),
        ("a.txt", "\ufeffwide".encode("utf-16"), "text"),
    ],
)
def test_content_decides_before_the_name(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert format_of(path) == expected


def test_the_media_type_helps_where_the_name_does_not(tmp_path: Path) -> None:
    path = tmp_path / "download"
    path.write_text("# text")
    assert format_of(path, "text/markdown; charset=utf-8") == "markdown"
    assert format_of(path, "text/plain") == "text"


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("a.txt", b"", errors.EmptyFileError, "empty"),
        ("a.docx", b" \n\n", errors.EmptyFileError, "empty"),
        ("a.docx", _OLE + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"), errors.EncryptedFileError, "password"),
        ("a.gif", b"GIF89a", errors.UnsupportedFormatError, "image"),
        ("a.docx", b"PK\x03\x04 cut off", errors.DamagedFileError, "archive"),
        ("a.zip", zipped({"x.txt": "x"}), errors.UnsupportedFormatError, "unpack"),
        ("a.xyz", b"x = 1", errors.UnsupportedFormatError, "Formats that can"),
        ("a.bin", b"\x00\x01\x02", errors.UnsupportedFormatError, "binary"),
    ],
)
def test_what_none_takes_is_said_in_one_line(
    tmp_path: Path, name: str, content: bytes, error: type[errors.IngestError], words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(error, match=words) as caught:
        reader_for(path)
    assert "\n" not in str(caught.value)


def test_an_encrypted_opendocument_file_needs_its_password(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    path.write_bytes(zipped({"mimetype": f"{_ODF}text", "META-INF/manifest.xml": "<manifest:encryption-data/>"}))
    with pytest.raises(errors.EncryptedFileError):
        reader_for(path)


def test_every_format_has_a_reader_with_a_name_and_a_version() -> None:
    import importlib

    for entry in FORMATS.values():
        reader = getattr(importlib.import_module(f"ragraph.ingest.readers.{entry.module}"), entry.reader)()
        assert reader.name
        assert reader.version >= 1
        assert set(entry.suffixes) <= supported_suffixes()


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.docx", zipped({"word/document.xml": "<w:document", "[Content_Types].xml": "x"}), errors.DamagedFileError),
        ("a.docx", zipped({"word/other.xml": "x"}), errors.DamagedFileError),
        ("a.pptx", zipped({"ppt/presentation.xml": "x"}), errors.DamagedFileError),
        ("a.xlsx", zipped({"xl/workbook.xml": "x"}), errors.DamagedFileError),
        ("a.odt", zipped({"mimetype": f"{_ODF}text", "content.xml": "<a"}), errors.DamagedFileError),
        ("a.json", b'{"schema_name": "DoclingDocument", "texts": 5}', errors.DamagedFileError),
        ("a.md", b"---\n---\n", errors.EmptyFileError),
        ("a.csv", b",,\n,,\n", errors.EmptyFileError),
        ("a.tex", b"\\documentclass{article}\\begin{document}\\end{document}", errors.EmptyFileError),
    ],
)
def test_broken_and_empty_files_are_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes, error: type[errors.IngestError]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(error) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("maker", [make_docx, make_pptx, make_xlsx])
def test_a_docling_document_is_taken_in_whole(tmp_path: Path, maker: object) -> None:
    kind = {make_docx: "docx", make_pptx: "pptx", make_xlsx: "xlsx"}[maker]  # type: ignore[index]
    document = run_docling(maker(tmp_path / f"a.{kind}"), kind)  # type: ignore[operator]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document.export_to_dict()))
    draft = read(path)
    check_draft(draft)
    everything = "\n".join(entry.text for entry in draft.nodes)
    for item in document.texts:
        assert item.text.replace("*", "\\*") in everything
    for table in document.tables:
        for cell in table.data.table_cells:
            assert cell.text in everything
    assert len(draft.pages) == len(document.pages)


def test_a_docling_document_with_every_label(tmp_path: Path) -> None:
    from docling_core.types.doc import BoundingBox, DocItemLabel, DoclingDocument, GroupLabel, ProvenanceItem, Size
    from docling_core.types.doc.base import CoordOrigin
    from docling_core.types.doc.common.content_layer import ContentLayer
    from docling_core.types.doc.items.table.table_data import TableCell, TableData

    document = DoclingDocument(name="all")
    document.add_page(page_no=1, size=Size(width=600, height=800))
    place = ProvenanceItem(
        page_no=1, charspan=(0, 1), bbox=BoundingBox(l=10, b=100, r=60, t=150, coord_origin=CoordOrigin.BOTTOMLEFT)
    )
    document.add_title("The title", prov=place)
    document.add_heading("Heading", level=2)
    labels = [
        "text", "paragraph", "caption", "footnote", "reference", "checkbox_selected", "checkbox_unselected",
        "handwritten_text", "page_header", "page_footer",
    ]  # fmt: skip
    for label in labels:
        layer = ContentLayer.FURNITURE if label.startswith("page_") else ContentLayer.BODY
        document.add_text(label=DocItemLabel(label), text=f"1 is {label}", prov=place, content_layer=layer)
    document.add_text(label=DocItemLabel.PAGE_FOOTER, text="17", prov=place, content_layer=ContentLayer.FURNITURE)
    document.add_formula("a^2")
    document.add_code("x = 1")
    inline = document.add_inline_group()
    document.add_text(label=DocItemLabel.TEXT, text="Glued", parent=inline)
    document.add_text(label=DocItemLabel.TEXT, text="here", parent=inline, hyperlink="https://x.org/")
    document.add_formula("b", parent=inline)
    document.add_text(label=DocItemLabel.TEXT, text=", done.", parent=inline)
    outer = document.add_list_group()
    item = document.add_list_item("outer", enumerated=True, marker="a.", parent=outer)
    document.add_list_item("inner", parent=document.add_list_group(parent=item))
    note = document.add_text(label=DocItemLabel.FOOTNOTE, text="* of the table")
    caption = document.add_text(label=DocItemLabel.CAPTION, text="Table 1. Spans")
    cells = [
        TableCell(text="both", column_header=True, col_span=2, start_row_offset_idx=0, end_row_offset_idx=1,
                  start_col_offset_idx=0, end_col_offset_idx=2),
        TableCell(text="l", start_row_offset_idx=1, end_row_offset_idx=2, start_col_offset_idx=0, end_col_offset_idx=1),
        TableCell(text="r", start_row_offset_idx=1, end_row_offset_idx=2, start_col_offset_idx=1, end_col_offset_idx=2),
    ]  # fmt: skip
    table = document.add_table(TableData(num_rows=2, num_cols=2, table_cells=cells), caption=caption, prov=place)
    table.footnotes.append(note.get_ref())
    one = {"start_row_offset_idx": 0, "end_row_offset_idx": 1, "start_col_offset_idx": 0, "end_col_offset_idx": 1}
    contents = TableData(num_rows=1, num_cols=1, table_cells=[TableCell(text="Heading 1", **one)])
    document.add_table(contents, label=DocItemLabel.DOCUMENT_INDEX)
    document.add_picture(prov=place)
    slide = document.add_group(label=GroupLabel.SLIDE, name="slide")
    document.add_text(label=DocItemLabel.TEXT, text="on the slide", parent=slide)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document.export_to_dict()))

    draft = read(path)
    check_draft(draft)
    kinds = {container.key: container.type for container in draft.containers}
    assert texts(draft, "TITLE") == ["The title"]
    assert draft.nodes[0].positions[0].bbox is not None
    assert draft.nodes[0].positions[0].bbox.model_dump() == {"x1": 10, "y1": 650, "x2": 60, "y2": 700}
    wanted = {
        "is text": "PARAGRAPH",
        "is paragraph": "PARAGRAPH",
        "is reference": "BIBLIOGRAPHIC_ENTRY",
        "is handwritten": "PARAGRAPH",
        "is footnote": "NOTE",
        "is caption": "CAPTION",
    }
    for text, kind in wanted.items():
        assert node(draft, text).type == kind
    assert node(draft, "is footnote").marker == "1"
    assert node(draft, "[x] 1 is checkbox").data["checked"] is True
    assert kinds[node(draft, "is page_header").container or ""] == "HEADER"
    assert kinds[node(draft, "is page_footer").container or ""] == "FOOTER"
    assert [(n.text, kinds[n.container or ""]) for n in draft.nodes if n.type == "PAGE_NUMBER"] == [("17", "FOOTER")]
    assert node(draft, "Glued").text == "Glued [here](https://x.org/) $b$, done."
    assert [(n.text, n.marker, n.data["depth"], n.data["ordered"]) for n in draft.nodes if n.type == "LIST_ITEM"] == [
        ("outer", "a.", 1, True),
        ("inner", None, 2, False),
    ]
    spanned = node(draft, "both")
    assert spanned.data == {"cells": [["both", ""], ["l", "r"]], "header_rows": 1, "spans": [[0, 0, 1, 2]]}
    assert [r.target for r in relations(draft, "IS_CAPTIONED_BY")] == [node(draft, "Table 1. Spans").key]
    assert [(r.source, r.target, r.marker) for r in relations(draft, "REFERENCES_NOTE")] == [
        (spanned.key, node(draft, "of the table").key, "*")
    ]
    assert [kinds[n.container or ""] for n in draft.nodes if n.text == "Heading 1"] == ["TABLE_OF_CONTENTS"]
    assert kinds[node(draft, "on the slide").container or ""] == "SECTION"
    assert any(n.type == "FIGURE" for n in draft.nodes)


def test_a_patent_application(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(
        '<?xml version="1.0"?>\n'
        '<!DOCTYPE us-patent-application SYSTEM "us-patent-application-v44-2014-04-03.dtd" [ ]>\n'
        "<us-patent-application><us-bibliographic-data-application><publication-reference><document-id>"
        "<country>US</country><doc-number>20240000001</doc-number><date>20240102</date></document-id>"
        "</publication-reference><invention-title>Pond gauge</invention-title><us-parties><inventors>"
        "<inventor><addressbook><last-name>Byron</last-name><first-name>Ada</first-name></addressbook></inventor>"
        "</inventors></us-parties></us-bibliographic-data-application>"
        '<abstract id="abstract"><p id="p-1">A gauge for ponds.</p></abstract><description id="description">'
        '<heading id="h-1" level="1">Background</heading><p id="p-2">Ponds are deep.</p></description>'
        '<claims id="claims"><claim id="c-1" num="00001"><claim-text>1. A gauge.</claim-text></claim></claims>'
        "</us-patent-application>"
    )
    draft = read(path)
    check_draft(draft)
    assert draft.metadata.model_dump(mode="json", exclude_defaults=True) == {
        "title": "Pond gauge",
        "authors": ["Ada Byron"],
        "publication_date": "2024-01-02",
        "language": "en",
        "extra": {"number": "20240000001"},
    }
    assert texts(draft, "PARAGRAPH") == ["A gauge for ponds.", "Ponds are deep.", "1. A gauge."]
    assert "Background" in texts(draft, "HEADING")


def test_a_table_cut_out_of_a_patent_is_read(tmp_path: Path) -> None:
    path = tmp_path / "table.xml"
    path.write_text(
        '<?xml version="1.0"?><table><tgroup cols="2"><colspec colname="1" colwidth="40pt"/>'
        '<colspec colname="2" colwidth="40pt"/><tbody><row><entry>Dose</entry><entry>Yield</entry></row>'
        "<row><entry>5</entry><entry>80</entry></row></tbody></tgroup></table>"
    )
    draft = reader_for(path).read(path, ReadOptions())
    assert [node.data["cells"] for node in draft.nodes] == [[["Dose", "Yield"], ["5", "80"]]]


def test_a_patent_in_fields_is_read_beyond_its_first_table(tmp_path: Path) -> None:
    path = tmp_path / "patent.txt"
    path.write_text(
        "PATN\nWKU  057006474\nTTL  A dye\nABST\nPAL  It shines,\n      at night.\nBSUM\nPAC  BACKGROUND\n"
        "PAR  Lamps are old.\nTBL3  TABLE 1\n      No.  Dye\n      1    red\nPAR  After the table.\n"
        "CLMS\nSTM  What is claimed is:\nNUM  1.\nPAR  1. A lamp.\n"
    )
    draft = reader_for(path).read(path, ReadOptions())
    assert [(node.type.value, node.text) for node in draft.nodes] == [
        ("TITLE", "A dye"),
        ("HEADING", "ABSTRACT"),
        ("PARAGRAPH", "It shines, at night."),
        ("HEADING", "BACKGROUND"),
        ("PARAGRAPH", "Lamps are old."),
        ("CODE", "TABLE 1\n      No.  Dye\n      1    red"),
        ("PARAGRAPH", "After the table."),
        ("HEADING", "CLAIMS"),
        ("PARAGRAPH", "What is claimed is:"),
        ("LIST_ITEM", "A lamp."),
    ]
    assert draft.nodes[-1].marker == "1."
