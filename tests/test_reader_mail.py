"""Mail: who wrote what to whom, and what was attached."""

from __future__ import annotations

from datetime import date
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest
from ingest_tools import by_name, rows, run

from ragraph.errors import DamagedFileError, EmptyFileError, EncryptedFileError, IngestError
from ragraph.ingest.account.sources import account_of
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import described, read_draft
from ragraph.ingest.readers import ReadOptions, reader_for
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.database.connection import Database
    from ragraph.ingest.draft import Draft


def message(subject: str = "Flood at the mill") -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = "Änne Müller <anne@example.org>"
    mail["To"] = "Bob <bob@example.org>, carol@example.org"
    mail["Date"] = "Tue, 03 Mar 2026 23:10:00 -0500"
    mail["Message-ID"] = "<1@example.org>"
    return mail


def write(path: Path, content: EmailMessage | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.as_bytes())
    return path


def read(path: Path) -> Draft:
    return read_draft(path, ReadOptions(), Limits())


def texts(draft: Draft, kind: ContentNodeType | None = None) -> list[str]:
    return [node.text for node in draft.nodes if kind is None or node.type is kind]


def test_headers_go_to_the_publication(database: Database, tmp_path: Path) -> None:
    mail = message("Hochwasser – « Änderung »")
    mail.set_content("The gauge stood at 3.20 m.\n\nIt fell in the night.\n")
    report = run(database, write(tmp_path / "a.eml", mail), model=None)
    assert report.ok, report
    assert rows(database, "SELECT title, authors, publication_date, metadata FROM ragraph.publication") == [
        (
            "Hochwasser – « Änderung »",
            "Änne Müller",
            date(2026, 3, 3),
            {"to": ["Bob", "carol@example.org"], "message_id": "<1@example.org>"},
        )
    ]
    assert rows(
        database, "SELECT content_node_type::text, content FROM ragraph.content_node ORDER BY sequence_in_document"
    ) == [
        ("TITLE", "Hochwasser – « Änderung »"),
        ("AUTHOR", "Änne Müller"),
        ("PARAGRAPH", "The gauge stood at 3.20 m."),
        ("PARAGRAPH", "It fell in the night."),
    ]
    assert rows(database, "SELECT mime_type FROM ragraph.document") == [("message/rfc822",)]
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []


def test_the_page_is_read_rather_than_its_plain_twin(tmp_path: Path) -> None:
    mail = message()
    mail.set_content("Levels: bridge 1, mill 2. In plain.")
    mail.add_alternative(
        "<html><body><h1>Levels</h1><ul><li>bridge 1</li><li>mill 2</li></ul><p>See <a href='#n'>below</a>.</p>"
        "<h2 id='n'>Notes</h2><p>Read at noon.</p></body></html>",
        subtype="html",
    )
    draft = read(write(tmp_path / "a.eml", mail))
    assert texts(draft, ContentNodeType.LIST_ITEM) == ["bridge 1", "mill 2"]
    assert texts(draft, ContentNodeType.TITLE) == ["Flood at the mill"]
    assert texts(draft, ContentNodeType.HEADING) == ["Levels", "Notes"]
    assert not any("In plain" in text for text in texts(draft))
    (relation,) = draft.relations
    keys = {node.key for node in draft.nodes}
    assert relation.source in keys


def test_attachments_are_listed_and_named_in_the_report(database: Database, tmp_path: Path) -> None:
    mail = message()
    mail.set_content("See the report.")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="Bericht für März.pdf")
    mail.add_attachment("a,b\n1,2\n", subtype="csv", filename="levels.csv")
    inner = message("Earlier message")
    inner.set_content("Text of the inner message.")
    mail.add_attachment(inner)
    apart = ReadOptions(attachments="sections")
    file = run(database, write(tmp_path / "a.eml", mail), model=None, options=apart).files[0]
    assert len(file.warnings) == 1
    assert "listed, not read: Bericht für März.pdf;" in file.warnings[0]
    listed = rows(
        database,
        "SELECT n.content, c.title FROM ragraph.content_node AS n JOIN ragraph.document_component AS c"
        " ON c.document_id = n.document_id AND c.id = n.parent_component_id"
        " WHERE n.content_node_type = 'LIST_ITEM' ORDER BY n.sequence_in_document",
    )
    assert [title for _, title in listed] == ["Attachments"] * 3
    assert [content.split(",")[0] for content, _ in listed] == [
        "Bericht für März.pdf (application/pdf",
        "levels.csv (text/csv",
        "Earlier message (message/rfc822",
    ]
    assert rows(database, "SELECT content FROM ragraph.content_node WHERE content LIKE '%inner message.%'") == [
        ("Text of the inner message.",)
    ]


def test_attached_messages_need_not_be_sound(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.eml",
        b"Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n"
        b"--b\nContent-Type: message/rfc822\n\nSubject: gr\xfcn\nContent-Type: text/plain; charset=nonsense\n"
        b"Content-Transfer-Encoding: 8bit\n\nfoo \xfc\n"
        b"--b\nContent-Type: message/delivery-status\n\nReporting-MTA: x\n\nStatus: 5.0.0\n"
        b"--b\nContent-Type: message/rfc822\n\n--b--\n",
    )
    listed = texts(read(path), ContentNodeType.LIST_ITEM)
    assert [text.split(" (")[1].split(",")[0] for text in listed] == ["message/rfc822", "message/rfc822"]
    assert texts(read(path), ContentNodeType.PARAGRAPH) == ["Reporting-MTA: x", "Status: 5.0.0"]


def test_only_an_attachment(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="photo.png")
    draft = read(write(tmp_path / "a.eml", mail))
    assert texts(draft) == ["photo.png (image/png, 4 bytes)"]
    assert draft.metadata.title is None


def test_several_texts_stay_in_order(tmp_path: Path) -> None:
    mail = message()
    mail.set_content("First text.")
    mail.add_attachment("Last text.", subtype="plain", disposition="inline")
    draft = read(write(tmp_path / "a.eml", mail))
    assert texts(draft)[-2:] == ["First text.", "Last text."]
    assert len({node.key for node in draft.nodes}) == len(draft.nodes)


@pytest.mark.parametrize(
    ("stated", "content"),
    [
        ("", "Größe".encode()),
        ("", "Größe der Flüsse".encode("latin-1")),
        ("; charset=nonsense", "Größe".encode()),
        ("; charset=us-ascii", "Größe der Flüsse".encode("cp1252")),
        ('; charset="utf-8"', "Größe".encode()),
    ],
)
def test_character_sets_that_are_missing_or_wrong(tmp_path: Path, stated: str, content: bytes) -> None:
    head = f"Subject: x\nContent-Type: text/plain{stated}\nContent-Transfer-Encoding: 8bit\n\n".encode()
    assert texts(read(write(tmp_path / "a.eml", head + content)))[-1].startswith("Größe")


@pytest.mark.parametrize(
    "header",
    [
        b"Subject: =?nonsense?q?abc?=",
        b"Subject: =?utf-8?b?broken",
        "Subject: Grün".encode(),
        "Subject: Gr\xfcn".encode("latin-1"),
        b"Subject: a\x00b\n\tfolded",
        b"Date: never",
        b"Date: 99 Foo 99999 99:99:99 +9999",
        b'From: <<>>,,"',
        b"From: " + b"a@b, " * 5000,
        b"Content-Disposition: inline; filename*=utf-8''%FF%FE; filename*0*=x",
        b"Content-Transfer-Encoding: base64",
        b"Content-Type: ;;;",
        b"Content-Type: multipart/mixed",
        b"Content-Type: multipart/mixed; boundary=x",
        b"Content-Language: ,,",
    ],
)
def test_broken_headers_cost_themselves_alone(database: Database, tmp_path: Path, header: bytes) -> None:
    path = write(tmp_path / "a.eml", b"Subject: Levels\n" + header + b"\n\nThe gauge stood at 3.20 m.\n")
    report = run(database, path, model=None, workers=1)
    assert report.ok, report


def nested(levels: int) -> bytes:
    head = b"Subject: deep\nMIME-Version: 1.0\n"
    opening = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level) for level in range(levels)
    )
    return head + opening + b"Content-Type: text/plain\n\nat the bottom\n"


def test_hostile_messages_get_one_line(tmp_path: Path) -> None:
    part = b"\n--b\nContent-Type: image/png\n\nx"
    bad = {
        "deep.eml": nested(1000),
        "many.eml": b"Subject: many\nContent-Type: multipart/mixed; boundary=b\n" + part * 3000 + b"\n--b--\n",
        "empty.eml": b"X-Only: this\n\n",
        "noise.eml": b"\x89\x01\x02 no header here\n" * 20,
        "binary.eml": b"\x00" * 2000 + b"x",
        "locked.eml": b"Subject: s\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nAAAA\n",
    }
    for name, content in bad.items():
        with pytest.raises(IngestError) as caught:
            read(write(tmp_path / name, content))
        _, line = described(caught.value)
        assert line and "\n" not in line
    assert texts(read(write(tmp_path / "fair.eml", nested(20))))[-1] == "at the bottom"


def test_errors_have_their_class(tmp_path: Path) -> None:
    with pytest.raises(EmptyFileError):
        read(write(tmp_path / "a.eml", b"X-Only: this\n\n"))
    with pytest.raises(EncryptedFileError):
        read(write(tmp_path / "b.eml", b"Content-Type: multipart/encrypted; boundary=x\n\n--x\n\nAAA\n--x--\n"))
    with pytest.raises(DamagedFileError):
        content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500 + "__substg1.0_0037001F".encode("utf-16-le")
        read(write(tmp_path / "c.msg", content))


def test_mail_in_a_folder_is_found(database: Database, tmp_path: Path) -> None:
    mail = message()
    mail.set_content("Text.")
    write(tmp_path / "a.eml", mail)
    (tmp_path / "b.pst").write_bytes(b"x")
    report = run(database, tmp_path, model=None)
    assert by_name(report)["a.eml"].status == "added"
    assert [(file.kind, file.reason) for file in report.left_out] == [("mail", "a mailbox: save its messages as EML")]


def test_unnamed_text_of_any_kind_and_reports_of_delivery_are_text(tmp_path: Path) -> None:
    parts = (
        "Content-Type: text/plain\n\nIt came back.\n",
        "Content-Type: text/x-patch\n\n+a line that was added\n",
        "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\nDiagnostic-Code: no such user\n",
        "Content-Type: text/rfc822-headers\n\nSubject: Nets\n",
        'Content-Type: multipart/alternative; boundary="C"\n\n--C\nContent-Type: text/x-amp-html\n\n<p>Fast</p>\n'
        "--C\nContent-Type: text/html\n\n<p>Shown</p>\n--C--\n",
    )
    body = "".join(f"--B\n{part}\n" for part in parts)
    head = "Subject: Report\nFrom: a@example.org\nMIME-Version: 1.0\n"
    source = f'{head}Content-Type: multipart/report; boundary="B"\n\n{body}--B--\n'
    path = tmp_path / "a.eml"
    path.write_text(source)
    draft = reader_for(path).read(path, ReadOptions())
    said = " ".join(" ".join(node.text for node in draft.nodes).split())
    for text in ("It came back.", "+a line that was added", "Diagnostic-Code: no such user", "Subject: Nets", "Shown"):
        assert text in said
    assert "Fast" not in said
    assert "Attachments" not in [one.title for one in draft.containers]
    account = account_of(path, draft, ReadOptions())
    assert account is not None
    assert account.unaccounted == 0


@pytest.mark.parametrize(
    ("kind", "content"),
    [("css", "p { margin: 0 }"), ("javascript", "let margin = 0"), ("rtf", "{\\rtf1 margin}"), ("csv", "margin;0")],
)
def test_unnamed_parts_that_are_no_text_of_a_message_are_attachments(tmp_path: Path, kind: str, content: str) -> None:
    parts = ("Content-Type: text/html\n\n<p>Shown</p>\n", f"Content-Type: text/{kind}\n\n{content}")
    body = "".join(f"--B\n{part}\n" for part in parts)
    path = tmp_path / "a.eml"
    path.write_text(f'Subject: Nets\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary="B"\n\n{body}--B--\n')
    options = ReadOptions(attachments="documents")
    draft = reader_for(path).read(path, options)
    assert [node.text for node in draft.nodes] == ["Nets", "Shown", f"unnamed text (text/{kind}, {len(content)} bytes)"]
    account = account_of(path, draft, options)
    assert account is not None
    assert (account.unaccounted, list(account.left_out)) == (0, ["attachment, a document of its own"])
