"""The eval command: how well the store answers judged questions, compared with an earlier run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ragraph.base.defaults import BUDGETS, CURRENT_MODEL, DEFAULT_MODE, Mode
from ragraph.errors import TuningError
from ragraph.faces.cli.feedback import judged_in
from ragraph.faces.cli.output import JsonOption, console, errors, open_store, print_json, print_prose, shown

if TYPE_CHECKING:
    from ragraph.schema.evaluation import EvalReport

_MODE = Mode(DEFAULT_MODE)


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command("eval")(evaluate)


def evaluate(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Judged questions, one JSON object per line.")
    ] = None,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="Instead of FILE: the questions that passages were reviewed for.")
    ] = False,
    mode: Annotated[list[Mode] | None, typer.Option(help="Search mode; may be repeated.")] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            metavar="document|collection|store",
            help="Where: in the document of a question, in its collection, or everywhere; may be repeated.",
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of hits to evaluate.")] = 10,
    budget: Annotated[
        list[int] | None, typer.Option(metavar="TOKENS", min=1, help="Size of contexts; may be repeated.")
    ] = None,
    model: Annotated[str, typer.Option(help="Embedding model.")] = CURRENT_MODEL,
    collection: Annotated[
        str | None,
        typer.Option(help="For questions that name no document; with --make, the collection of the documents."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="REPORT", help="Report of an earlier run with --json to compare with.")
    ] = None,
    max_drop: Annotated[float, typer.Option(min=0, help="How much a figure may fall below the baseline.")] = 0.01,
    make: Annotated[
        bool, typer.Option("--make", help="Write questions made from headings, captions and notes to FILE instead.")
    ] = False,
    document: Annotated[
        list[str] | None, typer.Option(help="With --make: from this document; may be repeated.")
    ] = None,
    number: Annotated[int, typer.Option(min=1, help="With --make: number of questions.")] = 50,
    json: JsonOption = False,
) -> None:
    """Measure how well judged questions are answered.

    Prints recall, nDCG, rank of the first answer, hits on its page and in its box, share of the evidence in a context,
    and times. Exit code 1 if a figure fell below the baseline. --make writes a file to start with, to be corrected by
    hand.

    Examples:
        ragraph eval questions.jsonl --mode hybrid --mode text
        ragraph eval questions.jsonl --json > baseline.json
        ragraph eval questions.jsonl --baseline baseline.json --max-drop 0.01
        ragraph eval --make questions.jsonl --number 30
        ragraph eval --reviewed
    """
    if (file is None) != reviewed:
        raise typer.BadParameter("give a FILE of judged questions, or --reviewed")
    if make:
        if file is None:
            raise typer.BadParameter("--make requires a FILE to write")
        _make(file, number, document, collection, json)
        return
    if document:
        raise typer.BadParameter("--document requires --make; questions name their documents")
    from ragraph.evaluation.baseline import drops, read_baseline

    before = read_baseline(baseline) if baseline else None  # errors in it are reported before the searches

    with open_store() as store:
        from rich.progress import Progress

        with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
            task = bar.add_task("searching")
            report = store.evaluate(
                judged_in(store, collection) if file is None else file,
                modes=[item.value for item in mode or [_MODE]],
                scopes=scope or ["document"],
                k=k,
                budgets=budget or BUDGETS,
                model=model,
                collection=collection,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
    print_json(report) if json else _print(report)
    if before is not None and (fallen := drops(report, before, max_drop)):
        for line in fallen:
            errors.print(shown(line))
        count = "1 figure is" if len(fallen) == 1 else f"{len(fallen)} figures are"
        raise TuningError(f"{count} below the baseline {str(baseline)!r} by more than {max_drop:g}")


def _make(file: Path, number: int, document: list[str] | None, collection: str | None, json: bool) -> None:
    if file.exists():
        raise typer.BadParameter(f"{str(file)!r} already exists; name a new file", param_hint="FILE")
    from ragraph.tuning.judging import append

    with open_store() as store:
        made = store.make_questions(number, document=document or None, collection=collection)
    if not made:
        raise TuningError("no heading, caption or note is suitable as a question; write the questions by hand")
    append(file, made)
    if json:
        print_json({"questions": len(made), "file": str(file)})
    else:
        count = "1 question" if len(made) == 1 else f"{len(made)} questions"
        console.print(f"{count} in {shown(str(file))}; correct them by hand before you use them.")


def _print(report: EvalReport) -> None:
    budgets = list(report.lines[0].evidence)
    columns = [f"recall@{report.k}", f"nDCG@{report.k}", "MRR", "page", "box", *(f"in {budget}" for budget in budgets)]
    table = Table("mode", "scope", box=None)
    for name in (*columns, "p50", "p95"):
        table.add_column(name, justify="right")
    for line in report.lines:
        shares = (line.recall, line.ndcg, line.mrr, line.page_hit, line.box_hit, *line.evidence.values())
        table.add_row(
            line.mode,
            line.scope,
            *("" if value is None else f"{value:.3f}" for value in shares),
            *(f"{value:.0f} ms" for value in (line.p50_ms, line.p95_ms)),
        )
    console.print(table)
    said = "1 question" if report.questions == 1 else f"{report.questions} questions"
    if report.nowhere:
        lines = ", ".join(map(str, report.nowhere[:20])) + (" ..." if len(report.nowhere) > 20 else "")
        said += f"; the answers of these lines of the file are not in the store: {lines}"
    print_prose(said)
