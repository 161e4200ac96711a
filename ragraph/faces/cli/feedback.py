"""The commands for feedback: reviews of passages, and the log of queries."""

from __future__ import annotations

import json as json_lines
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from ragraph.base.counts import many
from ragraph.errors import TuningError
from ragraph.faces.cli.output import (
    DocumentArgument,
    JsonOption,
    console,
    id_column,
    is_narrow,
    open_store,
    print_json,
    print_prose,
    shown,
)

if TYPE_CHECKING:
    from ragraph.store.store import Store
    from ragraph.tuning.questions import Question

reviews = typer.Typer(help="What people say of passages: right, wrong, a note.", no_args_is_help=True)
queries = typer.Typer(help="The log of queries, which is off by default.", no_args_is_help=True)

CollectionOption = Annotated[str | None, typer.Option(help="Only this collection.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="Maximum number; 0 for all.")]


def judged_in(store: Store, collection: str | None) -> list[Question]:
    """Return the questions that passages were reviewed for.

    Raises:
        TuningError: there is none.
    """
    found = store.judged_questions(collection=collection)
    if not found:
        raise TuningError("no passage is reviewed as right for a question: see `ragraph reviews add --question`")
    return found


class Verdict(StrEnum):
    """What a review says."""

    RIGHT = "right"
    WRONG = "wrong"
    NOTE = "note"


@reviews.command()
def add(
    document: DocumentArgument,
    node: Annotated[str, typer.Argument(help="Id of the passage, as searches show it.")],
    verdict: Annotated[Verdict, typer.Argument(help="right, wrong, or note for a remark alone.")],
    note: Annotated[str | None, typer.Option(help="A remark.")] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who says so; default the database role.")] = None,
    question: Annotated[str | None, typer.Option(help="The question that the passage was judged for.")] = None,
    json: JsonOption = False,
) -> None:
    """Review a passage; a later review by the same person replaces it.

    Reviews are kept when the document is ingested again. Those for a question are read by eval and tune.

    Examples:
        ragraph reviews add dl_213 cn_5f2a wrong --note "the table has 12 rows"
        ragraph reviews add dl_213 cn_5f2a right --question "who decides on access"
    """
    with open_store() as store:
        made = store.review(document, node, verdict.value, note, by=by, question=question)
    print_json({"review_id": made}) if json else console.print(f"Recorded as {shown(made)}.")


@reviews.command("list")
def list_reviews(
    document: Annotated[str | None, typer.Option(help="Only this document.")] = None,
    node: Annotated[str | None, typer.Option(help="Only this passage.")] = None,
    collection: CollectionOption = None,
    verdict: Annotated[Verdict | None, typer.Option(help="Only reviews that say so.")] = None,
    question: Annotated[str | None, typer.Option(help="Only reviews for this question.")] = None,
    limit: LimitOption = 50,
    json: JsonOption = False,
) -> None:
    """List reviews, the newest first.

    Example:
        ragraph reviews list --verdict wrong
    """
    with open_store() as store:
        found = store.reviews(
            document,
            node,
            collection=collection,
            verdict=None if verdict is None else verdict.value,
            question=question,
            limit=limit or None,
        )
    if json:
        print_json(found)
        return
    if not found:
        console.print("No reviews; add one: ragraph reviews add DOC NODE right")
    for item in found:
        head = f"{item.verdict} by {item.reviewer} on {item.reviewed_at:%Y-%m-%d %H:%M}"
        print_prose(f"[bold]{shown(head)}[/] [dim]{shown(item.review_id)}[/]")
        if item.question:
            print_prose(f"  for “{shown(item.question)}”")
        if item.note:
            print_prose(f"  {shown(item.note)}")
        gone = "an ingest has removed this passage"
        words = gone if item.content is None else " ".join(item.content.split())[:200]
        print_prose(f"  [dim]{shown(item.document_id)} {shown(item.node_id)}[/] {shown(words)}")


@reviews.command()
def withdraw(
    document: DocumentArgument,
    review: Annotated[str, typer.Argument(help="Id of the review: rv_...")],
    json: JsonOption = False,
) -> None:
    """Remove a review.

    Example:
        ragraph reviews withdraw dl_213 rv_5f2a
    """
    with open_store() as store:
        gone = store.withdraw_review(document, review)
    if json:
        print_json({"withdrawn": gone})
    else:
        console.print("Withdrawn." if gone else "The document has no review of this id.")


@queries.command()
def log(
    collection: Annotated[str | None, typer.Option(help="Collection; default all queries.")] = None,
    days: Annotated[int | None, typer.Option(min=1, help="Days after which logged queries are deleted.")] = None,
    off: Annotated[bool, typer.Option("--off", help="Log no more; what was logged stays until forgotten.")] = False,
    json: JsonOption = False,
) -> None:
    """Turn the log on with --days or off, or show where it is on.

    Question, options, hits and duration are logged, by all interfaces.

    Examples:
        ragraph queries log --days 30
        ragraph queries log --collection manuals --off
        ragraph queries log
    """
    if off and days is not None:
        raise typer.BadParameter("give --days or --off")
    with open_store() as store:
        if off or days is not None:
            store.log_queries(collection, days=0 if off else days or 0)
        found = store.query_logging()
    if json:
        print_json(found)
        return
    if not found:
        console.print("No queries are logged.")
    for item in found:
        where = "All queries" if item.collection == "*" else f"Queries of {shown(item.collection)!r}"
        console.print(f"{where} are logged for {many(item.days, 'day')}.")


@queries.command("list")
def list_queries(
    collection: CollectionOption = None,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="Only those asked since then.")] = None,
    unjudged: Annotated[bool, typer.Option("--unjudged", help="Only those without reviewed passages.")] = False,
    limit: LimitOption = 50,
    json: JsonOption = False,
) -> None:
    """List logged queries, the newest first.

    Example:
        ragraph queries list --unjudged --since 2026-03-01
    """
    with open_store() as store:
        found = store.queries(collection, since=since, judged=False if unjudged else None, limit=limit or None)
        logs = bool(store.query_logging())
    if json:
        print_json(found)
        return
    if not found:
        advice = "" if logs else "; turn the log on: ragraph queries log --days 30"
        console.print(f"No logged queries{advice}")
        return
    columns = [Column("Asked", no_wrap=True), Column("Question", ratio=1)]
    columns += [] if is_narrow() else [id_column("Collection"), Column("Time", justify="right")]
    columns += [Column(head, justify="right") for head in ("Hits", "Judged")]
    table = Table(*columns, box=None, header_style="bold", pad_edge=False, expand=True)
    for item in found:
        took = "" if item.seconds is None else f"{item.seconds * 1000:.0f} ms"
        more = () if is_narrow() else (shown(item.collection), took)
        counts = (str(len(item.hits)), str(item.reviews or ""))
        table.add_row(f"{item.asked_at:%Y-%m-%d %H:%M}", shown(item.question), *more, *counts)
    console.print(table)


@queries.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="New file.")],
    collection: CollectionOption = None,
    judged: Annotated[
        bool, typer.Option("--judged", help="Write the judged questions instead, as eval and tune read them.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Write logged queries to a file, one JSON object per line.

    Examples:
        ragraph queries export queries.jsonl
        ragraph queries export --judged questions.jsonl
    """
    if file.exists():
        raise typer.BadParameter(f"{str(file)!r} already exists; name a new file", param_hint="FILE")
    with open_store() as store:
        found = judged_in(store, collection) if judged else store.queries(collection)
    if not found:
        raise TuningError("no query is logged: see `ragraph queries log`")
    lines = "".join(json_lines.dumps(item.to_json(), ensure_ascii=False) + "\n" for item in found)
    file.write_text(lines, encoding="utf-8")
    if json:
        print_json({"lines": len(found), "file": str(file)})
    else:
        console.print(f"{many(len(found), 'line')} in {shown(str(file))}.")


@queries.command()
def forget(
    collection: CollectionOption = None,
    before: Annotated[str | None, typer.Option(metavar="DATE", help="Only those asked before.")] = None,
    json: JsonOption = False,
) -> None:
    """Remove logged queries, by default all.

    Example:
        ragraph queries forget --before 2026-03-01
    """
    with open_store() as store:
        gone = store.forget_queries(collection, before=before)
    print_json({"forgotten": gone}) if json else console.print(f"Forgot {many(gone, 'query')}.")
