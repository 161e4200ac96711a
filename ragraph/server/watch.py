"""Find the postmaster of a data folder; as a script, stop it when the last client has left.

The script runs detached, with locked files inherited from the process that starts it. It imports nothing of ragraph, to
use little memory and to work even if ragraph is uninstalled meanwhile:

    watch.py last DATA CLIENTS_LOCK SERVER_LOCK   wait until no client holds CLIENTS_LOCK, then stop the server
    watch.py hold DATA CLIENTS_LOCK SERVER_LOCK   act as a client until the server ends (`ragraph db url`)
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

# Seconds that a fast stop may take, by the state in pg_control. State 3 is the last checkpoint, which writes all
# memory.
# State 4 is crash recovery, where PostgreSQL 18 may wait for its io workers forever; stopping it at once loses nothing.
_PATIENCE = {3: 120.0, 4: 2.0}
_PATIENCE_ELSE = 20.0
_QUIT_SECONDS = 30.0
_PAUSE = 0.05


@dataclass(frozen=True)
class PidFile:
    """Content of postmaster.pid; a truncated file gives empty strings and no pid."""

    pid: int | None
    socket_folder: str
    status: str  # "starting", "ready", "stopping", "standby"


def read_pid_file(data: Path) -> PidFile | None:
    """Read postmaster.pid of a data folder; return None if there is none."""
    try:
        lines = (data / "postmaster.pid").read_bytes().decode("utf-8", "surrogateescape").split("\n")
    except FileNotFoundError:
        return None
    lines += [""] * (8 - len(lines))
    number = lines[0].strip()
    pid = int(number) if number.isascii() and number.isdigit() and 1 < int(number) < 2**31 else None
    return PidFile(pid, lines[4], lines[7].strip())


def find_postmaster(data: Path) -> psutil.Process | None:
    """Return the running postmaster of a data folder, or None if the pid file is stale or names another process."""
    found = read_pid_file(data)
    if found is None or found.pid is None:
        return None
    try:
        process = psutil.Process(found.pid)
        arguments = process.cmdline()
        if process.status() == psutil.STATUS_ZOMBIE or not arguments or Path(arguments[0]).name != "postgres":
            return None
        if "-D" not in arguments[:-1] or Path(arguments[arguments.index("-D") + 1]) != data:
            return None
        try:
            folder = process.cwd()
        except psutil.AccessDenied:
            pass  # root in a container may be denied this; then the command line is all there is
        else:
            if Path(folder) != data:
                return None
    except psutil.Error:
        return None
    return process


def stop_postmaster(data: Path, server_lock: Path) -> bool:
    """Stop the server of a data folder in fast mode and wait until its last process has ended.

    If it does not end, it is stopped in immediate mode; it recovers at the next start.

    Returns:
        True if a server was running.

    Raises:
        TimeoutError: it did not end.
    """
    process = find_postmaster(data)
    if process is None:
        return False
    for number in (signal.SIGINT, signal.SIGQUIT):
        begin = time.monotonic()
        try:
            process.send_signal(number)  # psutil checks that the pid does not belong to a newer process
        except psutil.NoSuchProcess:
            return True
        while time.monotonic() < begin + (_patience(data) if number == signal.SIGINT else _QUIT_SECONDS):
            now = find_postmaster(data)
            # another postmaster was started by a client after all of this one had ended
            if now != process and (now is not None or not _held(server_lock)):
                return True
            time.sleep(_PAUSE)
    raise TimeoutError(f"PostgreSQL (process {process.pid}) does not stop")


def _patience(data: Path) -> float:
    try:
        with (data / "global" / "pg_control").open("rb") as file:
            # the fourth field, as in all versions since PostgreSQL 8
            state = int.from_bytes(file.read(20)[16:], sys.byteorder)
    except OSError:
        return _PATIENCE_ELSE
    return _PATIENCE.get(state, _PATIENCE_ELSE)


def _held(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _last(data: Path, clients_lock: Path, server_lock: Path, own_lock: int) -> None:
    clients = os.open(clients_lock, os.O_RDWR | os.O_CLOEXEC)
    fcntl.flock(clients, fcntl.LOCK_EX)
    try:
        # a store deleted and created again at the same place is not ours to stop
        if _same_file(clients, clients_lock):
            stop_postmaster(data, server_lock)
    finally:
        # in this order, so that a client that gets the lock now can start a watcher
        os.close(own_lock)
        os.close(clients)


def _hold(server_lock: Path) -> None:
    server = os.open(server_lock, os.O_RDWR | os.O_CLOEXEC)
    fcntl.flock(server, fcntl.LOCK_SH)  # granted when the last process of the server has ended


def main(arguments: list[str]) -> None:
    """Run the task named in the module's docstring; the last argument is the inherited descriptor of the own lock."""
    task, data, clients_lock, server_lock, own_lock = arguments
    os.chdir("/")  # keep no folder busy
    if task == "last":
        _last(Path(data), Path(clients_lock), Path(server_lock), int(own_lock))
    else:
        _hold(Path(server_lock))


if __name__ == "__main__":
    main(sys.argv[1:])
