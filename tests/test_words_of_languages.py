"""Full text search where no space divides words, and of words without their accents."""

from __future__ import annotations

import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_document, make_node, positions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_sql_search_text import fill, nodes

from ragraph.database import migrate
from ragraph.schema.words import word_vector

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]

TEXTS = {
    "zh": "数据库管理员应当定期备份，存储在另一台服务器。",
    "zh-2": "图书馆的管理员每天整理书籍。",
    "ja": "データベースの復元方法については、第3章（ＰＤＦ）を参照してください。",
    "ko": "데이터베이스를 복구하는 방법은 학교에서 배웁니다.",
    "th": "ฐานข้อมูลต้องสำรองข้อมูลทุกวัน",
    "en": "Backups of databases are kept on another server.",
    "fr": "Le résumé de la crème brûlée tient à cœur.",
    "pl": "Łódź jest miastem.",
    "he": "בְּרֵאשִׁית בָּרָא אֱלֹהִים",
    "ru": "Ёлка стояла ещё долго.",
}


def found(connection: Connection, query: str, match: str = "all") -> list[str]:
    names = list(TEXTS)
    return [names[int(node[3:])] for node in nodes(connection, query, f", match => '{match}'")]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("数据库", ["zh"]),
        ("管理员", ["zh", "zh-2"]),
        ("管理员 -备份", ["zh-2"]),
        ("书", ["zh-2"]),
        ("库管", ["zh"]),
        ("据管", []),
        ("库", ["zh"]),
        ('"定期备份，存储"', ["zh"]),
        ("备份 整理", []),
        ("备份 or 整理", ["zh", "zh-2"]),
        ("復元", ["ja"]),
        ("復元方法 pdf", ["ja"]),
        ("第3章", ["ja"]),
        ("データベース", ["ja"]),
        ("ﾃﾞｰﾀﾍﾞｰｽ", ["ja"]),
        ("データベ", ["ja"]),
        ("ベータ", []),
        ("학교", ["ko"]),
        ("데이터베이스", ["ko"]),
        ("ข้อมูล", ["th"]),
        ("databases server", ["en"]),
        ("resume", ["fr"]),
        ("résumé", ["fr"]),
        ('"creme brulee"', ["fr"]),
        ('"la creme brûlée tient"', ["fr"]),
        ("coeur", ["fr"]),
        ("lodz", ["pl"]),
        ("ברא", ["he"]),
        ("елка", ["ru"]),
    ],
)
def test_words_are_found(connection: Connection, query: str, expected: list[str]) -> None:
    fill(connection, list(TEXTS.values()), config="simple")
    assert sorted(found(connection, query)) == sorted(expected)


def test_accents_that_are_asked_for_count(connection: Connection) -> None:
    fill(connection, ["Der Baum steht schon.", "Der Baum ist schön."], config="simple")
    assert nodes(connection, "schön") == ["cn_1"]
    assert sorted(nodes(connection, "schon")) == ["cn_0", "cn_1"]


@pytest.mark.parametrize("limit", [0, 10_000])
@pytest.mark.parametrize("more", [0, 3_000])
def test_a_lone_letter_counts_as_often_as_it_stands(connection: Connection, limit: int, more: int) -> None:
    # alone and before several other letters, which are several lexemes
    texts = ["日本と日々と日。日", "日本と木。", "木木木木。"]
    fill(connection, texts + [f"水 {number}" for number in range(more)])
    connection.execute("UPDATE ragraph.content_node SET token_count = 9")
    rows = connection.execute(
        "SELECT node_id, score FROM ragraph.search_text('日', match => 'any', exact_limit => %s) ORDER BY rank", [limit]
    ).fetchall()
    nodes = len(texts) + more
    idf = math.log(1 + (nodes - 2 + 0.5) / (2 + 0.5))
    ((_, lengths),) = connection.execute(
        "SELECT count(*), avg(greatest(token_count, length(text_search)))::float8 FROM ragraph.content_node"
    ).fetchall()
    for (node, score), (expected, times) in zip(rows, (("cn_0", 4), ("cn_1", 1)), strict=True):
        assert node == expected
        ((length,),) = connection.execute(
            "SELECT greatest(token_count, length(text_search)) FROM ragraph.content_node WHERE id = %s", [node]
        ).fetchall()
        assert score == pytest.approx(idf * 2.2 * times / (times + 1.2 * (0.25 + 0.75 * length / lengths)), rel=0.02)


def test_pages_count_a_lone_letter_before_others_too(connection: Connection) -> None:
    make_document(connection, pages=3)
    for page, text in enumerate(("日本と日々。", "日。", "木。"), start=1):
        make_node(connection, "dl_a", f"cn_{page}", page, content=text, positional_data=positions(page), token_count=9)
    rows = connection.execute(
        "SELECT page FROM ragraph_private.rank_pages('日', '{dl_a,dl_a,dl_a}', '{1,2,3}') WHERE share > 0 ORDER BY rank"
    ).fetchall()
    assert rows == [(1,), (2,)]


def test_what_shares_more_pairs_with_a_question_comes_first(connection: Connection) -> None:
    fill(connection, list(TEXTS.values()), config="simple")
    assert found(connection, "数据库怎样备份？", "any")[0] == "zh"
    assert found(connection, "図書館ではデータベースをどう復元しますか", "any")[0] == "ja"


def test_a_long_text_shows_the_sentence_that_was_found(connection: Connection) -> None:
    text = "这里没有任何关于它的内容。" * 60 + "数据库应当定期备份。" + "后面也没有别的东西了。" * 60
    fill(connection, [text], config="simple")
    row = connection.execute("SELECT char_start, char_end FROM ragraph.search_text('定期备份')").fetchone()
    assert row
    assert text[row[0] : row[1]] == "数据库应当定期备份。"


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(st.sampled_from("ab é-ß łœ第章データ 가각,。กิ1\u0301\u05b0שע٠́a\u3099ﾃﾞﬁ㍿"), max_size=40))
@pytest.mark.parametrize("config", ["simple", "french"])
def test_the_function_reads_what_the_column_reads(connection: Connection, config: str, text: str) -> None:
    row = connection.execute(
        f"SELECT {word_vector('c.config', 'c.content')}::text, ragraph_private.word_vector(c.config, c.content)::text"
        " FROM (SELECT %s::regconfig AS config, %s::text AS content) AS c",
        [config, text],
    ).fetchone()
    assert row
    assert row[0] == row[1]


@pytest.mark.parametrize("sign", ["一", "가", "é"])
def test_the_longest_text_of_any_script_fits(connection: Connection, sign: str) -> None:
    """Every pair of letters, every word different: the most that a vector has to hold."""
    scripts = {"一": 20_000, "가": 11_000}
    if sign in scripts:
        many = "".join(chr(ord(sign) + (n * 7919) % scripts[sign]) for n in range(120_000))
    else:
        many = "-".join(f"{sign}{n:x}" for n in range(40_000))
    fill(connection, [many], config="simple")
    assert connection.execute("SELECT length(text_search) > 1000 FROM ragraph.content_node").fetchone() == (True,)


def test_an_older_store_finds_words_after_its_upgrade(database_url: str) -> None:
    revision = next(name[:4] for name in _revisions() if name.endswith("_words.py"))
    with psycopg.connect(database_url) as connection:
        fill(connection, list(TEXTS.values()), config="simple")
    migrate.downgrade(database_url, f"{int(revision) - 1:04}")
    with psycopg.connect(database_url) as connection:
        old = connection.execute("SELECT count(*) FROM ragraph.content_node WHERE text_search @@ '数据'").fetchone()
        assert old == (0,)
    migrate.upgrade(database_url)
    with psycopg.connect(database_url) as connection:
        assert found(connection, "数据库") == ["zh"]
        assert found(connection, "resume") == ["fr"]


def _revisions() -> list[str]:
    return [path.name for path in files("ragraph.migrations.versions").iterdir()]
