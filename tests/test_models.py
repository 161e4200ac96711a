"""The models of a store: recorded once, and used as recorded."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tiny_models import save_tiny_bert, save_word_axes
from typer.testing import CliRunner

import ragraph
from ragraph.database.connection import connect
from ragraph.errors import (
    ArgumentError,
    ComponentNotFoundError,
    DocumentNotFoundError,
    ModelError,
    ModelNotFoundError,
)
from ragraph.faces.cli import app
from ragraph.models.embedding import load_model
from ragraph.models.registry import record_model, register_model

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph import Store
    from ragraph.models.embedding import EmbeddingModel

TEXT = "# Weather\n\nThe cost of rain.\n\nA cost of snow.\n\nRain.\n"
AXES = {"the": 5, "cost": 6, "of": 7, "rain": 8, "snow": 9, "a": 11, ".": 12}


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "weather.md").write_text(TEXT)
    with ragraph.open(database_url) as opened:
        assert opened.ingest(tmp_path / "weather.md", document_id="dl_weather", model=None).ok
        yield opened


def _vectors(store: Store, model: str) -> dict[str, Any]:
    """Return the vectors of a model by the text of their node."""
    with store.database.read() as connection:
        rows = connection.execute(
            "SELECT n.content, e.embedding_vector FROM ragraph.embedding AS e JOIN ragraph.content_node AS n"
            " ON n.document_id = e.document_id AND n.id = e.node_id WHERE e.model_name = %s",
            [model],
        ).fetchall()
    return {content: np.asarray(vector.to_list() if hasattr(vector, "to_list") else vector) for content, vector in rows}


def test_a_model_is_searched_under_its_stored_name_with_its_stored_prefixes(store: Store, axes: Path) -> None:
    store.embed(str(axes), name="second", query_prefix="snow ", document_prefix="a ")
    assert all(vector[AXES["a"]] > 0 for vector in _vectors(store, "second").values())  # the prefix of texts
    # to the query "rain" the prefix adds snow, so that the text with snow in it scores
    for asked in ("second", str(axes)):
        hits = {hit.content: hit.score for hit in store.search("rain", mode="vector", model=asked)}
        assert hits["A cost of snow."] > 0.2
    store.embed(str(axes), name="plain", query_prefix="", document_prefix="")
    hits = {hit.content: hit.score for hit in store.search("rain", mode="vector", model="plain")}
    assert hits["A cost of snow."] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("mode", ["hybrid", "graph"])
def test_every_mode_and_face_takes_the_stored_name(store: Store, axes: Path, mode: Any) -> None:
    store.embed(str(axes), name="second")
    assert store.search("rain", mode=mode, model="second")
    assert store.context("rain", mode=mode, model="second").blocks
    assert store.search_sections("rain", mode=mode, model="second")


def test_what_is_embedded_again_takes_the_stored_prefixes(store: Store, axes: Path, tmp_path: Path) -> None:
    store.embed(str(axes), name="second", query_prefix="snow ", document_prefix="a ")
    (tmp_path / "more.md").write_text("# More\n\nThe rain of rain.\n")
    assert store.ingest(tmp_path / "more.md", document_id="dl_more", model="second").ok
    assert _vectors(store, "second")["The rain of rain."][AXES["a"]] > 0
    (tmp_path / "most.md").write_text("# Most\n\nThe snow of rain.\n")
    assert store.ingest(tmp_path / "most.md", document_id="dl_most", model=str(axes)).ok  # by its place
    assert _vectors(store, "second")["The snow of rain."][AXES["a"]] > 0
    assert store.embed("second").encoded == 0
    assert store.embed(str(axes), name="second").encoded == 0
    with pytest.raises(ModelError, match="query_prefix 'snow ', now 'rain '"):
        store.embed("second", query_prefix="rain ")


def test_a_place_recorded_under_two_names_has_to_be_named(store: Store, axes: Path) -> None:
    store.embed(str(axes), name="second")
    store.embed(str(axes), name="third", query_prefix="snow ")
    with pytest.raises(ModelError, match="use one of second, third"):
        store.search("rain", model=str(axes))


def test_a_place_recorded_under_two_names_goes_on_under_each_of_them(store: Store, axes: Path, tmp_path: Path) -> None:
    store.embed(str(axes), name="second", query_prefix="snow ")
    store.embed(str(axes), name="third")
    (tmp_path / "more.md").write_text("# More\n\nThe cost of snow.\n")
    assert store.ingest(tmp_path / "more.md", model=None).ok
    assert store.embed(str(axes), name="second").encoded == 1
    assert store.embed(str(axes), name="third").encoded == 1
    assert store.embed(str(axes), name="fourth", document_prefix="rain ").encoded == 4
    assert all(vector[AXES["rain"]] > 0 for vector in _vectors(store, "fourth").values())
    with pytest.raises(ModelError, match="another model named 'second': query_prefix"):
        store.embed(str(axes), name="second", query_prefix="rain ")


def test_a_model_whose_folder_is_gone_is_told_in_one_line_and_can_come_back(store: Store, tmp_path: Path) -> None:
    folder = save_word_axes(tmp_path / "moving")
    store.embed(str(folder), name="moving", query_prefix="snow ")
    moved = folder.rename(tmp_path / "elsewhere")
    for ask in (lambda: store.search("rain", model="moving"), lambda: store.embed("moving")):
        with pytest.raises(
            ModelError, match=r"/moving, which no longer exists; restore the folder, or embed with its new folder"
        ) as caught:
            ask()
        assert "\n" not in str(caught.value)
    assert store.embed(str(moved), name="moving").encoded == 0
    assert store.search("rain", model="moving")


def test_a_model_nobody_embedded_with_is_told_with_those_there_are(store: Store, axes: Path) -> None:
    with pytest.raises(ModelNotFoundError, match=r"embed with it first: store\.embed"):
        store.search("rain")
    store.embed(str(axes), name="second")
    with pytest.raises(ModelNotFoundError, match="'axes'; the store has second"):
        store.search("rain", model="axes")


def test_what_is_wrong_with_the_scope_is_told_before_a_model_is_loaded(store: Store, tmp_path: Path) -> None:
    folder = save_word_axes(tmp_path / "broken")
    store.embed(str(folder), name="broken")
    (folder / "modules.json").unlink()  # loading it would fail, with another error
    from ragraph.models.embedding import _loaded

    _loaded.clear()
    wrong: list[tuple[type[Exception], dict[str, Any]]] = [
        (DocumentNotFoundError, {"document": "dl_nope"}),
        (ComponentNotFoundError, {"document": "dl_weather", "section": "No such section"}),
        (ArgumentError, {"types": ["NOPE"]}),
    ]
    for error, scope in wrong:
        with pytest.raises(error):
            store.search("rain", model="broken", **scope)
    with pytest.raises(ModelError, match=r"no modules\.json"):
        store.search("rain", model="broken", document="dl_weather")


def test_the_command_line_searches_under_the_stored_name(store: Store, axes: Path) -> None:
    url = store.database.url
    embedded = CliRunner().invoke(
        app, ["--url", url, "embed", "--model", str(axes), "--name", "second", "--query-prefix", "snow "]
    )
    assert embedded.exit_code == 0, embedded.output
    found = CliRunner().invoke(app, ["--url", url, "search", "rain", "--model", "second", "--json"])
    assert found.exit_code == 0, found.output
    assert "A cost of snow." in found.output


def test_registered_once_and_compared(connection: Any, tmp_path: Path) -> None:
    tiny = save_tiny_bert(tmp_path / "tiny", prompts={"query": "the ", "passage": "a "})
    model = load_model(str(tiny))
    register_model(connection, model)
    register_model(connection, model)
    row = connection.execute(
        "SELECT dimensions, distance::text, max_tokens, query_prefix, document_prefix, normalized, location"
        " FROM ragraph.embedding_model WHERE name = 'tiny'"
    ).fetchall()
    assert [tuple(found) for found in row] == [(16, "cosine", 32, "the ", "a ", True, str(tiny))]
    other: EmbeddingModel = load_model(str(save_tiny_bert(tmp_path / "other", dimensions=8)), name="tiny")
    with pytest.raises(ModelError, match="dimensions 16, now 8") as caught:
        register_model(connection, other)
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError, match="document_prefix"):
        register_model(connection, load_model(str(tiny), document_prefix="passage: "))


def test_a_vector_search_from_the_command_line_loads_no_torch(library_url: str) -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from ragraph.faces.cli import app;"
        f"done = CliRunner().invoke(app, ['--url', {library_url!r}, 'search', 'trust', '--mode', 'hybrid']);"
        "assert done.exit_code == 0, done.output;"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'sqlalchemy', 'alembic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_many_at_once_record_the_same_model(database_url: str) -> None:
    """It is unique by its name, and by its name and shape: whichever the server looks at first, the others find it."""
    stated = {"location": "tests", "dimensions": 8, "distance": "cosine", "max_tokens": 16, "normalized": True}
    stated |= {"query_prefix": "", "document_prefix": "", "truncated_from": None, "index_kind": "halfvec"}
    programs, names = 6, [f"model {number}" for number in range(40)]
    together = threading.Barrier(programs)

    def record(_: int) -> list[str]:
        with connect(database_url, autocommit=True) as connection:
            found = []
            for name in names:
                together.wait(60)
                found.append(record_model(connection, {**stated, "name": name})["name"])
            return found

    with ThreadPoolExecutor(programs) as pool:
        assert list(pool.map(record, range(programs))) == [names] * programs
