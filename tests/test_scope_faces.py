"""Every option that says where and how to search is there on every face, and does on each what it does in Python.

The options are those of ``SearchOptions``. Whoever adds one gives it a case here, and touches no face.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from command_line import CommandLine
from mcp_tools import mcp_served, with_client
from web_tools import served

import ragraph
from ragraph import haystack, langchain, llamaindex
from ragraph.errors import ModelNotFoundError
from ragraph.faces.frameworks import RetrieverOptions
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode, Position
from ragraph.retrieval.scope import SCOPE_PARAMETERS, ScopeOptions
from ragraph.schema.enums import ContentNodeType
from ragraph.search import HOW_PARAMETERS, SEARCH_PARAMETERS, SearchOptions, Weights
from ragraph.tools.scope import tool_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragraph import Store
    from ragraph.retrieval.parameters import Parameter

    Found = list[tuple[str, str, float]]
    Face = Callable[["Case"], Found]

DOCUMENT = "dl_access"
QUERY = "rent"
NOT_FOR_TOOLS = {
    "model": "which models there are, a model is not told",
    "max_fault": "read_page tells how likely a page was read wrong; definitions stay short",
}


@dataclass(frozen=True)
class Case:
    """An option of a search: its value in Python, and as it is written outside.

    ``base`` and ``base_outside`` are what goes along, also where the option is left out.
    """

    python: Any
    outside: dict[str, str]
    query: str = QUERY
    base: dict[str, Any] = field(default_factory=lambda: {"mode": "text"})
    base_outside: dict[str, str] = field(default_factory=lambda: {"mode": "text"})


IN_DOCUMENT: dict[str, Any] = {"mode": "text", "document": DOCUMENT}
CASES: dict[str, Case] = {
    "document": Case(DOCUMENT, {"document": DOCUMENT}),
    "section": Case("Costs", {"section": "Costs"}, base=IN_DOCUMENT, base_outside=IN_DOCUMENT),
    "types": Case(["HEADING"], {"type": "HEADING"}, base=IN_DOCUMENT, base_outside=IN_DOCUMENT),
    "pages": Case((2, 2), {"pages": "2"}, base=IN_DOCUMENT, base_outside=IN_DOCUMENT),
    "collection": Case("access", {"collection": "access"}),
    "tags": Case(["own"], {"tag": "own"}),
    "languages": Case(["en-GB"], {"language": "en-GB"}),
    "published": Case((date(2020, 1, 1), date(2022, 1, 1)), {"after": "2020-01-01", "before": "2022-01-01"}),
    "filter": Case({"title": "Access"}, {"filter": '{"title": "Access"}'}),
    "max_fault": Case(0.5, {"max_fault": "0.5"}, base=IN_DOCUMENT, base_outside=IN_DOCUMENT),
    "entity": Case("PDP", {"entity": "PDP"}, base=IN_DOCUMENT, base_outside=IN_DOCUMENT),
    "mode": Case("text", {"mode": "text"}, base={}, base_outside={}),
    "match": Case("any", {"match": "any"}, query="rent coin"),
    "boost": Case("PDP", {"boost": "PDP"}, base={}, base_outside={}),
    "min_relevance": Case(0.02, {"min_relevance": "0.02"}, base={}, base_outside={}),
    "weights": Case(Weights(text=0.25, page=0), {"weights": "text:0.25, page:0"}, base={}, base_outside={}),
}


def _draft(document: str, texts: list[tuple[ContentNodeType, str, int]], **about: Any) -> DraftDocument:
    nodes = [
        DraftNode(
            key=f"k{place}",
            type=kind,
            text=words,
            level=1 if kind is ContentNodeType.HEADING else None,
            positions=[Position(page_pdf=page)],
            data={"fault": 0.2 * page + 0.2},
        )
        for place, (kind, words, page) in enumerate(texts)
    ]
    tags = about.pop("tags", [])
    return DraftDocument(id=document, metadata=DraftMetadata(**about), tags=tags, nodes=nodes)


@pytest.fixture(scope="module")
def url(make_shared_database: Callable[[], str]) -> str:
    """Two documents, which each option tells apart, or parts of them."""
    paragraph, heading = ContentNodeType.PARAGRAPH, ContentNodeType.HEADING
    access = _draft(
        DOCUMENT,
        [
            (heading, "Roles and rent", 1),
            (paragraph, "The policy decision point (PDP) decides on access, and on the rent of a key.", 1),
            (heading, "Costs", 2),
            (paragraph, "The rent of a key is one coin.", 2),
        ],
        title="Access",
        authors=["A. Rose"],
        language="en-GB",
        publication_date=date(2021, 5, 1),
        tags=["own"],
    )
    land = _draft(
        "dl_land",
        [(heading, "Rent", 1), (paragraph, "The rent of land is paid in corn.", 1), (paragraph, "Rent rose.", 2)],
        title="Land",
        authors=["B. Brown"],
        language="en",
        publication_date=date(2015, 5, 1),
    )
    made = make_shared_database()
    with ragraph.open(made) as store:
        assert store.add(access, collection="access").status == "added"
        assert store.add(land).status == "added"
        store.extract_entities()
    return made


@pytest.fixture(scope="module")
def store(url: str) -> Iterator[Store]:
    with ragraph.open(url) as opened:
        yield opened


@pytest.fixture(scope="module")
def site(store: Store) -> Iterator[str]:
    with served(store) as address:
        yield address


@pytest.fixture(scope="module")
def agent(store: Store) -> Iterator[str]:
    with mcp_served(store) as address:
        yield address


@pytest.fixture
def command(url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(url, monkeypatch, capsys)


def _of_hits(hits: list[dict[str, Any]]) -> Found:
    return [(hit["document_id"], hit["node_id"], round(hit["score"], 4)) for hit in hits]


def _of_tool(outside: dict[str, str]) -> dict[str, Any]:
    """Return what tools are given for what is written elsewhere: by their names, as JSON."""
    given: dict[str, Any] = {}
    for parameter in SEARCH_PARAMETERS:
        if parameter.public_name in outside:
            value = outside[parameter.public_name]
            name = tool_name(parameter)
            given[name] = json.loads(value) if name == "filter" else [value] if name != parameter.public_name else value
    return given


def _called(address: str, tool: str, arguments: dict[str, Any]) -> Any:
    return with_client(address, lambda client: client.call_tool(tool, arguments))


def by_command(command: CommandLine, query: str, outside: dict[str, str]) -> Found:
    options = [part for name, value in outside.items() for part in (f"--{name.replace('_', '-')}", value)]
    ended = command("search", "--json", *options, query)
    assert ended.code == 0, ended
    return _of_hits(json.loads(ended.out))


def by_rest(site: str, query: str, outside: dict[str, str]) -> Found:
    answer = httpx.get(f"{site}/api/search", params={"q": query, **outside}, timeout=60)
    assert answer.status_code == 200, answer.text
    return _of_hits(answer.json())


def by_tool(agent: str, query: str, outside: dict[str, str]) -> Found:
    result = _called(agent, "search", {"query": query, **_of_tool(outside)})
    assert not result.is_error, result.content
    return _of_hits(json.loads(result.content[0].text)["hits"])


def by_langchain(store: Store, query: str, options: dict[str, Any]) -> Found:
    named = {"document_tags" if name == "tags" else name: value for name, value in options.items()}
    found = langchain.RagraphRetriever(store=store).invoke(query, **named)
    made_with = langchain.RagraphRetriever(store=store, **named).invoke(query)
    assert [item.id for item in made_with] == [item.id for item in found]
    return _of_hits([item.metadata for item in found])


def by_llamaindex(store: Store, query: str, options: dict[str, Any]) -> Found:
    found = llamaindex.RagraphRetriever(store=store, **options).retrieve(query)
    return _of_hits([item.node.metadata for item in found])


def by_haystack(store: Store, query: str, options: dict[str, Any]) -> Found:
    from haystack import Pipeline

    pipeline = Pipeline()
    pipeline.add_component("retriever", haystack.RagraphRetriever(store=store))
    found = pipeline.run({"retriever": {"query": query, **options}})["retriever"]["documents"]
    return _of_hits([item.meta for item in found])


# -- every option is described, and every face has it --------------------------------------------------------------


def test_every_option_is_described_and_has_a_case() -> None:
    assert {parameter.option for parameter in SCOPE_PARAMETERS} == set(ScopeOptions.__annotations__)
    how = SearchOptions.__annotations__.keys() - ScopeOptions.__annotations__.keys()
    assert {parameter.option for parameter in HOW_PARAMETERS} == how
    assert CASES.keys() | {"model"} == SearchOptions.__annotations__.keys(), "the model has tests of its own"
    names = [parameter.public_name for parameter in SEARCH_PARAMETERS]
    assert len(set(names)) == len(names)
    for parameter in SEARCH_PARAMETERS:
        assert parameter.help.endswith("."), parameter
        assert len(parameter.brief or parameter.described) < 90 or not parameter.tools, "a model reads it in each call"


def option_name(parameter: Parameter) -> str:
    return parameter.public_name.replace("_", "-")


def test_the_command_line_has_every_option(command: CommandLine) -> None:
    taken = {"search": SEARCH_PARAMETERS, "answer": SEARCH_PARAMETERS, "judge": SCOPE_PARAMETERS}
    for name, parameters in taken.items():
        printed = command(name, "--help").out
        assert [item.public_name for item in parameters if f"--{option_name(item)} " not in printed] == [], name


def test_rest_has_every_option(site: str) -> None:
    paths = httpx.get(f"{site}/api/openapi.json", timeout=60).json()["paths"]
    for path in ("/api/search", "/api/context", "/api/answer"):
        described = {item["name"]: item.get("description") for item in paths[path]["get"]["parameters"]}
        expected = {item.public_name: item.described for item in SEARCH_PARAMETERS}
        assert expected.items() <= described.items(), path


def test_tools_have_every_option(agent: str) -> None:
    async def listed(client: Any) -> dict[str, Any]:
        return {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}

    tools = with_client(agent, listed)
    told = {item.option for item in SEARCH_PARAMETERS if item.tools}
    assert SearchOptions.__annotations__.keys() - told == NOT_FOR_TOOLS.keys()
    for name in ("search", "context"):
        assert {tool_name(item) for item in SEARCH_PARAMETERS if item.tools} <= tools[name].keys()


def test_frameworks_have_every_option(store: Store) -> None:
    options = set(RetrieverOptions.__annotations__)
    assert set(SearchOptions.__annotations__) <= options
    component: Any = haystack.RagraphRetriever(store=store)
    sockets = component.__haystack_input__._sockets_dict
    assert {*SearchOptions.__annotations__, "query", "k"} == sockets.keys()
    assert {name for name, socket in sockets.items() if socket.is_mandatory} == {"query"}
    fields = set(langchain.RagraphRetriever.model_fields)
    assert (options - {"tags"}) | {"document_tags"} <= fields
    nothing: dict[str, Any] = dict.fromkeys(options)
    llamaindex.RagraphRetriever(store=store, **nothing)  # takes them all
    with pytest.raises(TypeError, match="top_k"):
        haystack.RagraphRetriever(store=store).run("rent", top_k=3)  # type: ignore[call-arg]


# -- every option does on each face what it does in Python ---------------------------------------------------------


@pytest.mark.parametrize("option", CASES)
def test_an_option_changes_what_is_found_on_every_face(
    store: Store, command: CommandLine, site: str, agent: str, option: str
) -> None:
    case = CASES[option]
    options, outside = {**case.base, option: case.python}, {**case.base_outside, **case.outside}
    expected = _of_hits([hit.to_json() for hit in store.search(case.query, **options)])
    without = _of_hits([hit.to_json() for hit in store.search(case.query, **case.base)])
    assert expected
    assert expected != without, "the case tells nothing"
    assert by_command(command, case.query, outside) == expected
    assert by_rest(site, case.query, outside) == expected
    if option not in NOT_FOR_TOOLS:
        assert by_tool(agent, case.query, outside) == expected
    assert by_langchain(store, case.query, options) == expected
    assert by_llamaindex(store, case.query, options) == expected
    assert by_haystack(store, case.query, options) == expected


@pytest.mark.parametrize("option", CASES)
def test_contexts_take_every_option_too(store: Store, site: str, agent: str, option: str) -> None:
    case = CASES[option]
    options, outside = {**case.base, option: case.python}, {**case.base_outside, **case.outside}
    expected = [(block.document_id, block.text) for block in store.context(case.query, 500, **options).blocks]
    assert expected or option == "types", "headings alone are no sentences"
    answer = httpx.get(f"{site}/api/context", params={"q": case.query, "budget": 500, **outside}, timeout=60)
    assert answer.status_code == 200, answer.text
    assert [(block["document_id"], block["text"]) for block in answer.json()["blocks"]] == expected
    if option in NOT_FOR_TOOLS:
        return
    result = _called(agent, "context", {"query": case.query, "budget": 500, **_of_tool(outside)})
    assert not result.is_error, result.content
    blocks = json.loads(result.content[0].text)["blocks"]
    assert [(block["document_id"], block["text"]) for block in blocks] == expected


def test_a_model_is_asked_for_on_every_face_but_the_tools(store: Store, command: CommandLine, site: str) -> None:
    with pytest.raises(ModelNotFoundError):
        store.search(QUERY, model="none")
    assert json.loads(command("search", "--json", "--model", "none", QUERY).err)["error"] == "ModelNotFoundError"
    for path in ("search", "context"):
        answer = httpx.get(f"{site}/api/{path}", params={"q": QUERY, "model": "none"}, timeout=60)
        assert (answer.status_code, answer.json()["error"]) == (404, "ModelNotFoundError")
    for face in (by_langchain, by_llamaindex):
        with pytest.raises(ModelNotFoundError):
            face(store, QUERY, {"model": "none"})
    with pytest.raises(ModelNotFoundError):
        haystack.RagraphRetriever(store=store).run(QUERY, model="none")


def test_authors_are_a_short_form_of_the_filter(store: Store, command: CommandLine, site: str) -> None:
    expected = _of_hits([hit.to_json() for hit in store.search(QUERY, mode="text", document=DOCUMENT)])
    outside = {"mode": "text", "author": "Rose"}
    assert by_command(command, QUERY, outside) == by_rest(site, QUERY, outside) == expected
    assert by_rest(site, QUERY, {**outside, "filter": '{"title": "Other"}'}) == []


# -- what is wrong is told in the words of the face ----------------------------------------------------------------

WEIGHTS_HINT = "use numbers of 0 or more for vector, text, graph, page: vector:1,text:0.5"
WRONG: list[tuple[dict[str, str], str, str]] = [
    ({"pages": "x"}, "'x' is not a range of pages; use 5 or 3-40", "pages are 'x'; use 5 or 3-40"),
    (
        {"pages": "9-1"},
        "'9-1' runs backwards; put the first page first",
        "pages: 9 comes after 1; put the first one first",
    ),
    ({"after": "x"}, "'x' is not a date; write it as 2024-12-31", "after is 'x'; write a date as 2024-12-31"),
    (
        {"before": "2024"},
        "'2024' is not a date; write it as 2024-12-31",
        "before is '2024'; write a date as 2024-12-31",
    ),
    (
        {"filter": "{"},
        "this is not JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)): {",
        "the filter is not JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1))",
    ),
    ({"weights": "x"}, f"'x' are not weights; {WEIGHTS_HINT}", f"weights are 'x'; {WEIGHTS_HINT}"),
    ({"weights": "text:-1"}, f"'text:-1' are not weights; {WEIGHTS_HINT}", f"weights are 'text:-1'; {WEIGHTS_HINT}"),
    ({"weights": "words:1"}, f"'words:1' are not weights; {WEIGHTS_HINT}", f"weights are 'words:1'; {WEIGHTS_HINT}"),
]


@pytest.mark.parametrize(("outside", "on_command_line", "elsewhere"), WRONG, ids=lambda value: str(value)[:30])
def test_what_is_not_written_as_it_is_to_be(
    command: CommandLine, site: str, agent: str, outside: dict[str, str], on_command_line: str, elsewhere: str
) -> None:
    ((name, value),) = outside.items()
    ended = command("search", "--json", QUERY, f"--{name}", value)
    assert ended.code == 2
    assert json.loads(ended.err)["message"].startswith(f"Invalid value for --{name}: {on_command_line}; see ")
    answer = httpx.get(f"{site}/api/search", params={"q": QUERY, **outside}, timeout=60)
    assert answer.status_code == 422
    assert (answer.json()["error"], answer.json()["message"]) == ("ArgumentError", elsewhere)
    result = _called(agent, "search", {"query": QUERY, **outside})
    assert result.is_error
    assert result.content[0].text == f"ArgumentError: {elsewhere}"


def test_an_entity_that_nobody_names_is_told_by_every_face(command: CommandLine, site: str, agent: str) -> None:
    said = "no document mentions an entity 'nobody'"
    ended = command("search", "--json", QUERY, "--mode", "text", "--entity", "nobody")
    assert json.loads(ended.err)["message"].startswith(f"{said}; `ragraph entities` lists them")
    answer = httpx.get(f"{site}/api/search", params={"q": QUERY, "mode": "text", "entity": "nobody"}, timeout=60)
    assert answer.status_code == 404
    assert answer.json()["message"] == f"{said}; GET /api/entities lists them"
    result = _called(agent, "search", {"query": QUERY, "mode": "text", "entity": "nobody"})
    assert result.content[0].text == f"EntityNotFoundError: {said}; search for its name in the query"


def test_the_command_line_names_an_option_as_it_is_written(command: CommandLine) -> None:
    ended = command("search", "--json", QUERY, "--min-relevance", "x")
    assert json.loads(ended.err)["message"].startswith("Invalid value for --min-relevance: ")
