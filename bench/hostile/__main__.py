"""Ingest a folder of files made to harm, with the command line, and check the results.

    python -m bench.hostile
    python -m bench.hostile --only '*.pdf' --keep /tmp/hostile

Each hostile file contains a word of its own, and has a good file with another word beside it. The run must finish.
Each hostile file must be ingested, so that its word is found, or be refused with one line. The word of each good file
must be found. No process may exceed its limits. A file of the machine to which hostile files refer must not be in the
store. A web server that they name must not be contacted. Nothing may be left in temporary folders, or running. Prints
a line for each file, and everything that is wrong; exit code 1 if anything is.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ragraph
from bench.hostile import archives, others, pages, texts
from bench.hostile.basics import Around, docx, paragraphs
from bench.hostile.names import NAMES, write_named, write_no_files
from bench.processes import RAGRAPH, Watch, files_below, wait_gone
from ragraph import server
from ragraph.base.labels import name_as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store

FILES = archives.FILES | pages.FILES | texts.MARKUP | texts.LIGHT | texts.OTHERS | others.FILES
WORDLESS = frozenset({"nothing-in-it.odp", "code-map.pdf", "record.json"})
"""Hostile files that are ingested although their word is not in their text: slides without text, letters that the file
itself maps to others, a publication."""

SECRET = "geheimnis7301"
MIB = 1 << 20
STARTS_S = 20.0
"""Seconds until a reading process has started, which do not count as time of a file."""
GOOD = {
    "md": lambda word: f"# Good\n\nAmong the others stands {word}.\n".encode(),
    "html": lambda word: f"<html><body><h1>Good</h1><p>Among them {word}.</p></body></html>".encode(),
    "txt": lambda word: f"Good\n\nAmong the others stands {word}.\n".encode(),
    "docx": lambda word: docx(paragraphs("Among the others stands", word)),
    "csv": lambda word: f"name,word\ngood,{word}\n".encode(),
}
"""Formats of the good files, in turn."""


@dataclass(frozen=True)
class Limits:
    """Limits of the run, and the maximum it may use.

    Memory is measured ten times a second. Between two measurements, a process cannot map more than one and a half times
    its limit and 512 MiB.
    """

    seconds: float = 30.0
    memory: int = 1024
    workers: int = 2

    def most(self) -> dict[str, float]:
        """Return the maximum bytes of processes, by kind."""
        return {"reader": self.memory * 1.5 * MIB + 512 * MIB, "run": 2048 * MIB, "server": 1024 * MIB}


@dataclass
class Outcome:
    """The result of a run."""

    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0
    job: str = ""
    largest: dict[str, int] = field(default_factory=dict)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="of names")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the files to this folder, and keep them")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    names = fnmatch.filter(FILES, given.only)
    found = take_in(names, named=given.only == "*", keep=given.keep)
    if given.json:
        print(json.dumps({**found.__dict__, "wrong": found.wrong}))
    else:
        show(found)
    sys.exit(1 if found.wrong else 0)


def show(found: Outcome) -> None:
    """Print a line for each file, and then everything that is wrong."""
    for name, file in found.files.items():
        print(f"{name!r:32} {file['status']:10} {file['seconds']:7.2f} s  {file['reason'] or ''}"[:200])
    counted = Counter(file["status"] for file in found.files.values())
    memory = ", ".join(f"{kind} {size / MIB:,.0f} MiB" for kind, size in found.largest.items())
    slowest = max((file["seconds"] for file in found.files.values()), default=0)
    print(
        f"\n{len(found.files)} hostile files: {', '.join(f'{number} {status}' for status, number in counted.items())}"
    )
    print(f"{found.seconds:.0f} s in all, the slowest file {slowest:.1f} s; most memory: {memory}")
    for line in found.wrong:
        print(f"wrong: {line}"[:300])
    print("nothing is wrong" if not found.wrong else f"{len(found.wrong)} are wrong")


def take_in(names: list[str], *, named: bool, limits: Limits | None = None, keep: Path | None = None) -> Outcome:
    """Write hostile files with these names beside good ones, ingest all of them with the command line, and check.

    Args:
        names: names of ``FILES``.
        named: also write files with hostile names, and things that are not files.
        limits: limits of the run.
        keep: a folder for the files, instead of a temporary one.
    """
    limits = limits or Limits()
    with ExitStack() as stack:
        top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ragraph-hostile-")))
        # a process of another user has to pass through here
        top.chmod(0o755)
        home, temporary, secret = top / "home", top / "tmp", top / "secret.txt"
        files = keep or top / "files"
        files.mkdir(parents=True, exist_ok=True)
        temporary.mkdir(mode=0o1777)
        secret.write_text(f"{SECRET}\n")
        asked = stack.enter_context(web_server())
        words = _write(files, names, secret, asked.address, named=named)
        environment = {**os.environ, "RAGRAPH_HOME": str(home), "TMPDIR": str(temporary)}
        for name in ("RAGRAPH_DATABASE_URL", "RAGRAPH_ASSETS", "RAGRAPH_ROLE"):
            environment.pop(name, None)
        try:
            found = _run(files, home, environment, limits)
            found.wrong += [f"asked {path} of a web server" for path in asked.paths]
            with ragraph.open(home=home) as store:
                _look(store, words, found)
                _times(store, found, limits)
        finally:
            server.stop(home)
        found.wrong += [f"left in the temporary folder: {path}" for path in files_below(temporary)]
        found.wrong += [f"still running: {line}" for line in wait_gone(top, 10)]
    return found


def _write(files: Path, names: list[str], secret: Path, address: str, *, named: bool) -> dict[str, tuple[str, bool]]:
    """Write all files; return the word of each by its name, and whether it is a good one."""
    words = {}
    for number, name in enumerate(names):
        word = f"kanarie{number:04}h"
        folder = files / f"{number // 50:02}"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(FILES[name](Around(word, secret, address)))
        words[name] = (word, False)
        ending = list(GOOD)[number % len(GOOD)]
        good = f"good-{number:04}.{ending}"
        words[good] = (f"kanarie{number:04}g", True)
        (folder / good).write_bytes(GOOD[ending](words[good][0]))
    if named:
        folder = files / "names"
        folder.mkdir(exist_ok=True)
        for number, raw in enumerate(NAMES):
            word = f"kanarie{number:04}n"
            write_named(folder, raw, Around(word, secret, address))
            words[os.fsdecode(raw)] = (word, True)
        write_no_files(folder, secret)
    return words


def _run(files: Path, home: Path, environment: dict[str, str], limits: Limits) -> Outcome:
    command = [
        *(*RAGRAPH, "ingest", str(files), "--json", "--no-embed", "--images", "--max-size", "64"),
        *("--timeout", str(limits.seconds), "--memory", str(limits.memory), "--workers", str(limits.workers)),
    ]
    begin = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    with Watch(process.pid, home) as watch:
        said, complained = process.communicate()
    found = Outcome(seconds=time.monotonic() - begin, largest=watch.largest)
    if process.returncode not in (0, 1):
        found.wrong.append(f"the run ended with exit code {process.returncode}")
    if b"Traceback" in complained or b"Traceback" in said:
        found.wrong.append("a traceback was printed")
    try:
        report = json.loads(said)
    except ValueError:
        found.wrong.append(f"the run printed no report: {complained.decode(errors='replace')[-500:]}")
        return found
    if report["ended"]:
        found.wrong.append(f"the run ended too early: {report['ended']}")
    for file in report["files"]:
        found.files[Path(file["path"]).name] = file
    found.job = report["job_id"]
    for kind, most in limits.most().items():
        if watch.largest[kind] > most:
            found.wrong.append(f"{kind} had {watch.largest[kind] / MIB:,.0f} MiB, the limit is {most / MIB:,.0f}")
    return found


def _look(store: Store, words: dict[str, tuple[str, bool]], found: Outcome) -> None:
    """Record what is wrong with each file, and search for the secret everywhere."""
    told, found.files = found.files, {}
    for name, (word, good) in words.items():
        file = told.get(name) or told.get(name_as_text(name.encode("utf-8", "surrogateescape")))
        if file is None:
            found.wrong.append(f"{name!r}: the report does not name it")
            continue
        if not (good and name.startswith("good-")):
            found.files[name] = file
        reason, hits = file["reason"], store.search(word, mode="text", k=5)
        taken = file["status"] in ("added", "record", "duplicate")
        if good and not (taken and hits):
            found.wrong.append(f"{name!r} is good, and {file['status']}, with {len(hits)} hits: {reason}")
        elif taken and not hits and name not in WORDLESS:
            found.wrong.append(f"{name!r} was ingested without its text")
        elif not taken and (not reason or "\n" in reason or "Traceback" in reason or len(reason) > 700):
            found.wrong.append(f"{name!r} {file['status']} with the reason {reason!r}")
        if reason and any(ord(char) < 32 for char in reason):
            found.wrong.append(f"{name!r}: control characters in the reason {reason!r}")
    if store.search(SECRET, mode="text", k=5):
        found.wrong.append(f"the secret is in {[hit.document_id for hit in store.search(SECRET, mode='text', k=5)]}")
    wrong = store.check()
    found.wrong += [f"the store breaks a rule: {line}" for line in wrong[:10]]


def _times(store: Store, found: Outcome, limits: Limits) -> None:
    """Replace the seconds of each file by those of reading it, without waiting for others."""
    for file in store.job_files(found.job):
        name = Path(file.name).name
        if name in found.files:
            found.files[name]["seconds"] = seconds = (file.stage_seconds or {}).get("reading", 0.0)
            if seconds > limits.seconds + STARTS_S:
                found.wrong.append(f"{name!r} was read for {seconds:.1f} s, the limit is {limits.seconds:g}")


@dataclass
class _Asked:
    address: str
    paths: list[str]


@contextmanager
def web_server() -> Iterator[_Asked]:
    """Yield a web server on this machine that records its requests."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield _Asked(f"http://127.0.0.1:{made.server_port}", paths)
        made.shutdown()


if __name__ == "__main__":
    main()
