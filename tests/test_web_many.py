"""The pages in a real browser with much to show: more hits, long words, paper, spreadsheets, other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from test_web_pages import browser, make_context, page
from web_tools import served

import ragraph
from ragraph.faces.web.pages import _inert
from ragraph.faces.web.wording import kind_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, Page

    from ragraph import Store

__all__ = ["browser", "make_context", "page"]

MANY = "dl_many"
HITS = 47
TEXT = "# Of tolls\n\n" + "\n\n".join(f"Toll number {number} is taken." for number in range(1, HITS + 1))
TABLE = "| name | value |\n|---|---|\n| =HYPERLINK(1) | -5 |\n| @sum | +1,200.5 % |\n| -cmd | – |\n"


@pytest.fixture(scope="module")
def store(make_shared_database: Callable[[], str]) -> Iterator[Store]:
    with ragraph.open(make_shared_database()) as opened:
        assert opened.ingest(TEXT.encode(), name="many.md", document_id=MANY, model=None).ok
        assert opened.ingest(TABLE.encode(), name="table.md", document_id="dl_table", model=None).ok
        assert opened.ingest(
            b"From: a@b.example\nSubject: Post\nMIME-Version: 1.0\nContent-Type: text/plain\n\nWords.\n",
            name="post.eml",
            document_id="dl_post",
            model=None,
        ).ok
        yield opened


@pytest.fixture(scope="module")
def site(store: Store) -> Iterator[str]:
    with served(store, write=True) as url:
        yield url


def test_more_hits_follow(page: Page, site: str, store: Store) -> None:
    names = [hit.node_id for hit in store.search("toll taken", HITS, mode="text")]
    page.goto(f"{site}/search?q=toll+taken&mode=text")
    for shown in (20, 40):
        assert page.locator(".hits > li").count() == shown
        assert page.locator(".count").inner_text().startswith(f"The best {shown} passages")
        page.get_by_role("link", name="More passages").click()
        assert page.evaluate("location.hash") == f"#hit-{shown + 1}"
    assert page.locator(".hits > li").count() == HITS
    assert page.locator(".count").inner_text().startswith(f"{HITS} passages")
    assert page.locator(".more").count() == 0
    page.locator("#hit-33 > a").click()
    assert f"node={names[32]}" in page.url
    page.get_by_text(f"Hit 33 of {HITS}").wait_for()
    page.goto(f"{site}/documents/{MANY}?q=toll+taken&mode=text")
    page.get_by_role("link", name="More hits").click()
    assert page.locator("#hits li").count() == 40
    assert httpx.get(f"{site}/search?q=toll&mode=text&k=99999999").status_code == 200


def test_a_word_without_end_is_wrapped(make_context: Callable[..., BrowserContext], site: str) -> None:
    page = make_context(viewport={"width": 360, "height": 700}).new_page()
    page.goto(f"{site}/search?mode=text&q={'x' * 1500}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("path", [f"/documents/{MANY}", "/search?mode=text&q=toll"])
def test_paper_has_what_is_read_alone(page: Page, site: str, path: str) -> None:
    page.goto(site + path)
    page.emulate_media(media="print")
    assert page.get_by_text("Toll number 1 ").first.is_visible()
    for words in ("Edit", "Delete", "Filter", "More passages"):
        assert not any(one.is_visible() for one in page.get_by_text(words, exact=True).all()), words


def test_kinds_of_files_have_plain_names(page: Page, site: str) -> None:
    page.goto(site + "/")
    assert "Mail" in page.locator("li", has_text="Post").locator(".meta").inner_text()
    assert [kind_named(kind) for kind in ("application/x-latex", "application/json", "text/calendar", None)] == [
        *("TeX", "JSON", "Calendar", "Record")
    ]


def test_a_spreadsheet_gets_no_formulas(site: str, store: Store) -> None:
    (table,) = store.tables("dl_table")
    lines = httpx.get(f"{site}/documents/dl_table/tables/{table.node.id}.csv").text.splitlines()
    assert lines == ["name,value", "'=HYPERLINK(1),-5", '\'@sum,"+1,200.5 %"', "'-cmd,–"]
    assert table.to_csv().splitlines()[1] == "=HYPERLINK(1),-5"
    kept = ["-5", "+3.1e-4", "-1 000,5", "--", "a=b", ""]
    assert [_inert(cell) for cell in kept] == kept
    assert [_inert(cell)[0] for cell in ("-1+cmd", "+", "=1", "\t=1", "-2-3")] == ["'"] * 5


def test_what_has_a_slash_in_its_id_is_read_and_changed(page: Page, site: str, store: Store) -> None:
    name = "papers/2024/TCP?"
    text = b"# Protocols\n\nThe Transfer Protocol (TCP/IP) is old.\n\n| a | b |\n|---|---|\n| c | d |\n"
    assert store.ingest(text, name="slash.md", document_id=name, model=None).ok
    page.goto(site + "/")
    page.get_by_role("link", name="Protocols", exact=True).click()
    assert "is old" in page.locator(".prose").inner_text()
    for link in page.locator(".doing a").all():
        path = str(link.get_attribute("href"))
        assert httpx.get(site + path, timeout=60).status_code in (200, 404 if path.endswith("original") else 200), path
    api = f"{site}/api/documents/papers%2F2024%2ftcp%3F"
    assert httpx.get(api).status_code == 404  # ids have capitals
    api = api.replace("tcp", "TCP")
    assert httpx.get(api).json() == store.document(name).to_json()
    (table,) = store.tables(name)
    assert httpx.get(f"{api}/nodes/{table.node.id}").json()["id"] == table.node.id
    every = httpx.get(f"{api}/nodes").json()
    pieces, address = [], f"{api}/nodes?limit=1"
    while address:
        answer = httpx.get(address)
        pieces += answer.json()
        following = answer.links.get("next", {}).get("url")
        address = site + following if following else ""
    assert (pieces, len(every) > 2) == (every, True)
    for listed in ("nodes", "tables", "relations", "cited", "citing"):
        assert httpx.get(f"{api}/{listed}", params={"limit": 1, "offset": 1}).status_code == 200, listed
    missing = httpx.get(f"{api}/pages/1%2F12")
    assert (missing.status_code, "has no page '1/12'" in missing.json()["message"]) == (404, True)
    assert "'1/12'" in httpx.post(f"{api}/versions/1%2F12/restore").json()["message"]
    assert httpx.patch(api, json={"title": "Old"}).status_code == 200
    assert httpx.get(f"{site}/api/documents/papers/2024/TCP%3F").status_code == 404
    assert httpx.get(f"{site}/api%2Fdocuments").status_code == 404
    assert httpx.delete(api).json() == {"deleted": name}
