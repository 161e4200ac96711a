"""rank_sections, and the sentences that expansion counts."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_tree, refused

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]


def rank(connection: Connection, nodes: list[str], k: int = 5) -> list[tuple[Any, ...]]:
    hits = [{"document_id": "dl_a", "node_id": node, "score": -place} for place, node in enumerate(nodes)]
    return connection.execute(
        "SELECT component_id, section_path, node_ids, ranks FROM ragraph.rank_sections(%s::jsonb, %s) ORDER BY rank",
        [json.dumps(hits), k],
    ).fetchall()


def test_sections_are_ranked_by_their_hits(connection: Connection) -> None:
    make_tree(connection, sections=3, nodes=3, embed=False)
    assert rank(connection, ["cn_1", "cn_5", "cn_9"]) == [
        ("cmp_s0", ["Section 0"], ["cn_1"], [1]),
        ("cmp_s1", ["Section 1"], ["cn_5"], [2]),
        ("cmp_s2", ["Section 2"], ["cn_9"], [3]),
    ]
    # two hits count for more than one that is a little better
    hits = ["cn_1", "cn_9", "cn_5", "cn_6"]
    assert [row[0] for row in rank(connection, hits)] == ["cmp_s0", "cmp_s1", "cmp_s2"]
    assert rank(connection, hits, k=2)[1:] == [("cmp_s1", ["Section 1"], ["cn_5", "cn_6"], [3, 4])]
    assert rank(connection, []) == []


def test_a_node_found_twice_counts_once_for_its_section(connection: Connection) -> None:
    make_tree(connection, sections=2, nodes=2, embed=False)
    assert [row[2] for row in rank(connection, ["cn_1", "cn_4", "cn_4"])] == [["cn_1"], ["cn_4"]]


def test_no_sections_are_refused(connection: Connection) -> None:
    make_tree(connection, sections=1, nodes=1, embed=False)
    for k, hits in ((0, "[]"), (None, "[]"), (1, "{}")):
        call = partial(connection.execute, "SELECT ragraph.rank_sections(%s, %s)", [hits, k])
        refused(connection, call, psycopg.Error)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("   ", []),
        ("No stop", ["No stop"]),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("See Fig. 3 and J. Smith. It is so.", ["See Fig. 3 and J. Smith.", "It is so."]),
        ("He said “stop.” Then he left.", ["He said “stop.”", "Then he left."]),
        ("It cost 3.5 percent. It rose.", ["It cost 3.5 percent.", "It rose."]),
        ("a | b\n1 | 2", ["a | b", "1 | 2"]),
        ("今日は。明日は？", ["今日は。", "明日は？"]),
        ("他说：“今天好。”然后走了。", ["他说：“今天好。”", "然后走了。"]),
        ("「行くよ。」と言った。はい！", ["「行くよ。」", "と言った。", "はい！"]),
        ("هل هذا صحيح؟ نعم هذا صحيح. انتهى", ["هل هذا صحيح؟", "نعم هذا صحيح.", "انتهى"]),
        ("Vgl. Abb. 3 und Kap. 4. Am 3. Mai endet es.", ["Vgl. Abb. 3 und Kap. 4.", "Am 3. Mai endet es."]),
        ("Im 19. Jahrhundert. Danach nicht.", ["Im 19. Jahrhundert.", "Danach nicht."]),
        ("Voir art. 5 et fig. 2. Ensuite rien.", ["Voir art. 5 et fig. 2.", "Ensuite rien."]),
        ("Véase pág. 4 y núm. 7. ¿Qué? ¡No!", ["Véase pág. 4 y núm. 7.", "¿Qué?", "¡No!"]),
        ("Zob. rys. 3. Potem nic.", ["Zob. rys. 3.", "Potem nic."]),
        ("См. рис. 3 и гл. 2. Потом ничего.", ["См. рис. 3 и гл. 2.", "Потом ничего."]),
        ("A work of art. The end of part 12. The rest.", ["A work of art.", "The end of part 12.", "The rest."]),
        ("with\x01control. Yes.", ["with\x01control.", "Yes."]),
    ],
)
def test_sentences(connection: Connection, text: str, sentences: list[str]) -> None:
    rows = connection.execute("SELECT char_start, char_end FROM ragraph_private.sentences(%s)", [text]).fetchall()
    assert [text[start:end] for start, end in rows] == sentences
