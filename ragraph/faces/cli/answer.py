"""The commands that answer questions: answer, by a language model, and ask, which does without one too."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from ragraph.base.defaults import CONTEXT_HITS, MAX_STEPS, QUOTE_WORDS
from ragraph.errors import RagraphError
from ragraph.faces.cli.output import JsonOption, console, open_store, print_json, print_prose, shown, tell_missing
from ragraph.faces.cli.scope import scoped
from ragraph.faces.cli.search import print_hit
from ragraph.retrieval.scope import ScopeOptions
from ragraph.search import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragraph import Store
    from ragraph.answers.answer import Endpoint
    from ragraph.answers.claims import CitedAnswer
    from ragraph.faces.cli import conversation as talk
    from ragraph.schema.results import Hit


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(scoped(answer))
    app.command()(scoped(ask))


def answer(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.")],
    where: ScopeOptions,
    llm: Annotated[str | None, typer.Option(metavar="MODEL", help="Language model; default RAGRAPH_LLM_MODEL.")] = None,
    llm_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Endpoint of OpenAI's chat protocol; default RAGRAPH_LLM_URL, else OpenAI's."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of nodes to search for.")] = CONTEXT_HITS,
    *,
    how: SearchOptions,
    budget: Annotated[
        int | None,
        typer.Option(
            min=1, help="Maximum number of tokens shown to the model; default 3000, and 24000 for --navigate."
        ),
    ] = None,
    rerank: Annotated[str | None, typer.Option(metavar="MODEL", help="Cross-encoder that reranks the hits.")] = None,
    expand_query: Annotated[
        bool, typer.Option("--expand-query", help="Also search other wordings of the question.")
    ] = False,
    self_query: Annotated[
        bool, typer.Option("--self-query", help="Let the model turn the question into a filter on documents.")
    ] = False,
    quote_words: Annotated[
        int, typer.Option("--quote-words", min=1, help="Minimum number of words in a row in each quote.")
    ] = QUOTE_WORDS,
    navigate: Annotated[
        bool,
        typer.Option("--navigate", help="Let the model read outlines, search, read sections, follow references."),
    ] = False,
    steps: Annotated[int, typer.Option(min=1, help="With --navigate: maximum number of tool calls.")] = MAX_STEPS,
    images: Annotated[
        bool, typer.Option("--images", help="With --navigate: let a vision model look at pages.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Answer a question from the store. Every statement is quoted, every quote checked.

    The key comes from RAGRAPH_LLM_KEY or OPENAI_API_KEY. Exit code 1 if the store does not contain the answer.

    Examples:
        ragraph answer "who decides on access" --llm llama3.1
        ragraph answer "why?" --llm m --llm-url http://localhost:11434/v1
        ragraph answer "what is excluded?" --document dl_213 --navigate
    """
    from ragraph.answers.answer import Endpoint

    options: dict[str, Any] = {"min_words": quote_words, **how, **where}
    if navigate:
        options |= {"strategy": "navigate", "max_steps": steps, "images": images}
        if rerank or expand_query or self_query:
            raise typer.BadParameter("--rerank, --expand-query and --self-query cannot be combined with --navigate")
    else:
        options |= {"k": k, "rerank": rerank, "expand_query": expand_query, "self_query": self_query}
        options["token_budget"] = 3000
    if budget is not None:
        options["token_budget"] = budget
    with open_store() as store:
        answered = store.answer(question, llm=Endpoint(model=llm, base_url=llm_url), **options)
        if not answered.claims:
            tell_missing(store)
    if json:
        print_json(answered)
    else:
        _print_answer(answered, navigate=navigate)
    if not answered.sufficient:
        raise typer.Exit(1)


def ask(
    where: ScopeOptions,
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="The question; with --conversation, none shows the file.")
    ] = None,
    llm: Annotated[str | None, typer.Option(metavar="MODEL", help="Language model; default RAGRAPH_LLM_MODEL.")] = None,
    llm_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Endpoint of OpenAI's chat protocol; default RAGRAPH_LLM_URL, else OpenAI's."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of passages to print without a model.")] = 5,
    conversation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep questions and answers in a file, and understand the next from them."),
    ] = None,
    *,
    how: SearchOptions,
    json: JsonOption = False,
) -> None:
    """Ask a question: an answer, or the best passages.

    If a language model is named, it answers as with `ragraph answer`, and every quote is checked. Without
    a model the best passages are printed. Exit code 1 if the
    store does not contain the answer.

    Examples:
        ragraph ask "who decides on access"
        ragraph ask "who decides on access" --llm llama3.1
        ragraph ask "who decides on access" --conversation access.jsonl
        ragraph ask "and who enforces it?" --conversation access.jsonl
        ragraph ask --conversation access.jsonl
    """
    from ragraph.answers.answer import Endpoint
    from ragraph.faces.cli import conversation as talk

    if question is None and conversation is None:
        raise typer.BadParameter("give a question, or --conversation FILE to show the questions of a file")
    turns = talk.read(conversation) if conversation else []
    if question is None and not turns:
        raise RagraphError(f"{conversation} has no questions; give one")
    endpoint = Endpoint(model=llm, base_url=llm_url)
    options: dict[str, Any] = {**how, **where}
    answered: CitedAnswer | None = None
    hits: list[Hit] = []
    with open_store() as store:
        earlier = [turn.answered and turn.answered.pruned(store) for turn in turns]
        if question is None:
            _print_turns(store, zip(turns, earlier, strict=True), json=json)
            return
        if _named(endpoint):
            history = [one for one in earlier if one]
            answered = store.answer(question, llm=endpoint, history=history, **options)
        else:
            hits = store.search(question, k, **options)
        if not (hits or (answered and answered.claims)):
            tell_missing(store)
    turn = {
        "question": question,
        "answer": answered and answered.to_json(),
        "passages": [hit.to_json() for hit in hits],
    }
    if json:
        print_json(turn)
    elif answered is not None:
        _print_answer(answered, navigate=False)
    else:
        for number, hit in enumerate(hits, 1):
            print_hit(number, hit, None)
        if hits:
            console.print("[dim]No language model is named; for an answer set RAGRAPH_LLM_MODEL, or use --llm.[/]")
    if conversation:
        talk.add(conversation, turn)
    if not hits and not (answered and answered.sufficient):
        raise typer.Exit(1)


def _named(endpoint: Endpoint) -> bool:
    """Return True if there is a model to ask; an incomplete one that was named by an option is an error."""
    if endpoint.model is None and not os.environ.get("RAGRAPH_LLM_MODEL"):
        return False
    endpoint.check()
    return True


def _print_turns(store: Store, turns: Iterable[tuple[talk.Turn, CitedAnswer | None]], *, json: bool) -> None:
    """Print a conversation, without what the store no longer has."""
    told = []
    for turn, answered in turns:
        passages = []
        for document, node in turn.passages:
            with suppress(RagraphError):
                passages.append(store.cite(document, node))
        if json:
            found = [citation.to_json() for citation in passages]
            told.append({"question": turn.question, "answer": answered and answered.to_json(), "passages": found})
            continue
        print_prose(f"[bold]{shown(turn.question)}[/]")
        if answered is not None:
            _print_answer(answered, navigate=False)
        for number, citation in enumerate(passages, 1):
            print_prose(f"[cyan]\\[{number}] {shown(str(citation))}[/]")
            print_prose(f"    “{shown(citation.excerpt)}”")
        console.print()
    if json:
        print_json(told)


def _print_answer(answered: CitedAnswer, *, navigate: bool) -> None:
    if answered.claims:
        print_prose(escape(answered.text))
        console.print()
    for number, citation in enumerate(answered.citations, 1):
        print_prose(f"[cyan]\\[{number}] {shown(str(citation))}[/]")
        print_prose(f"    “{shown(citation.excerpt)}”")
    if not answered.sufficient:
        console.print(
            f"[yellow]The store is not sufficient:[/] {escape(answered.missing or 'it has no more information')}"
        )
    for line in answered.dropped:
        print_prose(f"[dim]dropped: {shown(line)}[/]")
    for number, went in enumerate(answered.path, 1):
        given = ", ".join(f"{name}={value}" for name, value in went.arguments.items())
        print_prose(f"[dim]{number}. {went.tool}({shown(given)}): {shown(went.found)}[/]")
    timings = "".join(f", {step.replace('_', ' ')} {seconds:.1f} s" for step, seconds in answered.timings.items())
    shown_of = "passages" if navigate else f"of {answered.hits_retrieved} hits"
    confidence = f"confidence {answered.confidence or 0:.2f}"
    print_prose(f"[dim]{confidence}; {answered.hits_used or 0} {shown_of} shown to the model{timings}[/]")
