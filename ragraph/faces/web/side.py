"""Several documents side by side: each column has its contents and its own text, and the address names them all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from ragraph.base.notices import warn
from ragraph.errors import ArgumentError, RagraphError
from ragraph.faces.web.api import Served
from ragraph.faces.web.inputs import decoded
from ragraph.faces.web.pages import MOST_HITS, Word, grown, most_of, page, titled
from ragraph.faces.web.reading import HITS, State, view
from ragraph.faces.web.wording import unknown, worded
from ragraph.retrieval.parameters import number_or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.schema.results import Document, Hit
    from ragraph.schema.versions import NodeChange
    from ragraph.store.store import Store

MOST = 4
"""Maximum number of documents beside each other: more columns are too narrow to read."""
_OFFERED = 10
"""Maximum number of documents that are offered to be added."""
_NAMES = ("section", "node", "part")
_GIVEN = ("at", "add", "q", "k", "differences")

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False, dependencies=[Depends(decoded)])


@dataclass(frozen=True)
class Column(State):
    """The state of a column. Its addresses are of this page, with the other columns as they are."""

    others: tuple[State, ...] = ()
    place: int = 0

    def url(self, **changes: object) -> str:
        """Return the address of the page with changes of this column."""
        state = replace(self, **changes)  # type: ignore[arg-type]
        columns = [*self.others[: self.place], state, *self.others[self.place :]]
        return side_url(columns, self.q, self.k)

    def at(self, node: str, document: str | None = None, hit: int | None = None) -> str:
        """Return the address at which a passage is shown in this column."""
        return self.url(node=node, section=None, part=None) + f"#{self.prefix}{node}"

    @property
    def prefix(self) -> str:
        """Beginning of the ids of passages in this column."""
        return f"c{self.place + 1}-"

    @property
    def alone(self) -> State:
        """The state of the document's own page."""
        return State(self.document, section=self.section, node=self.node, part=self.part)

    @property
    def closed(self) -> str:
        """The address of the page without this column; of the library if there is no other."""
        return side_url(self.others, self.q, self.k) if self.others else "/"


@router.get("/side")
def side(
    request: Request,
    store: Served,
    at: Annotated[list[str] | None, Query()] = None,
    add: Word = None,
    q: Word = None,
    k: Word = None,
    differences: Word = None,
) -> Response:
    """Show documents beside each other, the results of a search in all of them, or the differences of two."""
    for name in request.query_params:
        if name not in _GIVEN:
            raise unknown(name, _GIVEN)
    states = [_state(value) for value in at or () if value]
    if not states and not add:
        return RedirectResponse("/", 303)
    if len(states) > MOST:
        raise ArgumentError(f"{len(states)} documents are too many to read; choose up to {MOST}")
    there = [state for state in states if store.documents(document=state.document)]
    if len(there) < len(states) and there:
        gone = [state.document for state in states if state not in there]
        warn(f"no longer in the library: {', '.join(gone)}")
        states = there
    most = most_of(k)
    shown_hits = grown(most)
    columns = [
        Column(
            state.document,
            state.section,
            None,
            state.node,
            state.part,
            q or None,
            k=shown_hits,
            others=(*states[:place], *states[place + 1 :]),
            place=place,
        )
        for place, state in enumerate(states)
    ]
    hits, more, trouble = _hits(store, q, states, most)
    shown = [(column, view(store, column, [], text_only=True)) for column in columns]
    found = [(hit, _at(columns, hit)) for hit in hits]
    offered = _offered(store, add, states, q, shown_hits) if len(states) < MOST else []
    two = len({state.document for state in states}) == len(states) == 2
    changes = _changes(store, columns) if two and differences else None
    compare = side_url(states) + "&differences=1" if two else None
    given: dict[str, Any] = {"columns": shown, "found": found, "trouble": trouble, "add": add, "offered": offered}
    given |= {"changes": changes, "compare": compare, "k": shown_hits}
    given["more"] = side_url(states, q, most + HITS) + f"#hit-{most + 1}" if more else None
    return page(request, "side.html", q=q or None, ats=[_value(state) for state in states], most=MOST, **given)


def side_url(states: Sequence[State], q: str | None = None, k: int | None = None) -> str:
    """Return the address of documents side by side, from left to right."""
    asked = {name: value for name, value in (("q", q), ("k", k)) if value}
    return "/side?" + urlencode([("at", _value(state)) for state in states] + list(asked.items()))


def _value(state: State) -> str:
    """Return a column as a parameter: the end of the address of its document's page."""
    query = {name: getattr(state, name) for name in _NAMES if getattr(state, name) is not None}
    return quote(state.document, safe="") + (f"?{urlencode(query)}" if query else "")


def _state(value: str) -> State:
    document, _, query = value.partition("?")
    given = {name: word for name, word in parse_qsl(query) if name in _NAMES}
    part = number_or_none("part", given.get("part"))
    return State(unquote(document), section=given.get("section"), node=given.get("node"), part=part)


def _hits(store: Store, q: str | None, states: Sequence[State], most: int) -> tuple[list[Hit], bool, str | None]:
    """Return the best results of a search in the documents, whether there are more to show, or its error."""
    if not q or not states:
        return [], False, None
    try:
        found = store.search(q, most + 1, document=list(dict.fromkeys(state.document for state in states)))
    except RagraphError as error:
        return [], False, worded(error, api=False)
    return found[:most], len(found) > most and most < MOST_HITS, None


def _at(columns: Sequence[Column], hit: Hit) -> str:
    """Return the address that shows a hit in the column of its document."""
    column = next(column for column in columns if column.document == hit.document_id)
    return column.at(hit.node_id)


def _changes(store: Store, columns: Sequence[Column]) -> list[tuple[NodeChange, str]]:
    """Return what turns the first document into the second, with the addresses that show it."""
    first, second = columns
    return [
        (change, (first if change.change == "removed" else second).at(change.node_id))
        for change in store.compare(first.document, second.document)
    ]


def _offered(
    store: Store, add: str | None, states: Sequence[State], q: str | None, k: int | None
) -> list[tuple[Document, str]]:
    """Return documents whose title has some words, with the addresses that add them."""
    if not add:
        return []
    found = store.documents(filter=titled(add), limit=_OFFERED)
    return [(document, side_url([*states, State(document.id)], q, k)) for document in found]
