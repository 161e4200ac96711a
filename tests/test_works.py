"""Works: entries that mean the same are one work, whatever the order of ingestion, and documents cite documents."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import insert, make_document, make_node
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

import ragraph
from ragraph.ingest.draft import DraftDocument, DraftNode
from ragraph.ingest.storing.linking import load_graph
from ragraph.ingest.storing.write import rewrite
from ragraph.schema.enums import ContentNodeType
from ragraph.works.update import update_works

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store

    Connection = psycopg.Connection[tuple[Any, ...]]

SMITH = "Smith AB, Jones C. Effects of tea on sleep in adults. J Sleep Res. 2010;12(3):45-67."
SMITH_AGAIN = (
    "[4] Smith, A. B., & Jones, C. (2010). Effects of Tea on Sleep in Adults. Journal of Sleep Research, 12(3), 45–67."
)
SMITH_DOI = "A. B. Smith. Effects of tea on sleep. J Sleep Res. 2010;12:45. doi:10.1000/TEA.1"
KIM = "Kim D. Coffee and walking: a cohort study. Lancet. 2001;5:1-9. PMID: 12345"
KIM_SPLIT = "Kim D. Coffee and walking: a cohort study. BMJ. 2001;99:200-9. PMID: 777777"
KIM_BARE = "Kim D. Coffee and walking: a cohort study. 2001."


def fill(connection: Connection, document: str, entries: list[str], **publication: Any) -> None:
    make_document(connection, document, works_owed=[])
    for column, value in publication.items():
        statement = sql.SQL("UPDATE ragraph.publication SET {} = %s WHERE id = %s").format(sql.Identifier(column))
        connection.execute(statement, [value, f"pub_{document.removeprefix('dl_')}"])
    for place, text in enumerate(entries):
        make_node(connection, document, f"cn_{place}", place, content=text, content_node_type="BIBLIOGRAPHIC_ENTRY")


@pytest.fixture
def connection(database_url: str) -> Iterator[Connection]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


@pytest.fixture
def store(database_url: str, connection: Connection) -> Iterator[Store]:
    with ragraph.open(database_url) as opened:
        yield opened


def state(connection: Connection) -> list[Any]:
    """All that is known of works: rows with their identity and why, and the edges between documents."""
    rows = connection.execute(
        "SELECT document_id, coalesce(node_id, ''), identity, evidence FROM ragraph.work_entry ORDER BY 1, 2"
    ).fetchall()
    edges = connection.execute(
        "SELECT document_id, source_node_id, target_document_id, relation_type FROM ragraph.document_relation"
        " ORDER BY 1, 2, 3"
    ).fetchall()
    return [*rows, *edges]


def groups(connection: Connection) -> set[frozenset[str]]:
    """Which rows are one work, where several are."""
    rows = connection.execute(
        "SELECT array_agg(document_id || ' ' || coalesce(node_id, '-')) FROM ragraph.work_entry GROUP BY identity"
    )
    return {frozenset(members) for (members,) in rows if len(members) > 1}


def broken(store: Store) -> set[str]:
    words = ("work", "cit", "entry", "entries")
    return {f"{found.rule}: {found.detail}" for found in store.check() if any(word in found.rule for word in words)}


def test_entries_of_several_documents_that_mean_the_same_work_are_one(store: Store, connection: Connection) -> None:
    fill(connection, "dl_a", [SMITH, KIM])
    fill(connection, "dl_b", [SMITH_AGAIN, KIM_SPLIT])
    fill(connection, "dl_c", [SMITH_DOI, KIM_BARE])
    report = update_works(store.database)
    assert (report.documents, report.read, report.entries) == (3, 3, 6)
    # the third says the same journal, volume and page; articles with the same title in two journals are two, and an
    # entry that does not say which of them it means is one of them
    assert frozenset({"dl_a cn_0", "dl_b cn_0", "dl_c cn_0"}) in groups(connection)
    assert not any({"dl_a cn_1", "dl_b cn_1"} <= group for group in groups(connection))
    assert broken(store) == set()
    again = update_works(store.database)
    assert (again.read, again.entries, again.changed) == (0, 0, 0)


def test_a_document_that_is_cited_is_found_whichever_came_first(store: Store, connection: Connection) -> None:
    cited = {
        "title": "Effects of tea on sleep in adults",
        "authors": "Anna B. Smith, Carl Jones",
        "publication_date": "2010-01-01",
    }
    fill(connection, "dl_a", [SMITH])
    update_works(store.database)
    fill(connection, "dl_cited", [], **cited)
    update_works(store.database)
    fill(connection, "dl_b", [KIM, SMITH_AGAIN])
    update_works(store.database)
    edges = "SELECT document_id, source_node_id, target_document_id FROM ragraph.document_relation ORDER BY 1"
    both = [("dl_a", "cn_0", "dl_cited"), ("dl_b", "cn_1", "dl_cited")]
    assert connection.execute(edges).fetchall() == both
    before = state(connection)
    store.delete("dl_cited")
    assert connection.execute(edges).fetchall() == []
    assert broken(store) == set()
    fill(connection, "dl_cited", [], **cited)
    update_works(store.database)
    assert state(connection) == before
    store.delete("dl_a")
    assert connection.execute(edges).fetchall() == both[1:]
    assert broken(store) == set()


ENTRIES = st.lists(
    st.lists(st.sampled_from([SMITH, SMITH_AGAIN, SMITH_DOI, KIM, KIM_SPLIT, KIM_BARE]), max_size=3, unique=True),
    min_size=2,
    max_size=4,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bibliographies=ENTRIES, seed=st.integers(0, 1000))
def test_the_order_of_ingestion_does_not_matter_nor_what_came_and_went(
    store: Store, connection: Connection, bibliographies: list[list[str]], seed: int
) -> None:
    documents = {f"dl_{place}": entries for place, entries in enumerate(bibliographies)}
    states = []
    order = sorted(documents)
    for attempt in range(2):
        connection.execute("DELETE FROM ragraph.document; DELETE FROM ragraph.publication")
        for name in order:
            fill(connection, name, documents[name], title=f"Title {name}")
            if attempt:
                update_works(store.database, [name])
        if not attempt:
            update_works(store.database)
        states.append(state(connection))
        assert broken(store) == set()
        random.Random(seed).shuffle(order)
    gone = order[0]
    store.delete(gone)
    assert broken(store) == set()
    fill(connection, gone, documents[gone], title=f"Title {gone}")
    update_works(store.database, [gone])
    assert [*states, state(connection)] == [states[0]] * 3


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
def test_what_is_said_again_is_what_working_all_out_would_say(store: Store, connection: Connection, seed: int) -> None:
    """Documents in any order and batches, among them works that others cite: nothing is left to be worked out."""
    choose = random.Random(seed)
    connection.execute("DELETE FROM ragraph.document; DELETE FROM ragraph.publication")
    texts = [SMITH, SMITH_AGAIN, SMITH_DOI, KIM, KIM_SPLIT, KIM_BARE]
    for number in range(12):
        fill(connection, f"dl_{number:02}", choose.sample(texts, 2))
    cited = {"title": "Effects of tea on sleep in adults", "authors": "Anna B. Smith", "publication_date": "2010-01-01"}
    fill(connection, "dl_cited", [KIM], **cited)
    order = [*(f"dl_{number:02}" for number in range(12)), "dl_cited"]
    choose.shuffle(order)
    while order:
        size = choose.randint(1, 4)
        update_works(store.database, order[:size])
        del order[:size]
    assert broken(store) == set()
    before = state(connection)
    connection.execute(
        "SELECT ragraph_private.resolve_works('default', ARRAY(SELECT e.identity FROM ragraph.work_entry AS e))"
    )
    assert state(connection) == before


def draft(number: int, texts: list[str], paragraphs: set[int]) -> DraftDocument:
    """A document whose entries say these texts, but for those that have become paragraphs."""
    entry, paragraph = ContentNodeType.BIBLIOGRAPHIC_ENTRY, ContentNodeType.PARAGRAPH
    nodes = [
        DraftNode(key=f"e{place}", type=paragraph if place in paragraphs else entry, text=text)
        for place, text in enumerate(texts)
    ]
    return DraftDocument(id=f"dl_{number:02}", nodes=[DraftNode(key="p", type=paragraph, text=f"Of {number}."), *nodes])


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
def test_what_goes_or_changes_leaves_what_working_all_out_would_say(
    store: Store, connection: Connection, seed: int
) -> None:
    """Documents come, change, several at once, and go, among them a work that others cite."""
    choose = random.Random(seed)
    connection.execute("DELETE FROM ragraph.document; DELETE FROM ragraph.publication")
    texts = [SMITH, SMITH_AGAIN, SMITH_DOI, KIM, KIM_SPLIT, KIM_BARE]
    cited = {"title": "Effects of tea on sleep in adults", "authors": "Anna B. Smith", "publication_date": "2010-01-01"}
    fill(connection, "dl_05_cited", [KIM], **cited)
    update_works(store.database)

    def some(count: int) -> list[DraftDocument]:
        return [
            draft(
                number, choose.sample(texts, choose.randint(0, 4)), set(choose.sample(range(4), choose.randint(0, 1)))
            )
            for number in choose.sample(range(10), count)
        ]

    store.add_many(some(8), model=None)
    for _ in range(8):
        if choose.random() < 0.3:
            store.delete(choose.choice([found.id for found in store.documents()]))
        else:
            store.add_many(some(choose.randint(1, 3)), model=None)
        before = state(connection)
        connection.execute(
            "SELECT ragraph_private.resolve_works('default', ARRAY(SELECT e.identity FROM ragraph.work_entry AS e))"
        )
        assert state(connection) == before
    assert broken(store) == set()


def test_a_document_that_goes_has_what_others_say_too_left_alone(store: Store, connection: Connection) -> None:
    for number in range(4):
        fill(connection, f"dl_{number}", [SMITH, f"Kim D. Coffee and walking. Lancet. 2001;{number}:1-9."])
    update_works(store.database)
    left = "SELECT ragraph_private.works_to_resolve('default', d.ids, ragraph_private.work_rows(d.ids))"
    left += " FROM (SELECT ARRAY[%s]) AS d (ids)"
    own = connection.execute("SELECT identity FROM ragraph.work_entry WHERE document_id = 'dl_2'").fetchall()
    (said,) = connection.execute(left, ["dl_2"]).fetchone() or ([],)
    smith = connection.execute("SELECT identity FROM ragraph.work_entry WHERE title LIKE 'Effects%'").fetchone()
    assert {name for (name,) in own} - set(said) == set(smith or ())
    (first,) = connection.execute(left, ["dl_0"]).fetchone() or ([],)
    assert set(smith or ()) < set(first), "it stands for those that say the same after it"


@pytest.mark.parametrize("entries", [0, 2])
def test_a_change_locks_the_works_last_and_only_if_entries_go(
    store: Store, connection: Connection, entries: int
) -> None:
    """Meanwhile documents come and go that have entries."""
    texts = [SMITH, KIM][:entries]
    store.add_many([draft(0, texts, set()), draft(1, [SMITH_AGAIN], set())], model=None)
    works = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = %s AND granted AND"
    works += " (classid::bigint << 32 | objid::bigint) = hashtextextended('ragraph works default', 0)"
    seen: list[int] = []
    with psycopg.connect(store.database.url) as writing:
        pid = writing.info.backend_pid

        def look() -> None:
            seen.extend(count for (count,) in connection.execute(works, [pid]).fetchall())

        graph = load_graph(writing, "dl_00")
        changes = rewrite(writing, replace(graph, nodes=(), relations=()), look)
        look()
    assert changes.nodes.removed == entries + 1
    assert seen == [0, int(entries > 0)]
    assert broken(store) == set()


def test_a_document_that_moves_leaves_works_to_those_that_stay(store: Store, connection: Connection) -> None:
    drafts = [draft(number, [SMITH, KIM, SMITH_AGAIN][: 2 + number % 2], set()) for number in range(4)]
    store.add_many(drafts, model=None)
    for number in (1, 0):
        store.update(f"dl_{number:02}", collection="elsewhere")
        assert broken(store) == set()
    before = state(connection)
    for collection in ("default", "elsewhere"):
        resolve = "SELECT ragraph_private.resolve_works(%s, ARRAY(SELECT e.identity FROM ragraph.work_entry AS e))"
        connection.execute(resolve, [collection])
    assert state(connection) == before


def test_entries_that_say_the_same_are_compared_once(store: Store, connection: Connection) -> None:
    title = "Kim D. Coffee and walking: a cohort study of many. Lancet. 2001"
    for number in range(6):
        fill(connection, f"dl_{number}", [SMITH, f"{title};{number % 2 + 1}:1-9."])
    fill(connection, "dl_x", [SMITH_AGAIN])
    update_works(store.database)
    said = connection.execute(
        "SELECT cardinality(s.numbers), jsonb_agg(e.rows ORDER BY e.n)"
        " FROM ragraph_private.distinct_entries('default', ARRAY(SELECT w.identity FROM ragraph.work_entry AS w"
        " WHERE w.node_id IS NOT NULL)) AS s, jsonb_to_recordset(s.said) AS e (n integer, rows integer)"
        " GROUP BY s.numbers"
    ).fetchall()
    assert said == [(13, [6, 3, 3, 1])]
    assert sorted(len(group) for group in groups(connection)) == [6, 7]
    assert broken(store) == set()


RIVERS = "The long history of rivers and lakes"
BOOKS = [
    f"Smith, A. (2010). {RIVERS}. Oxford: Oxford University Press.",
    f"Smith A. {RIVERS}. 2nd ed. New York: Sage; 2010.",
    f"Smith, Adam. 2010. {RIVERS}. Example University Press.",
    f"Smith A. {RIVERS}. Sage; 2010.",
]
ARTICLES = [
    f"Smith, A. (2010). {RIVERS}. Journal of Hydrology, 12(3), 45-67.",
    f"Smith A. {RIVERS}. J Hydrol. 2010;12:45-67.",
]
BARE = [f"Smith A. {RIVERS}. 2010.", f"Smith, A. (2010). {RIVERS}. Nature.", f"Smith, A. (2010). {RIVERS}. Sage."]
"""A name alone may be that of a journal or of a publisher."""
CHAPTERS = [f"Smith, A. (2010). {RIVERS}. In B. Jones (Ed.), Handbook of water (pp. 12-40). London: Sage."]


def test_a_book_an_article_and_a_chapter_of_one_title_are_three(store: Store, connection: Connection) -> None:
    """Also where an entry that says less could be any of them: it is of one."""
    for kind, texts in {"bare": BARE, "book": BOOKS, "article": ARTICLES, "chapter": CHAPTERS}.items():
        for number, text in enumerate(texts):
            fill(connection, f"dl_{kind}_{number}", [text])
    update_works(store.database)
    identities: dict[str, str] = dict(
        connection.execute("SELECT document_id, identity FROM ragraph.work_entry WHERE node_id IS NOT NULL").fetchall()
    )
    works: dict[str, set[str]] = {}
    for document, identity in identities.items():
        works.setdefault(document.split("_")[1], set()).add(identity)
    bare = works.pop("bare")
    assert [len(of_kind) for of_kind in works.values()] == [1, 1, 1]
    assert len(set.union(*works.values())) == 3
    assert bare <= set.union(*works.values())
    assert broken(store) == set()


def test_broken_works_are_seen(store: Store, connection: Connection) -> None:
    fill(connection, "dl_a", [SMITH])
    fill(connection, "dl_b", [SMITH_AGAIN, KIM])
    update_works(store.database)
    connection.execute("UPDATE ragraph.work_entry SET keys = '{}' WHERE document_id = 'dl_a' AND node_id = 'cn_0'")
    insert(
        connection,
        "document_relation",
        document_id="dl_b",
        id="rel_x",
        source_node_id="cn_1",
        target_document_id="dl_a",
        relation_type="CITES",
    )
    assert {rule.split(":")[0] for rule in broken(store)} == {
        "an entry is matched by one of its keys",
        "entries of one work share a key",
        "a citation has an entry of the cited document",
    }
    report = update_works(store.database)
    assert (report.read, report.changed) == (0, 2)
    assert {rule.split(":")[0] for rule in broken(store)} == set()


TEA = "Lee K, Park J. Effects of tea on sleep"
LETTER = "Letter to the editor. Lancet. 2012;380"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Smith A. Introduction. In: Jones B, editor. Handbook of tea. London: Sage; 2010. p. 1-12.",
         "Smith A. Introduction. In: Brown C, editor. Handbook of coffee. Paris: Sage; 2010. p. 1-10."),
        (f"{TEA}. I. Methods. J Sleep Res. 2010;12:45-67.", f"{TEA}. II. Results. J Sleep Res. 2010;12:68-90."),
        (f"{TEA}. J Sleep Res. 2010;12:45-67.", f"Erratum: {TEA}. J Sleep Res. 2010;12:145."),
        (f"Kim S. {LETTER}:12-13.", f"Kim S. {LETTER}:512-513."),
        (f"Kim S. {LETTER}:12.", f"Cho S. {LETTER}:12."),
        ("Kim S. Coffee and cancer. JAMA. 2012;307:1257-60.", "Cho P. Tea and cancer. JAMA. 2012;307:1257."),
        ("Knuth D. The Art of Computer Programming. Vol. 1. Addison-Wesley; 1997.",
         "Knuth D. The Art of Computer Programming. Vol. 2. Addison-Wesley; 1997."),
        ("ISO. Information technology: security techniques. ISO/IEC 27001:2013. Geneva; 2013.",
         "ISO. Information technology: security techniques. ISO/IEC 27002:2013. Geneva; 2013."),
        ("Smith A (2010) Introduction to statistics. Springer.", "Smith A (2014) Introduction to statistics, 2nd ed."),
    ],
)  # fmt: skip
def test_common_titles_parts_and_letters_of_one_page_are_works_of_their_own(
    store: Store, connection: Connection, one: str, other: str
) -> None:
    fill(connection, "dl_a", [one])
    fill(connection, "dl_b", [other])
    update_works(store.database)
    assert groups(connection) == set()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Иванов И. И., Петров П. П. Влияние чая на сон // Журнал неврологии. 2010. Т. 12, № 3. С. 45–67.",
         "Иванов И.И., Петров П.П. Влияние чая на сон. Журнал неврологии 2010; 12(3): 45-67."),
        ("田中太郎. 睡眠に対するお茶の効果. 睡眠研究. 2010;12:45-67.",
         "田中太郎：睡眠に対するお茶の効果．睡眠研究 12(3)：45-67, 2010."),
        ("王伟, 李明. 茶对睡眠的影响[J]. 睡眠研究, 2010, 12(3): 45-67.",
         "王伟,李明.茶对睡眠的影响[J].睡眠研究,2010,12(3):45-67."),
        (f"{TEA}. J Sleep Res. 2010;12:45-67.", f"{TEA}. Journal of Sleep Research 12, 45."),
    ],
)  # fmt: skip
def test_entries_in_other_styles_are_one_work(store: Store, connection: Connection, one: str, other: str) -> None:
    fill(connection, "dl_a", [one])
    fill(connection, "dl_b", [other])
    update_works(store.database)
    assert groups(connection) == {frozenset({"dl_a cn_0", "dl_b cn_0"})}
