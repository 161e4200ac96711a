"""Answers of a language model: over REST as server-sent events, and on a page where each quote links to its box."""

from __future__ import annotations

import json
import logging
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from ragraph.answers.language_model import Endpoint
from ragraph.base.defaults import MAX_STEPS
from ragraph.errors import AnswerError, RagraphError
from ragraph.faces.web.api import ERRORS, Options, Served
from ragraph.faces.web.inputs import only_known, only_text
from ragraph.faces.web.pages import Word, page
from ragraph.faces.web.reading import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.answers.claims import CitedAnswer
    from ragraph.store.store import Store

_QUIET = 15.0
"""Seconds without an event after which a comment is sent, so that proxies do not close the connection."""

_logger = logging.getLogger(__name__)


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


router = APIRouter(dependencies=[Depends(only_text)])


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
def answer(
    request: Request,
    store: Served,
    q: Annotated[str, Query(description="A question, in words.", examples=["who decides on access"])],
    options: Options,
    budget: Annotated[int | None, Query(description="Maximum number of tokens that the model is shown.")] = None,
    navigate: Annotated[bool, Query(description="Let the model navigate by itself.")] = False,
    steps: Annotated[int, Query(description="With navigate: maximum number of tool calls.")] = MAX_STEPS,
) -> Response:
    """Answer a question by the language model that the service was started with, with every quote checked.

    Events: ``step`` when a step begins; ``claim`` for each statement, with the address of the passage of each quote;
    ``answer`` with the complete answer, or ``failed``; then the stream ends.
    """
    _check_offered(request)
    if _from_elsewhere(request):
        raise HTTPException(403, "links from other sites may not ask the language model")
    given: dict[str, Any] = {**options, **({} if budget is None else {"token_budget": budget})}
    if navigate:
        given |= {"strategy": "navigate", "max_steps": steps}
    told = _answered(store, q, given)
    begun = [next(told)]
    while (
        begun[-1][0] == "step" and begun[-1][1]["step"] == "search"
    ):  # errors in the request are raised before the stream begins
        begun.append(next(told))
    if begun[-1][0] == "failed":
        raise begun[-1][1]
    return EventStream(_events(begun, told))


@router.get("/answer", include_in_schema=False)
def answer_page(
    request: Request,
    store: Served,
    q: Word = None,
    document: Word = None,
    section: Word = None,
    within: Word = None,
    collection: Word = None,
    now: Word = None,
) -> Response:
    """Show the answer to a question: with scripts as it arrives, without scripts when it is complete."""
    if not (q or "").strip():
        return RedirectResponse("/", 303)
    _check_offered(request)
    if _from_elsewhere(request):
        return RedirectResponse("/search?" + urlencode({"q": q}), 303)
    inside = document if within != "store" else None
    branch = section if inside and within == "section" else None
    scope: dict[str, Any] = {"document": inside or None, "section": branch or None, "collection": collection or None}
    given = {name: value for name, value in {"q": q, **scope}.items() if value is not None}
    answered, trouble = None, None
    if now is not None:
        try:
            answered = _linked(store.answer(q or "", **scope))
        except AnswerError as error:
            trouble = str(error)
    in_document = store.document(inside).document.title if inside else None
    values: dict[str, Any] = {"q": q, "given": given, "answered": answered, "document": in_document, "branch": branch}
    return page(request, "answer.html", 503 if trouble else 200, **values, trouble=trouble)


def _check_offered(request: Request) -> None:
    if not request.app.state.answers:
        raise AnswerError(
            "this service was started without a language model", hint="set RAGRAPH_LLM_URL and RAGRAPH_LLM_MODEL"
        )


def _from_elsewhere(request: Request) -> bool:
    """Return True if the request comes from a link on another site: such links must not use our model."""
    return request.headers.get("sec-fetch-site") in ("cross-site", "same-site")


def _linked(answered: CitedAnswer) -> dict[str, Any]:
    """Return an answer as JSON in which quotes have the addresses of their passages."""
    told = answered.to_json()
    for claim in told["claims"]:
        for quote in claim["quotes"]:
            quote["url"] = State(quote["document_id"]).at(quote["node_id"])
    return told


def _answered(store: Store, question: str, options: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield events while a thread answers, ``quiet`` if there was none; the answer or the failure is last."""
    happened: SimpleQueue[tuple[str, Any]] = SimpleQueue()

    def work() -> None:
        try:
            done = store.answer(question, progress=lambda step: happened.put(("step", {"step": step})), **options)
        except RagraphError as error:
            happened.put(("failed", error))
        except Exception:
            _logger.exception("answer")
            happened.put(("failed", RagraphError("the service failed; see its log")))
        else:
            happened.put(("answer", done))

    Thread(target=work, name="ragraph-answer", daemon=True).start()
    name = ""
    while name not in ("answer", "failed"):
        try:
            name, value = happened.get(timeout=_QUIET)
        except Empty:
            name, value = "quiet", None
        yield name, value


def _events(begun: list[tuple[str, Any]], rest: Iterator[tuple[str, Any]]) -> Iterator[str]:
    yield from (text for item in begun for text in _event(*item))
    yield from (text for item in rest for text in _event(*item))


def _event(name: str, value: Any) -> Iterator[str]:
    """Yield the lines to send for an event."""
    if name == "quiet":
        yield ": waiting\n\n"
        return
    if name == "answer":
        told = _linked(value)
        yield from (text for claim in told["claims"] for text in _event("claim", claim))
        value = told
    elif name == "failed":
        value = {"error": type(value).__name__, "message": " ".join(str(value).split())}
    yield f"event: {name}\ndata: {json.dumps(value)}\n\n"
