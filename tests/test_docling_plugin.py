"""Our rules as engines of docling's own pipeline: its stages, its threads, its reading order, our clusters."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

if TYPE_CHECKING:
    from pathlib import Path

PLACES = ("bridge", "mill", "weir", "ford", "harbour")
FIRST = (
    "At the {0} water was drawn every morning before the mill began to work, and the level of the river was read from",
    "the gauge that stands beside the {0}. The readings were entered in a book which the keeper of the {0} kept, and",
    "they were compared with those of the year before wherever that year had been entered at all.",
)
SECOND = (
    "Of the {0} no more is known than what the keeper wrote down in the spring of that year, when the ice had gone and",
    "the flood had not yet come.",
)
CELLS = [["Place", "Depth", "Level"], ["Bridge", "2.1", "4.0"], ["Mill", "1.7", "3.2"], ["Weir", "0.9", "2.8"]]


def _page(canvas: Canvas, number: int) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawString(72, 800, "Annual report of the river office")
    canvas.drawCentredString(297, 30, str(number))
    canvas.setFont("Helvetica-Bold", 16)
    place = PLACES[number - 1]
    canvas.drawString(72, 740, f"{number} Readings at the {place}")
    canvas.setFont("Times-Roman", 10)
    for index, line in enumerate(FIRST):
        canvas.drawString(72, 710 - 12 * index, line.format(place))
    end = 72 + canvas.stringWidth(FIRST[2], "Times-Roman", 10)
    canvas.setFont("Times-Roman", 6)
    canvas.drawString(end, 690, str(number))
    table = Table(CELLS, colWidths=80)
    table.setStyle(
        TableStyle([("GRID", (0, 0), (-1, -1), 0.6, colors.black), ("FONT", (0, 0), (-1, -1), "Times-Roman", 9)])
    )
    table.wrapOn(canvas, 400, 300)
    table.drawOn(canvas, 72, 560)
    canvas.setFont("Times-Roman", 10)
    for index, line in enumerate(SECOND):
        canvas.drawString(72, 520 - 12 * index, line.format(place))
    canvas.setFont("Times-Roman", 5)
    canvas.drawString(72, 93, str(number))
    canvas.setFont("Times-Roman", 8)
    canvas.drawString(
        76, 90, f"The gauge of the {place} was set anew in that year, so that older readings stand too high."
    )
    canvas.showPage()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plugin") / "report.pdf"
    canvas = Canvas(str(path), pagesize=(595, 842))
    for number in range(1, 6):
        _page(canvas, number)
    canvas.save()
    return path


@pytest.fixture
def converter(monkeypatch: pytest.MonkeyPatch) -> Any:
    """docling with its standard pipeline and our engines.

    Only its own table engines are left out: the factory imports them all, and they need torchvision.
    """
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.pipeline_options import ThreadedPdfPipelineOptions
    from docling.document_converter import DocumentConverter, PdfFormatOption
    from docling.models.factories.table_factory import TableStructureFactory

    from ragraph.pdf import docling_plugin
    from ragraph.pdf.docling_models import RuleLayoutOptions, RuleTableOptions

    tables = TableStructureFactory()
    tables.process_plugin(docling_plugin.table_structure_engines(), "ragraph", docling_plugin.__name__)
    monkeypatch.setattr("docling.pipeline.standard_pdf_pipeline.get_table_structure_factory", lambda **_: tables)
    options = ThreadedPdfPipelineOptions(
        do_ocr=False,
        allow_external_plugins=True,
        layout_options=RuleLayoutOptions(),
        table_structure_options=RuleTableOptions(),
        layout_batch_size=2,
    )
    return DocumentConverter(format_options={InputFormat.PDF: PdfFormatOption(pipeline_options=options)})


def test_doclings_pipeline_takes_what_our_rules_see(report: Path, converter: Any) -> None:
    from docling_core.types.doc import ContentLayer, DocItemLabel

    document = converter.convert(report).document
    assert len(document.pages) == 5
    items = [
        item
        for item, _ in document.iterate_items(included_content_layers=set(ContentLayer))
        if item.prov and item.prov[0].page_no == 3
    ]
    body = [(item.label, getattr(item, "text", "")) for item in items if item.content_layer is ContentLayer.BODY]
    assert [label for label, _ in body] == [
        DocItemLabel.SECTION_HEADER,
        DocItemLabel.TEXT,
        DocItemLabel.TABLE,
        DocItemLabel.TEXT,
        DocItemLabel.FOOTNOTE,
    ]
    assert body[0][1] == "3 Readings at the weir"
    assert body[1][1].startswith("At the weir water was drawn") and "compared with those" in body[1][1]
    assert "The gauge of the weir" in body[4][1]
    furniture = {item.label: item.text for item in items if item.content_layer is ContentLayer.FURNITURE}
    assert furniture == {
        DocItemLabel.PAGE_HEADER: "Annual report of the river office",
        DocItemLabel.PAGE_FOOTER: "3",
    }


def test_tables_keep_their_cells(report: Path, converter: Any) -> None:
    tables = converter.convert(report).document.tables
    assert len(tables) == 5
    for table in tables:
        assert [[cell.text for cell in row] for row in table.data.grid] == CELLS
        assert [cell.column_header for cell in table.data.grid[0]] == [True, True, True]


def test_bytes_and_a_range_of_pages_are_read_as_files_are(report: Path, converter: Any) -> None:
    from docling.datamodel.base_models import DocumentStream

    stream = DocumentStream(name="report.pdf", stream=BytesIO(report.read_bytes()))
    document = converter.convert(stream, page_range=(2, 4)).document
    assert sorted({item.prov[0].page_no for item in document.texts}) == [2, 3, 4]
    assert "3 Readings at the weir" in [item.text for item in document.texts]


def test_the_analysis_goes_with_its_conversion(report: Path, converter: Any) -> None:
    import gc

    from ragraph.pdf import docling_models

    result = converter.convert(report)
    assert len(docling_models._analyses) == 1
    del result
    gc.collect()
    assert docling_models._analyses == {}


def test_docling_finds_the_engine_by_its_entry_point() -> None:
    code = (
        "from docling.models.factories import get_layout_factory; "
        "print('ragraph_rules' in get_layout_factory(allow_external_plugins=True).registered_kind)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_the_plug_in_itself_loads_no_docling() -> None:
    code = "import sys, ragraph.pdf.docling_plugin; print('docling' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
