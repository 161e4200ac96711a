"""Take the same documents into a cluster and into a plain database, ask both the same, and compare.

    RAGRAPH_CITUS_SOURCE=~/citus python -m bench.cluster examples/documents

Builds Citus (once, below --build; some minutes), starts a coordinator and two workers, and works as a role without
privileges. After the documents are in: all that reads, over every document; files that change, move and go; a document
that is updated and moved to another collection; two programs that ingest at once. Every answer must be that of the
plain database, to five digits. Then the time of each kind of question, asked of both in turn. Exit code 1 where an
answer differs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import ragraph
from bench.cluster.build import build
from bench.cluster.nodes import CLUSTER, PLAIN, cluster
from bench.cluster.questions import answer, questions
from bench.timing import timed
from ragraph import cluster as ragraph_cluster
from ragraph import migrate

_AFTER_A_CHANGE = (
    "list",
    "facets",
    "check",
    "references",
    "document ",
    "text ",
    "nodes ",
    "relations ",
    "pages ",
    "0 ",
)
_BACKEND = "plain"
"""One that is given: what a trial chooses may differ between two runs, and vectors with it."""


def main() -> None:
    """Run the command; exit code 1 if an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("examples/documents"), Path("tests/data/markup")])
    parser.add_argument("--build", type=Path, default=Path(".cluster"), help="where Citus is built, or was")
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    programs = build(given.build.resolve())
    with tempfile.TemporaryDirectory() as folder, cluster(programs, Path(folder) / "nodes", given.workers) as started:
        urls = {name: started.url(name) for name in (PLAIN, CLUSTER)}
        for url in urls.values():
            migrate.upgrade(url)
        ragraph_cluster.distribute(urls[CLUSTER], given.shards)
        result = measure(urls, given.paths, Path(folder) / "files")
    if given.json:
        print(json.dumps(result))
    else:
        _print(result)
    sys.exit(1 if any(step["differ"] for step in result["steps"]) else 0)


def measure(urls: dict[str, str], paths: list[Path], folder: Path) -> dict[str, Any]:
    """Do every step in both stores and compare what they answer after it."""
    folder.mkdir()
    for path in paths:
        if path.is_dir():
            shutil.copytree(path, folder / path.name)
        else:
            shutil.copy(path, folder)
    changing = folder / "changing.md"
    changing.write_text(_text(range(40)))
    gone = folder / "gone.md"
    gone.write_text("# What goes\n\nA paragraph that is soon deleted.\n")
    with ragraph.open(urls[PLAIN]) as plain, ragraph.open(urls[CLUSTER]) as spread:
        stores = (plain, spread)
        steps: list[dict[str, Any]] = []
        times: dict[str, list[tuple[float, float]]] = defaultdict(list)

        def compare(name: str, done: list[Any]) -> None:
            """Ask everything after the first step, and what belongs to whole documents and stores after the others."""
            differ = [] if answer(lambda _: done[0], plain) == answer(lambda _: done[1], plain) else [f"{done[:2]}"]
            asked = 0
            for question, ask in questions(plain):
                if steps and not question.startswith(_AFTER_A_CHANGE):
                    continue
                asked += 1
                answers = []
                seconds = []
                for store in stores:
                    with timed() as clock:
                        answers.append(answer(ask, store))
                    seconds.append(clock.seconds)
                times[_kind(question)].append((seconds[0], seconds[1]))
                if answers[0] != answers[1]:
                    differ.append(f"{question}: {answers[0][:200]} | {answers[1][:200]}")
            steps.append({"step": name, "questions": asked, "differ": differ})
            print(
                f"{name}: {asked} questions, {len(differ)} differ",
                *differ[:3],
                sep="\n    ",
                file=sys.stderr,
                flush=True,
            )

        compare("ingest", [_ingest(store, folder) for store in stores])
        compare("again, nothing changed", [_ingest(store, folder) for store in stores])
        changing.write_text(_text([*range(5), 100, *range(7, 30), *range(35, 38), 31, 101]))
        compare("a file changed", [_ingest(store, folder) for store in stores])
        changing.write_text(_text(range(40)))
        moved = folder / "moved.md"
        changing.rename(moved)
        compare("it changed back and moved", [_ingest(store, folder) for store in stores])
        (dropped,) = (d.id for d in plain.documents() if (d.title or "").startswith("What goes"))
        for store in stores:
            store.delete(dropped)
        compare("a document deleted", [None, None])
        compare("and ingested again", [_ingest(store, folder) for store in stores])
        changes: Any = {"collection": "elsewhere", "tags": ["seen"], "title": "What comes back"}
        compare("updated, to another collection", [store.update(dropped, **changes) for store in stores])
        compare("two programs at once", [_two_at_once(url, folder) for url in urls.values()])
    return {"steps": steps, "times": _summary(times)}


def _text(paragraphs: Any) -> str:
    lines = ["# What changes"]
    for number in paragraphs:
        if number % 10 == 0:
            lines.append(f"## Part {number}")
        lines.append(f"Paragraph {number} says what number {number * 7919 % 1000} has to do with it[^{number}].")
        lines.append(f"[^{number}]: The note of paragraph {number}.")
    return "\n\n".join(lines) + "\n"


def _ingest(store: ragraph.Store, folder: Path) -> list[Any]:
    report = store.ingest([folder], backend=_BACKEND)
    return [
        (Path(f.path).name, f.status, f.reason, f.nodes, f.components, f.relations, f.embeddings) for f in report.files
    ]


def _two_at_once(url: str, folder: Path) -> str:
    """Have two programs ingest copies of the folder into another collection; both must succeed."""
    command = [
        sys.executable,
        "-m",
        "ragraph",
        "--url",
        url,
        "ingest",
        str(folder),
        "--collection",
        "twice",
        "--backend",
        _BACKEND,
        "--json",
    ]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    ended = [(program.communicate(), program.returncode) for program in running]
    return str([code or said[1].decode()[-500:] * bool(code) for said, code in ended])


def _kind(question: str) -> str:
    words = question.split()
    words = words[1:] if words[0].isdigit() else words
    return " ".join(words[:2]) if words[0] in ("search", "expand", "context", "render") else words[0]


def _summary(times: dict[str, list[tuple[float, float]]]) -> list[dict[str, Any]]:
    rows = []
    for kind, pairs in times.items():
        one, other = (statistics.median(values) * 1000 for values in zip(*pairs, strict=True))
        rows.append({"question": kind, "asked": len(pairs), "plain_ms": one, "cluster_ms": other, "ratio": other / one})
    return rows


def _print(result: dict[str, Any]) -> None:
    for step in result["steps"]:
        print(f"{step['step']:34} {step['questions']:5} questions, {len(step['differ'])} differ")
        for line in step["differ"][:10]:
            print(f"    {line}")
    print(f"\n{'median':24} {'asked':>6} {'plain ms':>9} {'cluster ms':>11} {'ratio':>6}")
    for row in result["times"]:
        times = f"{row['plain_ms']:9.1f} {row['cluster_ms']:11.1f} {row['ratio']:6.1f}"
        print(f"{row['question']:24} {row['asked']:6} {times}")


if __name__ == "__main__":
    main()
