"""From two hundred files to a searchable store: seconds, memory and lost text, compared with chunk pipelines.

    RAGRAPH_DATA=DIR python -m bench.end_to_end [--files 200] [--write bench/results/performance.md]

Each line runs in processes of its own, one after the other, without files of another line: ragraph as the command that
a user runs, with an empty home; LlamaIndex's pipeline without a store; docling with its chunker into ragraph's store.
PDF files are left out of docling's line and of the ragraph line for comparison, because docling's models are downloaded
from a hub. The text is compared with that of the simplest reader, words as a multiset. Words that a reader joins, such
as a word and its note mark, count as missing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import url2pathname

import psutil
from rich.console import Console

import ragraph
from bench.end_to_end.files import files_of, visible_text
from bench.processes import RAGRAPH, memory, server_processes, tree
from bench.text_loss import words
from ragraph import server

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BEGIN, END = "<!-- files: begin -->", "<!-- files: end -->"
MARKED = (".nxml", ".html", ".xhtml", ".docx")
"""Endings that docling reads without a model."""
_LOOK_S = 0.5
console = Console(width=150, highlight=False)


@dataclass
class Taken:
    """Figures of a line.

    Attributes:
        seconds: seconds by the clock.
        processor: seconds of its processes and of its server.
        memory: maximum bytes at one time, shared memory counted once.
        vectors: number of vectors.
        stored: share of the words in the result, of all files and of the worst.
        read: the same for the text that the model read.
    """

    seconds: float
    processor: float
    memory: int
    vectors: int = 0
    stored: tuple[float, float] = (0, 0)
    read: tuple[float, float] = (0, 0)


def main() -> None:
    """Measure, print, and write the table if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGRAPH_DATA"), help="default $RAGRAPH_DATA")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--lines", nargs="*", default=[""], help="only lines whose name contains one of these")
    parser.add_argument("--write", type=Path, help="write the table into this page")
    given = parser.parse_args()
    if given.data is None:
        sys.exit("Say where the files are: --data DIR, or RAGRAPH_DATA=DIR")
    files = files_of(given.data, given.files)
    seen = {str(path): Counter(words(visible_text(path))) for path in files}
    marked = [path for path in files if path.suffix.lower() in MARKED]
    total = sum(path.stat().st_size for path in files)
    kinds = Counter(path.suffix.lower()[1:].upper() for path in files).most_common()
    rows = [
        f"{len(files)} files ({', '.join(f'{count} {kind}' for kind, count in kinds)}), {total / 1e6:.0f} MB,"
        f" {sum(map(Counter.total, seen.values())):,} words; {os.cpu_count()} processors.",
        "",
        "| | seconds | of the processor | MiB at most | vectors | words stored (worst file) | words a vector holds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines = {
        "ragraph, a new machine: it chooses its encoder first": (files, "ragraph"),
        "ragraph": (files, "ragraph"),
        "ragraph, `--backend plain`: numpy, float32": (files, "ragraph_plain"),
        "LlamaIndex, chunks of 254 tokens": (files, "llama_index_256"),
        "LlamaIndex, chunks of 1,024 tokens": (files, "llama_index_1024"),
        f"ragraph, {len(marked)} files of markup and DOCX": (marked, "ragraph"),
        f"docling and its chunker, the same {len(marked)}": (marked, "docling"),
    }
    print("\n".join(rows), flush=True)
    with tempfile.TemporaryDirectory(prefix="ragraph-", ignore_cleanup_errors=True) as folder:
        for name, (some, line) in lines.items():
            if not any(part in name for part in given.lines):
                continue
            row = _row(name, _run(line, some, Path(folder), {str(path): seen[str(path)] for path in some}))
            print(row, flush=True)
            rows.append(row)
    if given.write:
        page = given.write.read_text()
        before, rest = page.split(BEGIN)
        given.write.write_text(before + BEGIN + "\n" + "\n".join(rows) + "\n" + END + rest.split(END)[1])


def _row(name: str, taken: Taken) -> str:
    return (
        f"| {name} | {taken.seconds:.0f} | {taken.processor:.0f} | {taken.memory / 2**20:,.0f} | {taken.vectors:,}"
        f" | {taken.stored[0]:.4f} ({taken.stored[1]:.3f}) | {taken.read[0]:.4f} |"
    )


def _run(line: str, files: Sequence[Path], folder: Path, seen: Mapping[str, Counter[str]]) -> Taken:
    """Run a line in an empty home, except for the encoder that was chosen."""
    home = folder / "home"
    for left in home.glob("*") if home.exists() else ():
        if left.name != "encoders":
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    listed = folder / "files.json"
    listed.write_text(json.dumps([str(path) for path in files]))
    made = folder / "made.json"
    environment = {**os.environ, "RAGRAPH_HOME": str(home)}
    environment.pop("RAGRAPH_DATABASE_URL", None)
    if line.startswith("ragraph"):
        plain = ["--backend", "plain"] if line == "ragraph_plain" else []
        command = [*RAGRAPH, "ingest", *plain, "--progress", "none", *map(str, files)]
    else:
        command = [sys.executable, "-m", "bench.end_to_end.pipelines", line, str(listed), str(made)]
    try:
        taken = _watched(command, environment, home)
        if line.startswith("ragraph"):
            texts, taken.vectors = _stored(home)
        else:
            result = json.loads(made.read_text())
            texts, taken.vectors = result["files"], result["vectors"]
    finally:
        server.stop(home)
    taken.stored, taken.read = (_share(seen, texts, part) for part in ("text", "read"))
    return taken


def _watched(command: Sequence[str], environment: Mapping[str, str], home: Path) -> Taken:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    process = subprocess.Popen(command, env=dict(environment), stdout=subprocess.DEVNULL)
    most = 0
    done = threading.Event()

    def look() -> None:
        nonlocal most
        while not done.wait(_LOOK_S):
            most = max(most, memory({*tree(process.pid), *server_processes(home)}))

    watcher = threading.Thread(target=look)
    watcher.start()
    code = process.wait()
    seconds = time.monotonic() - begin
    done.set()
    watcher.join()
    if code:
        raise SystemExit(f"{command[:6]} ended with exit code {code}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    for one in server_processes(home):
        with suppress(psutil.Error):
            times = one.cpu_times()
            used += times.user + times.system
            if one == server_processes(home)[0]:
                used += times.children_user + times.children_system
    return Taken(seconds, used, most)


def _stored(home: Path) -> tuple[dict[str, dict[str, list[str]]], int]:
    """Return the text of nodes, and of nodes with a vector, by the path of their file."""
    texts: dict[str, dict[str, list[str]]] = {}
    with ragraph.open(home=home) as store, store.database.read() as connection:
        rows = connection.execute(
            "SELECT d.source_uri, n.content, EXISTS (SELECT FROM ragraph.embedding AS e"
            " WHERE e.document_id = n.document_id AND e.node_id = n.id)"
            " FROM ragraph.content_node AS n JOIN ragraph.document AS d ON d.id = n.document_id"
        )
        for uri, content, embedded in rows:
            path = texts.setdefault(url2pathname(str(uri).removeprefix("file://")), {"text": [], "read": []})
            path["text"].append(content)
            if embedded:
                path["read"].append(content)
        counted = connection.execute("SELECT count(*) FROM ragraph.embedding").fetchone()
    assert counted is not None
    return texts, counted[0]


def _share(
    seen: Mapping[str, Counter[str]], texts: Mapping[str, Mapping[str, Sequence[str]]], part: str
) -> tuple[float, float]:
    """Return the share of words found, of all files together and of the worst."""
    lost, worst = 0, 1.0
    for path, wanted in seen.items():
        missing = (wanted - Counter(words("\n".join(texts.get(path, {}).get(part, []))))).total()
        lost += missing
        worst = min(worst, 1 - missing / max(wanted.total(), 1))
    return 1 - lost / sum(wanted.total() for wanted in seen.values()), worst


if __name__ == "__main__":
    main()
