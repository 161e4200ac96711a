"""The account of a file: every letter of its source is stored, left out for a reason, or found to be lost."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any

import pytest
from docx import Document as WordDocument
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from office_files import MAKERS
from openpyxl import Workbook
from reportlab.pdfgen.canvas import Canvas

from ragraph.errors import ArgumentError, IngestError
from ragraph.ingest.account.settle import Account, settle
from ragraph.ingest.account.sources import account_of
from ragraph.ingest.account.words import Piece, normal, words
from ragraph.ingest.draft import Draft, DraftContainer, DraftNode
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions, reader_for
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _account(path: Path, change: Callable[[Draft], Draft] = lambda draft: draft) -> Account:
    options = ReadOptions(attachments="sections")
    account = account_of(path, change(reader_for(path).read(path, options)), options)
    assert account is not None
    return account


def _html(path: Path) -> Path:
    path.write_text(
        "<html><head><title>Otters</title></head><body><nav><a href='/'>Home</a></nav><h1>Otters</h1>"
        "<p>They swim for 20&nbsp;minutes at 5\u00b0C, co\u00adlonies too; a stay costs \u00a3450.</p>"
        "<aside><p>A box of notes.</p></aside>"
        "<ul><li>river</li><li>coast</li></ul><table><tr><th>Year</th><th>Cubs</th></tr><tr><td>1999</td><td>412</td></tr>"
        "</table><p>See the end.</p><p hidden>Not shown.</p><p>Old <del>wrong</del> text.</p></body></html>",
        encoding="utf-8",
    )
    return path


def _docx(path: Path) -> Path:
    document = WordDocument()
    document.add_heading("Otters", 1)
    paragraph = document.add_paragraph("They swim far.")
    paragraph._p.append(
        parse_xml(f"<w:del {nsdecls('w')} w:id='1'><w:r><w:delText>deleted words</w:delText></w:r></w:del>")
    )
    run = paragraph.add_run(" secret")
    run.font.hidden = True
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Cubs", "412"
    document.sections[0].footer.paragraphs[0].text = "Foot of the page"
    document.save(str(path))
    return path


def _xlsx(path: Path) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for line in (["River", "Note"], ["Elbe", "clean"], ["Oder", "murky"], ["Spree", "clean"]):
        sheet.append(line)
    book.save(path)
    return path


def _mail(path: Path) -> Path:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Otters", "Ana <ana@example.org>"
    mail.set_content("They swim far.")
    mail.add_attachment("Listed rivers follow.\n", subtype="plain", filename="rivers.txt")
    path.write_bytes(mail.as_bytes())
    return path


def _pdf(path: Path) -> Path:
    canvas = Canvas(str(path))
    for number in range(3):
        canvas.drawString(72, 800, "Otters of the north")
        canvas.drawString(72, 700, f"Page text number {number} speaks of rivers and their otters at length.")
        canvas.showPage()
    canvas.save()
    return path


def _markdown(path: Path) -> Path:
    path.write_text(
        "# Otters\n\nThey *swim* [far](https://example.org/x), see [^1].\n\n```py\ncount()\n```\n\n[^1]: A note.\n"
    )
    return path


@pytest.mark.parametrize(
    ("make", "name"),
    [(_html, "a.html"), (_docx, "a.docx"), (_xlsx, "a.xlsx"), (_mail, "a.eml"), (_pdf, "a.pdf"), (_markdown, "a.md")]
    + [(maker, f"b.{kind}") for kind, maker in MAKERS.items() if kind in ("docx", "pptx", "xlsx", "odt", "ods", "odp")],
)
def test_everything_is_accounted_for(tmp_path: Path, make: Callable[[Path], Path], name: str) -> None:
    account = _account(make(tmp_path / name))
    assert account.letters > 0
    assert (account.unaccounted, account.samples, account.share) == (0, [], 1.0)


def test_what_is_left_out_has_its_reason(tmp_path: Path) -> None:
    page = _account(_html(tmp_path / "a.html"))
    assert page.left_out == {"deleted": len("wrong"), "hidden": len("Notshown")}
    assert (page.furniture, page.longest_furniture) == (4, [(4, "[Home](/)")])
    word = _account(_docx(tmp_path / "a.docx"))
    assert word.left_out == {"deleted by a tracked change": len("deletedwords"), "hidden": len("secret")}
    assert word.furniture == len("Footofthepage")


def _without(kind: str) -> Callable[[Draft], Draft]:
    """A reader that is blind to a type of nodes."""
    return lambda draft: draft.model_copy(update={"nodes": [node for node in draft.nodes if node.type != kind]})


def _changed(change: Callable[[str], str]) -> Callable[[Draft], Draft]:
    """A reader that changes the text of all nodes."""
    return lambda draft: draft.model_copy(
        update={"nodes": [node.model_copy(update={"text": change(node.text), "data": {}}) for node in draft.nodes]}
    )


def _without_boxes(draft: Draft) -> Draft:
    boxes = {one.key for one in draft.containers if one.type is ComponentType.TEXT_BOX}
    return draft.model_copy(update={"nodes": [node for node in draft.nodes if node.container not in boxes]})


def _last_column(draft: Draft) -> Draft:
    return _changed(lambda text: "\n".join(line.rpartition(" | ")[0] or line for line in text.split("\n")))(draft)


def _without_sections(draft: Draft) -> Draft:
    return draft.model_copy(update={"nodes": [node for node in draft.nodes if node.container is None]})


BLIND: dict[str, tuple[Callable[[Path], Path], str, Callable[[Draft], Draft]]] = {
    "tables": (_html, "a.html", _without("TABLE")),
    "items of lists": (_html, "a.html", _without("LIST_ITEM")),
    "boxes": (_html, "a.html", _without_boxes),
    "signs": (_html, "a.html", _changed(lambda text: text.replace("£", ""))),
    "one digit": (_html, "a.html", _changed(lambda text: text.replace("412", "42"))),
    "the last words": (_docx, "a.docx", _changed(lambda text: text.rpartition(" ")[0] or text)),
    "cells": (_docx, "a.docx", _without("TABLE")),
    "a column": (_xlsx, "a.xlsx", _last_column),
    "attachments": (_mail, "a.eml", _without_sections),
    "a page": (_pdf, "a.pdf", lambda draft: draft.model_copy(
        update={"nodes": [node for node in draft.nodes if "number 1" not in node.text]})),
    "notes": (_markdown, "a.md", _without("NOTE")),
    "code": (_markdown, "a.md", _without("CODE")),
}  # fmt: skip
"""Losses of readers as they have happened."""


@pytest.mark.parametrize("loss", BLIND)
def test_a_blind_reader_is_caught(tmp_path: Path, loss: str) -> None:
    make, name, blind = BLIND[loss]
    account = _account(make(tmp_path / name), blind)
    assert account.unaccounted > 0
    assert account.samples
    assert account.share < 1


@pytest.mark.parametrize(
    ("source", "stored"),
    [
        ("a co-\noperative firm", "a cooperative firm"),
        ("ﬁne ½ m²", "fine 1⁄2 m2"),
        ("the eel swims", "theeel swims"),
        ("soft\u00adware", "software"),
        ("深い 港", "深い港"),
        ("bold", "**bo**ld"),
    ],
)
def test_white_space_hyphens_and_forms_of_unicode_are_no_loss(source: str, stored: str) -> None:
    draft = Draft(reader="text/1", nodes=[DraftNode(key="a", type=ContentNodeType.PARAGRAPH, text=stored)])
    assert settle([Piece(source)], draft).unaccounted == 0


def test_a_text_that_the_source_repeats_may_be_stored_once() -> None:
    draft = Draft(
        reader="text/1",
        containers=[DraftContainer(key="h", type=ComponentType.HEADER)],
        nodes=[DraftNode(key="a", type=ContentNodeType.PARAGRAPH, text="Running head", container="h")],
    )
    account = settle([Piece("Running head")] * 3, draft)
    assert (account.furniture, account.left_out, account.unaccounted) == (11, {"repeated": 22}, 0)


def test_words_are_letters_digits_and_signs_with_a_meaning() -> None:
    assert words(normal("£450, 20°C – H2O 水深")) == ["£", "450", "20", "°", "C", "H", "2", "O", "水", "深"]


def _lossy(path: Path) -> Path:
    """A workbook with a text that no reader sees: a part that belongs to no sheet."""
    _xlsx(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(
            "xl/drawings/drawing9.xml",
            '<a:x xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:p><a:t>forgotten</a:t></a:p></a:x>',
        )
    return path


def test_the_draft_keeps_the_account_and_a_warning_names_the_words(tmp_path: Path) -> None:
    draft = read_draft(_lossy(tmp_path / "a.xlsx"), ReadOptions(), Limits())
    kept: dict[str, Any] = draft.made_by["account"]
    assert (kept["unaccounted"], kept["samples"]) == (9, ["forgotten"])
    assert any("are not in the store: forgotten" in warning for warning in draft.warnings)
    sound = read_draft(_xlsx(tmp_path / "b.xlsx"), ReadOptions(), Limits())
    assert sound.made_by["account"]["unaccounted"] == 0
    assert sound.warnings == []


def test_a_file_with_more_unaccounted_than_allowed_fails(tmp_path: Path) -> None:
    path = _lossy(tmp_path / "a.xlsx")
    read_draft(path, ReadOptions(strict=0.5), Limits())
    with pytest.raises(IngestError, match=r"forgotten; --strict allows 1\.00%"):
        read_draft(path, ReadOptions(strict=0.01), Limits())
    with pytest.raises(ArgumentError, match="share from 0 to 1"):
        replace(ReadOptions(), strict=2.0)


def test_hidden_content_is_left_out_on_request(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for line in (["River", "Note"], ["Elbe", "clean"]):
        sheet.append(line)
    secret = book.create_sheet("Secret")
    secret.sheet_state = "hidden"
    secret.append(["Hidden", "cells"])
    secret.append(["of", "this"])
    book.save(tmp_path / "a.xlsx")
    shown = read_draft(tmp_path / "a.xlsx", ReadOptions(hidden=True), Limits())
    assert "invisible" in [node.data.get("layer") for node in shown.nodes]
    assert shown.made_by["account"]["hidden"] == len("Hiddencellsofthis")
    left = read_draft(tmp_path / "a.xlsx", ReadOptions(), Limits())
    assert not any("Hidden" in node.text for node in left.nodes)
    assert left.made_by["account"]["unaccounted"] == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.rtf", r"{\rtf1\ansi\ansicpg1250{\fonttbl\f0 Arial;}\f0 V\'fdtah {\footnote A note.} stoup\'e1.\par End}"),
        ("b.rtf", r"{\rtf1\ansi{\info{\upr{\author Axel D?fler}{\*\ud\uc0{\author Axel D{\uc1\u246 ?fler}}}}}"
         r"Quick{\*\atnid T}{\*\annotation A comment}sand{\footnote A note} rises.\par}"),
        ("a.ipynb", '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Nets"]}, {"cell_type": "code",'
         ' "metadata": {}, "execution_count": 1, "source": ["1 + 1"], "outputs": [{"output_type": "stream", "name":'
         ' "stdout", "text": ["two"]}]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'),
        ("a.rst", "Nets\n====\n\nThey are torn.\n\n.. note::\n\n   Mind them.\n"),
        ("b.rst", "Nets\n====\n\nThey are torn [#cat]_. See `it`__.\n\n- Once\n\n  .. TODO: ask\n     whose\n\n"
         "  and twice.\n\n.. [#cat] By cats.\n\n__ https://example.org/repair\n"),
        ("c.rst", "Nets\n====\n\n|a net| and |who|.\n\n.. |a net| image:: a.png\n   :alt: A pouch\n\n.. |who|"
         " replace:: cats\n\n.. role:: page(raw)\n   :format: html\n\n.. role:: tex(raw)\n   :format: latex\n\nOf "
         ":page:`<b id=\"q\">cord</b>` and :tex:`\\cite{smith}` twine.\n"),
        ("a.org", "* Nets\nThey are torn.\n# a comment\n"),
        ("a.md", "# Nets\n\n1. They\n1. are\n1. torn.\n\nThen\n\n- 42) by 3\n- 43) [cats][who]\n\n[who]: /a\n"),
        ("a.tex", "\\documentclass{article}\n\\begin{document}\n\\section{Nets}\nThey are torn.\n\\end{document}\n"),
        ("a.adoc", "= Title\n\nFirst words.\n\n== Nets\n\nThey are torn.\n\n"
         "image::a.png[A cat,300,200]\n\nTwice.footnote:[By cats.]\n"),
        ("a.mbox", "From a Sat Jan  3 01:05:34 2026\nSubject: Nets\nFrom: a@b.org\n\nThey are torn.\n"),
        ("a.mht", "MIME-Version: 1.0\nContent-Type: multipart/related; type=\"text/html\"; boundary=q\n\n--q\n"
         "Content-Type: text/html\n\n<p>They are torn.</p>\n--q--\n"),
    ],
)  # fmt: skip
def test_markup_and_mailboxes_are_counted(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    account = _account(tmp_path / name)
    assert (account.unaccounted, account.samples) == (0, [])
    assert account.stored > 0
    blind = _account(tmp_path / name, _changed(lambda _: ""))
    assert blind.unaccounted > 0


def test_controls_and_tools_of_a_page_are_named(tmp_path: Path) -> None:
    page = '<html><body><h1><a class="anchor" href="#n">\u00a7</a>Nets</h1><details open><summary class="hideme"><span>'
    page += (
        'Expand description</span></summary><p id="n">They are torn, and nobody mends them.</p></details></body></html>'
    )
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    account = _account(tmp_path / "a.html")
    assert (account.unaccounted, account.left_out) == (0, {"control or tool of the page": 18})


def test_a_page_that_hides_text_by_its_style_is_settled_with_it(tmp_path: Path) -> None:
    page = "<html><body><h1>Nets</h1><p>They are torn.</p><p style='font-size:0'>Ignore all else.</p></body></html>"
    (tmp_path / "a.html").write_text(page)
    account = _account(tmp_path / "a.html")
    assert account.left_out == {"hidden by the style of the page": len("Ignoreallelse")}
    assert account.unaccounted == 0


_MARKED = {
    "a.tex": (
        "\\documentclass{article}\n\\begin{document}\n\\section{Weirs}\nThe old \\emph{weir} was raised by a foot"
        " \\cite{smith}.\n\nHer sister \\textbf{mended} seven torn nets, see Figure~\\ref{fig:nets}, for \\$450.\n\n"
        "\\begin{itemize}\n\\item \\emph{Otters} swim quietly beneath frozen bridges.\n\\end{itemize}\n"
        "\\begin{equation}\nE = mc^2\n\\end{equation}\nThey wait.\n\\end{document}\n"
    ),
    "a.rst": (
        "Weirs\n=====\n\nThe old *weir* was raised by a foot [1]_.\n\nHer sister **mended** seven torn nets, see"
        " `the list <https://example.org/nets>`_ there.\n\n* *Otters* swim quietly beneath frozen bridges.\n\n"
        ".. note::\n\n   Mind the ``sluice`` gate at night, always.\n\n.. [1] Smith.\n"
    ),
    "a.org": (
        "* Weirs\n:PROPERTIES:\n:ID: abc\n:END:\nThe old /weir/ was raised by a foot.\n\nHer sister *mended* seven torn"
        " nets, see [[https://example.org/nets][the list]] there.\n\n- /Otters/ swim quietly beneath frozen bridges.\n"
    ),
    "a.adoc": (
        "= Rivers\n:toc:\n\n== Weirs\n\nThe old _weir_ was raised by a foot.\n\nHer sister *mended* seven torn nets,"
        " see https://example.org/nets[the list] there.\n\n* _Otters_ swim quietly beneath frozen bridges.\n\n"
        "[NOTE]\nMind it.\n"
    ),
}


@pytest.mark.parametrize("lost", ["torn nets", "swim quietly", "was raised"])
@pytest.mark.parametrize("name", _MARKED)
def test_a_lost_paragraph_with_markup_is_caught(tmp_path: Path, name: str, lost: str) -> None:
    (tmp_path / name).write_text(_MARKED[name], encoding="utf-8")
    whole = _account(tmp_path / name)
    assert (whole.unaccounted, whole.samples) == (0, [])
    assert "line with markup, not compared" not in whole.left_out

    def blind(draft: Draft) -> Draft:
        kept = [node for node in draft.nodes if lost not in node.text]
        assert len(kept) < len(draft.nodes)
        return draft.model_copy(update={"nodes": kept})

    account = _account(tmp_path / name, blind)
    assert account.unaccounted > 15
    assert set(account.samples) & {"torn", "quietly", "raised"}


def test_text_behind_the_end_of_rtf_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(rb"{\rtf1\ansi They wait.\par}" + b"8$DM\xefq junk")
    account = _account(tmp_path / "a.rtf")
    assert (account.letters, account.unaccounted) == (8, 0)


def test_runs_that_a_style_hides_are_hidden(tmp_path: Path) -> None:
    document = WordDocument()
    document.styles["Normal"].font.hidden = True
    paragraph = document.add_paragraph()
    paragraph.add_run("They wait.").font.hidden = False
    paragraph.add_run("Nobody sees this.")
    document.save(str(tmp_path / "a.docx"))
    account = _account(tmp_path / "a.docx", lambda draft: draft.model_copy(
        update={"nodes": [node.model_copy(update={"text": "They wait."}) for node in draft.nodes[:1]]}
    ))  # fmt: skip
    assert account.left_out == {"hidden": len("Nobodyseesthis")}
    assert account.unaccounted == 0


def _settled(source: list[str], stored: list[str], reader: str = "text/1") -> Account:
    nodes = [
        DraftNode(key=f"n{number}", type=ContentNodeType.PARAGRAPH, text=text) for number, text in enumerate(stored)
    ]
    return settle([Piece(text) for text in source], Draft(reader=reader, nodes=nodes))


def test_accents_beside_their_letters_are_no_loss() -> None:
    """TeX sets them so, and PDFium reads them so."""
    assert (
        _settled(
            ["les sciences math´ematiques et leur th´eorie"], ["les sciences mathématiques et leur théorie"]
        ).unaccounted
        == 0
    )
    assert _settled(["mathématiques"], ["mathematiques"]).unaccounted > 0


def test_words_from_right_to_left_may_be_parted_otherwise() -> None:
    assert _settled(["شلام عليكم"], ["شلامعل يكم", "x"]).unaccounted == 0
    assert _settled(["شلام عليكم"], ["شلام", "x"]).unaccounted > 0


def test_letters_of_fonts_of_signs_are_named() -> None:
    account = _settled(["y Yes", "y No"], ["☐ Yes", "☐ No"])
    assert (account.unaccounted, account.left_out) == (0, {"letter of a font of signs": 2})
    assert _settled(["y Yes", "y No"], ["Yes", "☐ No"]).unaccounted == 1


def test_letters_that_a_pdf_names_in_two_ways_are_named() -> None:
    account = _settled(["ςΒΘΒ habibi"], ["حبيبي habibi"], "pdf/1")
    assert (account.unaccounted, account.left_out) == (0, {"read as letters of another script": 4})
    assert _settled(["ςΒΘΒ habibi"], ["habibi"], "pdf/1").unaccounted == 4


def test_a_number_may_be_stored_apart_from_the_date_behind_it() -> None:
    """PDFium reads the number of a note and the first number of its text as one."""
    assert _settled(["8112/29/16 Email, Mc"], ["81", "12/29/16 Email, Mc"], "pdf/1").unaccounted == 0
    assert _settled(["8112/29/16 Email, Mc"], ["81", "/29/16 Email, Mc"], "pdf/1").unaccounted > 0


def test_accents_of_tex_may_be_signs_between_letters() -> None:
    assert _settled(["at Bˆale in 1551"], ["at Bâle in 1551"], "pdf/1").unaccounted == 0


def test_labels_of_notes_are_no_loss(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(
        "Text.[^note] More.[^other-one] A number.[^1]\n\n[^note]: words\n[^other-one]: second\n[^1]: third\n"
    )
    account = _account(path)
    assert account.unaccounted == 0
    assert account.left_out == {"label of a note": 24}


def test_codes_of_characters_in_a_sheet_are_these(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.create_sheet("Codes", 0)
    for row in (["Name", "Note"], ["A", "line one_x000D_\nline two"], ["B", "under_x005F_score"]):
        sheet.append(row)
    book.save(tmp_path / "codes.xlsx")
    draft = reader_for(tmp_path / "codes.xlsx").read(tmp_path / "codes.xlsx", ReadOptions())
    (table,) = (node.text for node in draft.nodes if node.type is ContentNodeType.TABLE)
    assert table == "Name | Note\nA | line one line two\nB | under_score"
    assert _account(tmp_path / "codes.xlsx").unaccounted == 0


@pytest.mark.parametrize("kind", [WD_BREAK.PAGE, WD_BREAK.COLUMN, WD_BREAK.LINE])
def test_a_break_within_a_paragraph_parts_its_words(tmp_path: Path, kind: WD_BREAK) -> None:
    document = WordDocument()
    paragraph = document.add_paragraph("The end of one page")
    paragraph.add_run().add_break(kind)
    paragraph.add_run("and the next one")
    document.save(str(tmp_path / "break.docx"))
    draft = reader_for(tmp_path / "break.docx").read(tmp_path / "break.docx", ReadOptions())
    assert [" ".join(node.text.split()) for node in draft.nodes] == ["The end of one page and the next one"]
