"""Methods of ``Store`` for batch jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from psycopg.rows import dict_row, tuple_row

from ragraph.base.arguments import check_methods
from ragraph.base.queries import QUERIES
from ragraph.errors import ArgumentError
from ragraph.schema.jobs import JobFileStatus, job_file_of, job_of
from ragraph.store.intake import resume

if TYPE_CHECKING:
    from typing import Unpack

    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.documents.assets import Assets
    from ragraph.schema.jobs import Job, JobFile
    from ragraph.schema.reports import IngestReport
    from ragraph.store.ingest_options import ResumeOptions


def reopen(database: Database, job: str) -> None:
    """Mark a batch job as running before it is resumed, so that any process can cancel it while it waits.

    Raises:
        JobNotFoundError: no job has this id.
    """

    def reopened() -> None:
        with database.write() as connection:
            connection.execute(QUERIES["resume_job"], {"job_id": job})

    database.retry_once(reopened)


@check_methods
class StoreJobs:
    """Methods of ``Store`` for batch jobs."""

    database: Database
    assets: Assets | None
    _ask: QueryRunner

    def jobs(self, limit: int | None = 20) -> list[Job]:
        """Return the batch jobs, the newest first: runs of `ragraph ingest`, and of ``ingest(..., job=True)``.

        Args:
            limit: maximum number of jobs; None for all. Jobs are deleted 30 days after they are done.
        """
        return [job_of(row) for row in self._ask.rows("job_list", dict_row, {"job_id": None, "limit": limit})]

    def job(self, job: str) -> Job:
        """Return a batch job with its progress.

        Args:
            job: id of the job.

        Raises:
            JobNotFoundError: no job has this id.
        """
        self._ask.rows("require_job", dict_row, {"job_id": job})
        (row,) = self._ask.rows("job_list", dict_row, {"job_id": job, "limit": None})
        return job_of(row)

    def job_files(self, job: str, status: JobFileStatus | None = None, limit: int | None = None) -> list[JobFile]:
        """Return the files of a batch job, in the order of its list.

        Args:
            job: id of the job.
            status: only files that are pending, processing, completed or failed.
            limit: maximum number of files; None for all.

        Raises:
            JobNotFoundError: no job has this id.
            ArgumentError: the status does not exist.
        """
        if status is not None and status not in (known := get_args(JobFileStatus)):
            raise ArgumentError(f"status {status!r} is not {', '.join(known[:-1])} or {known[-1]}")
        self._ask.rows("require_job", dict_row, {"job_id": job})
        names = {"job_id": job, "status": status, "limit": limit}
        return [job_file_of(row) for row in self._ask.rows("job_files", dict_row, names)]

    def document_statuses(self) -> dict[JobFileStatus, int]:
        """Return the number of documents of the store that are pending, processing, completed and failed."""
        found = dict(self._ask.rows("document_statuses", tuple_row, {}))
        return {status: found.get(status, 0) for status in get_args(JobFileStatus)}

    def cancel_job(self, job: str) -> Job:
        """Cancel a batch job: its processes end within seconds; ingested files stay.

        Args:
            job: id of the job.

        Raises:
            JobNotFoundError: no job has this id.
        """

        def cancel() -> None:
            with self.database.write() as connection:
                connection.execute(QUERIES["cancel_job"], {"job_id": job})

        self.database.retry_once(cancel)
        return self.job(job)

    def resume_job(self, job: str, **options: Unpack[ResumeOptions]) -> IngestReport:
        """Resume a batch job in this process, with its recorded options; other processes may work on it too.

        Args:
            job: id of the job.
            **options: see ``ragraph.store.ingest_options.ResumeOptions``: ``workers``, ``progress`` and ``ray`` as in
                ``ingest``, and ``options`` with the password if files need one. Passwords are not stored with a job.

        Returns:
            A report for each file of the job, including files of other processes.

        Raises:
            JobNotFoundError: no job has this id.
        """
        return resume(self.database, job, options, self.assets)
