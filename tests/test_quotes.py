"""Quotes: ends that cut no word, a least length, ellipses, and time that goes with length."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_document, make_node
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ragraph.claims import CitedAnswer
from ragraph.errors import ArgumentError, QuoteNotFoundError

if TYPE_CHECKING:
    from ragraph import Store

    Connection = psycopg.Connection[tuple[Any, ...]]

DENIED = "It never denied the claim."
SIGNS = "We can't join the non-profit at l'État; it fell by -5.3 % to 1,000 in snake_case, re\u00adlated."
CHINESE = "零信任架构是一种安全模型。2020年发布。"
THAI = "ที่นี่มีน้ำดี"
DEVANAGARI = "हिन्दी भाषा है।"
ACCENT = "A nai\u0308ve re\u0301sume\u0301 here."
DOTS = "He wrote \u201cand so on ... until noon\u201d \u2013 *twice* that **very** day."

spread = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def found(connection: Connection, body: str, quote: str, min_words: int = 1) -> tuple[list[str], str | None]:
    """Return the pieces of a quote as they stand in a text, and why it is refused."""
    row = connection.execute(
        "SELECT f.pieces, f.refusal FROM ragraph_private.find_quote(%s, %s, %s) AS f", (body, quote, min_words)
    ).fetchone()
    assert row
    return [body[piece.lower - 1 : piece.upper - 1] for piece in row[0]], row[1]


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        (DENIED, "ever denied the claim"),
        (DENIED, "e"),
        (DENIED, "denied the clai"),
        (SIGNS, "can"),
        (SIGNS, "t join"),
        (SIGNS, "profit"),
        (SIGNS, "non"),
        (SIGNS, "5.3 %"),
        (SIGNS, "fell by -5"),
        (SIGNS, "000"),
        (SIGNS, "in snake"),
        (SIGNS, "lated"),
        (THAI, "ที่น"),
        (DEVANAGARI, "हिन"),
        (DEVANAGARI, "भाष"),
        (ACCENT, "A nai"),
        (ACCENT, "re\u0301sume"),
    ],
)
def test_an_end_within_a_word_is_refused(connection: Connection, body: str, quote: str) -> None:
    assert quote.replace("lated", "re") in body
    assert found(connection, body, quote)[1] == "cut"


@pytest.mark.parametrize(
    ("body", "quote", "pieces"),
    [
        (DENIED, "never denied the claim", ["never denied the claim"]),
        (DENIED, DENIED, [DENIED]),
        (SIGNS, "can’t join", ["can't join"]),
        (SIGNS, "État", ["État"]),
        (SIGNS, "-5.3 %", ["-5.3 %"]),
        (SIGNS, "related", ["re\u00adlated"]),
        (CHINESE, "信任架构", ["信任架构"]),
        (CHINESE, "年发布", ["年发布"]),
        (THAI, "มีน้ำ", ["มีน้ำ"]),
        (DEVANAGARI, "भाषा है", ["भाषा है"]),
        ("A naïve résumé here.", "nai\u0308ve re\u0301sume\u0301", ["naïve résumé"]),
        (DOTS, "and so on … noon", ["and so on", "noon"]),
        (DOTS, "so on ... until", ["so on ... until"]),
        (DOTS, "that very day", ["that **very** day"]),
        (DOTS, '[...] noon" - twice', ["noon” – *twice"]),
        (DENIED, "It […] the (...) claim.", ["It", "the", "claim."]),
        (DENIED, "… never … … claim …", ["never", "claim"]),
        ("ever, never ever", "never", ["never"]),
        ("non-ever ever", "ever", ["ever"]),
    ],
)
def test_words_are_found(connection: Connection, body: str, quote: str, pieces: list[str]) -> None:
    assert found(connection, body, quote) == (pieces, None)


@pytest.mark.parametrize(
    ("body", "quote", "refusal"),
    [
        (DENIED, ".", "empty"),
        (DENIED, "…", "empty"),
        (DENIED, "… [...] ...", "empty"),
        (DENIED, "“”", "empty"),
        (DENIED, "*_*", "empty"),
        (DENIED, "It Never", "absent"),
        (DENIED, "claim … never", "absent"),
        (DENIED, "ever … claim", "absent"),
        (DENIED, "never denied … claim" + " … claim" * 30, "pieces"),
        ("5 * 3 = 15", "5 3", "absent"),
        ("snake_case", "snakecase", "absent"),
    ],
)
def test_what_is_refused(connection: Connection, body: str, quote: str, refusal: str) -> None:
    assert found(connection, body, quote)[1] == refusal


@pytest.mark.parametrize(
    ("body", "quote", "refusal"),
    [
        (DENIED, "denied the", "short"),
        (DENIED, "denied the claim", None),
        (DENIED, "It never denied … claim", "short"),
        ("Not so.", "Not so", None),
        ("Not so.", "Not", "short"),
        ("Well-known, isn't it?", "isn't it", "short"),
        (CHINESE, "零信任", "short"),
        (CHINESE, "零信任架构", None),
        ("安全", "安全", None),
    ],
)
def test_a_least_length_in_words(connection: Connection, body: str, quote: str, refusal: str | None) -> None:
    assert found(connection, body, quote, 3)[1] == refusal


def test_ten_thousand_ellipses_and_long_nodes_end(connection: Connection) -> None:
    body = "lorem ipsum dolor sit amet " * 2000
    assert found(connection, body, "ipsum … " * 10_000)[1] == "pieces"
    assert found(connection, body, "… " * 10_000)[1] == "empty"
    assert found(connection, "e-" * 20_000, "e")[1] == "cut"
    assert found(connection, body, body[6:20_001].replace(" ", "\n")) == ([body[6:20_001]], None)


WORDS = st.text(
    st.characters(categories=("Lu", "Ll", "Nd"), exclude_characters="\u0345", max_codepoint=0xDFF),
    min_size=1,
    max_size=8,
)


@spread
@given(words=st.lists(WORDS, min_size=1, max_size=12), data=st.data())
def test_any_run_of_whole_words_is_found_and_given_back(connection: Connection, words: list[str], data: Any) -> None:
    gaps = data.draw(
        st.lists(st.sampled_from([" ", "\n ", ", ", "; ", " – ", " (", ") "]), min_size=len(words), max_size=len(words))
    )
    pairs = [word + gap for word, gap in zip(words, gaps, strict=True)]
    body = "".join(pairs)
    assume(unicodedata.is_normalized("NFC", body))
    begin = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(begin + 1, len(words)))
    run = "".join([*pairs[begin : end - 1], words[end - 1]])
    assert run in body
    assert found(connection, body, run) == ([run], None)
    assert found(connection, body, "“" + run.replace(" ", "\u00a0\n") + "”")[1] is None


@spread
@given(words=st.lists(WORDS, min_size=1, max_size=6, unique=True), data=st.data())
def test_any_cut_inside_a_word_is_refused(connection: Connection, words: list[str], data: Any) -> None:
    body = " ".join(words)
    assume(unicodedata.is_normalized("NFC", body))
    long = [word for word in words if len(word) > 1]
    assume(long)
    word = data.draw(st.sampled_from(long))
    cut = data.draw(st.integers(1, len(word) - 1))
    place = words.index(word)
    for quote in (" ".join([*words[:place], word[:cut]]), " ".join([word[cut:], *words[place + 1 :]])):
        if f" {quote} " not in f" {body} ":
            assert found(connection, body, quote)[1] == "cut"


@pytest.fixture
def said(connection: Connection) -> Connection:
    make_document(connection)
    make_node(connection, "dl_a", "cn_0", 0, content="Before.", char_start=0, char_end=7)
    make_node(connection, "dl_a", "cn_1", 1, content=DENIED, char_start=9, char_end=9 + len(DENIED))
    return connection


@pytest.mark.parametrize(
    ("quote", "words", "code", "told"),
    [
        ("ever denied the claim", 1, "RG009", "only within a longer word"),
        ("e", 1, "RG009", "only within a longer word"),
        (".", 1, "RG005", "has no words"),
        ("denied", 3, "RG005", "is too short"),
        ("It … " * 30, 1, "RG005", "too often"),
        ("It always denied", 1, "RG009", "does not say"),
        ("denied", 0, "RG005", "min_words is 0"),
    ],
)
def test_refusals_say_why(said: Connection, quote: str, words: int, code: str, told: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        said.execute("SELECT * FROM ragraph.cite_quote('dl_a', 'cn_1', %s, %s)", (quote, words))
    assert caught.value.sqlstate == code
    assert told in str(caught.value)


def test_a_quote_with_an_ellipsis_has_a_span_for_each_side(said: Connection) -> None:
    row = said.execute(
        "SELECT quote_start, quote_end, verbatim, pieces::text FROM ragraph.cite_quote('dl_a', 'cn_1', 'It … claim.')"
    ).fetchone()
    assert row == (9, 35, "It […] claim.", '{"[9,11)","[29,35)"}')


def test_a_claim_needs_whole_words_and_several(library: Store) -> None:
    from sample_library import GUIDE

    node = next(node for node in library.nodes(GUIDE) if len(node.content.split()) > 20)
    words = node.content.split()

    def answer(text: str) -> dict[str, Any]:
        quote = {"document_id": GUIDE, "node_id": node.id, "text": text}
        return {"question": "Is the moon cheese?", "claims": [{"text": "It is.", "quotes": [quote]}]}

    for text in ("e", ".", words[0], f"{words[0]} … {words[5]}", node.content[1:30]):
        pruned = CitedAnswer.model_validate(answer(text)).pruned(library)
        assert (pruned.claims, pruned.sufficient) == ([], False)
    good = " ".join(words[:5])
    assert CitedAnswer.model_validate(answer(good)).verified(library).is_verified
    loose = {"store": library, "min_words": 1}
    assert CitedAnswer.model_validate(answer(" ".join(words[:2])), context=loose).is_verified
    with pytest.raises(QuoteNotFoundError, match="longer word"):
        library.quote(GUIDE, node.id, node.content[1:30])
    with pytest.raises(ArgumentError, match="has no words"):
        library.quote(GUIDE, node.id, "…")
