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
from sample_library import BOOK, GUIDE

import ragraph
from ragraph import errors
from ragraph.base.terminal import clean
from ragraph.faces.cli import output
from ragraph.faces.cli.output import CleanConsole, cut_marked

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    from ragraph import Store

    Connection = psycopg.Connection[tuple[object, ...]]

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


@pytest.mark.parametrize("width", [80, 200])
def test_what_is_printed_fits_a_terminal(
    library: ragraph.Store,
    library_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    width: int,
) -> None:
    for console in (output.console, output.errors):
        monkeypatch.setattr(console, "_width", width)
        monkeypatch.setattr(console, "_force_terminal", True)
        monkeypatch.setattr(console, "_color_system", None)
    command = CommandLine(library_url, monkeypatch, capsys)
    book = library.toc(BOOK)
    (hit,) = library.search("towns", 1, mode="text", document=BOOK)
    broken = tmp_path / "a broken file with a long name.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    printed = {}
    for arguments in (
        ["toc", BOOK],
        ["list"],
        ["search", "towns", "--mode", "text", "-k", "3"],
        ["search", "towns", "--mode", "text", "-k", "3", "--expand", "none"],
        ["related", BOOK, hit.node_id, "--direction", "both"],
        ["page", GUIDE, "1"],
        ["show", BOOK],
        ["cite", BOOK, hit.node_id],
        ["ingest", str(broken), "--no-embed"],
    ):
        ended = command(*arguments)
        printed[arguments[0]] = ended.out
        lines = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", ended.out + ended.err).splitlines()
        assert lines, arguments
        assert max(map(len, lines)) <= width, (arguments, max(lines, key=len))
    toc = printed["toc"].splitlines()
    for entry in book:
        (line,) = (number for number, line in enumerate(toc) if entry.component_id in line)
        words = (entry.title or entry.component_type.value.replace("_", " ").lower()).split()
        assert toc[line].startswith("  " * entry.depth + words[0]), "indented, and not cut to nothing"
        following = " ".join(toc[line : line + 6])
        assert all(word in following for word in words[:8]), entry
    assert hit.node_id in printed["search"]


def test_cuts_are_marked() -> None:
    whole = "One sentence here.  Another\nsentence there. A third."
    assert cut_marked("Another\nsentence there.", whole) == "… Another sentence there. …"
    assert cut_marked(whole, whole) == "One sentence here. Another sentence there. A third."
    assert cut_marked("One sentence here.", whole) == "One sentence here. …"
    assert cut_marked("not of it", whole) == "not of it"


def test_an_unknown_collection_is_not_an_empty_store(
    library_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = CommandLine(library_url, monkeypatch, capsys)
    said = "note: no document has the collection 'defautl'; did you mean 'default'? values are 'default'.\n"
    search = ("search", "towns", "--mode", "text")
    done = command("list", "--collection", "defautl")
    assert (done.code, done.out, done.err) == (0, "", said)
    for arguments in (search, (*search, "--expand", "auto")):
        done = command(*arguments, "--collection", "defautl")
        assert (done.code, done.out, done.err) == (0, "", said)
    assert json.loads(command("list", "--collection", "defautl", "--json").out) == []
    done = command(*search, "--language", "eng", "--tag", "nope", "--json")
    assert json.loads(done.out) == []
    assert done.err == (
        "note: no document has the tag 'nope'; no document has a tag.\n"
        "note: no document has the language 'eng'; did you mean 'en'? values are 'en', 'en-GB'.\n"
    )
    done = command("search", "qqqq", "--mode", "text", "--language", "EN")
    assert (done.out, done.err) == ("Nothing found; a wider scope may help.\n", "")
    assert "did you mean" in command("toc", BOOK[:-1]).err
    assert "did you mean" in command("render", GUIDE, "--section", "Componets").err


def test_a_long_title_is_meant_by_its_first_words(connection: Connection) -> None:
    near = "SELECT ragraph_private.nearest_name(%s, ARRAY['Table of Contents', 'Tenets of Zero Trust', 'Annex'])"
    for wanted, meant in {
        "Tenents": "Tenets of Zero Trust",
        "tenets zero": "Tenets of Zero Trust",
        "anex": "Annex",
        "word " * 300: None,
    }.items():
        assert connection.execute(near, [wanted]).fetchone() == (meant,)


def test_an_empty_store_is_told(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = CommandLine(database_url, monkeypatch, capsys)
    for arguments in (("list", "--collection", "nope"), ("search", "towns", "--mode", "text", "--tag", "nope")):
        assert command(*arguments).err == "The store is empty; fill it with: ragraph ingest PATH...\n"


def test_a_key_that_a_column_hides_is_told(
    own_library: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own_library.update(GUIDE, metadata={"title": "Old"})
    said = "the filter matches no document; title in it is the column; the metadata also has a key of this name: use "
    with pytest.warns(ragraph.errors.RagraphNotice, match=said):
        assert own_library.search("towns", mode="text", filter={"title": "Old"}) == []
    command = CommandLine(own_library.database.url, monkeypatch, capsys)
    done = command("search", "towns", "--mode", "text", "--filter", '{"title": "Old"}')
    assert done.err == f'note: {said}"metadata.title" for it.\n'
    assert command("search", "towns", "--mode", "text", "--filter", '{"metadata.title": "Old"}').err == ""
    assert "null is not a filter" in command("search", "towns", "--filter", "null").err


def test_what_is_text_stays() -> None:
    plain = "é 漢字 שלום علم \u200e\u200f\u200d\n\tx"
    assert clean(plain) == plain
    assert len(clean(EVIL)) == len(EVIL)


def test_a_file_with_a_line_feed_in_its_name_stays_on_one_line(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # whose name may be too long for a line
    (tmp_path / "two\nlines  of.txt").write_text("This is what the file says.")
    ended = CommandLine(database_url, monkeypatch, capsys)("ingest", ".", "--no-embed")
    assert len([line for line in ended.out.splitlines() if line.startswith("added")]) == 1
    assert not [line for line in ended.out.splitlines() if line.lstrip().startswith(("lines", "of.txt"))]


def test_what_is_missing_is_looked_for_by_commands() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RagraphError)]
    looked_for = {kind for kind in kinds if kind.look}
    assert looked_for
    assert looked_for <= output._LOOK.keys()
