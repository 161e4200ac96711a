"""Which files are found, and the commands that take them in."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from ragraph.faces.cli import app
from ragraph.ingest.files.discover import find_files
from ragraph.ingest.files.places import fingerprint
from ragraph.ingest.reader_process.preflight import Limits

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "<html><body><h1>Rivers</h1><p>The {0} is long.</p></body></html>"


def found(*paths: Path) -> list[str]:
    return [file.path.name for file in find_files(paths).files]


def test_folders_are_searched_in_order(tmp_path: Path) -> None:
    for name in ("b.html", "a.md", "deep/er/c.txt", "notes.xyz", ".hidden.md", ".git/x.md", "~$a.docx", "Z.PDF"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    assert found(tmp_path) == ["Z.PDF", "a.md", "b.html", "c.txt"]
    assert found(tmp_path, tmp_path / "a.md") == ["Z.PDF", "a.md", "b.html", "c.txt"]
    assert found(tmp_path / "notes.xyz", tmp_path / "a.md") == ["notes.xyz", "a.md"]


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / f"{folder.name}.md").write_text("text")
    (inside / "secret.md").symlink_to(outside / "outside.md")
    (inside / "folder").symlink_to(outside)
    (inside / "again.md").symlink_to(inside / "inside.md")
    (inside / "loop").symlink_to(inside)
    (inside / "nowhere.md").symlink_to(inside / "none.md")
    (inside / "circle.md").symlink_to(inside / "circle.md")
    assert found(inside) == ["inside.md"]
    assert [file.missing for file in find_files([inside / "circle.md", inside / ("x" * 300)]).files] == [True, True]


def test_unpacked_epub_is_one_document(tmp_path: Path) -> None:
    book = tmp_path / "book" / "OEBPS"
    book.mkdir(parents=True)
    (tmp_path / "book" / "META-INF").mkdir()
    (tmp_path / "book" / "META-INF" / "container.xml").write_text("<a/>")
    (book / "content.opf").write_text("<package/>")
    (book / "chapter.xhtml").write_text("one")
    assert found(tmp_path) == ["content.opf"]
    before = fingerprint(book / "content.opf", Limits())
    assert fingerprint(book / "content.opf", Limits()) == before
    (book / "chapter.xhtml").write_text("two")
    assert fingerprint(book / "content.opf", Limits()) != before


def test_records_come_first_and_odd_names_can_be_printed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE)
    (tmp_path / "z.json").write_text('[{"id": "pub_a", "title": "A", "downloadLinks": []}]')
    odd = tmp_path / os.fsdecode(b"odd\xff.html")
    odd.write_text(PAGE)
    files = find_files([tmp_path]).files
    assert [file.record for file in files] == [True, False, False]
    files[2].shown.encode()
    files[2].uri.encode()


def call(url: str, *words: str) -> Any:
    return CliRunner().invoke(app, ["--url", url, *words])


def test_commands(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "rivers"
    folder.mkdir()
    for name in ("nile", "volga"):
        (folder / f"{name}.html").write_text(PAGE.format(name))
    done = call(database_url, "ingest", str(folder), "--no-embed", "--json", "--workers", "1", "--tag", "water")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["ok"]
    assert report["totals"]["added"] == 2
    assert [file["status"] for file in report["files"]] == ["added", "added"]
    embedded = call(database_url, "embed", "--json")
    assert embedded.exit_code == 0, embedded.output
    assert json.loads(embedded.stdout)["embeddings"] == 2
    (folder / "empty.html").touch()
    failed = call(database_url, "ingest", str(folder))
    assert failed.exit_code == 1
    assert "2 unchanged, 1 failed" in failed.stdout
    assert "no bytes" in failed.stdout
    assert call(database_url, "ingest").exit_code == 2
    assert call(database_url, "ingest", str(folder), "--overlap", "9", "--target", "10").exit_code == 2
    assert call(database_url, "embed", "--model", "./nowhere").exit_code == 1


def test_help_has_examples() -> None:
    for command in ("ingest", "embed"):
        assert "Examples" in CliRunner().invoke(app, [command, "--help"]).stdout
