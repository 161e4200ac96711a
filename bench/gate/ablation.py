"""What each pass of the PDF reader gains: figures of the gate with one of them switched off, beside those with all on.

    RAGRAPH_DATA=../shared/data python -m bench.gate.ablation [--wild DIR] [--works DIR] [--around N] [--off NAME ...]
        [--also DIR ...] [--changes DIR] [PART ...]

It reads what the gate reads, once as it is, and counts in which files each pass does anything. Then it reads these
files again without that pass, and prints a table: files, and nodes in them, that are read in another way, how many
figures of the gate fall or rise by more than .01, and their mean change. PART limits the files, as in the gate. Passes
that overlap are switched off together, too.

Only the analysis of pages is repeated, and only what is read in another way is measured again. Files up to that step
are stored in --works, by the code of the reader, so that a second run is faster. --around 2 reads two pages before and
behind each labelled page of a long file, which takes a third of the time. --also reads files without labels as well,
of which only changed nodes are counted. --changes writes these nodes, one file a pass. A pass without a rising or
falling figure, whose changes are none or no loss by eye, may go.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import os
import pickle
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.gate import figures
from bench.gate.baseline import MOST
from bench.gate.figures import Job, Places, jobs, of_draft, pooled
from bench.structure.documents import stripped
from bench.structure.strict.drafts import code_digest
from ragraph.errors import IngestError
from ragraph.ingest.readers.pdf.drafting import make_draft
from ragraph.pdf.page.parse import parse_pages
from ragraph.pdf.passes import ANALYSING, PREPARING, STATING, Work, run
from ragraph.pdf.stated import engines
from ragraph.pdf.stated.facts import open_pdf, read_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.gate.figures import Figures
    from bench.structure.metrics import Scores

Stub = tuple[str, str, "Callable[..., Any]"]


def _nothing(*_: Any, **__: Any) -> list[Any]:
    return []


def _none(*_: Any, **__: Any) -> None:
    return None


def _empty(*_: Any, **__: Any) -> dict[Any, Any]:
    return {}


def _no_ids(*_: Any, **__: Any) -> set[int]:
    return set()


def _false(*_: Any, **__: Any) -> bool:
    return False


def _first(one: Any, *_: Any, **__: Any) -> Any:
    return one


def _second(_: Any, other: Any, *__: Any) -> Any:
    return other


_TABLES, _CHOOSING = "tables.finding", "headings.choosing"
OFF: dict[str, list[Stub]] = {
    "order: lists of terms": [("blocks.order", "by_rows", _first)],
    "order: titles on pictures": [("blocks.order", "_is_pictured", _false)],
    "blocks: titles centred over text": [("blocks.assembly", "_is_centred_over", _false)],
    "blocks: items that hang from numbers": [("blocks.assembly", "_hangs_from_number", _false)],
    "blocks: pull quotes": [("blocks.asides", "_is_quote", _false)],
    "figures: axes of charts": [("blocks.axes", "_scale", _nothing)],
    "figures: labels and values in them": [("blocks.figures", "rows_of_pairs", _nothing)],
    "furniture: numbers of single pages": [("furniture.alone", "_is_page_number", _false)],
    "tables: labels and values": [(_TABLES, "label_tables", _nothing)],
    "tables: sums": [(_TABLES, "sum_tables", _nothing)],
    "tables: values under names": [(_TABLES, "tables_under_names", _nothing)],
    "tables: amounts": [(_TABLES, "bodies_of", _nothing)],
    "tables: crossing rules and frames": [(_TABLES, "_ruled", _none)],
    "tables: white space": [(_TABLES, "white", _none)],
    "tables: columns within ruled cells": [("tables.ruled", "columns_within", _nothing)],
    "tables: names above": [(_TABLES, "names_above", _nothing)],
    "tables: values put right": [(_TABLES, "put_right", _nothing), ("tables.placed", "put_right", _nothing)],
    "tables: labels set sideways": [("tables.sideways", "in_labels", _nothing)],
    "tables: titles within": [("tables.titled", "part_at_titles", _second)],
    "tables: none in charts and drawings": [(_TABLES, "is_chart", _false), (_TABLES, "in_drawing", _false)],
    "headings: together": [(_CHOOSING, "together", _empty)],
    "headings: put_below": [("headings.levels", "put_below", _none)],
    "headings: levels that fit": [("headings.levels", "_is_fitted", _false)],
    "headings: chapters": [("headings.levels", "_chapters", _nothing)],
    "headings: entries of lists": [(_CHOOSING, "list_entries", _no_ids)],
    "headings: menus": [(_CHOOSING, "_menus", _no_ids)],
    "headings: signs in front": [(_CHOOSING, "take_signs", _nothing)],
    "headings: titles of slides": [("headings.slides", "_has_title", _false)],
    "headings: labels with titles": [("headings.displayed", "_is_labelled", _false)],
    "contents: labels in front": [("headings.contents", "_leading_labels", _nothing)],
    "notes: bibliographies set as tables": [("notes.tabled", "_lists_entries", _false)],
}
"""What is put in the place of which names, in which modules of ``ragraph.pdf``, to switch a pass off."""
TOGETHER = {
    "tables: labels, sums and names": ("tables: labels and values", "tables: sums", "tables: values under names"),
    "tables: rules and white space": ("tables: crossing rules and frames", "tables: white space"),
    "tables: names, values, titles, sideways": (
        *("tables: names above", "tables: values put right", "tables: labels set sideways", "tables: titles within"),
    ),
    "blocks: titles, numbers, quotes": (
        *("blocks: titles centred over text", "blocks: items that hang from numbers", "blocks: pull quotes"),
    ),
    "figures: axes, labels and values": ("figures: axes of charts", "figures: labels and values in them"),
    "headings: menus, lists, signs": ("headings: menus", "headings: entries of lists", "headings: signs in front"),
}
"""Passes that do what others of them leave undone, so that one alone seems to gain nothing."""
OFF |= {label: [stub for one in names for stub in OFF[one]] for label, names in TOGETHER.items()}

_IN_PLACE = {"headings: put_below"}
"""Passes that change what they are given: nothing tells whether they did, so all files are read without them."""


class Reading(NamedTuple):
    """A file in one form, or a window of it, and the jobs that measure it."""

    path: Path
    form: str
    window: tuple[int, int] | None
    jobs: list[Job]


class Read(NamedTuple):
    """A file that was read: its nodes as lines, its scores, the passes that did anything, and a digest of its draft."""

    nodes: list[str]
    scores: list[tuple[str, Scores]]
    spoke: set[str]
    digest: str


@contextmanager
def switched(stubs: list[Stub]) -> Iterator[None]:
    """Put something else in the place of functions of the reader."""
    kept = [(module := import_module(f"ragraph.pdf.{name}"), at, getattr(module, at)) for name, at, _ in stubs]
    try:
        for (module, at, _), (_, _, other) in zip(kept, stubs, strict=True):
            setattr(module, at, other)
        yield
    finally:
        for module, at, function in kept:
            setattr(module, at, function)


def listening(spoke: set[str]) -> list[Stub]:
    """Return stubs that do what the reader does, and add the names of passes that did anything."""

    def heard(label: str, original: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            before = other(*given, **named)
            was = [id(one) for one in before] if isinstance(before, (list, tuple)) else before
            found = original(*given, **named)
            now = [id(one) for one in found] if isinstance(found, (list, tuple)) else found
            if label in _IN_PLACE or bool(now) != bool(was) or (isinstance(now, list) and now != was):
                spoke.add(label)
            return found

        return call

    return [(name, at, heard(label, getattr(import_module(f"ragraph.pdf.{name}"), at), other))
            for label, stubs in OFF.items() if label not in TOGETHER for name, at, other in stubs]  # fmt: skip


def prepared(places: Places, works: Path, reading: Reading) -> Work | None:
    """Return a file before its pages are analysed, stored by the code of the reader; None if it cannot be read."""
    path = reading.path if reading.form == "as is" else stripped(reading.path, places.cache)
    name = hashlib.sha256(path.read_bytes()).hexdigest()[:24] + "".join(f"-{page}" for page in reading.window or ())
    stored = works / f"{name}.pickle"
    if stored.exists():
        known: Work = pickle.loads(stored.read_bytes())
        return known
    try:
        file = open_pdf(path, None)
        try:
            pages = list(parse_pages(path, None, reading.window))
            work = Work(path.name, pages, read_facts(file), file, False, engines.choose("rules"), None)
            run(work, (*PREPARING, *STATING))
        finally:
            file.close()
    except IngestError:
        return None
    work.file = None
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_bytes(pickle.dumps(work))
    return work


def read(places: Places, works: Path, label: str | None, reading: Reading, digest: str = "") -> Read | None:
    """Read a file without a pass, or with all of them if ``label`` is None; None if its draft has the ``digest``."""
    work, spoke = prepared(places, works, reading), set[str]()
    if work is None:
        return Read([], [], spoke, "")
    with switched(listening(spoke) if label is None else OFF[label]):
        run(work, ANALYSING)
    draft = make_draft("pdf", work.pages, work.facts, work.marks, work.vocabulary, work.warnings, work.made_by)
    found = hashlib.sha256(draft.model_dump_json().encode()).hexdigest()
    if found == digest:
        return None
    nodes = [f"{node.type} {node.level} {[place.page_pdf for place in node.positions]}"
             f" {node.data.get('cells') or ''} {node.text}" for node in draft.nodes]  # fmt: skip
    scores = [line for job in reading.jobs for line in of_draft(places, job, draft, 1.0)]
    return Read(nodes, scores, spoke, found)


def row_of(base: Figures, other: Figures) -> str:
    """Return how many figures fall and rise by more than what the gate allows, and the mean change of all."""
    changes = [other[key][name] - value for key, of_key in base.items() for name, value in of_key.items()
               if name != "counted" and name in other[key]]  # fmt: skip
    fall, rise = sum(change < -MOST for change in changes), sum(change > MOST for change in changes)
    return f"{fall} | {rise} | {sum(changes) / max(len(changes), 1):+.4f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="of paths of files; default all files")
    parser.add_argument("--off", action="append", choices=[*OFF], help="passes to switch off, each by itself")
    parser.add_argument("--wild", type=Path, help="folder of the files of the lists in $RAGRAPH_DATA/wild")
    parser.add_argument("--works", type=Path, help="folder for files up to the analysis of their pages")
    parser.add_argument("--also", type=Path, action="append", default=[], help="PDF files without labels, in a folder")
    parser.add_argument("--changes", type=Path, help="folder for the nodes that change, one file a pass")
    parser.add_argument("--around", type=int, default=figures.AROUND, help="pages read on each side of a labelled page")
    parser.add_argument("--processes", type=int, default=2, help="number of processes that read files")
    chosen = parser.parse_args()
    data = Path(os.environ["RAGRAPH_DATA"])
    wild = chosen.wild or Path(os.environ.get("RAGRAPH_WILD", data / "wild"))
    cache = Path(os.environ.get("RAGRAPH_BENCH_CACHE", Path(tempfile.gettempdir()) / "ragraph-bench"))
    places, works = Places(data, wild, None, cache), chosen.works or cache / "works" / code_digest()
    figures.AROUND = chosen.around
    grouped: dict[tuple[Path, str, tuple[int, int] | None], list[Job]] = defaultdict(list)
    for job in jobs(places)[0]:
        if not chosen.parts or any(part in str(job.path) for part in chosen.parts):
            grouped[job.path, job.form, job.window].append(job)
    readings = [Reading(path, form, window, of_key) for (path, form, window), of_key in grouped.items()]
    readings += [Reading(path, "as is", None, []) for folder in chosen.also for path in sorted(folder.rglob("*.pdf"))]
    with ProcessPoolExecutor(chosen.processes, get_context("forkserver")) as pool:
        tried = zip(readings, pool.map(partial(read, places, works, None), readings), strict=True)
        sound = [(reading, one) for reading, one in tried if one is not None and one.nodes]
        readings, base = [reading for reading, _ in sound], [one for _, one in sound]
        known = pooled(line for one in base for line in one.scores)
        nodes, count = sum(len(one.nodes) for one in base), sum(map(len, known.values()))
        print(f"{len(readings)} files, {nodes} nodes, {count} figures\n")
        print("| without | files | changed | nodes | figures that fall | rise | mean |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
        for label in chosen.off or OFF:
            names = {*TOGETHER.get(label, (label,))}
            at = [at for at, one in enumerate(base) if names & one.spoke]
            again = pool.map(partial(read, places, works, label), [readings[one] for one in at],
                             [base[one].digest for one in at])  # fmt: skip
            found = {one: other for one, other in zip(at, again, strict=True) if other is not None}
            moved = [_moved(base[one].nodes, other.nodes) for one, other in found.items()]
            if chosen.changes:
                chosen.changes.mkdir(parents=True, exist_ok=True)
                lines = [line for one, other in found.items() for line in _shown(readings[one], base[one], other)]
                (chosen.changes / f"{label}.txt".replace(" ", "-")).write_text("\n".join(lines), encoding="utf-8")
            now = pooled(line for one, other in enumerate(base) for line in found.get(one, other).scores)
            changed = f"{len(at)} | {sum(map(bool, moved))} | {sum(moved)}"
            print(f"| {label} | {changed} | {row_of(known, now)} |", flush=True)


def _shown(reading: Reading, one: Read, other: Read) -> Iterator[str]:
    """Yield the nodes of a file that are read in another way."""
    yield f"\n==== {reading.path.name}, {reading.form} {reading.window or ''}"
    yield from difflib.unified_diff(one.nodes, other.nodes, "with", "without", n=0, lineterm="")


def _moved(one: list[str], other: list[str]) -> int:
    return ((Counter(one) - Counter(other)) + (Counter(other) - Counter(one))).total()


if __name__ == "__main__":
    main()
