"""Who asks: the store as they see it, what they may do, and the lines of the audit log about it."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ragraph.database.roles import SERVICE, with_role
from ragraph.database.tokens import add_audit_event, has_service_role, known_by_id, known_token, known_user
from ragraph.errors import ArgumentError, RagraphError, ServerError
from ragraph.store.acting import acting

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping
    from typing import Any

    from starlette.requests import Request

    from ragraph.database.connection import Database
    from ragraph.schema.access import KnownToken
    from ragraph.store.store import Store

Audit = Literal["off", "warn", "require"]
"""What happens to a request whose line cannot be written: no lines at all, a warning, or a refusal."""

MOST_NAMED = 1000
"""Maximum number of documents that a line of the audit log names."""

_KEY = "ragraph.asker"

_logger = logging.getLogger(__name__)


class AuditError(RagraphError):
    """The audit log cannot be written, and the service was started to refuse requests then."""


class AuditLog:
    """Adds lines to the audit log, with a right to nothing else.

    Args:
        store: the store.
        mode: what to do if a line cannot be written.
        queries: also write the query strings of requests, which contain questions.

    Raises:
        ServerError: the store has no role for the service.
    """

    def __init__(self, store: Store, mode: Audit = "off", *, queries: bool = False) -> None:
        self.mode = mode
        self.queries = queries
        self._database = None if mode == "off" else service_database(store)

    def write(
        self, asker: Asker, action: str, status: int | None, documents: Iterable[str], query: str | None = None
    ) -> None:
        """Add a line.

        Raises:
            AuditError: it cannot be written, and the mode is ``require``.
        """
        if self._database is None:
            return
        named = sorted(documents)
        known = asker.token
        values = {
            "id": f"au_{secrets.token_hex(12)}",
            "token_id": known and known.id,
            "token_name": known and known.name,
            "role_name": known and known.role_name,
            "address": asker.address,
            "action": action[:1000],
            "documents": [name.replace("\0", "") for name in named[:MOST_NAMED]],
            "document_count": len(named),
            "status": status,
            "query": query.replace("\0", "") if self.queries and query else None,
        }
        try:
            add_audit_event(self._database, values)
        except RagraphError as error:
            if self.mode == "require":
                _logger.error("the audit log cannot be written: %s", error)  # noqa: TRY400 - the line is enough
                raise AuditError("the audit log cannot be written, so the request is refused") from error
            _logger.warning("the audit log cannot be written, and %s is not in it: %s", action, error)


@dataclass(frozen=True)
class Asker:
    """Who asks.

    Attributes:
        store: the store as they see it; no route has another.
        log: the audit log.
        token: their token; None if the service has none, or one for everything.
        address: address that the request came from.
        noted: ids of documents that the request has read or changed so far.
    """

    store: Store
    log: AuditLog
    token: KnownToken | None = None
    address: str | None = None
    noted: set[str] = field(default_factory=set)

    @property
    def id(self) -> str:
        """Id of the token; empty if there is none."""
        return self.token.id if self.token else ""

    @property
    def may_write(self) -> bool:
        """True if they may change the store as far as the service offers it."""
        return self.token is None or self.token.kind != "reader"

    @property
    def is_admin(self) -> bool:
        """True if they may see what concerns the whole store, and name files of this machine."""
        return self.token is None or self.token.kind == "admin"

    def audit(self, action: str, status: int | None, query: str | None = None) -> None:
        """Write a line with the documents noted so far.

        Raises:
            AuditError: it cannot be written, and must be.
        """
        self.log.write(self, action, status, set(self.noted), query)


def asker_of(scope: MutableMapping[str, Any]) -> Asker:
    """Return who asks, as the guard found out; there is no store without it."""
    found: Asker = scope[_KEY]
    return found


def may_write(request: Request) -> bool:
    """Return True if whoever sends a request may change the store as far as the service offers it."""
    asker: Asker | None = request.scope.get(_KEY)
    return asker is not None and asker.may_write


def reviewer_of(request: Request, by: str | None) -> str | None:
    """Return the name under which whoever sends a request reviews: that of their token, else the given one.

    Raises:
        ArgumentError: somebody with a token gives the name of another.
    """
    asker = asker_of(request.scope)
    if asker.token is None:
        return by
    if by and by != asker.token.name:
        raise ArgumentError(f"by is {by!r:.80}, but this token is {asker.token.name!r}", hint="leave out by")
    return asker.token.name


def set_asker(scope: MutableMapping[str, Any], asker: Asker) -> None:
    """Set who asks; only for the guard."""
    scope[_KEY] = asker


class Tokens:
    """The tokens of a store. Each is looked up at each request, so that one that is revoked ends at once.

    Args:
        store: the store; its login must be able to assume the role of the service.

    Raises:
        ServerError: the store has no role for the service.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._database = service_database(store)

    def shown(self, token: str) -> KnownToken | None:
        """Return the token that somebody shows; None if there is no such token."""
        return known_token(self._database, token)

    def again(self, id: str) -> KnownToken | None:
        """Return a token that was shown before, by its id; None if it was revoked."""
        return known_by_id(self._database, id)

    def user(self, name: str) -> KnownToken | None:
        """Return a user that a proxy signed in; None if there is no such user."""
        return known_user(self._database, name)

    def seen_by(self, token: KnownToken, noted: set[str]) -> Store:
        """Return the store as a token sees it."""
        return acting(self._store, token.role_name, writes=token.kind != "reader", noted=noted)


def service_database(store: Store) -> Database:
    """Return the database as the role of the service, which finds tokens and adds to the audit log.

    Raises:
        ServerError: the store has no such role, or the login cannot assume it.
    """
    if not has_service_role(store.database):
        raise ServerError("the store has no role for the service yet: run `ragraph db roles` first")
    url = store.database.url
    return store.database.acting(SERVICE, url=with_role(url, SERVICE), writes=True)
