"""What a document is cited by: its authors under the title, the company of a form, the parties of a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import Sheet, of_type, read, words

from ragraph.pdf.stated.parties import parties_of
from ragraph.schema.enums import ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path


def _titled(title: str, *below: str, stated: str = "") -> Sheet:
    sheet = Sheet()
    sheet.canvas.setAuthor(stated)
    sheet.line(title, 80, left=200, font="Times-Bold", size=16)
    for at, line in enumerate(below):
        if not line:
            continue
        sheet.line(line, 110 + 18 * at, left=210, size=11)
    sheet.paragraph(words(300), 250)
    return sheet


@pytest.mark.parametrize(
    ("below", "authors"),
    [
        (["Ada Krog, Otto Berg and Rita van der Velde"], ["Ada Krog", "Otto Berg", "Rita van der Velde"]),
        (["By Ada Krog"], ["Ada Krog"]),
        (["Ada Krog", "University of Trondheim"], ["Ada Krog"]),
        (["Ada Krog, Highways Department"], ["Ada Krog"]),
        (["Ada Krog A0184145E", "Otto Berg A0184146E"], ["Ada Krog", "Otto Berg"]),
        (["Special Counsel Ada Krog, III"], ["Ada Krog, III"]),
        (["Ada Krog", "", "", "", "Otto Berg"], []),
        (["Ada Krog*, Otto Berg*", "Rita Velde", "University of Trondheim"], ["Ada Krog", "Otto Berg", "Rita Velde"]),
        (["River Crossings", "of the northern valleys and their history in stone"], []),
        (["Department of Works"], []),
        (["3 May 2021"], []),
    ],
)
def test_authors_stand_under_the_title(below: list[str], authors: list[str], tmp_path: Path) -> None:
    draft = read(_titled("Bridges and Builders", *below).save(tmp_path / "named.pdf"))
    assert draft.metadata.authors == authors


def test_printed_authors_stand_before_those_that_the_file_states(tmp_path: Path) -> None:
    sheet = _titled("Bridges and Builders", "by Ada Krog", stated="Scanning Desk")
    assert read(sheet.save(tmp_path / "named.pdf")).metadata.authors == ["Ada Krog"]


def test_whom_the_first_pages_do_not_name_is_no_author(tmp_path: Path) -> None:
    sheet = _titled("Bridges and Builders", stated="Rita Velde")
    assert read(sheet.save(tmp_path / "named.pdf")).metadata.authors == []


def test_a_by_line_is_no_title(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("BY Ada Krog, Otto Berg and Rita Velde", 80, left=150, font="Times-Bold", size=16)
    sheet.paragraph(words(300), 250)
    draft = read(sheet.save(tmp_path / "by.pdf"))
    assert not of_type(draft, ContentNodeType.TITLE)


def _form(name: str, *period: str) -> Sheet:
    sheet = Sheet()
    sheet.canvas.setAuthor("Printer Corp, a division of Donnelley")
    lines = ["UNITED STATES", "SECURITIES AND EXCHANGE COMMISSION", name, *period, "Northfield Looms, Inc."]
    for at, line in enumerate([*lines, "(Exact name of registrant as specified in its charter)"]):
        sheet.line(line, 80 + 30 * at, left=180, font="Times-Bold", size=14)
    sheet.paragraph(words(300), 400)
    return sheet


@pytest.mark.parametrize(
    ("name", "period", "title"),
    [
        ("FORM 10-K", ["For the fiscal year ended June 30, 2023"], "Form 10-K, 2023"),
        ("Form 10-Q", ["For the quarterly period ended", "September 30, 2021"], "Form 10-Q, September 30, 2021"),
        ("FORM 8-K", ["Date of Report (Date of earliest event reported): May 4, 2022"], "Form 8-K, May 4, 2022"),
    ],
)
def test_a_form_is_cited_with_its_company_and_its_time(
    name: str, period: list[str], title: str, tmp_path: Path
) -> None:
    draft = read(_form(name, *period).save(tmp_path / "form.pdf"))
    assert draft.metadata.title == f"Northfield Looms, Inc., {title}"
    assert draft.metadata.authors == []


def test_a_contract_is_cited_with_its_parties(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.canvas.setAuthor("Ada Krog")
    sheet.line("SUPPLY AGREEMENT", 80, left=230, font="Times-Bold", size=14)
    opening = (
        "This Agreement is made as of May 1, 2020 by and between Northfield Looms, Inc., a Delaware corporation"
        " (“Seller”), and Ada Krog, residing at Bergen (“Buyer”)."
    )
    sheet.paragraph([*opening.split(), *words(200)], 120)
    draft = read(sheet.save(tmp_path / "contract.pdf"))
    assert draft.metadata.title == "SUPPLY AGREEMENT, Northfield Looms, Inc. and Ada Krog"
    assert draft.metadata.authors == []


@pytest.mark.parametrize(
    ("text", "parties"),
    [
        (
            "by and among A. Krog AB, a Swedish corporation (“Krog”), Berg Ltd. (“Berg”) and Velde & Co. (the “Agent”)",
            ["A. Krog AB", "Berg Ltd.", "Velde & Co."],
        ),
        ("BETWEEN KROG (NORTH) LTD. AND BERG, S.p.A. TABLE OF CONTENTS Page", ["KROG (NORTH) LTD.", "BERG, S.p.A."]),
        (
            "between Krog, Inc. having its office at Mt. Kemble Ave, Ohio 4321 and Otto Berg (“Berg”)",
            ["Krog, Inc.", "Otto Berg"],
        ),
        (
            "between KROG COMPANY, INC. and BERG LIFE AND ANNUITY CORPORATION (“B”)",
            ["KROG COMPANY, INC.", "BERG LIFE AND ANNUITY CORPORATION"],
        ),
        ("the relation between the Provider and the Company", []),
        ("between ________ (the “Franchisee”) and ________, who is an officer (the “Member”)", []),
    ],
)
def test_parties_of_a_contract(text: str, parties: list[str]) -> None:
    assert parties_of(f"SUPPLY AGREEMENT made as of May 1, 2020 {text}. WHEREAS the Parties agree") == parties


@pytest.mark.parametrize(
    "title", ["The Social Contract", "Measuring Inter-Annotator Agreement", "Licences of Software"]
)
def test_an_article_on_contracts_keeps_title_and_authors(tmp_path: Path, title: str) -> None:
    sheet = _titled(title, "Ada North and Ben South", "University of Bergen")
    told = "We measure the differences between Google LLC, a company, and Apple Inc. in what they allow to others."
    sheet.paragraph([*told.split(), *words(100)], 500)
    draft = read(sheet.save(tmp_path / "article.pdf"))
    assert (draft.metadata.title or title, draft.metadata.authors) == (title, ["Ada North", "Ben South"])
