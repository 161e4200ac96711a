"""The commands for tuning: tune fits a ranker of sentences, judge collects questions for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.markup import escape
from rich.table import Table

from ragraph.base.counts import many
from ragraph.base.defaults import CONTEXT_MODE, CURRENT_MODEL, Mode
from ragraph.errors import TuningError
from ragraph.faces.cli.feedback import judged_in
from ragraph.faces.cli.output import (
    JsonOption,
    console,
    errors,
    open_store,
    print_json,
    print_prose,
    shown,
    tell_missing,
)
from ragraph.faces.cli.scope import scoped
from ragraph.retrieval.scope import ScopeOptions

if TYPE_CHECKING:
    import ragraph
    from ragraph.base.defaults import ModeName
    from ragraph.schema.context import ContextPart
    from ragraph.schema.rankers import SentenceRanker, TuneReport
    from ragraph.tuning.questions import Question

_MODE = Mode(CONTEXT_MODE)
_STEPS = {"search": "searching", "measure": "measuring"}

ModeOption = Annotated[Mode, typer.Option(help="Search mode for the nodes whose sentences are ranked.")]
ModelOption = Annotated[str, typer.Option(help="Embedding model.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command()(tune)
    app.command()(scoped(judge))


def tune(
    questions: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Judged questions, one JSON object per line (docs/how-to/tuning.md)."),
    ] = None,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="Instead of FILE: the questions that passages were reviewed for.")
    ] = False,
    collection: Annotated[
        str | None, typer.Option(help="Collection of the questions, if they name no documents.")
    ] = None,
    model: ModelOption = CURRENT_MODEL,
    mode: ModeOption = _MODE,
    show: Annotated[bool, typer.Option("--list", help="List the rankers of the store.")] = False,
    forget: Annotated[
        str | None, typer.Option(metavar="COLLECTION", help="Remove the rankers of a collection.")
    ] = None,
    ranker: Annotated[int | None, typer.Option(metavar="VERSION", help="With --forget: only this one.")] = None,
    json: JsonOption = False,
) -> None:
    """Learn from judged questions what an answer looks like.

    From then on the ranker orders the sentences in contexts of the collection. It is measured on documents that it was
    not fitted on, and stored only if it is certainly better than the default.

    Examples:
        ragraph tune questions.jsonl
        ragraph tune --reviewed
        ragraph tune --list
        ragraph tune --forget default
    """
    if sum((questions is not None, reviewed, show, forget is not None)) != 1:
        raise typer.BadParameter("give a FILE of judged questions, --reviewed, --list or --forget COLLECTION")
    if ranker is not None and forget is None:
        raise typer.BadParameter("--ranker requires --forget")
    with open_store() as store:
        if show:
            rankers = store.rankers()
            print_json(rankers) if json else _print_rankers(rankers)
        elif forget is not None:
            gone = store.forget_ranker(forget, ranker)
            print_json({"forgotten": gone}) if json else console.print(f"Forgot {many(gone, 'ranker')}.")
        else:
            given = judged_in(store, collection) if questions is None else questions
            _tune(store, given, collection, model, mode.value, json)


def _tune(
    store: ragraph.Store,
    questions: Path | list[Question],
    collection: str | None,
    model: str,
    mode: ModeName,
    json: bool,
) -> None:
    try:
        from rich.progress import Progress

        with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
            tasks: dict[str, Any] = {}

            def tell(step: str, done: int, total: int) -> None:
                if step not in tasks:
                    tasks[step] = bar.add_task(_STEPS[step])
                bar.update(tasks[step], completed=done, total=total)

            report = store.tune(questions, collection, model=model, mode=mode, progress=tell)
    except TuningError as error:
        if not json and error.report:
            _print_report(error.report)
        raise
    if json:
        print_json(report)
        return
    _print_report(report)
    console.print(f"Ranker {report.version} of {shown(report.collection)!r} is in use.")


def _print_report(report: TuneReport) -> None:
    if report.gains:
        _print_gains(report)
    for warning in report.warnings:
        console.print(f"[yellow]warning:[/] {shown(warning)}")


def _print_gains(report: TuneReport) -> None:
    console.print(
        f"{many(report.questions, 'question')} of {many(report.documents, 'document')} of"
        f" {shown(report.collection)!r}; {many(report.words, 'word')} and {many(report.crossed, 'pair')} of words"
    )
    table = Table("tokens", "default", "tuned", "gain", "95 % interval", box=None)
    for column in table.columns:
        column.justify = "right"
    for gain in report.gains:
        table.add_row(
            "mean" if gain.budget is None else f"{gain.budget:,}",
            f"{gain.default:.3f}",
            f"{gain.tuned:.3f}",
            f"{gain.gain:+.3f}",
            f"{gain.low:+.3f} to {gain.high:+.3f}",
        )
    console.print(table)
    console.print("[dim]share of the evidence in a context, on documents that the ranker was not fitted on[/]")


def _print_rankers(rankers: list[SentenceRanker]) -> None:
    if not rankers:
        console.print("No collection has a ranker; ragraph tune FILE makes one.")
    for ranker in rankers:
        gain = ""
        if ranker.figures:
            total = ranker.figures[-1]
            gain = f", gain {total['tuned'] - total['default']:+.3f} ({total['low']:+.3f} to {total['high']:+.3f})"
        print_prose(
            f"[bold]{shown(ranker.collection)}[/] {ranker.version}{'' if ranker.active else ' (not in use)'}:"
            f" {ranker.fitted_on.get('questions')} questions, {ranker.fitted_on.get('documents')} documents"
            f"{gain}, {ranker.created_at:%Y-%m-%d}"
        )
        words = sorted(ranker.words, key=lambda word: -ranker.words[word])
        liked = [word for word in words if ranker.words[word] > 0]
        disliked = [word for word in reversed(words) if ranker.words[word] < 0]
        print_prose(f"  [dim]for: {shown(', '.join(liked))}[/]")
        print_prose(f"  [dim]against: {shown(', '.join(disliked))}[/]")


def judge(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSONL file to which accepted sentences are added.")],
    where: ScopeOptions,
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="The question.")] = None,
    questions: Annotated[
        Path | None, typer.Option("--from", metavar="QUESTIONS", help="Ask all questions of this file, one per line.")
    ] = None,
    accept: Annotated[
        str | None, typer.Option(metavar="1,3", help="Accept sentences by number, without being asked.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="Number of sentences to show.")] = 10,
    mode: ModeOption = _MODE,
    model: ModelOption = CURRENT_MODEL,
    json: JsonOption = False,
) -> None:
    """Collect judged questions for `ragraph tune`.

    Shows the results of a search sentence by sentence, and stores those that you accept. Answer y or n; s skips to the
    next question, q quits.

    Examples:
        ragraph judge questions.jsonl 'who signed?'
        ragraph judge questions.jsonl --from asked.txt
    """
    from ragraph.tuning.judging import JUDGED_TOKENS, append, candidates, judgements, read_asked

    if (query is None) == (questions is None):
        raise typer.BadParameter("give a QUERY or --from QUESTIONS")
    if accept is not None and questions is not None:
        raise typer.BadParameter("--accept requires a QUERY and cannot be combined with --from")
    if file.is_dir():
        raise typer.BadParameter(
            f"{str(file)!r} is a folder; give a file for accepted sentences, such as questions.jsonl", param_hint="FILE"
        )
    if not file.parent.is_dir():
        raise typer.BadParameter(f"the folder {str(file.parent)!r} does not exist", param_hint="FILE")
    chosen = None if accept is None else _numbers(accept)
    asked = [query] if query is not None else read_asked(cast("Path", questions))
    kept = []
    with open_store() as store:
        for question in asked:
            context = store.context(question, JUDGED_TOKENS, mode=mode.value, model=model, **where)
            parts = candidates(context, k)
            if not parts:
                tell_missing(store)
            if chosen and max(chosen) > len(parts):
                raise typer.BadParameter(
                    f"there are {len(parts)} sentences; {max(chosen)} is not one of them", param_hint="--accept"
                )
            accepted, go_on = _asked(question, parts) if chosen is None else ([parts[n - 1] for n in chosen], True)
            found = judgements(question, accepted)
            append(file, found)
            kept += found
            if not go_on:
                break
    if json:
        print_json(kept)
    else:
        passages = sum(len(item.passages) for item in kept)
        print_prose(f"{many(passages, 'passage')} of {many(len(kept), 'document')} added to {shown(str(file))}.")


def _asked(question: str, parts: list[ContextPart]) -> tuple[list[ContextPart], bool]:
    """Show sentences one by one; return the accepted ones, and whether to continue with the next question."""
    if not sys.stdin.isatty():
        raise TuningError("there is no terminal to ask questions on", hint="accept sentences by number: --accept 1,3")
    errors.print(f"[bold]{shown(question)}[/]")
    accepted: list[ContextPart] = []
    for number, part in enumerate(parts, 1):
        citation = part.citation
        title = " > ".join([citation.title, *citation.section_path])
        errors.print(f"[bold]{number}.[/] [cyan]{shown(title)}[/] {shown(citation.page_label)}")
        errors.print(escape(" ".join(part.text.split())))
        said = ""
        while said not in ("y", "n", "s", "q"):
            said = typer.prompt("Does it answer? (y/n/s/q)", err=True).strip().lower()[:1]
        if said == "y":
            accepted.append(part)
        if said == "q":
            return accepted, False
        if said == "s":
            break
    return accepted, True


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        raise typer.BadParameter(f"{text!r} is not a list of numbers; write it like 1,3", param_hint="--accept")
    if not all(map(int, parts)):
        raise typer.BadParameter("sentences are numbered from 1; there is no 0", param_hint="--accept")
    return sorted({int(part) for part in parts})
