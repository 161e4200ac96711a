"""Several models in one store, and which of them is used unless told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import pytest
from tiny_models import save_tiny_bert, save_word_axes
from typer.testing import CliRunner

import ragraph
from ragraph.database.runner import STATEMENT
from ragraph.errors import ModelError, ModelNotFoundError, RagraphNotice
from ragraph.faces.cli import app
from ragraph.schema.results import ExplainedHits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph import Store

TEXT = "# Weather\n\nThe cost of rain.\n\nA cost of snow.\n\nRain.\n"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Two models: one in which words are axes, and another of other dimensions."""
    folder = tmp_path_factory.mktemp("models")
    return str(save_word_axes(folder / "axes")), str(save_tiny_bert(folder / "tiny"))


@pytest.fixture
def store(database_url: str, tmp_path: Path, folders: tuple[str, str]) -> Iterator[Store]:
    """Two documents, embedded with the first model, which the store was switched to."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.md").write_text(f"{TEXT}\nThe snow of {name}.\n")
    with ragraph.open(database_url) as opened:
        paths = [tmp_path / "one.md", tmp_path / "two.md"]
        assert opened.ingest(paths, model=folders[0]).ok
        opened.switch_model("axes")
        yield opened


def test_searches_and_ingestion_use_the_model_that_was_switched_to(
    store: Store, folders: tuple[str, str], tmp_path: Path
) -> None:
    before = store.search("rain", mode="vector")
    assert before == store.search("rain", mode="vector", model="axes")
    store.add_model(folders[1], name="new")
    assert store.embed("new").documents == 2
    assert store.search("rain", mode="vector") == before  # nothing changes before the switch
    assert store.switch_model("new").current
    after = store.search("rain", mode="vector")
    assert after == store.search("rain", mode="vector", model="new")
    assert [hit.score for hit in after] != [hit.score for hit in before]
    assert len(store.embed_query("rain")) == 16
    assert store.context("rain", mode="graph").blocks
    (tmp_path / "three.md").write_text("# Three\n\nThe rain of rain.\n")
    assert store.ingest(tmp_path / "three.md", document_id="dl_three").ok
    models = {model.name: model for model in store.models()}
    assert (models["new"].complete, models["axes"].complete, models["new"].documents) == (3, 2, 3)


def test_another_open_store_goes_over_with_its_next_call(
    store: Store, database_url: str, folders: tuple[str, str]
) -> None:
    with ragraph.open(database_url) as other:
        assert len(other.embed_query("rain")) == 13
        store.embed(folders[1], name="new")
        store.switch_model("new")
        assert len(other.embed_query("rain")) == 16


def test_a_search_goes_to_the_database_once_and_over_to_another_model_at_once(
    store: Store, database_url: str, folders: tuple[str, str]
) -> None:
    with ragraph.open(database_url) as other:
        modes: tuple[Literal["vector"], Literal["hybrid"]] = ("vector", "hybrid")
        for mode in modes:
            other.search("rain", mode=mode)
            hits = other.search("rain", mode=mode, explain=True)
            assert isinstance(hits, ExplainedHits)
            assert [step.part for step in hits.steps if step.way == STATEMENT] == [f"search_{mode}"]
        before = other.context("rain")
        assert other.context("rain") == before
        store.embed(folders[1], name="new")
        assert other.context("rain") == before  # one that came is no other one to search by
        store.switch_model("new")
        assert other.search("rain", mode="vector") == store.search("rain", mode="vector", model="new")
        assert other.search("rain") == store.search("rain")
        store.switch_model("axes")
        store.drop_model("new")
        assert other.context("rain") == before
        with pytest.raises(ModelNotFoundError, match="nothing is embedded under the model 'new'"):
            other.search("rain", model="new")


def test_a_half_filled_model_is_not_switched_to_and_not_searched_in_silence(
    store: Store, folders: tuple[str, str]
) -> None:
    first, second = (document.id for document in store.documents())
    store.embed(folders[1], first, name="new")
    with pytest.raises(ModelError, match=r"1 of 2 documents lack vectors under 'new'; fill it first: store\.embed"):
        store.switch_model("new")
    with pytest.warns(RagraphNotice, match="'new' lacks vectors of some documents"):
        found = store.search("rain", mode="vector", model="new")
    assert {hit.document_id for hit in found} == {first}
    assert {hit.document_id for hit in store.search("rain", mode="vector")} == {first, second}
    assert store.switch_model("new", partial=True).complete == 1
    store.switch_model("axes")
    assert store.embed("new").documents == 2
    assert {hit.document_id for hit in store.search("rain", mode="vector", model="new")} == {first, second}
    assert store.switch_model("new").current


def test_what_changes_is_complete_again_only_with_the_vectors_of_what_changed(
    store: Store, folders: tuple[str, str], tmp_path: Path
) -> None:
    store.embed(folders[1], name="new")
    (tmp_path / "one.md").write_text(f"{TEXT}\nThe cost of snow.\n")
    assert store.ingest(tmp_path / "one.md").files[0].status == "changed"
    with pytest.raises(ModelError, match="1 of 2 documents"):
        store.switch_model("new")
    assert store.embed("new").encoded == 1
    assert store.switch_model("new").complete == 2


def test_a_model_is_dropped_with_all_it_left_unless_it_is_used(store: Store, folders: tuple[str, str]) -> None:
    store.embed(folders[1], name="new")
    with store.database.write() as connection:
        connection.execute("SELECT ragraph.ensure_vector_index('axes', 0), ragraph.ensure_vector_index('new', 0)")
    assert all(model.indexed for model in store.models())
    with pytest.raises(ModelError, match=r"searches use 'axes'; switch to another model first: store\.switch_model"):
        store.drop_model("axes")
    assert store.drop_model("new").vectors == 8
    assert [model.name for model in store.models()] == ["axes"]
    with store.database.read() as connection:
        left = connection.execute(
            "SELECT (SELECT count(*) FROM ragraph.embedding WHERE model_name = 'new'),"
            " (SELECT count(*) FROM ragraph.document WHERE ingested_with -> 'embedded' ? 'new'),"
            " (SELECT count(*) FROM pg_class WHERE relname LIKE 'embedding_hnsw%')"
        ).fetchone()
        assert left == (0, 0, 1)
        assert connection.execute("SELECT * FROM ragraph.check_store()").fetchall() == []
    with pytest.raises(ModelNotFoundError, match="'new'; the store has axes"):
        store.drop_model("new")


def test_a_store_of_another_model_says_how_to_use_it(
    database_url: str, tmp_path: Path, folders: tuple[str, str]
) -> None:
    (tmp_path / "one.md").write_text(TEXT)
    with ragraph.open(database_url) as store:
        assert store.ingest(tmp_path / "one.md", model=folders[0]).ok
        with pytest.raises(ModelNotFoundError, match=r"the store has axes; name it, or .*store\.switch_model"):
            store.search("rain")
        with pytest.raises(ModelError, match="'current' stands for the model"):
            store.add_model(folders[1], name="current")


def test_the_commands(store: Store, database_url: str, folders: tuple[str, str]) -> None:
    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, ["--url", database_url, "models", *words])
        assert result.exit_code == code, result.output
        return result.output

    assert "`ragraph models fill new`" in run("add", folders[1], "--name", "new")
    result = CliRunner().invoke(app, ["--url", database_url, "models", "switch", "new"])
    assert isinstance(result.exception, ModelError)
    assert "2 of 2 documents complete" in " ".join(run("fill", "new").split())
    assert "searches use new" in run("switch", "new")
    listed = json.loads(run("list", "--json"))
    assert [(row["name"], row["current"]) for row in listed] == [("axes", False), ("new", True)]
    assert "2 of 2" in run("list")
    assert "axes was removed with 8 vectors" in run("drop", "axes")
