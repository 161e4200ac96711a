"""Answers over REST, streamed, and on the page: quotes lead to their boxes. The test plays the language model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from llm_stub import Calls, stub_model
from sample_library import BOOK
from sheets import SHEETS
from test_web_pages import browser, make_context, on_screen
from web_tools import served

try:
    from playwright.sync_api import expect
except ModuleNotFoundError:  # the fixture says so
    expect: Any = None  # type: ignore[no-redef]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from llm_stub import StubModel
    from playwright.sync_api import BrowserContext

    from ragraph import Store

__all__ = ["browser", "make_context"]

QUESTION = "Who writes down the carts that cross the bridge?"
WORDS = "the keeper wrote the carts down in a book"
SLOW = 60_000
"""Milliseconds that an answer may take: what asks the model is loaded first."""
PAYLOAD = "<script>window.hacked = 1</script><img src=x onerror=window.hacked=1>"


def claiming(text: str) -> Any:
    """Return a reply that claims a text with words of the source that has them."""

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        told = "\n".join(str(message["content"]) for message in request["messages"])
        sources = re.split(r"^\[(\d+) [0-9a-f]{8}\] ", told.partition("\n\n[question ")[0], flags=re.MULTILINE)
        number = next(int(n) for n, words in zip(sources[1::2], sources[2::2], strict=True) if WORDS in words)
        quotes = [{"source": number, "text": WORDS}]
        return {"claims": [{"text": text, "quotes": quotes}], "sufficient": True}

    return reply


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubModel]:
    """A language model that the service is started with; it says what is put into its replies."""
    for name in ("RAGRAPH_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with stub_model() as stub:
        monkeypatch.setenv("RAGRAPH_LLM_URL", stub.url)
        monkeypatch.setenv("RAGRAPH_LLM_MODEL", "stub")
        yield stub


def events(answer: httpx.Response) -> list[tuple[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = [re.fullmatch(r"event: (\w+)\ndata: (.*)", part) for part in answer.text.strip().split("\n\n")]
    return [(event[1], json.loads(event[2])) for event in found if event]


def test_an_answer_is_streamed_with_links_to_its_quotes(paged_library: Store, model: StubModel) -> None:
    model.replies = [claiming("The keeper does.")]
    with served(paged_library) as site:
        told = events(httpx.get(f"{site}/api/answer", params={"q": QUESTION, "document": SHEETS}, timeout=60))
        assert [data["step"] for name, data in told if name == "step"] == ["search", "expand", "model", "check"]
        assert [name for name, _ in told if name != "step"] == ["claim", "answer"]
        (claim,) = [data for name, data in told if name == "claim"]
        (quote,) = claim["quotes"]
        assert quote["text"] == WORDS
        assert quote["citation"]["pages"] == [2]
        assert told[-1][1]["claims"] == [claim]
        assert told[-1][1]["answer"] == "The keeper does. [1]"
        page = httpx.get(site + quote["url"].partition("#")[0], timeout=60)
        assert quote["node_id"] in page.text


def test_a_model_may_navigate_over_rest(paged_library: Store, model: StubModel) -> None:
    model.replies = [
        Calls([("read_page", {"document": SHEETS, "page": 2})]),
        {"claims": [], "sufficient": False, "missing": "the year"},
    ]
    with served(paged_library) as site:
        query: dict[str, Any] = {"q": QUESTION, "document": SHEETS, "navigate": True, "steps": 2}
        told = events(httpx.get(f"{site}/api/answer", params=query, timeout=60))
    assert [data["step"] for name, data in told if name == "step"] == ["model", "look", "check"]
    assert told[-1][1]["missing"] == "the year"
    assert [step["tool"] for step in told[-1][1]["path"]] == ["read_page"]


def test_what_is_refused_is_refused_before_the_stream(paged_library: Store, model: StubModel) -> None:
    with served(paged_library) as site:
        for query, status, error in (
            ({"q": ""}, 422, "ArgumentError"),
            ({"q": "a\0"}, 422, "ArgumentError"),
            ({"q": "a", "document": "nope"}, 404, "DocumentNotFoundError"),
            ({"q": "a", "budget": 0}, 422, "ArgumentError"),
            ({"q": "a", "budget": 2**70}, 422, "ArgumentError"),
            ({"q": "a", "navigate": True, "pages": "1-2"}, 422, "ArgumentError"),
            ({"q": "a", "navigate": True, "steps": 0}, 422, "ArgumentError"),
        ):
            answer = httpx.get(f"{site}/api/answer", params=query, timeout=60)  # type: ignore[arg-type]
            assert (answer.status_code, answer.json()["error"]) == (status, error), query
        assert model.requests == []
        told = events(httpx.get(f"{site}/api/answer", params={"q": QUESTION, "document": SHEETS}, timeout=60))
        page = httpx.get(f"{site}/answer", params={"q": QUESTION, "document": SHEETS, "now": "1"}, timeout=60)
    assert page.status_code == 503
    assert "the language model returned no usable answer" in page.text
    assert told[-1][0] == "failed"  # the stub has nothing to say
    assert told[-1][1]["error"] == "AnswerError"
    assert "\n" not in told[-1][1]["message"]


def test_a_link_of_another_site_asks_no_model(paged_library: Store, model: StubModel) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    with served(paged_library) as site:
        for query in ({"q": "who?"}, {"q": "who?", "now": "1"}):
            answer = httpx.get(f"{site}/answer", params=query, headers=link, timeout=60)
            assert (answer.status_code, answer.headers["location"]) == (303, "/search?q=who%3F")
        assert httpx.get(f"{site}/api/answer", params={"q": "who?"}, headers=link, timeout=60).status_code == 403
    assert model.requests == []


def test_without_a_language_model_it_says_so(paged_library: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGRAPH_LLM_MODEL", "RAGRAPH_LLM_URL", "RAGRAPH_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with served(paged_library) as site:
        answer = httpx.get(f"{site}/api/answer", params={"q": QUESTION}, timeout=60)
        assert (answer.status_code, answer.json()["error"]) == (503, "AnswerError")
        assert "RAGRAPH_LLM_MODEL" in answer.json()["message"]
        assert "formaction" not in httpx.get(site, timeout=60).text


def test_the_quotes_of_an_answer_lead_to_their_boxes(
    make_context: Callable[..., BrowserContext], paged_library: Store, model: StubModel
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    model.replies = [claiming(f"The keeper does. {PAYLOAD}")]
    with served(paged_library) as site:
        page = make_context().new_page()
        page.goto(f"{site}/documents/{SHEETS}")
        page.get_by_label("Search", exact=True).fill(QUESTION)
        page.get_by_role("button", name="Answer").click()
        expect(page.locator("#answer-status")).to_have_text("Every quote was checked.", timeout=SLOW)
        expect(page.locator(".claims > li > p")).to_have_text(f"The keeper does. {PAYLOAD}", timeout=SLOW)
        assert page.evaluate("window.hacked") is None
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.locator(".quotes a").click()
        expect(page.locator(".box.selected")).to_be_focused()
        assert page.get_by_role("heading", name=re.compile("^Page 2")).is_visible()
        assert on_screen(page, ".box.selected rect")
        assert BOOK not in page.url


def test_an_answer_is_read_without_scripts(
    make_context: Callable[..., BrowserContext], paged_library: Store, model: StubModel
) -> None:
    model.replies = [claiming(f"The keeper does. {PAYLOAD}")]
    with served(paged_library) as site:
        page = make_context(java_script_enabled=False).new_page()
        page.goto(f"{site}/documents/{SHEETS}")
        page.get_by_label("Search", exact=True).fill(QUESTION)
        page.get_by_role("button", name="Answer").click()
        expect(page.locator(".claims > li > p")).to_have_text(f"The keeper does. {PAYLOAD}", timeout=SLOW)
        expect(page.locator(".quotes a")).to_contain_text("p. 2")
        page.locator(".quotes a").click()
        expect(page.locator(".box.selected")).to_be_visible()


def test_what_goes_wrong_is_said_on_the_page(
    make_context: Callable[..., BrowserContext], paged_library: Store, model: StubModel
) -> None:
    model.replies = [{"claims": [], "sufficient": False, "missing": "the name of the keeper"}]
    with served(paged_library) as site:
        page = make_context().new_page()
        page.goto(f"{site}/answer?q=who&document={SHEETS}")
        expect(page.locator("#answer-status")).to_have_text(
            "The store is not sufficient: the name of the keeper.", timeout=SLOW
        )
        page.goto(f"{site}/answer?q=who&document={SHEETS}")
        expect(page.locator("#answer-status")).to_contain_text(
            "the language model returned no usable answer", timeout=SLOW
        )


def test_a_conversation_keeps_its_questions_with_their_quotes(
    make_context: Callable[..., BrowserContext], paged_library: Store, model: StubModel
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    model.replies = [claiming("The keeper does.")]
    with served(paged_library) as site:
        page = make_context().new_page()
        page.goto(f"{site}/documents/{SHEETS}")
        page.get_by_label("Search", exact=True).fill(QUESTION)
        page.get_by_role("button", name="Answer").click()
        expect(page.locator("#answer-status")).to_have_text("Every quote was checked.", timeout=SLOW)
        page.wait_for_url("**/answer?talk=*")
        model.replies = [{"question": "Where does the keeper write the carts down?"}, claiming("In a book.")]
        page.get_by_label("The next question").fill("And where?")
        page.get_by_role("button", name="Ask").click()
        expect(page.locator("#answer-status")).to_have_text("Every quote was checked.", timeout=SLOW)
        assert QUESTION in model.prompt(1)
        assert "The keeper does. [1]" in model.prompt(1)
        assert "Where does the keeper write the carts down?" in model.prompt(2)
        page.reload()
        assert len(model.requests) == 3
        assert page.locator(".exchange h2").all_inner_texts() == [QUESTION, "And where?"]
        assert page.locator(".claims > li > p").all_inner_texts() == ["The keeper does.", "In a book."]
        assert "Understood as: Where does the keeper" in page.locator("#last").inner_text()
        assert page.locator(".quotes a").count() == 2
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.get_by_role("link", name="New conversation").click()
        assert page.locator(".exchange").count() == 0


def test_without_a_model_a_conversation_keeps_the_best_passages(
    make_context: Callable[..., BrowserContext], own_library: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RAGRAPH_LLM_MODEL", "RAGRAPH_LLM_URL", "RAGRAPH_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with served(own_library) as site:
        page = make_context().new_page()
        page.goto(site + "/")
        page.get_by_role("link", name="Ask").click()
        page.get_by_label("Your question").fill("Why did landlords let tenants share the harvest?")
        page.get_by_role("button", name="Ask").click()
        page.get_by_label("The next question").fill("Which birds are seen?")
        page.get_by_role("button", name="Ask").click()
        expect(page.locator(".exchange")).to_have_count(2)
        page.reload()
        assert page.locator(".exchange").first.locator(".hits > li").count() == 5
        own_library.delete(BOOK)  # what is deleted is not shown from memory either
        page.reload()
        assert page.locator(".exchange").count() == 2
        assert BOOK not in page.locator("main").inner_html()


def test_a_history_over_rest_makes_a_question_clear(paged_library: Store, model: StubModel) -> None:
    model.replies = [{"question": QUESTION}, claiming("The keeper does.")]
    history = json.dumps([{"question": "Who sits at the bridge?", "answer": "A keeper."}])
    with served(paged_library) as site:
        asked: dict[str, str] = {"q": "What does he write?", "document": SHEETS, "history": history}
        told = events(httpx.get(f"{site}/api/answer", params=asked, timeout=60))
        assert told[0][1]["step"] == "conversation"
        assert (told[-1][1]["question"], told[-1][1]["asked_as"]) == ("What does he write?", QUESTION)
        for wrong in ("no JSON", "{}", "[1]", '[{"question": 1}]'):
            answer = httpx.get(f"{site}/api/answer", params={"q": "who?", "history": wrong}, timeout=60)
            assert (answer.status_code, answer.json()["error"]) == (422, "ArgumentError"), wrong
            assert "history" in answer.json()["message"]
    assert len(model.requests) == 2


def test_an_empty_library_is_told_by_every_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGRAPH_LLM_MODEL", "RAGRAPH_LLM_URL"):
        monkeypatch.delenv(name, raising=False)
    with served(store) as site:
        for path, status in (("/search?q=carts", 200), ("/answer?q=carts", 503)):
            told = httpx.get(site + path, timeout=60)
            assert told.status_code == status
            assert "The library is empty: add documents first." in told.text
