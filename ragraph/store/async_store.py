"""The store for asyncio: the methods of ``Store``, awaited. ``async_store.pyi`` has their signatures (`make docs`).

Calls run in threads. A cancelled call cancels its statement on the server and ends before the cancellation is raised,
so that no work goes on unseen.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from ragraph.store.opening import open as open_store
from ragraph.store.store import Store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator
    from datetime import date

    from ragraph.database.connection import Database

T = TypeVar("T")

_THREADS = 8
"""Threads of a store: its two pools have six connections, and encoding needs none."""

_AGAIN_S = 0.2
"""Seconds after which a cancelled call is cancelled again: it may have begun another statement meanwhile."""


class _Cancelled(KeyboardInterrupt):
    """Raised in the thread of a cancelled call; an ingestion then ends as after Ctrl-C, at the next event."""


class _Job:
    """One call in a thread."""

    def __init__(self, database: Database, call: Callable[[], Any]) -> None:
        self._database, self._call = database, call
        self._thread: int | None = None
        self.cancelled = False

    def run(self) -> Any:
        self._thread = threading.get_ident()
        try:
            return None if self.cancelled else self._call()
        except BaseException:
            if not self.cancelled:
                raise
            return None
        finally:
            self._database.cancelled(self._thread)

    def cancel(self) -> None:
        self.cancelled = True
        if self._thread is not None:
            self._database.cancel(self._thread)

    def telling(self, progress: Callable[..., Any] | None) -> Callable[..., Any]:
        """Return a function for progress that ends a cancelled call."""

        def tell(*event: Any) -> None:
            if self.cancelled:
                raise _Cancelled
            if progress is not None:
                progress(*event)

        return tell


class AsyncStore:
    """An open store whose methods are those of ``Store``, awaited.

    ``export`` is iterated with ``async for``, ``as_of`` entered with ``async with``. Functions for progress are called
    in the thread of the call. A cancelled task raises ``CancelledError`` once its statement has ended. A cancelled
    ``ingest`` ends at its next event; files that were ingested stay.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._database = store.database  # that of an earlier version acts as one, but has no threads
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="ragraph-async")

    async def __aenter__(self) -> AsyncStore:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for running calls, close the connections and release the embedded server."""
        await self._wait(self.store.close)
        self._threads.shutdown(wait=False)

    @wraps(Store.export)
    async def export(self, **options: Any) -> AsyncIterator[str]:
        """See ``Store.export``."""
        lines = await self._wait(partial(self.store.export, **options))
        while (line := await self._wait(partial(next, lines, None))) is not None:
            yield line

    @wraps(Store.as_of)
    @asynccontextmanager
    async def as_of(self, document: str, version: int | str | date) -> AsyncIterator[AsyncStore]:
        """See ``Store.as_of``."""
        block = self.store.as_of(document, version)
        past = AsyncStore(await self._wait(block.__enter__))
        past._database = self._database
        try:
            yield past
        finally:
            past._threads.shutdown(wait=True)
            await self._wait(partial(block.__exit__, None, None, None))

    async def _wait(self, call: partial[T] | Callable[[], T], *, progress: bool = False) -> T:
        """Return the result of a call in a thread; if the task is cancelled, cancel the call and wait for its end."""
        job = _Job(self._database, call)
        if progress and isinstance(call, partial):
            tell = job.telling(call.keywords.get("progress"))
            job._call = partial(call.func, *call.args, **{**call.keywords, "progress": tell})
        run = contextvars.copy_context().run
        try:
            future = asyncio.get_running_loop().run_in_executor(self._threads, run, job.run)
        except RuntimeError:  # closed: the store says so
            return call()
        try:
            return await asyncio.shield(future)  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            while not future.done():
                await asyncio.to_thread(job.cancel)
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(future), _AGAIN_S)
            raise


_TELLS = ("ingest", "resume_job", "embed")
"""Methods that may run for hours and report progress, by which they are cancelled."""


def _awaited(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of ``Store`` as one that is awaited, with its signature and documentation."""

    @wraps(method)
    async def call(self: AsyncStore, *args: Any, **options: Any) -> Any:
        bound = partial(getattr(self.store, name), *args, **options)
        return await self._wait(bound, progress="progress" in options or name in _TELLS)

    return call


for _name, _method in inspect.getmembers(Store, inspect.isfunction):
    if not _name.startswith("_") and not hasattr(AsyncStore, _name):
        setattr(AsyncStore, _name, _awaited(_name, _method))


class Opening:
    """A store that is being opened: awaited, or entered with ``async with``."""

    def __init__(self, opened: Callable[[], Store]) -> None:
        self._opened = opened
        self._store: AsyncStore | None = None

    def __await__(self) -> Generator[Any, None, AsyncStore]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncStore:
        self._store = await self._open()
        return self._store

    async def __aexit__(self, *_: object) -> None:
        if self._store is not None:
            await self._store.close()

    async def _open(self) -> AsyncStore:
        return AsyncStore(await asyncio.to_thread(self._opened))


def aopen(url: str | None = None, **options: Any) -> Opening:
    """Open a store for asyncio; see ``ragraph.open``.

    Returns:
        The store once it is awaited or entered: ``async with ragraph.aopen() as store: hits = await
        store.search("...")``.
    """
    return Opening(partial(open_store, url, **options))
