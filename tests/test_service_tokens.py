"""A service with tokens: what each sees and changes over REST, pages and MCP, its limits, and the audit log."""

from __future__ import annotations

import json
import logging
import os
import shutil
import ssl
import subprocess
import time
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import anyio
import httpx
import pytest
from administrators import administrator
from mcp_tools import mcp_served
from PIL import Image
from web_tools import running, served

import ragraph
from ragraph.database.connection import connect
from ragraph.database.roles import make_roles, with_role
from ragraph.database.tenants import switch_tenants
from ragraph.database.tokens import Limits, audit_events, create_token, prune_audit, revoke_token
from ragraph.errors import ArgumentError
from ragraph.faces.web.app import create_app
from ragraph.faces.web.asking import AuditLog
from ragraph.faces.web.guard import Access, Proxy
from ragraph.faces.web.listening import listen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import MakeDatabase


NOBODY = "dl_nobody"
PAGE = """<html lang="en"><head><title>{0} report</title></head><body><h1>{0} of rivers</h1>
<p>The {0} River Authority (QRA) of {0} takes a toll at the bridge.</p>
<figure><img src="map.png"><figcaption>Figure 1. A {0} map</figcaption></figure>
<h2>References</h2><ol><li>Smith, J. (2001). The {0} of the long rivers. Journal of {0}, 12(3), 45-67.</li></ol>
</body></html>"""


@pytest.fixture(scope="module")
def house(make_shared_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A store with two parties, the store as its service opens it, and tokens: readers, a writer, an admin."""
    url = administrator(make_shared_database())
    make_roles(url)
    switch_tenants(url, on=True)
    folder = tmp_path_factory.mktemp("house")
    with pytest.MonkeyPatch.context() as patch, ragraph.open(url) as owner:
        patch.setenv("RAGRAPH_ASSETS", str(folder / "assets"))
        for party, word, colour in (("one", "Ownword", "red"), ("two", "Quixotria", "blue")):
            owner.keep_versions(party)
            place = folder / party
            place.mkdir()
            Image.new("RGB", (60, 40), colour).save(place / "map.png")
            for text in (PAGE, PAGE.replace("at the bridge", "at each bridge")):
                (place / "page.html").write_text(text.format(word))
                assert owner.ingest(place / "page.html", collection=party, tags=[f"of {word}"], job=True).ok
            owner.extract_entities(collection=party)
        many = Limits(requests_per_minute=10_000)  # one test asks for every route
        made = {
            "reader": create_token(url, "reader", "reader", collections=["one"], limits=many).token,
            "writer": create_token(url, "writer", "writer", collections=["one"], limits=many).token,
            "other": create_token(url, "other", "reader", collections=["two"]).token,
            "admin": create_token(url, "admin", "admin").token,
        }
        (document,) = owner.documents(collection="two")
        foreign = {
            "document": document.id,
            "node": owner.nodes(document.id)[1].id,
            "section": owner.toc(document.id)[0].component_id,
            "entity": owner.entities(collection="two")[0].identity,
            "job": next(job.id for job in owner.jobs() if job.collection == "two"),
        }
        (own,) = owner.documents(collection="one")
        with ragraph.open(with_role(url, "service"), create=False, upgrade=False) as store:
            yield SimpleNamespace(url=url, owner=owner, store=store, tokens=made, foreign=foreign, own=own.id)


def access(**options: Any) -> Access:
    return Access(hosts=frozenset(), store_tokens=True, **options)


def client(address: str, token: str | None, **options: Any) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=address, headers=headers, timeout=60, follow_redirects=True, **options)


def test_every_route_answers_as_if_there_were_no_others(house: Any) -> None:
    """Rows, counts, facets, jobs, citations and existence: each path with ids of others and with ids of nobody."""
    foreign = house.foreign
    app = create_app(house.store, write=True)
    assert house.store not in app.state._state.values()  # so that routes have no other store than that of the token
    described = app.openapi()["paths"]
    calls = [(method.upper(), path) for path, methods in described.items() for method in methods]
    pages = ["/", "/search", "/documents/{document}", "/documents/{document}/exhibits", "/documents/{document}/text.md"]
    pages += ["/documents/{document}/edit", "/documents/{document}/delete", "/documents/{document}/tables/{node}.csv"]
    pages += ["/documents/{document}/graph", "/reviews", "/side"]
    calls += [("GET", path) for path in pages]
    calls += [("POST", "/documents/{document}/delete"), ("POST", "/documents/{document}/edit")]
    asked: list[dict[str, str]] = [
        {"q": "toll", "k": "50"},
        {"q": "toll", "mode": "graph"},
        {"q": "toll", "collection": "two"},
        {"q": "toll", "entity": foreign["entity"], "boost": foreign["entity"], "section": foreign["section"]},
        {"node": foreign["node"]},
        {"collection": "two"},
        {"q": "toll", "as_of": "1"},
    ]
    seen = found = 0
    with served(house.store, access=access(), write=True) as address:
        for kind in ("reader", "writer"):
            with client(address, house.tokens[kind]) as asks:
                for method, path in calls:
                    if "answer" in path or (method, path.count("{")) == ("POST", 0):
                        continue
                    takes = described.get(path, {}).get(method.lower(), {}).get("parameters", [])
                    known = {one["name"] for one in takes if one["in"] == "query"}  # an unknown one is refused at once
                    for query in asked if method == "GET" else [{}]:
                        told = []
                        for document, name, job in (
                            (foreign["document"], foreign["entity"], foreign["job"]),
                            (NOBODY, "nobody", str(UUID(int=7))),
                        ):
                            place = path.format(
                                document=document,
                                node=foreign["node"],
                                page=1,
                                name=name,
                                job=job,
                                version=1,
                                review="r",
                            )
                            body: Any = {"json": {"title": "Mine"}} if method == "PATCH" else {}
                            named = {**query, "document": document, **({"at": document} if path == "/side" else {})}
                            if path in described:
                                named = {name: value for name, value in named.items() if name in known}
                            answer = asks.request(method, place, params=named, **body)
                            found += answer.status_code == 404
                            text = answer.text.replace(document, "DOCUMENT").replace(name, "NAME").replace(job, "JOB")
                            told.append((answer.status_code, text))
                            seen += 1
                        assert told[0] == told[1], (kind, method, path, query)
                        assert "Quixotria" not in told[0][1], (kind, method, path, query)
                        assert told[0][0] < 500, (kind, method, path, told[0])
                assert "Ownword" in asks.get("/").text
                assert [item["id"] for item in asks.get("/api/documents").json()] == [house.own]
                assert asks.get("/api/stats").status_code == 403
    assert seen > 300
    assert found > 300
    assert house.owner.document(foreign["document"]).document.title == "Quixotria of rivers"


def test_a_review_is_by_the_name_of_its_token(house: Any) -> None:
    node = house.owner.nodes(house.own)[1].id
    with served(house.store, access=access(), write=True) as address, client(address, house.tokens["writer"]) as asks:
        place = f"/api/documents/{house.own}/nodes/{node}/reviews"
        assert asks.post(place, json={"verdict": "right"}).status_code == 201
        refused = asks.post(place, json={"verdict": "wrong", "by": "Ada"})
        assert (refused.status_code, refused.json()["error"]) == (422, "ArgumentError")
        assert "writer" in refused.json()["message"]
        page = f"/documents/{house.own}"
        assert "Your name" not in asks.get(page, params={"node": node}).text
        assert asks.post(page, params={"node": node}, data={"verdict": "wrong"}).status_code == 200
        assert asks.post(page, params={"node": node}, data={"verdict": "wrong", "by": "Ada"}).status_code == 422
    (review,) = house.owner.reviews(house.own)
    assert (review.verdict, review.reviewer) == ("wrong", "writer")
    assert house.owner.withdraw_review(house.own, review.review_id)


def test_a_conversation_belongs_to_its_token(house: Any) -> None:
    with served(house.store, access=access()) as address:
        with client(address, house.tokens["reader"]) as asks:
            told = asks.get("/answer", params={"q": "who takes a toll"})
            talk = told.url.params["talk"]
            assert "Ownword" in told.text
            assert "who takes a toll" in asks.get("/answer", params={"talk": talk}).text
        with client(address, house.tokens["other"]) as asks:
            assert "who takes a toll" not in asks.get("/answer", params={"talk": talk}).text


def test_deleting_by_filter_reaches_own_documents_alone(house: Any) -> None:
    with served(house.store, access=access(), write=True) as address, client(address, house.tokens["writer"]) as asks:
        assert asks.delete("/api/documents", params={"collection": "two"}).json() == {"deleted": []}
        everything = json.dumps({"title": {"$contains": "Quixotria"}})
        assert asks.delete("/api/documents", params={"filter": everything}).json() == {"deleted": []}
        moved = asks.patch(f"/api/documents/{house.own}", json={"collection": "two"})
        assert (moved.status_code, moved.json()["error"]) == (403, "AccessError"), moved.text
        assert moved.json()["detail"] == "you may not write to collection 'two'; name one that you may: 'one'"
    assert [item.id for item in house.owner.documents(collection="two")] == [house.foreign["document"]]


def test_an_upload_to_a_collection_of_others_is_refused_at_once(house: Any) -> None:
    said = "you may not write to collection {!r}; name one that you may: 'one'"
    file = {"file": ("a.md", b"# A title")}
    with served(house.store, access=access(), write=True, ingest_from=["example.org"]) as address:
        with client(address, house.tokens["writer"]) as asks:
            url, jobs = {"url": "https://example.org/a.md"}, asks.get("/api/jobs").json()
            for collection, data in (("two", {"collection": "two"}), ("default", {})):
                for answer in (
                    asks.post("/api/documents", files=file, data=data),
                    asks.post("/api/documents/from-url", json={**url, **data}),
                ):
                    assert (answer.status_code, answer.json()["detail"]) == (403, said.format(collection))
            assert asks.get("/api/jobs").json() == jobs
        both = create_token(house.url, "both", "writer", collections=["one", "four-x"]).token
        with client(address, both) as asks:
            refused = asks.post("/api/documents", files=file)
            assert refused.json()["detail"].endswith("name one that you may: 'four-x', 'one'")
        revoke_token(house.url, "both")
        with client(address, house.tokens["admin"]) as asks:
            taken = asks.post("/api/documents", files=file, data={"collection": "three"})
            assert taken.status_code == 202


@pytest.mark.filterwarnings("ignore::ragraph.errors.RagraphNotice")
def test_readers_change_nothing_and_uploads_stay_with_their_token(house: Any) -> None:
    file = {"file": ("note.md", b"# Note\n\nA toll of two coins.\n")}
    with served(house.store, access=access(), write=True) as address:
        with client(address, house.tokens["reader"]) as reads:
            refused = reads.post("/api/documents", files=file, data={"collection": "one"})
            assert (refused.status_code, refused.headers["content-type"]) == (403, "application/problem+json")
            assert reads.delete(f"/api/documents/{house.own}").status_code == 403
            assert "Upload" not in reads.get("/").text
        with client(address, house.tokens["writer"]) as writes:
            assert writes.post("/api/documents", files=file, data={"collection": "two"}).status_code == 403
            sent = writes.post("/api/documents", files=file, data={"collection": "one"})
            done = ended(writes, sent)
            assert done["status"] == "added", done
            job = f"/api/jobs/{done['id']}"
            for other in ("reader", "other", "admin"):
                with client(address, house.tokens[other]) as asks:
                    assert asks.get(job).status_code == 404
            assert writes.delete(f"/api/documents/{done['document_id']}").status_code == 200


def test_an_original_is_dated_by_its_document(house: Any) -> None:
    """The file is stored once for all tenants, so its own time told that another had it before."""
    os.utime(house.owner.original(house.own)[0], (1e9, 1e9))
    with served(house.store, access=access()) as address, client(address, house.tokens["reader"]) as asks:
        place = f"/api/documents/{house.own}/original"
        dated = asks.get(place).headers["last-modified"]
        assert parsedate_to_datetime(dated).year > 2001
        assert asks.get(place, headers={"Range": "bytes=0-3", "If-Range": dated}).status_code == 206


def ended(asks: httpx.Client, answer: httpx.Response) -> Any:
    job = answer.json()
    while job["status"] in ("waiting", "running"):
        time.sleep(0.05)
        job = asks.get(f"/api/jobs/{job['id']}").json()
    return job


def test_a_reader_gets_no_form_to_change_a_document(house: Any) -> None:
    with served(house.store, access=access(), write=True) as address:
        for kind, status in (("reader", 403), ("writer", 200)):
            with client(address, house.tokens[kind]) as asks:
                for form in ("edit", "delete"):
                    assert asks.get(f"/documents/{house.own}/{form}").status_code == status


def test_a_key_of_one_token_repeats_nothing_for_another(house: Any) -> None:
    with served(house.store, access=access(), write=True) as address:
        statuses = []
        for kind in ("writer", "admin"):
            with client(address, house.tokens[kind]) as asks:
                answer = asks.request(
                    "PATCH",
                    f"/api/documents/{house.own}",
                    json={"source": "a"},
                    headers={"Idempotency-Key": "same"},
                )
                statuses.append((answer.status_code, answer.headers.get("idempotent-replayed")))
        assert statuses == [(200, None), (200, None)]


def test_without_a_token_there_is_nothing(house: Any) -> None:
    with served(house.store, access=access(), write=True) as address:
        for token in (None, "rgt_0123456789abcdef_" + "A" * 43, "open sesame", house.tokens["reader"][:-1]):
            with client(address, token) as asks:
                for path in ("/api/documents", "/api/openapi.json", f"/api/documents/{house.own}"):
                    answer = asks.get(path)
                    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
                assert asks.get("/").url.path == "/login"
                assert asks.get("/healthz").json() == {"status": "ok"}
        with client(address, None) as asks:  # a token in an address is none
            assert asks.get("/api/documents", params={"token": house.tokens["reader"]}).status_code == 401


def test_a_browser_logs_in_and_is_out_once_the_token_is_revoked(house: Any) -> None:
    token = create_token(house.url, "browser", "reader", collections=["one"]).token
    with served(house.store, access=access()) as address, client(address, None) as browser:
        assert browser.post("/login", data={"token": "no"}).status_code == 401
        assert browser.post("/login", data={"token": token}).status_code == 200
        assert "Ownword" in browser.get("/").text
        assert "Quixotria" not in browser.get("/search", params={"q": "toll"}).text
        assert str(token) not in str(browser.cookies)
        assert revoke_token(house.url, "browser")
        assert browser.get("/").url.path == "/login"


def test_a_token_that_expired_or_is_not_confined_opens_nothing(house: Any) -> None:
    made = create_token(house.url, "late", "reader", collections=["one"], days=1)
    with served(house.store, access=access()) as address, client(address, made.token) as asks:
        assert asks.get("/api/documents").status_code == 200
        try:
            switch_tenants(house.url, on=False)
            assert asks.get("/api/documents").status_code == 503
        finally:
            switch_tenants(house.url, on=True)
        assert asks.get("/api/documents").status_code == 200
        with connect(house.url) as connection:
            connection.execute("UPDATE ragraph.access_token SET expires_at = now() WHERE id = %s", [made.id])
        assert asks.get("/api/documents").status_code == 401
    revoke_token(house.url, "late")


def test_requests_and_uploads_are_limited(house: Any) -> None:
    limits = Limits(requests_per_minute=5, upload_bytes_per_day=1000, concurrent_requests=2)
    token = create_token(house.url, "limited", "writer", collections=["one"], limits=limits).token
    uploads = create_token(house.url, "uploads", "writer", collections=["one"], limits=Limits(None, 1000)).token
    with served(house.store, access=access(), write=True) as address:
        with client(address, token) as asks:
            statuses = [asks.get("/api/documents") for _ in range(6)]
            assert [answer.status_code for answer in statuses] == [200] * 5 + [429]
            assert int(statuses[-1].headers["retry-after"]) >= 1
            assert statuses[-1].json()["title"] == "AccessError"
        with client(address, uploads) as asks:
            assert asks.post("/api/documents", files={"file": ("a.md", b"a" * 2000)}).status_code == 413
            assert asks.patch(f"/api/documents/{house.own}", content=b" " * 900).status_code == 422
            again = asks.patch(f"/api/documents/{house.own}", content=b" " * 900)
            assert (again.status_code, int(again.headers["retry-after"]) > 60) == (429, True)
            parts = (b" " * 100 for _ in range(9))  # of no declared length
            assert asks.patch(f"/api/documents/{house.own}", content=parts).status_code == 429
            assert asks.get("/api/documents").status_code == 200
            both = {"Content-Length": "5", "Transfer-Encoding": "chunked"}  # the length was counted, but parts came
            assert asks.patch("/api/documents/a", content=iter([b" " * 900]), headers=both).status_code == 400
    for name in ("limited", "uploads"):
        revoke_token(house.url, name)


def test_a_proxy_signs_users_in_from_its_address_with_its_secret(house: Any) -> None:
    create_token(house.url, "ann@example.org", "reader", collections=["one"], signs_in=True)
    secret = "a secret of the proxy"
    user = {"X-Forwarded-Email": "ann@example.org"}
    proof = {"X-Ragraph-Proxy-Secret": secret}
    for addresses, headers, status in (
        ({"127.0.0.1"}, [*user.items(), *proof.items()], 200),
        ({"127.0.0.1"}, list(user.items()), 401),
        ({"127.0.0.1"}, [*user.items(), ("X-Ragraph-Proxy-Secret", "no")], 401),
        ({"127.0.0.1"}, [*user.items(), *user.items(), *proof.items()], 401),
        ({"127.0.0.1"}, [("X-Forwarded-Email", "bob@example.org"), *proof.items()], 403),
        ({"127.0.0.1"}, [("X-Forwarded-Email", "reader"), *proof.items()], 403),  # a token is no user
        ({"192.0.2.1"}, [*user.items(), *proof.items()], 401),
        ({"192.0.2.1"}, [*user.items(), *proof.items(), ("X-Forwarded-For", "192.0.2.1")], 401),
    ):
        proxy = Proxy(frozenset(addresses), secret)
        assert secret not in repr(proxy)
        with served(house.store, access=access(proxy=proxy)) as address:
            assert httpx.get(f"{address}/api/documents", headers=headers, timeout=60).status_code == status, headers
    revoke_token(house.url, "ann@example.org")


@pytest.mark.filterwarnings("ignore::ragraph.errors.RagraphNotice")
def test_the_log_says_who_read_and_changed_what(house: Any, caplog: pytest.LogCaptureFixture) -> None:
    file = {"file": ("logged.md", b"# Logged\n\nA toll of three coins.\n")}
    log = AuditLog(house.store, "require")
    with (
        served(house.store, access=access(), write=True, log=log) as address,
        client(address, house.tokens["writer"]) as asks,
    ):
        asks.get(f"/api/documents/{house.own}/text")
        asks.get("/api/search", params={"q": "secret words"})
        asks.get(f"/api/documents/{house.foreign['document']}")
        done = ended(asks, asks.post("/api/documents", files=file, data={"collection": "one"}))
        asks.delete(f"/api/documents/{done['document_id']}")
        asks.get("/api/stats")
    lines = audit_events(house.url, token="writer")
    said = [(line.action, line.status, line.documents) for line in lines if "/jobs/" not in line.action]
    new = done["document_id"]
    assert said[:3] == [
        ("GET /api/documents/{document}/text", 200, [house.own]),
        ("GET /api/search", 200, [house.own]),
        ("GET /api/documents/{document}", 404, [house.foreign["document"]]),
    ]
    assert ("POST /api/documents", None, []) in said
    assert ("POST /api/documents", 202, []) in said
    assert ("ingest upload", 200, [new]) in said
    assert ("DELETE /api/documents/{document}", 200, [new]) in said
    assert ("GET /api/stats", 403, []) in said
    assert {line.role_name for line in lines} == {lines[0].role_name}
    assert {line.query for line in lines} == {None}
    told = json.dumps([line.to_json() for line in lines]) + caplog.text
    assert "secret words" not in told
    assert not any(token in told for token in house.tokens.values())
    assert prune_audit(house.url, 1) == 0
    assert prune_audit(house.url, 0) >= len(lines)


@pytest.mark.filterwarnings("ignore::ragraph.errors.RagraphNotice")
def test_the_log_says_what_a_resumed_job_changed(house: Any, tmp_path: Path) -> None:
    (tmp_path / "late.md").write_text("# Late\n\nA fee is paid.\n")
    with ragraph.open(house.url) as owner:
        (file,) = owner.ingest(tmp_path, collection="one", model=None, job=True).files
        job = owner.jobs()[0].id
        with owner.database.write() as connection:
            connection.execute("UPDATE ragraph.ingest_job SET status = 'ended' WHERE id = %s", [job])
            connection.execute("UPDATE ragraph.ingest_file SET status = 'pending' WHERE job_id = %s", [job])
        owner.delete(str(file.document_id))
    log = AuditLog(house.store, "require")
    with (
        served(house.store, access=access(), write=True, log=log) as address,
        client(address, house.tokens["admin"]) as asks,
    ):
        assert asks.post(f"/api/jobs/{job}/resume").status_code == 202
        end = time.monotonic() + 60
        while (told := asks.get(f"/api/jobs/{job}").json())["status"] == "running":
            assert time.monotonic() < end
            time.sleep(0.05)
    assert told["status"] == "completed", told
    said = [(line.action, line.status, line.documents) for line in audit_events(house.url, token="admin")]
    assert ("resume job", 200, [file.document_id]) in said
    with ragraph.open(house.url) as owner:  # other tests count what the house has
        owner.delete(str(file.document_id))


def test_queries_are_logged_if_they_are_wanted(house: Any) -> None:
    log = AuditLog(house.store, "require", queries=True)
    with served(house.store, access=access(), log=log) as address, client(address, house.tokens["other"]) as asks:
        asks.get("/api/search", params={"q": "of tolls"})
    (line,) = audit_events(house.url, token="other")
    assert line.query == "q=of+tolls"


@pytest.mark.parametrize(("mode", "status"), [("require", 503), ("warn", 200)])
def test_a_log_that_cannot_be_written(house: Any, mode: Any, status: int, caplog: pytest.LogCaptureFixture) -> None:
    log = AuditLog(house.store, mode)
    with connect(house.url) as connection:
        connection.execute("REVOKE INSERT ON ragraph.audit_event FROM ragraph_service")
    try:
        with (
            caplog.at_level(logging.WARNING),
            served(house.store, access=access(), write=True, log=log) as address,
            client(address, house.tokens["writer"]) as asks,
        ):
            read = asks.get("/api/documents")
            changed = asks.patch(f"/api/documents/{house.own}", json={"source": f"by {mode}"})
    finally:
        with connect(house.url) as connection:
            connection.execute("GRANT INSERT ON ragraph.audit_event TO ragraph_service")
    assert (read.status_code, changed.status_code) == (status, status)
    assert ("Ownword" in read.text) == (mode == "warn")
    assert (house.owner.document(house.own).source == f"by {mode}") == (mode == "warn")
    assert "audit log cannot be written" in caplog.text


def test_a_certificate_encrypts(house: Any, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    chain, key = str(tmp_path / "chain.pem"), str(tmp_path / "key.pem")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain]
    subprocess.run(made, check=True, capture_output=True, timeout=60)
    listener = listen("127.0.0.1", 0, store_tokens=True, tls=(chain, key))
    assert listener.address.startswith("https://")
    app = create_app(house.store, access=listener.access)
    with running(app, listener), httpx.Client(verify=ssl.create_default_context(cafile=chain), timeout=60) as asks:
        entered = asks.post(f"{listener.address}login", data={"token": house.tokens["reader"]})
        assert entered.status_code == 303
        assert "secure" in entered.headers["set-cookie"].lower()
        assert asks.get(f"{listener.address}api/documents").status_code == 200
    for wrong in ((chain, chain), (key, key), (str(tmp_path / "none"), key)):
        with pytest.raises(ArgumentError, match="cannot use the certificate"):
            listen("127.0.0.1", 0, tls=wrong)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"host": "0.0.0.0"}, "needs a token"),
        ({"token": "a", "store_tokens": True}, "not both"),
        ({"proxy": Proxy(frozenset({"127.0.0.1"}), "x" * 16)}, "tokens of the store"),
    ],
)
def test_an_address_is_not_opened_without_what_it_needs(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        listen(options.pop("host", "127.0.0.1"), 0, **options)


def with_mcp(address: str, token: str, function: Any) -> Any:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(address, http_client=http)) as found,
        ):
            return await function(found)

    return anyio.run(run)


def test_every_tool_answers_as_if_there_were_no_others(house: Any) -> None:
    foreign = house.foreign
    asked: dict[str, dict[str, Any]] = {
        "list_documents": {},
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

    async def look(found: Any) -> set[str]:
        offered = {tool.name for tool in (await found.list_tools()).tools}
        for name in offered:
            told = []
            for document in (foreign["document"], NOBODY):
                values = asked[name] if name == "list_documents" else {**asked[name], "document": document}
                result = await found.call_tool(name, values)
                told.append(result.content[0].text.replace(document, "DOCUMENT"))
            assert told[0] == told[1], name
            assert "Quixotria" not in told[0], name
        listed = await found.list_resources()
        assert [item.name for item in listed.resources] == [house.own]
        with pytest.raises(Exception, match="no document"):
            await found.read_resource(f"ragraph://{foreign['document']}")
        for hidden in {*asked, "ingest"} - offered:
            with pytest.raises(Exception, match="no tool"):
                await found.call_tool(hidden, {})
        return offered

    with mcp_served(house.store, access=access(), write=True) as address:
        assert with_mcp(address, house.tokens["reader"], look) == asked.keys() - {"update", "delete"}
        assert with_mcp(address, house.tokens["writer"], look) == asked.keys()

        async def names(found: Any) -> set[str]:
            return {tool.name for tool in (await found.list_tools()).tools}

        assert with_mcp(address, house.tokens["admin"], names) == {*asked, "ingest"}
        assert httpx.post(address, json={}, headers={"Authorization": "Bearer no"}, timeout=60).status_code == 401


def test_a_session_serves_only_the_token_that_began_it(house: Any) -> None:
    kind = {"Accept": "application/json, text/event-stream"}
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        },
    }
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_documents", "arguments": {}}}
    with mcp_served(house.store, access=access()) as address:
        mine = kind | {"Authorization": f"Bearer {house.tokens['other']}"}
        begun = httpx.post(address, json=begin, headers=mine, timeout=60)
        session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        httpx.post(address, json=ready, headers=mine | session, timeout=60)
        assert "Quixotria" in httpx.post(address, json=call, headers=mine | session, timeout=60).text
        theirs = kind | {"Authorization": f"Bearer {house.tokens['reader']}"}
        answer = httpx.post(address, json=call, headers=theirs | session, timeout=60)
        assert "Quixotria" not in answer.text
        assert answer.status_code >= 400


def test_tools_have_lines_in_the_log(house: Any) -> None:
    log = AuditLog(house.store, "require")

    async def ask(found: Any) -> None:
        await found.call_tool("search", {"query": "toll"})
        await found.call_tool("outline", {"document": "dl_nobody"})

    with mcp_served(house.store, access=access(), log=log) as address:
        with_mcp(address, house.tokens["admin"], ask)
    said = [(line.action, line.status, line.document_count) for line in audit_events(house.url, token="admin")]
    assert ("tool search", 200, 2) in said
    assert ("tool outline", 422, 1) in said
