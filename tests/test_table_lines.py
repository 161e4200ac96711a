"""Tables as evidence: found by the lines that a question names, with their captions, heads and sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_component, make_model, vector
from test_finding import fill

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]

BALANCE = """ | June 30, 2021 | June 30, 2020
Current assets: |  |
Cash and cash equivalents | $ 1,874 | $ 2,936
Merchandise inventories | 5,140 | 5,965
Total current assets | 8,802 | 10,539
Total assets | 15,803 | 17,504
Accounts payable | 5,687 | 6,803
Total current liabilities | 8,979 | 10,674
Long-term debt | 1,160 | 1,216"""
INCOME = """Years Ended | June 30, 2021 | June 30, 2020
Net sales | $ 46,298 | $ 51,761
Cost of sales | 36,386 | 40,121
Gross profit | 9,912 | 11,640
Operating income | 1,795 | 3,039
Net earnings | $ 1,419 | $ 2,454"""
STORES = """ | Opened | Closed | Total
Canada | 2 | 5 | 131
United States | 4 | 19 | 978
Mexico | 0 | 4 | 4"""
PARENT = INCOME.replace("46,298", "1,298").replace("51,761", "1,761")
PROSE = [
    "The quick settlement of a claim is a ratio of trust between a company and those who buy from it.",
    "Our current plans are to keep the ratio of stores to people as it is, and to be quick where others are not.",
    "In 2021 the company looked at what it had sold, and at what it had in its stores, as it does in each year.",
]


@pytest.fixture
def store(connection: Connection) -> Connection:
    make_model(connection)
    return connection


def report(connection: Connection, tables: list[str], document: str = "dl_a", config: str = "english") -> None:
    """Insert a document of prose, and tables cn_3, cn_4 ... after it."""
    types = dict.fromkeys(range(len(PROSE), len(PROSE) + len(tables)), "TABLE")
    fill(connection, document, [*PROSE, *tables], config, types)


def hybrid(connection: Connection, query: str, k: int = 4, rest: str = "") -> list[str]:
    rows = connection.execute(
        f"SELECT node_id FROM ragraph.search_hybrid(%s, %s, 'tiny', %s{rest}) ORDER BY rank", [query, str(vector(1)), k]
    ).fetchall()
    return [node for (node,) in rows]


@pytest.mark.parametrize(
    ("query", "table"),
    [
        ("What is the quick ratio of the company in 2021?", "cn_3"),
        ("What is the current ratio?", "cn_3"),
        ("How much are total assets at the end of FY2021?", "cn_3"),
        ("What is the gross margin for FY21?", "cn_4"),
        ("net earnings in 2020", "cn_4"),
        ("How many stores were opened in the United States?", "cn_5"),
        ("return on total assets", "cn_3"),
        ("working capital", "cn_3"),
        ("What is the total debt?", "cn_3"),
    ],
)
def test_a_question_for_figures_finds_the_table_whose_lines_it_names(store: Connection, query: str, table: str) -> None:
    report(store, [BALANCE, INCOME, STORES])
    assert hybrid(store, query)[0] == table


def test_other_languages_name_lines_too(store: Connection) -> None:
    report(
        store, ["Stadt | 2010 | 2020\nBern | 124.381 | 134.794\nBasel | 163.216 | 173.863", BALANCE], config="german"
    )
    assert hybrid(store, "Wie viele Einwohner hatte Bern 2010?")[0] == "cn_3"


def test_no_table_comes_first_whose_lines_are_not_named(store: Connection) -> None:
    report(store, [BALANCE, INCOME, STORES])
    assert hybrid(store, "How much trust is there in a claim that is settled in 2021?", 1) == ["cn_0"]
    lines = store.execute(
        "SELECT count(*) FROM ragraph_private.rank_tables('How much trust is there in a claim in 2021?', 10,"
        f" ragraph_private.search_scope(ragraph_private.asked_scope({', '.join(['null'] * 12)})), 10000)"
    ).fetchone()
    assert lines == (0,)
    for asked in ("who decides on access", "Is mortality lower with the drug than without it?"):
        assert store.execute("SELECT ragraph_private.asks_for_figures(%s)", [asked]).fetchone() == (False,), asked


@pytest.mark.parametrize(
    "ratio",
    [
        *("quick ratio", "acid-test ratio", "current ratio", "cash ratio", "leverage ratio", "payout ratio"),
        *("gross margin", "EBIT margin", "net profit margin", "EBITDA", "effective tax rate", "capitalization ratio"),
        *("interest coverage", "times interest earned", "debt-to-equity", "gearing", "total debt", "working capital"),
        *("return on assets", "return on average common equity", "return on capital employed", "ROA", "ROIC"),
        *("return on invested capital", "inventory turnover", "receivables turnover", "fixed asset turnover"),
        *("days of inventory", "days payable", "days sales outstanding", "cash conversion cycle"),
        *("free cash flow", "capex", "capital expenditures"),
    ],
)
def test_a_ratio_with_known_lines_asks_for_figures(connection: Connection, ratio: str) -> None:
    rows = connection.execute(
        "SELECT ragraph_private.asks_for_figures(q), ragraph_private.lines_of_ratios(q) IS NOT NULL"
        " FROM (SELECT 'What is the ' || %s || ' of the company?') AS a (q)",
        [ratio],
    ).fetchone()
    assert rows == (True, True)


def test_a_consolidated_statement_comes_before_that_of_the_parent(store: Connection) -> None:
    report(store, [PARENT, INCOME])
    for place, (title, node) in enumerate(
        [("Schedule I: Condensed Statements of the Parent Company", "cn_3"), ("Consolidated Statements", "cn_4")]
    ):
        make_component(store, "dl_a", f"co_{place}", title=title, sequence_in_parent_major=place)
        store.execute("UPDATE ragraph.content_node SET parent_component_id = %s WHERE id = %s", [f"co_{place}", node])
    typed = ", node_types => '{TABLE}'"
    assert hybrid(store, "gross profit and net sales, consolidated", rest=typed)[0] == "cn_4"
    assert hybrid(store, "gross profit and net sales", rest=typed)[0] == "cn_4"
    assert hybrid(store, "gross profit and net sales of the parent", rest=typed)[0] == "cn_3"


def test_words_of_the_head_tell_tables_with_the_same_lines(store: Connection) -> None:
    older = INCOME.replace("2021", "2011").replace("2020", "2010")
    report(store, [older, INCOME])
    assert hybrid(store, "What was the gross profit in FY2010?")[0] == "cn_3"
    assert hybrid(store, "What was the gross profit in FY2020?")[0] == "cn_4"
