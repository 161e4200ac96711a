"""Files that cannot be taken in, or only just; made here, none of them from anywhere else."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

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
BODY = (
    '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>{0}</w:t></w:r></w:p></w:body></w:document>"
)


def docx(path: Path, text: str = "Hello", *, more: dict[str, bytes] | None = None) -> Path:
    """The smallest DOCX, with further members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr("_rels/.rels", RELS)
        archive.writestr("word/document.xml", BODY.format(text))
        for name, content in (more or {}).items():
            archive.writestr(name, content)
    return path


def docx_bomb(path: Path) -> Path:
    """200 MB of zeros in 200 KB."""
    return docx(path, more={"word/media/image1.bin": b"\0" * (200 << 20)})


def docx_with_outside_name(path: Path) -> Path:
    return docx(path, more={"../../outside.txt": b"x"})


def docx_with_link(path: Path) -> Path:
    docx(path)
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("word/media/link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return path


def encrypted_office(path: Path) -> Path:
    """What Office writes with a password: an OLE container, by its magic and the name of its stream."""
    content = bytearray(2048)
    content[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    content[1024:1056] = "EncryptedPackage".encode("utf-16-le")
    path.write_bytes(bytes(content))
    return path


def pdf(path: Path, content: bytes = b"", *, user_password: bool = False) -> Path:
    """A PDF of one page with this content stream; optionally marked as encrypted."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    trailer = b""
    if user_password:
        objects.append(b"<</Filter/Standard/V 2/R 3/Length 128/P -44/O<" + b"41" * 32 + b">/U<" + b"42" * 32 + b">>>")
        trailer = b"/Encrypt 6 0 R/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]"
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start))
    path.write_bytes(out.getvalue())
    return path


def entity_bomb(path: Path) -> Path:
    """Billion laughs in a JATS article: ten to the ninth letters, were the entities expanded."""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    path.write_text(
        f'<?xml version="1.0"?><!DOCTYPE article [<!ENTITY l0 "ha">{entities}]>'
        "<article><front><article-meta><title-group><article-title>Bomb</article-title></title-group></article-meta>"
        "</front><body><p>&l9;</p></body></article>"
    )
    return path


def external_entity(path: Path, secret: Path) -> Path:
    """An article that names a file of the machine as an entity."""
    path.write_text(
        f'<?xml version="1.0"?><!DOCTYPE article [<!ENTITY secret SYSTEM "{secret.as_uri()}">]>'
        "<article><front><article-meta><title-group><article-title>Entity</article-title></title-group></article-meta>"
        "</front><body><p>Before &secret; after.</p></body></article>"
    )
    return path


def deep_html(path: Path, depth: int = 20_000) -> Path:
    path.write_text("<html><body>" + "<div>" * depth + "deep" + "</div>" * depth + "</body></html>")
    return path
