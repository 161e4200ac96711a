"""Formats that people have: subtitles, records, Org, RTF, XML vocabularies, mailboxes, saved pages, code, old Office."""
# ruff: noqa: E501 - markup of the files

from __future__ import annotations

import json
import mailbox
import shutil
import tarfile
import zipfile
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest
from office_files import check_draft, node, read, relations, texts

from ragraph.errors import UnsupportedFormatError
from ragraph.ingest.files.discover import find_files
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.mail.texts import event_text, unflowed

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft


def _read(path: Path, content: str | bytes) -> Draft:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    draft = read(path)
    check_draft(draft)
    return draft


def test_subtitles_are_sentences_at_their_second(tmp_path: Path) -> None:
    vtt = (
        "WEBVTT\n\nNOTE a comment\n\n1\n01:02:03.500 --> 01:02:05.000 align:left\n<v Ann>The tide &amp; the\n\n"
        "01:02:05.000 --> 01:02:06.000\n<v Ann>moon <i>agree</i>.\n\n01:02:07.000 --> 01:02:08.000\n<v Bo>Do they?\n"
    )
    draft = _read(tmp_path / "a.vtt", vtt)
    assert texts(draft, "PARAGRAPH") == ["Ann: The tide & the moon agree.", "Bo: Do they?"]
    assert draft.nodes[0].positions[0].page_logical == "01:02:03"
    assert draft.nodes[0].data == {"start": 3723.5, "end": 3726.0, "speaker": "Ann"}
    srt = "1\r\n00:00:01,000 --> 00:00:02,000\r\nRain\r\nfell.\r\n\r\n2\r\n00:00:09,000 --> 00:00:10,000\r\n{\\an8}It stopped.\r\n"
    assert texts(_read(tmp_path / "a.srt", srt), "PARAGRAPH") == ["Rain fell.", "It stopped."]


def test_flat_records_are_a_table_and_others_sections(tmp_path: Path) -> None:
    flat = json.dumps([{"lake": "Como", "depth": 410}, {"lake": "Iseo", "depth": None, "salt": False}])
    assert texts(_read(tmp_path / "a.json", flat), "TABLE") == [
        "lake | depth | salt\nComo | 410 | \nIseo | null | false"
    ]
    lines = (
        '{"title": "Tides", "year": 1999, "body": "They turn.\\n\\nTwice."}\n{"title": "Winds", "tags": ["a", "b"]}\n'
    )
    draft = _read(tmp_path / "a.jsonl", lines)
    assert texts(draft, "HEADING") == ["Tides", "Winds", "tags"]
    assert texts(draft, "PARAGRAPH") == ["They turn.", "Twice."]
    assert texts(draft, "LIST_ITEM") == ["year: 1999", "a", "b"]
    nested = _read(tmp_path / "a.yaml", "port:\n  name: Bari\n  piers:\n    - id: 1\n      note: old\n")
    assert "Bari" in " ".join(one.text for one in nested.nodes)
    assert texts(nested, "TABLE") == ["id | note\n1 | old"]


def test_org_files(tmp_path: Path) -> None:
    source = (
        "#+TITLE: Nets\n#+AUTHOR: Ida\n* TODO Knots :rope:\n:PROPERTIES:\n:ID: 1\n:END:\nA /fine/ knot[fn:1], see [[https://example.org][here]].\n"
        "** Tools\n- hook\n- line\n\n| a | b |\n|---+---|\n| 1 | 2 |\n\n#+BEGIN_SRC python\nprint(1)\n#+END_SRC\n\n[fn:1] Of hemp.\n"
    )
    draft = _read(tmp_path / "a.org", source)
    assert (draft.metadata.title, draft.metadata.authors) == ("Nets", ["Ida"])
    assert node(draft, "fine").text == "A *fine* knot, see [here](https://example.org)."
    assert node(draft, "Of hemp.").type == "NOTE"
    assert texts(draft, "TABLE") == ["a | b\n1 | 2"]
    assert node(draft, "print(1)").data == {"language": "python"}
    assert not any("PROPERTIES" in one.text for one in draft.nodes)


def test_rich_text(tmp_path: Path) -> None:
    source = (
        r"{\rtf1\ansi\ansicpg1252{\info{\title R\'e9gates}{\author Ana; Bo}{\creatim\yr2020\mo3\dy4}}{\fonttbl\f0 Arial;}"
        r"\f0 L\'e9ger vent.\par Chapter 2\par \u8364? 40\par\trowd\cellx1\cellx2 Mast\cell 12\cell\row}"
    )
    draft = _read(tmp_path / "a.rtf", source)
    assert draft.metadata.title == "Régates"
    assert draft.metadata.authors == ["Ana", "Bo"]
    words = " ".join(one.text for one in draft.nodes)
    assert "Léger vent." in words
    assert "€ 40" in words
    assert "Mast" in words
    assert "12" in words
    assert texts(draft, "HEADING") == ["Chapter 2"]


def test_docbook(tmp_path: Path) -> None:
    source = (
        '<book xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink"><info><title>Sails</title><author><personname>'
        "<firstname>Ida</firstname><surname>Lund</surname></personname></author></info><chapter xml:id='c'><title>Cloth</title>"
        "<para>Flax<footnote><para>Not cotton.</para></footnote> is <emphasis role='bold'>stiff</emphasis>, see <link xlink:href='https://example.org'>this</link>.</para>"
        "<note><title>Care</title><para>Dry it.</para></note><variablelist><varlistentry><term>Luff</term><listitem><para>The front edge.</para></listitem></varlistentry></variablelist>"
        "<table><title>Weights</title><tgroup cols='2'><thead><row><entry>Sail</entry><entry>kg</entry></row></thead><tbody><row><entry>Jib</entry><entry>9</entry></row></tbody></tgroup></table>"
        "<programlisting>hoist()</programlisting><indexterm><primary>gone</primary></indexterm></chapter></book>"
    )
    draft = _read(tmp_path / "a.xml", source)
    assert draft.reader.startswith("docbook/")
    assert (draft.metadata.title, draft.metadata.authors) == ("Sails", ["Ida Lund"])
    words = [one.text for one in draft.nodes]
    assert "Flax is **stiff**, see [this](https://example.org)." in words
    assert node(draft, "Not cotton.").type == "NOTE"
    assert relations(draft, "REFERENCES_NOTE")
    assert {one.key: one.type for one in draft.containers}[node(draft, "Dry it.").container or ""] == "TEXT_BOX"
    assert any("Luff" in text for text in words)
    assert any("The front edge." in text for text in words)
    assert "Sail | kg\nJib | 9" in words
    assert node(draft, "hoist()").type == "CODE"
    assert not any("gone" in text for text in words)


def test_docbook_shows_what_is_between_menus_keys_and_parameters(tmp_path: Path) -> None:
    source = (
        '<article xmlns="http://docbook.org/ns/docbook"><para>Choose <menuchoice>\n<guimenu>File</guimenu>\n'
        "<guimenuitem>Save</guimenuitem></menuchoice> or <keycombo><keycap>Ctrl</keycap><keycap>S</keycap></keycombo>.</para>"
        "<funcsynopsis><funcprototype><funcdef>int <function>f</function></funcdef><paramdef>int <parameter>a</parameter>"
        "</paramdef><paramdef>int b</paramdef></funcprototype>\n<funcprototype><funcdef>int g</funcdef><void/>"
        "</funcprototype></funcsynopsis><cmdsynopsis><command>ls</command><arg>-l</arg></cmdsynopsis></article>"
    )
    words = [one.text for one in _read(tmp_path / "a.xml", source).nodes]
    assert words == ["Choose File → Save or Ctrl+S.", "int f(int a, int b);\nint g();", "ls -l"]


def test_tei_parts_heads_of_verse_and_joins_broken_words(tmp_path: Path) -> None:
    source = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><lg><head>Reeds</head><l>O reed</l><l>O wind</l></lg>'
        '<p>They are bro\n<lb break="no"/>ken by <pb n="2"/>win<pb n="3" break="no"/>\nter.</p></body></text></TEI>'
    )
    words = [one.text for one in _read(tmp_path / "a.xml", source).nodes]
    assert words == ["Reeds", "O reed\nO wind", "They are broken by winter."]


def test_tei_and_fiction_book(tmp_path: Path) -> None:
    tei = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>On Reeds</title><author><persName><forename>Ida</forename><surname>Lund</surname></persName></author></titleStmt></fileDesc></teiHeader>'
        "<text><body><div><head n='2'>Growth</head><p>They grow <hi>fast</hi>.</p><lg><l>O reed</l><l>O wind</l></lg><list><item>one</item></list>"
        "<table><row><cell>a</cell><cell>1</cell></row></table></div></body><back><listBibl><biblStruct><analytic><title>Weirs</title></analytic></biblStruct></listBibl></back></text></TEI>"
    )
    draft = _read(tmp_path / "a.xml", tei)
    assert (draft.metadata.title, draft.metadata.authors) == ("On Reeds", ["Ida Lund"])
    assert texts(draft, "HEADING") == ["2 Growth"]
    words = "\n".join(one.text for one in draft.nodes)
    for said in ("They grow *fast*.", "O reed", "O wind", "one", "a | 1", "Weirs"):
        assert said in words
    fb2 = (
        '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info><author><first-name>Ida</first-name><last-name>Lund</last-name></author><book-title>Marsh</book-title></title-info></description>'
        "<body><section><title><p>Dawn</p></title><p>Mist <emphasis>rose</emphasis>.</p><poem><stanza><v>Grey heron</v><v>stands</v></stanza></poem></section></body><binary id='x'>QUJD</binary></FictionBook>"
    )
    draft = _read(tmp_path / "a.fb2", fb2)
    assert (draft.metadata.title, draft.metadata.authors) == ("Marsh", ["Ida Lund"])
    words = "\n".join(one.text for one in draft.nodes)
    assert "Mist *rose*." in words
    assert "Grey heron" in words
    assert "QUJD" not in words


def test_xml_of_no_known_vocabulary_keeps_all_its_text(tmp_path: Path) -> None:
    source = "<herbs><herb><name>Mint</name><use>Tea and <b>sauce</b>.</use><parts><part>leaf</part></parts></herb>loose</herbs>"
    words = " ".join(one.text for one in _read(tmp_path / "a.xml", source).nodes)
    for said in ("Mint", "Tea and **sauce**.", "leaf", "loose"):
        assert said in words


def test_logs_keep_their_lines_and_code_is_code(tmp_path: Path) -> None:
    log = "".join(
        f"2026-01-0{day} 12:00:00 the pump of the upper basin was started by hand and ran for {day} hours\n"
        for day in range(1, 6)
    )
    assert texts(_read(tmp_path / "a.log", log), "PARAGRAPH") == [log.strip()]
    draft = _read(tmp_path / "a.rs", 'fn main() {\n\tprintln!("x");\n}\n')
    assert (texts(draft, "CODE"), draft.nodes[0].data["language"]) == (
        ['fn main() {\n\tprintln!("x");\n}'],
        "rust",
    )


def _mail(subject: str, text: str) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = subject, "Ana <ana@example.org>"
    mail.set_content(text)
    return mail


def test_a_mailbox_and_a_saved_page(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "a.mbox")
    for subject in ("Eels", "Carps"):
        box.add(_mail(subject, f"All about {subject.lower()}."))
    box.close()
    draft = read(tmp_path / "a.mbox")
    check_draft(draft)
    assert [one.title for one in draft.containers] == ["Eels", "Carps"]
    assert texts(draft, "PARAGRAPH") == ["All about eels.", "All about carps."]
    page = (
        b'From: <Saved by Blink>\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype="text/html"; boundary="q"\r\n\r\n'
        b"--q\r\nContent-Type: text/html; charset=windows-1252\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<h1>Br=FCcke</h1><p>Sie =\r\ntr=E4gt.</p>\r\n--q--\r\n"
    )
    for name in ("a.mhtml", "saved"):
        draft = _read(tmp_path / name, page)
        assert (draft.metadata.title, texts(draft, "PARAGRAPH")) == ("Brücke", ["Sie trägt."])


def test_forwarded_messages_and_attachments_are_sections(tmp_path: Path) -> None:
    mail = _mail("Fwd", "See below.")
    mail.add_attachment(_mail("Nets", "They are torn."))
    mail.add_attachment("a,b\n1,2\n", subtype="csv", filename="t.csv")
    mail.add_attachment(b"\x00\x01", maintype="application", subtype="octet-stream", filename="blob.bin")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    draft = read_draft(tmp_path / "a.eml", ReadOptions(attachments="sections"), Limits())
    titles = {one.key: one.title for one in draft.containers}
    assert titles[node(draft, "They are torn.").container or ""] == "Nets"
    assert titles[node(draft, "a | b").container or ""] == "t.csv"
    assert [warning for warning in draft.warnings if "listed, not read: blob.bin;" in warning]


def test_wrapped_lines_of_mails_are_joined(tmp_path: Path) -> None:
    assert unflowed("one \ntwo\n>q1 \n> q2\n> other\n-- \nsig \nx") == "one two\n> q1 q2\n> other\n--\nsig x"
    assert unflowed("Zei \nle", joined=True) == "Zeile"
    raw = "Subject: Grüße\nContent-Type: text/plain; format=flowed; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nA long \nline.\n"
    assert texts(_read(tmp_path / "a.eml", raw.encode("cp1252")), "PARAGRAPH") == ["A long line."]
    draft = _read(tmp_path / "b.eml", raw.encode("utf-16"))
    assert (draft.metadata.title, texts(draft, "PARAGRAPH")) == ("Grüße", ["A long line."])


def test_events_of_calendars_are_text() -> None:
    event = "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nSUMMARY:Launch\\, late\r\nDTSTART;TZID=X:20260302T090000\r\nATTENDEE;CN=Bo:mailto:b@x\r\nDESCRIPTION:Long\r\n  line\r\nEND:VEVENT\r\n"
    assert (
        event_text(event)
        == "Summary: Launch, late\n\nStart: 2026-03-02 09:00\n\nAttendee: Bo\n\nDescription: Long line"
    )


def test_archives_are_folders(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("deep er/ön #1.txt", "Otters.")
        packed.writestr("__MACOSX/x.txt", "no")
        packed.writestr("p.png", "no")
    with zipfile.ZipFile(tmp_path / "a.zip") as packed, tarfile.open(tmp_path / "b.tar.gz", "w:gz") as tar:
        packed.extractall(tmp_path / "out")
        tar.add(tmp_path / "out" / "deep er", "deep er")
    shutil.rmtree(tmp_path / "out")
    found = find_files([tmp_path])
    assert [(file.shown.removeprefix(f"{tmp_path}/"), file.path.name) for file in found.files] == [
        ("a.zip/deep er/ön #1.txt", "ön #1.txt"),
        ("b.tar.gz/deep er/ön #1.txt", "ön #1.txt"),
    ]
    assert [file.kind for file in found.left_out] == ["hidden", "image"]
    from ragraph.ingest.files.addresses import fetch

    for file in found.files:
        assert fetch(file.address or "", tmp_path / "to", 1000).read_text(encoding="utf-8") == "Otters."


def test_old_office_files_name_what_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for stream, name in (("WordDocument", "DOC"), ("Workbook", "XLS"), ("PowerPoint Document", "PPT")):
        path = tmp_path / "file.bin"
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + stream.encode("utf-16-le"))
        with pytest.raises(UnsupportedFormatError, match=f"{name} is read through LibreOffice, which is not installed"):
            read(path)


def test_tables_that_are_text_and_named_xls(tmp_path: Path) -> None:
    assert texts(_read(tmp_path / "a.xls", "Lake\tDepth\nComo\t410\n"), "TABLE") == ["Lake | Depth\nComo | 410"]
    assert texts(_read(tmp_path / "a.doc", "Plain words.\n"), "PARAGRAPH") == ["Plain words."]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", "H~2~O, 10^6^ and CO~2~e; 5~10, ~20 of them, ~~no~~, `a~b~c` and $a~b~c$ [^1].\n\n[^1]: A note.\n"),
        ("a.adoc", "= T\n\nH~2~O, 10^6^ and CO~2~e; 5~10, ~20 of them.\n"),
        ("a.org", "H_{2}O, 10^{6} and CO_{2}e; 5~10, ~20 of them.\n"),
        ("a.tex", "\\documentclass{article}\n\\begin{document}\nH\\textsubscript{2}O, 10\\textsuperscript{6} and"
         " CO\\textsubscript{2}e; 5--10.\n\\end{document}\n"),
    ],
)  # fmt: skip
def test_raised_and_lowered_text_is_one_word_with_its_letter(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    draft = read_draft(tmp_path / name, ReadOptions(), Limits())
    said = " ".join(node.text for node in draft.nodes)
    assert "H2O, 10⁶ and CO2e; 5" in said
    assert name == "a.tex" or "5~10, ~20 of them" in said
    assert name != "a.md" or "`a~b~c`" in said


def test_tables_of_rtf_keep_their_cells(tmp_path: Path) -> None:
    nested = r"{\*\nesttableprops\trowd\cellx1000\cellx2000\nestrow}{\nonesttables\par}"
    (tmp_path / "a.rtf").write_text(
        r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\pard Before.\par \trowd\cellx3000\cellx6000 \pard\intbl Left\cell"
        r"\pard\intbl Begin\par \pard\intbl\itap2 A\nestcell B\nestcell" + nested + r"\pard\intbl\itap2 C\nestcell"
        r" D\nestcell"
        + nested
        + r"\pard\intbl\itap1 End\cell\row \pard\intbl Low\cell x{\footnote A note.}\par y\cell\row"
        r"\pard After \\cell.\par}"
    )
    draft = read_draft(tmp_path / "a.rtf", ReadOptions(), Limits())
    assert [node.text for node in draft.nodes if node.type == "PARAGRAPH"] == ["Before.", r"After \cell."]
    (table,) = [node.data["cells"] for node in draft.nodes if node.type == "TABLE"]
    assert table == [["Left", "Begin\nA | B\nC | D\nEnd"], ["Low", "x\ny"]]
    assert [node.text for node in draft.nodes if node.type == "NOTE"] == ["A note."]
    assert draft.made_by["account"]["unaccounted"] == 0


def test_a_page_that_a_cell_shows_without_other_forms_is_text(tmp_path: Path) -> None:
    output = {"output_type": "execute_result", "data": {"text/html": ["<script>x()</script>", "<b>Torn</b> nets"]}}
    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": ["show()"], "outputs": [output]}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    draft = read_draft(tmp_path / "a.ipynb", ReadOptions(), Limits())
    assert [node.text for node in draft.nodes] == ["show()", "Torn nets"]
    assert draft.made_by["account"]["unaccounted"] == 0


def test_words_in_a_formula_stay_apart(tmp_path: Path) -> None:
    formula = "<math><mi>f</mi><mo>=</mo><mn>1</mn><mtext> if </mtext><mi>s</mi><mo>&gt;</mo><mn>0</mn></math>"
    (tmp_path / "a.html").write_text(f"<html><body><p>We have {formula} here.</p></body></html>")
    draft = read_draft(tmp_path / "a.html", ReadOptions(), Limits())
    assert draft.nodes[0].text == "We have f=1 if s>0 here."
