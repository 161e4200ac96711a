"""What no person sees in a file reaches no model, in any format: by 200 ways, each in a file made here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from unseen_files import FILES, sheet, slides, text_box, word
from unseen_odf import odp, odt
from unseen_sentence import SECRET, SECRET_WORDS, SHOWN
from unseen_texts import book

from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph import Store
    from ragraph.ingest.draft import Draft

WAYS = [(ending, way) for ending, ways in FILES.items() for way in ways]
SILENT = {
    *(("html", way) for way in ("template", "noscript", "comment", "script", "dialog", "input")),
    *{("html", "option of a list"), ("md", "comment by a link"), ("md", "comment by a reference")},
    *(("rst", way) for way in ("comment", "block comment", "meta")),
    *{("org", "drawer"), ("rtf", "unknown destination")},
    *{("vtt", "note"), ("vtt", "style")},
}
"""What the grammar of a format has no text for is left out without a warning: scripts, comments, definitions."""


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def draft_of(folder: Path, name: str, content: bytes, **options: object) -> Draft:
    return read_draft(written(folder, name, content), ReadOptions(**options), Limits())  # type: ignore[arg-type]


def tells(text: str) -> bool:
    """Return True if a text has a word of the secret, or letters that nobody sees."""
    return any(word in text for word in SECRET_WORDS) or any("\U000e0000" <= one <= "\U000e01ef" for one in text)


@pytest.mark.parametrize(("ending", "way"), WAYS)
def test_unseen_text_is_left_out_and_counted(tmp_path: Path, ending: str, way: str) -> None:
    draft = draft_of(tmp_path, f"a.{ending}", FILES[ending][way]())
    assert not tells(draft.model_dump_json(exclude={"warnings", "made_by"}))
    assert not any(map(tells, draft.warnings))
    assert SHOWN in "\n".join([*(node.text for node in draft.nodes), json.dumps([node.data for node in draft.nodes])])
    counted = [warning for warning in draft.warnings if "left out: " in warning]
    assert bool(counted) == ((ending, way) not in SILENT)
    assert not draft.made_by.get("account", {}).get("unaccounted")


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.pptx", FILES["pptx"]["hidden slide"]),
        ("a.xlsx", FILES["xlsx"]["hidden sheet"]),
        ("a.docx", FILES["docx"]["vanish"]),
    ],
)
def test_hidden_content_is_stored_on_request_and_marked(tmp_path: Path, name: str, make: Callable[[], bytes]) -> None:
    draft = draft_of(tmp_path, name, make(), hidden=True)
    held = [node for node in draft.nodes if tells(node.text)]
    assert held
    assert {node.data.get("layer") for node in held} == {"invisible"}
    assert not any("left out" in warning for warning in draft.warnings)


def _set(work: Any, *, number_format: str = "General", white_on: str | None = "") -> None:
    from openpyxl.styles import Font, PatternFill
    from openpyxl.worksheet.table import Table, TableStyleInfo

    table = work.active
    cell = table["B3"]
    cell.value, cell.number_format = SECRET, number_format
    if white_on != "":
        cell.font = Font(color="FFFFFFFF")
    if white_on:
        cell.fill = PatternFill("solid", fgColor=white_on)
    if white_on is None:
        table.add_table(Table(displayName="T", ref="A1:C4", tableStyleInfo=TableStyleInfo(name="TableStyleDark1")))


def _move(shape: Any, left: int) -> None:
    shape.left = left


def _white_over(deck: Any, shape: Any) -> None:
    from pptx.dml.color import RGBColor
    from pptx.util import Inches

    below = deck.slides[1].shapes.add_shape(1, Inches(0), Inches(2), Inches(9), Inches(4))
    below.fill.solid()
    below.fill.fore_color.rgb = RGBColor(0x10, 0x20, 0x30)  # type: ignore[no-untyped-call]
    below._element.getparent().insert(2, below._element)
    shape.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(255, 255, 255)  # type: ignore[no-untyped-call]


def _cover_half(deck: Any, shape: Any) -> None:
    from pptx.util import Inches

    deck.slides[1].shapes.add_shape(1, Inches(0), Inches(2), Inches(3), Inches(4))


WHITE_RUN = '<w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>{0}</w:t></w:r>'
KEPT: dict[str, tuple[str, bytes]] = {
    "white on a dark cell": (
        "a.docx",
        word(
            '<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc><w:tcPr><w:shd w:val="clear"'
            f' w:fill="102030"/></w:tcPr><w:p>{WHITE_RUN.format(SECRET)}</w:p></w:tc></w:tr></w:tbl>'
        ),
    ),
    "white in a table with a style": (
        "a.docx",
        word(
            '<w:tbl><w:tblPr><w:tblStyle w:val="LightShading-Accent1"/></w:tblPr><w:tblGrid><w:gridCol/></w:tblGrid>'
            f"<w:tr><w:tc><w:p>{WHITE_RUN.format(SECRET)}</w:p></w:tc></w:tr></w:tbl>"
        ),
    ),
    "white on a marker": (
        "a.docx",
        word(
            '<w:p><w:r><w:rPr><w:color w:val="FFFFFF"/><w:highlight w:val="black"/></w:rPr>'
            f"<w:t>{SECRET}</w:t></w:r></w:p>"
        ),
    ),
    "vanish that is off": (
        "a.docx",
        word(f'<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>{SECRET}</w:t></w:r></w:p>'),
    ),
    "hidden in web view alone": (
        "a.docx",
        word(f"<w:p><w:r><w:rPr><w:webHidden/></w:rPr><w:t>{SECRET}</w:t></w:r></w:p>"),
    ),
    "empty third section": ("a.xlsx", sheet(lambda work: _set(work, number_format="0;-0;;@"))),
    "white on a fill": ("a.xlsx", sheet(lambda work: _set(work, white_on="FF102030"))),
    "white in a table of a sheet": ("a.xlsx", sheet(lambda work: _set(work, white_on=None))),
    "partly on the slide": ("a.pptx", slides(lambda deck, shape: _move(shape, -2_000_000))),
    "white on a shape below": ("a.pptx", slides(lambda deck, shape: _white_over(deck, shape))),
    "shape above a part": ("a.pptx", slides(lambda deck, shape: _cover_half(deck, shape))),
    "white on a background of its own": (
        "a.odt",
        odt(
            f'<text:p text:style-name="Z">{SECRET}</text:p>',
            '<style:style style:name="Z" style:family="paragraph"><style:paragraph-properties'
            ' fo:background-color="#102030"/><style:text-properties fo:color="#ffffff"/></style:style>',
        ),
    ),
    "automatic colour, as LibreOffice writes it": (
        "a.odt",
        odt(
            f'<text:p text:style-name="Z">{SECRET}</text:p>',
            '<style:default-style style:family="paragraph"><style:text-properties loext:opacity="0%"'
            ' style:use-window-font-color="true"/></style:default-style><style:style style:name="Z"'
            ' style:family="paragraph"><style:text-properties style:use-window-font-color="true" loext:opacity="0%"/>'
            "</style:style>",
        ),
    ),
    "section whose condition does not hold": (
        "a.odt",
        odt(
            '<text:section text:name="S" text:display="condition" text:condition="ooow:0"><text:p>'
            f"{SECRET}</text:p></text:section>"
        ),
    ),
    "slide with a picture behind": (
        "a.odp",
        odp(
            '<draw:frame svg:x="0cm" svg:y="0cm" svg:width="28cm" svg:height="21cm"><draw:text-box><text:p>It fell.'
            '</text:p></draw:text-box></draw:frame><draw:frame svg:x="2cm" svg:y="2cm" svg:width="9cm"'
            f' svg:height="3cm"><draw:text-box><text:p><text:span text:style-name="Z">{SECRET}</text:span></text:p>'
            "</draw:text-box></draw:frame>",
            "",
            '<style:style style:name="Z" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>',
        ),
    ),
    "open by one click": (
        "a.html",
        f"<p>{SHOWN}</p><details><summary>More</summary><p>{SECRET}</p></details>".encode(),
    ),
    "aria-hidden": ("a.html", f'<p>{SHOWN}</p><p aria-hidden="true">{SECRET}</p>'.encode()),
    "for print": (
        "a.html",
        f"<style>@media print{{.a{{display:none}}}}</style><p>{SHOWN}</p><p class=a>{SECRET}</p>".encode(),
    ),
    "for narrow windows": (
        "a.html",
        f"<style>@media (max-width:600px){{.a{{display:none}}}}</style><p>{SHOWN}</p><p class=a>{SECRET}</p>".encode(),
    ),
    "variable that shows": (
        "a.html",
        f'<style>:root{{--x:block}}</style><p>{SHOWN}</p><p style="display:var(--x,none)">{SECRET}</p>'.encode(),
    ),
    "half of it cut": ("a.html", f'<p>{SHOWN}</p><p style="clip-path:inset(0 50% 0 0)">{SECRET}</p>'.encode()),
    # as Word makes the caption of a picture that text flows around
    "box that grows with its text": (
        "a.docx",
        word(text_box(' style="position:absolute;height:.05pt"', size=(2_518_410, 635), body="<a:spAutoFit/>")),
    ),
    "a page of a book": ("a.epub", book(f'<p style="color:#333">{SECRET}</p>')),
    "class that hides nothing": (
        "a.md",
        f'<style>.b{{display:none}}</style>\n\n# A\n\n{SHOWN}\n\n<p class="a">{SECRET}</p>\n'.encode(),
    ),
    "word hidden in code": ("a.md", f'# A\n\n{SHOWN}\n\n`<b style="display:none">` {SECRET}\n'.encode()),
    "white in a coloured box": (
        "a.tex",
        f"\\begin{{document}}\n{SHOWN}\n\n\\colorbox{{black}}{{\\textcolor{{white}}{{{SECRET}}}}}\n\\end{{document}}".encode(),
    ),
    "condition that is not known": (
        "a.tex",
        f"\\begin{{document}}\n{SHOWN}\n\n\\ifpdf {SECRET}\\fi\n\\end{{document}}".encode(),
    ),
    "iff of a formula": (
        "a.tex",
        f"\\begin{{document}}\n{SHOWN} $a \\iff b$\n\n\\iftrue {SECRET}\\fi\n\\end{{document}}".encode(),
    ),
    "iffalse in a listing": (
        "a.tex",
        f"\\begin{{document}}\n{SHOWN}\n\\begin{{verbatim}}\n\\iffalse {SECRET}\n\\end{{verbatim}}\n".encode(),
    ),
    "comment in a listing": ("a.adoc", f"= A\n\n{SHOWN}\n\n----\n// {SECRET}\n----\n".encode()),
    "address": ("a.adoc", f"= A\n\n{SHOWN} https://example.org/a {SECRET}\n".encode()),
    "condition that holds": ("a.adoc", f"= A\n:set:\n\n{SHOWN}\n\nifdef::set[]\n{SECRET}\nendif::[]\n".encode()),
    "only for HTML": ("a.rst", f"A\n=\n\n{SHOWN}\n\n.. only:: html and not draft\n\n   {SECRET}\n".encode()),
    "block of text": ("a.org", f"* A\n{SHOWN}\n#+BEGIN_QUOTE\n{SECRET}\n#+END_QUOTE\n".encode()),
    "v that is off": ("a.rtf", f"{{\\rtf1\\ansi {SHOWN}\\par\\v0 {SECRET}\\par}}".encode()),
}


@pytest.mark.parametrize("way", KEPT)
def test_text_that_is_seen_stays(tmp_path: Path, way: str) -> None:
    name, content = KEPT[way]
    draft = draft_of(tmp_path, name, content)
    assert SECRET in "\n".join([*(node.text for node in draft.nodes), json.dumps([node.data for node in draft.nodes])])
    assert not any("left out" in warning for warning in draft.warnings)


def test_hidden_rows_and_columns_leave_the_rest_of_a_table_whole(tmp_path: Path) -> None:
    draft = draft_of(tmp_path, "a.xlsx", FILES["xlsx"]["many hidden rows"]())
    table = next(node for node in draft.nodes if node.data.get("cells"))
    assert table.data["cells"] == [
        ["river", "remark", "metres"],
        ["Trent", SHOWN, "4"],
        ["Ouse", "It fell in June.", "5"],
        ["Wye", "low", "6"],
        ["Tees", "high", "9"],
    ]


def test_speaker_notes_and_alternative_texts_say_what_they_are(tmp_path: Path) -> None:
    def change(deck: Any, shape: Any) -> None:
        deck.slides[1].notes_slide.notes_text_frame.text = "Say that it stood."

    draft = draft_of(tmp_path, "a.pptx", slides(change))
    note = next(node for node in draft.nodes if "Say that it stood" in node.text)
    assert note.type == "NOTE"
    held = {one.key: one for one in draft.containers}[note.container or ""]
    assert held.type == "NOTES_SECTION"
    page = f'<p>{SHOWN}</p><img src="a.png" alt="A gauge at four feet above the usual level">'
    draft = draft_of(tmp_path, "a.html", page.encode())
    figure = next(node for node in draft.nodes if node.type == "FIGURE")
    assert figure.description == "A gauge at four feet above the usual level"
    assert figure.text == ""


@pytest.mark.slow
def test_unseen_text_reaches_no_answer_of_a_store(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    chosen = [one for place, one in enumerate(WAYS) if place % 4 == 0 and one[0] not in ("ods", "odp", "vtt")]
    for place, (ending, way) in enumerate(chosen):
        written(folder, f"{place}.{ending}", FILES[ending][way]())
    report = store.ingest(folder, model=None)
    assert len(report.files) == len(chosen)
    assert {file.status for file in report.files} == {"added"}, report.files
    assert not any(store.search(word, k=50, mode="text") for word in (*SECRET_WORDS, "ledger"))
    assert SHOWN in str(store.context("The river rose", mode="text", token_budget=20_000))
    assert not tells(str(store.context(f"{SECRET} river", mode="text", match="any", token_budget=20_000)))
    for document in store.documents():
        assert not tells(str(store.render(document.id)))
    assert not any(map(tells, store.export()))
