"""What each pass of the PDF reader gains: figures of the gate with one of them switched off, and with all on.

    RAGRAPH_DATA=../shared/data python -m bench.gate.ablation [--wild DIR] [--off NAME ...] [PART ...]
    python -m bench.gate.ablation --changes FOLDER ... [--off NAME ...]

The first reads what the gate reads, once with everything and once for each NAME (default: all of ``OFF``). It prints
the mean change of each figure over all kinds, and the largest fall and rise. PART limits the files, as in the gate. For
each name it takes as long as the gate.

The second counts the PDF files below folders, and the nodes in them, that are read in another way. It takes a minute
and needs no labels: a pass that changes nothing anywhere may go, the others need the first.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.gate.figures import Places, jobs, measure
from ragraph.errors import IngestError
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bench.gate.figures import Figures

_TABLES = "ragraph.pdf.tables.finding"


def _nothing(*_: Any, **__: Any) -> list[Any]:
    return []


def _none(*_: Any, **__: Any) -> None:
    return None


def _empty(*_: Any, **__: Any) -> dict[Any, Any]:
    return {}


def _first(one: Any, *_: Any, **__: Any) -> Any:
    return one


def _second(_: Any, other: Any, *__: Any) -> Any:
    return other


OFF: dict[str, list[tuple[str, str, Callable[..., Any]]]] = {
    "tables: labels and values": [(_TABLES, "label_tables", _nothing), (_TABLES, "sum_tables", _nothing)],
    "tables: values under names": [(_TABLES, "tables_under_names", _nothing)],
    "tables: amounts": [(_TABLES, "bodies_of", _nothing)],
    "tables: crossing rules and frames": [(_TABLES, "_ruled", _none)],
    "tables: joined frames": [(_TABLES, "join_enclosed", _first)],
    "tables: white space": [(_TABLES, "white", _none)],
    "tables: values put right": [
        (_TABLES, "put_right", _nothing),
        ("ragraph.pdf.tables.placed", "put_right", _nothing),
    ],
    "tables: titles within": [("ragraph.pdf.tables.titled", "part_at_titles", _second)],
    "tables: spans of titles": [(_TABLES, "span_titles", _first)],
    "headings: together": [("ragraph.pdf.headings.choosing", "together", _empty)],
    "headings: put_below": [("ragraph.pdf.headings.levels", "put_below", _none)],
}
"""What is put in the place of which names, in which modules, to switch a pass off."""


def switch_off(name: str) -> None:
    """Switch a pass off in this process."""
    for module, attribute, other in OFF[name]:
        loaded = import_module(module)
        if not hasattr(loaded, attribute):
            raise AttributeError(f"{module} has no {attribute}: bring bench.gate.ablation up to date")
        setattr(loaded, attribute, other)


def compared(base: Figures, other: Figures) -> dict[str, tuple[float, float, float]]:
    """Return the mean change of each figure, and the largest fall and rise, over the keys that both have."""
    changes: dict[str, list[float]] = defaultdict(list)
    for key in base.keys() & other.keys():
        for name in base[key].keys() & other[key].keys() - {"counted"}:
            changes[name].append(other[key][name] - base[key][name])
    return {name: (sum(all_) / len(all_), min(all_), max(all_)) for name, all_ in sorted(changes.items())}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="of paths of files; default all files")
    parser.add_argument("--off", action="append", choices=[*OFF], help="passes to switch off, each by itself")
    parser.add_argument("--wild", type=Path, help="folder of the files of the lists in $RAGRAPH_DATA/wild")
    parser.add_argument("--processes", type=int, default=2, help="number of processes that read files")
    parser.add_argument("--changes", type=Path, nargs="+", metavar="FOLDER", help="count what changes in its PDF files")
    chosen = parser.parse_args()
    if chosen.changes:
        print_changes(chosen.changes, chosen.off or OFF, chosen.processes)
        return
    data = Path(os.environ["RAGRAPH_DATA"])
    wild = chosen.wild or Path(os.environ.get("RAGRAPH_WILD", data / "wild"))
    places = Places(data, wild, Path(tempfile.mkdtemp(prefix="ragraph-ablation-")))
    wanted, _ = jobs(places)
    if chosen.parts:
        wanted = [job for job in wanted if any(part in str(job.path) for part in chosen.parts)]
    base = measure(places, wanted, chosen.processes)
    for name in chosen.off or OFF:
        # Drafts are cached by the code alone, so each name has a cache of its own.
        own = Places(data, wild, places.cache / name.replace(" ", "-").replace(":", ""))
        found = measure(own, wanted, chosen.processes, partial(switch_off, name))
        moved = {figure: change for figure, change in compared(base, found).items() if any(change)}
        print(f"{name}: {'' if moved else 'nothing moves'}")
        for figure, (mean, fall, rise) in moved.items():
            print(f"  {figure} {mean:+.4f} (from {fall:+.3f} to {rise:+.3f})")


def print_changes(folders: Sequence[Path], names: Iterable[str], processes: int) -> None:
    """Print how many files, and nodes of them, are read in another way without each pass."""
    files = sorted(file for folder in folders for file in folder.rglob("*.pdf"))
    base = _read_all(files, None, processes)
    print(f"{len(files)} files, {sum(map(len, base))} nodes\n\n| without | files | nodes |\n| --- | ---: | ---: |")
    for name in names:
        found = _read_all(files, name, processes)
        changed = [sum(((Counter(one) - Counter(other)) + (Counter(other) - Counter(one))).values())
                   for one, other in zip(base, found, strict=True)]  # fmt: skip
        print(f"| {name} | {sum(map(bool, changed))} | {sum(changed)} |", flush=True)


def _read_all(files: Sequence[Path], name: str | None, processes: int) -> list[list[str]]:
    start = None if name is None else partial(switch_off, name)
    with ProcessPoolExecutor(processes, get_context("forkserver"), start) as pool:
        return list(pool.map(_nodes, files))


def _nodes(file: Path) -> list[str]:
    """Return the nodes of a file as lines; one that cannot be read has none."""
    try:
        draft = PdfReader().read(file, ReadOptions(layout="rules", ocr=False))
    except IngestError:
        return []
    return [f"{node.type} {node.level} {node.data.get('cells')} {node.text}" for node in draft.nodes]


if __name__ == "__main__":
    main()
