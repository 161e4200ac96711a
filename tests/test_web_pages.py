"""The pages in a real browser: a passage shown on its page, by mouse, by keys, without scripts; nothing from outside.

They need Debian's Chromium and Playwright. Where those are missing they are skipped, unless RAGRAPH_BROWSER says
``required``, as .ci/run does: then they fail.
"""

from __future__ import annotations

import io
import os
import re
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
import numpy as np
import pytest
from PIL import Image
from sample_library import FILES, GUIDE
from sheets import SHEETS, write_sheets
from web_tools import served

import ragraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

    from ragraph import Store

try:
    from playwright.sync_api import expect
except ModuleNotFoundError:  # the fixture says so
    expect: Any = None  # type: ignore[no-redef]

CHROMIUM = os.environ.get("RAGRAPH_CHROMIUM") or shutil.which("chromium") or ""
PAYLOAD = '<script>window.hacked = 1</script><img src=x onerror="window.hacked=1">"\'><svg/onload=alert(1)>'


@pytest.fixture(scope="module")
def store(make_shared_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("pages")
    write_sheets(folder / "bridges.pdf")
    (folder / "payload.md").write_text(f"# {PAYLOAD}\n\nSome words.\n\n`{PAYLOAD}`\n\n| a | b |\n|--|--|\n| 1 | 2 |\n")
    with ragraph.open(make_shared_database()) as opened:
        assert opened.ingest(folder / "bridges.pdf", document_id=SHEETS).ok
        assert opened.ingest(folder / "payload.md", document_id="dl_payload", tags=[PAYLOAD]).ok
        assert opened.ingest(FILES[GUIDE], document_id=GUIDE).ok
        opened.update("dl_payload", title=PAYLOAD, authors=PAYLOAD, language="de", publication_date="2020-01-01")
        opened.update(SHEETS, title="Bridges", authors="A. Mason", publication_date="2021-02-03")
        (folder / "bridges.pdf").unlink()
        yield opened


@pytest.fixture(scope="module")
def site(store: Store) -> Iterator[str]:
    with served(store) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    missing = "Chromium is missing: apt-get install chromium" if not CHROMIUM else ""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing = "Playwright is missing: pip install playwright"
    if missing:
        if os.environ.get("RAGRAPH_BROWSER") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def make_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """A function that gives browsers of a kind; at the end none has asked for anything outside this machine."""
    made: list[BrowserContext] = []
    outside: list[str] = []
    errors: list[str] = []

    def look(route: Any) -> None:
        if route.request.url.startswith(("http://127.0.0.1:", "data:")):
            route.continue_()
        else:
            outside.append(route.request.url)
            route.abort()

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**{"viewport": {"width": 1300, "height": 850}, **options})
        context.set_default_timeout(60_000)
        context.route("**/*", look)
        context.on("weberror", lambda error: errors.append(str(error.error)))
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert outside == []
    assert errors == []


@pytest.fixture
def page(make_context: Callable[..., BrowserContext]) -> Page:
    return make_context().new_page()


def on_screen(page: Page, selector: str) -> bool:
    """Whether the whole of an element lies in the window."""
    box = page.locator(selector).first.bounding_box()
    size = page.viewport_size
    assert box is not None
    assert size is not None
    inside = box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
    return inside and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


def red_under(page: Page, selector: str, shift: int = 0) -> float:
    """Return the share of the red ink of the page's picture that lies under a box, as the browser shows both."""
    picture = page.locator(".paper").bounding_box()
    box = page.locator(f"{selector} rect").bounding_box()
    assert picture is not None
    assert box is not None
    page.evaluate("document.querySelectorAll('.paper svg').forEach(svg => { svg.style.display = 'none'; })")
    shot = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)
    page.evaluate("document.querySelectorAll('.paper svg').forEach(svg => { svg.style.display = ''; })")
    ink = (shot[..., 0] - shot[..., 1] > 50) & (shot[..., 0] - shot[..., 2] > 50)
    left, top = round(picture["x"]), max(0, round(picture["y"]))
    sheet = np.zeros_like(ink)
    sheet[top : round(picture["y"] + picture["height"]), left : round(picture["x"] + picture["width"])] = True
    ink &= sheet
    x1, y1 = round(box["x"]) - 1 + shift, round(box["y"]) - 1 + shift
    x2, y2 = round(box["x"] + box["width"]) + 1 + shift, round(box["y"] + box["height"]) + 1 + shift
    assert ink.sum() > 300
    return float(ink[max(0, y1) : y2, max(0, x1) : x2].sum() / ink.sum())


def test_a_hit_is_shown_on_its_page(page: Page, site: str) -> None:
    page.goto(site + "/")
    page.get_by_role("link", name="Bridges", exact=True).click()
    page.get_by_label("Search", exact=True).fill("keeper wrote the carts down in a book")
    page.get_by_role("button", name="Search").click()
    page.locator("#hits a").nth(0).click()
    expect(page.locator("#status")).to_have_text(re.compile(r"^Hit 1 of \d+$"))
    assert page.get_by_role("heading", name=re.compile("^Page 2")).is_visible()
    assert page.locator(".prose .selected").text_content().startswith("A toll was taken")  # type: ignore[union-attr]
    expect(page.locator(".box.selected")).to_be_focused()
    assert on_screen(page, ".box.selected rect")
    assert red_under(page, ".box.selected") >= 0.95
    assert red_under(page, ".box.selected", shift=25) < 0.6


def test_the_address_of_a_hit_opens_the_same_state(
    make_context: Callable[..., BrowserContext], page: Page, site: str
) -> None:
    page.goto(f"{site}/documents/{SHEETS}?q=wooden+bridge&mode=text&hit=1")
    other = make_context().new_page()
    other.goto(page.url)
    for tab in (page, other):
        assert tab.locator(".box.selected").get_attribute("data-node")
    shown = [tab.locator(".prose .selected").get_attribute("id") for tab in (page, other)]
    assert shown[0] == shown[1]
    assert other.locator("#sheet-title").inner_text().startswith("Page 3")


def test_all_by_keys(page: Page, site: str) -> None:
    page.goto(f"{site}/documents/{SHEETS}")
    page.keyboard.press("/")
    page.keyboard.type("bridge")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=bridge**")
    page.keyboard.press("n")
    page.wait_for_url("**hit=1**")
    page.keyboard.press("n")
    page.wait_for_url("**hit=2**")
    expect(page.locator("#status")).to_have_text(re.compile(r"^Hit 2 of \d+$"))
    expect(page.locator(".box.selected")).to_be_focused()
    page.keyboard.press("p")
    page.wait_for_url("**hit=1**")
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "node=" not in url)
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "q=" not in url)
    page.keyboard.press("n")
    page.wait_for_url("**page=2**")


def test_hits_of_a_search_are_reached_by_keys(page: Page, site: str) -> None:
    page.goto(f"{site}/search?q=bridge&mode=text")
    links = page.locator(".hits > li > a")
    for key, place in (("n", 0), ("n", 1), ("p", 0), ("p", 0), ("n", 1)):
        page.keyboard.press(key)
        expect(links.nth(place)).to_be_focused()
    address = links.nth(1).get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}{address}")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Search")


def test_search_stays_within_the_section(page: Page, site: str, store: Store) -> None:
    section = next(entry for entry in store.toc(SHEETS) if (entry.title or "").startswith("3"))
    page.goto(f"{site}/documents/{SHEETS}?section={section.component_id}")
    page.get_by_label("Where").select_option("section")
    page.get_by_label("Search", exact=True).fill("bridge")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**q=bridge**")
    inside = {node.id for node in store.nodes(SHEETS, section.component_id)}
    links = page.locator("#hits a").evaluate_all("links => links.map(link => link.href)")
    found = {re.search(r"node=(\w+)", link)[1] for link in links}  # type: ignore[index]
    assert found
    assert found <= inside


def test_a_footnote_is_reached_from_its_mark_and_back(page: Page, site: str) -> None:
    page.goto(f"{site}/documents/{GUIDE}")
    mark = page.locator(".prose a.mark").first
    target = (mark.get_attribute("href") or "").removeprefix("#")
    mark.click()
    assert page.url.endswith(f"#{target}")
    note = page.locator(f"[id='{target}']")
    assert note.evaluate("note => note.matches(':target')")
    note.get_by_label("Back to the text").click()
    assert page.url.endswith(f"#mark-{target}")
    note.get_by_label("Show this passage").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**node=**")
    page.locator(".ties a", has_text="Noted in").click()
    assert page.locator(".ties a", has_text="Note").count() >= 1


def test_a_citation_is_copied(make_context: Callable[..., BrowserContext], site: str, store: Store) -> None:
    page = make_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    node = store.search("keeper", 1, document=SHEETS, mode="text")[0].node_id
    page.goto(f"{site}/documents/{SHEETS}?node={node}")
    assert "(Mason, 2021, p. 2)" in page.locator("#citation").inner_text()
    page.get_by_label("Style").select_option("ieee")
    page.wait_for_url("**style=ieee**")
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("[1, p. 2]")
    assert site in copied


def test_without_scripts_all_of_it_is_read(make_context: Callable[..., BrowserContext], site: str) -> None:
    page = make_context(java_script_enabled=False).new_page()
    page.goto(site + "/")
    page.get_by_role("link", name="Bridges", exact=True).click()
    assert "Other words" in page.locator(".prose").inner_text()
    page.get_by_label("Search", exact=True).fill("carts")
    page.get_by_label("By").select_option("text")
    page.get_by_role("button", name="Search").click()
    page.locator("#hits a").first.click()
    assert "A toll was taken" in page.locator(".prose .selected").inner_text()
    assert page.locator(".box.selected rect").bounding_box()
    page.get_by_label("Next page").click()
    assert page.locator("#sheet-title").inner_text().startswith("Page 3")


def test_scripts_in_documents_stay_text(page: Page, site: str) -> None:
    from urllib.parse import quote

    asked = quote(PAYLOAD)
    for path in ("/", "/documents/dl_payload", f"/search?q={asked}", f"/documents/dl_payload?q={asked}"):
        page.goto(site + path)
        assert page.evaluate("window.hacked") is None
        assert page.locator("main script, .side script, img[src='x']").count() == 0
    page.goto(f"{site}/documents/{quote(PAYLOAD, safe='')}")
    assert page.evaluate("window.hacked") is None
    page.goto(f"{site}/?title={quote(PAYLOAD)}&tag={quote(PAYLOAD)}")
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize(("width", "theme"), [(320, "dark"), (1300, "dark"), (1300, "light")])
def test_no_page_leaves_anybody_out(
    make_context: Callable[..., BrowserContext], site: str, store: Store, theme: str, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    hit = f"/documents/{SHEETS}?q=bridge&mode=text&hit=1"
    paths = ["/", f"/documents/{SHEETS}", hit, f"/documents/{GUIDE}", "/search?q=bridge"]
    paths += ["/search?q=zzqqx&mode=text", f"/documents/{SHEETS}?q=zzqqx&mode=text", "/documents/nope", "/?title=zzqqx"]
    paths += ["/documents/dl_payload", "/login", "/docs", "/search?q=habitat&mode=text&type=TABLE"]
    paths += [f"/documents/{GUIDE}/exhibits", f"/documents/{SHEETS}/exhibits"]
    page = make_context(color_scheme=theme, viewport={"width": width, "height": 800}).new_page()
    for path in paths:
        page.goto(site + path)
        page.wait_for_load_state()
        found = Axe().run(page)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_a_wide_table_among_hits_scrolls_in_its_box(
    make_context: Callable[..., BrowserContext], own_library: Store
) -> None:
    columns = [f"column {number}" for number in range(14)]
    lines = [columns, ["---"] * 14, ["toll of the night"] * 14]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    own_library.ingest(f"# Tolls\n\n## Of the night\n\n{table}\n".encode(), name="tolls.md", model=None)
    page = make_context(viewport={"width": 380, "height": 800}).new_page()
    with served(own_library) as url:
        page.goto(f"{url}/search?q=night+toll&mode=text&type=TABLE")
        assert page.locator(".found-table").count() == 1
        assert page.locator(".found-table mark").first.inner_text() == "toll"
        assert page.evaluate("document.documentElement.scrollWidth") <= 380
        page.goto(f"{url}/answer?q=toll+of+the+night")
        expect(page.locator(".found-table th").first).to_have_text("column 0")
        assert page.locator(".found-table mark").first.inner_text() == "toll"
        assert page.locator(".hits .excerpt", has_text="column 0").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_the_search_page_refuses_what_it_does_not_know(site: str) -> None:
    refused = httpx.get(f"{site}/search?q=bridge&author=x", timeout=60)
    assert refused.status_code == 422
    assert "&#39;author&#39;" in refused.text
    within = httpx.get(f"{site}/search?q=bridge&document={SHEETS}", timeout=60)
    assert (within.status_code, within.headers["location"].partition("?")[0]) == (303, f"/documents/{SHEETS}")


def test_a_passage_over_two_pages_has_a_box_on_both(
    make_context: Callable[..., BrowserContext], store: Store, site: str
) -> None:
    node = store.search("floods", 1, document=SHEETS, mode="text")[0].node_id
    place = '[{"page_pdf": 2, "bbox": {"x1": 80, "y1": 520, "x2": 300, "y2": 550}}]'
    with store.database.write() as connection:  # the reader would have joined it
        connection.execute(
            "UPDATE ragraph.content_node SET positional_data = %s::jsonb || positional_data WHERE id = %s",
            [place, node],
        )
    try:
        page = make_context().new_page()
        for number in (2, 3):
            page.goto(f"{site}/documents/{SHEETS}?node={node}&page={number}")
            assert page.locator("#sheet-title").inner_text().startswith(f"Page {number}")
            assert page.locator(".box.selected rect").count() == 1
            assert on_screen(page, ".box.selected rect")
    finally:  # other tests share the store
        with store.database.write() as connection:
            connection.execute(
                "UPDATE ragraph.content_node SET positional_data = positional_data - 0 WHERE id = %s", [node]
            )


def test_the_library_filters(page: Page, site: str) -> None:
    page.goto(site + "/")
    page.get_by_label("Language").select_option("de")
    page.get_by_role("button", name="Filter").click()
    assert page.locator(".documents > li").count() == 1
    page.get_by_role("link", name="Clear").click()
    page.get_by_label("Title").fill("brid")
    page.get_by_role("button", name="Filter").click()
    assert page.locator(".documents h2").all_inner_texts() == ["Bridges"]
    page.get_by_label("From").fill("no year")
    page.get_by_role("button", name="Filter").click()
    assert "use a whole number" in page.get_by_role("alert").inner_text()


def test_words_of_the_query_are_marked_and_cuts_shown(page: Page, site: str, store: Store) -> None:
    page.goto(f"{site}/search?q=bridges&mode=text")
    marked = page.locator(".excerpt mark").all_inner_texts()
    assert marked
    assert {word.casefold() for word in marked} <= {"bridge", "bridges"}
    for hit, shown in zip(
        store.search("bridges", 20, mode="text"), page.locator(".excerpt").all_text_contents(), strict=False
    ):
        assert shown.endswith(" …") == (not hit.content.rstrip().endswith(hit.citation.excerpt.rstrip()))


def test_tables_in_hits_are_tables_and_download_as_csv(page: Page, site: str, store: Store) -> None:
    table = store.tables(GUIDE)[0]
    word = max((cell for row in table.rows for cell in row), key=len).split()[0]
    page.goto(f"{site}/search?q={quote(word)}&mode=text&type=TABLE")
    assert page.get_by_label("Kind").input_value() == "TABLE"
    assert page.locator(".found-table tr").count() == len(table.rows)
    with page.expect_download() as begun:
        page.get_by_role("link", name="CSV of this table").click()
    assert begun.value.suggested_filename == f"{FILES[GUIDE].stem}-table-1.csv"
    assert begun.value.path().read_text() == table.to_csv()


def test_the_search_page_filters(page: Page, site: str) -> None:
    page.goto(f"{site}/search?q=words&mode=text")
    page.get_by_label("Language").select_option("de")
    page.get_by_role("button", name="Filter").click()
    assert page.locator(".hits > li").count() == 1
    page.get_by_label("To").fill("1999")
    page.get_by_role("button", name="Filter").click()
    assert page.locator(".hits > li").count() == 0
    page.get_by_role("link", name="Clear").click()
    assert "q=words" in page.url


def test_a_document_is_downloaded_and_its_tables_are_listed(page: Page, site: str, store: Store) -> None:
    page.goto(f"{site}/documents/{GUIDE}")
    assert page.locator(".file").inner_text() == FILES[GUIDE].name
    with page.expect_download() as begun:
        page.get_by_role("link", name="Markdown").click()
    assert begun.value.path().read_text() == store.render(GUIDE)
    with page.expect_download() as begun:
        page.get_by_role("link", name="Original").click()
    assert begun.value.path().read_bytes() == FILES[GUIDE].read_bytes()
    page.get_by_role("link", name="Tables and figures").click()
    assert page.locator(".found-table").count() == len(store.tables(GUIDE))


def test_metadata_is_edited_with_write_alone(make_context: Callable[..., BrowserContext], own_library: Store) -> None:
    with served(own_library, write=True) as url:
        page = make_context().new_page()
        page.goto(f"{url}/documents/{GUIDE}")
        page.get_by_role("link", name="Edit").click()
        page.get_by_label("Title").fill("A guide")
        page.get_by_label("Tags").fill("birds, owls\nfield")
        page.get_by_label("Date").fill("soon")
        page.get_by_role("button", name="Save").click()
        assert "soon" in page.get_by_role("alert").inner_text()
        assert page.get_by_label("Title").input_value() == "A guide", "what was typed is kept"
        page.get_by_label("Date").fill("")
        page.get_by_role("button", name="Save").click()
        assert page.locator("h1").inner_text() == "A guide"
    details = own_library.document(GUIDE)
    assert (details.document.title, details.tags) == ("A guide", ["birds, owls", "field"])
    with served(own_library) as url:
        assert httpx.get(f"{url}/documents/{GUIDE}/edit").status_code in (404, 405)


def test_what_is_edited_in_two_tabs_is_kept(make_context: Callable[..., BrowserContext], own_library: Store) -> None:
    with served(own_library, write=True) as url:
        context = make_context()
        one, two, three = (context.new_page() for _ in range(3))
        for page in (one, two, three):
            page.goto(f"{url}/documents/{GUIDE}/edit")
        one.get_by_label("Tags").fill("birds")
        one.get_by_role("button", name="Save").click()
        two.get_by_label("Authors").fill('Ada "A" <Lovelace>')
        two.get_by_role("button", name="Save").click()
        assert two.locator("h1").count() == 1
        details = own_library.document(GUIDE)
        assert (details.tags, details.document.authors) == (["birds"], 'Ada "A" <Lovelace>')
        three.get_by_label("Tags").fill("trees")
        three.get_by_role("button", name="Save").click()
        told = "somebody changed this meanwhile: tags is now 'birds'; save again to replace it"
        assert three.get_by_role("alert").inner_text() == told
        assert own_library.document(GUIDE).tags == ["birds"]
        assert three.get_by_label("Tags").input_value() == "trees"
        three.get_by_role("button", name="Save").click()
        three.wait_for_url(f"{url}/documents/{GUIDE}")
    details = own_library.document(GUIDE)
    assert (details.tags, details.document.authors) == (["trees"], 'Ada "A" <Lovelace>')


def test_a_page_that_a_document_lacks_is_told(site: str) -> None:
    for page in ("999", "abc", "0"):
        answer = httpx.get(f"{site}/documents/{SHEETS}", params={"page": page})
        assert answer.status_code == 404
        assert "; its pages are 1 to 3" in answer.text


def test_a_passage_is_reviewed(make_context: Callable[..., BrowserContext], own_library: Store) -> None:
    from axe_playwright_python.sync_playwright import Axe

    node = own_library.nodes(GUIDE)[1]
    with served(own_library, write=True) as url:
        page = make_context(viewport={"width": 320, "height": 800}).new_page()
        page.goto(f"{url}/documents/{GUIDE}?node={node.id}&q=habitat&mode=text")
        page.get_by_label("Note", exact=True).fill(PAYLOAD)
        page.get_by_label("Your name").fill("Ada")
        page.get_by_role("button", name="Wrong").click()
        page.locator(".reviews li").wait_for()
        assert PAYLOAD in page.locator(".reviews li").inner_text()
        assert page.evaluate("window.hacked") is None
        (review,) = own_library.reviews(GUIDE, node.id)
        assert (review.verdict, review.reviewer, review.question) == ("wrong", "Ada", "habitat")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.get_by_role("button", name="Withdraw the review by Ada").click()
        expect(page.locator(".reviews li")).to_have_count(0)
        assert own_library.reviews() == []


def test_selected_words_are_quoted_with_their_citation(page: Page, site: str, store: Store) -> None:
    from axe_playwright_python.sync_playwright import Axe

    node = next(node for node in store.nodes(SHEETS) if len(node.content.split()) > 8)
    words = " ".join(node.content.split()[:5])
    page.goto(f"{site}/documents/{SHEETS}?node={node.id}")
    page.evaluate(
        """([id, words]) => {
            const walk = document.createTreeWalker(document.getElementById(id), NodeFilter.SHOW_TEXT);
            for (let text = walk.nextNode(); text; text = walk.nextNode()) {
                const at = text.data.indexOf(words);
                if (at < 0) continue;
                document.getSelection().setBaseAndExtent(text, at, text, at + words.length);
                return;
            }
        }""",
        [node.id, words],
    )
    page.get_by_role("button", name="Quote the selection").click()
    cited = page.locator("#quoted blockquote")
    cited.wait_for()
    assert words in cited.inner_text()
    assert "Mason" in cited.inner_text()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_an_upload_ends_in_a_document_that_is_found(
    make_context: Callable[..., BrowserContext], database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "ferries.md").write_text("# Of ferries\n\nThe ferry crosses when the bell is rung.\n")
    with ragraph.open(database_url) as store, served(store, write=True) as url:
        page = make_context().new_page()
        page.goto(url + "/")
        page.locator("#file").set_input_files(tmp_path / "ferries.md")
        page.get_by_role("button", name="Upload").click()
        page.locator("#jobs .done").wait_for()
        page.locator(".documents h2 a", has_text="Of ferries").wait_for()  # the list is refreshed
        page.locator("#jobs a").click()
        assert "when the bell is rung" in page.locator(".prose").inner_text()
        page.goto(url + "/search?q=bell")
        assert page.locator(".hits a").count() >= 1
        page.locator(".hits a").first.click()
        page.get_by_role("link", name="Delete").click()
        page.get_by_role("button", name="Delete").click()
        page.get_by_text("The library is empty").wait_for()
        assert store.documents() == []


def test_a_token_lets_a_browser_in(make_context: Callable[..., BrowserContext], store: Store) -> None:
    from ragraph.faces.web.guard import Access

    with served(store, access=Access(hosts=frozenset(), token="sesame")) as url:
        page = make_context().new_page()
        page.goto(url + "/")
        page.get_by_label("Token").fill("sesame")
        page.get_by_role("button", name="Enter").click()
        page.get_by_role("link", name="Bridges", exact=True).wait_for()
        assert httpx.get(url + "/", follow_redirects=False).status_code == 303
