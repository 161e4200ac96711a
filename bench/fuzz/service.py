"""Made-up requests to ``ragraph serve --write``: every operation of its interface, and every page for people."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import httpx
import schemathesis
from fastapi.openapi.utils import get_openapi
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from bench.chaos.running import Running, processes
from bench.fuzz.commands import STUCK_S, Called
from bench.fuzz.values import NASTY, fitting
from ragraph.faces.web import known, pages, side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.fuzz.library import Library

STARTS_S = 60.0
LONGEST_LINE = 1000
API = "/api/"
DESCRIBED = [status_code_conformance, content_type_conformance, response_schema_conformance]
NASTY = tuple(text for text in NASTY if not set(text) & {"\ud800"})
"""Without single surrogates, which no client can send."""
_MODES = (GenerationMode.POSITIVE, GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


def pages_described() -> dict[str, Any]:
    """Return the description of the pages in the form of OpenAPI, which the service itself does not give."""
    routes = [*pages.router.routes, *pages.writing.routes, *side.router.routes, *known.router.routes]
    for route in routes:
        route.include_in_schema = True  # type: ignore[attr-defined]
    return get_openapi(title="pages", version="1", routes=routes)


@st.composite
def requests(draw: st.DrawFn, operation: Any, given: Mapping[str, Sequence[Any]]) -> Any:
    """Return a request for an operation; its values are made up, or exist in the store, or are what nobody expects."""
    case = draw(operation.as_strategy(generation_mode=draw(st.sampled_from(_MODES))))
    for place in (case.path_parameters, case.query, case.body):
        if not isinstance(place, dict):
            continue
        for name in list(place):
            chosen = draw(st.integers(0, 5))
            if chosen < 3 and name in given:
                place[name] = draw(fitting(name, given))
            elif chosen == 3:
                place[name] = draw(st.sampled_from(NASTY))
    return case


class Service:
    """Sends requests to a service of the copy of a library, which is a process of its own."""

    def __init__(self, library: Library) -> None:
        self._library, self._context = library, processes()
        self._numbers = self._read = 0
        self.called = Called()
        self._start()
        described = httpx.get(f"{self._site}/api/openapi.json", timeout=STUCK_S).json()
        schemas = [schemathesis.openapi.from_dict(one) for one in (described, pages_described())]
        self._operations = [
            found.ok() for one in schemas for found in one.get_all_operations() if isinstance(found, Ok)
        ]

    def strategy(self) -> st.SearchStrategy[Any]:
        """Return requests."""
        known_there = {**self._library.known, "q": self._library.known["query"]}
        return st.one_of([requests(operation, known_there) for operation in self._operations])

    def __call__(self, case: Any) -> None:
        """Send a request, and note what is wrong."""
        self.called.calls += 1
        try:
            answer = case.call(base_url=self._site, timeout=STUCK_S, allow_redirects=False)
        except UnicodeEncodeError:  # a single surrogate, which no client can send
            return
        except Exception as error:  # whatever the client's library raises, the service did not answer
            found = [f"no answer, {type(error).__name__} {str(error)[:80]}"]
            status = 0
        else:
            status = answer.status_code
            found = [*self._faults(case, answer), *self._job(answer)]
        self.called.codes[str(status)] += 1
        found += self._told()
        changed = self._library.changed()
        if changed and (status >= 400 or case.method == "GET"):
            found.append("a refused call changed the store" if status >= 400 else "reading changed the store")
        if self._running.ended:
            found.append("the service has ended")
        if changed or found or (status < 400 and case.method != "GET"):
            self._renew()
        for line in found:
            self.called.wrong.setdefault(f"{case.operation.label}: {line}", self._shown(case))

    def close(self) -> None:
        """End the service."""
        if not self._running.end():
            self.called.wrong.setdefault("the service does not end", "")

    def _faults(self, case: Any, answer: Any) -> Iterator[str]:
        of_api = case.operation.path.startswith(API)
        # without a language model, answers are described to fail with 503
        checks = [*(DESCRIBED if of_api else []), *([] if "/answer" in case.operation.path else [not_a_server_error])]
        try:
            case.validate_response(answer, checks=checks)
        except FailureGroup as group:
            for failure in group.exceptions:
                yield " ".join(f"{failure}".split())[:120]
        if of_api and answer.status_code >= 400:
            body = answer.json()
            said = body.get("message") if isinstance(body, dict) else None
            if not isinstance(said, str) or not said.strip():
                yield f"{answer.status_code} says nothing"
            elif "\n" in said.strip() or len(said) > LONGEST_LINE:
                yield f"{answer.status_code} is not one line"

    def _job(self, answer: Any) -> Iterator[str]:
        """Wait for the job that a request began, if it did."""
        if answer.status_code != 202:
            return
        end = time.monotonic() + STUCK_S
        job = answer.json()
        while isinstance(job, dict) and job.get("status") in ("waiting", "running"):
            if time.monotonic() > end:
                yield "its job is stuck"
                return
            time.sleep(0.05)
            job = httpx.get(f"{self._site}/api/jobs/{job['id']}", timeout=STUCK_S).json()
        reason = job.get("reason") if isinstance(job, dict) else None
        if reason and ("\n" in reason.strip() or "Traceback" in reason or len(reason) > LONGEST_LINE):
            yield f"its job failed with {reason[:80]!r}"

    def _told(self) -> list[str]:
        """Return the last line of a traceback that was printed since the last look."""
        said = self._running.said
        new, self._read = said[self._read :], len(said)
        return [f"traceback {new.strip().splitlines()[-1][:120]}"] if "Traceback" in new else []

    def _start(self) -> None:
        self._numbers += 1
        self._read = 0
        environment = {
            "RAGRAPH_DATABASE_URL": self._library.url,
            "RAGRAPH_HOME": str(self._library.other_home),
            "NO_COLOR": "1",
        }
        said = self._library.folder.parent / f"service-{self._numbers}"
        self._running = Running(self._context, ["serve", "--write", "--port", "{port}"], environment, said)
        self._site = f"http://127.0.0.1:{self._running.port}"
        self._running.wait_for_answers(STARTS_S)

    def _renew(self) -> None:
        self.close()
        self._library.renew()
        self._start()

    def _shown(self, case: Any) -> str:
        return f"{case.as_curl_command()!r:.900}" if case.body else f"{case.path_parameters!r:.400} {case.query!r:.500}"
