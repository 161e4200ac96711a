"""Every parameter of every public method refuses what it does not take, by name; generated from the signatures."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

import pytest
from sample_library import GUIDE

import ragraph
from ragraph import Store
from ragraph.answers.answer import Endpoint, answer
from ragraph.base.arguments import LARGEST, checked
from ragraph.documents.updating import DocumentChanges
from ragraph.errors import ArgumentError, PageNotFoundError
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.jobs.start import ingest_paths
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.supplied.adding import add_drafts
from ragraph.ingest.vectors.parts import PartSettings
from ragraph.models.embedding import EmbeddingModel
from ragraph.retrieval.context import FOCUS, STRATEGIES
from ragraph.retrieval.scope import ScopeOptions
from ragraph.search import SearchOptions, Weights
from ragraph.store.ingest_options import IngestOptions

if TYPE_CHECKING:
    from collections.abc import Callable

NAMED = {
    *("document", "node", "query", "question", "quote", "text", "page", "paths", "hits", "citations", "questions"),
    *("filter", "model", "collection", "job"),
}
"""Arguments that a method cannot do without."""

GOOD: dict[str, Any] = {
    "draft": {},
    "drafts": [],
    "component": "cmp_x",
    **dict.fromkeys(NAMED, "word"),
    **{
        "document": GUIDE,
        "other": GUIDE,
        "page": 1,
        "version": 1,
        "name": "word",
        "index_kind": "bit",
        "paths": "/none",
        "path": "/none/b.ragraph",
        "folder": "/none",
        "hits": [],
        "citations": [],
        "verdict": "right",
        "review": "nr_x",
        "questions": [],
        "filter": {},
    },
}


def _annotations(function: Callable[..., Any], *, named_only: bool) -> dict[str, str]:
    """Return parameters with the words of their annotations; ``named_only`` leaves out those that come by place."""
    return {
        name: str(parameter.annotation)
        for name, parameter in inspect.signature(inspect.unwrap(function)).parameters.items()
        if parameter.kind
        in ((parameter.KEYWORD_ONLY,) if named_only else (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD))
        and name != "self"
    }


def _typed(options: Any) -> dict[str, str]:
    """Return the fields of a TypedDict, inherited ones too."""
    return {name: hint.__forward_arg__ for name, hint in options.__annotations__.items()}


SWITCHES = {
    name: "float | None" if value is None else type(value).__name__
    for name, value in {**STRATEGIES["none"], **FOCUS}.items()
}
COLLECTED: dict[str, dict[str, str]] = {
    "ingest": {
        **_typed(IngestOptions),
        **{
            name: f"{kind} | None"
            for name, kind in (("options", "ReadOptions"), ("parts", "PartSettings"), ("limits", "Limits"))
        },
    },
    "add": _annotations(add_drafts, named_only=True),
    "add_many": _annotations(add_drafts, named_only=True),
    "update": _typed(DocumentChanges),
    "search": _typed(ScopeOptions),
    "search_sections": _typed(SearchOptions),
    "expand": SWITCHES,
    "context": _typed(SearchOptions),
    "answer": {**_annotations(answer, named_only=True), **_typed(SearchOptions)},
}
COLLECTED["answer"].pop("endpoint")
COLLECTED["resume_job"] = {name: COLLECTED["ingest"][name] for name in ("workers", "progress", "options")}
"""What the methods take by ``**``."""

METHODS = {name: method for name, method in inspect.getmembers(Store, inspect.isfunction) if not name.startswith("_")}
PARAMETERS = [
    (name, parameter, words)
    for name, method in METHODS.items()
    for parameter, words in {**_annotations(method, named_only=False), **COLLECTED.get(name, {})}.items()
    if words != "Any"
]


def wrong_values(words: str) -> list[Any]:
    """What an annotation does not allow."""
    wrong: list[Any] = [object(), b"x", 2.5j]
    kinds = re.findall(r"\w+", words)
    if "None" not in kinds:
        wrong.append(None)
    if not {"int", "float"} & set(kinds):
        wrong += [5, 0.5, 10**5000]
    if words.removesuffix(" | None") in ("int", "float"):
        wrong += [2**70, 10**5000, float("nan"), float("inf"), "5", True, [5]]
    if words.removesuffix(" | None") == "bool":
        wrong += ["no", 1, 0]
    if words.removesuffix(" | None") == "str":
        wrong += [["x"], {"x": 1}, "\0", "\ud800"]
    if "Sequence[str]" in words:
        wrong += [[5], {"x": 1}, ["\0"]]
    if "Callable" in words:
        wrong.append("x")
    return wrong


def test_the_options_of_ingest_are_those_of_the_request_and_of_the_run() -> None:
    request = {field.name: field.default for field in fields(IngestRequest)}
    run = _annotations(ingest_paths, named_only=True)
    known = (request.keys() - {"paths"}) | (run.keys() - {"assets"}) | {"ray", "charset", "name"}
    assert set(IngestOptions.__annotations__) == known  # the character set is one of the options of the request
    assert IngestRequest.of(tags="abc", parts=None).tags == ("abc",)


def test_every_method_is_looked_at() -> None:
    assert {"search", "ingest", "update", "quote", "tune", "related", "answer"} <= METHODS.keys()
    assert len(PARAMETERS) > 130
    for name, method in METHODS.items():
        own = inspect.signature(inspect.unwrap(method)).parameters.values()
        collects = any(item.kind is item.VAR_KEYWORD for item in own)
        assert collects == (name in COLLECTED), name


@pytest.mark.parametrize(("name", "parameter", "words"), PARAMETERS, ids=lambda value: str(value).replace(" ", ""))
def test_a_wrong_argument_is_named(
    library: Store, name: str, parameter: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGRAPH_LLM_MODEL", "none")
    monkeypatch.setenv("RAGRAPH_LLM_URL", "http://127.0.0.1:9/v1")
    required = {
        item.name: GOOD[item.name]
        for item in inspect.signature(METHODS[name]).parameters.values()
        if item.default is item.empty and item.name in GOOD
    }
    if name == "answer" and parameter == "rerank":
        words = "str"  # None is allowed, but would go on to the language model
    for value in wrong_values(words):
        if name == "answer" and value is None:
            continue
        with pytest.raises(ArgumentError) as raised:
            METHODS[name](library, **{**required, parameter: value})
            pytest.fail(f"{parameter}={value!r} was taken" if not isinstance(value, int) else f"{parameter}: a number")
        said = str(raised.value)
        assert re.search(rf"\b{parameter}\b", said), (value.__class__, said)
        assert "\n" not in said
        assert len(said) < 400


@pytest.mark.parametrize("kind", [Endpoint, Weights, ReadOptions, PartSettings, Limits], ids=lambda kind: kind.__name__)
def test_options_refuse_values_of_other_types(kind: Any) -> None:
    for name in inspect.signature(kind).parameters:
        if (kind, name) != (ReadOptions, "pages"):
            with pytest.raises(ArgumentError, match=rf"^{name} takes "):
                kind(**{name: object()})


@pytest.mark.parametrize("name", ["url", "home", "create", "upgrade"])
def test_opening_refuses_values_of_other_types(name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name} takes "):
        cast("Any", ragraph.open)(**{name: object()})


def test_one_text_is_one_tag(own_library: Store) -> None:
    from sample_library import FILES

    own_library.update(GUIDE, title="Guide")
    assert own_library.ingest(FILES[GUIDE], collection="tagged", document_id="dl_tagged", tags="abc", model=None).ok
    assert own_library.document("dl_tagged").tags == ["abc"]


def test_numbers_as_large_as_they_may_be(library: Store) -> None:
    for call in (
        lambda: library.search("node", 1_000_000, mode="text"),
        lambda: library.search("node", 1_000_000),
        lambda: library.search_sections("node", 1_000_000, nodes=1_000_000, mode="text"),
        lambda: library.context("node", LARGEST),
        lambda: library.context("node", k=1_000_000, mode="text"),
        lambda: library.expand(library.search("node", 1, mode="text"), "graph", LARGEST, max_hops=1000),
        lambda: library.toc(GUIDE, LARGEST),
        lambda: library.documents(limit=LARGEST),
        lambda: library.search("node", mode="text", pages=(1, LARGEST)),
    ):
        call()
    for page in (LARGEST, (1, LARGEST)):
        with pytest.raises(PageNotFoundError):
            library.page(GUIDE, page)


def test_a_model_of_ones_own_is_taken_if_it_does_what_a_model_does() -> None:
    class Own:
        def encode_documents(self, texts: list[str]) -> None: ...
        def encode_query(self, text: str) -> None: ...
        def token_offsets(self, text: str) -> None: ...
        def count_tokens(self, texts: list[str]) -> None: ...

    class Half:
        def encode_query(self, text: str) -> None: ...

    @checked(model=(str, EmbeddingModel))
    def take(model: Any) -> str:
        return type(model).__name__

    assert take(Own()) == "Own"
    for wrong in (Half(), object(), 5):
        with pytest.raises(ArgumentError, match=r"^model takes text or an EmbeddingModel"):
            take(wrong)
