"""Files of folders that are not taken in: counted, and named when asked."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

import pytest
from ingest_tools import run, statuses
from typer.testing import CliRunner

from ragraph.base.extras import extra_there
from ragraph.faces.cli import app
from ragraph.ingest.files import discover
from ragraph.ingest.files.discover import find_files
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.text import latex

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.database.connection import Database

needs_ocr = pytest.mark.skipif(not extra_there("ocr"), reason="the extra ocr is not installed")


def make(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("A file that is there.")
    return folder


def taken(*paths: Path, **options: bool) -> list[str]:
    return [file.path.name for file in find_files(paths, **options).files]


def left(*paths: Path, **options: bool) -> dict[str, str]:
    found = find_files(paths, **options).left_out
    return {file.path.rstrip("/").rsplit("/", 1)[-1]: file.kind for file in found}


def test_each_kind_is_told(tmp_path: Path) -> None:
    folder = make(
        tmp_path / "in", "a.txt", "b.gif", "b.png", "c.zip", "c.tar.gz", "d.pst", "e.bib", "f.xyz", "noend", ".g.txt",
        ".git/config", "~$a.docx", "Thumbs.db", "deep/h.7z", "__MACOSX/a.txt", "book/content.opf", "book/cover.png",
    )  # fmt: skip
    make(tmp_path, "outside.txt", "elsewhere/i.txt")
    (folder / "nowhere.txt").symlink_to(folder / "gone")
    (folder / "circle.txt").symlink_to(folder / "circle.txt")
    (folder / "out.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "outfolder").symlink_to(tmp_path / "elsewhere")
    (folder / "deepagain").symlink_to(folder / "deep")  # what is in it is looked at where it is
    os.mkfifo(folder / "pipe.txt")
    assert taken(folder) == ["a.txt", "content.opf"]
    assert left(folder) == {
        "b.gif": "image", "b.png": "image", "c.zip": "archive", "c.tar.gz": "archive", "h.7z": "archive",
        "d.pst": "mail", "e.bib": "other format", "f.xyz": "other format", "noend": "other format", ".g.txt": "hidden",
        ".git": "hidden", "~$a.docx": "hidden", "Thumbs.db": "hidden", "__MACOSX": "hidden",
        "nowhere.txt": "broken link", "circle.txt": "broken link", "out.txt": "link out of the folder",
        "outfolder": "link out of the folder", "pipe.txt": "unreadable",
    }  # fmt: skip
    assert all(file.reason and "\n" not in file.reason for file in find_files([folder]).left_out)
    # what is named is not left out, and nothing is told twice
    assert "c.zip" not in left(folder, folder / "c.zip")
    assert len(find_files([folder, folder / "deep", folder]).left_out) == len(left(folder))


def test_parts_of_a_latex_document_are_in_it_and_no_documents(tmp_path: Path) -> None:
    sources = {
        "book.tex": r"\documentclass{book}\begin{document}\input{parts/one}\include{two} % \input{draft}"
        "\n\\end{document}",
        "parts/one.tex": r"One. \input{parts/deep.tex}",
        "parts/deep.tex": "Deep.",
        "two.tex": r"\documentclass[book]{subfiles}\begin{document}Two.\end{document}",
        "draft.tex": "Not taken in.",
        "circle.tex": r"\input{circle}",
    }
    for name, source in sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source)
    assert taken(tmp_path) == ["book.tex", "circle.tex", "draft.tex"]
    assert left(tmp_path) == dict.fromkeys(("one.tex", "deep.tex", "two.tex"), "included")
    assert taken(tmp_path / "two.tex") == ["two.tex"]


def test_parts_whose_text_is_in_no_latex_document_are_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are too deep, too large, or included where nothing is shown were once in none."""
    monkeypatch.setattr(latex, "_MOST_BYTES", 200)
    begin, end = r"\documentclass{article}\begin{document}", r"\end{document}"
    sources = {f"p{number}.tex": rf"Part {number}. \input{{p{number + 1}}}" for number in range(1, 12)} | {
        "main.tex": rf"{begin}\input{{p1}}\input{{large}}\input{{sub}}{end} \input{{behind}}",
        "sub.tex": rf"\documentclass{{subfiles}}\input{{head}}\begin{{document}}\input{{within}}{end}\input{{foot}}",
        "large.tex": "Large. " * 50,
        **{f"{name}.tex": name for name in ("p12", "behind", "head", "within", "foot")},
    }
    for name, source in sources.items():
        (tmp_path / name).write_text(source)
    assert taken(tmp_path) == ["behind.tex", "foot.tex", "head.tex", "large.tex", "main.tex", "p9.tex"]
    options = ReadOptions()
    words = " ".join(
        node.text for name in taken(tmp_path) for node in latex.LatexReader().read(tmp_path / name, options).nodes
    )
    for number in range(1, 13):
        assert len(re.findall(rf"Part {number}\b|p{number}\b", words)) == 1, number
    for name in ("behind", "head", "within", "foot"):
        assert words.count(name) == 1, name


def test_the_folder_of_a_store_holds_no_documents(tmp_path: Path) -> None:
    home = make(tmp_path / "in" / "store", "store.json", "postgres-18/PG_VERSION", "assets/ab/original.txt")
    make(tmp_path / "in", "a.txt", "other/b.txt")
    assert taken(tmp_path / "in") == ["a.txt", "b.txt"]
    assert left(tmp_path / "in") == {"store": "store"}
    assert taken(home) == []


def test_a_file_and_links_to_it_are_one_file_under_its_own_name(tmp_path: Path) -> None:
    make(tmp_path, "x.eml", "a/b.txt")
    (tmp_path / "link.eml").symlink_to(tmp_path / "x.eml")
    (tmp_path / "z.txt").symlink_to(tmp_path / "a" / "b.txt")
    assert [file.shown for file in find_files([tmp_path]).files] == [str(tmp_path / "x.eml"), str(tmp_path / "a/b.txt")]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.zip", b"PK\x05\x06" + bytes(18), "no file in the archive can be read"),
        ("x.tar.gz", b"\x1f\x8b\x08" + bytes(20), "unpack it first"),
        ("x.7z", b"7z\xbc\xaf\x27\x1c" + bytes(20), "unpack it first"),
        ("x.pst", b"!BDN" + bytes(20), "save its messages as EML"),
        ("x.psd", b"8BPS" + bytes(20), "make a PNG"),
    ],
)
def test_a_named_file_is_told_what_folders_tell_of_it(
    database: Database, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (file,) = run(database, tmp_path / name, model=None).files
    assert file.status == "failed"
    assert said in (file.reason or "")
    assert len(file.reason or "") < 200


@needs_ocr
def test_images_are_pages_where_there_is_nothing_else_or_where_asked_for(tmp_path: Path) -> None:
    scans = make(tmp_path / "scans", "1.png", "deep/2.TIFF", "3.jpeg", ".hidden", "cover.gif", "Thumbs.db")
    assert taken(scans) == ["1.png", "3.jpeg", "2.TIFF"]
    assert left(scans, ocr=False) == left(scans) | dict.fromkeys(("1.png", "3.jpeg", "2.TIFF"), "image")
    site = make(tmp_path / "site", "index.html", "img/logo.png")
    assert taken(site) == ["index.html"]
    assert taken(site, images=True) == ["index.html", "logo.png"]
    assert taken(site, site / "img" / "logo.png") == ["index.html", "logo.png"]
    assert "logo.png" not in left(site, site / "img" / "logo.png")
    assert taken(make(tmp_path / "assets", "style.css", "logo.png")) == []


def test_without_the_extra_images_are_left_out_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discover, "extra_there", lambda name: False)
    found = find_files([make(tmp_path, "1.png")], images=True)
    assert found.files == []
    assert found.left_out[0].reason == "to recognise its text: pip install 'ragraph-store[ocr]'"


def test_the_report_counts_and_names(database: Database, database_url: str, tmp_path: Path) -> None:
    folder = make(tmp_path, "a.txt", "b.png", "c.png", "d.zip")
    (folder / "nowhere.txt").symlink_to(folder / "gone")
    report = run(database, folder, model=None)
    assert report.ok
    assert statuses(report) == {"a.txt": "added"}
    assert report.left_out_kinds == {"image": 2, "archive": 1, "broken link": 1}
    said = CliRunner().invoke(app, ["--url", database_url, "ingest", str(folder), "--no-embed"])
    assert said.exit_code == 0
    assert "4 files left out: 2 images, 1 archive, 1 broken link; --list-left-out names them" in said.stdout
    named = CliRunner().invoke(app, ["--url", database_url, "ingest", str(folder), "--no-embed", "--list-left-out"])
    assert "unpack it first" in named.stdout
    assert "--list-left-out" not in named.stdout
    told = CliRunner().invoke(app, ["--url", database_url, "ingest", str(folder), "--no-embed", "--json"])
    data = json.loads(told.stdout)
    assert data["left_out_kinds"] == report.left_out_kinds
    assert {file["path"] for file in data["left_out"]} == {
        str(folder / n) for n in ("b.png", "c.png", "d.zip", "nowhere.txt")
    }
