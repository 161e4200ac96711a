"""Answers of a language model: over REST as server-sent events, and as a conversation on a page.

On the page each quote links to its box. Without a model the page shows the best passages for each question.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, cast
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from ragraph.answers.language_model import Endpoint
from ragraph.base.defaults import MAX_STEPS
from ragraph.errors import AnswerError, ArgumentError, ModelNotFoundError, RagraphError
from ragraph.faces.web.api import ERRORS, Options, Served
from ragraph.faces.web.asking import asker_of
from ragraph.faces.web.inputs import decoded, only_known
from ragraph.faces.web.pages import Word, page, without_vectors
from ragraph.faces.web.reading import State
from ragraph.faces.web.talks import MOST_TURNS, Talks, Turn
from ragraph.schema.page_labels import page_label
from ragraph.store.sources import StoreSource

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping

    from ragraph.answers.claims import CitedAnswer
    from ragraph.store.store import Store

    Answering = Callable[[Callable[[str], None]], CitedAnswer]
    Keeping = Callable[[CitedAnswer], dict[str, str]]

_QUIET = 15.0
"""Seconds without an event after which a comment is sent, so that proxies do not close the connection."""

PASSAGES = 5
"""Number of passages that are shown for a question without a language model."""
_EARLY = [("step", {"step": "conversation"}), ("step", {"step": "search"})]
"""Steps during which errors in the request come up."""

_logger = logging.getLogger(__name__)


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


router = APIRouter(dependencies=[Depends(decoded)])


def can_answer() -> bool:
    """Return True if a language model is named and its package is installed."""
    try:
        Endpoint().check()
    except RagraphError:
        return False
    return True


@router.get(
    "/api/answer",
    response_class=Response,
    responses={**ERRORS, 200: {"content": {EventStream.media_type: {}}}},
    dependencies=[Depends(only_known)],
)
async def answer(
    request: Request,
    store: Served,
    q: Annotated[str, Query(description="A question, in words.", examples=["who decides on access"])],
    options: Options,
    budget: Annotated[int | None, Query(description="Maximum number of tokens that the model is shown.")] = None,
    navigate: Annotated[bool, Query(description="Let the model navigate by itself.")] = False,
    history: Annotated[
        str | None,
        Query(
            description='Earlier questions with their answers, the oldest first: [{"question": ..., "answer": ...}].',
        ),
    ] = None,
    steps: Annotated[int, Query(description="With navigate: maximum number of tool calls.")] = MAX_STEPS,
    images: Annotated[bool, Query(description="With navigate: let a vision model look at pages.")] = False,
    k: Annotated[int | None, Query(description="Number of nodes to search for; not with navigate.")] = None,
    expand_query: Annotated[bool, Query(description="Also search other wordings; not with navigate.")] = False,
    self_query: Annotated[bool, Query(description="Turn the question into a filter; not with navigate.")] = False,
    quote_words: Annotated[int | None, Query(description="Minimum number of words in a row in each quote.")] = None,
) -> Response:
    """Answer a question by the language model that the service was started with, with every quote checked.

    Events: ``step`` when a step begins; ``claim`` for each statement, with the address of the passage of each quote;
    ``answer`` with the complete answer, or ``failed``; then the stream ends.
    """
    _check_asked(request)
    own = {"token_budget": budget, "k": k, "min_words": quote_words}
    own |= {"images": images or None, "expand_query": expand_query or None, "self_query": self_query or None}
    given: dict[str, Any] = {**options, **{name: value for name, value in own.items() if value is not None}}
    if navigate:
        given |= {"strategy": "navigate", "max_steps": steps}
    if history:
        given["history"] = _earlier(history)
    return await _stream(lambda progress: store.answer(q, progress=progress, **given))


@router.get("/answer/events", include_in_schema=False)
async def answer_events(
    request: Request,
    store: Served,
    q: str,
    talk: Word = None,
    document: Word = None,
    section: Word = None,
    collection: Word = None,
) -> Response:
    """Answer a question of a conversation, as server-sent events; the last one also names the conversation."""
    _check_asked(request)
    scope = _scope(document, section, collection)
    asker, talks = asker_of(request.scope), _talks(request)

    def keep(answered: CitedAnswer) -> dict[str, str]:
        return {"talk": talks.add(asker, talk, Turn(q, scope, answered))}

    turns, given = talks.turns(asker, talk), cast("dict[str, Any]", scope)
    return await _stream(
        lambda progress: store.answer(q, progress=progress, history=_history(store, turns), **given), keep
    )


@router.get("/answer", include_in_schema=False)
def answer_page(
    request: Request,
    store: Served,
    q: Word = None,
    document: Word = None,
    section: Word = None,
    within: Word = None,
    collection: Word = None,
    talk: Word = None,
    now: Word = None,
) -> Response:
    """Show a conversation, and answer the next question: with scripts as it arrives, else when it is complete."""
    q = (q or "").strip()
    asker, talks = asker_of(request.scope), _talks(request)
    turns = talks.turns(asker, talk)
    inside = document if within != "store" else None
    scope = _scope(inside, section if within == "section" else None, collection)
    if q and _from_elsewhere(request):
        return RedirectResponse("/search?" + urlencode({"q": q}), 303)
    trouble = None
    if q and (now is not None or not request.app.state.answers):
        try:
            turn = _turn(store, q, scope, turns, answers=request.app.state.answers)
        except AnswerError as error:
            trouble = str(error)
        except ModelNotFoundError:
            trouble = without_vectors(store)
        else:
            return RedirectResponse("/answer?" + urlencode({"talk": talks.add(asker, talk, turn)}) + "#last", 303)
    given = {"q": q, "talk": talk if turns else None, **scope}
    shown = [_shown(store, turn) for turn in turns]
    values: dict[str, Any] = {
        "q": q or None,
        "given": {name: value for name, value in given.items() if value},
        "turns": shown,
        "most_turns": MOST_TURNS,
        "scope": shown[-1]["scope"] if shown and not q else _named(store, scope),
        "trouble": trouble,
    }
    return page(request, "answer.html", 503 if trouble else 200, **values)


def _scope(document: str | None, section: str | None, collection: str | None) -> dict[str, str]:
    given = {"document": document, "section": section if document else None, "collection": collection}
    return {name: value for name, value in given.items() if value}


def _talks(request: Request) -> Talks:
    talks: Talks = request.app.state.talks
    return talks


def _turn(store: Store, q: str, scope: dict[str, str], turns: list[Turn], *, answers: bool) -> Turn:
    given: dict[str, Any] = scope
    if answers:
        return Turn(q, scope, store.answer(q, history=_history(store, turns), **given))
    return Turn(q, scope, passages=[(hit.document_id, hit.node_id) for hit in store.search(q, PASSAGES, **given)])


def _history(store: Store, turns: list[Turn]) -> list[CitedAnswer]:
    """Return the earlier answers, without what the store no longer has."""
    return [turn.answered.pruned(store) for turn in turns if turn.answered is not None]


def _earlier(history: str) -> list[Any]:
    """Return the history of a request.

    Raises:
        ArgumentError: it is not JSON, or no list.
    """
    try:
        found = json.loads(history)
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise ArgumentError("history is not a JSON list", hint='write [{"question": "...", "answer": "..."}]')
    return found


def _shown(store: Store, turn: Turn) -> dict[str, Any]:
    """Return a question as it is shown: quotes and passages that the store no longer has are left out."""
    answered = _linked(turn.answered.pruned(store)) if turn.answered else None
    passages = []
    for document, node in turn.passages:
        with suppress(RagraphError):
            citation = store.cite(document, node)
            words = citation.excerpt + (" \u2026" if citation.excerpt_span[1] < citation.char_end else "")
            table = StoreSource(store).shown_table(document, node)
            passages.append((citation, words, State(document, q=turn.question).at(node), table))
    try:
        scope = _named(store, turn.scope)
    except RagraphError:  # the document was deleted
        scope = {}
    return {"question": turn.question, "answered": answered, "passages": passages, "scope": scope}


def _named(store: Store, scope: dict[str, str]) -> dict[str, str]:
    """Return where a question is asked, with the title of the document."""
    if "document" not in scope:
        return scope
    return {**scope, "title": store.document(scope["document"]).document.title}


def _check_asked(request: Request) -> None:
    """Refuse a question if there is no language model, or if a link on another site asks it."""
    if not request.app.state.answers:
        raise AnswerError(
            "this service was started without a language model", hint="set RAGRAPH_LLM_URL and RAGRAPH_LLM_MODEL"
        )
    if _from_elsewhere(request):
        raise HTTPException(403, "links from other sites may not ask the language model")


def _from_elsewhere(request: Request) -> bool:
    """Return True if the request comes from a link on another site: such links must not use our model."""
    return request.headers.get("sec-fetch-site") in ("cross-site", "same-site")


def _linked(answered: CitedAnswer) -> dict[str, Any]:
    """Return an answer as JSON in which quotes have the addresses of their passages."""
    told = answered.to_json()
    for claim in told["claims"]:
        for quote in claim["quotes"]:
            quote["url"] = State(quote["document_id"]).at(quote["node_id"])
            cited = quote["citation"]
            path = " \u203a ".join([cited["title"], *cited["section_path"]])
            pages = page_label(cited["pages"], cited["logical_pages"])
            quote["place"] = f"{path}, {pages}" if pages else path
    return told


async def _stream(answer: Answering, keep: Keeping | None = None) -> Response:
    """Return the events of an answer; ``keep`` gets the answer at the end, and what it returns is sent with it."""
    told = _answered(answer)
    begun = [await anext(told)]
    while begun[-1] in _EARLY:  # errors in the request are raised before the stream begins
        begun.append(await anext(told))
    if begun[-1][0] == "failed":
        raise begun[-1][1]
    return EventStream(_events(begun, told, keep))


async def _answered(answer: Answering) -> AsyncIterator[tuple[str, Any]]:
    """Yield events while a thread answers, ``quiet`` if there was none; the answer or the failure is last."""
    loop, happened = asyncio.get_running_loop(), asyncio.Queue[tuple[str, Any]]()

    def tell(name: str, value: Any) -> None:
        with suppress(RuntimeError):  # the service has ended
            loop.call_soon_threadsafe(happened.put_nowait, (name, value))

    def work() -> None:
        try:
            done = answer(lambda step: tell("step", {"step": step}))
        except RagraphError as error:
            tell("failed", error)
        except Exception:
            _logger.exception("answer")
            tell("failed", RagraphError("the service failed; see its log"))
        else:
            tell("answer", done)

    Thread(target=work, name="ragraph-answer", daemon=True).start()
    name = ""
    while name not in ("answer", "failed"):
        try:
            name, value = await asyncio.wait_for(happened.get(), _QUIET)
        except TimeoutError:
            name, value = "quiet", None
        yield name, value


async def _events(
    begun: Iterable[tuple[str, Any]], told: AsyncIterator[tuple[str, Any]], keep: Keeping | None
) -> AsyncIterator[str]:
    for event in begun:
        yield _lines(event, keep)
    async for event in told:
        yield _lines(event, keep)


def _lines(event: tuple[str, Any], keep: Keeping | None) -> str:
    name, value = event
    return "".join(_event(name, value, keep(value) if keep and name == "answer" else {}))


def _event(name: str, value: Any, more: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """Yield the lines to send for an event."""
    if name == "quiet":
        yield ": waiting\n\n"
        return
    if name == "answer":
        told = _linked(value)
        yield from (text for claim in told["claims"] for text in _event("claim", claim))
        value = {**told, **more}
    elif name == "failed":
        value = {"error": type(value).__name__, "message": " ".join(str(value).split())}
    yield f"event: {name}\ndata: {json.dumps(value)}\n\n"
