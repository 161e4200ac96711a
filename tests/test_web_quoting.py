"""Selected words in a real browser: what is selected by mouse or by keys is quoted as the passage has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_web_pages import browser, make_context, page
from web_tools import served

import ragraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, Page

    from ragraph import Store

__all__ = ["browser", "make_context", "page"]

NOTED = "dl_noted"
MERGED = "dl_merged"
TEXT = """# Of foxes

As told in the next section[^1]. The quick brown fox costs (1,200) a year.

Another paragraph follows it.

| fruit | price |
|-------|-------|
| Äpfel | 1,50 red |
|  | 2,50 green |

1. the first thing to do
2. the second thing to do

```
first code
```

```
second code
```

| a | b |
|---|---|
| c | d |

[^1]: A note on foxes.
"""
CELLS = """<h1>T</h1><table>
<tr><th colspan="2">Head</th><th>Last</th></tr>
<tr><td>one</td><td rowspan="2">two</td><td>three</td></tr>
<tr><td>four</td><td>five</td></tr>
<tr><td>six</td><td>seven</td><td>eight</td></tr>
</table>"""


@pytest.fixture(scope="module")
def store(make_shared_database: Callable[[], str]) -> Iterator[Store]:
    with ragraph.open(make_shared_database()) as opened:
        assert opened.ingest(TEXT.encode(), name="noted.md", document_id=NOTED, model=None).ok
        assert opened.ingest(CELLS.encode(), name="merged.html", document_id=MERGED, model=None).ok
        yield opened


@pytest.fixture(scope="module")
def site(store: Store) -> Iterator[str]:
    with served(store) as url:
        yield url


def select(page: Page, first: str, start: str, last: str, end: str) -> None:
    """Select from the beginning of a text in an element to the end of a text in another one."""
    page.evaluate(
        """([first, start, last, end]) => {
            const spot = (selector, words) => {
                const walk = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
                for (let text = walk.nextNode(); text; text = walk.nextNode()) {
                    if (text.data.includes(words)) return [text, text.data.indexOf(words)];
                }
                throw new Error(words);
            };
            const [from, at] = spot(first, start);
            const [to, until] = spot(last, end);
            document.getSelection().setBaseAndExtent(from, at, to, until + end.length);
        }""",
        [first, start, last, end],
    )


def quoted(page: Page) -> str:
    """Quote what is selected; return what the page says."""
    page.get_by_role("button", name="Quote the selection").click()
    page.locator("#quoted blockquote").wait_for()
    return page.locator("#quoted blockquote p").first.inner_text()


def test_marks_of_notes_are_not_quoted(page: Page, site: str, store: Store) -> None:
    page.goto(f"{site}/documents/{NOTED}")
    node = next(node for node in store.nodes(NOTED) if "quick brown" in node.content)
    page.locator(f"[id='{node.id}']").click(click_count=3)  # also selects the beginning of the next passage
    assert f"\u201c{node.content}\u201d" in quoted(page)


def test_cells_are_quoted_as_the_table_has_them(page: Page, site: str) -> None:
    page.goto(f"{site}/documents/{NOTED}")
    select(page, ".table", "Äpfel", ".table", "red")
    assert "\u201cÄpfel | 1,50 red\u201d" in quoted(page)
    select(page, ".table", "fruit", ".table", "green")
    assert "2,50 green\u201d" in quoted(page)


@pytest.mark.parametrize(("start", "end"), [("Head", "eight"), ("Head", "Last"), ("four", "five"), ("three", "four")])
def test_merged_cells_are_quoted_too(page: Page, site: str, start: str, end: str) -> None:
    page.goto(f"{site}/documents/{MERGED}")
    select(page, ".table", start, ".table", end)
    said = quoted(page)
    assert said.startswith(f"\u201c{start}")
    assert f"{end}\u201d" in said


@pytest.mark.parametrize(
    ("start", "end", "words"), [("ick", "bro", "quick brown"), ("own", "200", "brown fox costs (1,200)")]
)
def test_a_selection_within_words_takes_the_whole_words(
    page: Page, site: str, start: str, end: str, words: str
) -> None:
    page.goto(f"{site}/documents/{NOTED}")
    select(page, ".prose", start, ".prose", end)
    assert f"\u201c{words}\u201d" in quoted(page)


def test_a_selection_over_passages_quotes_each(page: Page, site: str) -> None:
    page.goto(f"{site}/documents/{NOTED}")
    select(page, ".prose", "quick", ".prose", "Another")
    assert "\u201cquick brown fox costs (1,200) a year.\u201d" in quoted(page)
    assert "\u201cAnother\u201d" in page.locator("#quoted blockquote p").nth(1).inner_text()


def test_the_number_of_a_list_item_is_not_quoted(page: Page, site: str) -> None:
    page.goto(f"{site}/documents/{NOTED}")
    page.locator(".prose li").first.click(click_count=3)
    assert "\u201cthe first thing to do\u201d" in quoted(page)


def test_what_cannot_be_quoted_is_told_without_ids(page: Page, site: str) -> None:
    page.goto(f"{site}/documents/{NOTED}")
    page.locator(".prose p.node").first.evaluate("passage => passage.prepend('Words of nobody. ')")
    select(page, ".prose", "Words", ".prose", "nobody")
    said = quoted(page)
    assert said.startswith("This cannot be quoted")
    assert NOTED not in said


@pytest.mark.parametrize("path", [f"/documents/{NOTED}", f"/side?at={NOTED}&at={NOTED}"])
def test_several_tables_and_codes_are_no_landmarks_of_one_name(page: Page, site: str, path: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.goto(site + path)
    assert page.locator(".prose pre").count() >= 2
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [1300, 800])
def test_words_under_a_mouse_that_selects_them_stay_where_they_are(
    make_context: Callable[..., BrowserContext], site: str, width: int
) -> None:
    page = make_context(viewport={"width": width, "height": 850}).new_page()
    page.goto(f"{site}/documents/{NOTED}")
    before, start, end = ends_of(page, 24)
    page.mouse.move(*start)
    page.mouse.down()
    for step in range(1, 13):
        page.mouse.move(start[0] + (end[0] - start[0]) * step / 12, start[1])
        page.wait_for_timeout(40)
        assert not page.locator("#quoted").is_visible()  # it would be selected as well
    page.mouse.up()
    page.locator("#quote-it").wait_for()
    assert page.evaluate("getSelection().toString()") == before
    assert ends_of(page, 24)[1] == start
    assert before == "As told in the next sect"
    assert "As told in the next section" in quoted(page)
    page.mouse.click(*start)  # puts it away
    assert not page.locator("#quoted").is_visible()


def ends_of(page: Page, letters: int) -> tuple[str, list[float], list[float]]:
    """Return the first letters of the first paragraph, and the points before the first and behind the last of them."""
    words, *points = page.evaluate(
        """(letters) => {
            const passage = document.querySelector(".prose p.node");
            const text = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT).nextNode();
            const range = new Range();
            const [from, to] = [0, letters - 1].map((place) => {
                range.setStart(text, place);
                range.setEnd(text, place + 1);
                return range.getBoundingClientRect();
            });
            const middle = (from.top + from.bottom) / 2;
            return [text.data.slice(0, letters), [from.left + 1, middle], [to.right, middle]];
        }""",
        letters,
    )
    return words, *points


def test_words_selected_by_keys_are_quoted_where_they_are(page: Page, site: str) -> None:
    page.goto(f"{site}/documents/{NOTED}")
    words, start, _ = ends_of(page, 24)
    page.mouse.dblclick(*start)  # keys go on from a selection
    page.locator("#quote-it").wait_for()
    while len(page.evaluate("getSelection().toString()")) < len(words):
        page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate("getSelection().toString()") == words
    assert ends_of(page, 24)[1] == start
    page.locator("#quote-it").focus()
    page.keyboard.press("Enter")
    page.locator("#quoted blockquote").wait_for()
    assert page.locator("#quoted").inner_text().startswith(f"\u201c{words}")


def test_what_is_gone_is_told_as_gone(page: Page, site: str, store: Store) -> None:
    store.ingest(b"# Passing\n\nThese words go away.\n", name="passing.md", document_id="dl_passing", model=None)
    page.goto(f"{site}/documents/dl_passing")
    store.ingest(b"# Passing\n\nOthers came.\n", name="passing.md", document_id="dl_passing", model=None)
    select(page, ".prose", "These", ".prose", "away")
    assert quoted(page) == "This passage is no longer in the document: load the page again."
    store.delete("dl_passing")
    select(page, ".prose", "These", ".prose", "words")
    assert quoted(page) == "This document is no longer in the library."
