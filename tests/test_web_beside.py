"""Pages beside the reading page, in a real browser: the graph, documents side by side, reviews, sizes of the page."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import httpx
import psycopg
import pytest
from reportlab.pdfgen.canvas import Canvas
from sample_library import FILES, GUIDE
from test_web_pages import PAYLOAD, browser, make_context, page
from test_works import KIM, SMITH, SMITH_AGAIN, fill
from web_tools import served

import ragraph
from ragraph.faces.web.text import marked
from ragraph.schema.page_labels import page_label, page_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page

    from ragraph import Store

__all__ = ["browser", "make_context", "page"]

PRINTED = "dl_printed"


def write_printed(path: Path) -> None:
    """Write three pages whose printed numbers begin with 9."""
    drawn = io.BytesIO()
    canvas = Canvas(drawn, pagesize=(420, 595))
    canvas.addPageLabel(0, style="ARABIC", start=9)
    for number, words in enumerate(("ferries", "weirs", "locks"), 1):
        canvas.bookmarkPage(f"page-{number}")
        canvas.addOutlineEntry(f"Of {words}", f"page-{number}")
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(50, 540, f"Of {words}")
        canvas.setFont("Helvetica", 11)
        canvas.drawString(50, 500, f"All that is known of {words} is written on this page of the book.")
        canvas.showPage()
    canvas.save()
    path.write_bytes(drawn.getvalue())


@pytest.fixture(scope="module")
def store(make_shared_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path = tmp_path_factory.mktemp("beside") / "printed.pdf"
    write_printed(path)
    url = make_shared_database()
    with ragraph.open(url) as opened:
        assert opened.ingest(path, document_id=PRINTED).ok
        assert opened.ingest(FILES[GUIDE], document_id=GUIDE).ok
        opened.update(PRINTED, title="Waters", publication_date="2021-02-03")
        with psycopg.connect(url, autocommit=True) as connection:
            fill(connection, "dl_a", [SMITH, KIM])
            fill(connection, "dl_b", [KIM, SMITH_AGAIN], title=f"Of tea {PAYLOAD}")
            cited = {"authors": "Anna B. Smith, Carl Jones", "publication_date": "2010-01-01"}
            fill(connection, "dl_tea", [KIM], title="Effects of tea on sleep in adults", **cited)
        opened.update_works()
        yield opened


@pytest.fixture(scope="module")
def site(store: Store) -> Iterator[str]:
    with served(store, write=True) as url:
        yield url


def noted(store: Store) -> tuple[str, str]:
    """Return a passage of the guide that refers to a note, and the note."""
    relation = next(one for one in store.relations(GUIDE) if one.relation_type == "REFERENCES_NOTE")
    return relation.source_node_id, relation.target_node_id


def test_pages_are_named_as_printed_and_as_counted() -> None:
    assert page_label([18], ["9"]) == "p. 9 (18)"
    assert page_label([18, 19], ["9", "10"]) == "pp. 9\u201310 (18\u201319)"
    assert page_label([3], ["3"]) == page_label([3], []) == page_label([3], [None]) == "p. 3"
    assert page_label([3, 4], ["iii", None]) == "pp. 3\u20134"
    assert page_label([], []) == page_numbers([], []) == ""
    assert page_numbers([18], ["9"]) == "9 (18)"


def test_pages_are_named_the_same_on_every_page(page: Page, site: str, store: Store) -> None:
    node = store.search("weirs", 1, document=PRINTED, mode="text")[0].node_id
    page.goto(f"{site}/documents/{PRINTED}?node={node}&q=weirs&mode=text&hit=1")
    assert page.locator("#sheet-title").inner_text() == "Page 10 (2 of 3)"
    assert page.locator("#passage-title").inner_text().endswith("p. 10 (2)")
    assert "p. 10 (2)" in page.locator("#hits .where").first.inner_text()
    assert page.locator(".outline [aria-current] .pages").inner_text().endswith("10 (2)")
    assert "p. 10 (2)" in (page.locator(".box.selected").get_attribute("aria-label") or "")
    page.goto(f"{site}/search?q=weirs&mode=text")
    assert page.locator(".where .pages").first.inner_text() == "p. 10 (2)"


def test_the_page_is_fitted_and_enlarged(page: Page, site: str, store: Store) -> None:
    node = store.search("weirs", 1, document=PRINTED, mode="text")[0].node_id
    page.goto(f"{site}/documents/{PRINTED}?node={node}")
    width = page.locator(".paper").evaluate("paper => paper.clientWidth")
    page.keyboard.press("+")
    page.wait_for_url("**zoom=150**")
    assert page.locator(".paper").evaluate("paper => paper.clientWidth") == pytest.approx(1.5 * width, rel=0.05)
    page.get_by_role("link", name="200 %").click()
    page.wait_for_url("**zoom=200**")
    assert (
        page.locator(".paper img").evaluate("async image => { await image.decode(); return image.naturalWidth; }")
        == 1260
    )
    assert page.locator(".box.selected").get_attribute("data-node") == node
    page.get_by_role("link", name="Next page").click()
    assert "zoom=200" in page.url
    page.set_viewport_size({"width": 1300, "height": 500})
    page.get_by_role("link", name="Page", exact=True).click()
    page.wait_for_url("**zoom=page**")
    page.locator(".paper img").evaluate("image => image.decode()")
    box = page.locator(".paper").bounding_box()
    assert box
    assert box["height"] <= 500
    assert box["width"] / box["height"] == pytest.approx(420 / 595, rel=0.02)  # so that boxes lie on their words
    page.keyboard.press("-")
    assert "zoom=page" in page.url


def test_the_graph_around_a_passage_is_drawn_and_listed(page: Page, site: str, store: Store) -> None:
    source, note = noted(store)
    page.goto(f"{site}/documents/{GUIDE}?node={source}")
    page.get_by_role("link", name="The graph around it").click()
    assert page.locator(".spot.core").count() == 1
    drawn = page.locator(".drawn .spot").evaluate_all("spots => spots.map(spot => spot.getAttribute('href'))")
    listed = page.locator(".ties a:first-child").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert f"/documents/{GUIDE}/graph?node={note}" in drawn
    assert any(f"node={note}#" in link for link in listed)
    assert len(drawn) == len(listed) + 2  # the passage and its document
    page.locator(f".spot[href$='node={note}']").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**node={note}")
    assert "Noted in" in page.locator(".ties").inner_text()
    page.get_by_role("link", name="Read it").click()
    assert page.locator(".prose .selected").get_attribute("id") == note


def test_the_graph_has_documents_that_cite_each_other(page: Page, site: str) -> None:
    page.goto(f"{site}/documents/dl_a/graph?node=cn_0")
    assert page.locator(".ties", has_text="Document cited").inner_text().endswith("Effects of tea on sleep in adults")
    page.locator(".spot.document", has_text="Effects").click()
    page.wait_for_url("**/documents/dl_tea")
    page.goto(f"{site}/documents/dl_tea/graph?node=cn_0")
    assert page.locator(".ties", has_text="Cites this document").is_visible()
    assert page.evaluate("window.hacked") is None
    boxes = page.locator(".spot > svg").evaluate_all(
        "spots => spots.map(spot => spot.getBoundingClientRect().toJSON())"
    )
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            apart = one["right"] <= other["left"] or other["right"] <= one["left"]
            assert apart or one["bottom"] <= other["top"] or other["bottom"] <= one["top"]


def test_documents_are_read_side_by_side(page: Page, site: str, store: Store) -> None:
    page.goto(site + "/")
    page.get_by_label("Read Waters beside others").check()
    title = store.document(GUIDE).document.title
    page.get_by_label(f"Read {title} beside others").check()
    page.get_by_role("button", name="Read the chosen side by side").click()
    assert page.locator(".column").count() == 2
    waters = page.locator(".column", has=page.get_by_role("heading", name="Waters", exact=True))
    other = page.locator(".column", has=page.get_by_role("heading", name=title, exact=True))
    before = other.locator(".prose").text_content()
    waters.locator("summary").click()
    waters.get_by_role("link", name="Of locks").click()
    assert "known of locks" in waters.locator(".prose").inner_text()
    assert "known of ferries" not in waters.locator(".prose").inner_text()
    assert other.locator(".prose").text_content() == before
    page.get_by_label("Search", exact=True).fill("weirs")
    page.get_by_role("button", name="Search").click()
    page.locator(".hits a", has_text="known of weirs").click()
    assert "weirs" in waters.locator(".prose .selected").inner_text()
    page.get_by_label("Add a document by its title").fill("effects of tea")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Effects of tea on sleep in adults").click()
    assert page.locator(".column").count() == 3
    page.get_by_role("link", name="Close Waters").click()
    assert page.locator(".column").count() == 2
    page.get_by_role("link", name=f"{title} alone").click()
    assert page.locator("h1").inner_text() == title


def test_a_search_side_by_side_leads_to_more_than_its_best_hits(page: Page, site: str, store: Store) -> None:
    all_of_them = len(store.search("weirs and habitats", 200, document=[GUIDE, PRINTED]))
    assert all_of_them > 20
    page.goto(f"{site}/side?at={GUIDE}&at={PRINTED}&q=weirs+and+habitats")
    assert page.locator(".hits > li").count() == 20
    assert page.locator(".found .count").inner_text().startswith("The best 20 hits")
    page.get_by_role("link", name="More hits").click()
    page.wait_for_url("**#hit-21")
    assert page.locator(".hits > li").count() == min(all_of_them, 40)
    page.locator("#hit-21 a").click()
    assert page.locator(".prose .selected").count() == 1
    assert page.locator(".hits > li").count() == min(all_of_them, 40)
    page.goto(f"{site}/side?at={GUIDE}&at={PRINTED}&q=weirs+and+habitats&k=200")
    assert page.locator(".hits > li").count() == all_of_them
    assert page.get_by_role("link", name="More hits").count() == 0


def test_the_differences_of_two_documents_are_listed(page: Page, site: str, store: Store) -> None:
    page.goto(f"{site}/side?at=dl_a&at=dl_tea")
    page.get_by_role("link", name="Differences").click()
    changes = store.compare("dl_a", "dl_tea")
    assert page.locator(".changes > li").count() == len(changes) > 0
    removed = next(change for change in changes if change.change == "removed")
    page.locator(".changes > li", has_text="removed").first.locator("a").click()
    assert removed.node_id in page.url
    assert page.locator(".column").first.locator(".prose .selected").count() == 1
    page.goto(f"{site}/side?at={GUIDE}&at={GUIDE}")
    assert page.get_by_role("link", name="Differences").count() == 0


def test_a_note_is_reached_within_its_column(page: Page, site: str) -> None:
    page.goto(f"{site}/side?at={GUIDE}&at={GUIDE}")
    ids = page.locator("[id]").evaluate_all("all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))
    page.locator(".column").nth(1).locator("a.mark").first.click()
    assert "#c2-" in page.url
    assert page.locator(f"[id='{page.url.partition('#')[2]}']").evaluate("note => note.matches(':target')")


def test_too_many_documents_and_unknown_ones_are_told(site: str) -> None:
    many = "&".join(f"at={GUIDE}" for _ in range(5))
    for path, status in ((f"/side?{many}", 422), ("/side?at=nope", 404), ("/side", 303), (f"/side?at={GUIDE}", 200)):
        assert httpx.get(site + path, timeout=60).status_code == status, path
    shown = httpx.get(f"{site}/side?at={GUIDE}&at=nope", timeout=60)
    assert shown.status_code == 200
    assert "no longer in the library: nope" in shown.text
    assert shown.text.count('class="column"') == 1


def test_reviews_are_listed_with_links(page: Page, site: str, store: Store) -> None:
    first, second = (node.id for node in store.nodes(GUIDE)[1:3])
    store.review(GUIDE, first, "right", by="Ada", question="which habitat?")
    store.review(GUIDE, second, "note", PAYLOAD, by="Grace")
    try:
        page.goto(site + "/")
        page.get_by_role("link", name="Reviews").click()
        assert page.locator(".reviewed > li").count() == 2
        assert page.evaluate("window.hacked") is None
        assert "Grace" in page.locator(".reviewed > li").first.inner_text()
        page.get_by_label("Verdict").select_option("right")
        page.get_by_role("button", name="Filter").click()
        assert page.locator(".reviewed > li").count() == 1
        assert "which habitat?" in page.locator(".reviewed").inner_text()
        page.locator(".reviewed a").click()
        assert page.locator(".prose .selected").get_attribute("id") == first
        page.get_by_role("link", name="Reviews", exact=True).last.click()
        page.wait_for_url(f"**document={GUIDE}")
        assert page.locator(".reviewed > li").count() == 2
    finally:
        for review in store.reviews():
            store.withdraw_review(GUIDE, review.review_id)


def test_entities_lead_to_their_mentions(page: Page, site: str, store: Store) -> None:
    page.goto(f"{site}/entities")
    assert "ragraph entities extract" in page.locator(".empty").inner_text()
    text = f"# Tolls\n\nThe river toll board (RTB) met. {PAYLOAD} The RTB took no toll, and the RTB went home.\n"
    (file,) = store.ingest(text.encode(), name="tolls.md", model=None).files
    document = str(file.document_id)
    store.extract_entities()
    try:
        page.reload()
        page.get_by_role("link", name="river toll board").click()
        entity = store.entity("RTB")
        assert entity.identity in page.url
        assert page.locator(".hits > li").count() == entity.mentions
        assert page.locator(".hits strong", has_text="defined").count() >= 1
        assert page.evaluate("window.hacked") is None
        page.locator(".hits a").first.click()
        assert "river toll board" in page.locator(".prose .selected").inner_text()
        page.get_by_role("link", name="Entities").click()
        page.get_by_label("Name or alias").fill("zzqqx")
        page.get_by_role("button", name="Filter").click()
        assert "No entity matches" in page.locator(".empty").inner_text()
        page.get_by_label("Name or alias").fill("RTB")
        page.get_by_role("button", name="Filter").click()
        assert page.locator(".hits > li").count() == 1
    finally:
        store.delete(document)
    assert httpx.get(f"{site}/entities/zzqqx").status_code == 404


def test_versions_of_a_document_show_what_changed(page: Page, site: str, store: Store) -> None:
    store.keep_versions("acts")
    for words in ("One rule.", "Another rule.", "Another rule.\n\nA third."):
        (file,) = store.ingest(f"# Act\n\n{words}\n".encode(), name="act.md", collection="acts", model=None).files
    document = str(file.document_id)
    if len(store.history(document)) == 1:  # bytes of one name are documents of their own
        pytest.fail("no versions")
    page.goto(f"{site}/documents/{document}")
    page.get_by_role("link", name="Versions").click()
    assert page.locator(".versions > li").count() == 3
    with page.expect_download() as begun:
        page.get_by_role("link", name="Markdown of version 1").click()
    assert "One rule." in begun.value.path().read_text()
    assert page.get_by_role("link", name="Markdown of").count() == 2  # the live one is read on its page
    page.get_by_role("link", name="What changed since version 1").click()
    assert page.locator("#changes-title").inner_text() == "1 change from version 1 to 2"
    assert "One rule." in page.locator(".changes del").inner_text()
    page.get_by_role("link", name="What changed since version 2").click()
    page.locator(".changes a", has_text="added").click()
    assert "A third." in page.locator(".prose .selected").inner_text()
    assert httpx.get(f"{site}/documents/{document}/versions", params={"since": "7"}).status_code in (404, 422)
    assert httpx.get(f"{site}/documents/nope/versions").status_code == 404


def test_what_the_reader_doubts_is_told(page: Page, site: str, store: Store) -> None:
    (table, *_) = store.tables(GUIDE)
    row = len(table.rows) - 1
    with psycopg.connect(store.database.url, autocommit=True) as connection:
        connection.execute(
            "UPDATE ragraph.content_node SET data = data || %s WHERE document_id = %s AND id = %s",
            [json.dumps({"doubt": [[row, 1], [99, 0]]}), GUIDE, table.node.id],
        )
    try:
        page.goto(f"{site}/documents/{PRINTED}")
        page.get_by_role("link", name="Doubts").click()
        assert re.search(r"account\s+[\d,]+ letters: [\d,]+ stored", page.locator(".account").inner_text())
        assert "No table is likely to be read wrong" in page.locator("main").inner_text()
        page.goto(f"{site}/documents/{GUIDE}/doubts")
        assert page.locator("main li").all_inner_texts() == [
            f"Row {row + 1}, column 2: “{table.rows[row][1]}” may belong to another place."
        ]
        page.locator("main h3 a").click()
        assert page.locator(".prose .selected").get_attribute("id") == table.node.id
        with psycopg.connect(store.database.url, autocommit=True) as connection:
            connection.execute(
                "UPDATE ragraph.document_page SET doubt = 0.93 WHERE document_id = %s AND page_pdf = 2", [PRINTED]
            )
            connection.execute(  # a page that was left unread
                "INSERT INTO ragraph.document_page SELECT (jsonb_populate_record(p, %s)).*"
                " FROM ragraph.document_page AS p WHERE p.document_id = %s AND p.page_pdf = 2",
                [json.dumps({"page_pdf": 99, "page_logical": None, "doubt": 1}), PRINTED],
            )
            connection.execute(
                "UPDATE ragraph.content_node SET data = data || %s WHERE id = %s",
                [json.dumps({"doubt": None, "fault": 0.9}), table.node.id],
            )
        assert "90 % likely" in httpx.get(f"{site}/documents/{GUIDE}/doubts").text
        page.goto(f"{site}/documents/{PRINTED}/doubts")
        assert page.locator("main li").all_inner_texts() == ["p. 10 (2): 93 %"]
        page.locator("main li a").click()
        assert "93 % likely to be read wrong somewhere" in page.locator(".sheet").inner_text()
    finally:
        with psycopg.connect(store.database.url, autocommit=True) as connection:
            connection.execute("DELETE FROM ragraph.document_page WHERE page_pdf = 99")
            connection.execute(
                "UPDATE ragraph.content_node SET data = data - '{doubt,fault}'::text[] WHERE id = %s", [table.node.id]
            )


@pytest.mark.parametrize(("width", "theme"), [(320, "dark"), (1300, "dark"), (1300, "light")])
def test_these_pages_leave_nobody_out(
    make_context: Callable[..., BrowserContext], site: str, store: Store, theme: str, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    source, _ = noted(store)
    review = store.review(GUIDE, source, "wrong", "not so", by="Ada", question="why?")
    paths = [f"/documents/{GUIDE}/graph?node={source}", "/documents/dl_a/graph?node=cn_0", "/reviews"]
    paths += [
        "/reviews?verdict=note",
        f"/side?at={GUIDE}&at={PRINTED}&q=weirs&add=tea",
        f"/side?at={PRINTED}&add=zzqqx",
        "/side?at=dl_a&at=dl_tea&differences=1",
    ]
    paths += ["/entities", "/entities?name=zzqqx", f"/documents/{GUIDE}/versions", f"/documents/{PRINTED}/doubts"]
    paths += [f"/documents/{PRINTED}?zoom={zoom}" for zoom in ("page", "200")] + ["/answer", "/"]
    page = make_context(color_scheme=theme, viewport={"width": width, "height": 800}).new_page()
    for path in paths:
        page.goto(site + path)
        page.wait_for_load_state()
        found = Axe().run(page)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    store.withdraw_review(GUIDE, review)


def test_all_of_them_work_without_scripts(make_context: Callable[..., BrowserContext], site: str, store: Store) -> None:
    source, _ = noted(store)
    page = make_context(java_script_enabled=False).new_page()
    page.goto(f"{site}/documents/{GUIDE}/graph?node={source}")
    page.locator(".drawn .spot").last.click()
    page.goto(f"{site}/documents/{PRINTED}?zoom=300")
    assert page.locator(".paper").bounding_box()
    page.goto(f"{site}/side?at={GUIDE}&at={PRINTED}")
    assert page.locator(".column .prose").count() == 2
    page.goto(site + "/answer")
    page.get_by_label("Your question").fill("what is known of weirs")
    page.get_by_role("button", name="Ask").click()
    assert re.search("known of weirs", page.locator(".exchange .hits").inner_text())


def test_telling_words_are_marked() -> None:
    asked = "Who makes the decision of the PDP"
    assert marked("The decision of the PDP", asked) == "The <mark>decision</mark> of the <mark>PDP</mark>"
    assert marked("the tax on tea", "tax on tea") == "the <mark>tax</mark> <mark>on</mark> <mark>tea</mark>"
    assert marked("<b>", "x") == "&lt;b&gt;"
