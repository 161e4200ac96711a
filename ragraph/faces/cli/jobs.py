"""The commands for batch jobs: ``ragraph status``, ``ragraph jobs``; ``jobs resume`` belongs to the ingester."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table

from ragraph.base.counts import duration, many
from ragraph.faces.cli.output import (
    JsonOption,
    console,
    is_narrow,
    open_store,
    print_json,
    print_prose,
    shown,
    worded,
)

if TYPE_CHECKING:
    from datetime import datetime

    from ragraph.schema.jobs import Job, JobFile

app = typer.Typer(help="Batch jobs: each run of `ragraph ingest` is one.", no_args_is_help=True)

JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="Id of the job, from `ragraph jobs list`.")]
_Status = Literal["pending", "processing", "completed", "failed"]

_NAMED = 20
"""Maximum number of failed files that `ragraph status` lists."""
_PATHS = 3
"""Number of paths of a job that are named; `--json` has all of them."""
_STYLES = {"running": "cyan", "completed": "green", "failed": "bold red", "interrupted": "yellow", "ended": "yellow"}


def register(commands: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    commands.command()(status)


@app.callback()
def jobs() -> None:
    """Batch jobs: each run of `ragraph ingest` is one."""


@app.command("list")
def list_jobs(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of jobs.")] = 20,
    json: JsonOption = False,
) -> None:
    """List the jobs, the newest first.

    A job is running, completed, ended early, cancelled, or interrupted, if none of its processes sends a heartbeat.

    Example:
        ragraph jobs list -n 5
    """
    with open_store() as store:
        found = store.jobs(limit)
    if json:
        print_json(found)
        return
    if not found:
        console.print("no jobs; `ragraph ingest PATH` starts one")
        return
    table = Table(box=None, pad_edge=False, expand=not is_narrow())
    for name in ("Job", "Status", "Begun"):
        table.add_column(name, no_wrap=True)
    for name in ("Files", "Done", "Failed", "Time"):
        table.add_column(name, justify="right", no_wrap=True)
    if not is_narrow():  # paths may be long: they have the width that the others leave
        table.add_column("Of", overflow="ellipsis", no_wrap=True, ratio=1)
    for job in found:
        cells = (
            job.id,
            _styled(job.status),
            _moment(job.created_at),
            f"{job.files:,}",
            f"{job.completed:,}",
            f"{job.failed:,}",
            duration(job.seconds),
            shown(", ".join(job.paths)),
        )
        table.add_row(*cells[: len(table.columns)])
    console.print(table)


@app.command()
def show(
    job: JobArgument,
    status: Annotated[_Status | None, typer.Option(help="Only files with this status.")] = None,
    json: JsonOption = False,
) -> None:
    """Show a job with its files and their outcomes.

    Example:
        ragraph jobs show job_1b9f3c2a7d40 --status failed
    """
    with open_store() as store:
        found, files = store.job(job), store.job_files(job, status)
    if json:
        print_json({**found.to_json(), "job_files": [file.to_json() for file in files]})
        return
    _print_job(found)
    if not files:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("Status")
    table.add_column("File", overflow="fold")
    table.add_column("Document", no_wrap=True)
    table.add_column("Seconds", justify="right")
    for file in files:
        spent = sum((file.stage_seconds or {}).values())
        table.add_row(
            _styled(file.stage or file.outcome or file.status),
            shown(file.name),
            shown(file.document_id or ""),
            f"{spent:.1f}" if spent else "",
        )
    console.print(table)
    for file in files:
        if file.reason:
            print_prose(f"{_styled(file.outcome or '')}: {shown(file.name)}: {_why(file)}")


@app.command()
def cancel(job: JobArgument, json: JsonOption = False) -> None:
    """Cancel a job; documents already ingested stay. `ragraph jobs resume` can continue it.

    Example:
        ragraph jobs cancel job_1b9f3c2a7d40
    """
    with open_store() as store:
        found = store.cancel_job(job)
    if json:
        print_json(found)
    elif found.status == "cancelled":
        console.print(f"{found.id} is cancelled; {found.workers:,} processes working on it end within seconds")
    else:
        console.print(f"{found.id} is {found.status}: there is nothing to cancel")


def status(
    job: Annotated[str | None, typer.Argument(metavar="JOB", help="Id of a job; default the newest.")] = None,
    json: JsonOption = False,
) -> None:
    """Show the progress of documents and jobs.

    Prints the number of documents by status. Of a job it prints counts, rates, remaining time, the time of each stage,
    and which files failed and why.

    Example:
        ragraph status
    """
    with open_store() as store:
        documents = store.document_statuses()
        newest = store.job(job) if job else next(iter(store.jobs(1)), None)
        failed = store.job_files(newest.id, "failed", _NAMED) if newest and newest.failed else []
    if json:
        print_json(
            {
                "documents": documents,
                "job": newest and newest.to_json(),
                "failed": [{"name": file.name, "reason": worded(file.reason)} for file in failed],
            }
        )
        return
    counted = ", ".join(f"{count:,} {name}" for name, count in documents.items() if count)
    console.print(f"documents: {counted or 'none'}")
    if newest is None:
        return
    _print_job(newest)
    _print_failed(newest, failed)


def _print_job(job: Job) -> None:
    more = f" and {len(job.paths) - _PATHS:,} more" if len(job.paths) > _PATHS else ""
    of = shown(", ".join(job.paths[:_PATHS])) + more
    print_prose(f"{job.id}: {_styled(job.status)}, begun {_moment(job.created_at)}, of {of}")
    if job.error_message:
        print_prose(f"  ended by: {shown(job.error_message)}")
    counts = [f"{getattr(job, name):,} {name}" for name in ("pending", "processing", "completed", "failed")]
    done = f"{job.bytes_done / 1e6:,.1f} of {job.bytes / 1e6:,.1f} MB"
    print_prose(f"  {many(job.files, 'file')}: {', '.join(counts)}; {done} in {duration(job.seconds)}")
    if job.outcomes:
        print_prose(f"  {', '.join(f'{count:,} {name}' for name, count in sorted(job.outcomes.items()))}")
    if job.files_per_second is not None and job.bytes_per_second is not None:
        left = f", {duration(job.seconds_left)} left" if job.seconds_left is not None else ""
        print_prose(f"  {job.files_per_second:,.2f} files/s, {job.bytes_per_second / 1e6:,.3f} MB/s{left}")
    for what, stages, unit in (("now", job.stages, ""), ("took", job.stage_seconds, " s")):
        named = [f"{name} {stages[name]:,}{unit}" for name in ("reading", "writing", "embedding") if name in stages]
        if named:
            print_prose(f"  {what}: {', '.join(named)}")
    if job.status in ("interrupted", "ended", "cancelled"):
        print_prose(f"  ragraph jobs resume {job.id} continues it")


def _print_failed(job: Job, failed: list[JobFile]) -> None:
    for file in failed:
        print_prose(f"  [bold red]failed:[/] {shown(file.name)}: {_why(file)}")
    if job.failed > len(failed):
        print_prose(f"  and {job.failed - len(failed):,} more: ragraph jobs show {job.id} --status failed")
    if failed:
        print_prose("  ragraph ingest --retry-failed tries them again")


def _why(file: JobFile) -> str:
    return shown(worded(file.reason) or "")


def _styled(word: str) -> str:
    style = _STYLES.get(word)
    return f"[{style}]{word}[/]" if style else word


def _moment(when: datetime) -> str:
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
