"""Add drafts of a program to the store, by the same steps, transactions and ids as ingestion."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from ragraph.base.arguments import checked
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.telemetry import reported
from ragraph.database.collection_names import check_collection
from ragraph.database.retry import ENDS, with_retry
from ragraph.errors import RagraphError
from ragraph.ingest.storing.restoring import exported_of
from ragraph.ingest.storing.write import settle_languages
from ragraph.ingest.supplied.drafts import as_draft, said
from ragraph.ingest.supplied.vectors import Embedders
from ragraph.ingest.supplied.writing import DraftWriter
from ragraph.ingest.vectors.maintenance import analyze, build_index, count_words, link_works, unknown_languages
from ragraph.ingest.vectors.parts import PartSettings
from ragraph.models.embedding import EmbeddingModel
from ragraph.models.registry import load_for, recorded_models
from ragraph.schema.reports import FileReport, IngestReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ragraph.database.connection import Database
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.supplied.writing import Made, Written
    from ragraph.models.embedding import ModelOptions

T = TypeVar("T")

TOGETHER = 1000
"""Nodes from which on a group of drafts is complete and is written in one transaction."""

DOCUMENTS = 200
"""Maximum drafts of a group: each takes a lock, and the server has a few thousand for all its sessions."""

_PATIENCE_S = 0.05
"""Seconds that drafts wait for others to be written with."""

_AT_ONCE = 2
"""Groups of drafts that may wait, or be written, while others are prepared."""

_AHEAD = 4
"""Documents that may wait to be embedded while others are written."""


@checked(model=(str, EmbeddingModel), parts=PartSettings)
@reported("ragraph.ingest")
def add_drafts(
    database: Database,
    drafts: Iterable[Draft | Mapping[str, Any] | str],
    *,
    collection: str = "default",
    model: str | EmbeddingModel | None = CURRENT_MODEL,
    backend: str | None = None,
    base_url: str | None = None,
    max_tokens: int | None = None,
    parts: PartSettings | None = None,
) -> IngestReport:
    """Write drafts as they come, and embed them in batches across documents.

    While some are written, the next are prepared and the previous ones are embedded. Small new documents that come
    within a moment are written together, about a thousand nodes or 200 documents in one transaction. The next draft is
    taken once all but two such groups are written.

    A known, unchanged draft is skipped. Of a changed one, the changes are written and embedded. An invalid draft is
    reported with the reason, leaves the store as it was and does not stop the others.

    Args:
        database: the store.
        drafts: ``DraftDocument``, ``Draft``, or either as a mapping or as JSON text; also lines of ``Store.export``.
            They are taken one at a time.
        collection: collection of new documents; exported documents keep theirs.
        model: name, folder or model to embed with; None embeds nothing.
        backend: see ``ragraph.models.embedding.ModelOptions``.
        base_url: see ``ModelOptions``.
        max_tokens: see ``ModelOptions``.
        parts: how long texts are cut for embedding.

    Returns:
        A report per draft, in their order; ``path`` is the id of the document, or the number of a draft without one.

    Raises:
        ModelError: the model cannot be loaded, or differs from the one registered under its name.
        ServerError: the store cannot be used.
    """
    begin = time.monotonic()
    with_retry(database, lambda: check_collection(database, collection))
    how: ModelOptions = {"backend": backend, "base_url": base_url, "max_tokens": max_tokens}
    known = with_retry(database, lambda: recorded_models(database))
    loaded = load_for(known, model, **how) if isinstance(model, str) else model
    with (
        ThreadPoolExecutor(1, thread_name_prefix="ragraph-add") as writer,
        ThreadPoolExecutor(1, thread_name_prefix="ragraph-embed") as encoder,
    ):
        how_cut = parts or PartSettings()
        embedders = Embedders(database, known, loaded, how_cut)
        drafted = DraftWriter(database, collection, loaded, how_cut, embedders)
        own = frozenset([loaded.name] if loaded is not None else [])
        with closing(_Adding(drafted, embedders, database, own, writer, encoder)) as run:
            for number, given in enumerate(drafts, 1):
                run.add(number, given)
            run.finish()
        return run.report(begin)


class _Group:
    """Drafts that are written together; closed by the thread that writes them."""

    def __init__(self) -> None:
        self.enough = threading.Event()
        self._lock = threading.Lock()
        self._closed = False
        self._drafts: dict[str, Made] = {}
        self._nodes = 0

    def take(self, made: Made) -> bool:
        """Add a draft; return False if the group is full, closed, or has a draft with the same id."""
        with self._lock:
            if self._closed or self.enough.is_set() or made.document.id in self._drafts:
                return False
            self._drafts[made.document.id] = made
            self._nodes += len(made.graph.nodes)
            if self._nodes >= TOGETHER or len(self._drafts) >= DOCUMENTS:
                self.enough.set()
            return True

    def close(self) -> list[Made]:
        """Wait a moment for enough drafts, then return those of the group."""
        self.enough.wait(_PATIENCE_S)
        with self._lock:
            self._closed = True
            return list(self._drafts.values())


class _Adding:
    def __init__(
        self,
        drafts: DraftWriter,
        embedders: Embedders,
        database: Database,
        own: frozenset[str],
        writer: ThreadPoolExecutor,
        encoder: ThreadPoolExecutor,
    ) -> None:
        self._drafts = drafts
        self._embedders = embedders
        self._database = database
        self._own = own
        self._writer = writer
        self._encoder = encoder
        self._reports: list[FileReport] = []
        self._models: set[str] = set()
        self._writing: deque[tuple[list[str], Future[Sequence[Written | RagraphError]]]] = deque()
        self._open: _Group | None = None
        self._names: list[str] = []
        self._embedding: deque[Future[None]] = deque()

    def add(self, number: int, given: Any) -> None:
        """Have a draft written; meanwhile report the previous ones and have them embedded."""
        while self._writing and self._writing[0][1].done():
            self._report_first()
        name = f"draft {number}"
        try:
            if (line := exported_of(given)) is not None:
                name = line.graph.document.id
                self._close_open()
                self._submit([name], lambda: [self._drafts.restore(line)])
                return
            draft = as_draft(given)
            name = draft.id or name
            made = self._drafts.make(draft)
        except ENDS:
            raise
        except (RagraphError, ValidationError) as error:
            self._settle()
            self._fail(name, error)
            return
        if self._open is not None and self._open.take(made):
            self._names.append(name)
            return
        self._close_open()
        group = self._open = _Group()
        group.take(made)
        self._names = [name]
        self._submit(self._names, lambda: self._drafts.write(group.close()))

    def _close_open(self) -> None:
        if self._open is not None:
            self._open.enough.set()
            self._open = None

    def _submit(self, names: list[str], write: Callable[[], Sequence[Written | RagraphError]]) -> None:
        """Have drafts written after the previous ones; wait until no more than ``_AT_ONCE`` groups are pending."""
        self._writing.append((names, self._writer.submit(write)))
        while len(self._writing) > _AT_ONCE:
            self._report_first()

    def _settle(self) -> None:
        """Wait until all drafts so far are written, and report them."""
        self._close_open()
        while self._writing:
            self._report_first()

    def _report_first(self) -> None:
        names, future = self._writing.popleft()
        try:
            found = self._awaited(future)
        except ENDS:
            raise
        except (RagraphError, ValidationError) as error:
            for name in names:
                self._fail(name, error)
            return
        for name, written in zip(names, found, strict=True):
            if isinstance(written, RagraphError):
                self._fail(name, written)
            else:
                self._report(written)

    def _report(self, written: Written) -> None:
        self._models |= written.models
        self._reports.append(
            FileReport(
                path=written.document_id,
                status=written.status,
                document_id=written.document_id,
                nodes=written.counts["nodes"],
                components=written.counts["components"],
                relations=written.counts["relations"],
                seconds=written.seconds,
                warnings=written.warnings,
            )
        )
        for filled in written.filled:
            embedder = self._embedders[filled.model.name]
            self._embed(self._encoder.submit(embedder.wrote, written.document_id, len(filled.rows)))
        for model in sorted(written.lacks):
            self._models.add(model)
            given = written.given.get(model)
            self._embed(self._encoder.submit(self._embedders[model].embed_document, written.document_id, given))

    def _embed(self, future: Future[None]) -> None:
        self._embedding.append(future)
        while len(self._embedding) > _AHEAD:
            self._awaited(self._embedding.popleft())

    def _awaited(self, future: Future[T]) -> T:
        """Return the result of a thread; if nothing more can be written, cancel all that has not begun.

        Each would otherwise wait for the server for a minute of its own.
        """
        try:
            return future.result()
        except ENDS:
            for waiting in self._pending():
                waiting.cancel()
            raise

    def _pending(self) -> list[Future[Any]]:
        return [*(future for _, future in self._writing), *self._embedding]

    def _fail(self, name: str, error: RagraphError | ValidationError) -> None:
        reason = said(error) if isinstance(error, ValidationError) else str(error)
        self._reports.append(FileReport(path=name, status="failed", reason=reason))

    def finish(self) -> None:
        """Wait until all drafts are written, and embed the remaining ones."""
        self._settle()
        while self._embedding:
            self._awaited(self._embedding.popleft())
        for embedder in self._embedders:
            embedder.encode_rest()
        self._models |= self._own

    def close(self) -> None:
        """Release the indexes, so that they can be built."""
        self._close_open()
        # after an error: no thread may work on while its resources are closed
        wait(self._pending())
        for embedder in self._embedders:
            embedder.close()
        self._drafts.close()

    def report(self, begin: float) -> IngestReport:
        """Update statistics and indexes for all documents, and return the results."""
        warnings: tuple[str, ...] = ()
        for name in sorted(self._models | self._drafts.set_aside()):
            warnings += build_index(self._database, name)
        new = [report for report in self._reports if report.status in ("added", "changed")]
        written = [report.document_id for report in new]
        if new:
            # first: later plans depend on it, and take ten times as long over tables without statistics
            warnings += analyze(self._database, sum(report.nodes for report in new))
            warnings += settle_languages(self._database, written)
        warnings += count_words(self._database)
        warnings += link_works(self._database)
        for embedder in self._embedders if written else ():
            warnings += unknown_languages(self._database, embedder.model, written)
        return IngestReport(
            files=tuple(self._with_vectors(report) for report in self._reports),
            seconds=time.monotonic() - begin,
            warnings=warnings,
        )

    def _with_vectors(self, report: FileReport) -> FileReport:
        if report.document_id is None:
            return report
        for embedder in self._embedders:
            if failed := embedder.failures.get(report.document_id):
                return replace(report, status="failed", reason=failed)
        return replace(report, embeddings=sum(embedder.written[report.document_id] for embedder in self._embedders))
