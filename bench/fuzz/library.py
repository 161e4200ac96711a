"""The small store that made-up calls are tried on, and copies of it."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

import ragraph
from bench.fuzz.values import write_files
from bench.stores import QUERIES
from bench.throwaway import drop_database
from ragraph import server

if TYPE_CHECKING:
    from collections.abc import Iterable

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"
_FILES = {"dl_guide": "field-guide.docx", "dl_book": "wealth-of-nations-book-3.epub", "dl_trial": "statin-trial.nxml"}
_NOTE = (
    b"# Corn\n\nThe price of corn[^1] rose in 17%d.\n\n[^1]: Smith, A. (1776). Wealth of Nations. London: Strahan.\n"
)
_LOGS = ("audit_event", "query_log")
"""Tables that note what was asked, whether it was refused or not."""


class Library:
    """An embedded server with a small store that has something of everything, and copies of it, one at a time.

    Attributes:
        folder: folder of the calls, with ``files``; nothing outside it is written.
        files: paths of files by name, some of them wrong.
        known: values of arguments that exist, by name of the argument.
        url: URL of the copy.
        what: tables, indexes and originals that were new or different when ``changed`` looked last.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.known: dict[str, list[Any]] = {}
        self._copies = 0
        self._digest: tuple[list[Any], ...] = ()
        self.what = ""

    def __enter__(self) -> Library:
        top = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="ragraph-fuzz-")))
        top.chmod(0o755)
        self._home, self._originals = top / "home", top / "originals"
        self.folder = top / "calls" / "here"
        self.folder.mkdir(parents=True)
        self.assets = top / "assets"
        self.other_home = top / "other"
        os.environ.update(RAGRAPH_ASSETS=str(self._originals), RAGRAPH_BACKEND="plain", HF_HUB_OFFLINE="1")
        self._server = server.EmbeddedServer(self._home)
        self._stack.enter_context(self._server.start(create=True))
        self._stack.callback(server.stop, self._home)
        self._stack.callback(server.stop, self.other_home)
        self.files = write_files(self.folder)
        self._fill()
        os.environ["RAGRAPH_ASSETS"] = str(self.assets)
        self.renew()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def renew(self) -> None:
        """Replace the copy by a new one, and the files by those that were there."""
        with psycopg.connect(self._server.url("postgres", role="postgres"), autocommit=True) as admin:
            drop_database(admin, f"copy_{self._copies}")
            self._copies += 1
            copy = sql.Identifier(f"copy_{self._copies}")
            admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE made OWNER ragraph STRATEGY file_copy").format(copy))
        self.url = self._server.url(f"copy_{self._copies}")
        for folder in (self.assets, self.folder):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._originals, self.assets)
        self.folder.mkdir()
        write_files(self.folder)
        self._digest = self._now()

    def changed(self) -> bool:
        """Return True if the copy is not as it was when it was made or last looked at: rows, indexes or originals."""
        before, self._digest = self._digest, self._now()
        self.what = str([sorted(set(now) - set(then))[:3] for then, now in zip(before, self._digest, strict=True)])
        return before != self._digest

    def _now(self) -> tuple[list[Any], ...]:
        """Return what changes with any row, index or original: a row that is written again has another transaction."""
        with psycopg.connect(self.url) as connection:
            tables = [str(row[0]) for row in connection.execute(QUERIES["keys"]) if row[0] not in _LOGS]
            counted = sql.SQL(" UNION ALL ").join(
                sql.SQL("SELECT {}, count(*), sum(t.xmin::text::bigint) FROM {} AS t").format(
                    sql.Literal(table), sql.Identifier("ragraph", table)
                )
                for table in sorted(tables)
            )
            rows = connection.execute(counted).fetchall()
            indexes = connection.execute(QUERIES["indexes"]).fetchall()
        files = sorted(str(path.relative_to(self.assets)) for path in self.assets.rglob("*") if path.is_file())
        return rows, indexes, files

    def _fill(self) -> None:
        with psycopg.connect(self._server.url("postgres", role="postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE made OWNER ragraph")
        with ragraph.open(self._server.url("made")) as store:
            store.keep_versions("notes")
            for document, name in _FILES.items():
                store.ingest(EXAMPLES / name, document_id=document, tags=["example"], backend="plain")
            for year in (76, 89):
                store.ingest(_NOTE % year, name="note.md", document_id="dl_note", collection="notes", backend="plain")
            store.extract_entities()
            store.update_works()
            self.known = _known(store)
        self.known["path"] = self.known["file"] = self.known["paths"] = list(self.files.values())
        self.known["folder"] = self.known["output"] = [self.files["new"], self.files["folder"], self.files["missing"]]


def _known(store: ragraph.Store) -> dict[str, list[Any]]:
    """Return what the store has, by names of arguments."""
    documents = [document.id for document in store.documents()]
    nodes = _some(node.id for document in documents for node in store.nodes(document)[:9])
    sections = _some(entry.component_id for document in documents for entry in store.toc(document)[:5])
    entities = _some(entity.identity for entity in store.entities(limit=5))
    works = _some(work.identity for work in store.works(limit=5))
    by_names: dict[str, list[Any]] = {
        "document doc documents document_id id other with_document": documents,
        "node nodes": nodes,
        "section component": sections,
        "model model_name": [model.name for model in store.models()],
        "entity entities boost": entities,
        "work works identity identities": works,
        "collection collections": ["default", "notes"],
        "query question text quote": ["price of corn", "statin", "word"],
        "tag tags name": ["example", "notes"],
        "version": ["1"],
        "filter": ['{"collection": "notes"}', '{"tags": "example"}'],
        "job": [job.id for job in store.jobs()],
        "type types": ["TABLE", "PARAGRAPH"],
        "style": ["apa"],
        "mode": ["text", "hybrid"],
        "page": ["1"],
        "pages": ["1-2"],
    }
    return {name: values for names, values in by_names.items() for name in names.split() if values}


def _some(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
