"""A process that takes part in a batch job, and stops or kills itself at a chosen step of a chosen file.

    from job_process import main; main()    with the arguments URL JOB_OR_FOLDER LEASE_S words|none [STEP SIGNAL NAME]

It embeds with a model of words, or not at all. It prints its report as JSON at the end. Steps: ``reading`` (before a
reader is asked), ``writing`` (rows of the graph are written, nothing is committed), ``embedding`` (the same for
vectors), ``written`` (the graph is committed).
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from forked_python import start_python
from ingest_tools import WordModel, run
from server_tools import wait_until

from ragraph import errors
from ragraph.database.connection import Database
from ragraph.ingest.jobs.start import resume_job
from ragraph.ingest.reader_process import isolate
from ragraph.ingest.storing import linking, registry
from ragraph.ingest.vectors.embed import Embedder

if TYPE_CHECKING:
    from ragraph.schema.reports import IngestReport


class JobProcess:
    """A started process of this file."""

    def __init__(self, url: str, job: str | Path, *fault: str, lease_s: float = 1.0, embeds: bool = True) -> None:
        arguments = (url, str(job), str(lease_s), "words" if embeds else "none", *fault)
        self.process = start_python("from job_process import main; main()", *arguments, modules=("job_process",))

    def wait_stopped(self) -> None:
        """Wait until the process has stopped itself."""
        wait_until(lambda: psutil.Process(self.process.pid).status() == psutil.STATUS_STOPPED, 120)

    def go_on(self) -> dict[str, Any]:
        """Let it go on, and return its report."""
        self.process.send_signal(signal.SIGCONT)
        return self.report()

    def report(self) -> dict[str, Any]:
        """Return the report that it prints at its end."""
        said, complaint = self.process.communicate(timeout=240)
        assert self.process.returncode == 0, complaint
        found: dict[str, Any] = json.loads(said.splitlines()[-1])
        return found

    def wait_killed(self) -> None:
        self.process.communicate(timeout=240)
        assert self.process.returncode == -signal.SIGKILL


def _fault(step: str, name: str, number: int) -> None:
    """Have this process signal itself at a step, once."""
    left = [number]

    def signal_now(path: str) -> None:
        if left and path.endswith(name):
            os.kill(os.getpid(), left.pop())

    if step == "reading":
        read = isolate.ReaderPool.read

        def stop_and_read(self: Any, path: Path, *rest: Any, **named: Any) -> Any:
            signal_now(str(path))
            return read(self, path, *rest, **named)

        isolate.ReaderPool.read = stop_and_read  # type: ignore[method-assign]
    elif step == "writing":
        write = linking.ingest_draft

        def write_and_stop(connection: Any, draft: Any, document: Any, **rest: Any) -> Any:
            written = write(connection, draft, document, **rest)
            signal_now(document.source_uri)
            return written

        registry.ingest_draft = write_and_stop  # type: ignore[attr-defined, assignment]
    elif step == "written":
        store = registry.Registry.store

        def store_and_stop(self: Any, target: Any, draft: Any) -> Any:
            stored = store(self, target, draft)
            signal_now(target.found.uri)
            return stored

        registry.Registry.store = store_and_stop  # type: ignore[method-assign]
    elif step == "embedding":
        copy = Embedder._copy

        def copy_and_stop(self: Any, connection: Any, batch: Any) -> None:
            copy(self, connection, batch)
            ids = [ready.plan.document_id for ready in batch]
            for (place,) in connection.execute("SELECT source_uri FROM ragraph.document WHERE id = any(%s)", [ids]):
                signal_now(place)

        Embedder._copy = copy_and_stop  # type: ignore[method-assign]
    else:
        raise ValueError(step)


def main() -> None:
    url, what, lease_s, words, *fault = sys.argv[1:]
    model = WordModel() if words == "words" else None
    if fault:
        step, number, name = fault
        _fault(step, name, int(number))
    with Database(url) as database:
        try:
            report: IngestReport
            if what.startswith("job_"):
                report = resume_job(database, what, workers=1, model=model)
            else:
                report = run(database, Path(what), job=True, lease_s=float(lease_s), workers=1, model=model)
        except errors.IngestEndedError as error:
            report = error.report
    print(json.dumps(report.to_json()))


if __name__ == "__main__":
    main()
