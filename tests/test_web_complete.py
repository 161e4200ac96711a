"""REST beyond reading documents: versions, entities, works, jobs and their events, changes, keys, pages, problems."""

from __future__ import annotations

import itertools
import json
import threading
import time
from email.message import EmailMessage
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer, SimpleHTTPRequestHandler
from typing import TYPE_CHECKING, Any, get_args

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_library import BOOK, GUIDE
from starlette.datastructures import Headers
from test_tools import name_a_board
from typer.main import get_command
from web_tools import served

from ragraph.base.defaults import Attachments
from ragraph.faces.cli import program
from ragraph.faces.web.repeats import _Body
from ragraph.pdf import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph import Store


@pytest.fixture(scope="module")
def client(library: Store) -> Iterator[httpx.Client]:
    with served(library) as url, httpx.Client(base_url=url, timeout=60) as opened:
        yield opened


@pytest.fixture
def writer(own_library: Store) -> Iterator[httpx.Client]:
    with served(own_library, write=True) as url, httpx.Client(base_url=url, timeout=60) as opened:
        yield opened


def plain(value: Any) -> Any:
    return json.loads(json.dumps([item.to_json() for item in value]))


def test_what_the_store_knows_is_answered(writer: httpx.Client, own_library: Store) -> None:
    client, library = writer, own_library
    name_a_board(library)
    entity = library.entities(limit=1)[0]
    expected = {
        f"/api/documents/{BOOK}/versions": library.history(BOOK),
        f"/api/documents/{BOOK}/changes?other={GUIDE}": library.compare(BOOK, GUIDE),
        f"/api/documents/{GUIDE}/cited": library.cited_by(GUIDE),
        f"/api/documents/{GUIDE}/citing": library.citing(GUIDE),
        f"/api/documents/{GUIDE}/co-cited": library.co_cited(GUIDE),
        f"/api/documents/{GUIDE}/coupled": library.coupled(GUIDE),
        "/api/entities?limit=5": library.entities(limit=5),
        f"/api/entities/{entity.identity}/mentions": library.mentions(entity.identity, limit=100),
        "/api/works": library.works(limit=50),
        "/api/models": library.models(),
        "/api/check": [],
        "/api/jobs": library.jobs(),
        "/api/search/sections?q=corn&mode=text": library.search_sections("corn", mode="text"),
    }
    for path, results in expected.items():
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        assert answer.json() == plain(results), path
    assert client.get(f"/api/entities/{entity.identity}").json() == entity.to_json()
    assert client.get("/api/bibliography?style=ieee").json() == library.bibliography(style="ieee")
    assert client.get("/api/stats").json()
    assert client.get("/api/status").json()["documents"]["completed"] == 3
    for path in ("/api/entities/xyzzy", "/api/works?name=xyzzy", "/api/jobs/none", "/api/jobs/none/events"):
        assert client.get(path).status_code == 404, path


def test_lists_lead_to_their_next_part(writer: httpx.Client, own_library: Store) -> None:
    client, library = writer, own_library
    name_a_board(library)
    for path, names in (
        ("/api/documents?limit=1", [item.id for item in library.documents()]),
        ("/api/entities?limit=3", [item.identity for item in library.entities()]),
        (f"/api/documents/{BOOK}/nodes?limit=4", [item.id for item in library.nodes(BOOK)]),
        (f"/api/documents/{BOOK}/relations?limit=1", [item.id for item in library.relations(BOOK)]),
    ):
        found: list[str] = []
        following: str | None = path
        while following is not None:
            answer = client.get(following)
            found += [item.get("identity") or item["id"] for item in answer.json()]
            following = answer.links.get("next", {}).get("url")
        assert found == names
        assert ("prev" in answer.links) == (len(names) > int(path.rpartition("=")[2]))
        beyond = client.get(path, params={"limit": 2, "offset": 10**6})
        assert beyond.json() == []
        last = client.get(beyond.links["prev"]["url"]).json()
        assert [item.get("identity") or item["id"] for item in last] == names[-2:], path
    assert "link" not in client.get("/api/documents").headers
    for path in ("nodes", "tables", "relations", "cited", "citing"):
        whole = client.get(f"/api/documents/{BOOK}/{path}")
        assert "link" not in whole.headers
        part = client.get(f"/api/documents/{BOOK}/{path}", params={"limit": 2, "offset": 1})
        assert part.json() == whole.json()[1:3], path
        assert client.get(f"/api/documents/{BOOK}/{path}", params={"limit": 0}).status_code == 422
        assert client.get(f"/api/documents/{BOOK}/{path}", params={"offset": 10**6}).json() == []


def test_a_wrong_body_is_told_in_plain_words(writer: httpx.Client) -> None:
    path = f"/api/documents/{BOOK}"
    told = writer.patch(path, content="{", headers={"content-type": "application/json"}).json()["message"]
    assert told.startswith("the body is not JSON (")
    undecoded = writer.patch(path, content=b"N\xcc\0\xd5", headers={"content-type": "application/json"})
    assert undecoded.status_code == 422
    assert undecoded.json()["message"] == "the body is not what its Content-Type says, application/json"
    assert "there is no field 'nonsense' here; /docs" in writer.patch(path, json={"nonsense": 1}).json()["message"]
    told = writer.patch(path, content='{"title": "New"}').json()["message"]
    assert told.startswith("the body is not read as JSON: send it with Content-Type: application/json")
    assert "q is missing; /docs" in writer.get("/api/search").json()["message"]
    assert "node is missing" in writer.get(f"/documents/{BOOK}/graph").text


def test_errors_are_problem_details(client: httpx.Client) -> None:
    answer = client.get("/api/documents/nope")
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert (body["type"], body["title"], body["status"]) == (
        "urn:ragraph:error:DocumentNotFoundError",
        "DocumentNotFoundError",
        404,
    )
    assert body["detail"] == body["message"]


def test_metadata_is_changed(writer: httpx.Client, own_library: Store) -> None:
    answer = writer.patch(f"/api/documents/{BOOK}", json={"title": "Of Wealth", "add_tags": ["old"], "authors": None})
    assert answer.status_code == 200, answer.text
    assert answer.json() == json.loads(json.dumps(own_library.document(BOOK).to_json()))
    details = own_library.document(BOOK)
    assert (details.document.title, details.document.authors, details.tags) == ("Of Wealth", None, ["old"])
    for wrong in ({}, {"nonsense": 1}, {"title": 5}, {"publication_date": "soon"}):
        assert writer.patch(f"/api/documents/{BOOK}", json=wrong).status_code == 422, wrong
    assert writer.patch("/api/documents/nope", json={"title": "x"}).status_code == 404


def test_a_write_with_a_key_is_done_once(writer: httpx.Client, own_library: Store) -> None:
    key = {"Idempotency-Key": "once"}
    first = writer.delete(f"/api/documents/{GUIDE}", headers=key)
    again = writer.delete(f"/api/documents/{GUIDE}", headers=key)
    assert first.json() == again.json() == {"deleted": GUIDE}
    assert ("idempotent-replayed" in first.headers, "idempotent-replayed" in again.headers) == (False, True)
    assert writer.delete(f"/api/documents/{GUIDE}").status_code == 404
    assert writer.delete(f"/api/documents/{BOOK}", headers=key).status_code == 422
    assert own_library.document(BOOK)
    assert writer.delete(f"/api/documents/{BOOK}", headers={"Idempotency-Key": "k" * 300}).status_code == 422


def test_a_key_with_another_body_is_refused(writer: httpx.Client) -> None:
    key = {"Idempotency-Key": "body"}
    path = f"/api/documents/{BOOK}"
    assert writer.patch(path, json={"title": "One"}, headers=key).status_code == 200
    assert writer.patch(path, json={"title": "Two"}, headers=key).status_code == 422
    again = writer.patch(path, json={"title": "One"}, headers=key)
    assert (again.status_code, again.headers["idempotent-replayed"]) == (200, "true")
    key = {"Idempotency-Key": "form"}  # each form has another boundary
    first = writer.post("/api/documents", files={"file": ("a.md", "# One\n\nText.\n")}, headers=key)
    again = writer.post("/api/documents", files={"file": ("a.md", "# One\n\nText.\n")}, headers=key)
    other = writer.post("/api/documents", files={"file": ("a.md", "# Two\n\nText.\n")}, headers=key)
    assert (first.status_code, again.json(), other.status_code) == (202, first.json(), 422)


@given(st.lists(st.binary(max_size=12)), st.lists(st.integers(0, 80)))
def test_the_digest_of_a_body_does_not_depend_on_its_pieces(parts: list[bytes], cuts: list[int]) -> None:
    headers = Headers({"content-type": "multipart/form-data; boundary=abab"})
    content = b"abab".join(parts)
    whole, pieces = _Body(headers), _Body(headers)
    whole.add({"type": "http.request", "body": content})
    places = [0, *sorted(cut for cut in cuts if cut < len(content)), len(content)]
    for begin, end in itertools.pairwise(places):
        pieces.add({"type": "http.request", "body": content[begin:end]})
    assert whole.digest() == pieces.digest()


def test_documents_are_deleted_by_filter(writer: httpx.Client, own_library: Store) -> None:
    assert writer.delete("/api/documents").status_code == 422
    assert writer.delete("/api/documents", params={"filter": "{}"}).status_code == 422
    assert writer.get("/api/documents", params={"limit": -1}).status_code == 422
    answer = writer.delete("/api/documents", params={"filter": json.dumps({"title": {"$contains": "Wealth"}})})
    assert answer.json() == {"deleted": [BOOK]}
    assert [item.id for item in own_library.documents()] == [GUIDE]


def test_a_job_is_watched_and_cancelled(writer: httpx.Client, own_library: Store, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.md").write_text(f"# Bridge {number}\n")
    own_library.ingest(tmp_path, model=None, job=True)
    (job,) = writer.get("/api/jobs").json()
    assert writer.get(f"/api/jobs/{job['id']}").json()["completed"] == 3
    assert len(writer.get(f"/api/jobs/{job['id']}/files").json()) == 3
    assert writer.post(f"/api/jobs/{job['id']}/cancel").json()["status"] == "completed"
    upload = writer.post("/api/documents", files={"file": ("a.md", b"# Of tolls\n\nA toll is taken.\n")}).json()
    with writer.stream("GET", f"/api/jobs/{upload['id']}/events") as stream:
        lines = [line for line in stream.iter_lines() if line]
    events = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert events[0] == "progress"
    assert events[-1] == "ended"
    assert json.loads(lines[-1].removeprefix("data: "))["status"] == "added"


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/secret")
            self.end_headers()
            return
        self.send_response(200 if self.path in ("/papers/toll.md", "/br%C3%BCcke.md?x=%C3%BC%20%C3%A9") else 404)
        self.end_headers()
        self.wfile.write(b"# Of tolls\n\nA toll is taken at the bridge.\n")

    def log_message(self, *_: Any) -> None:
        pass


def test_a_file_is_ingested_from_an_allowed_host_alone(own_library: Store) -> None:
    with HTTPServer(("127.0.0.1", 0), _Page) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{site.server_address[1]}"
        with served(own_library, write=True, ingest_from=[place]) as url, httpx.Client(base_url=url, timeout=60) as own:

            def ended(address: dict[str, str]) -> Any:
                job = own.post("/api/documents/from-url", json=address).json()
                while job["status"] in ("waiting", "running"):
                    time.sleep(0.05)
                    job = own.get(f"/api/jobs/{job['id']}").json()
                return job

            job = ended({"url": f"http://{place}/papers/toll.md", "collection": "web"})
            assert (job["status"], job["name"]) == ("added", "toll.md"), job
            assert own_library.document(job["document_id"]).document.collection == "web"
            job = ended({"url": f"http://{place}/brücke.md?x=ü %C3%A9"})
            assert (job["status"], job["name"]) == ("added", "brücke.md"), job
            for wrong, said in (
                (f"http://{place}/none", "answers 404"),
                (f"http://{place}/away", "may not fetch from '169.254.169.254'"),
            ):
                job = ended({"url": wrong})
                assert job["status"] == "failed", job
                assert said in job["reason"], job
            for wrong, said in (
                ("http://127.0.0.1:1/x", "may not fetch from '127.0.0.1'"),
                ("file:///etc/passwd", "write it as https://host/path"),
                (f"http://user@{place}/x", "write it as https://host/path"),
                ("http://[", "write it as https://host/path"),
                ("http://bücher.example/x", "may not fetch from 'xn--bcher-kva.example'"),
            ):
                answer = own.post("/api/documents/from-url", json={"url": wrong})
                assert answer.status_code == 422, wrong
                assert said in answer.json()["message"], answer.text
        site.shutdown()


def test_the_page_that_describes_rest_loads_nothing(client: httpx.Client) -> None:
    answer = client.get("/docs")
    assert answer.status_code == 200
    for path in client.get("/api/openapi.json").json()["paths"]:
        assert path in answer.text
    assert "http" not in answer.text.replace("http-equiv", "").split("<main")[1]


def test_passages_are_reviewed_and_the_log_is_read(writer: httpx.Client, own_library: Store) -> None:
    node = own_library.nodes(GUIDE)[1]
    place = f"/api/documents/{GUIDE}/nodes/{node.id}/reviews"
    said = {"verdict": "right", "by": "Ada", "question": "what is it"}
    made = writer.post(place, json=said)
    assert made.status_code == 201
    assert writer.post(place, json={"verdict": "wrong", "note": "no", "by": "Grace"}).status_code == 201
    assert writer.post(place, json={"verdict": "good"}).status_code == 422
    assert writer.post(place, json={"verdict": "note"}).json()["error"] == "ArgumentError"
    assert writer.post(place.replace(node.id, "cn_none"), json=said).status_code == 404
    first = writer.get("/api/reviews", params={"document": GUIDE, "limit": 1})
    assert len(first.json()) == 1
    assert 'rel="next"' in first.headers["Link"]
    assert writer.get("/api/reviews", params={"document": GUIDE}).json() == plain(own_library.reviews(GUIDE))
    (question,) = writer.get("/api/reviews/questions").json()
    assert (question["question"], question["document"]) == ("what is it", GUIDE)
    withdrawn = f"/api/documents/{GUIDE}/reviews/{made.json()['review_id']}"
    assert [writer.delete(withdrawn).json()["withdrawn"] for _ in range(2)] == [True, False]
    assert writer.get("/api/queries").json() == []
    own_library.log_queries(days=1)
    assert writer.get("/api/search", params={"q": "access", "mode": "text"}).status_code == 200
    assert [query["question"] for query in writer.get("/api/queries").json()] == ["access"]
    assert writer.get("/api/queries", params={"judged": "true"}).json() == []
    own_library.log_queries(days=0)


def test_the_log_is_not_shown_by_a_service_that_only_reads(client: httpx.Client) -> None:
    assert client.get("/api/queries").status_code == 404
    assert client.get("/api/reviews").json() == []


def test_an_upload_has_files_and_can_be_cancelled(writer: httpx.Client, own_library: Store) -> None:
    def uploaded(text: str) -> Any:
        return writer.post("/api/documents", files={"file": ("note on tolls.md", text)}, data={"collection": "notes"})

    def ended(job: str) -> Any:
        with writer.stream("GET", f"/api/jobs/{job}/events") as events:
            *_, last = [line for line in events.iter_lines() if line.startswith("data: ")]
        return json.loads(last.removeprefix("data: "))

    first = ended(uploaded("# Tolls\n\nAt noon.\n").json()["id"])
    assert first["status"] == "added"
    (file,) = writer.get(f"/api/jobs/{first['id']}/files").json()
    assert (file["name"], file["status"], file["document_id"]) == ("note on tolls.md", "added", first["document_id"])
    document = own_library.document(first["document_id"]).document
    assert document.source_uri == "upload:///note%20on%20tolls.md"
    again = ended(uploaded("# Tolls\n\nAt dusk.\n").json()["id"])
    assert (again["status"], again["document_id"]) == ("changed", first["document_id"])
    assert writer.post(f"/api/jobs/{first['id']}/cancel").json()["status"] == "added"  # it has ended, as batch jobs
    assert writer.post("/api/jobs/none/cancel").status_code == 404
    assert writer.get("/api/jobs/none/files").status_code == 404


def test_a_method_that_is_not_there_is_told_with_those_that_are(writer: httpx.Client, client: httpx.Client) -> None:
    answer = writer.put(f"/api/documents/{GUIDE}", json={})
    assert (answer.status_code, answer.headers["Allow"]) == (405, "DELETE, GET, PATCH")
    assert answer.json()["detail"] == "this address has DELETE and GET and PATCH, not PUT"
    told = client.put(f"/api/documents/{GUIDE}", json={}).json()["detail"]
    assert told == "this address has GET, not PUT; start the service with --write for those that change documents"


def test_what_only_a_writing_service_has_is_told(writer: httpx.Client, client: httpx.Client) -> None:
    assert writer.get("/api/queries").status_code == 200
    answer = client.get("/api/queries")
    said = "there is nothing at this address; only a service that was started with --write has it"
    assert (answer.status_code, answer.json()["detail"]) == (404, said)
    assert client.get("/api/nothing").json()["detail"] == "there is nothing at this address"


def test_a_page_that_is_not_there_is_told_with_those_that_are(client: httpx.Client) -> None:
    document = f"/api/documents/{GUIDE}"
    for path in ("pages/3", "nodes?page=3", "nodes?page=3-5", "nodes?page=0", "tables?page=3-5"):
        answer = client.get(f"{document}/{path}")
        assert (answer.status_code, answer.json()["error"]) == (404, "PageNotFoundError"), path
        assert "its format has no pages; read it by section" in answer.json()["detail"]
    answer = client.get(f"{document}/tables?page=5-3")
    assert (answer.status_code, answer.json()["error"]) == (422, "ArgumentError")


def test_a_version_that_is_not_there_is_not_found(writer: httpx.Client) -> None:
    answer = writer.post(f"/api/documents/{BOOK}/versions/99/restore")
    assert (answer.status_code, answer.json()["error"]) == (404, "VersionNotFoundError")
    assert writer.post(f"/api/documents/{BOOK}/versions/soon/restore").status_code == 422


def test_a_form_has_only_what_is_known_and_one_file(writer: httpx.Client) -> None:
    file = ("file", ("a.md", b"# Of tolls\n\nA toll is taken.\n"))
    for files, fields, said in (
        ([file, file], {}, "file is given twice; give it once"),
        ([file], {"colection": "x"}, "'colection' here; did you mean 'collection'? it takes collection, id, "),
        ([file, ("attachment", file[1])], {}, "there is no parameter 'attachment' here"),
        ([file], {"collection": ["x", "y"]}, "collection is given twice; give it once"),
    ):
        answer = writer.post("/api/documents", files=files, data=fields)
        assert (answer.status_code, answer.json()["error"]) == (422, "ArgumentError"), said
        assert said in answer.json()["message"]
    assert writer.get("/api/jobs").json() == []
    assert writer.post("/api/documents", files=[file], data={"tag": ["x", "y"]}).status_code == 202


def ended(client: httpx.Client, sent: httpx.Response) -> Any:
    """Return an upload once it has ended."""
    assert sent.status_code == 202, sent.text
    job = sent.json()
    while job["status"] in ("waiting", "running"):
        time.sleep(0.05)
        job = client.get(f"/api/jobs/{job['id']}").json()
    return job


def test_an_upload_takes_the_options_of_ingest(own_library: Store, tmp_path: Path) -> None:
    notes = b'{"name": "Of tolls", "body": "A toll is taken.", "secret": "Nobody pays."}\n'
    mapping = json.dumps({"records": {"title": "name", "text": ["body"], "drop": ["secret"]}})
    letter = EmailMessage()
    letter["Subject"] = "Toll"
    letter.set_content("The toll is attached.")
    letter.add_attachment("One coin.", filename="toll.txt")
    (tmp_path / "notes.jsonl").write_bytes(notes)
    (tmp_path / "letter.eml").write_bytes(bytes(letter))
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with (
        HTTPServer(("127.0.0.1", 0), handler) as files,
        served(own_library, write=True, ingest_from=["127.0.0.1"]) as url,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        threading.Thread(target=files.serve_forever, daemon=True).start()

        def by_form(name: str, **options: Any) -> httpx.Response:
            file = {"file": (name, (tmp_path / name).read_bytes())}
            return client.post("/api/documents", files=file, data=options)

        def by_address(name: str, **options: Any) -> httpx.Response:
            address = f"http://127.0.0.1:{files.server_port}/{name}"
            return client.post("/api/documents/from-url", json={"url": address, **options})

        for way, send in (("form", by_form), ("address", by_address)):
            own: dict[str, Any] = {"mapping": mapping, "id": f"dl_{way}", "collection": way}
            job = ended(client, send("notes.jsonl", **own, keep_versions="all"))
            assert (job["status"], job["document_id"]) == ("added", f"dl_{way}"), job["reason"]
            text = own_library.render(f"dl_{way}", format="text")
            assert "A toll is taken." in text
            assert "Nobody pays" not in text
            (tmp_path / "notes.jsonl").write_bytes(notes.replace(b"A toll", b"No toll"))
            assert ended(client, send("notes.jsonl", **own))["status"] == "changed"
            (tmp_path / "notes.jsonl").write_bytes(notes)
            assert len(own_library.history(f"dl_{way}")) == 2
            ended(client, send("letter.eml", collection=f"{way}-mail", attachments="none"))
            (mail,) = own_library.documents(collection=f"{way}-mail")
            assert "One coin" not in own_library.render(mail.id)
            for wrong, said in (
                ({"strict": "2"}, "strict must be a share from 0 to 1"),
                ({"attachments": "some"}, "attachments"),
                ({"mapping": "{"}, "mapping"),
                ({"id": " a"}, "' a'"),
                ({"keep_versions": "-1"}, "keep_versions"),
                ({"ocr_model": "/etc/passwd"}, "ocr_model"),
            ):
                refused = send("notes.jsonl", **wrong)
                assert refused.status_code == 422, (wrong, refused.text)
                assert said in refused.json()["message"], (wrong, refused.text)
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "index.md").write_text(f"# Page {folder}\n\nText {folder}.\n")
            assert ended(client, by_address(f"{folder}/index.md", collection="pages"))["status"] == "added"
        (tmp_path / "one" / "index.md").write_text("# Page one\n\nOther text.\n")
        assert ended(client, by_address("one/index.md", collection="pages"))["status"] == "changed"
        pages = {f"http://127.0.0.1:{files.server_port}/{folder}/index.md" for folder in ("one", "two")}
        assert {one.source_uri for one in own_library.documents(collection="pages")} == pages
        versions = client.get("/api/documents/dl_form/changes", params={"other": "dl_address", "since": "1"})
        assert versions.status_code == 422, "two documents are compared as they are now"
        absent = ended(client, by_address("absent.md", collection="absent", keep_versions="all"))
        assert absent["status"] == "failed"
        assert _keeping(own_library) == {"form", "address"}, "a file that did not arrive changes no setting"
        files.shutdown()


def _keeping(store: Store) -> set[str]:
    """Return the collections that keep earlier versions."""
    with store.database.read() as connection:
        return {row[0] for row in connection.execute("SELECT collection FROM ragraph.version_keeping")}


NOT_UPLOADED = {
    *("model", "backend", "base_url", "max_tokens", "no_embed", "workers", "ray", "strategy", "target", "minimum"),
    *("maximum", "overlap", "timeout", "memory", "max_size", "no_keep", "ocr_model"),  # the service decides
    *("paths", "images", "list_left_out", "manifest", "retry_failed", "watch"),  # of several files
    *("detach", "progress", "log", "json"),  # of a terminal
}


def test_the_description_has_the_options_of_ingest(client: httpx.Client, own_library: Store) -> None:
    """An upload has the options of the command line by their names, unless they are not for a client."""
    commands: Any = get_command(program.app)
    taken = {item.name for item in commands.commands["ingest"].params} - {"help"}
    with served(own_library, write=True) as url:
        schemas = httpx.get(f"{url}/api/openapi.json").json()["components"]["schemas"]
    wanted = {"ocr" if name == "no_ocr" else name for name in taken - NOT_UPLOADED}
    assert schemas["Sent"]["properties"].keys() - {"file"} == wanted
    assert schemas["Address"]["properties"].keys() - {"url", "tags"} == wanted - {"tag"}
    for name, values in (("attachments", Attachments), ("layout", Layout)):
        assert schemas["Sent"]["properties"][name]["enum"] == list(get_args(values))


def test_what_can_be_got_has_its_headers_alone_too(client: httpx.Client) -> None:
    for path in ("/", "/healthz", f"/api/documents/{GUIDE}", f"/documents/{GUIDE}"):
        whole, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (200, b""), path
        assert head.headers["content-type"] == whole.headers["content-type"]
    assert client.head("/api/documents/nope").status_code == 404


def test_a_name_that_no_collection_can_have_is_refused_at_once(own_library: Store) -> None:
    file = {"file": ("a.md", b"# Of tolls\n\nA toll is taken.\n")}
    with served(own_library, write=True, ingest_from=["127.0.0.1"]) as url, httpx.Client(base_url=url) as client:
        address = {"url": "http://127.0.0.1/x", "collection": "bad name"}
        for answer in (
            client.post("/api/documents", files=file, data={"collection": "bad name"}),
            client.post("/api/documents/from-url", json=address),
        ):
            assert answer.status_code == 422, answer.text
            assert "'bad name' cannot be the name of a collection" in answer.json()["message"]
        assert client.get("/api/jobs").json() == []
