"""Extractors: what they find in texts that are made to be hard, and the machinery around models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from factories import make_document, make_node
from llm_stub import stub_model

import ragraph
from ragraph.answers.language_model import Endpoint
from ragraph.entities.acronyms import find_acronyms
from ragraph.entities.definitions import Definitions
from ragraph.entities.extract import load_extractor
from ragraph.entities.found import NodeText
from ragraph.entities.language import LanguageModel
from ragraph.entities.models import gather
from ragraph.entities.terms import find_terms
from ragraph.errors import AnswerError, ArgumentError

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a randomized controlled trial (RCT) of", [("RCT", "randomized controlled trial")]),
        ("two randomized controlled trials (RCTs)", [("RCTs", "randomized controlled trials")]),
        ("of a 95% confidence interval (CI 1.2)", []),
        ("of a 95% confidence interval (CI; 1.2)", [("CI", "confidence interval")]),
        ("the receptor (estrogen receptor [ER]) was", [("ER", "estrogen receptor")]),
        (
            "(measured by fluorescent in situ hybridization [FISH] (kit))",
            [("FISH", "fluorescent in situ hybridization")],
        ),
        ("the WHO (World Health Organization) says", [("WHO", "World Health Organization")]),
        ("degree of disability (Barthel Index, BI)", [("BI", "Barthel Index")]),
        ("\N{GRINNING FACE} heart \N{DNA DOUBLE HELIX} body mass index (BMI)", [("BMI", "body mass index")]),
        ("BMI, body mass index; SD, standard deviation", [("BMI", "body mass index"), ("SD", "standard deviation")]),
        ("as shown before (Fig. 2) and by others (Thomas, 2009) in part (Part II)", []),
        ("(((((", []),
        (")](", []),
        ("", []),
        ("()", []),
        ("an image by CT angiography (CTA)", [("CTA", "CT angiography")]),
        ("the LS and systolic strain rate (LSR)", []),
        ("EVLWI as determined by single thermodilution (EVLWIST)", []),
        ("and to replace chloroquine with artemisinin (AQA)", []),
    ],
)
def test_acronyms_of_hard_texts(text: str, pairs: list[tuple[str, str]]) -> None:
    found = list(find_acronyms(text))
    assert [(one.short, one.long) for one in found] == pairs
    for one in found:
        assert text[one.short_start :].startswith(one.short)
        assert text[one.long_start :].startswith(one.long)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('"Affiliate" of a person means any', ["Affiliate"]),
        ('Acme Inc. (the "Company") and Bob ("Consultant")', ["Company", "Consultant"]),
        ("(each a “Party” and together the “Parties”)", ["Party", "Parties"]),
        ('(hereinafter referred to as "SELLER")', ["SELLER"]),
        ('"SEC" or "Commission" means the', ["SEC", "Commission"]),
        ('such amount (such amount, the "Commission Threshold").', ["Commission Threshold"]),
        ("1.2 Net Sales means all", ["Net Sales"]),
        ('he said "Yes" and (as he put it) "No"', []),
        ('(as defined in the "Merger Agreement")', []),
        ('(the "")', []),
    ],
)
def test_terms_of_hard_texts(text: str, terms: list[str]) -> None:
    found = list(find_terms(text))
    assert [term.name for term in found] == terms
    assert all(text[term.start :].startswith(term.name) for term in found)


def test_a_short_form_means_what_it_was_given_last() -> None:
    texts = ["an intensive care unit (ICU).", "The ICU.", "an island cooking union (ICU)", "The ICUs."]
    nodes = [NodeText(f"n{place}", "PARAGRAPH", text) for place, text in enumerate(texts)]
    found = {entity.name: {span.node_id for span in entity.spans} for entity in Definitions().extract(nodes).entities}
    assert found == {"intensive care unit": {"n0", "n1"}, "island cooking union": {"n2", "n3"}}


def test_what_a_model_finds_is_gathered_by_kind_and_name() -> None:
    nodes = [NodeText("a", "PARAGRAPH", "\N{GRINNING FACE} Ann and ANN "), NodeText("b", "PARAGRAPH", "Bob \n")]
    (ann, bob) = gather(nodes, [[("P", 1, 5), ("P", 10, 14), ("P", 5, 6)], [("P", 0, 5)]]).entities
    assert [(span.start, span.end) for span in ann.spans] == [(2, 5), (10, 13)]
    assert [(span.start, span.end) for span in bob.spans] == [(0, 3)]


def test_a_pipeline_of_spacy_is_loaded_from_a_folder(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "ORG", "pattern": "Acme"}])
    pipeline.to_disk(tmp_path / "tiny")
    extractor = load_extractor(f"spacy:{tmp_path / 'tiny'}")
    (entity,) = extractor.extract([NodeText("a", "PARAGRAPH", "At Acme.")]).entities
    assert (extractor.name, entity.kind, entity.name) == ("spacy:tiny", "ORG", "Acme")


def test_a_language_model_is_held_to_the_words_of_the_nodes(
    database_url: str, connection: psycopg.Connection[tuple[object, ...]]
) -> None:
    reply = {
        "entities": [
            {"name": "Ann Lee", "kind": "Person", "aliases": ["Ms Lee"]},
            {"name": "Acme", "kind": "Organization"},
            {"name": "Nobody", "kind": "Person"},
        ],
        "relations": [
            {
                "source": "Ann Lee",
                "target": "Acme",
                "type": "works for",
                "passage": 1,
                "quote": "Ann Lee works for Acme",
            },
            {"source": "Ann Lee", "target": "Acme", "type": "owns", "passage": 1, "quote": "Ann Lee owns Acme"},
            {"source": "Nobody", "target": "Acme", "type": "owns", "passage": 1, "quote": "works for Acme"},
            {"source": "Ann Lee", "target": "Acme", "type": "left", "passage": 9, "quote": "works for Acme"},
        ],
    }
    with ragraph.open(database_url) as store, stub_model(reply) as stub:
        with store.database.write() as writer:
            make_document(writer, "dl_a")
            make_node(writer, "dl_a", "cn_0", 0, content="Ann Lee works for Acme. Ms Lee likes it.")
        extractor = LanguageModel(Endpoint(model="m", base_url=stub.url))
        report = store.extract_entities(extractor)
        assert (report.entities, report.mentions, report.relations, report.refused) == (2, 3, 1, 1)
        assert "[1] Ann Lee works for Acme." in stub.prompt(0)
        assert store.entity_relations("Ms Lee")[0].quote == "Ann Lee works for Acme"
        assert store.extract_entities(extractor).nodes == 0
        assert store.check() == [] or all("ntit" not in broken.rule for broken in store.check())
        with pytest.raises(AnswerError):
            store.extract_entities(extractor, again=True)


def test_an_extractor_that_is_not_there_says_which_are() -> None:
    with pytest.raises(ArgumentError, match="definitions, gliner, llm, spacy"):
        load_extractor("nothing")
    with pytest.raises(ArgumentError, match="name it alone"):
        load_extractor("definitions:x")
    with pytest.raises(ArgumentError, match="no pipeline is named"):
        load_extractor("spacy")


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("We measured time to treatment failure (TTF).", "time to treatment failure"),
        ("The International Consultation on Incontinence Questionnaire (ICIQ) was used.",
         "International Consultation on Incontinence Questionnaire"),
        ("of the global longitudinal strain rate (GLSR)", "global longitudinal strain rate"),
        ("tumor necrosis factor alpha (TNFα) and", "tumor necrosis factor alpha"),
        ("β-alanine (BA) was given", "β-alanine"),
        ("the Movement Assessment Battery for Children-2 [18] (MABC-2)", "Movement Assessment Battery for Children-2"),
        ("the European System for Cardiac Operative Risk Evaluation (EuroSCORE)",
         "European System for Cardiac Operative Risk Evaluation"),
        ("samples ID013 and ID015 (ID010)", None),
        ("a control group that received nothing (CONTROL)", None),
        ("CSA, changes in carbohydrate (CHO)", None),
        ("Stine Hald (SH), stine.hald@aarhus.rm.dk (SH)", "Stine Hald"),
        ("CRF, cardiorespiratory fitness, BMI, body mass index", None),
    ],
)  # fmt: skip
def test_the_long_form_is_the_one_whose_words_begin_with_the_letters(text: str, long: str | None) -> None:
    assert {found.long for found in find_acronyms(text)} == ({long} if long else set())
