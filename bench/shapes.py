"""What graphs cost by their shape: chain, ring, star, clique and ladder of relations, up to 100,000 edges.

    python -m bench.shapes --write bench/results/reliability.md --plot bench/results/shapes.svg

Each document is one shape: its nodes are paragraphs or notes, its edges are references to notes or within the document.
It is added, checked, rendered, listed and expanded, each measured in processor time of the server and in the memory
of its largest backend. A cost is linear if ten times the edges cost no more than about ten times as much.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import dataclass
from itertools import combinations, islice, product
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

import ragraph
from bench.processes import Watch, server_seconds
from ragraph import server
from ragraph.ingest.draft import DraftDocument, DraftNode, DraftRelation
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragraph import Store

BEGIN, END = "<!-- shapes: begin -->", "<!-- shapes: end -->"
KINDS = (RelationType.REFERENCES_NOTE, RelationType.CROSS_REFERENCES)
Edge = tuple[int, int]


def chain(edges: int) -> list[Edge]:
    """Return a path: each node refers to the next."""
    return [(place, place + 1) for place in range(edges)]


def ring(edges: int) -> list[Edge]:
    """Return a cycle."""
    return [(place, (place + 1) % edges) for place in range(edges)]


def star(edges: int) -> list[Edge]:
    """Return one node that refers to all others."""
    return [(0, place + 1) for place in range(edges)]


def sink(edges: int) -> list[Edge]:
    """Return one node to which all others refer."""
    return [(place + 1, 0) for place in range(edges)]


def clique(edges: int) -> list[Edge]:
    """Return nodes that all refer to each other, in both directions, as many as give so many edges."""
    size = int(edges**0.5) + 2
    pairs = (pair for one, other in combinations(range(size), 2) for pair in ((one, other), (other, one)))
    return list(islice(pairs, edges))


def ladder(edges: int) -> list[Edge]:
    """Return a path whose every step has two ways, so that the number of paths doubles with each."""
    found: list[Edge] = []
    for place in range(0, edges // 4 * 3, 3):
        found += [(place, place + 1), (place, place + 2), (place + 1, place + 3), (place + 2, place + 3)]
    return found


SHAPES: dict[str, Callable[[int], list[Edge]]] = {
    "chain": chain, "ring": ring, "star": star, "sink": sink, "clique": clique, "ladder": ladder,
}  # fmt: skip


def draft(shape: str, edges: int, kind: RelationType) -> DraftDocument:
    """Return a document of a shape: of notes that refer to notes, or of paragraphs that refer to each other."""
    found = SHAPES[shape](edges)
    notes = kind is RelationType.REFERENCES_NOTE
    count = max(max(edge) for edge in found) + 1
    first = DraftNode(key="t", type=ContentNodeType.PARAGRAPH, text="The text begins here.")
    type_ = ContentNodeType.NOTE if notes else ContentNodeType.PARAGRAPH
    nodes = [DraftNode(key=f"n{place}", type=type_, text=f"Passage {place} of the river.") for place in range(count)]
    relations = [
        DraftRelation(source=f"n{source}", type=kind, target=f"n{target}", marker=str(target))
        for source, target in found
    ]
    lead = [DraftRelation(source="t", type=kind, target="n0", marker="0")] if notes else []
    return DraftDocument(id=f"dl_{shape}{edges}", nodes=[first, *nodes], relations=[*lead, *relations])


@dataclass
class Cost:
    """Costs of one step: seconds of the server's processors, and memory of its largest backend in MiB."""

    seconds: float
    memory: float


def measured(store: Store, home: Path, unit: Callable[[], object]) -> Cost:
    """Return what a unit of work costs the server."""
    with Watch(os.getpid(), home) as watch:
        seconds = server_seconds(store, unit)
    return Cost(seconds, watch.largest["server"] / (1 << 20))


def steps(store: Store, made: DraftDocument) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the steps by their names."""
    name = str(made.id)
    yield "add", lambda: store.add(made, model=None)
    yield "check", store.check
    yield "render", lambda: store.render(name)
    yield "contents", lambda: store.toc(name)
    yield "context", lambda: store.context("Passage of the river", mode="text", match="any")
    yield "related", lambda: store.related(name, store.nodes(name)[1].id, direction="both", max_hops=100)
    yield "export", lambda: sum(len(line) for line in store.export(document=name))
    yield "delete", lambda: store.delete(name)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--shapes", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    parser.add_argument("--kinds", nargs="+", choices=[kind.value for kind in KINDS], default=list(KINDS))
    parser.add_argument("--write", type=Path, help="replace the table in this file")
    parser.add_argument("--plot", type=Path, help="write the plot here")
    args = parser.parse_args()
    console = Console(stderr=True)
    costs: dict[tuple[str, str, str, int], Cost] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with ragraph.open(home=folder):  # keeps the server
            for kind, shape, edges in product(map(RelationType, args.kinds), args.shapes, args.edges):
                with ragraph.open(home=folder) as store:  # with backends of its own
                    for step, unit in steps(store, draft(shape, edges, kind)):
                        cost = costs[kind.value, shape, step, edges] = measured(store, Path(folder), unit)
                        said = f"{kind.value} {shape} {edges:,} {step}: {cost.seconds:.2f} s"
                        console.print(f"{said}, {cost.memory:.0f} MiB")
        server.stop(Path(folder))
    text = markdown(costs, args.edges)
    print(text)
    if args.write:
        held = args.write.read_text()
        head, _, rest = held.partition(BEGIN)
        args.write.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}")
    if args.plot:
        plot(costs, args.edges, args.plot)


def markdown(costs: dict[tuple[str, str, str, int], Cost], edges: Sequence[int]) -> str:
    """Return the table: seconds and MiB of the steps of each shape together, and the most costly step."""
    lines = ["| edges | shape | " + " | ".join(f"{count:,}: s, MiB" for count in edges) + " | times | slowest step |"]
    lines.append("| --- | --- |" + " ---: |" * (len(edges) + 1) + " --- |")
    for kind, shape in dict.fromkeys((kind, shape) for kind, shape, _, _ in costs):
        sums, cells = [], []
        for count in edges:
            found = {step: cost for (k, s, step, e), cost in costs.items() if (k, s, e) == (kind, shape, count)}
            sums.append(sum(cost.seconds for cost in found.values()))
            cells.append(f"{sums[-1]:.1f}, {max(cost.memory for cost in found.values()):.0f}")
            slowest = max(found, key=lambda step: found[step].seconds)
        growth = f"{sums[-1] / max(sums[-2], 0.01):.1f}" if len(sums) > 1 else ""
        lines.append(f"| {kind} | {shape} | {' | '.join(cells)} | {growth} | {slowest} |")
    return "\n".join(lines)


def plot(costs: dict[tuple[str, str, str, int], Cost], edges: Sequence[int], path: Path) -> None:
    """Draw the seconds and the memory of each shape over its edges, on logarithmic axes."""
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for kind, shape in dict.fromkeys((kind, shape) for kind, shape, _, _ in costs):
        found = [[cost for (k, s, _, e), cost in costs.items() if (k, s, e) == (kind, shape, count)] for count in edges]
        style = "-" if kind == "REFERENCES_NOTE" else "--"
        left.plot(edges, [sum(cost.seconds for cost in step) for step in found], style, marker="o", label=shape)
        right.plot(edges, [max(cost.memory for cost in step) for step in found], style, marker="o")
    left.set(title="all steps (solid: notes, dashed: references)", ylabel="s of the server", yscale="log")
    right.set(title="largest backend", ylabel="MiB", ylim=(0, None))
    left.legend(frameon=False, fontsize="small")
    for axes in (left, right):
        axes.set(xscale="log", xlabel="edges")
        axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
