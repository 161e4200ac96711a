"""The describe command: descriptions of figures by a vision model."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ragraph.base.counts import many
from ragraph.faces.cli.output import JsonOption, console, errors, open_store, print_json, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(describe)


def describe(
    document: Annotated[list[str] | None, typer.Option(help="Only this document; may be repeated.")] = None,
    llm: Annotated[str | None, typer.Option(metavar="MODEL", help="A vision model; default RAGRAPH_LLM_MODEL.")] = None,
    llm_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Endpoint of OpenAI's chat protocol; default RAGRAPH_LLM_URL, else OpenAI's."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also figures that a model has described before.")] = False,
    json: JsonOption = False,
) -> None:
    """Let a vision model describe figures in words.

    Describes figures without a description, each from its picture and caption. Figures are searched and embedded by
    their descriptions, so run `ragraph embed` afterwards. Exit code 1 if a figure could not be described.

    Example:
        ragraph describe --llm llava --llm-url http://localhost:11434/v1
    """
    from ragraph.answers.language_model import Endpoint

    with open_store() as store, _bar() as told:
        endpoint = Endpoint(model=llm, base_url=llm_url)
        report = store.describe(document or None, llm=endpoint, again=again, progress=told)
    if json:
        print_json(report)
    else:
        for figure in report.failed:
            line = f"{figure.document_id} {figure.node_id}: {shown(figure.reason)}"
            errors.print(f"[yellow]not described:[/] {line}", soft_wrap=True)
        console.print(f"{report.described:,} of {many(report.figures, 'figure')} described; now: ragraph embed")
    if report.failed:
        raise typer.Exit(1)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    if not errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("figures"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("figures", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
