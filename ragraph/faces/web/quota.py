"""Limits of a token: requests a minute, requests at a time, bytes of uploads a day.

They are counted in this process. A service of several processes allows each of them as much.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragraph.schema.access import KnownToken

REQUESTS_PER_MINUTE = 600
"""Usual number of requests a minute: a page with its pictures takes up to 20."""

CONCURRENT_REQUESTS = 16
"""Usual number of requests at a time: browsers open six connections."""

UPLOAD_BYTES_PER_DAY = 10 << 30
"""Usual bytes of uploads a day: ten files of the largest size."""

_DAY_S = 86_400.0


class Bucket:
    """A token bucket: it fills evenly, and each use takes something out.

    Args:
        capacity: what it holds when it is full, as at the beginning.
        seconds: time in which an empty one fills.
    """

    def __init__(self, capacity: float, seconds: float) -> None:
        self.capacity = capacity
        self._rate = capacity / seconds
        self._level = capacity
        self._at = time.monotonic()

    def take(self, amount: float) -> float:
        """Take an amount if there is so much; return 0, or else the seconds until there will be."""
        now = time.monotonic()
        self._level = min(self.capacity, self._level + (now - self._at) * self._rate)
        self._at = now
        if amount <= self._level:
            self._level -= amount
            return 0.0
        return (amount - self._level) / self._rate if self._rate else _DAY_S


@dataclass
class Quota:
    """What a token has left."""

    requests: Bucket
    bytes: Bucket
    concurrent: int
    running: int = 0


class Quotas:
    """What each token has left, from the start of the service on. Only the thread of the event loop uses it."""

    def __init__(self) -> None:
        self._of: dict[str, Quota] = {}

    def of(self, token: KnownToken) -> Quota:
        """Return what a token has left."""
        if token.id not in self._of:
            uploads = UPLOAD_BYTES_PER_DAY if token.upload_bytes_per_day is None else token.upload_bytes_per_day
            self._of[token.id] = Quota(
                requests=Bucket(token.requests_per_minute or REQUESTS_PER_MINUTE, 60.0),
                bytes=Bucket(uploads, _DAY_S),
                concurrent=token.concurrent_requests or CONCURRENT_REQUESTS,
            )
        return self._of[token.id]
