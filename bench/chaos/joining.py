"""The process that takes part in a job."""

from __future__ import annotations

import faulthandler
import os
import signal
import tempfile
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil

import ragraph
from bench.stores import HashModel
from ragraph.errors import IngestEndedError, RagraphError
from ragraph.ingest.jobs.start import resume_job

if TYPE_CHECKING:
    from pathlib import Path


def go_on(where: dict[str, Any], job_id: str, temporary: Path, said: Path, assets: Path) -> None:
    """Resume a job. Our own errors, caused by faults, are expected; others are recorded.

    On SIGUSR1 it records its stack.
    """
    psutil.Process().nice(5)
    stands = (said / f"{os.getpid()}.stands").open("w")
    faulthandler.register(signal.SIGUSR1, file=stands, all_threads=True)
    os.environ["TMPDIR"] = str(temporary)
    os.environ["RAGRAPH_ASSETS"] = str(assets)
    tempfile.tempdir = None
    try:
        with ragraph.open(**where) as store:
            resume_job(store.database, job_id, assets=store.assets, model=HashModel(), workers=1)
    except (RagraphError, IngestEndedError, MemoryError):
        os._exit(3)
    except BaseException as error:
        with suppress(OSError):
            (said / f"{os.getpid()}.txt").write_text("".join(traceback.format_exception(error)))
        os._exit(4)
