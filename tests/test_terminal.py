"""What reaches a terminal: the words of documents and names, never what a terminal would obey."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
from command_line import CommandLine
from rich.progress import Progress
from rich.table import Table

import ragraph
from ragraph.cli.output import CleanConsole, clean

if TYPE_CHECKING:
    from pathlib import Path

EVIL = "a\x1b[31mb\x9b2Jc\u202ed\u2066e\x07f\x7fg\rh"
FORBIDDEN = set("\x1b\x9b\u202e\u2066\x07\x7f\r")


@pytest.fixture
def evil_url(database_url: str, tmp_path: Path) -> str:
    """A store whose document has control characters wherever a writer can put them, file name and title among them."""
    path = tmp_path / "evil\x1b[31m\x9b name.md"
    path.write_text("# Title\n\nA paragraph.\n")
    with ragraph.open(database_url) as store:
        report = store.ingest(path, document_id="dl_evil", model=None)
        assert report.ok, report
        with store.database.write() as connection:
            connection.execute("UPDATE ragraph.publication SET title = %s", [EVIL])
            connection.execute(
                "UPDATE ragraph.content_node SET content = %s WHERE content_node_type = 'PARAGRAPH'", [EVIL]
            )
    return database_url


def test_controls_of_documents_never_reach_a_terminal(
    evil_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = CommandLine(evil_url, monkeypatch, capsys)
    evil_file = tmp_path / "broken\x1b[2J\x9b.pdf"
    evil_file.write_bytes(b"%PDF-1.7 nothing")
    node = json.loads(command("search", "paragraph a", "--mode", "text", "--match", "any", "--json").out or "[]")
    assert node == [] or not FORBIDDEN & set(str(node))
    for tty in (False, True):
        for stream in (sys.stdout, sys.stderr):
            monkeypatch.setattr(stream, "isatty", lambda tty=tty: tty)
        for arguments in (
            ["list"],
            ["show", "dl_evil"],
            ["toc", "dl_evil"],
            ["page", "dl_evil", "1"],
            ["search", "b", "--mode", "text", "--match", "any"],
            ["ingest", str(evil_file), "--no-embed"],
            ["toc", EVIL],
            ["search", "x", "--mode", EVIL],
            ["list", "--json"],
            ["show", "dl_evil", "--json"],
            ["toc", EVIL, "--json"],
        ):
            ended = command(*arguments)
            printed = re.sub(
                "\x1b\\[\\?25[lh]", "", ended.out + ended.err
            )  # rich hides the cursor while a bar is drawn
            assert not FORBIDDEN & set(printed), (arguments, ended)
        rendered = command("render", "dl_evil", "--format", "text").out
        assert bool(FORBIDDEN & set(rendered)) is not tty, "to a file as stored, to a terminal cleaned"
    assert json.loads(command("show", "dl_evil", "--json").out)["document"]["title"] == EVIL


def test_a_progress_bar_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    console = CleanConsole(force_terminal=True, width=80, color_system=None)
    with Progress(console=console) as bars:
        bars.add_task(EVIL)
    table = Table("a")
    table.add_row(EVIL)
    console.print(table)
    printed = capsys.readouterr().out
    assert not {"\x9b", "\u202e", "\x07"} & set(printed)
    assert "\x1b[31mb" not in printed
    assert "\ufffd[31mb" in printed


def test_what_is_text_stays() -> None:
    plain = "é 漢字 שלום علم \u200e\u200f\u200d\n\tx"
    assert clean(plain) == plain
    assert len(clean(EVIL)) == len(EVIL)
