"""Files that are empty, broken, locked, enormous or hostile: one line each, nothing left behind, the batch goes on."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from ingest_tools import by_name, digest, rows, run

from bench.hostile import basics
from ragraph import errors
from ragraph.ingest.reader_process import isolate
from ragraph.ingest.reader_process.preflight import Limits, check_size, preflight

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.database.connection import Database

pytestmark = pytest.mark.usefixtures("own_readers")

GOOD = "<html><body><h1>Good</h1><p>A file that can be read stands among the others.</p></body></html>"
READERS = """
import os, sys, time
import ragraph.ingest.reader_process.worker as worker
from ragraph.ingest.draft import Draft, DraftNode

class Reader:
    name, version = "test", 1
    def read(self, path, options):
        text = path.read_text()
        held = []
        while "hang" in text: time.sleep(1)
        while "spin" in text: pass
        while "eat" in text: held.append(bytearray(8 << 20)); time.sleep(0.005)
        if "crash" in text: os.kill(os.getpid(), 11)
        if "leave" in text: sys.exit(5)
        if "fail" in text: raise ValueError("two\\nlines")
        if "print" in text: print("noise" * 100_000)
        if "child" in text:
            import subprocess; subprocess.Popen(["sleep", f"333.{os.getppid()}"]); time.sleep(60)
        if "offspring" in text:
            import subprocess
            subprocess.Popen([sys.executable, "-c", "import time; held = b'x' * (600 << 20); time.sleep(60)"])
            time.sleep(60)
        if "killed" in text: os.kill(os.getpid(), 9)
        if "once" in text and not path.with_suffix(".seen").exists():
            path.with_suffix(".seen").touch()
            os.kill(os.getpid(), 9)
        if "slowly" in text: time.sleep(3)
        if "half" in text: raise ImportError("a part of it cannot be loaded")
        if "numbered" in text: text = str(os.getpid())
        if "processor" in text: os.kill(os.getpid(), 24)
        if "refused" in text:
            print("terminate called after throwing an instance of 'std::bad_alloc'", file=sys.stderr, flush=True)
            os.abort()
        if "environment" in text: text = repr(sorted(os.environ))
        return Draft(reader="test/1", nodes=[DraftNode(key="a", type="PARAGRAPH", text=text)])

worker.reader_for = lambda path: Reader()
worker.main()
"""


@pytest.fixture
def odd_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers that do what the text of the file says: hang, eat memory, crash ..."""
    script = tmp_path / "odd_worker.py"
    script.write_text(READERS)
    monkeypatch.setattr(isolate, "WORKER", (sys.executable, str(script)))


def test_each_bad_file_gets_its_line_and_leaves_nothing(database: Database, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    run(database, _written(tmp_path / "first.html", GOOD.replace("Good", "First")), model=None)
    before = digest(database)
    (files / "empty.pdf").touch()
    (files / "blank.html").write_text("<html><body> </body></html>")
    (files / "noise.pdf").write_bytes(bytes(range(256)) * 8)
    (files / "cut.docx").write_bytes(basics.docx(basics.paragraphs("Hello"))[:300])
    (files / "locked.docx").write_bytes(basics.encrypted_office())
    (files / "locked.pdf").write_bytes(basics.locked_pdf())
    (files / "image-only.pdf").write_bytes(basics.pdf_with(b"0 0 100 100 re f"))
    (files / "bomb.docx").write_bytes(basics.docx_bomb())
    (files / "outside.docx").write_bytes(basics.docx_with_outside_name())
    (files / "link.docx").write_bytes(basics.docx_with_link())
    (files / "picture.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 100)
    with (files / "huge.txt").open("wb") as sparse:
        sparse.truncate(3 << 30)
    (files / "records.json").write_text('[{"id": "pub_1", "title": "T", "downloadLinks": [{"id": 7}]}]')
    report = run(database, files, model=None)
    found = {name: file.reason or "" for name, file in by_name(report).items()}
    expected = {
        "empty.pdf": "no bytes",
        "blank.html": "no text",
        "noise.pdf": "",
        "cut.docx": "",
        "locked.docx": "password",
        "locked.pdf": "password",
        "image-only.pdf": "recognise",
        "bomb.docx": "bomb",
        "outside.docx": "leads outside",
        "link.docx": "symbolic link",
        "picture.pdf": "",
        "huge.txt": "limit",
        "records.json": "$[0].downloadLinks[0].id",
    }
    assert {name: file.status for name, file in by_name(report).items()} == dict.fromkeys(expected, "failed")
    for name, words in expected.items():
        assert words in found[name], (name, found[name])
        assert found[name]
        assert "\n" not in found[name]
        assert "Traceback" not in found[name]
    assert digest(database) == before


def test_hostile_markup(database: Database, tmp_path: Path) -> None:
    secret = _written(tmp_path / "secret.txt", "canary")
    (tmp_path / "bomb.xml").write_bytes(basics.entity_bomb())
    (tmp_path / "entity.xml").write_bytes(basics.external_entity(secret))
    (tmp_path / "deep.html").write_bytes(basics.deep_html())
    _written(tmp_path / "good.html", GOOD)
    names = ["bomb.xml", "entity.xml", "deep.html", "good.html"]
    report = run(database, *(tmp_path / name for name in names), model=None, timeout_s=60, memory_bytes=1 << 30)
    assert by_name(report)["good.html"].status == "added"
    for file in report.files:
        assert file.status == "added" or file.reason
    longest = rows(database, "SELECT coalesce(max(length(content)), 0) FROM ragraph.content_node")[0][0]
    assert longest < 10_000
    assert rows(database, "SELECT 1 FROM ragraph.content_node WHERE content LIKE '%canary%'") == []


@pytest.mark.usefixtures("odd_readers")
def test_reader_that_misbehaves_costs_its_file_alone(database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("hang", "spin", "eat", "crash", "leave", "fail", "print", "good"):
        (folder / f"{name}.txt").write_text(f"{name} please")
    report = by_name(run(database, folder, model=None, timeout_s=4, memory_bytes=700 << 20))
    assert {name.removesuffix(".txt"): file.status for name, file in report.items()} == {
        "crash": "failed",
        "eat": "failed",
        "fail": "failed",
        "good": "added",
        "hang": "failed",
        "leave": "failed",
        "print": "added",
        "spin": "failed",
    }
    for name, words in {
        "hang": "longer than 4 s",
        "spin": "longer than 4 s",
        "eat": "memory",
        "crash": "SIGSEGV",
    }.items():
        assert words in (report[f"{name}.txt"].reason or ""), report[f"{name}.txt"]
    assert report["fail.txt"].reason == "the file cannot be read: ValueError: two lines"


@pytest.mark.usefixtures("odd_readers")
def test_errors_have_their_class(tmp_path: Path) -> None:
    with pytest.raises(errors.ReaderTimeoutError):
        isolate.read_isolated(_written(tmp_path / "a.txt", "hang"), timeout_s=1)
    with pytest.raises(errors.ReaderMemoryError):
        isolate.read_isolated(_written(tmp_path / "b.txt", "eat"), memory_bytes=400 << 20)
    with pytest.raises(errors.DamagedFileError):
        isolate.read_isolated(_written(tmp_path / "c.txt", "fail"))


@pytest.mark.usefixtures("odd_readers")
def test_memory_of_what_a_reader_starts_counts(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.txt", "offspring")
    with pytest.raises(errors.ReaderMemoryError, match="more than 500 MiB"):
        isolate.read_isolated(path, memory_bytes=500 << 20, timeout_s=30)


@pytest.mark.usefixtures("odd_readers")
def test_a_reader_that_others_kill_is_not_blamed_on_the_file_at_once(tmp_path: Path) -> None:
    assert isolate.read_isolated(_written(tmp_path / "a.txt", "once")).nodes[0].text == "once"
    with pytest.raises(
        errors.ReaderMemoryError, match=r"killed .*again with nothing else .* too little memory"
    ) as caught:
        isolate.read_isolated(_written(tmp_path / "b.txt", "killed"))
    assert "damaged" not in str(caught.value)
    with pytest.raises(errors.ReaderTimeoutError, match="processor time"):
        isolate.read_isolated(_written(tmp_path / "c.txt", "processor"))
    with pytest.raises(errors.ReaderMemoryError, match=r"more memory than the limit .*bad_alloc"):
        isolate.read_isolated(_written(tmp_path / "d.txt", "refused"))


@pytest.mark.usefixtures("odd_readers")
def test_what_is_read_again_is_read_alone(tmp_path: Path) -> None:
    """Three that take a while beside one that is killed: its second try waits for them, and others for it."""
    slow = [_written(tmp_path / f"{place}.txt", "slowly") for place in range(3)]
    with isolate.ReaderPool() as pool, ThreadPoolExecutor(4) as executor:
        reading = [executor.submit(pool.read, path) for path in slow]
        while len(pool._busy) < 3:
            time.sleep(0.01)
        beside: list[int] = []
        real = pool._read

        def watched(path: Path, options: Any, pages: Any, *, alone: bool) -> Any:
            if alone:
                worker = pool._take(alone=True)
                beside.append(len(pool._busy) + len(pool._idle))
                pool._give_back(worker)
            return real(path, options, pages, alone=alone)

        pool._read = watched  # type: ignore[method-assign]
        assert pool.read(_written(tmp_path / "k.txt", "once")).nodes[0].text == "once"
        assert [future.result().nodes[0].text for future in reading] == ["slowly"] * 3
    assert beside == [1]


@pytest.mark.usefixtures("odd_readers")
def test_a_process_that_cannot_be_made_keeps_no_other_from_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by make chaos, where memory was refused: whoever was to read alone held the pool for ever."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    file = _written(tmp_path / "a.txt", "text")
    with isolate.ReaderPool() as pool, ThreadPoolExecutor(1) as executor:
        with monkeypatch.context() as refused:
            refused.setattr(isolate, "WORKER", (str(tmp_path / "missing"),))
            with pytest.raises(FileNotFoundError):
                pool._read(file, None, None, alone=True)
        assert list(scratch.iterdir()) == []
        reading = executor.submit(pool.read, file)
        try:
            assert reading.result(60).nodes[0].text == "text"
        finally:
            pool.close()


def test_a_thread_that_never_says_it_runs_is_not_waited_for() -> None:
    """Found by make chaos, where memory was refused: ``Thread.start`` waited for ever for a thread that had died."""
    code = """
        import threading
        from ragraph.ingest.reader_process import isolate

        def refused(self):
            raise MemoryError

        threading.Thread._bootstrap = refused
        isolate._Worker(1).discard()
        print("ended")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "ended\n", done.stderr


def test_closing_does_not_wait_for_a_process_that_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolate, "WORKER", (sys.executable, "-c", "import time; time.sleep(333)"))
    pool = isolate.ReaderPool()
    with ThreadPoolExecutor(1) as executor:
        reading = executor.submit(pool.read, _written(tmp_path / "a.txt", "text"))
        while not pool._busy:
            time.sleep(0.01)
        pool.close()
        with pytest.raises(errors.IngestError):
            reading.result(60)


def test_closing_ends_a_read_whose_thread_is_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe closed between two looks of the thread at it was never told: it waited until its time was over."""

    closed = threading.Event()

    class Slow(selectors.DefaultSelector):
        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            assert closed.wait(60)
            return super().select(timeout)

    monkeypatch.setattr(isolate, "WORKER", (sys.executable, "-c", "import time; time.sleep(333)"))
    monkeypatch.setattr(isolate, "_START_S", 20)
    monkeypatch.setattr(selectors, "DefaultSelector", Slow)
    pool = isolate.ReaderPool()
    with ThreadPoolExecutor(1) as executor:
        reading = executor.submit(pool.read, _written(tmp_path / "a.txt", "text"))
        while not any(worker._usage for worker in pool._busy):
            time.sleep(0.01)
        pool.close()
        closed.set()
        with pytest.raises(errors.IngestError) as raised:
            reading.result(60)
    assert "longer than" not in str(raised.value)


@pytest.mark.usefixtures("odd_readers")
def test_what_a_reader_starts_ends_with_it(tmp_path: Path) -> None:
    with pytest.raises(errors.ReaderTimeoutError):
        isolate.read_isolated(_written(tmp_path / "a.txt", "child"), timeout_s=2)
    left = [
        process.pid
        for process in psutil.process_iter(["cmdline", "status"])
        if process.info["cmdline"] == ["sleep", f"333.{os.getpid()}"] and process.info["status"] != psutil.STATUS_ZOMBIE
    ]
    assert left == []


@pytest.mark.usefixtures("odd_readers")
def test_reader_knows_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("RAGRAPH_DATABASE_URL", "PGPASSWORD", "HF_TOKEN", "https_proxy", "AWS_SECRET_ACCESS_KEY")
    for name in secrets:
        monkeypatch.setenv(name, "canary")
    draft = isolate.read_isolated(_written(tmp_path / "a.txt", "environment"))
    assert not any(name in draft.nodes[0].text for name in secrets)
    assert "PATH" in draft.nodes[0].text


@pytest.mark.usefixtures("odd_readers")
def test_text_is_cleaned_on_its_way(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "nul.txt"
    path.write_bytes(b"good\x00\x01 text \xed\xa0\x80".replace(b"\xed\xa0\x80", b"") + "\u202e علم 10%".encode())
    assert run(database, path).ok
    assert rows(database, "SELECT content FROM ragraph.content_node") == [("good text  علم 10%",)]


def test_enormous_paragraph_is_embedded_in_parts(database: Database, tmp_path: Path) -> None:
    """Ten MB are split in linear time (see test_parts); here one tenth of a MB goes all the way."""
    path = _written(tmp_path / "long.html", f"<html><body><p>{'word after word ' * 3000}</p></body></html>")
    report = run(database, path)
    assert report.ok, report
    (length,) = rows(database, "SELECT length(content) FROM ragraph.content_node")[0]
    spans = rows(database, "SELECT char_start, char_end FROM ragraph.embedding ORDER BY part")
    assert report.files[0].embeddings == len(spans) > 25
    assert spans[0][0] == 0
    assert spans[-1][1] == length
    assert all(later[0] < earlier[1] for earlier, later in pairwise(spans))


def test_right_to_left_and_fifty_levels(database: Database, tmp_path: Path) -> None:
    heads = "".join(f'<h6 aria-level="{level}">Level {level}</h6><p>Text {level}</p>' for level in range(1, 51))
    path = _written(tmp_path / "odd.html", f"<html><body><p>שלום עולם، مرحبا بالعالم</p>{heads}</body></html>")
    report = run(database, path)
    assert report.ok, report
    assert rows(database, "SELECT count(*) FROM ragraph.content_node WHERE content LIKE 'Text %'") == [(50,)]
    assert rows(database, "SELECT content FROM ragraph.content_node ORDER BY sequence_in_document LIMIT 1") == [
        ("שלום עולם، مرحبا بالعالم",)
    ]
    assert rows(database, "SELECT * FROM ragraph.check_store()") == []


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        (Limits(members=3), errors.FileTooLargeError),
        (Limits(unpacked_bytes=500), errors.FileTooLargeError),
        (Limits(file_bytes=100), errors.FileTooLargeError),
        (Limits(), None),
    ],
)
def test_limits_of_archives(tmp_path: Path, limits: Limits, error: Any) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(basics.docx(basics.paragraphs("Hello"), {"word/more.xml": b"<a/>"}))
    if error is None:
        preflight(path, limits)
        return
    with pytest.raises(error):
        preflight(path, limits)


def test_long_pdf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(basics.pdf_with(b""))
    preflight(path, Limits(pages=1))
    with pytest.raises(errors.FileTooLargeError, match="pages"):
        preflight(path, Limits(pages=0))


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(errors.IngestError, match="regular"):
        check_size(tmp_path, Limits())
    with pytest.raises(errors.IngestError, match="cannot be opened"):
        check_size(tmp_path / "none", Limits())


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.usefixtures("odd_readers")
def test_a_reader_that_was_spoiled_reads_no_other_file(tmp_path: Path) -> None:
    numbered, failing, half = (_written(tmp_path / f"{word}.txt", word) for word in ("numbered", "fail", "half"))
    with isolate.ReaderPool() as pool:
        first = pool.read(numbered).nodes[0].text
        with pytest.raises(errors.DamagedFileError):
            pool.read(failing)
        assert pool.read(numbered).nodes[0].text == first
        with pytest.raises(errors.IngestError, match="a library that reads this format is missing"):
            pool.read(half)
        assert pool.read(numbered).nodes[0].text != first


def test_a_number_of_too_many_digits_is_told_in_plain_words(tmp_path: Path) -> None:
    book = tmp_path / "a.dbk"
    cell = f'<entry morerows="{"9" * 5000}">x</entry>'
    book.write_text(
        '<article xmlns="http://docbook.org/ns/docbook"><title>t</title><informaltable><tgroup cols="1"><tbody>'
        f"<row>{cell}</row></tbody></tgroup></informaltable></article>"
    )
    with (
        isolate.ReaderPool() as pool,
        pytest.raises(errors.IngestError, match=r": a number has more than 4,300 digits$"),
    ):
        pool.read(book)
