"""Results about who may use the service, and who did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragraph.schema.results import Result

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken(Result):
    """A token of the service, or a user that a proxy signs in; never its secret.

    Attributes:
        id: the public part of the token.
        name: its name; for users, as the proxy sends it.
        kind: ``reader``, ``writer`` or ``admin``.
        role_name: PostgreSQL role that its requests work as.
        tenant: the tenant that it belongs to; None if it has a role of its own.
        collections: collections that it sees; ``*`` for all, empty for those of its tenant.
        requests_per_minute: maximum number of requests a minute; None for the usual one.
        upload_bytes_per_day: maximum bytes of uploads a day; None for the usual one.
        concurrent_requests: maximum number of requests at a time; None for the usual one.
        created_at: when it was made.
        expires_at: when it expires; None for never.
        signs_in: True for a user of a proxy, who has no secret here.
        expired: True if it has expired.
    """

    id: str
    name: str
    kind: str
    role_name: str
    tenant: str | None
    collections: list[str]
    requests_per_minute: int | None
    upload_bytes_per_day: int | None
    concurrent_requests: int | None
    created_at: datetime
    expires_at: datetime | None
    signs_in: bool
    expired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownToken(Result):
    """The row of a token that somebody shows: what the service checks, and what the token allows.

    ``is_current`` is False if it has expired or its role is missing. ``confined`` is False if nothing limits its role
    to its collections.
    """

    id: str
    name: str
    secret_hash: str | None = field(repr=False)
    kind: str
    role_name: str
    tenant: str | None
    requests_per_minute: int | None
    upload_bytes_per_day: int | None
    concurrent_requests: int | None
    is_current: bool
    confined: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent(Result):
    """A line of the audit log.

    Attributes:
        id: au_..., random.
        at: when it was written.
        token_id: id of the token; None if the service has no tokens.
        token_name: name of the token or user.
        role_name: PostgreSQL role that the request worked as.
        address: address that the request came from.
        action: method and route, or the tool of MCP.
        documents: ids of documents that were read or changed, or asked for; at most 1,000.
        document_count: number of these documents, those left out included.
        status: HTTP status of the answer; None if a change was about to begin.
        query: query string; None unless the service logs it.
    """

    id: str
    at: datetime
    token_id: str | None
    token_name: str | None
    role_name: str | None
    address: str | None
    action: str
    documents: list[str]
    document_count: int
    status: int | None
    query: str | None
