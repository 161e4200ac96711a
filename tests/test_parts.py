"""Parts cover their text, in order, within the limit, with the overlap they promise."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragraph.ingest.vectors.parts import OVERLAP, PartSettings, sentence_starts, split
from ragraph.ingest.vectors.texts import Source, parts_of
from ragraph.models.embedding import load_model

STRATEGIES = ("node", "sentence", "recursive", "fixed")
SENTENCE = "The river rose in March and fell again in May, as Dr. Smith wrote in 1999. "


def offsets_of(text: str) -> list[tuple[int, int]]:
    """Words and signs as tokens."""
    return [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]


def tokens_in(text: str, start: int, end: int) -> int:
    return sum(start <= left and right <= end for left, right in offsets_of(text))


texts = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(["One two three. ", "word ", "\n\n", "Really? ", "長い文。", "שלום. ", "a", "…"]), max_size=200
    ).map("".join),
)


@settings(max_examples=300, deadline=None)
@given(texts, st.integers(1, 60), st.sampled_from(STRATEGIES), st.sampled_from([None, "de", "ja", "xx-none"]))
def test_spans_cover_the_text_in_order(text: str, room: int, strategy: Any, language: str | None) -> None:
    spans = split(text, offsets_of(text), room, PartSettings(strategy), language)
    if not text:
        assert spans == []
        return
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    assert all(span.start < span.end for span in spans)
    for one, other in pairwise(spans):
        assert one.start < other.start <= one.end < other.end
    assert all(tokens_in(text, *span) <= room for span in spans)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(10, 80),
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(0, 20),
    st.sampled_from(STRATEGIES),
)
def test_lengths_are_kept(room: int, target: int, maximum: int, overlap: int, strategy: Any) -> None:
    text = SENTENCE * 20
    if overlap * 2 > target:
        with pytest.raises(ValueError, match="overlap"):
            PartSettings(strategy, target=target, maximum=maximum, overlap=overlap)
        return
    spans = split(text, offsets_of(text), room, PartSettings(strategy, target=target, maximum=maximum, overlap=overlap))
    assert max(tokens_in(text, *span) for span in spans) <= min(room, maximum)
    if overlap == 0:
        assert all(one.end == other.start for one, other in pairwise(spans))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("text", [SENTENCE * 100, "word " * 3000, "字" * 3000])
def test_neighbours_share_about_fifteen_percent(strategy: Any, text: str) -> None:
    offsets = offsets_of(text) if " " in text else [(place, place + 1) for place in range(len(text))]
    starts = [start for start, _ in offsets]
    spans = split(text, offsets, 120, PartSettings(strategy))

    def count(start: int, end: int) -> int:
        return sum(start <= place < end for place in starts)

    shares = [count(other.start, one.end) / count(*one) for one, other in pairwise(spans)]
    assert abs(sum(shares) / len(shares) - OVERLAP) < 0.05
    assert all(0.05 < share < 0.3 for share in shares[:-1])


@pytest.mark.parametrize("strategy", ["node", "sentence", "recursive"])
def test_parts_end_where_sentences_end(strategy: Any) -> None:
    text = SENTENCE * 30
    for start, end in split(text, offsets_of(text), 100, PartSettings(strategy), "en"):
        assert text[:end].endswith(("1999. ", "1999."))
        assert text[start:].startswith("The river")


def test_node_strategy_leaves_short_texts_whole_and_makes_no_crumbs() -> None:
    assert split("One. Two. Three.", offsets_of("One. Two. Three."), 10) == [(0, 16)]
    text = SENTENCE * 6
    spans = split(text, offsets_of(text), len(offsets_of(text)) - 1)
    assert len(spans) == 2
    assert min(tokens_in(text, *span) for span in spans) > len(offsets_of(text)) // 3


def test_recursive_prefers_paragraphs() -> None:
    text = "\n\n".join(["Short one. Short two. Short three."] * 12)
    spans = split(text, offsets_of(text), 60, PartSettings("recursive", target=30, overlap=0))
    assert all(text[:end].endswith("\n\n") for _, end in spans[:-1])


def test_sentences_of_several_languages() -> None:
    assert sentence_starts("It cost e.g. $3.50. Then Mr. Jones left.", "en") == [20]
    assert sentence_starts("Das gilt z. B. hier. Es gilt dort.", "de") == [21]
    assert sentence_starts("今天天气很好。我们去吧！", "zh") == [7]
    assert sentence_starts("שלום עולם. מה שלומך?", None) == [11]


def test_ten_megabytes_without_a_bound() -> None:
    """Linear: a quadratic walk would not end. The longest word has no bound inside at all."""
    words = "word " * 2_000_000
    spans = split(words, [(place, place + 4) for place in range(0, len(words), 5)], 250)
    assert spans[-1].end == len(words)
    letters = "x" * 1_000_000
    spans = split(letters, [(place, place + 1) for place in range(len(letters))], 250)
    assert all(end - start <= 250 for start, end in spans)
    assert spans[-1].end == len(letters)


@pytest.mark.parametrize(
    "wrong", [{"strategy": "other"}, {"target": 0}, {"maximum": 0}, {"overlap": -1}, {"target": 10, "overlap": 6}]
)
def test_wrong_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"is|more"):
        PartSettings(**wrong)


def node(id: str, kind: str, content: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "content_node_type": kind,
        "content": content,
        "description": None,
        "embedding_source": "TEXT_CONTENT",
        "parent_component_id": "s",
        **more,
    }


COMPONENTS: list[dict[str, Any]] = [
    {"id": "b", "component_type": "BODY_MATTER", "title": None, "parent_component_id": None},
    {"id": "c", "component_type": "CHAPTER", "title": "Rivers", "parent_component_id": "b"},
    {"id": "s", "component_type": "SECTION", "title": "Floods  of\nspring", "parent_component_id": "c"},
    {"id": "h", "component_type": "HEADER", "title": None, "parent_component_id": "s"},
]


def parts(*nodes: dict[str, Any], captions: dict[str, str] | None = None, **options: Any) -> list[Any]:
    source = Source("dl_a", "en", COMPONENTS, nodes, captions or {})
    return list(parts_of(source, load_model(**options), PartSettings()))


def test_text_stands_under_its_heading_path() -> None:
    (part,) = parts(node("a", "PARAGRAPH", "Water rose[page break] fast."))
    assert part.text == "Rivers > Floods of spring\nWater rose fast."
    assert (part.start, part.end, part.source) == (0, 28, "TEXT_CONTENT")


def test_headings_furniture_and_empty_nodes_are_not_embedded() -> None:
    assert (
        parts(
            node("a", "HEADING", "Floods"),
            node("b", "PAGE_NUMBER", "7"),
            node("c", "PARAGRAPH", " [page break] "),
            node("d", "PARAGRAPH", "Running head", parent_component_id="h"),
            node("e", "TITLE", "Rivers"),
        )
        == []
    )


def test_tables_and_figures_are_embedded_by_what_says_most() -> None:
    found = parts(
        node("a", "TABLE", "1 | 2", description="Levels by month"),
        node("b", "TABLE", "3 | 4"),
        node("c", "FIGURE", ""),
        node("d", "FIGURE", "", description=" "),
        captions={"a": "Table 1", "b": "Table 2: levels", "c": "Figure 1: a boat"},
    )
    path = "Rivers > Floods of spring\n"
    assert [(part.node_id, part.source, part.text.removeprefix(path)) for part in found] == [
        ("a", "DESCRIPTION", "Table 1\nLevels by month"),
        ("b", "TEXT_CONTENT", "Table 2: levels\n3 | 4"),
        ("c", "CAPTION", "Figure 1: a boat"),
    ]


@settings(max_examples=25, deadline=None)
@given(st.text(min_size=1, max_size=60), st.integers(1, 300))
def test_every_part_fits_the_model(word: str, count: int) -> None:
    model = load_model()
    for part in parts(node("a", "PARAGRAPH", f"{word} " * count)):
        assert model.count_tokens([part.text])[0] + model.special_tokens <= model.max_tokens


def test_long_heading_path_leaves_room_for_the_text() -> None:
    components: list[dict[str, Any]] = [
        {"id": "s", "component_type": "SECTION", "title": "very long title " * 200, "parent_component_id": None}
    ]
    model = load_model()
    source = Source("dl_a", None, components, [node("a", "PARAGRAPH", SENTENCE * 30)], {})
    found = list(parts_of(source, model, PartSettings()))
    assert all(model.count_tokens([part.text])[0] + 2 <= model.max_tokens for part in found)
    path = found[0].text.split("\n")[0]
    assert 60 < model.count_tokens([path])[0] <= 256 // 3
    assert path.strip().endswith("very long title")


def test_hash_is_of_what_the_model_reads() -> None:
    text = node("a", "PARAGRAPH", "Water rose.")
    plain, other = parts(text), parts(text, name="other", document_prefix="passage: ")
    assert plain[0].text == other[0].text
    assert plain[0].content_hash != other[0].content_hash
    assert plain[0].id != other[0].id
