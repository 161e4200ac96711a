"""Attachments and forwarded messages are documents of the mail's publication."""

from __future__ import annotations

import zipfile
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pikepdf
import pytest
from ingest_tools import rows, run
from reportlab.pdfgen.canvas import Canvas

from ragraph import Store
from ragraph.documents.updating import update
from ragraph.errors import ArgumentError
from ragraph.ingest.files import attachments
from ragraph.ingest.files.discover import find_files
from ragraph.ingest.files.inside import file_around
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.mail import attached
from ragraph.store.doctor import diagnose
from ragraph.store.intake import delete

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.database.connection import Database
    from ragraph.schema.reports import IngestReport


def _message(subject: str, text: str) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = subject, "Ann <ann@example.org>"
    mail.set_content(text)
    return mail


def _forwarded() -> EmailMessage:
    inner = _message("Delivery of pipes", "The pipes arrive at gate 3.")
    inner.add_attachment("width,count\n12,40\n", subtype="csv", filename="list.csv")
    mail = _message("Fwd: Delivery", "See below.")
    mail.add_attachment(inner)
    mail.add_attachment("# Rust\n\nA note on rust.\n", subtype="markdown", filename="note.md")
    mail.add_attachment("Another note.", filename="note.md")
    mail.add_attachment(b'{"gate": {"name": "of oak"}}', maintype="application", subtype="json", filename="gate.json")
    mail.add_attachment(b"\x89PNG\r\n\x1a\n", maintype="image", subtype="png", filename="logo.png")
    mail.add_attachment(b"\x00\x01\x02", maintype="application", subtype="octet-stream", filename="blob.bin")
    return mail


def _names(report: IngestReport) -> dict[str, str]:
    return {file.path.rpartition("a.eml")[2]: file.status for file in report.files}


_PLACES = {
    "": "added",
    "/Delivery of pipes.eml": "added",
    "/Delivery of pipes.eml/list.csv": "added",
    "/note.md": "added",
    "/note (2).md": "added",
    "/gate.json": "added",
}


def test_attachments_are_documents_of_the_publication_of_the_mail(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(_forwarded().as_bytes())
    report = run(database, tmp_path, model=None)
    assert _names(report) == _PLACES
    assert report.warnings == ()
    assert {(one.path.rpartition("/")[2], one.kind) for one in report.left_out} == {
        ("logo.png", "image"),
        ("blob.bin", "other format"),
    }
    assert rows(database, "SELECT title FROM ragraph.publication") == [("Fwd: Delivery",)]
    assert rows(database, "SELECT type::text, description FROM ragraph.document ORDER BY description") == [
        ("SUPPLEMENTAL", "Delivery of pipes.eml"),
        ("SUPPLEMENTAL", "gate.json"),
        ("SUPPLEMENTAL", "list.csv"),
        ("SUPPLEMENTAL", "note (2).md"),
        ("SUPPLEMENTAL", "note.md"),
        ("MAIN", None),
    ]
    assert rows(database, "SELECT count(*) FROM ragraph.content_node WHERE content LIKE '%gate 3.'") == [(1,)]
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []


def test_a_change_reaches_only_what_changed(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(_forwarded().as_bytes())
    run(database, tmp_path, model=None)
    assert set(_names(run(database, tmp_path, model=None)).values()) == {"unchanged"}
    path.write_bytes(path.read_bytes().replace(b"A note on rust.", b"A note on dust."))
    assert _names(run(database, tmp_path, model=None)) == {
        **dict.fromkeys(_PLACES, "unchanged"), "": "changed", "/note.md": "changed"
    }  # fmt: skip
    path.rename(tmp_path / "b.eml")
    assert {file.status for file in run(database, tmp_path, model=None).files} == {"moved"}
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(len(_PLACES),)]


_TITLES = """SELECT title, authors, publication_date::text, (SELECT count(*) FROM ragraph.publication)::int
    FROM ragraph.documents ORDER BY title"""


def test_an_attached_document_has_title_author_and_date_of_its_own(database: Database, tmp_path: Path) -> None:
    inner = EmailMessage()
    inner["Subject"], inner["From"] = "Delivery of pipes", "Bob <bob@example.org>"
    inner["Date"] = "Mon, 02 Mar 2020 09:00:00 +0000"
    inner.set_content("The pipes arrive at gate 3.")
    mail = _message("Fwd: Delivery", "See below.")
    mail["Date"] = "Tue, 06 Jan 2026 09:00:00 +0000"
    mail.add_attachment(inner)
    mail.add_attachment("# Rust\n\nA note on rust.\n", subtype="markdown", filename="note.md")
    mail.add_attachment("width,count\n12,40\n", subtype="csv", filename="list.csv")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    run(database, tmp_path, model=None)
    assert rows(database, _TITLES) == [
        ("Delivery of pipes", "Bob", "2020-03-02", 1),
        ("Fwd: Delivery", "Ann", "2026-01-06", 1),
        ("Rust", None, "2026-01-06", 1),
        ("list.csv", None, "2026-01-06", 1),
    ]
    cited = rows(
        database,
        """SELECT c.title, c.authors, c.publication_date::text FROM ragraph.content_node AS n
        CROSS JOIN ragraph.cite_nodes(ARRAY[n.document_id], ARRAY[n.id]) AS c WHERE n.content LIKE '%gate 3.'""",
    )
    assert cited == [("Delivery of pipes", "Bob", "2020-03-02")]
    store = Store(database)
    for wanted in ({"authors": {"$contains": "Bob"}}, {"year": 2020}, {"title": "Delivery of pipes"}):
        assert [found.title for found in store.documents(filter=wanted)] == ["Delivery of pipes"]


def test_attachments_that_a_mail_no_longer_has_go_with_its_change(database: Database, tmp_path: Path) -> None:
    def write(**files: str) -> None:
        mail = _message("Two", f"{len(files)} files.")
        for name, text in files.items():
            mail.add_attachment(text, filename=f"{name}.txt")
        (tmp_path / "a.eml").write_bytes(mail.as_bytes())

    def stored() -> list[str]:
        wanted = "SELECT title FROM ragraph.documents WHERE title LIKE '%.txt' ORDER BY title"
        return [title for (title,) in rows(database, wanted)]

    write(one="First.", two="Second.")
    run(database, tmp_path, model=None)
    assert stored() == ["one.txt", "two.txt"]
    (first,) = rows(database, "SELECT document_id FROM ragraph.documents WHERE title = 'one.txt'")
    write(uno="First.")  # one has another name, two is gone
    report = run(database, tmp_path, model=None)
    assert [file.reason for file in report.files] == [
        "1 document that was attached to it deleted",
        f"was at {tmp_path}/a.eml/one.txt",
    ]
    assert stored() == ["uno.txt"]
    assert rows(database, "SELECT document_id FROM ragraph.documents WHERE title = 'uno.txt'") == [first]
    assert report.gone == ()
    run(database, tmp_path, model=None, options=ReadOptions(attachments="none"))
    assert stored() == []
    run(database, tmp_path, model=None)
    assert stored() == ["uno.txt"]
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []


def test_a_mail_is_deleted_with_its_attachments(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(_forwarded().as_bytes())
    (tmp_path / "b.txt").write_text("Stays.")
    run(database, tmp_path, model=None)
    (name,) = (
        row[0]
        for row in rows(database, "SELECT id FROM ragraph.document WHERE source_uri LIKE '%/a.eml' AND type = 'MAIN'")
    )
    gone = delete(database, name, None)
    assert gone[0] == name
    assert len(gone) == len(_PLACES)
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(1,)]
    assert rows(database, "SELECT count(*) FROM ragraph.publication") == [(1,)]


def test_each_mail_has_attachments_of_its_own(database: Database, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        mail = _message(f"Mail {name}", f"Text of {name}.")
        mail.add_attachment("The terms.", filename="terms.txt")
        mail.add_attachment("The terms.", filename="copy.txt")
        (tmp_path / f"{name}.eml").write_bytes(mail.as_bytes())
    (tmp_path / "terms.txt").write_text("The terms.")
    wanted = "SELECT count(*), count(DISTINCT publication_id) FROM ragraph.document WHERE source_uri LIKE 'mail://%'"
    report = run(database, tmp_path, model=None)
    assert [file.status for file in report.files].count("duplicate") == 3  # the copy in each mail
    assert rows(database, wanted) == [(3, 3)]
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(7,)]
    assert {file.status for file in run(database, tmp_path, model=None).files} == {"unchanged", "duplicate"}
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []
    (name,) = (row[0] for row in rows(database, "SELECT document_id FROM ragraph.documents WHERE title = 'Mail a'"))
    delete(database, name, None)
    assert rows(database, wanted) == [(2, 2)]
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(5,)]


def test_a_copy_of_a_mail_has_no_attachments_of_its_own(database: Database, tmp_path: Path) -> None:
    content = _forwarded().as_bytes()
    for name in ("a", "b"):
        (tmp_path / f"{name}.eml").write_bytes(content)
    report = run(database, tmp_path, model=None)
    assert [file.status for file in report.files].count("duplicate") == len(_PLACES)
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(len(_PLACES),)]


def test_an_attachment_without_its_mail_is_found_by_the_check(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(_forwarded().as_bytes())
    run(database, tmp_path, model=None)
    with database.write() as connection:
        connection.execute("UPDATE ragraph.document SET source_uri = 'file:///elsewhere.eml' WHERE type = 'MAIN'")
    found = rows(database, "SELECT DISTINCT rule FROM ragraph.check_store()")
    assert found == [("an attached document belongs to a stored one",)]
    (told,) = [one for one in diagnose(database, None) if one.what == "attachments"]
    assert not told.ok
    assert "5 attached documents" in told.detail


def test_a_mail_moves_with_its_attachments(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(_forwarded().as_bytes())
    run(database, tmp_path, model=None)
    (tmp_path / "b.eml").write_bytes(_forwarded().as_bytes().replace(b"Delivery", b"Shipping"))
    run(database, tmp_path / "b.eml", model=None, collection="archive")
    ((mail, *_),) = rows(database, "SELECT id FROM ragraph.document WHERE type = 'MAIN' AND collection = 'default'")
    update(database, mail, {"collection": "archive"})
    assert rows(database, "SELECT DISTINCT collection FROM ragraph.document") == [("archive",)]
    assert rows(database, "SELECT DISTINCT collection FROM ragraph.publication") == [("archive",)]
    assert rows(database, "SELECT DISTINCT collection FROM ragraph.content_node") == [("archive",)]
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []
    report = run(database, tmp_path, model=None, collection="archive")
    assert set(_names(report).values()) <= {"unchanged", "duplicate"}


def test_what_people_set_of_an_attachment_is_its_own_and_stays(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(_forwarded().as_bytes())
    run(database, tmp_path, model=None)
    (name,) = (row[0] for row in rows(database, "SELECT document_id FROM ragraph.documents WHERE title = 'Rust'"))
    update(database, name, {"title": "Rust and dust", "authors": "Cleo"})
    path.write_bytes(path.read_bytes().replace(b"A note on rust.", b"A note on dust."))
    run(database, tmp_path, model=None)
    found = rows(
        database,
        "SELECT title, authors FROM ragraph.documents WHERE title LIKE 'Rust%' OR title LIKE 'Fwd%' ORDER BY title",
    )
    assert found == [("Fwd: Delivery", "Ann"), ("Rust and dust", "Cleo")]


def _pdf(path: Path, text: str, **files: bytes) -> bytes:
    canvas = Canvas(str(path))
    for line in range(8):
        canvas.drawString(72, 700 - 14 * line, f"{text} Line {line} of the text on the page, at some length.")
    canvas.save()
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for name, content in files.items():
            pdf.attachments[name.replace("_", ".")] = content
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return path.read_bytes()


def test_files_attached_to_a_pdf_are_documents_of_its_publication(database: Database, tmp_path: Path) -> None:
    inner = _pdf(tmp_path / "b.pdf", "Within.", core_txt=b"The core of it.")
    (tmp_path / "b.pdf").unlink()
    _pdf(
        tmp_path / "a.pdf",
        "Outside.",
        ledger_csv=b"weir,height\nUpper,12\n",
        inner_pdf=inner,
        logo_png=b"\x89PNG\r\n\x1a\n",
    )
    report = run(database, tmp_path, model=None)
    assert report.warnings == ()
    assert [(file.path.rpartition("a.pdf")[2], file.status, file.warnings) for file in report.files] == [
        ("", "added", ()),
        ("/inner.pdf", "added", ()),
        ("/inner.pdf/core.txt", "added", ()),
        ("/ledger.csv", "added", ()),
    ]
    assert [one.path.rpartition("/")[2] for one in report.left_out] == ["logo.png"]
    assert rows(database, "SELECT count(*) FROM ragraph.publication") == [(1,)]
    assert {file.status for file in run(database, tmp_path, model=None).files} == {"unchanged"}
    report = run(database, tmp_path, model=None, options=ReadOptions(attachments="none"))
    assert "attached files were not read" in report.files[0].warnings[0]
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(1,)]


def test_a_pdf_attached_to_a_mail_is_looked_into(tmp_path: Path) -> None:
    mail = _message("Plan", "See the plan.")
    content = _pdf(tmp_path / "b.pdf", "The plan.", sums_csv=b"a,b\n1,2\n")
    mail.add_attachment(content, maintype="application", subtype="pdf", filename="plan.pdf")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    assert [one.name for one in attached.attached(tmp_path / "a.eml")] == ["plan.pdf", "plan.pdf/sums.csv"]


def test_attachments_that_come_before_their_mail_join_its_publication(database: Database, tmp_path: Path) -> None:
    mail = _message("Late", "See the file.")
    mail.add_attachment("# Title of its own\n\nText.\n", subtype="markdown", filename="note.md")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    found = find_files([tmp_path], attachments=True).files
    (address,) = found[0].entry[attachments.ATTACHED]
    run(database, address, model=None)
    assert rows(database, "SELECT title FROM ragraph.publication") == [("Title of its own",)]
    run(database, tmp_path, model=None)
    assert rows(database, "SELECT title FROM ragraph.publication") == [("Late",)]
    assert rows(database, "SELECT count(*) FROM ragraph.document") == [(2,)]
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []


def test_an_id_is_that_of_the_mail(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(_forwarded().as_bytes())
    report = run(database, tmp_path / "a.eml", model=None, document_id="mail")
    assert [file.document_id for file in report.files if file.path.endswith("a.eml")] == ["mail"]
    assert len({file.document_id for file in report.files}) == len(_PLACES)


def test_attachments_may_be_named_alone_or_be_sections(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(_forwarded().as_bytes())
    for option, held in (("none", 0), ("sections", 1)):
        report = run(database, tmp_path, model=None, options=ReadOptions(attachments=option))
        assert [file.status for file in report.files] == ["added" if option == "none" else "changed"]
        count = rows(database, "SELECT count(*) FROM ragraph.content_node WHERE content LIKE '%gate 3.'")
        assert count == [(held,)]
    with pytest.raises(ArgumentError, match="documents, sections, none"):
        ReadOptions(attachments="all")


def test_mails_that_nobody_looked_into_keep_their_attachments_as_sections(database: Database, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("inner/a.eml", _forwarded().as_bytes())
    report = run(database, tmp_path, model=None)
    assert [file.status for file in report.files] == ["added"]
    assert rows(database, "SELECT count(*) FROM ragraph.content_node WHERE content LIKE '%gate 3.'") == [(1,)]


def test_mailboxes_have_attachments_too(tmp_path: Path) -> None:
    mails = [_forwarded(), _message("Plain", "No file. From here on.")]
    box = "".join(f"From ann Sat Jan  3 01:05:34 2026\n{mail.as_string()}\n\n" for mail in mails)
    (tmp_path / "a.mbox").write_text(box)
    names = [one.name for one in attached.attached(tmp_path / "a.mbox")]
    assert names[:2] == ["message 1/Delivery of pipes.eml", "message 1/Delivery of pipes.eml/list.csv"]
    assert not any(name.startswith("message 2") for name in names)


def test_depth_number_and_size_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mail = _message("Core", "Innermost.")
    for number in range(9):
        outer = _message(f"Layer {number}", "Around.")
        outer.add_attachment(mail)
        mail = outer
    (tmp_path / "deep.eml").write_bytes(mail.as_bytes())
    assert len(list(attached.attached(tmp_path / "deep.eml"))) == 5
    (tmp_path / "a.eml").write_bytes(_forwarded().as_bytes())
    for name in ("MOST_ATTACHED", "MOST_BYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(attached, name, 2)
            found = find_files([tmp_path / "a.eml"], attachments=True)
        assert [file.path.name for file in found.files] == ["a.eml"]
        assert len(found.left_out) == 1
        assert "save" in found.left_out[0].reason


@pytest.mark.parametrize(
    ("address", "around"),
    [
        ("mail://list.csv::file:///home/me/a.eml", "file:///home/me/a.eml"),
        ("pdf://a%3A%3Ab.csv::https://example.org/a.pdf", "https://example.org/a.pdf"),
        ("mail://list.csv::zip://b/a.eml::file:///home/me/b.zip", "zip://b/a.eml::file:///home/me/b.zip"),
        ("zip://list.csv::file:///home/me/a.zip", None),
        ("file:///home/me/mail://list.csv", None),
        ("mail://list.csv", None),
    ],
)
def test_the_database_parts_addresses_as_python_does(database: Database, address: str, around: str | None) -> None:
    assert file_around(address) == around
    [row] = rows(database, "SELECT ragraph_private.file_around(%s)", address)
    assert row == (around,)


def test_names_cannot_lead_elsewhere(tmp_path: Path) -> None:
    mail = _message("Names", "Look.")
    for name in ("../../etc/passwd", "a\\b.txt", "...", "CON::x.txt", "x" * 400 + ".txt"):
        mail.add_attachment("text", filename=name)
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    found = find_files([tmp_path / "a.eml"], attachments=True).files[1:]
    assert len(found) == 5
    assert all("/" not in file.path.name and len(file.path.name) < 130 for file in found)
    assert not any(".." in file.uri.split("/") for file in found)


def test_messages_of_a_mailbox_may_have_parts(tmp_path: Path) -> None:
    mail = _message("Two forms", "In plain.")
    mail.add_alternative("<p>The weir is <b>high</b>.</p>", subtype="html")
    (tmp_path / "a.mbox").write_text(f"From ann Sat Jan  3 01:05:34 2026\n{mail.as_string()}\n")
    draft = read_draft(tmp_path / "a.mbox", ReadOptions(), Limits())
    assert "The weir is **high**." in [node.text for node in draft.nodes]
    assert draft.made_by["account"]["unaccounted"] == 0


def test_lines_of_a_mailbox_that_begin_with_from_are_text(tmp_path: Path) -> None:
    text = (
        "Dear all,\n\nFrom here on the gate is shut.\nFrom 10:30 on it is open.\n\n"
        ">From what I know,\n>>From of old.\n\n"
        "From Ann: see you at 10:30 in 2026\n\nFrom the book:\nNote: it is long.\n"
    )
    mail = f"Subject: Gates\nFrom: Ann <ann@example.org>\n\n{text}"
    box = f"From ann@example.org Sat Jan  3 01:05:34 2026\n{mail}\nFrom bob Sun Jan  4 01:05:34 2026\n{mail}"
    for ends in ("\n", "\r\n"):
        (tmp_path / "a.mbox").write_bytes(box.replace("\n", ends).encode())
        draft = read_draft(tmp_path / "a.mbox", ReadOptions(), Limits())
        assert [node.text for node in draft.nodes if node.type == "HEADING"] == ["Gates", "Gates"]
        said = " ".join(" ".join(node.text.split()) for node in draft.nodes)
        assert said.count("From here on the gate is shut. From 10:30 on it is open.") == 2
        assert said.count("From what I know,") == 2
        assert ">From what" not in said
        assert ">From of old" in said
        assert said.count("From the book: Note: it is long.") == 2
        assert draft.made_by["account"]["unaccounted"] == 0
