"""REST: the store's answers over HTTP, hostile input, and who may ask."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sample_library import BOOK, GUIDE
from web_tools import served

from ragraph.faces.web.guard import Access

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store

HOSTILE = ["\0", "a\0b", "", " ", "x" * 20_000, "\ud800".encode("utf-8", "surrogatepass"), str(2**70), "'; drop"]


PATHS = [
    *("/api/search?q={}", "/api/context?q={}", "/api/search?q=rent&document={}", "/api/search?q=rent&filter={}"),
    *("/api/documents/{}", "/api/documents/dl_book/pages/{}", "/api/documents/dl_book/nodes/{}/related"),
    *("/api/documents/dl_book/pages/{}/image", "/api/documents?limit={}", "/api/search?q=rent&after={}"),
    *("/documents/dl_book?page={}", "/documents/dl_book?node={}", "/documents/dl_book?part={}", "/?since={}"),
    *("/documents/dl_book?section={}", "/search?q={}", "/?title={}", "/documents/dl_book?q=a&within={}"),
]


@pytest.fixture(scope="module")
def client(library: Store) -> Iterator[httpx.Client]:
    with served(library) as url, httpx.Client(base_url=url, timeout=60) as opened:
        yield opened


def get(client: httpx.Client, path: str, **query: Any) -> Any:
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_documents_are_those_of_the_store(client: httpx.Client, library: Store) -> None:
    listed = get(client, "/api/documents")
    assert listed == [item.to_json() for item in library.documents()]
    assert get(client, "/api/documents", limit=1, offset=1) == listed[1:2]
    assert [item["id"] for item in get(client, "/api/documents", filter='{"title": {"$contains": "Field"}}')] == [GUIDE]
    assert get(client, f"/api/documents/{GUIDE}") == library.document(GUIDE).to_json()


def test_a_document_is_read_as_python_reads_it(client: httpx.Client, library: Store) -> None:
    toc = library.toc(BOOK)
    assert get(client, f"/api/documents/{BOOK}/outline") == [entry.to_json() for entry in toc]
    section = toc[-1].component_id
    text = get(client, f"/api/documents/{BOOK}/text", section=section, format="text")["text"]
    assert text == library.render(BOOK, section=section, format="text")
    nodes = library.nodes(BOOK, section)
    assert get(client, f"/api/documents/{BOOK}/nodes", section=section) == [node.to_json() for node in nodes]
    assert get(client, f"/api/documents/{BOOK}/nodes/{nodes[0].id}") == nodes[0].to_json()
    relations = get(client, f"/api/documents/{BOOK}/relations")
    assert relations == [relation.to_json() for relation in library.relations(BOOK)]
    source = relations[0]["source_node_id"]
    found = get(client, f"/api/documents/{BOOK}/nodes/{source}/related", direction="both")
    assert found == [item.to_json() for item in library.related(BOOK, source, direction="both")]


@pytest.mark.parametrize("mode", ["hybrid", "vector", "text"])
def test_a_search_gives_the_hits_of_the_store(client: httpx.Client, library: Store, mode: str) -> None:
    found = get(client, "/api/search", q="tenants of the landlord", k=5, mode=mode, document=BOOK)
    hits = library.search("tenants of the landlord", 5, mode=mode, document=BOOK)  # type: ignore[arg-type]
    assert [hit["node_id"] for hit in found] == [hit.node_id for hit in hits]
    section = library.toc(BOOK)[2].component_id
    within = get(client, "/api/search", q="tenants", k=50, mode="vector", document=BOOK, section=section)
    assert {hit["node_id"] for hit in within} <= {node.id for node in library.nodes(BOOK, section)}


def test_contexts_and_citations(client: httpx.Client, library: Store) -> None:
    context = get(client, "/api/context", q="who pays the rent", budget=200, document=BOOK)
    assert context["tokens"] <= 200
    assert context["text"] == str(library.context("who pays the rent", 200, document=BOOK))
    node = library.search("rent", 1, document=BOOK)[0].node_id
    cited = get(client, f"/api/documents/{BOOK}/nodes/{node}/citation", style="ieee")
    assert cited["citation"]["node_id"] == node
    assert cited["inline"].startswith("[1")
    assert "Smith" in client.get("/api/references", params={"format": "bibtex"}).text


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("path", PATHS)
def test_hostile_input_is_an_error_of_one_line(client: httpx.Client, path: str, value: str | bytes) -> None:
    from urllib.parse import quote

    answer = client.get(path.format(quote(value, safe="")))
    assert answer.status_code in (200, 303, 404, 405, 422), answer.text
    if path.startswith("/api/") and answer.status_code >= 400:
        body = answer.json()
        assert set(body) == {"type", "title", "status", "detail", "error", "message"}
        assert (body["status"], body["detail"]) == (answer.status_code, body["message"])
        assert answer.headers["content-type"] == "application/problem+json"
        assert "\n" not in body["message"]
        assert "Traceback" not in body["message"]


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/api/search?q=%00", "ArgumentError"),
        ("/api/search?q=", "ArgumentError"),
        ("/api/search?q=a&k=0", "ArgumentError"),
        (f"/api/search?q=a&k={2**70}", "ArgumentError"),
        ("/api/search?q=a&pages=9-1", "ArgumentError"),
        ("/api/search?q=a&mode=guess", "ArgumentError"),
        ("/api/documents?filter=nonsense", "ArgumentError"),
        (f"/api/documents/{BOOK}/nodes/x/citation", "NodeNotFoundError"),
        ("/api/documents/nope", "DocumentNotFoundError"),
        (f"/api/documents/{BOOK}/text?section=nope", "ComponentNotFoundError"),
        (f"/api/documents/{BOOK}/pages/1/image", "AssetError"),
        ("/api/nothing", "HttpError"),
    ],
)
def test_errors_have_the_names_of_python(client: httpx.Client, path: str, error: str) -> None:
    answer = client.get(path)
    assert answer.json()["error"] == error
    assert answer.status_code == (422 if error == "ArgumentError" else 404)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/api/search?q=rent&documnt=x", "there is no parameter 'documnt' here; did you mean 'document'? it takes q, "),
        ("/api/search?q=rent&types=TABLE", "there is no parameter 'types' here; did you mean 'type'? it takes q, "),
        ("/api/documents?colection=x", "did you mean 'collection'? it takes collection, filter, limit, offset"),
        ("/api/facets?zz=1", "there is no parameter 'zz' here; it takes no parameters"),
        ("/api/documents/nope", "; GET /api/documents lists the ids"),
        (f"/api/documents/{BOOK}/text?section=nope", "; GET /api/documents/DOC/outline lists the sections"),
        ("/api/search?q=rent&section=1", "a section needs its document; name it with document"),
        ("/api/context?q=rent&budget=-1", "budget "),
        (f"/api/documents/{BOOK}/nodes/x", "; GET /api/documents/DOC/nodes and /api/search return ids of nodes"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_rest(client: httpx.Client, path: str, said: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (404, 422)
    assert said in answer.json()["message"]


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nothing", "/api/documents/a/b/c", "/api//search"])
def test_nothing_under_api_is_a_page(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 404
    body = answer.json()
    assert (body["error"], body["message"]) == ("HttpError", "there is nothing at this address")


def test_pages_speak_of_what_they_show(client: httpx.Client) -> None:
    assert "the library lists the documents" in client.get("/documents/nope").text


def test_a_style_is_no_path_of_the_server(client: httpx.Client, library: Store, tmp_path: Path) -> None:
    (tmp_path / "own.csl").write_text("<style/>")
    node = library.nodes(BOOK)[0].id
    answer = client.get(f"/api/documents/{BOOK}/nodes/{node}/citation", params={"style": str(tmp_path / "own.csl")})
    assert answer.status_code == 422
    assert str(tmp_path) not in answer.text


def test_the_description_of_the_interface_has_every_path(client: httpx.Client) -> None:
    paths = get(client, "/api/openapi.json")["paths"]
    assert len(paths) >= 17
    assert all("422" in method["responses"] for methods in paths.values() for method in methods.values())
    assert not any("delete" in methods or "post" in methods for methods in paths.values())


def test_without_write_nothing_is_changed(client: httpx.Client, library: Store) -> None:
    assert client.delete(f"/api/documents/{GUIDE}").status_code == 405
    assert client.post("/api/documents", files={"file": ("a.txt", b"words")}).status_code == 405
    assert client.post(f"/documents/{GUIDE}/delete").status_code in (404, 405)
    assert len(library.documents()) == 2


def test_hosts_and_origins_of_others_are_refused(client: httpx.Client) -> None:
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.9", "[::1", "a]"):
        assert client.get("/api/documents", headers={"Host": host}).status_code == 421
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "http://[127"):
        assert client.get("/api/documents", headers={"Origin": origin}).status_code == 403
    assert client.get("/api/documents", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}).status_code == 200
    assert client.get("/", headers={"Host": "localhost"}).status_code == 200


def test_every_answer_says_what_it_may_load(client: httpx.Client) -> None:
    for path in ("/", "/documents/nope", "/api/documents", "/static/ragraph.css"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_a_token_is_asked_for_and_kept_as_a_hash(library: Store) -> None:
    access = Access(hosts=frozenset({"library.example"}), token="open sesame")
    assert "sesame" not in repr(vars(access))
    with served(library, access=access) as url, httpx.Client(base_url=url) as client:
        assert client.get("/api/documents").status_code == 401
        assert client.get("/", follow_redirects=False).headers["location"] == "/login"
        for wrong in ("Bearer no", "Bearer", "open sesame", "Basic open sesame"):
            assert client.get("/api/documents", headers={"Authorization": wrong}).status_code == 401
        right = {"Authorization": "Bearer open sesame"}
        assert client.get("/api/documents", headers=right).status_code == 200
        assert client.get("/api/documents", headers=right | {"Host": "library.example"}).status_code == 200
        assert client.get("/api/documents", headers=right | {"Host": "evil.example"}).status_code == 421
        assert client.post("/login", data={"token": "no"}).status_code == 401
        entered = client.post("/login", data={"token": "open sesame"})
        assert entered.status_code == 303
        assert "httponly" in entered.headers["set-cookie"].lower()
        assert "sesame" not in entered.headers["set-cookie"]
        assert client.get("/").status_code == 200


def test_an_upload_becomes_a_document_and_can_be_deleted(own_library: Store) -> None:
    with served(own_library, write=True) as url, httpx.Client(base_url=url, timeout=60) as client:
        text = b"# Of bridges\n\nA bridge that nobody crosses is a monument.\n"
        answer = client.post("/api/documents", files={"file": ("../../bridges.md", text)}, data={"tag": ["new"]})
        assert answer.status_code == 202, answer.text
        job = answer.json()
        assert job["name"] == "bridges.md"
        while job["status"] in ("waiting", "running"):
            time.sleep(0.05)
            job = get(client, f"/api/jobs/{job['id']}")
        assert job["status"] == "added", job
        (hit,) = get(client, "/api/search", q="a bridge nobody crosses", k=1)
        assert hit["document_id"] == job["document_id"]
        assert get(client, f"/api/documents/{job['document_id']}")["tags"] == ["new"]
        kept = client.get(f"/api/documents/{job['document_id']}/original")
        assert (kept.content, kept.headers["content-disposition"]) == (text, "attachment; filename*=UTF-8''bridges.md")
        assert client.delete(f"/api/documents/{job['document_id']}").json() == {"deleted": job["document_id"]}
        assert client.get(f"/api/documents/{job['document_id']}").status_code == 404
        failed = client.post("/api/documents", files={"file": ("x.pdf", b"%PDF-1.7 nothing")}).json()
        while failed["status"] in ("waiting", "running"):
            time.sleep(0.05)
            failed = get(client, f"/api/jobs/{failed['id']}")
        assert failed["status"] == "failed"
        assert failed["reason"]
        assert client.get("/api/jobs/none").status_code == 404
        assert client.delete("/api/documents/" + GUIDE, headers={"Origin": "http://evil.example"}).status_code == 403


def test_a_body_that_is_too_large_is_not_read(own_library: Store) -> None:
    """A request that declares 5 GiB is refused at once; one that declares nothing, when it has sent too much."""
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 64 << 20:
            sent += 1 << 16
            yield bytes(1 << 16)

    with served(own_library, write=True) as url:
        address = httpx.URL(url)
        head = "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"
        form = "multipart/form-data; boundary=x"
        with socket.create_connection((address.host, address.port or 80), timeout=30) as connection:
            connection.sendall(head.format("/api/documents", address.netloc.decode(), form, 5 << 30).encode())
            assert b" 413 " in connection.recv(100)
        with httpx.Client(base_url=url, timeout=60) as client:
            kind = {"Content-Type": "application/x-www-form-urlencoded"}
            try:
                answer = client.post("/login", content=endless(), headers=kind)
                assert answer.status_code == 413
            except httpx.WriteError:  # the server closed the connection while we were sending
                pass
            assert sent < 64 << 20
            assert client.get("/healthz").status_code == 200


def test_an_upload_is_read_in_the_character_set_that_is_named(own_library: Store) -> None:
    with served(own_library, write=True) as url, httpx.Client(base_url=url, timeout=60) as client:
        file = {"file": ("prud.txt", "Пруд. ".encode("koi8-r") * 3)}
        job = client.post("/api/documents", files=file, data={"charset": "koi8-r"}).json()
        while job["status"] in ("waiting", "running"):
            time.sleep(0.05)
            job = get(client, f"/api/jobs/{job['id']}")
        assert job["status"] == "added", job
        assert own_library.render(job["document_id"], format="text").strip() == "Пруд. Пруд. Пруд."
        wrong = client.post("/api/documents", files=file, data={"charset": "nonsense"})
        assert (wrong.status_code, wrong.json()["error"]) == (422, "ArgumentError")


def test_whoever_watches_the_service_needs_no_token(library: Store) -> None:
    with served(library, access=Access(hosts=frozenset(), token="secret")) as url:
        assert httpx.get(f"{url}/healthz").json() == {"status": "ok"}
        assert httpx.get(f"{url}/api/documents").status_code == 401
        assert httpx.get(f"{url}/healthz", headers={"Host": "elsewhere.example"}).status_code == 421


def test_what_no_document_has_is_told_beside_the_answer(client: httpx.Client) -> None:
    said = "no document has the collection 'défault'; did you mean 'default'? values are 'default'."
    for path in ("/api/documents", "/api/search?q=rent&mode=text", "/api/context?q=rent"):
        answer = client.get(path, params={**dict(httpx.URL(path).params), "collection": "défault"})
        assert json.loads(answer.headers["Ragraph-Notices"]) == [said]
    beyond = client.get("/api/documents", params={"offset": 1000, "collection": "default"})
    assert "Ragraph-Notices" not in beyond.headers
    for path in ("/", "/search?q=rent&mode=text"):
        page = client.get(path, params={**dict(httpx.URL(path).params), "collection": "défault"}).text
        assert "did you mean &#39;default&#39;?" in page
