"""The language of a text that states none."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ingest_drafts import DOCUMENT, draft_of

from ragraph.base.languages import TS_CONFIGS
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.ingest.structure import languages
from ragraph.ingest.structure.assembling import assemble_graph
from ragraph.ingest.structure.languages import _WRITTEN, _identifier, guess_language
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from ragraph import Store

# Article 1 of the Universal Declaration of Human Rights
ARTICLES = {
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
    "and should act towards one another in a spirit of brotherhood.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt "
    "und sollen einander im Geist der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
    "conciencia, deben comportarse fraternalmente los unos con los otros.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и "
    "должны поступать в отношении друг друга в духе братства.",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 "
    "부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
}


@pytest.mark.parametrize("language", ARTICLES)
def test_one_language(language: str) -> None:
    assert guess_language([ARTICLES[language]]) == language


def test_nothing_is_said_of_too_little_or_of_a_mixture() -> None:
    assert guess_language([]) is None
    assert guess_language(["Summary", "12.5", "Total"]) is None
    assert guess_language(["1 2 3 4 5 " * 50]) is None
    assert guess_language([text * 3 for text in ARTICLES.values()]) is None


MIXTURE = [
    "# Heading", "Café déjà vu", "naïve", "Привет мир", "你好世界", "こんにちは", "مرحبا بالعالم", "שלום עולם",
    "Ελληνικά", "ไทย", "हिन्दी", "| a | b |", "**bold**", "`code`", "[link](https://example.com)", "🎉 emoji", "x² + y²",
    "e\u0301", "한국어", "- item one", "Zürich", "ß", "Ω≈ç√", "1. first", "> quote", "résumé", "İstanbul", "Some text",
]  # fmt: skip


def test_nothing_is_said_of_several_scripts_or_for_a_language_of_few_documents() -> None:
    mixer = random.Random(1)
    for _ in range(100):
        assert guess_language([" ".join(mixer.choices(MIXTURE, k=25))]) is None
    filler = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt. "
    assert guess_language([filler * 3]) is None
    assert guess_language([ARTICLES["ru"].replace("братства", "brotherhood (братства)")]) == "ru"


def test_every_language_with_words_of_its_own_can_be_guessed() -> None:
    known = " ".join(_WRITTEN.values()).split()
    assert set(TS_CONFIGS) - set(known) == {"nb", "yi"}, "Bokmål is guessed as no; the identifier has no Yiddish"
    assert set(known) <= set(_identifier().nb_classes)


def test_a_few_words_of_another_language_change_nothing() -> None:
    assert guess_language([*[ARTICLES["en"] * 3] * 9, ARTICLES["fr"]]) == "en"


def test_texts_are_read_until_the_others_would_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    identifier = _identifier()

    class Noted:
        def classify(self, piece: str) -> Any:
            read.append(piece)
            return identifier.classify(piece)

    monkeypatch.setattr(languages, "_identifier", Noted)
    assert guess_language([ARTICLES["en"] * 3] * 40) == "en"
    assert len(read) < 24
    read.clear()
    assert guess_language([text * 3 for text in ARTICLES.values()] * 2) is None
    assert len(read) < 24


def test_assembling_guesses_only_what_is_not_stated_and_says_so() -> None:
    prose = draft_of(f"# Artikel 1\n{ARTICLES['de']}")
    guessed = assemble_graph(prose, DOCUMENT).document
    assert (guessed.language, guessed.ts_config) == ("de", "german")
    assert guessed.ingested_with["language"] == "guessed"
    stated = assemble_graph(prose.model_copy(update={"metadata": DraftMetadata(language="en")}), DOCUMENT).document
    assert (stated.language, stated.ts_config) == ("en", "english")
    assert "language" not in stated.ingested_with


def test_little_prose_is_guessed_with_all_other_text() -> None:
    sentences = ARTICLES["en"].split(". ")
    items = "\n".join(f"| {number} | {sentence} |" for number, sentence in enumerate(sentences * 3))
    table = draft_of(f"# Terms\n\nSee below.\n\n| No. | What |\n| --- | --- |\n{items}\n")
    document = assemble_graph(table, DOCUMENT).document
    assert (document.language, document.ts_config) == ("en", "english")


def test_a_document_of_unknown_language_is_read_as_most_of_its_collection(store: Store, axes: Path) -> None:
    def add(name: str, text: str, language: str | None, collection: str) -> None:
        node = DraftNode(key="p", type=ContentNodeType.PARAGRAPH, text=text)
        metadata = DraftMetadata(title=name, language=language)
        store.add(DraftDocument(id=name, metadata=metadata, nodes=[node]), collection=collection, model=str(axes))

    for number in range(2):
        add(f"dl_en{number}", "The mills of the town.", "en", "mills")
    add("dl_de", "Die Mühlen der Stadt.", "de", "mills")
    add("dl_short", "A mill, mills and milling.", None, "mills")
    add("dl_alone", "A mill, mills and milling.", None, "others")
    with store.database.read() as connection:
        rows = connection.execute("SELECT id, ts_config::text, language FROM ragraph.document ORDER BY id").fetchall()
    assert ("dl_short", "english", None) in rows
    assert ("dl_alone", "simple", None) in rows
    assert {hit.document_id for hit in store.search("the milling", mode="text")} >= {"dl_en0", "dl_en1", "dl_short"}


def test_a_document_that_came_before_the_others_is_read_as_they_are(store: Store, axes: Path, tmp_path: Path) -> None:
    """Found by bench.cluster: two runs over the same files differed, because readers end in any order."""
    places = {name: tmp_path / f"{name}.md" for name in ("short", "english", "by-hand")}
    places["short"].write_text("# 12\n\nA mill, mills and milling.\n")
    places["by-hand"].write_text("# 13\n\nThat of a town.\n")
    store.ingest([places["short"], places["by-hand"]], model=str(axes))
    ids = {Path(str(document.source_uri)).stem: document.id for document in store.documents()}
    store.update(ids["by-hand"], language=None)
    assert [document.ts_config for document in map(store.document, ids.values())] == ["simple", "simple"]
    places["english"].write_text(f"# Rights\n\n{ARTICLES['en']}\n")
    store.ingest(places["english"], model=str(axes))
    assert store.document(ids["short"]).ts_config == "english"
    assert store.document(ids["by-hand"]).ts_config == "simple"
    assert {hit.document_id for hit in store.search("milled", mode="text")} == {ids["short"]}
    assert not store.check()


def test_documents_without_a_language_do_not_change_while_two_languages_are_as_common(store: Store, axes: Path) -> None:
    """Each new document once indexed all of them again, as the usual language changed; those of all collections."""

    def add(name: str, language: str | None, collection: str = "mills") -> None:
        node = DraftNode(key="p", type=ContentNodeType.PARAGRAPH, text="A mill of 12.")
        metadata = DraftMetadata(title=name, language=language)
        store.add(DraftDocument(id=name, metadata=metadata, nodes=[node]), collection=collection, model=str(axes))

    def config(name: str) -> str | None:
        return store.document(name).ts_config

    add("dl_short", None)
    seen = []
    for number, language in enumerate(["de", "en", "en", "de", "en", "en", "en"]):
        add(f"dl_{number}", language)
        seen.append(config("dl_short"))
    assert seen == ["german"] * 6 + ["english"]
    add("dl_other", None, "others")
    add("dl_known", "de", "others")
    with store.database.write() as connection:
        connection.execute("UPDATE ragraph.document SET ts_config = 'french' WHERE id = 'dl_other'")
    add("dl_more", "en")
    assert config("dl_other") == "french", "another collection was looked at"
    add("dl_further", "de", "others")
    assert config("dl_other") == "german"
