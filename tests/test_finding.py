"""Finding: documents by their names, codes by the letter, fragments and bibliographic entries last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_component, make_document, make_embedding, make_model, make_node, vector

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]


def fill(
    connection: Connection,
    document: str,
    texts: list[str],
    config: str = "english",
    types: dict[int, str] | None = None,
) -> None:
    """Insert a document whose nodes cn_0, cn_1 ... have these texts, and vectors that do not tell them apart."""
    make_document(connection, document, pages=0, ts_config=config)
    start = 0
    for place, text in enumerate(texts):
        kind = (types or {}).get(place, "PARAGRAPH")
        span = {"char_start": start, "char_end": start + len(text)}
        make_node(
            connection, document, f"cn_{place}", place, content=text, ts_config=config, content_node_type=kind, **span
        )
        make_embedding(connection, document, f"cn_{place}", vector(1))
        start += len(text) + 2


@pytest.fixture
def store(connection: Connection) -> Connection:
    make_model(connection)
    return connection


def hybrid(connection: Connection, query: str, k: int = 10, rest: str = "") -> list[tuple[str, str]]:
    return connection.execute(
        f"SELECT document_id, node_id FROM ragraph.search_hybrid(%s, %s, 'tiny', %s{rest}) ORDER BY rank",
        [query, str(vector(1)), k],
    ).fetchall()


def context(connection: Connection, query: str) -> list[tuple[str, str]]:
    """Return the nodes of a context, those with the best sentences first."""
    return connection.execute(
        "SELECT document_id, node_id FROM ragraph.search_context(%s, %s, 'tiny', 1000) ORDER BY score DESC",
        [query, str(vector(1))],
    ).fetchall()


CODES = [
    "The price is $4,000 and is due in thirty days of delivery.",
    "The limit of liability is $1,000,000 for each claim under this agreement.",
    "In no case does the insurer pay $11,000,000 or more for one claim.",
    "Section 12. The board meets every year in the town of its seat.",
    "Under Section 12(b) the tenant may leave the house in winter.",
    "The group differed from the other at p = 0.003 after one year.",
    "The groups did not differ at p = 0.03 after one year of it.",
    "The trial is registered as NCT00338988 in the public registry.",
    "The trial is registered as NCT00338989 in the public registry.",
    "Zero trust is described in NIST SP 800-207 in more detail.",
    "Controls are described in NIST SP 800-53 in more detail.",
    "As clause § 7.2 says, notice is given in writing by the buyer.",
    "As clause § 17.2 says, notice is given in writing by the seller.",
    "Take 40 mg of it in the morning, with a glass of water.",
    "Take 140 mg of it in the evening, with a glass of water.",
]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("$1,000,000", 1),
        ("12(b)", 4),
        ("p = 0.003", 5),
        ("p=0.003", 5),
        ("NCT00338988", 7),
        ("nct00338989", 8),
        ("SP 800-207", 9),
        ("SP 800–53", 10),
        ("§ 7.2", 11),
        ("§17.2", 12),
        ("40 mg", 13),
        ("140mg", 14),
        ("what does clause 12(b) allow the tenant", 4),
    ],
)
def test_codes_are_found_by_the_letter(store: Connection, query: str, place: int) -> None:
    fill(store, "dl_a", CODES)
    assert hybrid(store, query)[0] == ("dl_a", f"cn_{place}")


def test_a_plain_number_is_a_word_like_others(store: Connection) -> None:
    found = store.execute("SELECT code FROM ragraph_private.codes('what was sold in 2019, 30 days before')").fetchall()
    assert found == []
    found = store.execute(
        "SELECT code FROM ragraph_private.codes('see 3.2.1, ISO 9001:2015 (5 %), $5 million; and A-12.') ORDER BY 1"
    ).fetchall()
    assert {code for (code,) in found} == {"3.2.1", "ISO 9001:2015", "5 %", "$5 million", "A-12"}


def test_fragments_come_last(store: Connection) -> None:
    texts = [
        "a.",
        "- - - - -",
        "good industry structure,",
        "(iv)",
        "An industry of that kind has many small firms.",
        "1,250",
    ]
    fill(store, "dl_a", texts)
    assert [node for _, node in hybrid(store, "industry")][:2] == ["cn_4", "cn_5"]
    assert [node for _, node in hybrid(store, "a")][:2] == ["cn_4", "cn_5"]
    assert [node for _, node in hybrid(store, "???")][:2] == ["cn_4", "cn_5"]
    assert hybrid(store, "good industry structure")[0] == ("dl_a", "cn_2"), "asked for by their very words"
    assert len(hybrid(store, "industry")) == 6, "a search never gives fewer than k"
    assert set(context(store, "industry structure")) == {("dl_a", "cn_4"), ("dl_a", "cn_5")}


@pytest.mark.parametrize(
    ("text", "asked_by"),
    [
        ("12", "what is on 12"),
        ("- 12 -", "number 12"),
        ("Page 3 of 10", "page 3 of 10"),
        ("p. 7", "p. 7"),
        ("Table 3", "what does table 3 show"),
        ("**Figure A-1.**", "figure A-1"),
        ("Section 4.2", "what does section 4.2 say"),
        ("Chapter Two", "chapter two"),
        ("good industry structure,", "good industry structure"),
        ("- - - - -", None),
        ("|  |  |", None),
        ("(iv)", None),
    ],
)
def test_what_answers_nothing_by_itself(store: Connection, text: str, asked_by: str | None) -> None:
    body = "The number of pages, tables and figures in industry is in the section on the town."
    fill(store, "dl_a", [text, body])
    asked = "how many pages, tables, figures has a section on industry"
    assert context(store, asked) == [("dl_a", "cn_1")]
    assert hybrid(store, asked)[0] == ("dl_a", "cn_1")
    if asked_by:
        assert ("dl_a", "cn_0") in context(store, asked_by)


@pytest.mark.parametrize(
    "text", ["1,250", "$12", "2019", "12 %", "Phase 3", "12 March 2019", "COVID 19", "The heron waits.", "ISO 9001"]
)
def test_values_answer_by_themselves(store: Connection, text: str) -> None:
    fill(store, "dl_a", [text, "The number of pages, tables and figures in industry is in the section on the town."])
    assert ("dl_a", "cn_0") in context(store, "industry of the town")


def test_an_empty_row_of_a_table_fills_no_context(store: Connection) -> None:
    fill(store, "dl_a", ["Town | Industry\n|  |  |\nBern | watches"], types={0: "TABLE"})
    found = store.execute(
        "SELECT node_id, char_start, char_end FROM ragraph.search_context('industry of a town')"
    ).fetchall()
    assert found
    assert not any(start <= 16 < end for _, start, end in found), found


def test_the_head_of_a_table_fills_no_context_without_a_row(store: Connection) -> None:
    head = "Variety | 2021 | 2022 | 2023\n"
    rows = "\n".join(f"Pear of the long and sunny south wall {number} | {number} | 4 | 5" for number in range(5))
    text = "Never prune cherries in winter, because silver leaf spreads in the cold, as growers of the valley know."
    fill(store, "dl_a", [text, head + rows], types={1: "TABLE"})
    store.execute("UPDATE ragraph.content_node SET token_count = length(content) / 4")
    ((start,),) = store.execute("SELECT char_start FROM ragraph.content_node WHERE id = 'cn_1'").fetchall()

    def ends(query: str, budget: int) -> list[int]:
        """Return the ends of the parts of the table in a context, as characters of the table."""
        call = "ragraph.search_context(%s, %s, 'tiny', %s) AS c WHERE c.node_id = 'cn_1'"
        found = store.execute(f"SELECT c.char_end FROM {call}", [query, str(vector(1)), budget]).fetchall()
        return [end - start for (end,) in found]

    for budget in (40, 50, 60, 80, 200):
        found = ends("silver leaf cherries", budget)
        assert not found or max(found) > len(head), budget
    assert ends("variety of 2022", 40), "the head is asked for by its words"


def test_lists_of_contents_fill_no_context(store: Connection) -> None:
    texts = [
        "3.1 Industry of the towns along the river 12",
        "The towns along the river live on industry.",
        "river, industry of its towns, 12, 14-16",
    ]
    fill(store, "dl_a", texts)
    for at, kind in ((0, "TABLE_OF_CONTENTS"), (2, "INDEX")):
        span = {"first_sequence": at, "last_sequence": at, "sequence_in_parent_major": at}
        make_component(store, "dl_a", f"cmp_{at}", component_type=kind, **span)
        nested = {**span, "depth": 1, "parent_component_id": f"cmp_{at}", "sequence_in_parent_major": 0}
        make_component(store, "dl_a", f"cmp_list_{at}", component_type="LIST", **nested)
        store.execute(
            "UPDATE ragraph.content_node SET parent_component_id = %s WHERE id = %s", [f"cmp_list_{at}", f"cn_{at}"]
        )
    assert context(store, "industry of towns along the river") == [("dl_a", "cn_1")]
    inside = "component_ids => '{cmp_0}', document_ids => '{dl_a}'"
    found = store.execute(f"SELECT node_id FROM ragraph.search_context('industry towns', {inside})").fetchall()
    assert found == [("cn_0",)], "what is asked for by its section"


def test_bibliographic_entries_come_after_text(store: Connection) -> None:
    texts = [
        "Cancers. Journal of Cancers 12 (2001).",
        "Cancers and more cancers. Cancers, 2004.",
        "In this long report on the health of a town, one word in passing is given to cancers among other diseases.",
    ]
    fill(store, "dl_a", texts, types={0: "BIBLIOGRAPHIC_ENTRY", 1: "BIBLIOGRAPHIC_ENTRY"})
    assert hybrid(store, "cancers")[0] == ("dl_a", "cn_2")
    typed = ", node_types => '{BIBLIOGRAPHIC_ENTRY}'"
    assert {node for _, node in hybrid(store, "cancers", rest=typed)} == {"cn_0", "cn_1"}
    for k in (1, 3):
        found = store.execute("SELECT node_id FROM ragraph.search_text('cancers', %s) ORDER BY rank", [k]).fetchall()
        assert found[0] == ("cn_2",)
    found = store.execute(f"SELECT node_id FROM ragraph.search_text('cancers', 9{typed})").fetchall()
    assert {node for (node,) in found} == {"cn_0", "cn_1"}


def contracts(connection: Connection) -> None:
    """Twenty contracts with the same clauses, of which only the first paragraph names the parties."""
    for number in range(20):
        parties = f"{'Bcdfghjklmnpqrstvwxz'[number]}olvena Holdings and {'Bcdfghjklmnpqrstvwxz'[number]}aritte Partners"
        fill(
            connection,
            f"dl_{number:02}",
            [
                f"This agreement is made between {parties}, who wish to work together in the years to come.",
                f"In witness whereof {parties} have signed this agreement by their officers on the day of it.",
                f"Either side may terminate the contract for convenience with {number + 30} days of notice in writing.",
                "The buyer pays each invoice within thirty days after the goods have come to the place of delivery.",
                "Nobody may assign rights without consent of the other side, which must not be refused without reason.",
            ],
        )


def test_a_document_by_its_names_and_a_passage_by_the_rest(store: Connection) -> None:
    contracts(store)
    asked = "who may terminate for convenience in the contract between Golvena Holdings and Garitte Partners"
    assert ("dl_04", "cn_2") in hybrid(store, asked, 3)
    assert context(store, asked)[0] == ("dl_04", "cn_2")
    asked = "assign rights without consent: Tolvena, Taritte"
    assert ("dl_15", "cn_4") in hybrid(store, asked, 3)
    assert context(store, asked)[0] == ("dl_15", "cn_4")


def test_one_document_needs_no_name(store: Connection) -> None:
    contracts(store)
    asked = "who may terminate for convenience: Golvena Holdings, Garitte Partners"
    named = store.execute(
        "SELECT count(*), count(n.share) FROM ragraph_private.named_documents(%s, array_fill('dl_04'::text, array[5]),"
        " '{cn_0,cn_1,cn_2,cn_3,cn_4}') AS n",
        [asked],
    ).fetchone()
    assert named == (1, 0)


def fail(connection: Connection, function: str) -> None:
    """Let a function raise an error whenever it is called."""
    ((definition,),) = connection.execute("SELECT pg_get_functiondef(%s::regproc)", [function]).fetchall()
    head = definition[: definition.index("AS $function$")]
    connection.execute(f"{head} AS $$ begin raise exception 'called'; end $$".encode())


def test_words_are_looked_for_only_where_they_can_name_a_document(store: Connection) -> None:
    """A word names documents if at most a tenth of them have it, so it names none of nine."""
    contracts(store)
    documents = [f"dl_{number:02}" for number in range(10)]
    names = "SELECT * FROM ragraph_private.named_documents('Golvena', %s, array_fill('cn_0'::text, array[%s]))"
    fail(store, "ragraph_private.asked_words")
    assert len(store.execute(names, [documents[:9], 9]).fetchall()) == 9
    with pytest.raises(psycopg.errors.RaiseException, match="called"), store.transaction():
        store.execute(names, [documents, 10])


def test_a_search_in_one_document_looks_for_no_names(store: Connection) -> None:
    contracts(store)
    fail(store, "ragraph_private.named_documents")
    assert hybrid(store, "Golvena Holdings", 3, ", array['dl_04']")
    with pytest.raises(psycopg.errors.RaiseException, match="called"), store.transaction():
        hybrid(store, "Golvena Holdings", 3, ", array['dl_04', 'dl_05']")


def test_hits_are_not_passed_on_in_one_jsonb(store: Connection) -> None:
    """A jsonb of a million hits, which k allows, is larger than PostgreSQL's limit of 256 MB."""
    rows = store.execute(
        "SELECT DISTINCT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'ragraph'::regnamespace"
        " AND p.proname IN ('search_text', 'search_vector', 'search_hybrid') AND p.prosrc LIKE '%jsonb_agg%'"
    ).fetchall()
    assert rows == []


def test_a_title_that_is_a_file_name_is_short(store: Connection) -> None:
    def short(title: str, uri: str | None) -> str:
        row = store.execute("SELECT ragraph_private.short_name(%s, %s)", [title, uri]).fetchone()
        assert row
        return str(row[0])

    name = "ADAMSGOLFINC_03_21_2005-EX-10.17-ENDORSEMENT AGREEMENT.txt"
    assert short(name, f"file:///data/{name.replace(' ', '%20')}") == "ADAMSGOLFINC_0…ENDORSEMENT AGREEMENT"
    assert short("notes.txt", "file:///data/notes.txt") == "notes.txt"
    title = "Effects of a long treatment on the health of people in v. 2.txt"
    assert short(title, "file:///data/article.xml") == title
    assert short(title, None) == title


WRITTEN = {
    "turkish": (
        "ISPARTA ilinde ISI ve IŞIK vardır; İZMİR güzel, KIRMIZI evler büyük.",
        ["ısparta", "isparta", "ısı", "ışık", "izmir", "İzmir", "kırmızı", "KIRMIZI"],
    ),
    "arabic": (
        "إنّ المكتبة الإلكترونية مفيدة للطلاب في المدرسة الكبرى",
        ["المكتبه", "المكتبة", "الالكترونية", "الإلكترونيه", "المدرسه"],
    ),
    "simple": ("データベースのバックアップ", ["ﾃﾞｰﾀﾍﾞｰｽ", "バックアップ", "ﾊﾞｯｸｱｯﾌﾟ"]),
    "simple, traditional": (
        "圖書館每週開放六天，讀者可以借閱兩個月。",
        ["图书馆", "圖書館", "读者", "借阅", "开放六天"],
    ),
    "simple, simplified": ("医院为老年人提供免费的检查和疫苗。", ["醫院", "医院", "檢查", "免費", "老年人"]),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_letters_that_are_written_in_two_ways(store: Connection, written: str) -> None:
    text, asked = WRITTEN[written]
    fill(store, "dl_a", [text, "Etwas anderes steht hier geschrieben."], written.partition(",")[0])
    for query in asked:
        for match in ("all", "any"):
            found = store.execute("SELECT node_id FROM ragraph.search_text(%s, match => %s)", [query, match]).fetchall()
            assert found == [("cn_0",)], (query, match)


def test_stop_words_are_not_rare_where_the_language_is_not_known(store: Connection) -> None:
    text = "The seller of the goods is what the law of that country says it is, and nothing more than that."
    fill(store, "dl_a", [text] * 3 + ["A lease ends when the tenant has left the house for good."])
    fill(store, "dl_b", [text], config="simple")
    asked = "what is the end of a lease"
    found = store.execute(
        "SELECT document_id, node_id FROM ragraph.search_text(%s, match => 'any') ORDER BY rank", [asked]
    ).fetchall()
    assert found == [("dl_a", "cn_3")]
    assert context(store, asked)[0] == ("dl_a", "cn_3")
    alone = store.execute("SELECT document_id FROM ragraph.search_text('of that', match => 'any')").fetchall()
    assert alone == [("dl_b",)], "a query of stop words only"


JOINED = {
    "german": [
        (
            "Die Wärmepumpenförderung der Fußballweltmeisterschaft endet im Herbst.",
            ["Wärmepumpe", "Weltmeisterschaft", "Fußball"],
        ),
        ("Das Straßenbahndepot liegt am Rande der Stadt.", ["Straßenbahn", "Depot", "Strassenbahn"]),
    ],
    "dutch": [("De ziekteverzekeringswet geldt voor iedereen in het land.", ["ziekteverzekering", "verzekering"])],
    "swedish": [("Barnsjukhuset fick en ny sjukhusdirektör i höstas.", ["direktör", "sjukhus"])],
    "danish": [("Lønforhandlingerne varede hele natten i byen.", ["forhandlinger"])],
}


@pytest.mark.parametrize("config", JOINED)
def test_parts_of_joined_words_are_found(store: Connection, config: str) -> None:
    for place, (text, asked) in enumerate(JOINED[config]):
        fill(store, f"dl_{place}", [text, "Tom."], config)
        for query in asked:
            found = store.execute("SELECT document_id, node_id FROM ragraph.search_text(%s)", [query]).fetchall()
            assert (f"dl_{place}", "cn_0") in found, query


def test_words_that_no_text_has_are_replaced_with_a_notice(store: Connection) -> None:
    fill(store, "dl_a", ["Lowering of cholesterol was greater with the drug.", "The harvest of the year was good."])
    told: list[str | None] = []
    store.add_notice_handler(lambda note: told.append(note.message_primary))

    def found(query: str) -> list[str]:
        told.clear()
        rows = store.execute("SELECT node_id FROM ragraph.search_text(%s) ORDER BY rank", [query]).fetchall()
        return [node for (node,) in rows]

    assert found("cholestrol lowring") == ["cn_0"]
    assert told == ["no text has cholestrol, lowring; searched for cholesterol, Lowering"]
    assert found("harvets") == ["cn_1"]
    for query in ('"cholestrol"', "telescope", "cholestrol -drug", "tea"):
        assert found(query) == [], query
        assert told == []
    assert found("cholesterol drug") == ["cn_0"]
    assert told == []
    told.clear()
    assert hybrid(store, "harvets")[0] == ("dl_a", "cn_1")
    assert len(told) == 1


def test_words_of_other_documents_are_not_replaced(store: Connection) -> None:
    fill(store, "dl_lease", ["Either party may end this lease after a breach."])
    fill(store, "dl_trial", ["Of 80 patients three had trouble breathing, and one a broach removed."])
    told: list[str | None] = []
    store.add_notice_handler(lambda note: told.append(note.message_primary))
    asked = "SELECT node_id FROM ragraph.search_text(%s, document_ids => '{dl_lease}')"
    assert store.execute(asked, ["broach"]).fetchall() == []
    assert told == [], "another document has the word, so it is spelled as meant"
    assert store.execute(asked, ["breech"]).fetchall() == [("cn_0",)]
    assert told == ["no text has breech; searched for breach"]


def test_relevance_is_known_only_where_it_was_fitted(store: Connection) -> None:
    fill(store, "dl_a", ["Floods reached the upper town in spring.", "The harvest of the year was good."])
    rows = store.execute("SELECT relevance FROM ragraph.search_hybrid('floods', %s, 'tiny')", [str(vector(1))])
    assert set(rows.fetchall()) == {(None,)}
    with pytest.raises(psycopg.DatabaseError) as refused, store.transaction():
        store.execute("SELECT ragraph.search_hybrid('floods', %s, 'tiny', min_relevance => 0.1)", [str(vector(1))])
    assert refused.value.sqlstate == "RG005"
    for wrong in (-1, 2, float("nan")):
        with pytest.raises(psycopg.DatabaseError) as refused, store.transaction():
            store.execute("SELECT ragraph.search_text('floods', min_relevance => %s)", [wrong])
        assert refused.value.sqlstate == "RG005"


def test_more_words_of_the_query_are_more_relevant(store: Connection) -> None:
    texts = ["Floods reached the upper town in spring.", "The upper town had a good harvest."]
    fill(store, "dl_a", texts + ["Else."] * 9)
    asked = "SELECT node_id, relevance FROM ragraph.search_text(%s, match => 'any', min_relevance => %s) ORDER BY rank"
    found = store.execute(asked, ["floods upper town", 0]).fetchall()
    assert [node for node, _ in found] == ["cn_0", "cn_1"]
    assert 1 > found[0][1] > found[1][1] > 0
    least = (found[0][1] + found[1][1]) / 2
    assert store.execute(asked, ["floods upper town", least]).fetchall() == found[:1]
    other = store.execute(asked, ["floods capital of Mongolia and its population", 0]).fetchall()
    assert other[0][0] == "cn_0"
    assert other[0][1] < found[0][1], "most words of the question are nowhere"


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        ("Who makes the capital contributions to the fund?", "What is the capital of Mongolia?"),
        ("When are distributions of profit paid?", "Who won the distribution of prizes in Oslo last spring?"),
    ],
)
def test_a_question_that_no_text_answers_is_less_relevant(store: Connection, known: str, unknown: str) -> None:
    texts = [
        "The limited partners make capital contributions to the fund whenever the general partner calls for capital.",
        "Distributions of profit are paid to the partners when the year ends, and capital is paid back after them.",
    ]
    fill(store, "dl_a", texts + ["Else."] * 9)

    def best(query: str) -> float:
        asked = "SELECT relevance FROM ragraph.search_text(%s, match => 'any', min_relevance => 0) ORDER BY rank"
        row = store.execute(asked, [query]).fetchone()
        assert row
        return float(row[0])

    assert best(unknown) < best(known)


def test_confidence_of_a_context(store: Connection) -> None:
    texts = ["Floods reached the upper town in spring.", "The harvest of the year was good."]
    fill(store, "dl_a", texts + ["Else."] * 9)

    def confidence(query: str) -> float:
        row = store.execute("SELECT confidence FROM ragraph.search_context(%s)", [query]).fetchone()
        assert row
        return float(row[0])

    known = confidence("floods of the upper town")
    unknown = confidence("floods: the capital of Mongolia, its population")
    assert 1 > known > unknown > 0
