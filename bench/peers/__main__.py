"""Load and query ragraph and its peers: one server, the same rows, the same vectors. `make bench-peers`.

python -m bench.peers --nodes 50000 --write bench/results/performance.md
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from rich.console import Console
from rich.table import Table

from bench.peers import bare, ours
from bench.peers.stores import PEERS
from bench.peers.workload import make_workload, number_of
from bench.throwaway import throwaway_store

if TYPE_CHECKING:
    from bench.peers.processor import Spent
    from bench.peers.workload import Workload
    from ragraph import Store

HERE = Path(__file__).parent
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
console = Console(width=150, highlight=False)


def main() -> None:
    """Run the benchmark and print, or write, its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=50_000, help="nodes in the store")
    parser.add_argument("--questions", type=int, default=40, help="questions for each scope")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=list(PEERS), help="which of them")
    parser.add_argument(
        "--python", type=Path, default=Path(".venv-stores/bin/python"), help="of the peers' environment"
    )
    parser.add_argument("--write", type=Path, help="put the tables between the marks of this page")
    arguments = parser.parse_args()
    workload = make_workload(arguments.nodes, arguments.questions)
    exact = _exact(workload)
    with throwaway_store() as store:
        bare.prepare_copy(store)
        with store.database.read() as connection:
            postmaster = psutil.Process(connection.info.backend_pid).ppid()
        measured = [ours.measure(store, workload, postmaster)]
        console.print(f"ragraph: load {measured[0]['load']:.1f} s, index {measured[0]['index']:.1f} s")
        copied = bare.measure_copy(store, postmaster)
        whole = _figures(measured[0]["asked"]["whole store"], exact["whole store"])["recall"]
        measured += bare.measure_vectors(store, workload, whole, postmaster)
        for name in arguments.peers:
            if found := _peer(store, workload, name, arguments.python, postmaster):
                measured.append(found)
    tables = [_loads(measured, copied, len(workload.rows)), *_searches(measured, exact)]
    text = "\n\n".join(
        [f"{arguments.nodes:,} nodes, {len(workload.rows):,} of them with vectors.", *map(_markdown, tables)]
    )
    for table in tables:
        console.print(_drawn(table), "\n")
    if arguments.write:
        page = arguments.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        arguments.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def _peer(store: Store, workload: Workload, name: str, python: Path, postmaster: int) -> dict[str, Any] | None:
    if not python.exists():
        requirements = HERE / "requirements.txt"
        console.print(f"{name} is left out: there is no {python}; `make bench-peers` makes it from {requirements}")
        return None
    with tempfile.TemporaryDirectory(prefix="ragraph-peers-") as folder:
        workload.save(Path(folder))
        command = [str(python), str(HERE / "stores.py"), name, store.database.url, folder, str(postmaster)]
        done = subprocess.run(command, check=False, stdout=sys.stderr)
        if done.returncode:
            console.print(f"{name} is left out: it failed, as said above")
            return None
        found: dict[str, Any] = json.loads((Path(folder) / f"{name}.json").read_text())
    console.print(f"{name}: load {found['load']:.1f} s, index {found['index']:.1f} s")
    return found


def _exact(workload: Workload) -> dict[str, list[set[int]]]:
    return {
        scope: [workload.exact(where, number) for number, where in enumerate(wheres)]
        for scope, wheres in workload.scopes.items()
    }


def _figures(asked: dict[str, Any], exact: list[set[int]]) -> dict[str, float]:
    times = sorted(1000 * seconds for seconds in asked["times"])
    recalls = [
        len({number_of(text) for text in answer} & best) / len(best)
        for answer, best in zip(asked["answers"], exact, strict=True)
    ]
    return {
        "p50": statistics.median(times),
        "p95": times[int(0.95 * (len(times) - 1))],
        "client": 1000 * asked["client"],
        "server": 1000 * asked["server"],
        "rows": min(len(answer) for answer in asked["answers"]),
        "recall": sum(recalls) / len(recalls),
    }


def _loads(measured: list[dict[str, Any]], copied: Spent, rows: int) -> list[list[str]]:
    spent = "processor, s: client + server"
    lines = [["Load", "rows/s without index", spent, "index, s", "processor, s", "rows/s with index"]]
    for item in measured:
        if "index" not in item:
            continue
        index, own = item["index"], f"{item['index_spent']:.1f}"
        if item["load"] is None:
            lines.append([item["name"], "", "", f"{index:.1f}", own, ""])
            continue
        load, (client, server) = item["load"], item["load_spent"]
        both = f"{rows / (load + index):,.0f}"
        lines.append([item["name"], f"{rows / load:,.0f}", f"{client:.1f} + {server:.1f}", f"{index:.1f}", own, both])
    both = f"{copied.client:.1f} + {copied.server:.1f}"
    name = "binary COPY of ragraph's rows, same keys and indexes (processor: and out of ragraph's)"
    lines.append([name, f"{rows / copied.clock:,.0f}", both, "", "", ""])
    return lines


def _searches(measured: list[dict[str, Any]], exact: dict[str, list[set[int]]]) -> list[list[list[str]]]:
    tables = []
    for scope, answers in exact.items():
        head = ["processor, ms: client + server", "p50 ms", "p95 ms", "fewest rows", "recall"]
        lines = [[f"Ten nearest: {scope}", *head]]
        for item in measured:
            if scope in item["asked"]:
                found = _figures(item["asked"][scope], answers)
                spent = f"{found['client']:.1f} + {found['server']:.1f}"
                numbers = [f"{found[name]:.1f}" for name in ("p50", "p95")]
                lines.append([item["name"], spent, *numbers, str(found["rows"]), f"{found['recall']:.3f}"])
        tables.append(lines)
    return tables


def _markdown(table: list[list[str]]) -> str:
    head, *lines = (f"| {' | '.join(line)} |" for line in table)
    return "\n".join([head, "|" + " --- |" * len(table[0]), *lines])


def _drawn(table: list[list[str]]) -> Table:
    drawn = Table(*table[0], box=None)
    for line in table[1:]:
        drawn.add_row(*line)
    return drawn


if __name__ == "__main__":
    main()
