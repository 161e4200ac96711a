"""Word files: fields within fields, paragraphs that are joined, and boxes to tick, as a person sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from docx import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from office_files import read

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.office.fields import field_text

if TYPE_CHECKING:
    from pathlib import Path

_W14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'


def _texts(path: Path, body: str) -> list[str]:
    """Return the texts of a Word file with this body, all of whose text is accounted."""
    document = WordDocument()
    for element in parse_xml(f"<w:body {nsdecls('w')} {_W14}>{body}</w:body>"):
        document.element.body.insert(len(document.element.body) - 1, element)
    document.save(str(path))
    draft = read(path)
    account = account_of(path, draft, ReadOptions())
    assert account is not None
    assert (account.unaccounted, account.samples) == (0, [])
    return [one.text for one in draft.nodes]


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _char(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def _asked(text: str) -> str:
    return f'<w:r><w:instrText xml:space="preserve">{text}</w:instrText></w:r>'


def test_the_result_of_a_field_within_an_instruction_is_no_text(tmp_path: Path) -> None:
    inner = _char("begin") + _asked(" MERGEFIELD Sex ") + _char("separate") + _run("female") + _char("end")
    outer = (
        _char("begin") + _asked(" IF ") + inner + _asked(' = "female" "Madam" "Sir" ') + _char("separate")
        + _run("Madam") + _char("end")
    )  # fmt: skip
    assert _texts(tmp_path / "a.docx", f"<w:p>{_run('Dear ')}{outer}{_run(',')}</w:p>") == ["Dear Madam,"]


def test_the_result_of_a_field_within_one_that_never_ends_is_text(tmp_path: Path) -> None:
    inner = _char("begin") + _asked(" MERGEFIELD Name ") + _char("separate") + _run("Linked") + _char("end")
    body = f"<w:p>{_run('Open ')}{_char('begin')}{_asked(' IF ')}{_run('x ')}{inner}{_run(' tail.')}</w:p>"
    assert _texts(tmp_path / "a.docx", body) == ["Open x Linked tail."]


@pytest.mark.parametrize("count", [26, 20_000])
def test_an_equation_of_options_without_arguments_is_read(count: int) -> None:
    """Each blank before an option could be of the option before it too: over 20 seconds for 26 of them."""
    assert field_text("EQ \\o" + " \\al" * count) == "o" + " al" * count
    assert field_text("EQ a \\, \\o \\al 5 \\- b \\x \\to \\bo -3 (c)") == "a , o al 5 - b c"


def test_paragraphs_whose_end_is_deleted_are_joined(tmp_path: Path) -> None:
    deleted = '<w:pPr><w:rPr><w:del w:id="1" w:author="A"/></w:rPr></w:pPr>'
    body = f"<w:p>{deleted}{_run('They raised ')}</w:p><w:p>{_run('the weir.')}</w:p><w:p>{_run('End.')}</w:p>"
    assert _texts(tmp_path / "a.docx", body) == ["They raised the weir.", "End."]


def test_a_large_first_letter_is_of_its_word(tmp_path: Path) -> None:
    frame = '<w:pPr><w:framePr w:dropCap="drop" w:lines="3" w:wrap="around" w:vAnchor="text" w:hAnchor="text"/></w:pPr>'
    body = f"<w:p>{frame}{_run('W')}</w:p><w:p>{_run('ater ran over the weir.')}</w:p>"
    assert _texts(tmp_path / "a.docx", body) == ["Water ran over the weir."]


def test_boxes_to_tick_are_where_they_are_seen(tmp_path: Path) -> None:
    """A box that begins a paragraph alone is about it; others are signs in the text, in cells too."""

    def box(*, is_on: bool) -> str:
        state = f'<w14:checkbox><w14:checked w14:val="{int(is_on)}"/></w14:checkbox>'
        return f"<w:sdt><w:sdtPr>{state}</w:sdtPr><w:sdtContent>{_run('☒' if is_on else '☐')}</w:sdtContent></w:sdt>"

    on, off = box(is_on=True), box(is_on=False)
    lines = [f"{off}{_run(' Yes ')}{on}{_run(' No')}", f"{_run('Seen ')}{on}", f"{on}{_run('Caulk')}"]
    cells = "".join(f"<w:tc><w:p>{one}{_run(text)}</w:p></w:tc>" for one, text in ((on, " yes"), (off, " no")))
    table = f"<w:tbl><w:tblPr/><w:tblGrid/><w:tr>{cells}</w:tr></w:tbl>"
    found = _texts(tmp_path / "a.docx", "".join(f"<w:p>{line}</w:p>" for line in lines) + table)
    assert found == ["☐ Yes ☒ No", "Seen ☒", "[x] Caulk", "☒ yes | ☐ no"]
