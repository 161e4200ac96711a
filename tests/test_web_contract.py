"""Calls of every kind, made up from the description of the service: none is a failure of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from sample_library import BOOK, GUIDE
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from web_tools import served

if TYPE_CHECKING:
    from ragraph import Store

CALLS = 12
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
LOOSE = settings(
    max_examples=CALLS, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


# the service runs in this process, and its pool of connections draws random numbers while a call is being made up
MADE_UP = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


def call_all(site: str, methods: set[str]) -> set[str]:
    """Make calls of each operation with these methods, deletions last; return the operations."""
    schema = schemathesis.openapi.from_url(f"{site}/api/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    asked = [operation for operation in operations if operation.method.upper() in methods]
    for operation in sorted(asked, key=lambda operation: operation.method.upper() == "DELETE"):
        made = 0
        # without a language model, answers are described to fail with 503
        checks = CHECKS[1:] if operation.path == "/api/answer" else CHECKS

        @LOOSE
        @given(case=operation.as_strategy())
        def call(case: schemathesis.Case[Any]) -> None:
            nonlocal made
            made += 1
            if "document" in case.path_parameters and made % 2:  # half of the calls ask for what is there
                case.path_parameters["document"] = BOOK if made % 4 == 1 else GUIDE
            case.call_and_validate(checks=checks)  # noqa: B023 - called at once

        call()
        assert made >= 1, operation.label
    return {operation.label for operation in asked}


@MADE_UP
def test_every_call_is_answered_as_described(library: Store) -> None:
    with served(library) as site:
        called = call_all(site, {"GET"})
        paths = httpx.get(f"{site}/api/openapi.json").json()["paths"]
    assert called == {f"GET {path}" for path, methods in paths.items() if "get" in methods}


@MADE_UP
def test_every_call_that_writes_is_answered_as_described(own_library: Store) -> None:
    with served(own_library, write=True) as site:
        called = call_all(site, {"POST", "PUT", "PATCH", "DELETE"})
        paths = httpx.get(f"{site}/api/openapi.json").json()["paths"]
    assert called == {f"{one.upper()} {path}" for path, methods in paths.items() for one in methods if one != "get"}
    assert called >= {"PATCH /api/documents/{document}", "POST /api/documents", "DELETE /api/documents"}
