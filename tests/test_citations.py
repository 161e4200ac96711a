"""Quotes, claims that check themselves, and citations in the styles of CSL."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_document, make_node
from pybtex.database import parse_string
from pydantic import ValidationError
from sample_library import BOOK, GUIDE

from ragraph.answers.claims import CitedAnswer, Claim, Quote
from ragraph.documents import csl
from ragraph.errors import ArgumentError, NodeNotFoundError, QuoteNotFoundError
from ragraph.faces.web.pages import STYLES

if TYPE_CHECKING:
    from ragraph import Hit, Store

    Connection = psycopg.Connection[tuple[Any, ...]]

TEXT = "He said “the cost — of *adaptation*   rose” by 5.3% [3]. It’s co-operation (again); a\\b_c."

WHITE = " \t\r\n\f\u00a0"


@pytest.fixture
def said(connection: Connection) -> Connection:
    make_document(connection)
    make_node(connection, "dl_a", "cn_0", 0, content="Before.", char_start=0, char_end=7)
    make_node(connection, "dl_a", "cn_1", 1, content=TEXT, char_start=9, char_end=9 + len(TEXT))
    return connection


def quoted(connection: Connection, quote: str | None, node: str = "cn_1") -> tuple[Any, ...] | None:
    return connection.execute(
        "SELECT quote_start, quote_end, verbatim FROM ragraph.cite_quote('dl_a', %s, %s)", (node, quote)
    ).fetchone()


@pytest.mark.parametrize(
    ("quote", "verbatim"),
    [
        ("cost", "cost"),
        (TEXT, TEXT),
        ('"the cost - of adaptation rose" by 5.3%', "“the cost — of *adaptation*   rose” by 5.3%"),
        ("the cost\n– of adaptation", "the cost — of *adaptation"),
        ("It's co‑operation (again); a\\b_c.", "It’s co-operation (again); a\\b_c."),
        ("  “[3].”  ", "[3]."),
    ],
)
def test_quotes_are_found_whatever_the_typesetting(said: Connection, quote: str, verbatim: str) -> None:
    start = 9 + TEXT.index(verbatim)
    assert quoted(said, quote) == (start, start + len(verbatim), verbatim)


@pytest.mark.parametrize("quote", ["the costs", "The cost", "rose … cost", "5x3%", "cost of rain", "a\\\\b", "b.c"])
def test_words_that_the_node_does_not_have_are_refused(said: Connection, quote: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        quoted(said, quote)
    assert caught.value.sqlstate == "RG009"


@pytest.mark.parametrize(
    ("node", "quote", "code"),
    [
        ("cn_1", "  ", "RG005"),
        ("cn_1", None, "RG005"),
        ("cn_1", "“ ”", "RG005"),
        ("cn_1", ".*", "RG005"),
        ("cn_9", "x", "RG003"),
    ],
)
def test_empty_quotes_and_missing_nodes_are_refused(said: Connection, node: str, quote: str | None, code: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        quoted(said, quote, node)
    assert caught.value.sqlstate == code


def paragraph(store: Store, document: str = GUIDE) -> Hit:
    return store.search("what to do first", 1, document=document, types="PARAGRAPH")[0]


def test_a_long_quote_with_other_quotation_marks_is_found(library: Store) -> None:
    node = max(library.nodes(BOOK), key=lambda node: len(node.content))
    assert len(node.content) > 3000
    words = "\n".join(node.content[:3000].split(" ")[:-1])
    assert library.quote(BOOK, node.id, words).excerpt_span[0] == node.char_start


def test_answers_check_themselves(library: Store) -> None:
    hit = paragraph(library)
    words = hit.content[: hit.content.index(" ", 20)]
    data = {
        "question": "What first?",
        "claims": [
            {
                "text": "Do it.",
                "quotes": [{"document_id": GUIDE, "node_id": hit.node_id, "text": words.replace(" ", "  ")}],
            }
        ],
    }
    answer = CitedAnswer.model_validate(data)
    assert not answer.is_verified
    assert answer.citations == []
    checked = answer.verified(library)
    assert checked.is_verified
    assert checked.claims[0].quotes[0].text == words
    assert checked == CitedAnswer.model_validate(data, context={"store": library})
    assert checked.text == "Do it. [1]"
    assert [citation.excerpt for citation in checked.citations] == [words]
    assert json.loads(json.dumps(checked.to_json()))["claims"][0]["quotes"][0]["citation"]["node_id"] == hit.node_id


def test_a_quote_that_does_not_hold_is_refused_or_dropped(library: Store) -> None:
    hit, other = paragraph(library), paragraph(library, BOOK)
    good = Quote(document_id=GUIDE, node_id=hit.node_id, text=hit.content[:30].rpartition(" ")[0])
    also = Quote(document_id=BOOK, node_id=other.node_id, text=other.content[:30].rpartition(" ")[0])
    bad = Quote(document_id=GUIDE, node_id=hit.node_id, text="words nobody wrote")
    gone = Quote(document_id=GUIDE, node_id="cn_none", text="anything")
    answer = CitedAnswer(
        question="?",
        claims=[
            Claim(text="One.", quotes=[good, bad, also]),
            Claim(text="Two.", quotes=[bad]),
            Claim(text="Three.", quotes=[gone]),
        ],
    )
    with pytest.raises(ValidationError, match="does not contain 'words nobody wrote'") as caught:
        answer.verified(library)
    assert caught.value.error_count() == 3
    pruned = answer.pruned(library)
    assert pruned.is_verified
    assert [claim.text for claim in pruned.claims] == ["One."]
    assert pruned.claims[0].sources == [GUIDE, BOOK]
    assert pruned.text == "One. [1][2]"
    assert len(pruned.dropped) == 5
    assert pruned.sufficient
    nothing = CitedAnswer(question="?", claims=[Claim(text="Two.", quotes=[bad])]).pruned(library)
    assert (nothing.claims, nothing.sufficient) == ([], False)
    assert nothing.missing


def test_nobody_can_state_that_a_quote_is_verified(library: Store) -> None:
    citation = library.cite(GUIDE, paragraph(library).node_id)
    quote = Quote.model_validate({"document_id": "dl_x", "node_id": "cn_x", "text": "x", "citation": citation})
    assert quote.citation is None


def test_an_answer_without_claims_is_not_sufficient() -> None:
    with pytest.raises(ValidationError, match="cannot be sufficient"):
        CitedAnswer(question="?")
    with pytest.raises(ValidationError):
        Claim(text="no quote", quotes=[])


# -- styles ----------------------------------------------------------------------------------------------


def record(store: Store, **metadata: Any) -> None:
    with store.database.write() as connection:
        connection.execute(
            "UPDATE ragraph.publication SET title = 'Zero Trust & more', authors = 'Scott Rose, Oliver Borchert',"
            " publication_date = %s, source = 'NIST', uri = 'https://doi.org/10.6028/nist.sp.800-207', metadata = %s"
            " WHERE id = (SELECT d.publication_id FROM ragraph.document AS d WHERE d.id = %s)",
            (date(2020, 8, 1), json.dumps(metadata), GUIDE),
        )


def test_citations_in_styles(own_library: Store) -> None:
    record(own_library)
    hit = paragraph(own_library)
    apa = own_library.format_citations([hit, hit.citation])
    assert apa.inline == ["(Rose & Borchert, 2020)"] * 2
    assert apa.bibliography == [
        "Rose, S., & Borchert, O. (2020). Zero Trust & more. NIST. https://doi.org/10.6028/nist.sp.800-207"
    ]
    ieee = own_library.format_citations([hit], style="IEEE")
    assert ieee.inline == ["[1]"]
    assert ieee.bibliography[0].startswith("[1]")
    assert "<i>" in own_library.format_citations([hit], html=True).bibliography[0]


def test_pages_are_the_locator(own_library: Store) -> None:
    record(own_library, csl={"type": "book", "publisher": "Us"})
    citation = own_library.cite(GUIDE, paragraph(own_library).node_id)
    items = {citation.publication_id: csl.csl_item(own_library.document(GUIDE))}
    paged = replace(citation, pages=[7, 8], logical_pages=["12", "13"])
    assert csl.format_citations([paged], items).inline == ["(Rose & Borchert, 2020, pp. 12–13)"]
    one = replace(citation, pages=[7], logical_pages=[])
    assert csl.format_citations([one], items).inline == ["(Rose & Borchert, 2020, p. 7)"]


def test_unknown_styles_are_refused_with_what_comes_near(library: Store) -> None:
    hits = [paragraph(library)]
    with pytest.raises(ArgumentError, match=r"did you mean .*ieee"):
        library.format_citations(hits, style="ieeee")
    with pytest.raises(ArgumentError, match="no style file"):
        library.format_citations(hits, style="none.csl")
    assert {"apa", "ieee", "chicago-author-date"} <= set(csl.styles())


def test_references_for_other_programs(own_library: Store) -> None:
    record(own_library, journal={"volume": "3", "issue": "2", "fpage": "11", "lpage": "19"})
    items = {item["id"]: item for item in json.loads(own_library.references())}
    assert len(items) == 2
    item = items[own_library.document(GUIDE).document.publication_id]
    assert item["type"] == "article-journal"
    assert item["author"] == [{"family": "Rose", "given": "Scott"}, {"family": "Borchert", "given": "Oliver"}]
    assert (item["DOI"], item["page"], item["issued"]) == (
        "10.6028/nist.sp.800-207",
        "11-19",
        {"date-parts": [[2020, 8, 1]]},
    )
    (entry,) = parse_string(own_library.references(GUIDE, format="bibtex"), "bibtex").entries.values()
    assert entry.type == "article"
    assert entry.fields["journal"] == "NIST"
    assert [str(person) for person in entry.persons["author"]] == ["Rose, Scott", "Borchert, Oliver"]
    with pytest.raises(ArgumentError):
        own_library.references(format="ris")
    listed = own_library.bibliography()
    assert len(listed) == 2
    assert any(entry.startswith("Rose, S., & Borchert, O. (2020)") for entry in listed)


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ("Scott Rose, Ada de la Cruz", ["Rose|Scott", "de la Cruz|Ada"]),
        ("Rose, S., Borchert, O. B.", ["Rose|S.", "Borchert|O. B."]),
        ("Rose, Scott; van der Berg, Jan", ["Rose|Scott", "van der Berg|Jan"]),
        ("World Bank, Jane Doe", ["World Bank", "Doe|Jane"]),
        ("Plato", ["Plato"]),
        ("", []),
    ],
)
def test_names_are_split(library: Store, authors: str, names: list[str]) -> None:
    details = library.document(GUIDE)
    item = csl.csl_item(replace(details, document=replace(details.document, authors=authors)))
    found = [name.get("literal") or f"{name['family']}|{name['given']}" for name in item.get("author", [])]
    assert found == names


def test_quote_errors_become_exceptions(library: Store) -> None:
    hit = paragraph(library)
    with pytest.raises(QuoteNotFoundError, match="does not contain 'no such words'"):
        library.quote(GUIDE, hit.node_id, "no such words")
    with pytest.raises(NodeNotFoundError):
        library.quote(GUIDE, "cn_none", "words")


@pytest.mark.parametrize("html", [False, True])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", ["document", "report", "article-journal", "book", "webpage"])
def test_a_work_without_author_has_its_title_once(kind: str, style: str, html: bool) -> None:
    item = {
        "id": "a",
        "type": kind,
        "title": "Lantern repairs",
        "publisher": "Us",
        "container-title": "Tides",
    }
    other = {"id": "b", "type": kind, "title": "Of ropes", "author": [{"family": "Smith", "given": "A."}]}
    entries = csl.bibliography([item, other], style=style, html=html)
    assert "".join(entries).lower().count("lantern repairs") == 1
    assert "".join(entries).lower().count("of ropes") == 1
    assert "".join(entries).count("Tides") <= 1
