"""Kinds of content that people have in Org, Markdown notes, records, separated values, OpenDocument and saved pages."""
# ruff: noqa: E501 - markup of the files

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from docx.oxml import parse_xml
from lxml import etree
from office_files import check_draft, node, read, texts
from openpyxl import Workbook
from pptx import Presentation
from pptx.oxml.ns import nsdecls

from ragraph.errors import FileTooLargeError
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.office.odf_lists import lift_blocks
from ragraph.ingest.readers.office.sheet_groups import parted
from ragraph.ingest.readers.text.latex_printed import printed
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft


def _read(path: Path, content: str | bytes) -> Draft:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    draft = read(path)
    check_draft(draft)
    return draft


def _unaccounted(path: Path) -> int:
    account = read_draft(path, ReadOptions(), Limits()).made_by["account"]
    return int(account["unaccounted"])


def test_org_tables(tmp_path: Path) -> None:
    source = (
        "| ! | Item  | Cost |\n|---+-------+------|\n| # | Apple |    3 |\n| / | <     | >    |\n|---|\n|   | All   |    3 |\n"
        "#+TBLFM: $3=vsum(@2..@-1)\nBehind.\n\n| <l> | <r10> |\n| a   | 1     |\n"
    )
    draft = _read(tmp_path / "a.org", source)
    assert texts(draft, "TABLE") == ["Apple | 3\nAll | 3", "a | 1"]
    named = _read(tmp_path / "b.org", "| Item | Cost |\n|-+-|\n| Apple | 3 |\n")
    bars = _read(tmp_path / "c.org", "| x \\vert{} y | z |\n|-+-|\n| 1 | 2 |\n\n||a|b|\n|-+-+-|\n|1|2|3|\n")
    assert [one.data["cells"] for one in bars.nodes] == [
        [["x | y", "z"], ["1", "2"]],
        [["", "a", "b"], ["1", "2", "3"]],
    ]
    assert (named.nodes[0].data["cells"], named.nodes[0].data["header_rows"]) == ([["Item", "Cost"], ["Apple", "3"]], 1)


def test_org_rules_lists_and_indented_text(tmp_path: Path) -> None:
    source = (
        "* Knots\nBefore.\n-----\nBehind.\n*** Deep\n    Text below a heading is indented.\n- a\n  1. one\n     goes on\n"
        "     #+begin_src sh\n     ls\n     #+end_src\n  2. two\n- b\n\n: fixed\n: lines\n"
    )
    draft = _read(tmp_path / "a.org", source)
    shown = [(one.type.value, one.text, one.data.get("depth")) for one in draft.nodes]
    assert shown == [
        ("TITLE", "Knots", None),
        ("PARAGRAPH", "Before.", None),
        ("PARAGRAPH", "Behind.", None),
        ("HEADING", "Deep", None),
        ("PARAGRAPH", "Text below a heading is indented.", None),
        ("LIST_ITEM", "a", 1),
        ("LIST_ITEM", "one goes on", 2),
        ("CODE", "ls", None),
        ("LIST_ITEM", "two", 2),
        ("LIST_ITEM", "b", 1),
        ("CODE", "fixed\nlines", None),
    ]


def test_org_notes_signs_and_places(tmp_path: Path) -> None:
    source = "A[fn:1] b[fn:: Here.] \\alpha <<place>>x @@html:<b>@@y.\n\n[fn:1] First.\n\nSecond.\n\n\nNo note.\n"
    draft = _read(tmp_path / "a.org", source)
    assert texts(draft, "PARAGRAPH") == ["A b α x y.", "No note."]
    assert texts(draft, "NOTE") == ["First.\nSecond.", "Here."]
    path = "Copy C:\\alpha\\copy to \\target, not \\num, at 5\\deg{}C \\frac12."
    assert _read(tmp_path / "b.org", path).nodes[0].text == "Copy C:\\alpha\\copy to \\target, not \\num, at 5°C ½."


def test_notes_of_markdown_have_lists_and_blocks_in_their_order(tmp_path: Path) -> None:
    source = (
        "See[^a] and[^b].\n\nBehind.\n\n[^a]: Steps:\n\n    1. one\n    2. two\n\n    ```\n    code\n    ```\n\n    > said\n\n    End.\n"
        "[^b]:\n    | A | B |\n    |---|---|\n    | 1 | 2 |\n"
    )
    draft = _read(tmp_path / "a.md", source)
    assert [(one.type.value, one.text, one.marker) for one in draft.nodes] == [
        ("PARAGRAPH", "See and.", None),
        ("NOTE", "Steps:\n1. one\n2. two", "1"),
        ("CODE", "code", None),
        ("NOTE", "said\nEnd.", None),
        ("TABLE", "A | B\n1 | 2", None),
        ("PARAGRAPH", "Behind.", None),
    ]
    assert draft.nodes[4].anchors == ["note:b"]


def test_pages_in_records_are_read_as_pages(tmp_path: Path) -> None:
    record = {
        "id": 1,
        "title": "A <b>bold</b> title",
        "body": "<p>First &amp; <em>last</em>.</p><ul><li>one</li></ul><table><tr><th>A</th></tr><tr><td>1</td></tr></table>",
        "short": "<i>x</i> y",
        "code": "<p>kept</p>",
        "plain": "a < b and c > d",
    }
    path = tmp_path / "a.json"
    draft = _read(path, json.dumps([record]))
    assert texts(draft, "HEADING") == ["A <b>bold</b> title"]
    assert texts(draft, "PARAGRAPH") == ["First & *last*."]
    assert texts(draft, "TABLE") == ["A\n1"]
    assert texts(draft, "LIST_ITEM") == [
        "id: 1",
        "one",
        "short: <i>x</i> y",
        "code: <p>kept</p>",
        "plain: a < b and c > d",
    ]
    assert _unaccounted(path) == 0


def test_null_is_a_value(tmp_path: Path) -> None:
    nested = _read(tmp_path / "a.json", '{"a": null, "b": {"c": null}, "d": [1, null], "e": ""}')
    assert texts(nested, "LIST_ITEM") == ["a: null", "c: null", "1", "null"]
    assert texts(_read(tmp_path / "a.yaml", "a:\nb: null\nc: x\n"), "LIST_ITEM") == ["b: null", "c: x"]


def test_aliases_that_stand_for_too_much_are_refused_in_one_line(tmp_path: Path) -> None:
    lines = ['a0: &a0 ["x"]', *(f"a{place}: &a{place} [{','.join([f'*a{place - 1}'] * 10)}]" for place in range(1, 9))]
    text = "\n".join(lines)
    with pytest.raises(FileTooLargeError, match="stand for 234,567,910 values, more than 1,000,000"):
        _read(tmp_path / "a.yaml", f"{text}\n")
    draft = _read(tmp_path / "a.md", f"---\n{text}\n---\nThe text.\n")
    assert texts(draft, "PARAGRAPH") == ["The text."]
    assert draft.metadata.extra == {"front_matter": text}
    assert texts(_read(tmp_path / "b.yaml", "a: &a {x: 1}\nb: *a\n"), "LIST_ITEM") == ["x: 1", "x: 1"]


_MARKDOWN = (
    "Steps:\n\n1. open <b>Menu</b>\n2. click\n\n```html\n<div>\n <script>run()</script>\n</div>\n```\n\nExpected: works"
)


@pytest.mark.parametrize(
    "text",
    [
        _MARKDOWN,
        f"<div>\n\n{_MARKDOWN}\n\n</div>",
        'x<b and y>c and more, see <a href="x">the link</a>',
        "<p>The vector</p> is here, <p>and there</p> again",
    ],
)
def test_text_of_records_with_some_elements_is_no_page(tmp_path: Path, text: str) -> None:
    draft = _read(tmp_path / "a.json", json.dumps([{"id": 1, "body": text}]))
    shown = " ".join(one.text for one in draft.nodes if one.type.value == "PARAGRAPH")
    assert shown.split() == text.split()


def test_blank_lines_in_code_of_a_page_part_nothing(tmp_path: Path) -> None:
    page = "<p>First.</p>\n\n<pre><code>a = 1\n\nb = 2</code></pre>\n<p>Last <b>words</b>.</p>"
    draft = _read(tmp_path / "a.json", json.dumps([{"id": 1, "body": page}]))
    assert [one.text for one in draft.nodes[1:]] == ["First.", "a = 1\n\nb = 2", "Last **words**."]


@pytest.mark.parametrize("head", [[], [["Note", ""], ["", ""]]])
@pytest.mark.timeout(60)
def test_separated_values_with_blank_rows_are_read_in_linear_time(head: list[list[str]]) -> None:
    rows = [cells for number in range(40_000) for cells in (["", ""], [f"n{number}", str(number)])]
    *_, table = parted([*head, ["Name", "Value"], *rows[1:]])
    assert len(table) == 40_001


def test_tables_of_one_file_of_separated_values(tmp_path: Path) -> None:
    source = (
        "Sales report\n\nRegion;Q1;Q2\nNorth;10;20\n\nSouth;30;40\n\nSum;40;60\n\nTable 2: Staff\n\n"
        "Name;Role;Mail;Phone\nAnn;Boss;ann@example.org;123\n\n\nCode;Meaning\n1;yes\n0;no\n\nSource: office\n"
    )
    draft = _read(tmp_path / "a.csv", source)
    assert [(one.type.value, one.text) for one in draft.nodes] == [
        ("PARAGRAPH", "Sales report"),
        ("TABLE", "Region | Q1 | Q2\nNorth | 10 | 20\nSouth | 30 | 40\nSum | 40 | 60"),
        ("PARAGRAPH", "Table 2: Staff"),
        ("TABLE", "Name | Role | Mail | Phone\nAnn | Boss | ann@example.org | 123"),
        ("TABLE", "Code | Meaning\n1 | yes\n0 | no"),
        ("PARAGRAPH", "Source: office"),
    ]
    (one,) = _read(tmp_path / "b.csv", "Name,City\nAnn,Hull\n\nBob,York\nCid,Leeds\n").nodes
    assert one.text == "Name | City\nAnn | Hull\nBob | York\nCid | Leeds"


def test_formulas_of_rich_text(tmp_path: Path) -> None:
    source = (
        r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}{\f1 Cambria Math;}}\pard Energy is {\mmath {\*\moMath{\mr\mscr0 \f1 E=m}"
        r"{\msSup{\msSupPr{\mctrlPr\f1\i }}{\me{\mr \f1 c}}{\msup{\mr \f1 2}}}}} here.\par"
        r"\pard {\mmath{\*\moMathPara{\*\moMath{\mf{\mfPr{\mctrlPr\f1 }}{\mnum{\mr\f1 a}}{\mden{\mr\f1 2}}}}}}\par}"
    )
    path = tmp_path / "a.rtf"
    draft = _read(path, source)
    assert [(one.type.value, one.text) for one in draft.nodes] == [
        ("PARAGRAPH", "Energy is $E=mc^{2}$ here."),
        ("FORMULA", r"\frac{a}{2}"),
    ]
    assert _unaccounted(path) == 0
    own = _read(tmp_path / "b.rtf", r"{\rtf1\ansi\ansicpg1252\pard Signs \u-8160?7\u-8159? here.\par}")
    assert own.nodes[0].text == "Signs \ue0207\ue021 here."


_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"'
    for name, kind in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("svg", "svg-compatible"))
)  # fmt: skip


def _odt(path: Path, body: str) -> Draft:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{manifest}"/>')
        root = f'<office:document-content {_ODF} xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:text>'
        archive.writestr("content.xml", f"{root}{body}</office:text></office:body></office:document-content>")
    draft = read(path)
    check_draft(draft)
    return draft


def test_headings_and_tables_in_lists_of_opendocument(tmp_path: Path) -> None:
    item = "<text:list-item>{}</text:list-item>"
    heading = '<text:h text:outline-level="{}">{}</text:h>'
    nested = item.format(f"<text:list>{item.format(heading.format(2, 'Part'))}</text:list>")
    table = "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"
    body = (
        f"<text:list>{item.format(heading.format(1, 'Chapter'))}</text:list><text:p>Text.</text:p><text:list>{nested}</text:list>"
        f"<text:list>{item.format('<text:p>one</text:p>')}{item.format(table)}{item.format('<text:p>two</text:p>')}</text:list>"
    )
    draft = _odt(tmp_path / "a.odt", body)
    assert [(one.type.value, one.text, one.level) for one in draft.nodes] == [
        ("HEADING", "Chapter", 1),
        ("PARAGRAPH", "Text.", None),
        ("HEADING", "Part", 2),
        ("LIST_ITEM", "one", None),
        ("TABLE", "a | b", None),
        ("LIST_ITEM", "two", None),
    ]


@pytest.mark.timeout(60)
def test_headings_in_one_list_are_lifted_in_linear_time() -> None:
    items = "".join(f"<text:list-item><text:h>{place}</text:h></text:list-item>" for place in range(40_000))
    root = etree.fromstring(f"<office:text {_ODF}><text:list>{items}</text:list></office:text>")
    lift_blocks(root)
    assert [one.text for one in root] == [str(place) for place in range(40_000)]


def test_what_a_picture_that_is_elsewhere_shows_is_text_in_its_place(tmp_path: Path) -> None:
    frame = '<draw:frame><draw:image xlink:href="https://example.org/a.png"/><svg:title>Mill</svg:title><svg:desc>By a river</svg:desc></draw:frame>'
    item = f"<text:list-item><text:p>See {frame}it.</text:p></text:list-item>"
    path = tmp_path / "a.odt"
    draft = _odt(path, f"<text:list>{item}</text:list>")
    assert [one.text for one in draft.nodes] == ["See Mill: By a river it."]
    assert _unaccounted(path) == 0
    lines = f"<text:p>See {frame} here <text:span>bold</text:span>.</text:p><text:p><text:span>In {frame} lines</text:span> x</text:p><text:p>{frame}{frame}</text:p>"
    assert [one.text for one in _odt(tmp_path / "b.odt", lines).nodes] == [
        "See Mill: By a river here bold.",
        "In Mill: By a river lines x",
        "Mill: By a river Mill: By a river",
    ]


def test_pages_in_frames_come_in_their_order(tmp_path: Path) -> None:
    pages = {
        "http://example.org/": "<html><head><title>Site</title></head><frameset><frame src='nav.html'><frame src='main.html'><noframes><body>Without.</body></noframes></frameset></html>",
        "http://example.org/main.html": "<html><body><h1>Main</h1><p>The text.</p></body></html>",
        "http://example.org/nav.html": "<html><body><p>The contents.</p></body></html>",
    }
    parts = [
        f"--B\r\nContent-Type: text/html\r\nContent-Location: {place}\r\n\r\n{page}\r\n"
        for place, page in pages.items()
    ]
    head = 'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="B"\r\n\r\n'
    path = tmp_path / "a.mht"
    draft = _read(path, f"{head}{''.join(parts)}--B--\r\n")
    assert draft.metadata.title == "Site"
    assert [one.text for one in draft.nodes] == ["The contents.", "Main", "The text."]
    assert _unaccounted(path) == 0
    odd = path.read_bytes().replace(b"nav.html'>", b"http://[id]/x'>")
    assert [one.text for one in _read(tmp_path / "b.mht", odd).nodes] == ["Main", "The text.", "The contents."]
    alone = _read(tmp_path / "a.html", pages["http://example.org/"])
    assert [one.text for one in alone.nodes] == ["Without."]


def test_a_box_within_a_text_is_no_furniture(tmp_path: Path) -> None:
    text = "The harbour was begun in 1790 and took forty years to build, at a cost that nobody had foreseen."
    page = (
        f"<html><head><title>Harbour</title></head><body><article><h1>Harbour</h1><p>{text}</p><aside id='sidebar' class='sidebar'>"
        "<h3>Timeline</h3><ul><li>1790: the mayor of the town lays the first stone of it</li><li>1830: the harbour opens with a great feast for all</li></ul></aside>"
        f"<p>{text} So it was.</p></article></body></html>"
    )
    draft = _read(tmp_path / "a.html", page)
    types = {one.type for one in draft.containers}
    assert ComponentType.TEXT_BOX in types
    assert ComponentType.HEADER not in types


def test_links_back_from_notes_are_accounted(tmp_path: Path) -> None:
    page = (
        '<html><body><h1>T</h1><p>Said<a id="r1" href="#n1">[1]</a> and<sup><a id="r2" href="#n2">2</a></sup>.</p>'
        '<p id="n1"><a href="#r1">[1]</a> First note.</p><p id="n2">2. Second. <a href="#r2">Return to text</a></p></body></html>'
    )
    path = tmp_path / "a.html"
    draft = _read(path, page)
    assert texts(draft, "NOTE") == ["First note.", "2. Second."]
    assert node(draft, "Said").type == "PARAGRAPH"
    account = read_draft(path, ReadOptions(), Limits()).made_by["account"]
    assert account["unaccounted"] == 0


def test_cells_without_a_row_are_in_one(tmp_path: Path) -> None:
    rows = "<thead><th>A</th><th>B</th></thead><tr><td>1</td><td>2</td></tr><td>3</td><td>4</td>"
    path = tmp_path / "a.html"
    (table,) = _read(path, f"<html><body><table>{rows}</table></body></html>").nodes
    assert table.data["cells"] == [["A", "B"], ["1", "2"], ["3", "4"]]
    assert texts(_read(tmp_path / "a.json", json.dumps({"body": f"<table>{rows}</table>"})), "TABLE") == [table.text]


def test_what_a_notebook_prints_over_is_accounted(tmp_path: Path) -> None:
    printed_text = "epoch 1 loss 0.9\repoch 1 loss 0.5\nLoading files\rdone\n50%|████    | 5/10 [00:01<00:01]\n"
    output = {"output_type": "stream", "name": "stdout", "text": [printed_text]}
    cell = {"cell_type": "code", "metadata": {}, "source": ["go()"], "outputs": [output]}
    path = tmp_path / "a.ipynb"
    draft = _read(path, json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert texts(draft, "CODE") == ["go()", "epoch 1 loss 0.5\ndone"]
    account = read_draft(path, ReadOptions(), Limits()).made_by["account"]
    assert account["unaccounted"] == 0
    assert account["left_out"]["printed over"] > 0


def test_tabs_stay_in_code(tmp_path: Path) -> None:
    source = "all:\n\techo\thi\n"
    assert _read(tmp_path / "a.py", source).nodes[0].text == "all:\n\techo\thi"


def test_elements_of_drawings_are_text_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    _read(
        path,
        "<html><body><h1>T</h1><desc>Outside</desc><switch><p>one</p><p>two</p></switch><svg><desc>in</desc><text>drawn</text></svg></body></html>",
    )
    account = read_draft(path, ReadOptions(), Limits()).made_by["account"]
    assert account["left_out"] == {"not shown": 2}
    assert account["unaccounted"] == 0


_ENUMERATED = (
    "\\begin{document}\n\\begin{enumerate}\\item one\\begin{enumerate}\\item deep\\end{enumerate}\\item two\\end{enumerate}\n"
    "\\begin{enumerate}[label=(\\roman*), start=2]\\item three\\item[x] own\\end{enumerate}\n\\begin{itemize}\\item dot\\end{itemize}\n\\end{document}\n"
)


@pytest.mark.parametrize(
    ("name", "source", "markers"),
    [
        ("a.tex", _ENUMERATED, ["1.", "(a)", "2.", "(ii)", None, None]),
        ("a.adoc", ". one\n.. deep\n. two\n+\nattached\n\n. three\n\nText.\n\n. again\n* dot\n", ["1.", "a.", "2.", "3.", "1.", None]),
        ("a.html", '<ol type="A"><li>x</li></ol><p>y</p><ol style="list-style-type: lower-roman" start="4"><li>x</li></ol>', ["A.", "iv."]),
        ("a.rst", "A\n=\n\na. x\nb. y\n\nB\n\nI. z\n#. y\n", ["a.", "b.", "I.", "II."]),
        ("a.org", "1. one\n2. [@5] five\n3. six\n", ["1.", "2.", "3."]),
    ],
)  # fmt: skip
def test_items_have_the_numbers_that_are_printed(tmp_path: Path, name: str, source: str, markers: list[str]) -> None:
    draft = _read(tmp_path / name, source)
    shown = [one.marker if one.data["ordered"] else None for one in draft.nodes if one.type == "LIST_ITEM"]
    assert shown == markers


def test_items_of_slides_have_the_numbers_that_are_printed(tmp_path: Path) -> None:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Steps"
    frame = slide.placeholders[1].text_frame
    kinds = [
        ("arabicParenR", 4, 0),
        ("alphaLcPeriod", 1, 1),
        ("alphaLcPeriod", 1, 1),
        ("arabicParenR", 4, 0),
        ("romanUcPeriod", 1, 0),
    ]
    for place, (kind, start, level) in enumerate(kinds):
        paragraph = frame.paragraphs[0] if not place else frame.add_paragraph()
        paragraph.text, paragraph.level = f"step {place}", level
        paragraph._p.get_or_add_pPr().append(
            parse_xml(f'<a:buAutoNum {nsdecls("a")} type="{kind}" startAt="{start}"/>')
        )
    show.save(str(tmp_path / "a.pptx"))
    items = [one.marker for one in read(tmp_path / "a.pptx").nodes if one.type == "LIST_ITEM"]
    assert items == ["4)", "a.", "b.", "5)", "I."]


def test_headers_and_footers_of_sheets_are_furniture(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet.append(["Pond", "Depth"])
    sheet.append(["N", 2])
    sheet.oddHeader.center.text = "Survey of ponds"
    sheet.oddFooter.left.text = "Page &P of &N"
    book.save(tmp_path / "a.xlsx")
    draft = read(tmp_path / "a.xlsx")
    furniture = {
        one.key: one.type for one in draft.containers if one.type in (ComponentType.HEADER, ComponentType.FOOTER)
    }
    assert [one.text for one in draft.nodes if one.container in furniture] == ["Survey of ponds"]
    assert _unaccounted(tmp_path / "a.xlsx") == 0


def test_spans_that_a_style_sheet_raises(tmp_path: Path) -> None:
    page = (
        "<html><head><style>.c1{vertical-align:super;font-size:7pt} p.c2, .c2 {vertical-align: sub}</style></head><body>"
        '<p>10<span class="x c1">6</span> at 101<span class="c2">2</span></p></body></html>'
    )
    assert _read(tmp_path / "a.html", page).nodes[0].text == "10⁶ at 101₂"
    tei = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>10<hi rend="superscript">6</hi>, <hi rend="bold">b</hi></p></body></text></TEI>'
    assert _read(tmp_path / "a.tei", tei).nodes[0].text == "10⁶, **b**"


def test_markdown_in_a_box_of_notion(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.md", "# Plan\n\n<aside>\nMind the **deadline**.\n\n</aside>\n\nText.\n")
    assert [one.text for one in draft.nodes] == ["Plan", "Mind the **deadline**.", "Text."]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("\\begin{tcolorbox}[colback=red!5!white,title={My, own}]x", "\\begin{tcolorbox}\n\n\\textbf{My, own}\n\nx"),
        ("\\begin{tcolorbox}[title=Plain one]x", "\\begin{tcolorbox}\n\n\\textbf{Plain one}\n\nx"),
        ("\\begin{tcolorbox}[breakable]x", "\\begin{tcolorbox} x"),
        ("\\begin{tcolorbox}[title=" * 2000, None),
        ("\\begin{tcolorbox}[" + "title=a," * 4000, None),
    ],
)
@pytest.mark.timeout(5)
def test_titles_of_boxes(source: str, shown: str | None) -> None:
    assert printed(source) == (source if shown is None else shown)


@pytest.mark.parametrize("sign", ["\\(", "\\[", "=a ", "_{", "<<", "* a", "   "])
@pytest.mark.timeout(60)
def test_a_line_of_org_is_read_in_linear_time(tmp_path: Path, sign: str) -> None:
    assert _read(tmp_path / "a.org", f"* a{sign * 30_000}b  :tag:").nodes
    assert _read(tmp_path / "a.org", f"Text. {sign * 30_000}b").nodes
