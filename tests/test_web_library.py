"""The library, downloads, metadata and questions in a real browser, as a stranger uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from test_web_answers import claiming, model
from test_web_pages import browser, make_context, page
from web_tools import served

import ragraph
from ragraph.faces.web import answers, talks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from llm_stub import StubModel
    from playwright.sync_api import BrowserContext, Page

    from ragraph import Store

__all__ = ["browser", "make_context", "model", "page"]

NAME = "naïve ünïcode 文書.md"
TEXT = "# Of ferries\n\nThe ferry crosses when the bell is rung.\n\n| a | b |\n|---|---|\n| c | d |\n"


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with ragraph.open(database_url) as opened:
        yield opened


def test_downloads_have_the_name_of_the_file(page: Page, store: Store) -> None:
    (file,) = store.ingest(TEXT.encode(), name=NAME, model=None).files
    (table,) = store.tables(str(file.document_id))
    with served(store) as url:
        for place, link, name in (
            ("", "Original", NAME),
            ("", "Markdown", NAME),
            ("/exhibits", "CSV of table 1", "naïve ünïcode 文書-table-1.csv"),
        ):
            page.goto(f"{url}/documents/{file.document_id}{place}")
            with page.expect_download() as begun:
                page.get_by_role("link", name=link).click()
            assert begun.value.suggested_filename == name
        assert begun.value.path().read_text() == table.to_csv()


def test_a_tag_with_a_comma_is_kept(page: Page, store: Store) -> None:
    (file,) = store.ingest(TEXT.encode(), name=NAME, tags=["a, b"], model=None).files
    with served(store, write=True) as url:
        page.goto(f"{url}/documents/{file.document_id}/edit")
        field = page.get_by_label("Tags")
        field.fill(field.input_value() + "\nc")
        page.get_by_role("button", name="Save").click()
        page.wait_for_url(f"{url}/documents/{file.document_id}")
    assert sorted(store.document(str(file.document_id)).tags) == ["a, b", "c"]


def test_uploads_say_what_they_replace_and_keep_the_collection(page: Page, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "ferries.md"
    file.write_text(TEXT)
    store.ingest(b"# Other\n\nSome other words.\n", name="other.md", collection="laws", model=None)
    with served(store, write=True) as url:
        page.goto(url + "/")
        assert "the same name" in page.locator("#upload").inner_text()
        page.get_by_label("into collection").fill("rivers")
        page.locator("#file").set_input_files(file)
        page.get_by_role("button", name="Upload").click()
        page.locator("#jobs .done").wait_for()
        page.locator(".documents h2 a", has_text="Of ferries").wait_for()
        page.locator("#collection option", has_text="rivers").wait_for(state="attached")
        assert page.locator("#collections option[value=rivers]").count() == 1
        assert page.get_by_label("into collection").input_value() == "rivers"
        file.write_text(TEXT.replace("ferry", "boat"))
        page.locator("#file").set_input_files(file)
        page.get_by_role("button", name="Upload").click()
        page.get_by_text("changed: replaced the earlier file of this name").wait_for()
        page.get_by_label("Collection", exact=True).select_option("rivers")
        page.get_by_role("button", name="Filter").click()
        assert page.locator(".documents > li").count() == 1


def test_forgotten_questions_are_told(page: Page, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.ingest(TEXT.encode(), name=NAME)
    monkeypatch.setattr(talks, "MOST_TURNS", 2)
    monkeypatch.setattr(answers, "MOST_TURNS", 2)
    with served(store) as url:
        page.goto(url + "/answer")
        for asked in range(1, 4):
            page.get_by_label("question").fill(f"ferry bell {asked}")
            page.get_by_role("button", name="Ask").click()
            page.get_by_role("heading", name=f"ferry bell {asked}").wait_for()
            assert page.get_by_text("earlier ones are forgotten").count() == (asked >= 2)


def test_a_dropped_claim_is_told(make_context: Callable[..., BrowserContext], store: Store, model: StubModel) -> None:
    store.ingest(b"# Bridges\n\nAt night the keeper wrote the carts down in a book, and left.\n", name="b.md")

    def reply(request: dict[str, object]) -> dict[str, object]:
        told = claiming("The keeper.")(request)
        source = told["claims"][0]["quotes"][0]["source"]
        wrong = {"text": "The king.", "quotes": [{"source": source, "text": "the king wrote all the carts down"}]}
        return {**told, "claims": [*told["claims"], wrong]}

    model.replies += [reply] * 8
    with served(store) as url:
        page = make_context().new_page()
        page.goto(f"{url}/answer?q=who+writes+the+carts+down")
        page.get_by_text("What did not hold was left out").wait_for()
        assert page.locator(".claims > li").count() == 1
        page.wait_for_url("**talk=**")
        page.reload()
        assert "What did not hold was left out" in page.locator("main").inner_text()


def test_fields_say_where_and_kinds_are_words(page: Page, store: Store) -> None:
    (file,) = store.ingest(TEXT.encode(), name=NAME, model=None).files
    with served(store) as url:
        page.goto(f"{url}/documents/{file.document_id}")
        assert page.locator("#q").get_attribute("placeholder") == "Search"
        page.goto(url + "/search?q=ferry&mode=text")
        assert "Block quotation" in page.get_by_label("Kind").inner_text()
        page.get_by_label("Kind").select_option("Paragraph")
        page.get_by_role("button", name="Filter").click()
        assert "type=PARAGRAPH" in page.url
        assert page.locator(".hits > li").count() == 1
        told = httpx.get(f"{url}/side", params={"document": file.document_id})
        assert told.status_code == 422
        assert "there is no parameter" in told.text


def test_an_upload_without_scripts_ends_in_the_library(
    make_context: Callable[..., BrowserContext], store: Store, tmp_path: Path
) -> None:
    for name in ("ferries", "boats"):
        (tmp_path / f"{name}.md").write_text(TEXT.replace("ferr", name[:4]))
    (tmp_path / "nothing.zzz").write_bytes(b"\0\1")
    with served(store, write=True) as url:
        page = make_context(java_script_enabled=False).new_page()
        page.goto(url + "/")
        page.locator("#file").set_input_files(sorted(tmp_path.iterdir()))
        page.get_by_label("into collection").fill("rivers")
        page.get_by_role("button", name="Upload").click()
        assert page.url.startswith(f"{url}/?uploaded=")
        while page.locator("#jobs .done, #jobs .failed").count() < 3:
            page.reload()
        assert "nothing.zzz" in page.locator("#jobs .failed").inner_text()
        page.locator("#jobs a", has_text="ferries.md").click()
        assert "The ferry crosses" in page.locator(".prose").inner_text()
        assert {document.collection for document in store.documents()} == {"rivers"}
        both = [("file", ("skiffs.md", b"# Skiffs\n\nA skiff.\n")), ("file", ("..", b"# No name\n"))]
        answer = httpx.post(url + "/", files=both, data={"collection": "rivers"}, follow_redirects=True, timeout=60)
        assert answer.status_code == 200
        assert "skiffs.md" in answer.text
        assert "failed: the file has no name" in answer.text
        page.goto(url + "/")
        page.locator("#file").set_input_files(tmp_path / "boats.md")
        page.get_by_label("into collection").fill("bad name")
        page.get_by_role("button", name="Upload").click()
        assert "cannot be the name of a collection" in page.locator("main").inner_text()
