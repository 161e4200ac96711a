"""The work at the end of a run, for all files together. A failure is a warning; the next run does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.storing.write import settle_languages
from ragraph.ingest.vectors.maintenance import analyze, build_index, count_words, link_works, unknown_languages, warned

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.database.connection import Database
    from ragraph.ingest.jobs.reports import Reports
    from ragraph.ingest.storing.registry import Registry
    from ragraph.models.embedding import EmbeddingModel
    from ragraph.schema.reports import GoneFile


class Finishing:
    """Updates what belongs to no single document, and looks for missing files.

    Args:
        database: the store.
        registry: registry of the request's collection.
        model: model whose vector index is built; None builds no index.
        reports: the results of the files.

    Attributes:
        gone: documents whose file is no longer there.
        warnings: work left to the next run, with the reason, and languages that the model does not know.
    """

    def __init__(self, database: Database, registry: Registry, model: EmbeddingModel | None, reports: Reports) -> None:
        self._database = database
        self._registry = registry
        self._model = model
        self._reports = reports
        self.gone: tuple[GoneFile, ...] = ()
        self.warnings: tuple[str, ...] = ()

    def run(self, folders: list[Path]) -> None:
        """Do this work.

        Args:
            folders: the requested folders; documents from there whose file is missing are listed in ``gone``.
        """
        self.warnings += self._look_for_gone(folders)
        if written := self._reports.written():
            with self._reports.timed("analyze"):  # first: the plans of later queries depend on it
                self.warnings += analyze(self._database, sum(report.nodes for report in written))
            self.warnings += settle_languages(self._database, (report.document_id for report in written))
        # also for documents of a run that was interrupted
        with self._reports.timed("words"):
            self.warnings += count_words(self._database)
        with self._reports.timed("works"):
            self.warnings += link_works(self._database)
        if self._model is not None:
            with self._reports.timed("index"):
                self.warnings += build_index(self._database, self._model.name)
        for warning in self.warnings:
            self._reports.log.warning("left to the next run", reason=warning)
        if self._model is not None and written:
            unknown = unknown_languages(self._database, self._model, [report.document_id for report in written])
            for warning in unknown:
                self._reports.log.warning("languages that the model does not know", reason=warning)
            self.warnings += unknown

    def _look_for_gone(self, folders: list[Path]) -> tuple[str, ...]:
        def look() -> None:
            self.gone = self._registry.gone(folders)

        return warned(self._database, look, "missing files could not be looked for")
