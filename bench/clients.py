"""Eight clients search while a job ingests files: how long each waits, compared with searches without other work.

    RAGRAPH_DATA=DIR python -m bench.clients [--clients 8] [--seconds 60] [--json]

Each client is a process that asks one question a second, hybrid, with the default model, and gets the citations. The
store has some of the files. The others are ingested by `ragraph ingest`, as a user runs it, while the clients search.
At the end they ask again without other work ("after"), because the store is three times as large by then. A document
that a client finds for the first time is read completely at once, and again at the end: a difference means that the
client saw only half of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import ragraph
from bench.end_to_end.files import files_of, visible_text
from bench.processes import RAGRAPH
from bench.text_loss import words
from ragraph import server
from ragraph.errors import RagraphError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.synchronize import Event

HELD = 40
"""Files in the store at the start."""
_EVERY_S = 1.0


@dataclass
class Asked:
    """Results of the clients.

    Attributes:
        waits: seconds of each search.
        errors: errors of searches.
        few: number of searches with fewer than ten rows.
        seen: digest of a document's text when a client first found it, by document.
    """

    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    few: int = 0
    seen: dict[str, str] = field(default_factory=dict)


def main() -> None:
    """Measure and print; exit code 1 if a search fails or finds half a document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGRAPH_DATA"), help="default $RAGRAPH_DATA")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60, help="duration of the searches without other work")
    parser.add_argument("--files", type=int, default=120, help="number of files; 40 of them are stored at the start")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.data is None:
        sys.exit("Say where the files are: --data DIR, or RAGRAPH_DATA=DIR")
    files = files_of(given.data, given.files)
    random.Random(1).shuffle(files)
    questions = [question for path in files for question in _questions(path)]
    with tempfile.TemporaryDirectory(prefix="ragraph-", ignore_cleanup_errors=True) as home:
        try:
            _ingest(home, files[:HELD]).wait()
            idle = _while(home, given.clients, questions, lambda: time.sleep(given.seconds))
            begin = time.monotonic()
            beside = _while(home, given.clients, questions, lambda: _ingest(home, files[HELD:]).wait())
            took = time.monotonic() - begin
            half = _half(home, beside.seen)
            after = _while(home, given.clients, questions, lambda: time.sleep(given.seconds))
        finally:
            server.stop(Path(home))
    figures = {
        "clients": given.clients,
        "searches idle": len(idle.waits),
        "searches beside": len(beside.waits),
        "job s": round(took, 1),
        **{f"{name} idle ms": value for name, value in _waits(idle).items()},
        **{f"{name} beside ms": value for name, value in _waits(beside).items()},
        **{f"{name} after ms": value for name, value in _waits(after).items()},
        "p95 ratio to idle": round(_waits(beside)["p95"] / _waits(idle)["p95"], 2),
        "p95 ratio to after": round(_waits(beside)["p95"] / _waits(after)["p95"], 2),
        "errors": sum(len(asked.errors) for asked in (idle, beside, after)),
        "fewer than ten rows": idle.few + beside.few + after.few,
        "documents seen as they came": len(beside.seen),
        "of them by half": len(half),
    }
    print(json.dumps(figures) if given.json else "\n".join(f"{name:28} {value}" for name, value in figures.items()))
    for error in {*idle.errors, *beside.errors, *after.errors}:
        print(f"error: {error}", file=sys.stderr)
    sys.exit(bool(figures["errors"] or half))


def _waits(asked: Asked) -> dict[str, float]:
    cuts = statistics.quantiles(asked.waits, n=100)
    return {"p50": round(1000 * cuts[49], 1), "p95": round(1000 * cuts[94], 1), "p99": round(1000 * cuts[98], 1)}


def _questions(path: Path) -> list[str]:
    """Return eight consecutive words from each of three places of a file."""
    said = words(visible_text(path))
    return [" ".join(said[start : start + 8]) for start in range(len(said) // 4, len(said) - 8, max(len(said) // 4, 1))]


def _ingest(home: str, files: Sequence[Path]) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name != "RAGRAPH_DATABASE_URL"}
    command = [*RAGRAPH, "ingest", "--progress", "none", *map(str, files)]
    return subprocess.Popen(command, env={**environment, "RAGRAPH_HOME": home}, stdout=subprocess.DEVNULL)


def _while(home: str, clients: int, questions: Sequence[str], unit: object) -> Asked:
    """Have clients ask while a unit of work is done; each has loaded its model before."""
    context = multiprocessing.get_context("spawn")
    done = context.Event()
    ready = context.Barrier(clients + 1)
    answers = context.Queue()
    with ragraph.open(home=home) as store:
        known = {document.id for document in store.documents(limit=100_000)}
        processes = [
            context.Process(target=_client, args=(number, store.database.url, questions, known, ready, done, answers))
            for number in range(clients)
        ]
        for process in processes:
            process.start()
        ready.wait()
        unit()  # type: ignore[operator]
        done.set()
        every = [answers.get() for _ in processes]
        for process in processes:
            process.join()
    seen: dict[str, str] = {}
    for one in every:
        seen |= one.seen
    return Asked(
        [wait for one in every for wait in one.waits],
        [error for one in every for error in one.errors],
        sum(one.few for one in every),
        seen,
    )


def _client(
    number: int, url: str, questions: Sequence[str], known: set[str], ready: object, done: Event, answers: object
) -> None:
    chosen = random.Random(number)
    asked = Asked()
    with ragraph.open(url) as store:
        store.search(questions[0])
        ready.wait()  # type: ignore[attr-defined]
        time.sleep(chosen.random() * _EVERY_S)
        while not done.is_set():
            begin = time.monotonic()
            try:
                hits = store.search(chosen.choice(questions))
                asked.waits.append(time.monotonic() - begin)
                asked.few += len(hits) < 10
                for document in {hit.document_id for hit in hits} - known:
                    known.add(document)
                    asked.seen[document] = _digest(store, document)
            except RagraphError as error:
                asked.errors.append(str(error))
            time.sleep(max(0.0, _EVERY_S - (time.monotonic() - begin)))
    answers.put(asked)  # type: ignore[attr-defined]


def _digest(store: ragraph.Store, document: str) -> str:
    return hashlib.sha256(store.render(document).encode()).hexdigest()


def _half(home: str, seen: dict[str, str]) -> list[str]:
    with ragraph.open(home=home) as store:
        return [document for document, digest in seen.items() if _digest(store, document) != digest]


if __name__ == "__main__":
    main()
