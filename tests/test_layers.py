"""The rooms of the house and what each may import: arrows point one way, and nothing goes in circles."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = {"schema": "ragraph.schema", "migrations": "ragraph.migrations", "sql": "ragraph.sql", "ragraph": "ragraph"}
FOLDERS["ingest"] = "ragraph.ingest"

# A module belongs to the room that names it, or the longest beginning of its name. A new module needs a room.
ROOMS = {
    "ground": (
        *("arguments", "counts", "defaults", "errors", "settings", "queries", "labels", "languages", "scratch", "sql"),
        *("log", "notices", "telemetry", "terminal"),
    ),
    "schema": ("schema",),
    "migrations": ("migrations",),
    "server": ("server",),
    "database": ("database", "driver", "copying", "migrate", "roles", "tenants", "cluster", "collection_names"),
    "models": ("embedding", "encoding", "endpoint", "bert", "models", "rerank"),
    "asking": ("runner", "rows", "filters", "scope", "naming", "outside"),
    "reading": ("catalog", "content", "document_graph", "citing", "csl", "updating", "exporting"),
    "pictures": ("assets", "pictures"),
    "places": ("places",),
    "backup": ("backup",),
    "doctor": ("doctor",),
    "retrieval": ("search", "sections", "context", "pagerank", "retrieval"),
    "answers": ("claims", "answer", "checking", "describing", "language_model", "navigate"),
    "tuning": ("tuning",),
    "entities": ("entities",),
    "works": ("works",),
    "evaluation": ("evaluation",),
    "store": (
        *(
            "store",
            "store_citing",
            "store_entities",
            "store_jobs",
            "store_keeping",
            "store_learning",
            "store_models",
            "store_pictures",
            "store_versions",
            "store_works",
            "store_writing",
        ),
        *("opening", "intake", ""),
    ),
    "tools": ("tools",),
    "web": ("web",),
    "mcp": ("mcp",),
    "frameworks": ("frameworks", "framework_drafts", "langchain", "llamaindex", "haystack"),
    "cli": ("cli", "__main__"),
    "drafts": (
        *(
            "ingest.draft",
            "ingest.figures",
            "ingest.preflight",
            "ingest.extra_time",
            "ingest.memory",
            "ingest.matter",
            "ingest.titles",
            "ingest.long_texts",
        ),
        *("ingest.readers", "ingest.worker"),
    ),
    "ingest": ("ingest",),
    "ingest commands": ("ingest.command", "ingest.explain", "ingest.showing", "ingest.background"),
    "generator": ("schema.generate",),
}

MAY_IMPORT = {
    "ground": {"schema"},
    "schema": set(),
    "migrations": {"schema"},
    "server": {"ground"},
    "database": {"ground", "schema"},
    "models": {"ground", "schema", "database"},
    "asking": {"ground", "schema", "database", "server"},
    "reading": {"ground", "schema", "database", "asking"},
    "pictures": {"ground", "schema", "database", "asking"},
    "places": {"ground", "database", "server", "pictures"},
    "doctor": {"ground", "schema", "database", "models", "pictures"},
    "backup": {"ground", "schema", "database", "server", "pictures"},
    "retrieval": {"ground", "schema", "asking", "models"},
    "tuning": {"ground", "schema", "asking", "models", "retrieval", "database"},
    "answers": {"ground", "schema", "database", "asking", "reading", "models", "retrieval", "tools"},
    "entities": {"ground", "schema", "database", "asking", "answers"},
    "works": {"ground", "schema", "database", "asking"},
    "evaluation": {"ground", "schema", "asking", "retrieval", "tuning"},
    "store": {
        *("ground", "schema", "server", "database", "models", "asking", "reading", "retrieval", "answers", "tuning"),
        *("pictures", "evaluation", "places", "backup", "doctor", "entities", "works"),
    },
    "tools": {"ground", "schema", "asking", "reading", "retrieval"},
    "web": {"ground", "schema", "asking", "models", "store", "tools", "answers"},
    "mcp": {"ground", "schema", "store", "tools", "web"},
    "frameworks": {"ground", "schema", "asking", "retrieval", "store"},
    "cli": {
        *("web", "mcp"),
        *("ground", "schema", "server", "database", "models", "asking", "reading", "retrieval", "answers", "tuning"),
        *("store", "evaluation", "places", "entities", "works"),
    },
    # what runs in the process that reads a file knows no database and no model
    "drafts": {"ground", "schema"},
    "ingest": {"ground", "schema", "database", "models", "reading", "drafts", "pictures", "works"},
    "ingest commands": {"ground", "schema", "models", "drafts", "ingest", "cli"},
    # a program: it starts a server to dump the schema from it
    "generator": {"schema", "database", "server"},
}

# The rooms inside the reader of PDF files, in the same way; passes, reader and the plug-in stand above them.
PDF = "ragraph.ingest.readers.pdf"
PDF_MAY_IMPORT: dict[str, set[str]] = {
    "patterns": set(),
    "trees": set(),
    "model": {"patterns"},
    "text": {"patterns", "model"},
    "page": {"patterns", "model"},
    "stated": {"patterns", "model"},
    "furniture": {"patterns", "model", "trees"},
    "blocks": {"patterns", "model", "trees", "tables"},
    "tables": {"patterns", "model", "stated"},
    "headings": {"patterns", "model", "stated", "furniture", "blocks", "trees"},
    "notes": {"patterns", "model", "blocks"},
    "drafting": {"model", "text", "stated", "notes"},
}


def _name(path: Path) -> str:
    folder, *rest = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([FOLDERS[folder], *(part for part in rest if part != "__init__")])


MODULES = {_name(path): path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))}


def _imports(module: str) -> set[str]:
    """Return the modules of ours that one imports, wherever in it, for types alone too."""
    names: set[str] = set()
    nodes: list[ast.AST] = [ast.parse(MODULES[module].read_text())]
    while nodes:
        node = nodes.pop()
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in MODULES else node.module for name in inner}
    return names & MODULES.keys() - {module}


def _room(module: str) -> str:
    own = module.removeprefix("ragraph").removeprefix(".")
    fitting = [
        (len(name), room)
        for room, names in ROOMS.items()
        for name in names
        if own == name or (name and own.startswith(name + "."))
    ]
    assert fitting, f"{module} has no room; name it in ROOMS"
    return max(fitting)[1]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_room_may(module: str) -> None:
    room = _room(module)
    allowed = MAY_IMPORT[room] | {room}
    wrong = {name: there for name in _imports(module) if (there := _room(name)) not in allowed}
    assert not wrong, f"{module} stands in {room!r}, which may import {sorted(MAY_IMPORT[room])}"


def test_arrows_between_rooms_point_one_way() -> None:
    order = list(TopologicalSorter(MAY_IMPORT).static_order())
    assert sorted(order) == sorted(ROOMS)


@pytest.mark.parametrize("room", PDF_MAY_IMPORT)
def test_a_room_of_the_pdf_reader_imports_only_what_it_may(room: str) -> None:
    own = f"{PDF}.{room}"
    modules = [name for name in MODULES if name == own or name.startswith(f"{own}.")]
    assert modules
    wrong = {
        (module, name)
        for module in modules
        for name in _imports(module)
        if name.startswith(f"{PDF}.") and name.split(".")[4] not in PDF_MAY_IMPORT[room] | {room}
    }
    assert not wrong, f"{room!r} may import {sorted(PDF_MAY_IMPORT[room])}"


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    graph = {name: _imports(name) for name in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


def test_no_file_is_too_long_to_read_in_one_sitting() -> None:
    folders = ("ragraph", "schema", "ingest", "migrations", "bench", "tests")
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 600
    }
    assert long == {}


@pytest.mark.parametrize(
    ("program", "unwanted"),
    [
        (
            "import ragraph.store.store, ragraph.store.opening",
            {"torch", "docling", "transformers", "numpy", "sqlalchemy"},
        ),
        # what prints the help of all commands
        (
            "import ragraph, ragraph.faces.cli.program",
            {"psycopg", "pydantic", "numpy", "psutil", "asyncio", "sqlalchemy", "fastapi"},
        ),
    ],
)
def test_importing_loads_no_more_than_it_needs(program: str, unwanted: set[str]) -> None:
    code = f"import sys; {program}; print(sorted({unwanted!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_package_names_what_it_promises() -> None:
    import ragraph

    assert set(ragraph.__all__) <= set(dir(ragraph))
    for name in ragraph.__all__:
        assert getattr(ragraph, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        ragraph.nonsense  # noqa: B018
