"""Small files of basic formats, for others to build on: archives, Office packages, PDF files from their objects."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Around:
    """Targets that a hostile file may refer to, and the word that identifies its text.

    Attributes:
        word: is in the text of the file, if it has one, and nowhere else.
        secret: a file of the machine that nobody asked to ingest.
        address: address of a web server that counts requests.
    """

    word: str
    secret: Path
    address: str


Make: TypeAlias = "Callable[[Around], bytes]"
"""Makes the content of a hostile file."""

CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"'
    ' Target="word/document.xml"/></Relationships>'
)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def archive(members: Mapping[str, bytes | str], *, stored: Iterable[str] = ()) -> bytes:
    """A zip archive; ``stored`` names the members that are not compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content, zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def with_members(content: bytes, members: Mapping[str, bytes | str | None]) -> bytes:
    """An archive with other members in place of, or beside, its own; None takes one out."""
    with zipfile.ZipFile(io.BytesIO(content)) as made:
        kept: dict[str, bytes | str] = {name: made.read(name) for name in made.namelist() if name not in members}
    return archive(kept | {name: new for name, new in members.items() if new is not None}, stored=["mimetype"])


def paragraphs(*texts: str) -> str:
    """Paragraphs of a DOCX."""
    return "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)


def docx(body: str, more: Mapping[str, bytes | str] | None = None, *, head: str = '<?xml version="1.0"?>') -> bytes:
    """The smallest DOCX with this body in WordprocessingML, and further members."""
    document = f'{head}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    members = {"[Content_Types].xml": CONTENT_TYPES, "_rels/.rels": RELS, "word/document.xml": document}
    return archive(members | dict(more or {}))


def docx_bomb(megabytes: int = 200) -> bytes:
    """Zeros that pack to a thousandth."""
    return docx(paragraphs("Hello"), {"word/media/image1.bin": b"\0" * (megabytes << 20)})


def docx_with_outside_name() -> bytes:
    """A member that leads out of the archive."""
    return docx(paragraphs("Hello"), {"../../outside.txt": b"x"})


def docx_with_link() -> bytes:
    """A member that is a symbolic link."""
    out = io.BytesIO(docx(paragraphs("Hello")))
    with zipfile.ZipFile(out, "a") as made:
        link = zipfile.ZipInfo("word/media/link")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
    return out.getvalue()


def encrypted_office() -> bytes:
    """An Office file with a password: an OLE container, recognised by its magic and the name of its stream."""
    content = bytearray(2048)
    content[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    content[1024:1056] = "EncryptedPackage".encode("utf-16-le")
    return bytes(content)


CATALOG, PAGES, FONT = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", b"/Font<</F1 5 0 R>>"
HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<%s>>>>"


def pdf_stream(content: bytes, entries: bytes = b"", *, packed: bool = False, length: int | None = None) -> bytes:
    """A stream; ``length`` is what it says it has, where that is another."""
    if packed:
        content, entries = zlib.compress(content, 9), entries + b"/Filter/FlateDecode"
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(content) if length is None else length, entries, content)


def pdf_text(*lines: str) -> bytes:
    """A content stream with these lines."""
    shown = b"".join(b"(%s) Tj 0 -16 Td " % line.encode("latin-1", "replace") for line in lines)
    return b"BT /F1 12 Tf 72 720 Td " + shown + b"ET"


def pdf_objects(objects: Mapping[int, bytes], trailer: bytes = b"", *, xref: bool = True) -> bytes:
    """A PDF of these objects, numbered from 1, with a right table of their places, or none."""
    out = io.BytesIO(b"%PDF-1.7\n")
    out.seek(0, io.SEEK_END)
    places = {}
    for number, body in objects.items():
        places[number] = out.tell()
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    size = max(objects) + 1
    if xref:
        out.write(b"xref\n0 %d\n0000000000 65535 f \n" % size)
        for number in range(1, size):
            out.write(b"%010d 00000 %c \n" % (places.get(number, 0), b"n" if number in places else b"f"))
    out.write(b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start))
    return out.getvalue()


def pdf_with(content: bytes, changed: Mapping[int, bytes] | None = None, trailer: bytes = b"") -> bytes:
    """A PDF of one page with this content stream; ``changed`` has objects in place of, or beside, its own five."""
    objects = {1: CATALOG, 2: PAGES, 3: PAGE % FONT, 4: pdf_stream(content), 5: HELVETICA}
    return pdf_objects(objects | dict(changed or {}), trailer)


def locked_pdf() -> bytes:
    """A PDF that needs a password."""
    keys = b"<</Filter/Standard/V 2/R 3/Length 128/P -44/O<" + b"41" * 32 + b">/U<" + b"42" * 32 + b">>>"
    number = b"00112233445566778899aabbccddeeff"
    return pdf_with(b"", {6: keys}, b"/Encrypt 6 0 R/ID[<%s><%s>]" % (number, number))


def article(body: str, declared: str = "", title: str = "Bomb") -> bytes:
    """A JATS article; ``declared`` is the inner part of its document type."""
    doctype = f"<!DOCTYPE article [{declared}]>" if declared else ""
    return (
        f'<?xml version="1.0"?>{doctype}<article><front><article-meta><title-group><article-title>{title}'
        f"</article-title></title-group></article-meta></front><body>{body}</body></article>"
    ).encode()


LAUGHS = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
"""Billion laughs: ten to the ninth letters, were ``&l9;`` expanded."""


def entity_bomb() -> bytes:
    """Billion laughs in a JATS article."""
    return article("<p>&l9;</p>", LAUGHS)


def external_entity(secret: Path) -> bytes:
    """An article that names a file of the machine as an entity."""
    return article("<p>Before &secret; after.</p>", f'<!ENTITY secret SYSTEM "{secret.as_uri()}">', "Entity")


def deep_html(depth: int = 20_000, text: str = "deep") -> bytes:
    """Boxes in boxes."""
    return f"<html><body>{'<div>' * depth}{text}{'</div>' * depth}</body></html>".encode()
