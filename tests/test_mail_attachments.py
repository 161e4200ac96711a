"""Attachments and forwarded messages are documents of the mail's publication."""

from __future__ import annotations

import zipfile
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest
from ingest_tools import rows, run

from ragraph.errors import ArgumentError
from ragraph.ingest.files import attachments
from ragraph.ingest.files.discover import find_files
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.mail import attached

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


def test_an_attachment_that_the_mail_no_longer_has_is_gone(database: Database, tmp_path: Path) -> None:
    mail = _message("Two", "Two files.")
    mail.add_attachment("First.", filename="one.txt")
    mail.add_attachment("Second.", filename="two.txt")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    run(database, tmp_path, model=None)
    mail = _message("Two", "One file.")
    mail.add_attachment("First.", filename="one.txt")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    report = run(database, tmp_path, model=None)
    assert [gone.path for gone in report.gone] == [str(tmp_path / "a.eml" / "two.txt")]


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
