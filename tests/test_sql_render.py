"""render_document and render_component: structure kept, hostile content inert."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from factories import make_component, make_document, make_node, make_relation, positions

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]


class Page:
    """Document "dl_a" with a body; nodes are appended to a component."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.places: dict[str | None, int] = {}
        self.nodes = 0
        make_document(connection)
        self.component("body", "BODY_MATTER")

    def component(self, name: str, type: str = "SECTION", under: str | None = None) -> str:
        (depth,) = self.connection.execute(
            "SELECT depth + 1 FROM ragraph.document_component WHERE document_id = 'dl_a' AND id = %s", [under]
        ).fetchone() or (0,)
        return make_component(
            self.connection,
            "dl_a",
            name,
            component_type=type,
            parent_component_id=under,
            depth=depth,
            sequence_in_parent_major=self._place(under),
        )

    def _place(self, parent: str | None) -> int:
        self.places[parent] = self.places.get(parent, -1) + 1
        return self.places[parent]

    def add(
        self, content: str, type: str = "PARAGRAPH", under: str | None = "body", page: int = 0, **values: Any
    ) -> str:
        columns = {key: values.pop(key) for key in ("storage_url", "description") if key in values}
        number = self.nodes
        self.nodes += 1
        return make_node(
            self.connection,
            "dl_a",
            f"cn_{number}",
            number,
            content=content,
            content_node_type=type,
            parent_component_id=under,
            sequence_in_parent_major=self._place(under),
            positional_data=positions(page) if page else [],
            data=values,
            **columns,
        )

    def refer(self, source: str, target: str | None, marker: str | None, start: int | None, type: str) -> None:
        make_relation(
            self.connection,
            "dl_a",
            f"{source}_{target}_{marker}_{start}",
            source,
            target,
            relation_type=type,
            marker_text=marker,
            marker_start=start,
        )

    def render(self, format: str = "markdown", arguments: str = "") -> str:
        self.connection.execute("SELECT ragraph.sequence_document('dl_a')")
        (text,) = self.connection.execute(
            f"SELECT ragraph.render_document('dl_a', %s{arguments})", [format]
        ).fetchone() or (None,)
        assert isinstance(text, str)
        return text


@pytest.fixture
def page(connection: Connection) -> Page:
    return Page(connection)


def test_levels_come_from_depth_and_matter_does_not_count(page: Page) -> None:
    page.add("The Book", "TITLE")
    page.component("part", "PART", "body")
    page.add("Part I", "HEADING", "part", level=5)
    page.component("chapter", "CHAPTER", "part")
    page.add("One", "HEADING", "chapter")
    page.component("box", "TEXT_BOX", "chapter")
    page.add("Aside", "HEADING", "box")
    page.add("Sub", "SUBHEADING", "chapter")
    page.add("Text.", under="chapter")
    assert page.render() == "# The Book\n\n## Part I\n\n### One\n\n#### Aside\n\n#### Sub\n\nText."
    assert page.render("text") == "The Book\n\nPart I\n\nOne\n\nAside\n\nSub\n\nText."
    (text,) = page.connection.execute("SELECT ragraph.render_component('dl_a', 'chapter')").fetchone() or ("",)
    assert text == "### One\n\n#### Aside\n\n#### Sub\n\nText."
    page.component("deep0", under="chapter")
    for level in range(8):
        page.component(f"deep{level + 1}", under=f"deep{level}")
    page.add("Very deep", "HEADING", "deep8")
    assert "\n###### Very deep" in page.render()
    assert "<h6 " in page.render("html")


def test_a_flat_document_takes_the_levels_of_its_headings(connection: Connection) -> None:
    make_document(connection)
    make_node(connection, "dl_a", "h", 0, content="Head", content_node_type="HEADING", data={"level": 2})
    make_node(connection, "dl_a", "p", 1, content="Text")
    assert connection.execute("SELECT ragraph.render_document('dl_a')").fetchone() == ("### Head\n\nText",)


def test_an_empty_document_is_an_empty_text(connection: Connection) -> None:
    make_document(connection)
    make_component(connection, "dl_a", "empty")
    for wanted in ("markdown", "html", "text"):
        assert connection.execute(
            "SELECT ragraph.render_document('dl_a', %s), ragraph.render_component('dl_a', 'empty', %s)",
            [wanted, wanted],
        ).fetchone() == ("", "")


def test_lists(page: Page) -> None:
    page.component("list", "LIST", "body")
    page.add("a", "LIST_ITEM", "list", marker="•")
    page.add("b", "LIST_ITEM", "list", depth=2, ordered=True)
    page.add("c", "LIST_ITEM", "list", depth=9, marker="(iv)")
    page.add("d\ne", "LIST_ITEM", "list", marker="7.")
    page.add("end")
    assert page.render() == "- a\n    1. b\n        - (iv) c\n7. d\n    e\n\nend"
    assert page.render("text") == "• a\n  1. b\n    (iv) c\n7. d\ne\n\nend"
    html = page.render("html")
    assert html.count("<ul>") == html.count("</ul>") == 1
    assert html.count("<ol>") == html.count("</ol>") == 3
    assert html.index("</ol>\n<p") < html.index("end</p>")


def test_tables(page: Page) -> None:
    page.add("x | y\n1 | 2", "TABLE", cells=[["x", "y|z"], ["1\n2"]], header_rows=1)
    page.add("k | v", "TABLE", cells=[["k", "v"]])
    page.add("no | grid", "TABLE")
    markdown = page.render()
    assert "| x | y&#124;z |\n| --- | --- |\n| 1 2 |  |" in markdown
    assert "|   |   |\n| --- | --- |\n| k | v |" in markdown
    assert markdown.endswith("no | grid")
    html = page.render("html")
    assert "<tr><th>x</th><th>y|z</th></tr>\n<tr><td>1\n2</td></tr>" in html
    assert "<pre>no | grid</pre>" in html
    assert page.render("text") == "x | y|z\n1 2\n\nk | v\n\nno | grid"


def test_cells_that_span_others_do_so_in_html(page: Page) -> None:
    head = [["", "Men", ""], ["Age", "2019", "2020"]]
    page.add("t", "TABLE", cells=[*head, ["1", "2", "3"]], header_rows=2, spans=[[0, 1, 1, 2]])
    html = page.render("html")
    assert '<tr><td></td><th colspan="2">Men</th></tr>\n<tr><th>Age</th><th>2019</th><th>2020</th></tr>' in html
    assert "| 1 | 2 | 3 |" in page.render()


@pytest.mark.parametrize(
    "spans", [[[0, 0, 1, 2]], [[0, 0, 2, 9]], [[0, 1, 999999, 999999]], [["x"]], {"a": 1}, [[1, 0, 2, 1], [1, 0, 1, 2]]]
)
def test_spans_over_text_or_out_of_the_table_are_none(page: Page, spans: object) -> None:
    page.add("t", "TABLE", cells=[["a", "b"], ["c", ""], ["d", "e"]], spans=spans)
    assert page.render("html").count("<td>") == 6


@pytest.mark.parametrize(
    ("cells", "spans"),
    [
        ([["a", ""], ["", "d"]], [[0, 0, 1, 2], [0, 0, 2, 1]]),
        ([["a", ""], ["", "d"]], [[0, 0, 2, 1], [0, 0, 2, 1]]),
        ([["a", "", ""], ["", "", ""], ["", "", "i"]], [[0, 0, 2, 2], [1, 1, 1, 2]]),
        ([["a", "", ""], ["", "", ""], ["", "", "i"]], [[0, 0, 2, 2], [1, 1, 1, 1], [0, 1, 1, 2]]),
        ([["a", "b"], ["c"], ["d", ""]], [[1, 1, 2, 1]]),
        ([[""] * 300 for _ in range(300)], [[0, n, 300, 300 - n] for n in range(200)] * 10),
    ],
)
def test_spans_that_lie_over_each_other_are_none(page: Page, cells: list[list[str]], spans: object) -> None:
    """Also where there are so many that all of their places could not be looked at."""
    page.add("t", "TABLE", cells=cells, spans=spans)
    html = page.render("html")
    assert "span=" not in html
    assert html.count("<td>") == sum(map(len, cells))


def test_a_span_that_is_none_takes_no_other_with_it(page: Page) -> None:
    """Nor does one of a single cell; a blank is no text, as everywhere in a table."""
    spans = [[0, 0, 1, 2], [0, 0, 1, 1], [0, 2, 999999, 999999], [1, 0, 1, 2], [1, 1, 2, 1]]
    page.add("t", "TABLE", cells=[["a", " ", "c"], ["", "", "f"], ["g", "", "i"]], spans=spans)
    html = page.render("html")
    assert html.count("span=") == 1
    assert '<tr><td colspan="2">a</td><td>c</td></tr>\n<tr><td></td><td></td><td>f</td></tr>' in html


@pytest.mark.parametrize("rows", ["x", 1.5, 10**12, True, -1, None, [1]])
def test_rows_of_a_head_that_are_no_number_are_none(page: Page, rows: object) -> None:
    page.add("t", "TABLE", cells=[["a"], ["b"]], header_rows=rows)
    assert "<tr><td>a</td></tr>" in page.render("html")
    assert "|   |\n| --- |\n| a |" in page.render()


def test_captions_above_and_below_as_in_the_document(page: Page) -> None:
    caption = page.add("Figure 1: View", "CAPTION")
    figure = page.add("12 m", "FIGURE")
    page.refer(figure, caption, None, None, "IS_CAPTIONED_BY")
    table = page.add("a | b", "TABLE", cells=[["a", "b"]])
    below = page.add("Table 1: Costs", "CAPTION")
    page.refer(table, below, None, None, "IS_CAPTIONED_BY")
    assert page.render("text") == "Figure 1: View\n\n12 m\n\na | b\n\nTable 1: Costs"


def test_captions_stand_with_their_figure_or_table_once(page: Page) -> None:
    table_caption = page.add("Table 1: Costs", "CAPTION")
    page.add("between")
    table = page.add("a | b", "TABLE", cells=[["a", "b"]])
    figure = page.add("", "FIGURE", storage_url="https://e.org/a b.png", description="A [view]")
    page.add("after")
    figure_caption = page.add("Figure 1: View", "CAPTION")
    page.add("Lonely", "CAPTION")
    page.refer(table, table_caption, None, None, "IS_CAPTIONED_BY")
    page.refer(figure, figure_caption, None, None, "IS_CAPTIONED_BY")
    text = page.render("text")
    assert text == "between\n\nTable 1: Costs\n\na | b\n\n[Figure: A [view]]\n\nFigure 1: View\n\nafter\n\nLonely"
    assert "| a | b |\n\n![A  view ](https://e.org/a%20b.png)\n\nFigure 1: View\n\nafter" in page.render()


def test_figures_show_harmless_addresses_only(page: Page) -> None:
    page.add("", "FIGURE", storage_url="https://e.org/a_(1).png", description='A "view"')
    page.add("", "FIGURE", storage_url="javascript:alert(1)", description="bad")
    html = page.render("html")
    assert '<img src="https://e.org/a_%281%29.png" alt="A &quot;view&quot;">' in html
    assert "javascript" not in html
    markdown = page.render()
    assert '![A "view"](https://e.org/a_%281%29.png)' in markdown
    assert "javascript" not in markdown


@pytest.fixture
def noted(page: Page) -> Page:
    """Two sections with footnotes numbered 1 each, an endnote, a numbered citation as superscript."""
    page.component("s0", under="body")
    page.component("s1", under="body")
    page.component("notes", "NOTES_SECTION")
    page.add("First", "HEADING", "s0")
    p = page.add("Alpha beta.", under="s0")
    foot0 = page.add("Foot zero.", "NOTE", "s0", marker="1")
    page.add("More.", under="s0")
    q = page.add("Gamma.", under="s1")
    foot1 = page.add("Foot one.", "NOTE", "s1", marker="1")
    page.add("Notes", "HEADING", "notes")
    end = page.add("End.", "NOTE", "notes", marker="*")
    entry = page.add("Smith. A work.", "BIBLIOGRAPHIC_ENTRY", "notes", marker="[22]")
    page.refer(p, foot0, "1", 11, "REFERENCES_NOTE")
    page.refer(p, end, "*", 5, "REFERENCES_NOTE")
    page.refer(q, foot1, "1", 6, "REFERENCES_NOTE")
    page.refer(q, entry, "22", 6, "REFERENCES_CITATION")
    page.refer(q, entry, "Gamma", 0, "CROSS_REFERENCES")
    return page


def test_notes_after_their_node(noted: Page) -> None:
    assert noted.render() == (
        "## First\n\nAlpha[^note] beta.[^1]\n\n[^1]: Foot zero.\n\nMore.\n\nGamma.[^1-2][22]\n\n[^1-2]: Foot one."
        "\n\n## Notes\n\n[^note]: End.\n\n\\[22] Smith. A work."
    )
    assert noted.render("text") == (
        "First\n\nAlpha[*] beta.[1]\n\n1. Foot zero.\n\nMore.\n\nGamma.[1][22]\n\n1. Foot one."
        "\n\nNotes\n\n* End.\n\n[22] Smith. A work."
    )


def test_notes_at_the_end_of_their_section(noted: Page) -> None:
    text = noted.render("text", ", notes => 'section'")
    assert text.index("More.") < text.index("1. Foot zero.") < text.index("Gamma.")
    assert text.index("1. Foot one.") < text.index("Notes") < text.index("* End.")
    assert text.count("Foot zero.") == 1


def test_notes_left_out_with_their_marks(noted: Page) -> None:
    assert noted.render("text", ", notes => 'none'") == "First\n\nAlpha beta.\n\nMore.\n\nGamma.[22]"


def test_marks_are_links_in_html(noted: Page) -> None:
    html = noted.render("html")
    parser = _Ids()
    parser.feed(html)
    assert len(parser.links) == 3
    assert set(parser.links) <= parser.ids
    assert ">*</a></sup> beta." in html
    assert "<sup>22</sup>" in html


class _Ids(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.attributes += attrs
        if values.get("id"):
            self.ids.add(str(values["id"]))
        if tag == "a":
            self.links.append(str(values["href"]).removeprefix("#"))


def test_marks_at_one_place_are_in_the_order_of_their_notes(page: Page) -> None:
    page.add("A claim")
    for number in range(1, 13):
        page.add(f"{number} Note.", "NOTE")
    for number in (7, 12, 3, 1, 10, 2, 11, 5, 9, 4, 8, 6):
        page.refer("cn_0", f"cn_{number}", str(number), 7, "REFERENCES_NOTE")
    assert page.render("markdown").startswith("A claim" + "".join(f"[^{number}]" for number in range(1, 13)) + "\n")


def test_stars_that_are_marks_are_not_emphasis(page: Page) -> None:
    source = page.add("One two three.")
    for start, name in ((3, "x"), (7, "y")):
        page.refer(source, page.add(name, "NOTE", marker="*"), "*", start, "REFERENCES_NOTE")
    assert page.render("text").startswith("One[*] two[*] three.")
    assert page.render("html").count(">*</a></sup>") == 2


def test_page_breaks_and_furniture(page: Page) -> None:
    page.component("header", "HEADER", "body")
    page.add("Running head", under="header", page=2)
    page.add("one [page break] two", page=1)
    page.add("two", page=2)
    page.add("2", "PAGE_NUMBER", page=2)
    page.add("three", page=3)
    assert page.render("text") == "one two\n\ntwo\n\nthree"
    broken = page.render("text", ", page_breaks => true")
    assert broken.startswith("one [page break] two")
    assert broken.endswith("two\n\n[page break]\n\nthree")
    assert '<p class="page-break">[page break]</p>' in page.render("html", ", page_breaks => true")
    whole = page.render("text", ", furniture => true")
    assert "Running head" in whole
    assert "\n2\n" in whole


def test_code_formulas_quotations_and_verse(page: Page) -> None:
    page.add("x = ````1````\n# no heading", "CODE", language="python")
    page.add("y", "CODE", language="py\n# evil")
    page.add("$$a<b\n\nc$$", "FORMULA")
    page.add("said\nso", "BLOCK_QUOTATION")
    page.add("line\nline", "STANZA")
    assert page.render() == (
        "`````python\nx = ````1````\n# no heading\n`````\n\n```\ny\n```\n\n$$\na< b\nc\n$$"
        "\n\n> said\n> so\n\nline  \nline"
    )
    html = page.render("html")
    assert "a&lt;b" in html
    assert "line<br>\nline" in html


HOSTILE = [
    "<script>alert(1)</script>",
    "\\<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!-- <style>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x](  javascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](\tjavascript:alert(1))",
    "![x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "[x][y]\n\n[y]: javascript:alert(1)",
    "<javascript:alert(1)>",
    '[x](https://e.org/"onmouseover="alert(1))',
    "**<b onclick=alert(1)>**",
    "`<svg onload=alert(1)>`",
    '\ue000"><script>\ue001x\ue002',
]


@pytest.mark.parametrize("type", ["PARAGRAPH", "HEADING", "CODE", "FORMULA", "LIST_ITEM", "NOTE", "TABLE", "FIGURE"])
def test_hostile_content_is_inert(page: Page, type: str) -> None:
    for content in HOSTILE:
        note = page.add("note", "NOTE", marker=content)
        node = page.add(
            content,
            type,
            cells=[[content, content]],
            header_rows=1,
            marker=content,
            language=content,
            description=content,
        )
        page.add("", "FIGURE", storage_url=content, description=content)
        page.refer(node, note, content + "!", 0, "REFERENCES_NOTE")
    html = page.render("html")
    parser = _Ids()
    parser.feed(html)
    assert set(parser.tags) <= {
        *("p", "h2", "pre", "code", "div", "ul", "ol", "li", "aside", "table", "tr", "th", "td", "figure", "a", "sup"),
        *("strong", "em"),
    }
    assert {name for name, _ in parser.attributes} <= {"id", "class", "href"}
    assert all(value and value.startswith(("#", "https:")) for name, value in parser.attributes if name == "href")
    if type not in {"CODE", "FORMULA"}:
        markdown = page.render()
        assert "<script" not in markdown
        assert "<img" not in markdown
        assert "<svg" not in markdown
        assert "<javascript" not in markdown
        assert "](javascript" not in markdown.lower().replace(" ", "").replace("\t", "")
        assert "](java" not in markdown.lower()
        assert "](<" not in markdown
        assert "](&" not in markdown
        assert "](data:" not in markdown
        assert "](vbscript" not in markdown
        assert "\n[y]:" not in markdown


@pytest.mark.parametrize(
    "content",
    [
        "# heading",
        "> quotation",
        "- item",
        "* item",
        "+ item",
        "1. item",
        "12) item",
        "    code",
        "```\ncode",
        "~~~\ncode",
        "---",
        "***",
        "* * *",
        "text\n===",
        "text\n---",
        "a | b\n--- | ---",
        "| a |\n|---|",
        "[^1]: note",
        "[x]: https://e.org",
        "=",
    ],
)
def test_a_paragraph_stays_one(page: Page, content: str) -> None:
    """No line begins like another kind of block: those that would begin with a backslash or lose their indentation."""
    page.add(content)
    for line in page.render().split("\n"):
        assert not line.startswith(
            (" ", "\t", "#", ">", "- ", "* ", "+ ", "```", "~~~", "---", "***", "===", "|", "[")
        ), line
        assert line.strip("=-* ") or not line, line
        assert not (line[:1].isdigit() and ". " in line[:4] and "\\" not in line), line


def test_bold_and_links_survive(page: Page) -> None:
    page.add("A **bold** and *thin* word, 2*3*4, [here](https://e.org/a_(b)?x=1&y=2) and [in](#cn_1).")
    assert page.render() == "A **bold** and *thin* word, 2*3*4, [here](https://e.org/a_(b)?x=1&y=2) and [in](#cn_1)."
    assert page.render("html") == (
        '<p id="cn_0">A <strong>bold</strong> and <em>thin</em> word, 2*3*4,'
        ' <a href="https://e.org/a_(b)?x=1&amp;y=2">here</a> and in.</p>'
    )
    assert page.render("text") == "A bold and thin word, 2*3*4, here and in."


def test_depth_and_level_that_are_no_numbers_are_passed_over(page: Page) -> None:
    page.add("h", "HEADING", level="three")
    page.add("i", "LIST_ITEM", depth="deep")
    page.add("t", "TABLE", cells="none", header_rows=1)
    page.add("u", "TABLE", cells=[[], "x", [None, 1]])
    assert page.render().startswith("## h\n\n- i\n\nt\n\n")


def test_an_escape_of_a_reader_is_shown_in_markdown_alone(page: Page) -> None:
    page.add(r"See [link]\(javascript:x) and `[code]\(a)` here")
    assert "See [link](javascript:x) and <code>[code]\\(a)</code> here" in page.render("html")
    assert "See [link](javascript:x) and `[code]\\(a)` here" in page.render("text")
    assert "See [link]\\(javascript:x)" in page.render()
