"""Documents of older readers are read again, and a warning says how many before it happens."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from ragraph.errors import RagraphNotice
from ragraph.ingest.readers import FORMATS, is_older
from ragraph.ingest.readers.html.reader import HtmlReader

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store


def test_a_warning_says_how_many_documents_are_read_again(store: Store, tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.txt"):
        (tmp_path / name).write_text(f"# {name}\n\nThe river rose in {name}.\n")
    store.ingest(tmp_path, model=None)
    with store.database.write() as connection:
        connection.execute(
            """UPDATE ragraph.document SET ingested_with = ingested_with || '{"reader": "markdown/1"}'
            WHERE ingested_with ->> 'reader' LIKE 'markdown/%%'"""
        )
    with pytest.warns(RagraphNotice, match=r"2 documents will be read again, .* changed: 2 by markdown/1$"):
        report = store.ingest(tmp_path, model=None)
    assert sorted(file.status for file in report.files) == ["changed", "changed", "unchanged"]
    store.ingest(tmp_path, model=None)


def test_the_warning_says_how_long_it_takes_if_that_is_known(store: Store, tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_text(f"# {name}\n\nThe river rose in {name}.\n")
    store.ingest(tmp_path, model=None, job=True)
    with store.database.write() as connection:
        connection.execute('UPDATE ragraph.document SET ingested_with = ingested_with || \'{"reader": "markdown/1"}\'')
        connection.execute(
            "UPDATE ragraph.ingest_file SET stage_seconds = '{\"reading\": 50}' WHERE name NOT LIKE '%%c.md'"
        )
        connection.execute("UPDATE ragraph.ingest_file SET stage_seconds = NULL WHERE name LIKE '%%c.md'")
    with pytest.warns(RagraphNotice, match=r"3 by markdown/1; a process needs about 2:30 for it, as before$"):
        store.ingest(tmp_path, model=None)


def test_only_known_readers_of_another_version_are_older() -> None:
    assert is_older("markdown/1")
    assert not is_older("program")
    assert not is_older("plugin/3")
    assert not is_older("markdown/x")


@pytest.mark.parametrize("name", ["eml", "mbox", "msg", "mhtml", "records"])
def test_files_with_pages_in_them_are_read_again_if_pages_are_read_in_another_way(name: str) -> None:
    """The versions of these readers rise with that of the reader of pages."""
    module = importlib.import_module(f"ragraph.ingest.readers.{FORMATS[name].module}")
    assert getattr(module, FORMATS[name].reader).version > HtmlReader.version
