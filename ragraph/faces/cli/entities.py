"""The commands for entities: the entities of documents, their mentions, and the extractors that find them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from ragraph.base.counts import many
from ragraph.faces.cli.output import JsonOption, console, errors, open_store, print_json, print_prose, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragraph.schema.entities import Mention
    from ragraph.schema.results import Result

app = typer.Typer(help="Entities that documents name; extract, merge, split.", invoke_without_command=True)

DocumentOption = Annotated[list[str] | None, typer.Option(help="Only this document; may be repeated.")]
CollectionOption = Annotated[str | None, typer.Option(help="Only this collection.")]

KindOption = Annotated[
    list[str] | None,
    typer.Option(help="Only this kind: acronym, term, glossary, index, or a model's label; may be repeated."),
]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="Maximum number; 0 for all.")]


def register(main: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    main.command()(entity)


@app.callback()
def entities(
    context: typer.Context,
    document: DocumentOption = None,
    collection: CollectionOption = None,
    kind: KindOption = None,
    limit: LimitOption = 50,
    json: JsonOption = False,
) -> None:
    """List the entities that documents name, the most mentioned first."""
    if context.invoked_subcommand is None:
        list_entities(document, collection, kind, limit, json=json)


@app.command("list")
def list_entities(
    document: DocumentOption = None,
    collection: CollectionOption = None,
    kind: KindOption = None,
    limit: LimitOption = 50,
    *,
    json: JsonOption = False,
) -> None:
    """List the entities that documents name, the most mentioned first.

    Example:
        ragraph entities list --kind acronym
    """
    with open_store() as store:
        found = store.entities(document=document, collection=collection, kinds=kind, limit=limit or None)
    if json:
        print_json(found)
        return
    if not found:
        chosen = document or collection or kind
        console.print("No such entities." if chosen else "No entities; find them: ragraph entities extract")
        return
    table = Table("Entity", "Also", "Kind", box=None, header_style="bold", pad_edge=False)
    for head in ("Documents", "Mentions"):
        table.add_column(head, justify="right")
    for item in found:
        counts = (f"{item.documents:,}", f"{item.mentions:,}")
        table.add_row(shown(item.name), shown(", ".join(item.aliases)), shown(", ".join(item.kinds)), *counts)
    console.print(table)


@app.command()
def extract(
    document: DocumentOption = None,
    collection: CollectionOption = None,
    extractor: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="EXTRACTOR",
            help="definitions (no model), spacy:NAME, gliner:NAME, llm:MODEL, or a plug-in.",
        ),
    ] = "definitions",
    llm_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="For llm: endpoint of OpenAI's chat protocol; default RAGRAPH_LLM_URL."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also nodes that it has read before.")] = False,
    json: JsonOption = False,
) -> None:
    """Find entities in nodes that are new to the extractor.

    Examples:
        ragraph entities extract
        ragraph entities extract --with spacy:en_core_web_sm
        ragraph entities extract --with llm:qwen3 --llm-url http://localhost:8080/v1
    """
    chosen: Any = extractor
    if llm_url is not None:
        kind, _, model = extractor.partition(":")
        if kind != "llm":
            raise typer.BadParameter("--llm-url requires --with llm")
        from ragraph.answers.language_model import Endpoint
        from ragraph.entities.language import LanguageModel

        chosen = LanguageModel(Endpoint(model=model or None, base_url=llm_url))
    with open_store() as store, _bar() as told:
        report = store.extract_entities(chosen, document, collection=collection, again=again, progress=told)
    if json:
        print_json(report)
        return
    console.print(
        f"{many(report.nodes, 'node')} of {many(report.read, 'document')} read by {shown(report.extractor)};"
        f" {many(report.entities, 'entity')}, {many(report.mentions, 'mention')}, {many(report.relations, 'relation')}"
    )
    if report.refused:
        errors.print(f"[yellow]{many(report.refused, 'relation')} refused:[/] their node does not contain the quote")


@app.command()
def merge(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names, aliases or identities: two or more.")],
) -> None:
    """Merge entities into one.

    Example:
        ragraph entities merge "policy engine" "decision engine"
    """
    with open_store() as store:
        console.print(store.merge_entities(names))


@app.command()
def split(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name, alias or identity.")],
    document: Annotated[str, typer.Option(help="The document in which it means something else.")],
) -> None:
    """Make a name another entity in one document.

    Example:
        ragraph entities split PE --document DOC
    """
    with open_store() as store:
        console.print(store.split_entity(name, document))


@app.command()
def reset(name: Annotated[str, typer.Argument(metavar="NAME", help="Name, alias or identity.")]) -> None:
    """Undo merge and split of an entity.

    Example:
        ragraph entities reset PE
    """
    with open_store() as store:
        console.print(f"{store.reset_entities(name):,} changed")


def entity(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name, alias or identity of an entity.")],
    document: DocumentOption = None,
    collection: CollectionOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Maximum number of mentions; 0 for all.")] = 20,
    json: JsonOption = False,
) -> None:
    """Show where documents define and mention an entity.

    Prints each place with its section and page, and the relations of the entity, quoted from the documents.

    Examples:
        ragraph entity PDP
        ragraph entity "policy decision point" --document DOC
    """
    with open_store() as store:
        found = store.entities(name, document=document, collection=collection)
        mentions = store.mentions(name, document=document, collection=collection, limit=limit or None)
        relations = store.entity_relations(name, document=document, collection=collection)
    if json:
        parts: dict[str, Sequence[Result]] = {"entities": found, "mentions": mentions, "relations": relations}
        print_json({name: [item.to_json() for item in items] for name, items in parts.items()})
        return
    for item in found:
        also = f" ({shown(', '.join(item.aliases))})" if item.aliases else ""
        print_prose(f"[bold]{shown(item.name)}[/]{also}")
        counts = f"{many(item.mentions, 'mention')} in {many(item.documents, 'document')}"
        console.print(f"[dim]{shown(', '.join(item.kinds))}  {counts}  {item.identity}[/]")
    for relation in relations:
        said = f"{shown(relation.source_name)} — {shown(relation.relation_type)} — {shown(relation.target_name)}"
        print_prose(f"{said}: “{shown(relation.quote)}”")
    for mention in mentions:
        _print_mention(mention)
    if not mentions:
        console.print("No mention there; a wider scope may help.")


def _print_mention(mention: Mention) -> None:
    where = " > ".join([mention.citation.title, *mention.citation.section_path])
    print_prose(f"[cyan]{shown(where)}[/] {shown(mention.citation.page_label)}")
    mark = "defined: " if mention.defines else ""
    print_prose(f"  {mark}{escape(shown(mention.citation.excerpt))}")


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    if not errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("documents"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("documents", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
