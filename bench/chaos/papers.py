"""Copies of small real documents, each with an extra sentence: documents with the same content refer to each other."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pikepdf

from bench.hostile.basics import with_members

EXAMPLES = Path("examples/documents")
MARKUP = Path("tests/data/markup")
_PAGES = 50
"""Of the PDF, after its front matter."""


def write_papers(folder: Path, number: int, first: int = 0) -> None:
    """Write this many documents: DOCX, JATS, HTML, EPUB, PDF (up to 300 in all) and Markdown in turn."""
    folder.mkdir(parents=True)
    guide = (EXAMPLES / "field-guide.docx").read_bytes()
    book = (EXAMPLES / "wealth-of-nations-book-3.epub").read_bytes()
    article = (MARKUP / "article.nxml").read_bytes()
    page = (MARKUP / "page.html").read_bytes()
    for n in range(first, first + number):
        own = b"Copy %d says so." % n
        path = folder / f"paper-{n:03}"
        match n % 6:
            case 0:
                changed = _changed(guide, "word/document.xml", b"<w:t>Introduction", b"<w:t>%s Introduction" % own)
                path.with_suffix(".docx").write_bytes(changed)
            case 1:
                path.with_suffix(".nxml").write_bytes(article.replace(b"There was some.", own))
            case 2:
                path.with_suffix(".html").write_bytes(page.replace(b"</body>", b"<p>%s</p></body>" % own))
            case 3:
                changed = _changed(book, "epub/text/colophon.xhtml", b"</section>", b"<p>%s</p></section>" % own)
                path.with_suffix(".epub").write_bytes(changed)
            case 4:
                _write_sheet(EXAMPLES / "dl_nist_sp_800_207.pdf", path.with_suffix(".pdf"), n // 6 % _PAGES)
            case _:
                parts = b"".join(b"## Part %d\n\nText of %d. %s\n\n" % (part, n, own) for part in range(9))
                path.with_suffix(".md").write_bytes(b"# Paper %d\n\n%s" % (n, parts))


def change_papers(folder: Path) -> None:
    """Change a sentence of the articles, pages and Markdown of ``write_papers``."""
    for path in folder.iterdir():
        if path.suffix in (".nxml", ".html", ".md"):
            path.write_bytes(path.read_bytes().replace(b" says so.", b" says otherwise."))


def write_drafts(path: Path, number: int, nodes: int) -> None:
    """Write drafts of documents of this many nodes, as JSON lines."""
    with path.open("w") as lines:
        for n in range(number):
            made = [
                {"key": str(k), "type": "PARAGRAPH", "text": f"Line {k} of {n}: {(31 * n + k) ** 3 % 9973}."}
                for k in range(nodes)
            ]
            lines.write(json.dumps({"id": f"dl_draft_{n}", "nodes": made}) + "\n")


def _changed(content: bytes, name: str, old: bytes, new: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        member = archive.read(name)
    assert old in member
    return with_members(content, {name: member.replace(old, new, 1)})


def _write_sheet(path: Path, target: Path, number: int) -> None:
    """Write one page of a PDF, counted from the end of its front matter."""
    with pikepdf.open(path) as whole, pikepdf.new() as part:
        part.pages.append(whole.pages[number + 8])
        part.save(target, deterministic_id=True)
