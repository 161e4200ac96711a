"""search_text: what websearch_to_tsquery matches, ranked by BM25, whatever the query holds."""

from __future__ import annotations

import math
import random
import re
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
import pytest
from factories import make_component, make_document, make_node, rolled_back
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]

TEXTS = [
    "The cost of adaptation is high.",
    "Costs and costs, and again costs.",
    "Adaptation to climate change needs planning and money.",
    "Nothing of the kind is said here.",
    "The cost of doing nothing: adaptation later costs more than adaptation now.",
    "Das Wort Kosten steht hier.",
]


def fill(
    connection: Connection, texts: list[str], document: str = "dl_a", config: str = "english", **values: Any
) -> None:
    """Insert a document whose nodes cn_0, cn_1 ... have these texts."""
    make_document(connection, document, pages=0, ts_config=config, **values)
    for place, text in enumerate(texts):
        make_node(
            connection,
            document,
            f"cn_{place}",
            place,
            content=text,
            ts_config=config,
            collection=values.get("collection", "default"),
        )


def search(connection: Connection, query: str, arguments: LiteralString = "", k: int = 10) -> list[tuple[Any, ...]]:
    return connection.execute(
        f"SELECT document_id, node_id, score FROM ragraph.search_text(%s, %s{arguments}) ORDER BY rank", [query, k]
    ).fetchall()


def nodes(connection: Connection, query: str, arguments: LiteralString = "", k: int = 10) -> list[str]:
    return [node for _, node, _ in search(connection, query, arguments, k)]


def bm25(texts: list[list[str]], words: list[str]) -> list[float]:
    """The formula of the book, on lists of words."""
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        score = 0.0
        for word in words:
            found = sum(word in other for other in texts)
            idf = math.log(1 + (len(texts) - found + 0.5) / (found + 0.5))
            frequency = text.count(word)
            score += idf * 2.2 * frequency / (frequency + 1.2 * (0.25 + 0.75 * len(text) / mean))
        scores.append(score)
    return scores


def test_scores_are_bm25(connection: Connection) -> None:
    words = [f"w{n}" for n in range(12)]
    texts = [[words[(place * step) % 12] for step in range(1, 3 + place % 23)] for place in range(60)]
    texts[7] = ["w3"] * 300  # more than a tsvector counts: 255
    fill(connection, [" ".join(text) for text in texts], config="simple")
    # a length in tokens, as ingestion writes it
    for place, text in enumerate(texts):
        connection.execute("UPDATE ragraph.content_node SET token_count = %s WHERE id = %s", [len(text), f"cn_{place}"])
    texts[7] = ["w3"] * 255 + ["-"] * 45
    expected = bm25(texts, ["w3", "w5", "w11"])
    found = search(connection, "w3 w5 w11", ", match => 'any'", k=100)
    assert {node for _, node, _ in found} == {f"cn_{place}" for place, score in enumerate(expected) if score}
    for _, node, score in found:
        assert score == pytest.approx(expected[int(node.removeprefix("cn_"))], rel=1e-6)
    assert [score for _, _, score in found] == sorted((score for _, _, score in found), reverse=True)


def test_rare_words_count_more_than_common_ones(connection: Connection) -> None:
    fill(connection, [f"The bank lends money, case {n}." for n in range(30)] + ["The heron lends nothing to it."])
    assert nodes(connection, "money heron", ", match => 'any'", k=1) == ["cn_30"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cost adaptation", {"cn_0", "cn_4"}),
        ('"adaptation is high"', {"cn_0"}),
        ("cost -nothing", {"cn_0", "cn_1"}),
        ("planning or high", {"cn_0", "cn_2"}),
        ('-"cost of adaptation" adaptation', {"cn_2", "cn_4"}),
        ("unheard", set()),
        ("the of and", set()),
    ],
)
def test_all_of_a_query_is_what_websearch_matches(connection: Connection, query: str, expected: set[str]) -> None:
    fill(connection, TEXTS)
    assert set(nodes(connection, query)) == expected
    rows = connection.execute(
        "SELECT id FROM ragraph.content_node WHERE text_search @@ websearch_to_tsquery('english', %s)", [query]
    )
    assert {node for (node,) in rows} == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("planning high unheard", {"cn_0", "cn_2"}),
        ('"adaptation high" planning', {"cn_2"}),
        ("adaptation cost -nothing", {"cn_0", "cn_1", "cn_2"}),
        ("planning or high", {"cn_0", "cn_2"}),
        ("what is the cost of it", {"cn_0", "cn_1", "cn_4"}),
        ("the of and", set()),
    ],
)
def test_any_word_of_a_query_is_enough(connection: Connection, query: str, expected: set[str]) -> None:
    fill(connection, TEXTS)
    for limit in (", match => 'any'", ", match => 'any', exact_limit => 0"):
        assert set(nodes(connection, query, limit)) == expected


def test_each_document_is_searched_in_its_language(connection: Connection) -> None:
    fill(connection, ["The houses are old."], "dl_en", "english")
    fill(connection, ["Die Häuser sind alt."], "dl_de", "german")
    fill(connection, ["houses Häuser"], "dl_x", "simple")
    for limit in ("", ", exact_limit => 0"):
        assert {document for document, _, _ in search(connection, "house", limit)} == {"dl_en"}
        assert {document for document, _, _ in search(connection, "Haus", limit)} == {"dl_de"}
        assert {document for document, _, _ in search(connection, "häuser", limit)} == {"dl_de", "dl_x"}
        assert {document for document, _, _ in search(connection, "houses", limit)} == {"dl_en", "dl_x"}
        # "die" is a stop word in one language only: that language says nothing, the others do
        assert {document for document, _, _ in search(connection, "die", limit)} == set()


def test_a_language_of_few_nodes_is_counted_whole_and_left_out_if_it_has_no_word(connection: Connection) -> None:
    fill(connection, ["The old harbour.", "A harbour and a ship."], "dl_en", "english")
    fill(connection, ["Der Hafen.", "Ein altes Schiff im Hafen.", "Meer"], "dl_de", "german")
    counted = connection.execute(
        "SELECT nodes, frequencies FROM ragraph_private.text_statistics('german', NULL, '{haf,schiff,harbour}')"
    ).fetchone()
    assert counted == (3, [2, 1, 0])
    for limit in (", match => 'any'", ", match => 'any', exact_limit => 0"):
        assert {document for document, _, _ in search(connection, "harbour", limit)} == {"dl_en"}
        assert {document for document, _, _ in search(connection, "Hafen harbour", limit)} == {"dl_de", "dl_en"}
        assert {document for document, _, _ in search(connection, 'harbour "im Hafen"', limit)} == {"dl_de", "dl_en"}
        assert search(connection, "Wal", limit) == []
        assert len(search(connection, "-harbour", limit)) == 3  # what excludes only needs no word


@pytest.mark.parametrize("text", ["“tide”", "the ‘tide’", "«tide»", "rise—tide—fall", "tide…", "„tide“"])
def test_signs_around_a_word_are_not_of_it(connection: Connection, text: str) -> None:
    fill(connection, [text])
    assert [hit[1] for hit in search(connection, "tide")] == ["cn_0"]


def test_ties_come_in_the_order_of_ids(connection: Connection) -> None:
    for document in ("dl_b", "dl_a", "dl_C"):
        fill(connection, ["Same words."] * 3, document)
    expected = [(d, f"cn_{n}") for d in ("dl_C", "dl_a", "dl_b") for n in range(3)]
    for limit in ("", ", exact_limit => 0"):
        assert [hit[:2] for hit in search(connection, "words", limit)] == expected
        assert [hit[:2] for hit in search(connection, "words", limit, k=2)] == expected[:2]


def test_a_store_of_one_document_and_one_node(connection: Connection) -> None:
    fill(connection, ["One word"])
    assert nodes(connection, "word") == ["cn_0"]
    ((_, _, score),) = search(connection, "word")
    assert score > 0


def test_an_empty_store_has_no_hits(connection: Connection) -> None:
    assert nodes(connection, "anything") == []
    make_document(connection)
    assert nodes(connection, "anything") == []


def test_the_scope_is_kept(connection: Connection) -> None:
    fill(connection, ["cost"] * 6, "dl_a", language="en")
    fill(connection, ["cost"] * 2, "dl_b", collection="other", language="de")
    make_component(connection, "dl_a", "cmp_0", first_sequence=2, last_sequence=3)
    connection.execute(
        "UPDATE ragraph.publication SET tags = '{x}', publication_date = '2020-05-05' WHERE id = 'pub_a'"
    )
    connection.execute(
        "UPDATE ragraph.content_node SET content_node_type = 'TABLE' WHERE document_id = 'dl_a' AND id = 'cn_5'"
    )
    cases: dict[LiteralString, set[str]] = {
        "": {f"dl_a/cn_{n}" for n in range(6)} | {"dl_b/cn_0", "dl_b/cn_1"},
        ", '{dl_b}'": {"dl_b/cn_0", "dl_b/cn_1"},
        ", '{dl_a}', 'cmp_0'": {"dl_a/cn_2", "dl_a/cn_3"},
        ", node_types => '{TABLE}'": {"dl_a/cn_5"},
        ", collection => 'other'": {"dl_b/cn_0", "dl_b/cn_1"},
        ", collection => 'none'": set(),
        ", languages => '{de}'": {"dl_b/cn_0", "dl_b/cn_1"},
        ", tags => '{x}', node_types => '{TABLE}'": {"dl_a/cn_5"},
        ', filter => \'{"year": {"$gte": 2021}}\'': set(),
        ", filter => '{\"year\": {\"$gte\": 2020}}', node_types => '{TABLE}'": {"dl_a/cn_5"},
        ", document_ids => '{}'": set(),
    }
    for arguments, expected in cases.items():
        for more in ("", ", match => 'any'", ", exact_limit => 0", ", exact_limit => 0, match => 'any'"):
            found = search(connection, "cost", arguments + more, k=50)
            assert {f"{document}/{node}" for document, node, _ in found} == expected, (arguments, more)
    connection.execute("SELECT ragraph.ensure_text_statistics(minimum => 0)")
    for arguments, expected in cases.items():
        assert len(search(connection, "cost", arguments + ", exact_limit => 0", k=50)) == len(expected), arguments


HOSTILE = [
    "'",
    "''; drop table ragraph.relation; --",
    '"',
    '"unclosed phrase',
    "a:*",
    "cost:*A & adaptation",
    "cost & | ! ( adaptation",
    "!cost",
    "<-> <2>",
    "\\",
    "\\' or ''",
    "--",
    "- -",
    "-",
    "%s %(x)s {condition 1} $1 $$",
    "\u202e\u0000"[:1] + " \ud7ff",
    "a" * 5000,
    "x-y_z/a.b@c.d http://e.f/g?h=i&j='k'",
    "𝒳 \U0001f600",
]


@pytest.mark.parametrize("minus", ["-", "\N{MINUS SIGN}", "\N{EN DASH}"])
@pytest.mark.parametrize("written", ["-7", "\N{MINUS SIGN}7", "(7)"])
def test_a_minus_before_a_digit_is_of_the_number(connection: Connection, minus: str, written: str) -> None:
    fill(connection, ["Sales grew by 12 percent.", f"Sales changed by {written} % in the year.", "Nothing of 7 here."])
    for query in (f"sales {minus}7%", f'"changed by {minus}7"', f"sales {minus}7.0 or changed {minus}$7"):
        assert nodes(connection, query) == ["cn_1"], query
        assert nodes(connection, query, ", match => 'any'")[0] == "cn_1", query


def test_a_quoted_number_is_excluded(connection: Connection) -> None:
    fill(connection, ["Sales of 2019.", "Sales of 2020."])
    assert nodes(connection, 'sales -"2020"') == ["cn_0"]


@pytest.mark.parametrize("query", HOSTILE)
@pytest.mark.parametrize("match", ["all", "any"])
def test_queries_are_words_and_nothing_else(connection: Connection, query: str, match: str) -> None:
    fill(connection, [*TEXTS, "it's a 'quoted' back\\slash \\' & | ! :* <-> text", query])
    for limit in (0, 10000):
        found = connection.execute(
            "SELECT node_id FROM ragraph.search_text(%s, 100, match => %s, exact_limit => %s)", [query, match, limit]
        ).fetchall()
        if match == "all":
            rows = connection.execute(
                "SELECT id FROM ragraph.content_node"
                " WHERE numnode(websearch_to_tsquery('english', %(q)s)) > 0"
                " AND text_search @@ websearch_to_tsquery('english', %(q)s)",
                {"q": query},
            ).fetchall()
            assert set(found) == set(rows)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40))
@example("0<B>")
@example("map<int, Foo>")
@example("Q&A; x")
@example("(~1")
@example("~100 km")
def test_any_text_is_a_query(connection: Connection, query: str) -> None:
    with connection.transaction(force_rollback=True):
        fill(connection, [*TEXTS, query])
        for match in ("all", "any"):
            try:
                with connection.transaction():
                    found = connection.execute(
                        "SELECT node_id FROM ragraph.search_text(%s, match => %s)", [query, match]
                    ).fetchall()
            except psycopg.Error as error:
                assert error.sqlstate == "RG005"  # nothing but white space
                assert not query.strip(" \t\r\n")
                continue
            positive = not re.search(r"[-!\"]", query)
            indexed = connection.execute("SELECT length(to_tsvector('english', %s))", [query]).fetchone()
            if positive and indexed and indexed[0]:
                assert ("cn_6",) in found


def test_a_lexeme_is_one_operand(connection: Connection) -> None:
    for text in ("it's", "a\\b", "''", "\\'", "a b", "x:*", "&|!()<->", "%"):
        row = connection.execute(
            "SELECT numnode(q), array_to_tsvector(ARRAY[%(t)s]) @@ q FROM ragraph_private.lexeme_query(%(t)s) AS q",
            {"t": text},
        ).fetchone()
        assert row == (1, True), text


def test_a_long_query_is_answered_and_a_longer_one_refused(connection: Connection) -> None:
    fill(connection, TEXTS)
    words = " ".join(f"w{n}" for n in range(1_100))
    doubled = words.replace(" ", '" "')
    assert max(len("cost " + words), len(doubled)) <= 10_000 < 2 * len("cost " + words)
    for match in ("all", "any"):
        for query in (words + " cost", "cost " + words, words.replace(" ", " -"), doubled, "x " * 5_000):
            found = connection.execute("SELECT node_id FROM ragraph.search_text(%s, match => %s)", [query, match])
            assert len(found.fetchall()) <= len(TEXTS)
    assert set(nodes(connection, "cost " + words, ", match => 'any'")) == {"cn_0", "cn_1", "cn_4"}
    with pytest.raises(psycopg.Error) as raised, connection.transaction():
        nodes(connection, "x " * 5_000 + "x")
    assert raised.value.sqlstate == "RG005"


def test_the_best_passage_of_a_long_node(connection: Connection) -> None:
    filler = "Lorem ipsum dolor sit amet, consetetur sadipscing elitr. " * 30
    long = filler + "In Kenya the costs of adaptation are high. " + filler
    fill(connection, [long, "The costs of adaptation in Kenya."])
    rows = connection.execute(
        "SELECT node_id, char_start, char_end FROM ragraph.search_text('adaptation costs Kenya') ORDER BY node_id"
    ).fetchall()
    assert rows[1] == ("cn_1", None, None)
    start, end = rows[0][1:]
    assert "costs of adaptation" in long[start:end]
    assert 100 < end - start < 800


def _fill_many(connection: Connection) -> None:
    """30,000 nodes: "all" is in every one, "half" in every second, "tenth" ..., "rareN" in one each."""
    connection.execute(
        """
        INSERT INTO ragraph.publication (id, title) SELECT 'pub_' || d, 'P' FROM generate_series(0, 29) AS d;
        INSERT INTO ragraph.document (id, publication_id, ts_config)
        SELECT 'dl_' || d, 'pub_' || d, 'simple' FROM generate_series(0, 29) AS d;
        INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,
            sequence_in_document, content_hash, token_count)
        SELECT 'dl_' || n / 1000, 'cn_' || n, 'PARAGRAPH',
            concat_ws(' ', 'everywhere', CASE WHEN n % 5 > 0 THEN 'mostly' END, CASE WHEN n % 10 = 0 THEN 'tenth' END,
                CASE WHEN n % 1000 = 7 THEN 'scarce' END, 'rare' || n),
            n % 1000, n % 1000, repeat('0', 64), 5
        FROM generate_series(0, 29999) AS n;
        ANALYZE ragraph.content_node;
        """
    )


@pytest.fixture(scope="module")
def many_url(make_shared_database: Callable[..., str]) -> str:
    return make_shared_database(_fill_many)


@pytest.fixture
def many(many_url: str) -> Iterator[Connection]:
    with rolled_back(many_url) as opened:
        yield opened


def test_large_scopes_return_k_while_k_match(many: Connection) -> None:
    for taken in (False, True):
        if taken:
            assert many.execute("SELECT ragraph.ensure_text_statistics()").fetchone() == (1,)
            assert many.execute("SELECT ragraph.ensure_text_statistics()").fetchone() == (0,)
        # the rare words first, then those that hold two common ones, then any
        assert nodes(many, "everywhere scarce rare7", ", match => 'any'", k=1) == ["cn_7"]
        assert len(set(nodes(many, "scarce mostly everywhere", ", match => 'any'", k=30))) == 30
        found = nodes(many, "scarce mostly everywhere", ", match => 'any'", k=31)
        assert {int(node.removeprefix("cn_")) % 1000 for node in found[:30]} == {7}
        assert len(set(nodes(many, "everywhere", ", match => 'any'", k=25_000))) == 25_000
        assert len(set(nodes(many, "everywhere mostly", k=50))) == 50
        assert nodes(many, "everywhere -mostly rare25", ", match => 'any'", k=1) == ["cn_25"]
        # by the index and exactly, the same; also where a word is in too many nodes to be looked up, and a phrase might
        # bring more than the words that are
        for query, k in (("tenth scarce", 20), ('scarce tenth mostly "everywhere rare15"', 1)):
            exact = search(many, query, ", match => 'any', exact_limit => 1000000", k)
            wide = search(many, query, ", match => 'any'", k)
            assert [hit[:2] for hit in wide] == [hit[:2] for hit in exact], query
            if "mostly" not in query or taken:  # without statistics words are counted to 10,000
                assert [hit[2] for hit in wide] == pytest.approx([hit[2] for hit in exact], rel=0.02), query


def test_a_word_that_is_too_common_to_choose_by_is_searched_beside_other_languages(many: Connection) -> None:
    """In 14,400 of 20,400 nodes a word tells more than in 11 of 12 of another language, which alone are a choice."""
    many.execute("DELETE FROM ragraph.content_node WHERE document_id < 'dl_2' AND content LIKE '%mostly%'")
    fill(many, ["mostly"] * 11 + ["nothing"], "dl_en", "english")
    many.execute("SELECT ragraph.ensure_text_statistics()")
    exact = nodes(many, "mostly", ", match => 'any', exact_limit => 1000000", k=3)
    assert nodes(many, "mostly", ", match => 'any'", k=3) == exact == ["cn_2001", "cn_2002", "cn_2003"]


def test_words_that_are_not_looked_up_would_have_found_nothing_better(connection: Connection) -> None:
    """As by comparing all: which words can still bring a node among the best is worked out by the scores so far."""
    chance = random.Random(7)
    words = [f"w{number}" for number in range(40)]
    connection.execute(
        """
        INSERT INTO ragraph.publication (id, title) VALUES ('pub', 'P');
        INSERT INTO ragraph.document (id, publication_id) VALUES ('dl_0', 'pub'), ('dl_1', 'pub');
        """
    )
    # one word in two nodes is nearly everywhere, one in a hundred is rare; a node may have a word several times. A
    # letter of Chinese is searched for as a beginning, of which a node may have many
    letters = "日本木水火"
    texts = [
        " ".join([*chance.choices(words, [1 / (1 + n) for n in range(40)], k=6), *chance.choices(letters, k=2)])
        + "".join(chance.choices(letters, k=chance.choice((0, 0, 3, 9))))
        for _ in range(3000)
    ]
    connection.cursor().executemany(
        "INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,"
        " sequence_in_document, content_hash, token_count, ts_config)"
        " VALUES (%s, %s, %s, %s, %s, %s, repeat('0', 64), %s, %s::regconfig)",
        [
            # the same mean length in the nodes that it is estimated from; entries come last, whatever their score
            (
                *(f"dl_{n % 2}", f"cn_{n}", "BIBLIOGRAPHIC_ENTRY" if n % 10 in (2, 5, 7) else "PARAGRAPH", text, n, n),
                *((20, 40, 60, 40)[n // 2 % 4], ("simple", "english")[n % 2]),
            )
            for n, text in enumerate(texts)
        ],
    )
    for number in range(120):
        asked = chance.sample(words, chance.choice((2, 4, 8)))
        if number >= 60:
            asked.append(chance.choice(letters))
            asked += chance.choice(([], ["日本"], [f'"{asked[0]} {asked[1]}"'], [f"-{chance.choice(words)}"], ["-水"]))
            chance.shuffle(asked)
        query = " ".join(asked)
        k = chance.choice((1, 5, 20))
        wide = search(connection, query, ", match => 'any', exact_limit => 0", k)
        assert wide == search(connection, query, ", match => 'any', exact_limit => 1000000", k), query


def test_the_rarest_words_are_as_few_as_may_be(connection: Connection) -> None:
    def rarest(enough: float, lowest: float | None, seen: int = 0) -> tuple[str | None, int, bool]:
        row = connection.execute(
            "SELECT condition::text, taken, complete FROM ragraph_private.rarest_words("
            "ARRAY['a', 'b', 'c']::tsquery[], '{50,5,500}', '{3,4,1,2}', '!x', %s, %s, %s)",
            [enough, lowest, seen],
        ).fetchone()
        assert row is not None
        return row[0], row[1], row[2]

    assert rarest(60, None) == ("( 'b' | 'a' ) & !'x'", 2, False)  # that are in so few nodes
    assert rarest(4, None) == (None, 0, False)
    assert rarest(1000, 10.2) == (None, 0, True)  # all together come to 10
    assert rarest(1000, 6.1) == ("'b' & ( 'a' | 'c' ) & !'x'", 1, True)  # the others and the word of a phrase come to 6
    assert rarest(1000, 6.0) == ("( 'b' | 'a' & 'c' ) & !'x'", 2, True)  # with a alone it comes to 5
    assert rarest(1000, 6.0, seen=1) == ("'a' & 'c' & !'b' & !'x'", 2, True)
    assert rarest(1000, 6.0, seen=2) == (None, 2, True)
    assert rarest(1000, None, seen=2) == ("'c' & !'b' & !'a' & !'x'", 3, False)
    assert rarest(1000, 1.0)[1:] == (3, False)  # what only has the word of the phrase might come to 2
    assert rarest(50, 6.0)[1:] == (1, False)


def test_pairs_of_very_many_words_are_few(connection: Connection) -> None:
    """Each word with each other would be 2,000 pairs, which the index compares with every node."""
    found = connection.execute(
        "SELECT numnode(condition) FROM ragraph_private.rarest_words("
        "ARRAY(SELECT ('w' || n)::tsquery FROM generate_series(1, 70) AS n),"
        " array_fill(100::float, '{70}'), array_fill(5::float, '{70}'), NULL, 10000, 40, 0)"
    ).fetchone()
    assert found is not None
    assert 200 < found[0] < 1000


def test_statistics_follow_the_store(many: Connection) -> None:
    def state() -> tuple[Any, ...] | None:
        return many.execute(
            "SELECT nodes, (shares ->> 'mostly')::float, shares ? 'rare7' FROM ragraph.text_statistics"
        ).fetchone()

    many.execute("SELECT ragraph.ensure_text_statistics()")
    assert state() == (30_000, pytest.approx(0.8, abs=0.01), False)
    many.execute("DELETE FROM ragraph.content_node WHERE document_id IN ('dl_1', 'dl_2')")
    assert many.execute("SELECT ragraph.ensure_text_statistics()").fetchone() == (0,), "within a tenth"
    many.execute("DELETE FROM ragraph.content_node WHERE document_id IN ('dl_3', 'dl_4')")
    assert many.execute("SELECT ragraph.ensure_text_statistics('default')").fetchone() == (1,)
    assert state() == (26_000, pytest.approx(0.8, abs=0.01), False)
    many.execute("DELETE FROM ragraph.content_node")
    many.execute("SELECT ragraph.ensure_text_statistics()")
    assert state() is None


def test_the_index_on_the_generated_column_is_used(many: Connection) -> None:
    plan = "\n".join(
        row[0]
        for row in many.execute(
            "EXPLAIN SELECT 1 FROM ragraph.content_node AS n WHERE n.ts_config = 'simple'::regconfig"
            " AND n.text_search @@ '''scarce'''::tsquery"
        )
    )
    assert "content_node_text_search_idx" in plan
    scans = "SELECT pg_stat_get_xact_numscans('ragraph.content_node_text_search_idx'::regclass::oid)"
    for arguments in ("", ", match => 'any'", ", node_types => '{PARAGRAPH}'", ", collection => 'default'"):
        before = many.execute(scans).fetchone()
        assert len(nodes(many, "scarce", arguments)) == 10
        after = many.execute(scans).fetchone()
        assert before
        assert after
        assert after[0] > before[0], arguments


def _read(connection: Connection, table: str) -> int:
    """Rows of a table that this transaction has read so far, by any path."""
    row = connection.execute(
        "SELECT pg_stat_get_xact_tuples_returned(%(table)s::regclass)"
        " + (SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid) + pg_stat_get_xact_tuples_fetched(indexrelid))"
        " FROM pg_index WHERE indrelid = %(table)s::regclass)",
        {"table": table},
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_statistics_are_kept_by_difference(many: Connection) -> None:
    def state() -> tuple[Any, ...] | None:
        return many.execute("SELECT nodes, sampled, mean_length FROM ragraph.text_statistics").fetchone()

    def refresh() -> int:
        row = many.execute("SELECT ragraph.ensure_text_statistics(recount => false)").fetchone()
        assert row is not None
        return int(row[0])

    many.execute("SELECT ragraph.ensure_text_statistics()")
    assert state() == (30_000, 30_000, 5.0)
    # within a tenth: the number follows, and not one node is read for it
    for document in ("dl_1", "dl_2"):
        many.execute("SELECT ragraph.delete_document(%s)", [document])
    before = _read(many, "ragraph.content_node")
    assert refresh() == 0
    assert _read(many, "ragraph.content_node") == before
    assert state() == (28_000, 30_000, 5.0)
    assert many.execute("SELECT count(*) FROM ragraph.text_change").fetchone() == (0,)
    # beyond it: taken again
    for document in ("dl_3", "dl_4"):
        many.execute("SELECT ragraph.delete_document(%s)", [document])
    assert refresh() == 1
    assert state() == (26_000, 26_000, 5.0)
    # the same as when all is counted
    many.execute("SELECT ragraph.ensure_text_statistics()")
    assert state() == (26_000, 26_000, 5.0)
    for (document,) in many.execute("SELECT id FROM ragraph.document").fetchall():
        many.execute("SELECT ragraph.delete_document(%s)", [document])
    assert refresh() == 0
    assert state() is None


def test_small_collections_are_followed_before_they_count(many: Connection) -> None:
    """A collection that grows by little steps gets its statistics once it is large enough."""
    many.execute("DELETE FROM ragraph.document WHERE id <> 'dl_0'")
    many.execute("DELETE FROM ragraph.content_node WHERE document_id = 'dl_0' AND sequence_in_document >= 999")
    many.execute("SELECT ragraph.ensure_text_statistics()")
    state = "SELECT nodes, sampled, shares IS NULL FROM ragraph.text_statistics"
    assert many.execute(state).fetchone() == (999, 0, True)
    assert nodes(many, "everywhere rare7", ", match => 'any', exact_limit => 0", k=1) == ["cn_7"]
    many.execute("SELECT ragraph_private.note_text('dl_0', -1)")
    many.execute(
        "INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,"
        " sequence_in_document, content_hash) VALUES ('dl_0', 'cn_new', 'PARAGRAPH', 'new', 1000, 999, repeat('0', 64))"
    )
    many.execute("SELECT ragraph_private.note_text('dl_0', 1)")
    assert many.execute("SELECT ragraph.ensure_text_statistics(recount => false)").fetchone() == (1,)
    assert many.execute(state).fetchone() == (1000, 1000, False)
