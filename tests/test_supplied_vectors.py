"""Vectors that come with a draft: they stand in the place of those that the model would make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from ingest_tools import WordModel
from psycopg.rows import tuple_row
from pyarrow import parquet
from tiny_models import save_word_axes

from ragraph.errors import IngestError
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.ingest.supplied.parquet import read_parquet
from ragraph.ingest.vectors.embed import embed_documents
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store

PARAGRAPH = ContentNodeType.PARAGRAPH


@pytest.fixture
def model() -> Counting:
    return Counting()


class Counting(WordModel):
    """Counts the texts that it is given to encode."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def encode_documents(self, texts: Any) -> Any:
        self.asked += len(texts)
        return super().encode_documents(texts)


def axis(model: Counting, number: int, length: float = 1.0) -> list[float]:
    vector = [0.0] * model.dimensions
    vector[number] = length
    return vector


def draft(*nodes: DraftNode, **fields: Any) -> DraftDocument:
    return DraftDocument(id="dl_given", nodes=list(nodes), **fields)


def paragraph(key: str, vectors: Any = None) -> DraftNode:
    return DraftNode(key=key, type=PARAGRAPH, text=f"The cost of {key}.", vectors=vectors or {})


def stored(store: Store, model: Counting) -> dict[str, list[float]]:
    """Return the vectors of the document by the text of their node."""
    statement = """
        SELECT n.content, e.embedding_vector
        FROM ragraph.embedding AS e
        INNER JOIN ragraph.content_node AS n ON n.document_id = e.document_id AND n.id = e.node_id
        WHERE e.document_id = 'dl_given' AND e.model_name = %s
    """
    with store.database.read() as connection, connection.cursor(row_factory=tuple_row) as cursor:
        rows = cursor.execute(statement, [model.name]).fetchall()
    return {text: [round(float(x), 5) for x in (v.to_numpy() if hasattr(v, "to_numpy") else v)] for text, v in rows}


def test_a_given_vector_is_stored_and_the_model_makes_the_others(store: Store, model: Counting) -> None:
    given = paragraph("rain", {model.name: np.array(axis(model, 3, 2.0), dtype=np.float32)})
    report = store.add(draft(given, paragraph("snow")), model=model)
    assert (report.embeddings, model.asked) == (2, 1)
    # of length 1, as those of the model
    assert stored(store, model)["The cost of rain."] == axis(model, 3)
    assert store.check() == []
    assert store.add(draft(given, paragraph("snow")), model=model).status == "unchanged"
    assert embed_documents(store.database, model).embeddings == 0
    assert stored(store, model)["The cost of rain."] == axis(model, 3)


def test_a_model_of_the_store_is_enough_where_all_vectors_are_given(store: Store, tmp_path: Path) -> None:
    folder = save_word_axes(tmp_path / "axes")
    store.add(DraftDocument(id="dl_other", nodes=[paragraph("hail")]), model=str(folder))
    vector = store.embed_query("snow", model="axes")
    report = store.add(draft(paragraph("rain", {"axes": vector}), paragraph("wind")), model=None)
    assert report.embeddings == 1
    assert store.search("snow", 1, mode="vector", model="axes")[0].content == "The cost of rain."
    assert store.document("dl_given").document.processing_status == "completed"


def test_vectors_that_a_run_did_not_come_to_are_written_by_the_next(store: Store, model: Counting) -> None:
    given = draft(paragraph("rain", {model.name: axis(model, 3)}))
    store.add(given, model=model)
    with store.database.write() as connection:  # as a run leaves it that was killed between the graph and the vectors
        connection.execute("DELETE FROM ragraph.embedding")
        connection.execute("UPDATE ragraph.document SET ingested_with = ingested_with - 'embedded'")
    report = store.add(given, model=model)
    assert (report.status, report.embeddings, model.asked) == ("unchanged", 1, 0)


def test_another_vector_is_written_and_no_other(store: Store, model: Counting) -> None:
    first = [paragraph("rain", {model.name: axis(model, 3)}), paragraph("snow", {model.name: axis(model, 4)})]
    store.add(draft(*first), model=model)
    again = [paragraph("rain", {model.name: axis(model, 3)}), paragraph("snow", {model.name: axis(model, 5)})]
    report = store.add(draft(*again), model=model)
    assert (report.status, report.embeddings, model.asked) == ("changed", 1, 0)
    assert stored(store, model) == {"The cost of rain.": axis(model, 3), "The cost of snow.": axis(model, 5)}


def test_texts_alike_may_have_different_vectors(store: Store, model: Counting) -> None:
    twins = [
        DraftNode(key=str(n), type=PARAGRAPH, text="The same.", vectors={model.name: axis(model, n)}) for n in (1, 2)
    ]
    assert store.add(draft(*twins), model=model).embeddings == 2
    with store.database.read() as connection, connection.cursor(row_factory=tuple_row) as cursor:
        found = cursor.execute("SELECT DISTINCT embedding_vector::text FROM ragraph.embedding").fetchall()
    assert len(found) == 2


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ({"nobody": [1.0]}, "does not know"),
        ({"words": [1.0]}, "has 1 numbers"),
    ],
)
def test_a_vector_that_fits_nothing_is_refused_and_nothing_written(
    store: Store, model: Counting, vectors: dict[str, list[float]], says: str
) -> None:
    named = {model.name if name == "words" else name: numbers for name, numbers in vectors.items()}
    with pytest.raises(IngestError, match=says):
        store.add(draft(paragraph("rain", named)), model=model)
    assert store.documents() == []


def test_a_vector_that_is_not_finite_is_refused(store: Store, model: Counting) -> None:
    nodes = [{"key": "a", "type": "PARAGRAPH", "text": "Rain.", "vectors": {model.name: [float("nan")]}}]
    with pytest.raises(IngestError, match="finite"):
        store.add({"id": "dl_given", "nodes": nodes}, model=model)


def test_vectors_that_were_put_in_later_travel_as_json_too(store: Store, model: Counting) -> None:
    node = paragraph("rain", {model.name: axis(model, 3)})
    node.vectors[model.name] = axis(model, 4)
    vectors = {model.name: np.array(axis(model, 5), dtype=np.float32)}
    other = paragraph("snow").model_copy(update={"vectors": vectors})
    line = draft(node, other).model_dump_json()
    assert store.add(line, model=model).status == "added"
    assert stored(store, model) == {"The cost of rain.": axis(model, 4), "The cost of snow.": axis(model, 5)}


def test_vectors_travel_as_json(store: Store, model: Counting) -> None:
    line = draft(paragraph("rain", {model.name: axis(model, 3)})).model_dump_json()
    assert store.add(line, model=model).embeddings == 1
    assert (model.asked, stored(store, model)) == (0, {"The cost of rain.": axis(model, 3)})


def test_vectors_travel_in_parquet(store: Store, model: Counting, tmp_path: Path) -> None:
    given = draft(paragraph("rain", {model.name: axis(model, 3)})).model_dump(mode="json", exclude_defaults=True)
    column = pa.map_(pa.string(), pa.list_(pa.float32()))
    node = pa.struct([("key", pa.string()), ("type", pa.string()), ("text", pa.string()), ("vectors", column)])
    fields = pa.schema([("id", pa.string()), ("nodes", pa.list_(node))])
    rows = [{**given, "nodes": [{**item, "vectors": [*item["vectors"].items()]} for item in given["nodes"]]}]
    parquet.write_table(pa.Table.from_pylist(rows, schema=fields), tmp_path / "drafts.parquet")
    assert store.add_many(read_parquet(tmp_path / "drafts.parquet"), model=model).files[0].embeddings == 1
    assert stored(store, model) == {"The cost of rain.": axis(model, 3)}


def test_a_given_vector_is_of_its_document_alone(store: Store, model: Counting) -> None:
    store.add(draft(paragraph("rain", {model.name: axis(model, 3)})), model=model)
    store.add(DraftDocument(id="dl_other", nodes=[paragraph("rain")]), model=model)
    assert model.asked == 1


@pytest.mark.parametrize("number", [0.0, 1e39])
def test_a_vector_without_direction_is_refused(store: Store, model: Counting, number: float) -> None:
    with pytest.raises(IngestError, match="is zero, or has numbers"):
        store.add(draft(paragraph("rain", {model.name: [number] * model.dimensions})), model=model)
    assert store.documents() == []
