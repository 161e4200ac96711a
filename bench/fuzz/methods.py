"""Made-up calls of every public method of a store."""

from __future__ import annotations

import inspect
import signal
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

import ragraph
from bench.fuzz.commands import Called
from bench.fuzz.values import ANYTHING, TEXTS, fitting
from ragraph import Store
from ragraph.errors import RagraphError, SchemaVersionError
from ragraph.retrieval.scope import ScopeOptions
from ragraph.search import SearchOptions
from ragraph.store.ingest_options import IngestOptions

if TYPE_CHECKING:
    from types import FrameType

    from bench.fuzz.library import Library

NOT_CALLED = {"close"}
STUCK_S = 120
LONGEST_LINE = 1000
_TYPED = {"ingest": IngestOptions, "search": ScopeOptions, "search_sections": SearchOptions, "context": SearchOptions}
_MORE: dict[str, tuple[str, ...]] = {
    "answer": ("llm", "llm_url", "k", "document"),
    "update": ("title", "tags", "metadata"),
}
_TAKEN = (None, True, False, 0, 1, 3, 0.5, "text", "all", "markdown", "section", "sentences")

METHODS = {
    name: tuple(
        (item.name, item.default is item.empty)
        for item in inspect.signature(inspect.unwrap(method)).parameters.values()
        if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY) and item.name != "self"
    )
    for name, method in inspect.getmembers(Store, inspect.isfunction)
    if not name.startswith("_") and name not in NOT_CALLED
}


@st.composite
def calls(draw: st.DrawFn, name: str, library: Library) -> tuple[str, dict[str, Any]]:
    """Return the arguments of a call: those that are necessary and some more, each fitting or wrong."""
    known = library.known
    parameters = METHODS[name]
    optional = [parameter for parameter, needed in parameters if not needed]
    optional += [*_TYPED[name].__annotations__] if name in _TYPED else [*_MORE.get(name, ())]
    named = [parameter for parameter, needed in parameters if needed]  # Python itself tells of one that lacks
    if optional:
        named += draw(st.lists(st.sampled_from(optional), max_size=3, unique=True))
    given: dict[str, Any] = {}
    for parameter in named:
        right = fitting(parameter, known)
        several = st.lists(right, max_size=3)
        given[parameter] = draw(st.one_of(right, right, right, several, st.sampled_from(_TAKEN), TEXTS, ANYTHING))
    if "rerank" not in given and name in ("context", "answer"):
        given["rerank"] = None
    return name, given


class Stuck(BaseException):
    """A call takes too long."""


class Methods:
    """Calls methods on the copy of a library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.called = Called()
        self._store = ragraph.open(library.url)
        signal.signal(signal.SIGALRM, _stop)
        warnings.simplefilter("ignore")

    def strategy(self) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
        """Return calls: the name of a method, and its arguments."""
        return st.one_of([calls(name, self._library) for name in METHODS])

    def __call__(self, call: tuple[str, dict[str, Any]]) -> None:
        """Call a method, and note what is wrong."""
        name, given = call
        self.called.calls += 1
        found: list[str] = []
        refused = True
        signal.alarm(STUCK_S)
        try:
            answer = getattr(self._store, name)(**given)
            if isinstance(answer, Iterator):
                list(islice(answer, 1000))
            refused = False
        except RagraphError as error:
            self.called.codes[type(error).__name__] += 1
            said = str(error)
            if isinstance(error, SchemaVersionError):
                found.append(f"SchemaVersionError {said[:80]}")
            if "\n" in said.strip():
                found.append(f"{type(error).__name__} has several lines")
            if len(said) > LONGEST_LINE:
                found.append(f"{type(error).__name__} has a long line")
        except Stuck:
            found.append("it is stuck")
        except BaseException as error:
            found.append(f"{type(error).__name__} {str(error)[:80]}")
        finally:
            signal.alarm(0)
        if not refused and not found:
            self.called.codes["answered"] += 1
        if self._library.changed():
            if refused:
                found.append("a refused call changed the store")
            self._store.close()
            self._library.renew()
            self._store = ragraph.open(self._library.url)
        for line in found:
            self.called.wrong.setdefault(f"{name}: {line}", _shown(given))

    def close(self) -> None:
        """Close the store."""
        self._store.close()


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stuck


def _shown(given: dict[str, Any]) -> str:
    try:
        return f"{given!r:.900}"
    except ValueError:  # a number of more digits than Python writes
        return ", ".join(f"{name}: {type(value).__name__}" for name, value in given.items())
