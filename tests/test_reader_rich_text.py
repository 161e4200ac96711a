"""Rich text: comments, notes, headers, fields, and letters of fonts of signs; and that its account sees them lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from office_files import check_draft, node, read, relations, texts

from ragraph.ingest.account.rtf import rtf_pieces
from ragraph.ingest.account.sources import account_of
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.text.rtf_opening import fonts_of

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

_FONTS = (
    r"{\fonttbl{\f0\fcharset0 Times;}{\f3\froman\fcharset2\fprq2{\*\panose 05050102010706020507}Symbol;}"
    r"{\f10\fnil\fcharset2 Wingdings;}}"
)


def _read(path: Path, body: str) -> Draft:
    path.write_text(rf"{{\rtf1\ansi\ansicpg1252\uc1{_FONTS}{body}}}", encoding="latin-1")
    draft = read(path)
    check_draft(draft)
    account = account_of(path, draft, ReadOptions())
    assert account is not None
    assert (account.unaccounted, account.samples) == (0, [])
    return draft


def _field(instruction: str, result: str = "") -> str:
    return rf"{{\field{{\*\fldinst {{ {instruction} }}}}{{\fldrslt {result}}}}}"


_COMMENTED = (
    r"\pard Keep {\*\atrfstart 1}the {\b old{\*\atrfend 1} weir}{\cs15 {\*\atnid LM}{\*\atnauthor Lena M\'e9r}\chatn "
    r"{\*\annotation{\*\atnref 1}{\*\atndate 1203973022}\pard\plain {\chatn }{Since when?}\par}} here.\par"
)


def test_comments_of_rich_text_are_notes_with_author_date_and_words(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.rtf", _COMMENTED)
    assert [(one.type.value, one.text) for one in draft.nodes] == [
        ("PARAGRAPH", "Keep the old weir here."),
        ("NOTE", "Since when?"),
    ]
    assert draft.nodes[1].data == {"author": "Lena Mér", "date": "2024-03-05T14:30:00", "words": "the old"}
    assert [one.anchor for one in relations(draft, "REFERENCES_NOTE")] == ["comment-0"]


def test_the_account_of_rich_text_sees_a_lost_comment(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.rtf", _COMMENTED)
    blind = draft.model_copy(update={"nodes": draft.nodes[:1], "relations": []})
    account = account_of(tmp_path / "a.rtf", blind, ReadOptions())
    assert account is not None
    assert account.samples == ["Since", "when"]


def test_notes_of_rich_text_have_their_numbers(tmp_path: Path) -> None:
    foot, end = (
        rf"{{\super\chftn}}{{\footnote{kind}\pard {{\super\chftn}} {text}}}"
        for kind, text in (("", "Low."), (r"\ftnalt", "Last."))
    )
    draft = _read(tmp_path / "a.rtf", rf"Rope{foot} and{end} twine{foot.replace('Low', 'High')}.\par")
    assert [(one.marker, one.text) for one in draft.nodes if one.type == "NOTE"] == [
        ("1", "Low."), ("i", "Last."), ("2", "High."),
    ]  # fmt: skip
    assert [one.marker for one in relations(draft, "REFERENCES_NOTE")] == ["1", "i", "2"]


def test_headers_and_footers_of_rich_text_are_furniture(tmp_path: Path) -> None:
    running = (
        r"{\header\pard Owl Trust\par}{\headerf\pard {\b Letterhead}\par}{\footer\pard Page "
        + _field("PAGE", "1")
        + r"\par}"
    )
    draft = _read(tmp_path / "a.rtf", running + r"\pard Text.\par\sect" + running + r"\pard More.\par")
    kinds = {one.key: one.type.value for one in draft.containers}
    assert [(one.type.value, kinds.get(one.container or ""), one.text) for one in draft.nodes] == [
        ("PARAGRAPH", None, "Text."),
        ("PARAGRAPH", None, "More."),
        ("PARAGRAPH", "HEADER", "Owl Trust"),
        ("PARAGRAPH", "HEADER", "Letterhead"),
        ("PAGE_NUMBER", "FOOTER", "Page 1"),
    ]


def test_links_and_references_of_rich_text(tmp_path: Path) -> None:
    links = " and ".join(
        _field(f'HYPERLINK "https://{name}.example/"', rf"{{\ul\cf1 {name}}}") for name in ("ash", "elm")
    )
    place = r"\pard{\*\bkmkstart trees}Trees{\*\bkmkend trees} are {\i tall}: " + links + r".\par"
    draft = _read(tmp_path / "a.rtf", place + r"\pard See " + _field(r"REF trees \\h", "Trees") + r".\par")
    assert texts(draft, "PARAGRAPH") == [
        "Trees are tall: [ash](https://ash.example/) and [elm](https://elm.example/).",
        "See Trees.",
    ]
    assert [(one.marker, one.anchor) for one in relations(draft, "CROSS_REFERENCES")] == [("Trees", "trees")]


@pytest.mark.parametrize(
    ("instruction", "shown"),
    [
        (r"EQ \\f(1;2)", "(1)/(2)"),
        (r"EQ \\r(3,x+1)", "3√(x+1)"),
        (r'SYMBOL 109 \\f "Symbol" \\s 12', "μ"),
        (r"MACROBUTTON NoMacro [Name]", "[Name]"),
        (r"FORMCHECKBOX {\*\formfield{\fftype1\ffres1}}", "☒"),
        (r"FORMCHECKBOX {\*\formfield{\fftype1\ffres25\ffdefres0}}", "☐"),
        (r"FORMDROPDOWN {\*\formfield{\fftype2\ffres1{\*\ffl Ash}{\*\ffl Elm}}}", "Elm"),
    ],
)
def test_fields_of_rich_text_without_a_result_have_the_text_that_they_show(
    tmp_path: Path, instruction: str, shown: str
) -> None:
    draft = _read(tmp_path / "a.rtf", rf"\pard Take {_field(instruction)} of it.\par")
    assert texts(draft, "PARAGRAPH") == [f"Take {shown} of it."]


def test_letters_of_fonts_of_signs_are_these_signs(tmp_path: Path) -> None:
    body = r"\pard 5 {\f3 m}g, {\f3\'62}-ray, {\f3\u-3997 c}, {\f10\'e0} on, {\f3 m\plain m}.\par"
    body += r"{\listtext\f3\'b7\tab}Rope\par"
    draft = _read(tmp_path / "a.rtf", body)
    assert node(draft, "ray").text == "5 μg, β-ray, χ, → on, μm."
    assert node(draft, "Rope").marker == "•"


def test_titles_of_rich_text_may_be_in_unicode(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.rtf", r"{\info{\title \u26481?\u20140? and R\'e9}{\author A\u322?a;Bo}}\pard Text.\par")
    assert (draft.metadata.title, draft.metadata.authors) == ("東京 and Ré", ["Ała", "Bo"])


def test_a_letter_of_more_than_16_bits_is_cut_to_them(tmp_path: Path) -> None:
    """Found by make hostile: the library refused the file."""
    draft = _read(tmp_path / "a.rtf", r"\pard Before \u-99999999? and after.\par")
    assert [one.text for one in draft.nodes] == ["Before ἁ and after."]
    (tmp_path / "a.rtf").write_text(rf"{{\rtf1 Before \u{'9' * 5000}? and after.}}")
    assert "and after" in read(tmp_path / "a.rtf").nodes[0].text


def test_the_bytes_of_a_picture_are_left_out_and_what_is_beside_them_stays(tmp_path: Path) -> None:
    picture = rf"{{\pict\pngblip\picw10 {'89504e47' * 40}\n{'00ff' * 40}}}"
    draft = _read(tmp_path / "a.rtf", rf"\pard Before {{\*\shppict{picture}}} and after {'ab' * 40}.\par")
    assert [one.text for one in draft.nodes] == [f"Before  and after {'ab' * 40}."]


@pytest.mark.parametrize(
    "taken", [r"{\header 3 Head words}", r"{\mmath}", r"{\shp{\*\shpinst}}", r"{\nonesttables\par}"]
)
def test_what_is_taken_out_parts_a_control_word_from_the_text_behind(tmp_path: Path, taken: str) -> None:
    body = rf"\pard\plain{taken}Body text\par{taken}Next paragraph\par"
    assert texts(_read(tmp_path / "a.rtf", body), "PARAGRAPH")[:2] == ["Body text", "Next paragraph"]


@pytest.mark.parametrize("opening", [r"\ansi", r"\ansi\deff0"])
def test_comments_and_headers_have_their_first_word(tmp_path: Path, opening: str) -> None:
    body = r"\f0 Text{\*\annotation Please check}.\par{\header Annual report}{\footer 12 mice}"
    (tmp_path / "a.rtf").write_text(rf"{{\rtf1{opening}{{\fonttbl\f0 Arial;}}{body}}}")
    found = [one.text for one in read(tmp_path / "a.rtf").nodes]
    assert found == ["Text.", "Please check", "Annual report", "12 mice"]


def test_the_result_of_a_field_is_not_that_of_one_in_its_instruction(tmp_path: Path) -> None:
    inner = r"{\field{\*\fldinst {PAGE}}{\fldrslt { 3}}}"
    field = rf"{{\field{{\*\fldinst {{IF}}{inner}{{ = 1 a b}}}}{{\fldrslt {{The printed result}}}}}}"
    (tmp_path / "a.rtf").write_text(rf"{{\rtf1\ansi {field}\par}}")
    assert [one.text for one in read(tmp_path / "a.rtf").nodes] == ["The printed result"]


def test_an_escaped_backslash_is_no_control_word(tmp_path: Path) -> None:
    assert texts(_read(tmp_path / "a.rtf", r"\pard In C:\\u1234567 it is.\par"), "PARAGRAPH") == [
        r"In C:\u1234567 it is."
    ]


def test_fonts_are_those_of_their_table() -> None:
    """Patterns over the whole source took a minute for a text of many control words."""
    table = r"{\fonttbl{\f1\fcharset204 Symbol;}{\f2\fcharset2{\*\panose 05}{\*\falt X;}Symbol;}\f3\fcharset238 Arial;}"
    words = r"\f1\b" * 50_000
    source = rf"{{\rtf1{table}{words}\f7\fcharset2 Symbol;}}"
    assert fonts_of(source) == ({"1": "cp1251", "3": "cp1250"}, {"2": "Symbol"})
    assert fonts_of(rf"{{\rtf1{{\fonttbl{words}") == ({}, {})


def test_an_author_is_of_the_comment_behind_it(tmp_path: Path) -> None:
    comments = (r"{\*\atnauthor Ada}", "", r"{\*\atnauthor Bo}")
    body = "".join(rf"Text{author}{{\*\annotation Why?}}\par" for author in comments)
    draft = _read(tmp_path / "a.rtf", rf"\pard {body}")
    assert [one.data.get("author") for one in draft.nodes if one.type == "NOTE"] == ["Ada", None, "Bo"]


def test_comments_on_one_long_text_have_the_beginning_of_its_words(tmp_path: Path) -> None:
    words = r"the r\'e9d weir " * 200
    comment = r"{\*\atrfend 1}{\*\annotation{\*\atnref 1}Why?}"
    draft = _read(tmp_path / "a.rtf", rf"\pard {{\*\atrfstart 1}}{words}{comment}\par")
    about = node(draft, "Why?").data["words"]
    assert 1000 < len(about) < 2001
    assert " ".join(["the réd weir"] * 200).startswith(about)


def test_the_account_parts_a_header_from_the_text_behind() -> None:
    found = [one.text for one in rtf_pieces(rb"{\rtf1 Before {\header Head}body\par{\footerf Foot}Next\par}")]
    assert found == ["Before body", "Next", "Head", "Foot"]
