"""Originals: kept once, named by the documents that have them, gone with the last."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ragraph
from ragraph.documents.assets import Assets
from ragraph.errors import ArgumentError, AssetError

if TYPE_CHECKING:
    from ragraph import Store

TEXT = "# Of wages\n\nWages are paid by the day.\n"


def kept(store: Store) -> dict[str, int]:
    assert store.assets is not None
    return store.assets.sizes()


def name(path: Path) -> str:
    return "asset:" + hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "wages.md"
    path.write_text(TEXT)
    return path


def test_the_original_stays_when_the_file_goes(database_url: str, file: Path) -> None:
    with ragraph.open(database_url) as store:
        store.ingest(file, document_id="dl_a", model=None)
        file.unlink()
        original, kind = store.original("dl_a")
        assert isinstance(original, Path)
        assert (original.read_text(), kind) == (TEXT, "text/markdown")


def test_no_keep_leaves_it_out_and_the_next_run_keeps_it(database_url: str, file: Path) -> None:
    with ragraph.open(database_url) as store:
        store.ingest(file, document_id="dl_a", model=None, keep=False)
        assert kept(store) == {}
        assert store.original("dl_a")[0] == file
        (report,) = store.ingest(file, document_id="dl_a", model=None).files
        assert report.status == "unchanged"
        assert kept(store) == {name(file): len(TEXT)}
        store.ingest(file, document_id="dl_a", model=None, keep=False)
        file.write_text("changed")
        assert store.original("dl_a")[0] != file
        file.unlink()
        assert store.check() == []


def test_a_file_that_changed_is_not_shown_for_the_old_one(database_url: str, file: Path) -> None:
    with ragraph.open(database_url) as store:
        store.ingest(file, document_id="dl_a", model=None, keep=False)
        file.write_text("changed")
        with pytest.raises(AssetError, match="missing or has changed"):
            store.original("dl_a")


def test_a_moved_file_keeps_its_original(database_url: str, file: Path) -> None:
    with ragraph.open(database_url) as store:
        store.ingest(file, model=None)
        moved = file.rename(file.with_name("pay.md"))
        (report,) = store.ingest(moved, model=None).files
        assert report.status == "moved"
        assert report.document_id is not None
        moved.unlink()
        assert isinstance(store.original(report.document_id)[0], Path)


def test_the_last_document_takes_the_original_along(database_url: str, file: Path) -> None:
    with ragraph.open(database_url) as store:
        for collection in ("one", "two"):
            store.ingest(file, document_id=f"dl_{collection}", collection=collection, model=None)
        assert len(kept(store)) == 1
        store.delete("dl_one")
        assert len(kept(store)) == 1
        store.delete("dl_two")
        assert kept(store) == {}


def test_a_change_and_a_pruned_version_take_their_original_along(database_url: str, file: Path) -> None:
    """Unless a version that is kept names it, or another document."""
    with ragraph.open(database_url) as store:
        store.ingest(file, document_id="dl_a", model=None)
        file.write_text(TEXT + "\nAnd by the week.\n")
        store.ingest(file, document_id="dl_a", model=None)
        assert set(kept(store)) == {name(file)}
        store.keep_versions()
        for number in range(2):
            file.write_text(TEXT + f"\nAnd {number} times.\n")
            store.ingest(file, document_id="dl_a", model=None)
        assert len(kept(store)) == 3
        assert store.prune_versions("dl_a", 1) == 1
        assert len(kept(store)) == 2
        assert store.prune_versions("dl_a") == 1
        assert set(kept(store)) == {name(file)}


def test_clean_removes_what_a_run_that_was_cut_off_left_behind(database_url: str, file: Path) -> None:
    with ragraph.open(database_url) as store:
        assert store.assets is not None
        before = name(file)
        store.assets.put(file, before.removeprefix("asset:"))
        file.write_text(TEXT + "\nAnd by the week.\n")
        store.ingest(file, document_id="dl_a", model=None)
        assert set(kept(store)) == {before, name(file)}
        foretold = store.clean_assets(dry_run=True)
        assert (foretold.removed, foretold.kept) == ([before], 1)
        assert len(kept(store)) == 2
        report = store.clean_assets()
        assert (report.removed, report.bytes_removed, report.kept) == ([before], len(TEXT), 1)
        assert set(kept(store)) == {name(file)}
        assert store.clean_assets().removed == []


def test_two_stores_do_not_clean_each_other(make_database: object, file: Path) -> None:
    with ragraph.open(make_database()) as one, ragraph.open(make_database()) as two:  # type: ignore[operator]
        one.ingest(file, document_id="dl_a", model=None)
        two.clean_assets()
        assert len(kept(one)) == 1


def test_any_place_that_fsspec_reaches_will_do(database_url: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGRAPH_ASSETS", "memory://originals")
    with ragraph.open(database_url) as store:
        store.ingest(file, document_id="dl_a", model=None)
        file.unlink()
        assert store.original("dl_a") == (TEXT.encode(), "text/markdown")
        assert len(kept(store)) == 1
        store.delete("dl_a")
        assert kept(store) == {}


def test_a_place_that_cannot_be_written_fails_the_file(
    database_url: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGRAPH_ASSETS", str(file / "below"))
    with ragraph.open(database_url) as store:
        (report,) = store.ingest(file, document_id="dl_a", model=None).files
        assert report.status == "failed"
        assert "RAGRAPH_ASSETS" in (report.reason or "")
        assert store.documents() == []


def test_a_file_that_changes_meanwhile_is_not_kept(tmp_path: Path, file: Path) -> None:
    assets = Assets(str(tmp_path / "assets"))
    with pytest.raises(AssetError, match="changed while"):
        assets.put(file, "0" * 64)
    assert [path for path in (tmp_path / "assets").rglob("*") if path.is_file()] == []


def test_many_threads_keep_one_file(tmp_path: Path, file: Path) -> None:
    assets = Assets(str(tmp_path / "assets"))
    with ThreadPoolExecutor(8) as threads:
        urls = set(threads.map(lambda _: assets.put(file, name(file).removeprefix("asset:")), range(32)))
    assert urls == {name(file)}
    assert assets.sizes() == {name(file): len(TEXT)}


@pytest.mark.parametrize("url", ["asset:../../etc/passwd", "asset:", "asset:" + "g" * 64])
def test_names_lead_nowhere_else(tmp_path: Path, url: str) -> None:
    with pytest.raises(AssetError, match="is not the digest of an asset"):
        Assets(str(tmp_path)).read(url)


def test_keep_is_a_switch(database_url: str, file: Path) -> None:
    with ragraph.open(database_url) as store, pytest.raises(ArgumentError, match="keep takes"):
        store.ingest(file, keep="no")  # type: ignore[arg-type]
