"""Long runs of the command line: in the background, or while a folder is watched."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ragraph.base import settings
from ragraph.faces.cli.output import connection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.base.settings import LogKind

_COMMAND = (sys.executable, "-c", "from ragraph.faces.cli import main; main()")
_LOOK_S = 1.0
"""Seconds between two looks at a watched folder; a file has to be the same in two looks."""


def go_on_detached(job_id: str, *, workers: int | None, password: str | None, log: LogKind | None) -> Path:
    """Start a process that resumes a job and outlives this one and its terminal; return the file of its output."""
    home = Path(connection.home or settings.home())
    file = home / "jobs" / f"{job_id}.log"
    file.parent.mkdir(parents=True, exist_ok=True)
    named = {"RAGRAPH_DATABASE_URL": connection.url, "RAGRAPH_ROLE": connection.role, "RAGRAPH_PASSWORD": password}
    environment = {**os.environ, **{name: value for name, value in named.items() if value is not None}}
    if connection.home is not None:
        environment["RAGRAPH_HOME"] = str(connection.home.absolute())
    words = ["jobs", "resume", job_id, "--progress", "json", *(("--workers", str(workers)) if workers else ())]
    words += ["--log", log] if log else []
    with file.open("ab") as output:
        process = subprocess.Popen(
            [*_COMMAND, *words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,  # it does not end with the terminal
        )
    # if this process stays, the thread notices the end of that one, so that it leaves no zombie
    threading.Thread(target=process.wait, name="ragraph-detached", daemon=True).start()
    return file


def changes(paths: Sequence[str | Path], *, images: bool) -> Iterator[list[Path]]:
    """Yield, without end, the files that are new or changed since the last look; first all files.

    A file that is still being written is left until it is the same in two looks.
    """
    from ragraph.ingest.files.discover import find_files  # imported here so that --help stays fast

    taken: dict[Path, tuple[int, int]] = {}
    before: dict[Path, tuple[int, int]] | None = None
    while True:
        now = {file.path: stamp for file in find_files(paths, images=images).files if (stamp := _stamp(file.path))}
        fresh = [path for path, stamp in now.items() if taken.get(path) != stamp]
        ready = fresh if before is None else [path for path in fresh if before.get(path) == now[path]]
        if ready:
            taken |= {path: now[path] for path in ready}
            yield ready
        before = now
        time.sleep(_LOOK_S)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:  # it is gone again
        return None
    return state.st_mtime_ns, state.st_size
