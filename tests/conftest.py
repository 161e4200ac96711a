"""A real PostgreSQL for the tests, started once, and the databases they ask for.

Which server:
    RAGRAPH_TEST_URL             any PostgreSQL 16+ (role that may create databases; pgvector in template1, or a
                                 role that may install it). Not set: the embedded server, in a temporary folder.
    RAGRAPH_POSTGRES_VERSION     16 or 18 for the embedded server.

Which fixture:
    connection      for most tests: a connection whose transaction is rolled back at the end. The database behind
                    it is shared, so never commit. Put expected failures into ``with connection.transaction():``.
    database        ragraph.database.Database on an empty database of the test's own, for tests that must commit.
    database_url    the URL of such a database, for code that opens it by itself (CLI, processes). Costs about 0.1 s.
    make_database   a function that returns as many of these as a test needs; ``schema=False`` for an empty one.
    own_home        a folder with a store on an embedded server of the test's own. A copy costs less than a new one.
    server_url      the server itself, database "postgres" or whatever RAGRAPH_TEST_URL names.
    own_readers     reader processes that end with their pool; else a started one is used by later tests too.
    tcp             a second server on 127.0.0.1 that requires passwords, with a role that is not superuser;
                    ``python tests/tcp_server.py python -m pytest`` runs all tests on one.

``make test`` runs two processes of pytest-xdist; each has its own session fixtures and therefore its own server.
Temporary files are kept in memory if there is enough (below); TMPDIR names another place.

Rows to test with: ``from factories import make_document, make_tree`` and so on.
"""

from __future__ import annotations

import functools
import itertools
import os
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
import pytest
from command_line import built_once
from factories import rolled_back
from hypothesis import HealthCheck, settings
from kept_readers import KeptReaders, kept_readers
from processor_time import FAMILIES, Spent
from psycopg import sql
from psycopg.conninfo import make_conninfo
from tcp_server import TcpServer, tcp_server

from bench.throwaway import drop_database
from ragraph.database import migrate
from ragraph.database.connection import Database

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from contextlib import AbstractContextManager

    from ragraph import Store
    from ragraph.schema.rankers import TuneReport

    Connection = psycopg.Connection[tuple[Any, ...]]
    MakeDatabase = Callable[..., str]

# No test asserts a time: an example that takes long on a busy machine says nothing.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # models come from packages and the tests themselves
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")  # no telemetry
os.environ.setdefault("RAGRAPH_BACKEND", "plain")  # same vectors everywhere, and no trials of backends

# With as many test processes as cores, threads of one would spin while they wait for those of the other. What is
# started from here inherits it, processes of pytest-xdist among them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # of torch, and of onnxruntime as ragraph.pdf starts it
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# In the background of a script ("&") SIGINT is ignored, and processes started by tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Images of containers set this to stay small; each of the hundreds of processes that tests start would compile it all.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

MEMORY = Path("/dev/shm")
ROOM_BYTES = 3 * 2**30
"""Minimum free memory per test process for keeping temporary files in memory; most of them are WAL."""


def _keep_temporary_files_in_memory() -> None:
    """Hundreds of servers and databases are created and dropped, which takes more waiting for the disk than computing.

    TMPDIR says otherwise. What tests install there must also run, so a folder mounted ``noexec`` will not do.
    """
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    there = os.statvfs(MEMORY)
    room = ROOM_BYTES * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if there.f_bavail * there.f_frsize < room or there.f_flag & os.ST_NOEXEC:
        return
    if min(psutil.virtual_memory().available, _left_to_container()) >= room:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _left_to_container() -> float:
    """Return the bytes left by the container's limit, which includes files in memory; infinity without a limit."""
    group = Path("/sys/fs/cgroup")
    try:
        return int((group / "memory.max").read_text()) - int((group / "memory.current").read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return float("inf")


_keep_temporary_files_in_memory()

# Originals of documents in databases of the tests are kept there; not in the home of whoever runs them.
_home = TemporaryDirectory(prefix="ragraph-test-home-", ignore_cleanup_errors=True)
os.environ.setdefault("RAGRAPH_HOME", _home.name)

_numbers = itertools.count(1)
_spent = Spent()

FAST = {
    *("test_layers", "test_help", "test_languages", "test_references", "test_filters"),
    *("test_schema_queries", "test_schema_rules", "test_schema_fixtures", "test_schema_delete"),
    *("test_sql_tree", "test_sql_sections", "test_sql_relations", "test_sql_number_pages", "test_sql_resolve"),
    *("test_sql_render", "test_sql_errors", "test_vector_index"),
    *("test_title_matching", "test_ingest_assembling", "test_ingest_tree"),
    *("test_reader_jats", "test_reader_epub", "test_reader_html", "test_reader_markup", "test_reader_office_text"),
    *("test_reader_pdf_type", "test_reader_pdf_tags", "test_reader_pdf_boxes", "test_reader_pdf_headings"),
    *("test_pdf_passes", "test_pdf_joining", "test_pdf_notes", "test_bench_structure", "test_bench_labels"),
}
"""Files of tests, one or more for each room, that together take about a minute: ``make test-fast``."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--file-times", type=int, metavar="N", help="print the time of the N most costly files, 0 for all")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to each report the processor time since the last one, including the teardown of fixtures."""
    report = yield
    if item.config.getoption("--file-times") is not None:
        report.user_properties = [*report.user_properties, ("processor", _spent.take())]
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    most = terminalreporter.config.getoption("--file-times")
    if most is None:
        return
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                of_file = spent[report.nodeid.partition("::")[0]]
                of_file[0] += float(str(dict(report.user_properties).get("processor", 0.0)))
                of_file[1] += report.duration  # fixtures are in setup and teardown
    processor, clock = (sum(column) for column in zip(*spent.values(), strict=True)) if spent else (0.0, 0.0)
    terminalreporter.section("processor time and time by the clock, by file")
    for path, (used, seconds) in sorted(spent.items(), key=lambda item: -item[1][0])[: most or None]:
        terminalreporter.write_line(f"{used:8.1f} s {used / max(processor, 0.01):6.1%} {seconds:8.1f} s  {path}")
    terminalreporter.write_line(f"{processor:8.1f} s        {clock:8.1f} s  all {len(spent)} files")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore files that ``-m fast`` would not run: importing them takes as long as running the fast ones."""
    others = collection_path.suffix == ".py" and collection_path.stem not in FAST
    return True if others and config.option.markexpr == "fast" else None


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.path.stem in FAST:  # here: ``-m fast`` chooses among items before the hook below
        item.add_marker(pytest.mark.fast)


@pytest.hookimpl(trylast=True)  # after pytest-randomly
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = _slow_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def _slow_first(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """Order tests so that no process has a long one left when the others are done.

    pytest-xdist cuts the list into equal parts, and a process that is done takes tests from the end of another part.
    So each part begins with slow tests; those of a file, which may share a cluster, are in the same part.
    """
    slow: dict[Path, list[pytest.Item]] = defaultdict(list)
    others: list[pytest.Item] = []
    for item in items:
        (slow[item.path] if item.get_closest_marker("slow") else others).append(item)
    rest = iter(others)
    ordered: list[pytest.Item] = []
    for place in range(processes):
        part = list(itertools.chain.from_iterable(list(slow.values())[place::processes]))
        size = len(items) * (place + 1) // processes - len(items) * place // processes
        ordered += [*part, *itertools.islice(rest, max(size - len(part), 0))]
    return [*ordered, *rest]


def with_database(url: str, name: str) -> str:
    """Return the URL of another database on the same server."""
    head, question, parameters = url.partition("?")
    scheme, rest = head.split("://", 1)
    return f"{scheme}://{rest.split('/', 1)[0]}/{name}{question}{parameters}"


@contextmanager
def create_database(server_url: str, template: str | None = None) -> Iterator[str]:
    """Create a database, empty or from a template, and drop it at the end."""
    name = f"ragraph_test_{os.getpid()}_{next(_numbers)}"
    # Copying files takes two thirds of the processor time of copying through the WAL, if there is no wait for a disk.
    strategy = sql.SQL("" if os.environ.get("RAGRAPH_TEST_URL") else " STRATEGY file_copy")
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}{}").format(
        sql.Identifier(name), sql.Identifier(template or "template1"), strategy
    )
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(statement)
    yield with_database(server_url, name)
    # as a superuser, who may terminate a running vacuum
    above = server_url if os.environ.get("RAGRAPH_TEST_URL") else make_conninfo(server_url, user="postgres")
    with psycopg.connect(above, autocommit=True) as admin:
        drop_database(admin, name)


def _version() -> int:
    return int(os.environ.get("RAGRAPH_POSTGRES_VERSION") or 18)


@pytest.fixture(scope="session", autouse=True)
def _priority() -> Iterator[None]:
    """Jobs started by tests keep the priority of the tests: beside other tests they would hardly progress."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGRAPH_NICE", "0")
        yield


@pytest.fixture(scope="session", autouse=True)
def _kept_readers() -> Iterator[KeptReaders]:
    with kept_readers() as readers:
        yield readers


@pytest.fixture(scope="session", autouse=True)
def _commands() -> Iterator[None]:
    with built_once():
        yield


@pytest.fixture
def own_readers(_kept_readers: KeptReaders) -> Iterator[None]:
    """Reader processes of the test's own, which end with their pool."""
    _kept_readers.on = False
    yield
    _kept_readers.on = True


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    if url := os.environ.get("RAGRAPH_TEST_URL"):
        yield url
        return
    from ragraph.server import EmbeddedServer, stop

    # Not pytest's folder, which keeps the last three: a server's is large.
    with TemporaryDirectory(prefix="ragraph-test-") as home, EmbeddedServer(Path(home), version=_version()) as server:
        with psycopg.connect(server.url("postgres", role="postgres"), autocommit=True) as admin:
            FAMILIES.append(psutil.Process(admin.info.backend_pid).ppid())
            admin.execute("ALTER SYSTEM SET fsync = off")  # creating and dropping databases waits for the disk
            admin.execute("SELECT pg_reload_conf()")
        try:
            yield server.url("postgres")
        finally:
            stop(Path(home))


@pytest.fixture(scope="session")
def _made_home() -> Iterator[Path]:
    """An empty store on an embedded server that has been stopped."""
    import ragraph
    from ragraph.server import stop

    with TemporaryDirectory(prefix="ragraph-test-") as folder:
        home = Path(folder) / "home"
        ragraph.open(home=home).close()
        stop(home)
        yield home


@pytest.fixture
def own_home(_made_home: Path, tmp_path: Path) -> Iterator[Path]:
    """The home of an empty store on an embedded server of the test's own, for ``ragraph.open(home=...)``."""
    from ragraph.server import stop

    subprocess.run(["cp", "-a", _made_home, tmp_path / "home"], check=True)
    yield tmp_path / "home"
    stop(tmp_path / "home")


@pytest.fixture(scope="session")
def tcp() -> Iterator[TcpServer]:
    with TemporaryDirectory(prefix="ragraph-test-") as folder, tcp_server(Path(folder), _version()) as server:
        yield server


@pytest.fixture(scope="session")
def template(server_url: str) -> Iterator[str]:
    """The name of a database with the schema of ragraph; nobody stays connected to it, so it can be cloned."""
    with create_database(server_url) as url:
        migrate.upgrade(url)
        yield url.partition("?")[0].rpartition("/")[2]


@pytest.fixture
def make_database(server_url: str, template: str) -> Iterator[MakeDatabase]:
    with ExitStack() as stack:

        def make(*, schema: bool = True) -> str:
            return stack.enter_context(create_database(server_url, template if schema else None))

        yield make


@pytest.fixture
def database_url(make_database: MakeDatabase) -> str:
    return make_database()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    with Database(database_url) as opened:
        yield opened


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A store of its own, empty."""
    import ragraph

    with ragraph.open(database_url) as opened:
        yield opened


@pytest.fixture(scope="module")
def axes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny model whose vectors are axes of words."""
    from tiny_models import save_word_axes

    return save_word_axes(tmp_path_factory.mktemp("models") / "axes")


@pytest.fixture(scope="session")
def make_shared_database(server_url: str, template: str) -> Iterator[Callable[..., str]]:
    """Return a function that creates databases which several tests only read, or write to and roll back.

    Rows that are slow to insert are inserted once for a file, not for each test: ``make_shared_database(fill)`` calls
    ``fill`` with a connection and commits. Tests connect by ``factories.rolled_back``.
    """
    with ExitStack() as stack:

        def make(fill: Callable[[Connection], object] | None = None) -> str:
            url = stack.enter_context(create_database(server_url, template))
            if fill is not None:
                with psycopg.connect(url) as connection:
                    fill(connection)
            return url

        yield make


@pytest.fixture(scope="session")
def shared_url(server_url: str, template: str) -> Iterator[str]:
    """The database behind ``connection``."""
    with create_database(server_url, template) as url:
        yield url


@pytest.fixture
def connection(shared_url: str) -> Iterator[Connection]:
    with rolled_back(shared_url) as opened:
        yield opened


def _fill(url: str) -> None:
    """Ingest two of the examples under ids of their own."""
    from sample_library import FILES

    import ragraph

    with ragraph.open(url) as store:
        for document_id, path in FILES.items():
            report = store.ingest(path, document_id=document_id)
            assert report.ok, report


@pytest.fixture(scope="session")
def library_template(server_url: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a database with the documents of tests/sample_library.py; ingested once, embedded once per run."""
    from known_vectors import known_vectors

    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder  # that of all processes of a run
    with create_database(server_url, template) as url:
        with known_vectors(folder / "vectors"):
            _fill(url)
        yield url.partition("?")[0].rpartition("/")[2]


@pytest.fixture(scope="session")
def library_url(server_url: str, library_template: str) -> Iterator[str]:
    """The URL of a filled store that tests only read."""
    with create_database(server_url, library_template) as url:
        yield url


@pytest.fixture
def copied_library(server_url: str, library_template: str) -> Callable[[], AbstractContextManager[str]]:
    """Return a function that makes a filled store and drops it at the end of the block; yields its URL."""
    return functools.partial(create_database, server_url, library_template)


@pytest.fixture(scope="session")
def library(library_url: str) -> Iterator[Store]:
    """A filled store that tests only read."""
    import ragraph

    with ragraph.open(library_url) as store:
        yield store


@pytest.fixture(scope="session")
def paged_library_url(
    server_url: str, library_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The same with a PDF of three pages (tests/sheets.py), whose pages can be rendered."""
    from sheets import SHEETS, write_sheets

    import ragraph

    path = tmp_path_factory.mktemp("sheets") / "bridges.pdf"
    write_sheets(path)
    with create_database(server_url, library_template) as url:
        with ragraph.open(url) as store:
            assert store.ingest(path, document_id=SHEETS).ok
        yield url


@pytest.fixture(scope="session")
def paged_library(paged_library_url: str) -> Iterator[Store]:
    """A filled store that tests only read, one of whose documents has pages."""
    import ragraph

    with ragraph.open(paged_library_url) as store:
        yield store


@pytest.fixture
def own_library(server_url: str, library_template: str) -> Iterator[Store]:
    """A filled store of the test's own."""
    import ragraph

    with create_database(server_url, library_template) as url, ragraph.open(url) as store:
        yield store


@pytest.fixture(scope="session")
def tuned_template(server_url: str, template: str) -> Iterator[tuple[str, TuneReport]]:
    """The name of a database with the documents of tests/judged_library.py and a ranker for them, and its report."""
    from judged_library import judged, write

    import ragraph

    with create_database(server_url, template) as url:
        with ragraph.open(url) as store:
            with store.database.write() as connection:
                write(connection, judged()[0])
            report = store.tune(judged()[1], mode="text")
        name = url.partition("?")[0].rpartition("/")[2]
        with psycopg.connect(
            server_url, autocommit=True
        ) as admin:  # a pool may take some time to close its last connection
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        yield name, report


@pytest.fixture
def tuned(server_url: str, tuned_template: tuple[str, TuneReport]) -> Iterator[Store]:
    """A store of the test's own with a ranker that prefers conclusions with numbers."""
    import ragraph

    with create_database(server_url, tuned_template[0]) as url, ragraph.open(url) as store:
        yield store
