"""What each folder may import: arrows point one way, and nothing goes in circles."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = {
    "schema": "ragraph.schema",
    "migrations": "ragraph.migrations",
    "sql": "ragraph.sql",
    "pdf": "ragraph.pdf",
    "ragraph": "ragraph",
    "ingest": "ragraph.ingest",
}

# Folders by the names they are imported by, lowest first. Each may import those that it names, and itself.
BASE = {"schema", "base"}
DATABASE = {*BASE, "database"}
READ = {*BASE, "ingest.draft", "ingest.common"}
MAY_IMPORT: dict[str, set[str]] = {
    "schema": set(),
    "base": {"schema"},
    "migrations": {"schema"},
    "sql": set(),
    "pdf": {"base"},
    "server": {"base"},
    "database": BASE,
    "models": DATABASE,
    "retrieval": {*DATABASE, "models"},
    "documents": DATABASE,
    "works": DATABASE,
    "tools": {*BASE, "retrieval", "documents"},
    "answers": {*DATABASE, "retrieval", "tools"},
    "entities": {*DATABASE, "answers"},
    "tuning": {*DATABASE, "models", "retrieval"},
    "evaluation": {*BASE, "retrieval", "tuning"},
    "backup": {*DATABASE, "server", "documents"},
    "store": {
        *(*DATABASE, "models", "retrieval", "documents", "server", "answers", "entities", "works", "tuning"),
        *("evaluation", "backup"),
    },
    "faces": {*DATABASE, "retrieval", "server", "answers", "entities", "tuning", "evaluation", "tools", "store"},
    # what reads a file, in a process of its own, knows no database and no model
    "ingest.draft": BASE,
    "ingest.common": {*BASE, "ingest.draft"},
    "ingest.readers": {*READ, "pdf"},
    "ingest.account": {*READ, "ingest.readers"},
    "ingest.reader_process": {*READ, "ingest.account", "ingest.readers"},
    "ingest.files": {*READ, "database", "documents", "ingest.readers", "ingest.reader_process"},
    "ingest.structure": {*READ, "ingest.files"},
    "ingest.vectors": {*READ, "database", "models", "works"},
    "ingest.storing": {
        *(*READ, "database", "models", "documents", "ingest.readers", "ingest.reader_process", "ingest.files"),
        *("ingest.structure", "ingest.vectors"),
    },
    "ingest.supplied": {
        *(*READ, "database", "models", "documents", "ingest.structure", "ingest.vectors", "ingest.storing"),
    },
    "ingest.jobs": {
        *(*READ, "database", "models", "documents", "ingest.readers", "ingest.reader_process", "ingest.files"),
        *("ingest.vectors", "ingest.storing"),
    },
    "ingest.cli": {
        *(*READ, "faces", "store", "ingest.readers", "ingest.reader_process", "ingest.files", "ingest.vectors"),
        *("ingest.supplied", "ingest.jobs"),
    },
    # a program: it starts a server to dump the schema from it
    "schema.generate": {"schema", "database", "server"},
}
# The modules that users import stand beside the folders; each belongs to one.
DOORS = {
    **{"": "store", "errors": "base", "filters": "base", "search": "retrieval", "ingest": "ingest.common"},
    **dict.fromkeys(("__main__", "langchain", "llamaindex", "haystack"), "faces"),
}

PDF_MAY_IMPORT: dict[str, set[str]] = {
    "patterns": set(),
    "trees": set(),
    "boxes": set(),
    "model": {"patterns", "boxes"},
    "text": {"patterns", "model"},
    "strings": set(),
    "page": {"patterns", "model", "strings"},
    "stated": {"patterns", "model", "strings"},
    "furniture": {"patterns", "model", "trees"},
    "blocks": {"patterns", "model", "trees", "tables"},
    "tables": {"patterns", "model", "stated"},
    "headings": {"patterns", "model", "stated", "furniture", "blocks", "trees"},
    "notes": {"patterns", "model", "blocks"},
    "doubts": {"patterns", "model"},
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


def _folder(module: str) -> str:
    own = module.removeprefix("ragraph").removeprefix(".")
    first, _, more = own.partition(".")
    inner = f"{first}.{more.partition('.')[0]}"
    return DOORS.get(own) or (inner if inner in MAY_IMPORT else first)


MODULES_OF = {folder: [module for module in MODULES if _folder(module) == folder] for folder in MAY_IMPORT}


def test_every_module_is_in_a_folder_of_the_table() -> None:
    assert {module: _folder(module) for module in MODULES if _folder(module) not in MAY_IMPORT} == {}


@pytest.mark.parametrize("folder", [folder for folder in MAY_IMPORT if folder != "sql"])
def test_a_folder_imports_only_what_it_may(folder: str) -> None:
    assert MODULES_OF[folder]
    allowed = MAY_IMPORT[folder] | {folder}
    imports = {(module, name) for module in MODULES_OF[folder] for name in _imports(module)}
    assert {(module, name) for module, name in imports if _folder(name) not in allowed} == set()


def test_arrows_between_folders_point_one_way() -> None:
    assert sorted(TopologicalSorter(MAY_IMPORT).static_order()) == sorted(MAY_IMPORT)


@pytest.mark.parametrize("room", PDF_MAY_IMPORT)
def test_a_folder_of_the_pdf_reader_imports_only_what_it_may(room: str) -> None:
    own = f"ragraph.pdf.{room}"
    modules = [name for name in MODULES if name == own or name.startswith(f"{own}.")]
    assert modules
    wrong = {
        (module, name)
        for module in modules
        for name in _imports(module)
        if name.startswith("ragraph.pdf.") and name.split(".")[2] not in PDF_MAY_IMPORT[room] | {room}
    }
    assert not wrong, f"{room!r} may import {sorted(PDF_MAY_IMPORT[room])}"


def test_the_pdf_reader_stands_by_itself() -> None:
    outside = {name for module in MODULES_OF["pdf"] for name in _imports(module) if _folder(name) != "pdf"}
    base = {f"ragraph.base.{name}" for name in ("extra_time", "extras", "hyphens", "pages_done")}
    assert outside == {"ragraph.errors", *base}


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    graph = {name: _imports(name) for name in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


def test_no_file_is_too_long_to_read_in_one_sitting() -> None:
    folders = ("ragraph", "schema", "ingest", "pdf", "migrations", "bench", "tests")
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
