"""Tenants by the service and by the tools of agents: what is another's is answered as what nobody has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import httpx
import pytest
from administrators import administrator
from PIL import Image
from web_tools import served

import ragraph
from ragraph.database.roles import make_roles
from ragraph.database.tenants import grant_collection, switch_tenants
from ragraph.errors import RagraphError
from ragraph.faces.mcp import resources
from ragraph.faces.web.app import create_app
from ragraph.tools.toolbox import reading_tools, writing_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import MakeDatabase

    from ragraph import Store

NOBODY = "dl_nobody"
PAGE = """<html lang="en"><head><title>{0} report</title></head><body><h1>{0} of rivers</h1>
<p>The {0} River Authority (QRA) of {0} takes a toll at the bridge.</p>
<figure><img src="map.png"><figcaption>Figure 1. A {0} map</figcaption></figure>
<h2>References</h2><ol><li>Smith, J. (2001). The {0} of the long rivers. Journal of {0}, 12(3), 45-67.</li></ol>
</body></html>"""


@pytest.fixture(scope="module")
def stores(
    make_shared_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Store, Store]]:
    """The store as its owner and as a tenant of it; another has a document with picture, history, entities, works."""
    url = administrator(make_shared_database())
    make_roles(url)
    switch_tenants(url, on=True)
    folder = tmp_path_factory.mktemp("faces")
    with pytest.MonkeyPatch.context() as patch, ragraph.open(url) as owner:
        patch.setenv("RAGRAPH_ASSETS", str(folder / "assets"))
        for tenant, word, colour in (("one", "Ownword", "red"), ("two", "Quixotria", "blue")):
            grant_collection(url, f"tenant_{tenant}", tenant, write=True, create=True)
            owner.keep_versions(tenant)
            place = folder / tenant
            place.mkdir()
            Image.new("RGB", (60, 40), colour).save(place / "map.png")
            for text in (PAGE, PAGE.replace("at the bridge", "at each bridge")):
                (place / "page.html").write_text(text.format(word))
                assert owner.ingest(place / "page.html", collection=tenant, tags=[f"of {word}"], job=True).ok
            owner.extract_entities(collection=tenant)
        with ragraph.open(url, role="tenant_one") as one:
            yield owner, one


@pytest.fixture(scope="module")
def foreign(stores: tuple[Store, Store]) -> dict[str, str]:
    """Ids of what the other tenant has."""
    owner, _ = stores
    (document,) = owner.documents(collection="two")
    return {
        "document": document.id,
        "node": owner.nodes(document.id)[1].id,
        "section": owner.toc(document.id)[0].component_id,
        "entity": owner.entities(collection="two")[0].identity,
        "work": owner.cited_by(document.id)[0].identity,
        "job": next(job.id for job in owner.jobs() if job.collection == "two"),
    }


def test_the_service_answers_as_if_there_were_no_others(stores: tuple[Store, Store], foreign: dict[str, str]) -> None:
    _, one = stores
    paths = [path for path, methods in create_app(one).openapi()["paths"].items() if "get" in methods]
    asked: list[dict[str, str]] = [
        {"q": "toll", "k": "50"},
        {"q": "toll", "k": "50", "mode": "graph"},
        {"q": "toll", "collection": "two"},
        {"q": "toll", "entity": foreign["entity"]},
        {"q": "toll", "boost": foreign["entity"]},
        {"q": "toll", "section": foreign["section"]},
        {"node": foreign["node"]},
        {"collection": "two"},
    ]
    with served(one) as address, httpx.Client(base_url=address, timeout=60, follow_redirects=True) as client:
        for path in [*paths, "/", "/search", "/documents/{document}"]:
            for query in asked:
                told = []
                for document, name, job in (
                    (foreign["document"], foreign["entity"], foreign["job"]),
                    (NOBODY, "nobody", str(UUID(int=7))),
                ):
                    place = path.format(document=document, node=foreign["node"], page=1, name=name, job=job)
                    answer = client.get(place, params={**query, "document": document})
                    text = answer.text.replace(document, "DOCUMENT").replace(name, "NAME").replace(job, "JOB")
                    told.append((answer.status_code, text))
                assert told[0] == told[1], (path, query)
                assert "Quixotria" not in told[0][1], (path, query)
        assert "Ownword" in client.get("/").text


def test_tools_answer_as_if_there_were_no_others(stores: tuple[Store, Store], foreign: dict[str, str]) -> None:
    _, one = stores
    tools = reading_tools(one) | writing_tools(one)
    asked: dict[str, dict[str, Any]] = {
        "outline": {},
        "search": {"query": "toll"},
        "context": {"query": "toll"},
        "read_section": {"section": foreign["section"]},
        "read_page": {"page": 1},
        "follow": {"node": foreign["node"]},
        "cite": {"node": foreign["node"], "quote": "takes a toll"},
        "page_image": {"page": 1},
        "entity": {"name": foreign["entity"]},
        "update": {"title": "Mine"},
        "delete": {},
    }
    assert asked.keys() | {"list_documents", "ingest"} == tools.keys()
    for name, arguments in asked.items():
        told = []
        for document in (foreign["document"], NOBODY):
            with pytest.raises(RagraphError) as raised:
                tools[name].call({**arguments, "document": document})
            told.append(str(raised.value).replace(document, "DOCUMENT"))
        assert told[0] == told[1], name
    assert "Quixotria" not in str(tools["list_documents"].call({}).body)
    found = tools["search"].call({"query": "Quixotria toll", "k": 50}).body.model_dump()
    assert found["hits"]
    assert "Quixotria" not in str(found["hits"])
    told = []
    for document in (foreign["document"], NOBODY):
        with pytest.raises(RagraphError) as raised:
            resources.read(one, resources.uri(document))
        told.append(str(raised.value).replace(document, "DOCUMENT"))
    assert told[0] == told[1]


def test_methods_answer_as_if_there_were_no_others(stores: tuple[Store, Store], foreign: dict[str, str]) -> None:
    """History, works, entities and jobs, which neither the service nor the tools offer."""
    _, one = stores
    document = foreign["document"]
    for ask in (
        one.history, one.diff, one.cited_by, one.citing, one.co_cited, one.coupled, one.original, one.prune_versions,
        lambda name: one.restore_version(name, 1), lambda name: one.update(name, title="Mine"), one.delete,
        lambda name: one.figure(name, foreign["node"]), lambda name: one.quote(name, foreign["node"], "takes a toll"),
        lambda name: one.export(document=name), lambda name: one.export_markdown("/nowhere", document=name),
        lambda name: one.split_work(foreign["work"], name), lambda name: one.split_entity(foreign["entity"], name),
    ):  # fmt: skip
        told = []
        for name in (document, NOBODY):
            with pytest.raises(RagraphError) as raised:
                ask(name)
            told.append(f"{type(raised.value)} {raised.value}".replace(name, "DOCUMENT"))
        assert told[0] == told[1], ask
    asked: tuple[tuple[Any, str], ...] = (
        (one.entity, "entity"), (one.mentions, "entity"), (one.reset_entities, "entity"), (one.reset_work, "work"),
        (one.job, "job"), (one.job_files, "job"), (one.cancel_job, "job"), (one.resume_job, "job"),
    )  # fmt: skip
    for ask, kind in asked:
        told = []
        for name in (foreign[kind], f"{foreign[kind][:-4]}ffff"):
            with pytest.raises(RagraphError) as raised:
                ask(name)
            told.append(str(raised.value).replace(name, "ID"))
        assert told[0] == told[1], (ask, kind)
    everything: tuple[Any, ...] = (
        one.documents(), one.facets(), one.entities(), one.works(), one.jobs(None), one.bibliography(),
        one.references(), list(one.export()), one.check(), one.rankers(),
    )  # fmt: skip
    assert "Quixotria" not in str(everything)
    assert "'two'" not in str(everything)
    assert one.document_statuses()["completed"] == 1


def test_originals_of_others_are_not_taken_in_as_files(stores: tuple[Store, Store]) -> None:
    """Who may name files to the tools of agents knows where a store keeps originals, or tries a pattern."""
    owner, one = stores
    assert owner.assets is not None
    (document,) = owner.documents(collection="two")
    kept, _ = owner.original(document.id)
    before = len(one.documents())
    for path in (str(kept), f"{owner.assets.root}/*/*"):
        writing_tools(one)["ingest"].call({"paths": [path], "collection": "one"})
        assert len(one.documents()) == before
        assert one.search("Quixotria", mode="text") == []
