"""Ingest the same documents into a cluster and into a plain database, ask both the same, and compare.

    RAGRAPH_CITUS_SOURCE=~/citus python -m bench.cluster examples/documents

It builds Citus (once, below --build; some minutes), starts a coordinator and two workers, and works as a role without
privileges. After the ingestion it runs every read over every document. Then files change, move and are deleted, a
document is updated and moved to another collection, and two programs ingest at once. Every answer must be that of the
plain database, to five digits. Then each kind of question is timed, in both in turn. Exit code 1 if an answer differs.
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
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

import ragraph
from bench.cluster.build import build
from bench.cluster.nodes import CLUSTER, PLAIN, Cluster, cluster
from bench.cluster.questions import answer, questions
from bench.synthetic import make_vectors
from bench.timing import timed
from ragraph.database import cluster as ragraph_cluster
from ragraph.database import migrate
from ragraph.database.roles import make_roles
from ragraph.database.tenants import grant_collection, switch_tenants
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.models.embedding import DEFAULT_MODEL
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

_AFTER_A_CHANGE = (
    "list",
    "facets",
    "check",
    "models",
    "doctor",
    "filter ",
    "references",
    "works",
    "entities",
    "history ",
    "diff ",
    "cited_by ",
    "erased ",
    "state ",
    "document ",
    "text ",
    "nodes ",
    "relations ",
    "pages ",
    "0 ",
)
TENANT = "tenant"
GIVEN = 12
"""Documents that are added with their vectors."""
_BACKEND = "plain"
"""Set explicitly: automatic choices may differ between two runs, and vectors with them."""


def main() -> None:
    """Run the command; exit code 1 if an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("examples/documents"), Path("tests/data/markup")])
    parser.add_argument("--build", type=Path, default=Path(".cluster"), help="folder where Citus is or will be built")
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
        result["steps"].append(_as_tenant(started))
    if given.json:
        print(json.dumps(result))
    else:
        _print(result)
    sys.exit(1 if any(step["differ"] for step in result["steps"]) else 0)


def measure(urls: dict[str, str], paths: list[Path], folder: Path) -> dict[str, Any]:
    """Do every step in both stores and compare their answers after it."""
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
            """Ask everything after the first step, and what concerns complete documents and stores after the others."""
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
                    differ.append(f"{question}: {_apart(*answers)}")
            steps.append({"step": name, "questions": asked, "differ": differ})
            print(
                f"{name}: {asked} questions, {len(differ)} differ",
                *differ[:3],
                sep="\n    ",
                file=sys.stderr,
                flush=True,
            )

        for store in stores:
            store.keep_versions("default")
        compare("ingest", [_ingest(store, folder) for store in stores])
        compare("entities", [store.extract_entities() for store in stores])
        compare("again, nothing changed", [_ingest(store, folder) for store in stores])
        changing.write_text(_text([*range(5), 100, *range(7, 30), *range(35, 38), 31, 101]))
        compare("a file changed", [_ingest(store, folder) for store in stores])
        (altered,) = (d.id for d in plain.documents() if (d.title or "").startswith("What changes"))
        compare("an earlier version back", [store.restore_version(altered, 1) for store in stores])
        compare("versions gone", [store.prune_versions(altered) for store in stores])
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
        names = [entity.identity for entity in plain.entities(limit=2)]
        works = [work.identity for work in plain.works(limit=2)]
        compare("two entities said to be one", [store.merge_entities(names) for store in stores])
        compare("and two again", [store.reset_entities(names[0]) for store in stores])
        merged = [store.merge_works(works) for store in stores]
        compare("two works said to be one", merged)
        compare("one split off", [_split(store, merged[0]) for store in stores])
        compare("and as they were found", [store.reset_work(merged[0]) for store in stores])
        compare("many given, written together", [_given(store, range(GIVEN)) for store in stores])
        compare("and again, some changed", [_given(store, range(0, GIVEN, 3), "now") for store in stores])
        for store in stores:
            lines = list(store.export(collection="given"))
            for document in store.documents(collection="given"):
                store.delete(document.id)
            store.add_many(lines)
        compare("exported, deleted and imported", [None, None])
        compare("another model filled and used", [_other_model(store) for store in stores])
        for store in stores:
            store.switch_model(DEFAULT_MODEL)
            store.drop_model("short")
        compare("and dropped", [None, None])
        compare("two programs at once", [_two_at_once(url, folder) for url in urls.values()])
    return {"steps": steps, "times": _summary(times)}


def _given(store: ragraph.Store, numbers: Iterable[int], word: str = "then") -> list[Any]:
    """Add documents with vectors of their own, as a program does that computed them; return their results."""
    drafts = []
    for number in numbers:
        vectors = make_vectors(number, 3, 384)
        texts = (f"Part {number}", f"What was said {word} of {number * 7919 % 1000}.", "It was said by all.")
        kinds = (ContentNodeType.HEADING, ContentNodeType.PARAGRAPH, ContentNodeType.PARAGRAPH)
        nodes = [
            DraftNode(key=str(place), type=kind, text=text, vectors={DEFAULT_MODEL: vectors[place]})
            for place, (kind, text) in enumerate(zip(kinds, texts, strict=True))
        ]
        drafts.append(DraftDocument(id=f"dl_given_{number:05}", nodes=nodes, metadata={"extra": {"number": number}}))
    report = store.add_many(drafts, collection="given")
    return [(f.path, f.status, f.reason, f.nodes, f.components, f.relations, f.embeddings) for f in report.files]


def _other_model(store: ragraph.Store) -> list[Any]:
    """Register a second model, embed with it and have searches use it."""
    store.add_model(DEFAULT_MODEL, name="short", dimensions=128, unstated=True)
    filled = store.embed("short", backend=_BACKEND)
    return [filled.documents, filled.embeddings, store.switch_model("short").name]


def _split(store: ragraph.Store, work: str) -> str:
    """Split off the entry of the first document that lists a work."""
    listing = [d.id for d in store.documents() if work in {own.identity for own in store.works(document=d.id)}]
    return store.split_work(work, min(listing)) if len(listing) > 1 else "it is in one document"


def _as_tenant(started: Cluster) -> dict[str, Any]:
    """Enable tenants in both stores, and compare what a role with one granted collection sees."""
    with psycopg.connect(started.url(CLUSTER, "postgres"), autocommit=True) as admin:
        # it may log in, because the nodes connect to each other as the role of the query
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(TENANT), started.password))
    for name in (CLUSTER, PLAIN):  # the cluster first, because it makes the roles on every node
        above = started.url(name, "postgres")
        make_roles(above)
        grant_collection(above, TENANT, "twice")
        grant_collection(above, TENANT, "given", write=True)
        with psycopg.connect(above, autocommit=True) as admin:
            admin.execute(sql.SQL("GRANT ragraph_writer TO {}").format(sql.Identifier(TENANT)))
        switch_tenants(above, on=True)
    asked, differ = 0, []
    with ragraph.open(started.url(PLAIN, TENANT)) as plain, ragraph.open(started.url(CLUSTER, TENANT)) as spread:
        written = [_given(store, range(0, 2 * GIVEN, 3), "by a tenant") for store in (plain, spread)]
        if written[0] != written[1]:
            differ.append(f"what a tenant writes: {_apart(*map(str, written))}")
        for question, ask in questions(plain):
            asked += 1
            one, other = answer(ask, plain), answer(ask, spread)
            if one != other:
                differ.append(f"{question}: {_apart(one, other)}")
        if {document.collection for store in (plain, spread) for document in store.documents()} != {"twice", "given"}:
            differ.append("a collection that was not granted is seen")
    print(
        f"as a tenant: {asked} questions, {len(differ)} differ", *differ[:3], sep="\n    ", file=sys.stderr, flush=True
    )
    return {"step": "as a tenant of one collection", "questions": asked, "differ": differ}


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
    files = [
        (Path(f.path).name, f.status, f.reason, f.nodes, f.components, f.relations, f.embeddings) for f in report.files
    ]
    return [files, report.warnings]


def _two_at_once(url: str, folder: Path) -> list[str]:
    """Have two programs ingest copies of the folder into another collection, and return what either warns of.

    Both must succeed. Publication records are left out, because each belongs to the collection that it was first
    written to.
    """
    copies = folder.with_name("copies")
    shutil.copytree(folder, copies, dirs_exist_ok=True, ignore=shutil.ignore_patterns("publication*.json"))
    command = [
        sys.executable,
        "-m",
        "ragraph",
        "--url",
        url,
        "ingest",
        str(copies),
        "--collection",
        "twice",
        "--backend",
        _BACKEND,
        "--json",
    ]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    warnings: set[str] = set()
    for program in running:
        said = program.communicate()
        if program.returncode:
            told = "\n".join(text.decode()[-2000:] for text in said)
            raise SystemExit(f"one of two programs at once failed: {told}")
        warnings.update(json.loads(said[0])["warnings"])
    return sorted(warnings)


def _apart(one: str, other: str) -> str:
    """Return two texts from shortly before their first difference."""
    start = max(next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0) - 60, 0)
    return f"{one[start : start + 200]} | {other[start : start + 200]}"


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
