"""Wrong use, by Python and on the command line: one line that says what is wrong, never a traceback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
from command_line import CommandLine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_library import GUIDE
from sheets import SHEETS

import ragraph
from ragraph import Store
from ragraph.answers.claims import CitedAnswer
from ragraph.base.arguments import QUERY_LIMIT
from ragraph.errors import (
    ArgumentError,
    DocumentNotFoundError,
    ModelNotFoundError,
    RagraphError,
    SchemaVersionError,
)
from ragraph.filters import Filter, field, parse
from ragraph.search import Weights

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def command(library_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(library_url, monkeypatch, capsys)


CALLS: dict[str, Callable[[Store, Any], Any]] = {
    "search.query": lambda store, x: store.search(x, mode="text"),
    "search.k": lambda store, x: store.search("word", x, mode="text"),
    "search.document": lambda store, x: store.search("word", document=x, mode="text"),
    "search.documents": lambda store, x: store.search("word", document=[x], mode="text"),
    "search.section": lambda store, x: store.search("word", document=GUIDE, section=x, mode="text"),
    "search.types": lambda store, x: store.search("word", types=x, mode="text"),
    "search.types of": lambda store, x: store.search("word", types=[x], mode="text"),
    "search.pages": lambda store, x: store.search("word", pages=x, mode="text"),
    "search.pages from": lambda store, x: store.search("word", pages=(x, None), mode="text"),
    "search.collection": lambda store, x: store.search("word", collection=x, mode="text"),
    "search.tags": lambda store, x: store.search("word", tags=x, mode="text"),
    "search.tags of": lambda store, x: store.search("word", tags=[x], mode="text"),
    "search.languages": lambda store, x: store.search("word", languages=x, mode="text"),
    "search.published": lambda store, x: store.search("word", published=x, mode="text"),
    "search.published from": lambda store, x: store.search("word", published=(x, None), mode="text"),
    "search.filter": lambda store, x: store.search("word", filter=x, mode="text"),
    "search.mode": lambda store, x: store.search("word", mode=x),
    "search.match": lambda store, x: store.search("word", mode="text", match=x),
    "search.model": lambda store, x: store.search("word", model=x),
    "search.weights": lambda store, x: store.search("word", mode="text", weights=x),
    "search.boost": lambda store, x: store.search("word", boost=x),
    "search.boost of": lambda store, x: store.search("word", boost=[x]),
    "search_sections.k": lambda store, x: store.search_sections("word", x, mode="text"),
    "search_sections.nodes": lambda store, x: store.search_sections("word", nodes=x, mode="text"),
    "context.query": lambda store, x: store.context(x, mode="text"),
    "context.token_budget": lambda store, x: store.context("node", x, mode="text", match="any"),
    "context.k": lambda store, x: store.context("node", k=x, mode="text"),
    "context.strategy": lambda store, x: store.context("node", strategy=x, mode="text"),
    "context.rerank": lambda store, x: store.context("node", rerank=x, mode="text"),
    "expand.hits": lambda store, x: store.expand(x),
    "expand.hit": lambda store, x: store.expand([x]),
    "expand.token_budget": lambda store, x: store.expand(store.search("node", 1, mode="text"), "none", x),
    "expand.query": lambda store, x: store.expand([], query=x),
    "expand.notes": lambda store, x: store.expand(store.search("node", 1, mode="text"), notes=x),
    "expand.before": lambda store, x: store.expand(store.search("node", 1, mode="text"), before=x),
    "expand.merge_share": lambda store, x: store.expand(store.search("node", 1, mode="text"), "merge", merge_share=x),
    "rerank.hits": lambda store, x: store.rerank("word", x, "none"),
    "rerank.model": lambda store, x: store.rerank("word", [], x),
    "answer.question": lambda store, x: store.answer(x, llm="none"),
    "answer.llm": lambda store, x: store.answer("why", llm=x),
    "toc.document": lambda store, x: store.toc(x),
    "toc.max_depth": lambda store, x: store.toc(GUIDE, x),
    "page.document": lambda store, x: store.page(x, 1),
    "page.page": lambda store, x: store.page(GUIDE, x),
    "page.range": lambda store, x: store.page(GUIDE, (x, x)),
    "nodes.document": lambda store, x: store.nodes(x),
    "nodes.section": lambda store, x: store.nodes(GUIDE, x),
    "related.node": lambda store, x: store.related(GUIDE, x),
    "related.types": lambda store, x: store.related(GUIDE, "cn", types=x),
    "related.direction": lambda store, x: store.related(GUIDE, "cn", direction=x),
    "related.max_hops": lambda store, x: store.related(GUIDE, "cn", max_hops=x),
    "graph.document": lambda store, x: store.graph(x),
    "text.document": lambda store, x: store.text(x),
    "render.document": lambda store, x: store.render(x),
    "render.section": lambda store, x: store.render(GUIDE, section=x),
    "render.format": lambda store, x: store.render(GUIDE, format=x),
    "render.notes": lambda store, x: store.render(GUIDE, notes=x),
    "render.page_breaks": lambda store, x: store.render(GUIDE, page_breaks=x),
    "check.document": lambda store, x: store.check(x),
    "delete.document": lambda store, x: store.delete(x),
    "documents.collection": lambda store, x: store.documents(collection=x),
    "documents.limit": lambda store, x: store.documents(limit=x),
    "document": lambda store, x: store.document(x),
    "filter_documents": lambda store, x: store.filter_documents(x),
    "cite.document": lambda store, x: store.cite(x, "cn"),
    "cite.node": lambda store, x: store.cite(GUIDE, x),
    "quote.quote": lambda store, x: store.quote(GUIDE, "cn", x),
    "quote.min_words": lambda store, x: store.quote(GUIDE, store.nodes(GUIDE)[-1].id, "words", min_words=x),
    "verified.min_words": lambda store, x: CitedAnswer(question="?", sufficient=False).verified(store, min_words=x),
    "pruned.min_words": lambda store, x: CitedAnswer(question="?", sufficient=False).pruned(store, min_words=x),
    "answer.min_words": lambda store, x: store.answer("why", llm="none", min_words=x),
    "format_citations": lambda store, x: store.format_citations(x),
    "format_citations.item": lambda store, x: store.format_citations([x]),
    "format_citations.style": lambda store, x: store.format_citations([], style=x),
    "bibliography": lambda store, x: store.bibliography(x),
    "bibliography.style": lambda store, x: store.bibliography(style=x),
    "references": lambda store, x: store.references(x),
    "references.format": lambda store, x: store.references(format=x),
    "ingest.paths": lambda store, x: store.ingest(cast("Any", x if x not in ((), [], {}, "") else 5), model=None),
    "ingest.path": lambda store, x: store.ingest([x] if not isinstance(x, str) else [""], model=None),
    "embed.model": lambda store, x: store.embed(x),
    "embed.documents": lambda store, x: store.embed(documents=x),
    "field": lambda store, x: store.filter_documents(field(x) == 1),
    "Weights": lambda store, x: store.search("word", mode="hybrid", weights=Weights(text=x)),
}
WRONG: list[Any] = [
    5,
    -1,
    2**70,
    0.5,
    float("nan"),
    True,
    None,
    "x",
    "",
    "\0",
    "\ud800",
    b"x",
    [],
    [5],
    {},
    {"a": {}},
    (1,),
]
WRONG += [
    (1, 2, 3),
    ("a", "b"),
    object(),
    {"\ud800": 1},
    [[]],
    "x" * (QUERY_LIMIT + 1),
    field("title") == "x",
    "a " * 5000,
]


@pytest.mark.parametrize("name", CALLS)
def test_wrong_types_are_told_and_nothing_else_is_raised(library: Store, name: str) -> None:
    for value in WRONG:
        try:
            CALLS[name](library, value)
        except RagraphError as error:
            assert not isinstance(error, SchemaVersionError), (value, error)
            assert "\n" not in str(error), (value, error)
            assert len(str(error)) < 800, (value, error)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("search.k", "x", "k takes a whole number, not 'x' (str)"),
        ("search.query", 5, "query takes text, not 5 (int)"),
        ("search.document", 5, "document takes text, or a list of texts, not 5 (int)"),
        ("search.documents", 5, "document takes text, or a list of texts, not 5 (int)"),
        ("search.types", 3, "types takes text, or a list of texts, not 3 (int)"),
        ("search.pages", "x", "pages takes the first and the last (int), None for an open end, not 'x' (str)"),
        ("search.section", 2.1, "section takes text, or a list of texts, not 2.1 (float)"),
        ("toc.document", 5, "document takes text, not 5 (int)"),
        ("render.page_breaks", "no", "page_breaks takes True or False, not 'no' (str)"),
        ("expand.hits", 5, "hits takes a list of hits, not 5 (int)"),
        ("delete.document", 5, "document takes text, or a list of texts, not 5 (int)"),
        ("quote.min_words", True, "min_words takes a whole number, not True (bool)"),
        ("quote.min_words", 0, "min_words takes a whole number of at least 1, not 0 (int)"),
        ("quote.min_words", 2**70, f"min_words takes a whole number of at most 1,000, not {2**70} (int)"),
        ("verified.min_words", 2.5, "min_words takes a whole number, not 2.5 (float)"),
        ("pruned.min_words", True, "min_words takes a whole number, not True (bool)"),
        ("answer.min_words", 2.5, "min_words takes a whole number, not 2.5 (float)"),
        ("Weights", "x", "text takes a number, not 'x' (str)"),
    ],
)
def test_a_wrong_type_names_its_argument(library: Store, name: str, value: Any, said: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        CALLS[name](library, value)
    assert str(raised.value) == said


def test_long_queries_are_refused_with_the_limit(library: Store, command: CommandLine) -> None:
    with pytest.raises(ArgumentError, match=r"10,001 characters; ask in at most 10,000"):
        library.search("x" * (QUERY_LIMIT + 1))
    for word in ("a ", "-a ", '"a" ', "or ", "(", "a-b/c "):
        query = (word * QUERY_LIMIT)[:QUERY_LIMIT]
        for match in ("all", "any"):
            library.search(query, mode="text", match=match)
    ended = command("search", "x" * 50_000)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "10,000" in ended.err


def test_what_a_scope_names_is_told_before_what_a_model_lacks(database_url: str) -> None:
    with ragraph.open(database_url) as empty:
        for mode in ("vector", "hybrid", "graph"):
            with pytest.raises(DocumentNotFoundError, match="'nope'"):
                empty.search("word", document="nope", mode=cast("Any", mode))
        with pytest.raises(DocumentNotFoundError, match="'nope'"):
            empty.context("word", document="nope")
        with pytest.raises(ModelNotFoundError, match=r"the store is empty: ingest"):
            empty.search("word")


def test_filters_are_bounded(library: Store, command: CommandLine) -> None:
    deep: dict[str, Any] = {"title": "x"}
    for _ in range(300):
        deep = {"$not": deep}
    nested: Filter = field("title") == "x"
    for _ in range(5000):
        nested = ~nested
    for asked in (deep, nested, {"$or": [{"title": "x"}] * 501}):
        with pytest.raises(ArgumentError, match="20 levels"):
            library.filter_documents(asked)
    with pytest.raises(ArgumentError, match="9,999 dots"):
        library.filter_documents({"metadata" + ".a" * 10_000: 1})
    for text in (json.dumps(deep), '{"$not":' * 50_000 + "1" + "}" * 50_000, "[" * 99_999):
        ended = command("search", "x", "--mode", "text", "--filter", text)
        assert (ended.code, ended.err.count("\n")) == (2, 1), ended
        assert len(ended.err) < 400


def test_a_number_that_python_does_not_write_is_refused_in_a_filter(library: Store) -> None:
    large = 10**5000
    for asked in ({"title": large}, {"metadata.a": {"$in": [large]}}, {"year": {"$not": {"$gt": large}}}):
        with pytest.raises(ArgumentError, match="more than 4,000 digits"):
            library.filter_documents(asked)
    with pytest.raises(ArgumentError, match="is not an operator"):
        library.filter_documents({"title": cast("Any", {large: 1})})
    with pytest.raises(ArgumentError, match="more than 4,000 digits"):
        library.filter_documents(field("metadata.a") == large)


def test_a_chain_of_conditions_is_one_level(library: Store) -> None:
    chain = either = field("title") == "0"
    for number in range(1, 100):
        chain &= field("title") != str(number)
        either |= field("title") == str(number)
    assert library.filter_documents(chain) == library.filter_documents(either) == []
    assert parse(chain.to_json()) == chain


def test_bytes_that_are_no_text_are_wrong_usage(library_url: str) -> None:
    for arguments in ([b"ingest", b"--id", b"\xff", b"x"], [b"search", b"\xff"], [b"list", b"--collection", b"\xff"]):
        done = subprocess.run(
            [sys.executable, "-c", "from ragraph.faces.cli import main; main()", *arguments],
            env={**os.environ, "RAGRAPH_DATABASE_URL": library_url, "PYTHONUTF8": "1"},
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 2, done
        assert done.stderr.count(b"\n") == 1, done
        assert b"UTF-8" in done.stderr, done


def test_an_empty_path_is_refused(command: CommandLine) -> None:
    ended = command("ingest", "")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "empty" in ended.err


def test_an_answer_without_its_extra_is_one_line(
    library: Store, command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "pydantic_ai" else find_spec(name, *more)
    )
    ended = command("answer", "why?", "--llm", "x")
    assert ended.code == 1
    assert ended.err == "error: a language model needs: pip install 'ragraph-store[answer]'\n"


def test_hints_speak_the_language_of_the_face(library: Store, command: CommandLine) -> None:
    with pytest.raises(ArgumentError, match=r"name it with document=$"):
        library.search("x", section="2")
    assert command("search", "x", "--section", "2").err.endswith("name it with --document\n")
    with pytest.raises(RagraphError, match=r"store\.documents\(\)"):
        library.toc("dl_none")
    assert "`ragraph list`" in command("toc", "dl_none").err
    with pytest.raises(RagraphError, match=r"store\.toc"):
        library.render(GUIDE, section="none")
    assert "`ragraph toc DOC`" in command("render", GUIDE, "--section", "none").err
    with pytest.raises(RagraphError, match=r"store\.page"):
        library.cite(GUIDE, "cn_none")
    for arguments in (["cite", GUIDE, "cn_none"], ["related", GUIDE, "cn_none"]):
        said = command(*arguments).err
        assert "`ragraph search`" in said
        assert "SELECT" not in said


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["render", GUIDE, "-o", "/nowhere/x.md"], 1, "/nowhere/x.md cannot be used: No such file or directory; check"),
        (["import", "/nowhere/x.jsonl"], 1, "/nowhere/x.jsonl cannot be used: No such file or directory; check"),
        (["search", "-network session"], 2, "search --help; put words that begin with - after --, at the end"),
        (["page", GUIDE, "-1"], 2, "put words that begin with - after --, at the end"),
        (["list", "--none"], 2, "ragraph list --help\n"),
        (["delete", GUIDE], 1, "nothing was deleted; to delete without confirmation: --yes"),
    ],
)
def test_errors_say_what_to_do(
    library: Store, command: CommandLine, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, told: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    ended = command(*arguments)
    assert (ended.code, ended.out.strip()) == (code, "")
    assert told in ended.err
    assert len(ended.err.splitlines()) == (2 if "delete" in arguments else 1)  # with the question


def test_a_page_that_is_not_there_comes_with_those_that_are(
    paged_library_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = CommandLine(paged_library_url, monkeypatch, capsys)
    beyond = command("page", SHEETS, "999")
    assert (beyond.code, beyond.out) == (1, "")
    assert beyond.err == f"error: document '{SHEETS}' has no page 999; its pages are 1 to 3\n"
    without = command("page", GUIDE, "iii")
    assert (without.code, without.out) == (1, "")
    assert without.err == f"error: document '{GUIDE}' has no page 'iii'; its format has no pages; read it by section\n"
    drawn = command("open", SHEETS, "--page", "999", "--no-browser")
    assert (drawn.code, drawn.err) == (1, beyond.err)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--budget", "50"], "--budget requires --expand; use -k for the number of nodes"),
        (["--match", "any"], "--match requires --mode text, without --expand auto or focus"),
        (["--match", "all", "--mode", "vector"], "--match requires --mode text"),
        (["--match", "any", "--mode", "text", "--expand", "auto"], "without --expand auto or focus"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    library: Store, command: CommandLine, options: list[str], told: str
) -> None:
    ended = command("search", "towns", *options)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert (
        command("search", "towns", "--mode", "text", "--match", "any", "--expand", "section", "--budget", "50").code
        == 0
    )


COMMANDS = [
    ["list"],
    ["show"],
    ["toc"],
    ["page"],
    ["search", "--mode", "text"],
    ["render"],
    ["related"],
    ["cite"],
    ["references"],
    ["check"],
    ["answer"],
]
WORDS = st.one_of(
    st.sampled_from(
        [GUIDE, "", "-", "--", "-1", "0", "1-2", "2-1", "{}", "[]", "--json", "-k", "99999999999999999999"]
    ),
    st.sampled_from(["--document", "--section", "--filter", "--pages", "--after", "--type", "--style", "--collection"]),
    st.sampled_from(
        ["--depth", "--limit", "--hops", "--mode", "--match", "--expand", "--budget", "--format", "--quote"]
    ),
    st.text(max_size=8).filter(lambda text: not text.startswith("-")),
    st.sampled_from(
        ["\x1b[2J", "\ud800", "\0", "{" * 2000, "a" * 20_000, '{"a": NaN}', '{"$or": []}', "[bold]", "2024-99-99"]
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(COMMANDS), st.lists(WORDS, max_size=5))
def test_no_arguments_give_a_traceback(command: CommandLine, name: list[str], words: list[str]) -> None:
    ended = command(*name, *words)
    assert ended.code in (0, 1, 2)
    if ended.code == 2:
        assert ended.err.count("\n") == 1, ended
    assert "Traceback" not in ended.err
    assert not {"\x1b", "\x9b"} & set(ended.out + ended.err)
    assert ragraph.__version__


EARLY = """
import json, sys
from ragraph.faces.cli import main
for arguments in json.load(sys.stdin):
    sys.argv = ["ragraph", *arguments]
    try:
        main()
    except SystemExit as ended:
        assert ended.code in (1, 2), (arguments, ended.code)
    loaded = {"torch", "transformers", "sentence_transformers", "onnxruntime"} & set(sys.modules)
    assert not loaded, (arguments, loaded)
"""


def test_what_is_wrong_is_told_before_a_model_is_loaded(library_url: str) -> None:
    cases = [
        ["search", "x", "--document", "dl_none"],
        ["search", "x", "--document", GUIDE, "--section", "none"],
        ["search", "x", "--section", "2"],
        ["search", "x", "--type", "POEM"],
        ["search", "x", "--pages", "5-3"],
        ["search", "x", "--model", "none"],
        ["search", "x", "--filter", '{"nobody": 1}'],
        ["search", "x", "--filter", "{"],
        ["search", "", "--mode", "vector"],
        ["search", "x", "--document", "dl_none", "--expand", "auto"],
        ["answer", "why?"],
        ["answer", "why?", "--llm", "x", "--llm-url", "http://127.0.0.1:9/v1", "--document", "dl_none"],
        ["cite", GUIDE, "cn_none"],
        ["render", GUIDE, "--section", "none"],
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RAGRAPH_LLM", "OPENAI"))}
    done = subprocess.run(
        [sys.executable, "-c", EARLY],
        input=json.dumps(cases),
        env={**environment, "RAGRAPH_DATABASE_URL": library_url},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stderr.splitlines()) == len(cases), done.stderr
