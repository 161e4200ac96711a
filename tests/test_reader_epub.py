"""The EPUB reader: one document in spine order, endnotes linked, archives that cannot harm."""

from __future__ import annotations

import zipfile
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragraph.errors import DamagedFileError, EmptyFileError, EncryptedFileError, FileTooLargeError, IngestError
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.epub.reader import EpubReader
from ragraph.schema.enums import ComponentType as C
from ragraph.schema.enums import ContentNodeType as N
from ragraph.schema.enums import RelationType as R

if TYPE_CHECKING:
    from ragraph.ingest.draft import Draft, DraftNode

BOOK = Path(__file__).parent / "data" / "markup" / "book"
PACKAGE = BOOK / "epub" / "content.opf"
CHAPTER = "epub/text/chapter-1.xhtml"


def members() -> dict[str, bytes]:
    return {path.relative_to(BOOK).as_posix(): path.read_bytes() for path in sorted(BOOK.rglob("*")) if path.is_file()}


def pack(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def read(path: Path) -> Draft:
    return EpubReader().read(path, ReadOptions())


@pytest.fixture(scope="module")
def draft() -> Draft:
    return read(PACKAGE)


def containers_of(draft: Draft, one: DraftNode) -> list[tuple[C, str | None]]:
    containers = {container.key: container for container in draft.containers}
    path: list[tuple[C, str | None]] = []
    key = one.container
    while key is not None:
        path.insert(0, (containers[key].type, containers[key].title))
        key = containers[key].parent
    return path


def node(draft: Draft, start: str) -> DraftNode:
    found = [one for one in draft.nodes if one.text.startswith(start)]
    assert len(found) == 1, (start, [one.text for one in found])
    return found[0]


def test_archive_and_folder_give_the_same_draft(draft: Draft, tmp_path: Path) -> None:
    assert read(pack(tmp_path / "b.epub", members())) == draft


def test_parts_and_chapters_nest_as_the_table_of_contents_says(draft: Draft) -> None:
    assert containers_of(draft, node(draft, "Cold.")) == [
        (C.BODY_MATTER, None),
        (C.PART, "Book I"),
        (C.CHAPTER, "I: Springs"),
        (C.SECTION, "Cold ones"),
    ]
    heads = [(one.type, one.level, one.text) for one in draft.nodes if one.type in (N.TITLE, N.HEADING)]
    assert heads == [
        (N.TITLE, None, "A Book of Brooks"),
        (N.HEADING, 1, "Book I"),
        (N.HEADING, 2, "I: Springs"),
        (N.HEADING, 3, "Cold ones"),
        (N.HEADING, 2, "II: Falls"),
        (N.HEADING, 1, "Endnotes"),
    ]
    assert containers_of(draft, node(draft, "By Ada Weir")) == [
        (C.FRONT_MATTER, None),
        (C.TITLE_PAGE, "A Book of Brooks"),
    ]


def test_endnotes_are_linked_and_lead_nowhere_back(draft: Draft) -> None:
    notes = [one for one in draft.nodes if one.type is N.NOTE]
    assert [(one.marker, one.text) for one in notes] == [
        ("1", "Not wells."),
        ("2", "As told here, and in the note above.\n\nTwice."),
    ]
    assert containers_of(draft, notes[0]) == [(C.BACK_MATTER, None), (C.NOTES_SECTION, "Endnotes")]
    paragraph = node(draft, "Where water begins.")
    assert paragraph.text == "Where water begins. On it goes, as the next chapter tells."
    made = [
        (one.type, one.anchor, one.marker, one.marker_start) for one in draft.relations if one.source == paragraph.key
    ]
    assert made == [
        (R.REFERENCES_NOTE, "text/endnotes.xhtml#note-2", "2", len("Where water begins.")),
        (R.CROSS_REFERENCES, "text/chapter-2.xhtml", "the next chapter", paragraph.text.index("the next")),
    ]
    heading = node(draft, "I: Springs")
    assert [one.marker for one in draft.relations if one.source == heading.key] == ["1"]
    between = [one.type for one in draft.relations if one.source == notes[1].key]
    assert between == [R.CROSS_REFERENCES, R.REFERENCES_NOTE]
    anchors = {anchor for one in draft.nodes for anchor in one.anchors}
    assert all(one.anchor in anchors for one in draft.relations)


def test_verse_images_and_metadata(draft: Draft) -> None:
    assert next(one for one in draft.nodes if one.type is N.STANZA).text == "Down it goes\nand further down"
    figure = next(one for one in draft.nodes if one.type is N.FIGURE)
    assert (figure.description, figure.storage_url) == ("A cold spring", "images/cold.png")
    meta = draft.metadata
    assert (meta.title, meta.authors, meta.language) == ("A Book of Brooks", ["Ada Weir"], "en-GB")
    assert (meta.publication_date, meta.uri) == (date(2020, 5, 6), "https://example.org/brooks")


def test_a_file_that_is_not_well_formed_is_mended(tmp_path: Path) -> None:
    files = members()
    files[CHAPTER] = files[CHAPTER].replace(b"<p>Cold.</p>", b"<p>Cold<br>&nbsp;water.<p>Ice.")
    draft = read(pack(tmp_path / "b.epub", files))
    assert any(one.text == "Ice." for one in draft.nodes)
    assert sum(one.type is R.REFERENCES_NOTE for one in draft.relations) == 3


def test_a_missing_file_is_a_warning(tmp_path: Path) -> None:
    files = members()
    del files[CHAPTER]
    draft = read(pack(tmp_path / "b.epub", files))
    assert draft.warnings == ["text/chapter-1.xhtml is in the spine and not in the book"]


def test_the_older_table_of_contents(tmp_path: Path) -> None:
    files = members()
    opf = (
        files["epub/content.opf"]
        .decode()
        .replace(
            'href="toc.xhtml" media-type="application/xhtml+xml" properties="nav"',
            'href="toc.ncx" media-type="application/x-dtbncx+xml"',
        )
    )
    files["epub/content.opf"] = opf.replace("<spine>", '<spine toc="nav">').encode()
    point = '<navPoint><navLabel><text>{}</text></navLabel><content src="text/{}.xhtml"/>{}</navPoint>'
    inner = point.format("I", "chapter-1", "") + point.format("II", "chapter-2", "")
    points = point.format("B", "book-1", inner)
    files["epub/toc.ncx"] = (
        f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'.encode()
    )
    draft = read(pack(tmp_path / "b.epub", files))
    assert [title for _, title in containers_of(draft, node(draft, "Down it goes"))] == [None, "Book I", "II: Falls"]


def with_encryption(algorithm: str, name: str) -> bytes:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
        f'<EncryptionMethod Algorithm="{algorithm}"/><CipherData><CipherReference URI="{name}"/></CipherData>'
        "</EncryptedData></encryption>"
    ).encode()


def test_encrypted_text_is_refused_and_obfuscated_fonts_are_not(tmp_path: Path) -> None:
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    locked = {**members(), "META-INF/encryption.xml": with_encryption(aes, CHAPTER)}
    with pytest.raises(EncryptedFileError, match="DRM"):
        read(pack(tmp_path / "locked.epub", locked))
    font = with_encryption("http://www.idpf.org/2008/embedding", "epub/font.otf")
    assert read(pack(tmp_path / "font.epub", {**members(), "META-INF/encryption.xml": font})).nodes


def hostile(name: str) -> tuple[bytes | dict[str, bytes], type[IngestError]]:
    good = members()
    opf = good["epub/content.opf"]
    cases: dict[str, tuple[bytes | dict[str, bytes], type[IngestError]]] = {
        "empty": (b"", EmptyFileError),
        "no archive": (b"hello", DamagedFileError),
        "no container": ({"a": b"b"}, DamagedFileError),
        "no package": ({"META-INF/container.xml": good["META-INF/container.xml"]}, DamagedFileError),
        "no spine": ({**good, "epub/content.opf": opf.replace(b"itemref", b"other")}, DamagedFileError),
        "path outside": ({**good, "../../evil.xhtml": b"x"}, DamagedFileError),
        "absolute path": ({**good, "/etc/evil.xhtml": b"x"}, DamagedFileError),
        "bomb": ({**good, CHAPTER: good[CHAPTER].replace(b"Cold.", b"x" * 5_000_000)}, FileTooLargeError),
        "too many": ({**good, **{f"f{number}": b"" for number in range(10_001)}}, FileTooLargeError),
    }
    return cases[name]


@pytest.mark.parametrize(
    "name",
    [
        "empty",
        "no archive",
        "no container",
        "no package",
        "no spine",
        "path outside",
        "absolute path",
        "bomb",
        "too many",
    ],
)
def test_hostile_archives_are_refused(tmp_path: Path, name: str) -> None:
    content, error = hostile(name)
    path = tmp_path / "b.epub"
    path.write_bytes(content) if isinstance(content, bytes) else pack(path, content)
    with pytest.raises(error) as raised:
        read(path)
    assert "\n" not in str(raised.value)


def test_a_truncated_archive(tmp_path: Path) -> None:
    path = pack(tmp_path / "b.epub", members())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DamagedFileError):
        read(path)


def test_a_damaged_member(tmp_path: Path) -> None:
    path = pack(tmp_path / "b.epub", members())
    data = bytearray(path.read_bytes())
    start = data.index(b"content.opf") + 40
    data[start : start + 20] = bytes(20)
    path.write_bytes(bytes(data))
    with pytest.raises(DamagedFileError):
        read(path)


def test_a_package_file_cannot_reach_outside_its_book(tmp_path: Path) -> None:
    (tmp_path / "secret.xhtml").write_text("<html><body><p>secret</p></body></html>")
    book = tmp_path / "book"
    book.mkdir()
    opf = PACKAGE.read_text().replace("text/titlepage.xhtml", "../secret.xhtml")
    (book / "content.opf").write_text(opf)
    (book / "link.xhtml").symlink_to(tmp_path / "secret.xhtml")
    (book / "more.opf").write_text(PACKAGE.read_text().replace("text/titlepage.xhtml", "link.xhtml"))
    for name in ("content.opf", "more.opf"):
        with pytest.raises(DamagedFileError):
            read(book / name)
