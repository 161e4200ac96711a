"""REST: reviews of passages, and the log of queries, which only a service that may write shows."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ragraph.faces.web.api import ERRORS, DocumentId, Limit, NodeId, Offset, Served, paged
from ragraph.faces.web.asking import reviewer_of
from ragraph.faces.web.inputs import JsonObject, decoded, only_known
from ragraph.schema.feedback import LoggedQuery, Review

_CHECKED = [Depends(decoded), Depends(only_known)]
router = APIRouter(prefix="/api", responses=ERRORS, dependencies=_CHECKED)
writing = APIRouter(prefix="/api", responses=ERRORS, tags=["writing"], dependencies=_CHECKED)

VerdictName = Literal["right", "wrong", "note"]


class Said(BaseModel):
    """What a person says of a passage."""

    model_config = ConfigDict(extra="forbid")

    verdict: VerdictName
    note: str | None = Field(default=None, max_length=10_000)
    by: str | None = Field(
        default=None, max_length=200, description="Name of the reviewer; with a token it is the name of the token."
    )
    question: str | None = Field(default=None, max_length=10_000, description="Question that it was judged for.")


class Recorded(BaseModel):
    """Id of a review."""

    review_id: str


class Withdrawn(BaseModel):
    """Whether there was such a review."""

    withdrawn: bool


@router.get("/reviews", response_model=list[Review])
def reviews(
    request: Request,
    store: Served,
    document: Annotated[str | None, Query(description="Only of this document.")] = None,
    node: Annotated[str | None, Query(description="Only of this node.")] = None,
    collection: str | None = None,
    verdict: VerdictName | None = None,
    question: Annotated[str | None, Query(description="Only for this question; empty: of the passage alone.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Return reviews of passages, the newest first."""

    def load(most: int, begin: int) -> list[Review]:
        return store.reviews(
            document, node, collection=collection, verdict=verdict, question=question, limit=most, offset=begin
        )

    return paged(request, load, limit, offset)


@router.get("/reviews/questions")
def judged_questions(
    store: Served,
    collection: str | None = None,
    document: Annotated[list[str] | None, Query(description="Only these documents.")] = None,
) -> list[JsonObject]:
    """Return the questions that passages were reviewed for, as `ragraph eval` and `ragraph tune` read them."""
    return [question.to_json() for question in store.judged_questions(collection=collection, document=document)]


@writing.post("/documents/{document}/nodes/{node}/reviews", status_code=201, response_model=Recorded)
def review(request: Request, store: Served, document: DocumentId, node: NodeId, said: Said) -> Recorded:
    """Review a passage; a later review by the same person replaces it."""
    by = reviewer_of(request, said.by)
    made = store.review(document, node, said.verdict, said.note, by=by, question=said.question)
    return Recorded(review_id=made)


@writing.delete("/documents/{document}/reviews/{review}", response_model=Withdrawn)
def withdraw_review(store: Served, document: DocumentId, review: str) -> Withdrawn:
    """Remove a review."""
    return Withdrawn(withdrawn=store.withdraw_review(document, review))


@writing.get("/queries", response_model=list[LoggedQuery])
def queries(
    request: Request,
    store: Served,
    collection: str | None = None,
    since: Annotated[str | None, Query(description="Only those asked since this day or moment.")] = None,
    judged: Annotated[bool | None, Query(description="Only with, or without, passages judged for them.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Return logged queries, the newest first; nothing is logged by default."""

    def load(most: int, begin: int) -> list[LoggedQuery]:
        return store.queries(collection, since=since, judged=judged, limit=most, offset=begin)

    return paged(request, load, limit, offset)
