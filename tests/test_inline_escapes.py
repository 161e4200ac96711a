"""Signs that are no marks are shown as they are meant; content has a backslash before those that look like marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from ragraph.base.inline import plain
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.markup.inline import InlineText
from ragraph.schema.enums import RelationType

if TYPE_CHECKING:
    from psycopg import Connection

    from ragraph import Store

MARKDOWN = rb"""# Signs

5\*3 is 15, \_name\_ and \# and \[x\] and C:\\dir.

1\. x

\*not bold\*, but *this* and **b \* c**.

A product a\*b\*c, and [b]\(x).

`code \* x` stays.
"""
SHOWN = {
    "5*3 is 15": "5*3 is 15, _name_ and # and [x] and C:\\dir.",
    "1. x": "1. x",
    "not bold": "*not bold*, but this and b * c.",
    "product": "A product a*b*c, and [b](x).",
    "stays": "`code \\* x` stays.",
}


def test_escapes_of_a_markdown_file_are_not_shown(own_library: Store) -> None:
    assert own_library.ingest(MARKDOWN, name="signs.md", document_id="dl_signs", model=None).ok
    text = own_library.render("dl_signs", format="text")
    html = re.sub("<[^>]+>", "", own_library.render("dl_signs", format="html"))
    for words, shown in SHOWN.items():
        assert shown in text
        assert shown.replace("`", "") in html
        (node,) = [node for node in own_library.nodes("dl_signs") if words in plain(node.content)]
        assert plain(node.content) == shown.replace("`", "")
    (hit,) = own_library.search("5*3 is 15", mode="text", document="dl_signs")[:1]
    assert hit.content == hit.citation.excerpt == SHOWN["5*3 is 15"]
    (found,) = [node.id for node in own_library.nodes("dl_signs") if "not bold" in node.content]
    assert "not bold" in own_library.quote("dl_signs", found, "*not bold*, but this").excerpt
    markdown = own_library.render("dl_signs", format="markdown")
    assert r"\*not bold\*, but *this* and **b \* c**." in markdown
    assert "\n1\\. x\n" in markdown


@pytest.mark.parametrize(
    "content",
    [
        *(r"C:\*.txt and \*.log", r"\*.*\*", r"C:\_x\_y", r"a \\ b", r"\\server\x", r"`a\`, `b\`", r"[x] \(y\)", "5*3"),
        *("`*.py` and `*.txt`", "`*x*` and `**y**`", "`[a](b)` is code", r"`*a` \* `b*`"),
    ],
)
def test_texts_that_know_no_escapes_keep_their_backslashes(connection: Connection, content: str) -> None:
    ((text, html),) = connection.execute(
        "SELECT ragraph_private.inline_text(%(t)s), ragraph_private.inline_html(%(t)s)", {"t": content}
    ).fetchall()
    assert text == content
    assert re.sub("</?code>", "`", html) == content
    assert plain(content) == content.replace("`", "")


PIECES = st.lists(
    st.tuples(
        st.sampled_from(["", "bold", "italic"]),
        st.text(st.sampled_from(list("ab1 *`\\[]()!_")), min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES)
@example([("", "*a*")])
@example([("", "a "), ("", "*"), ("italic", "b")])
@example([("", "\\"), ("italic", "b")])
@example([("", "\\*a*")])
@example([("bold", "a * b")])
@example([("", "[a]"), ("", "(b)")])
def test_what_readers_write_is_read_as_they_meant_it(connection: Connection, pieces: list[tuple[str, str]]) -> None:
    """The database and Python show the letters that the file has; styles may be lost, signs may not."""
    written = InlineText()
    marks = Marks()
    marked = ""
    for style, words in pieces:
        if style:
            written.open(style)
        written.text(words)
        if style:
            written.close(style)
        written.text(" x ")
        marked += (marks.around(words, style) if style else words) + " x "
    meant = signs(" x ".join([*(words for _, words in pieces), ""]))
    for content in (written.finish().text, marks.decode(marked).text):
        shown: Any = connection.execute("SELECT ragraph_private.inline_text(%s)", [content]).fetchone()
        assert signs(shown[0]) == meant, content
        assert signs(plain(content)) == meant.replace("`", "") if "`" not in meant else True, content


def signs(text: str) -> str:
    return "".join(text.split())


def test_emphasis_that_touches_letters_or_other_marks_is_left_out() -> None:
    """It would be read as stars."""
    marks = Marks()
    italic = {word: marks.around(word, "italic") for word in ("b", "fix", "c")}
    text = f"{marks.around('a', 'bold')}{italic['b']} pre{italic['fix']} or {italic['c']}."
    assert marks.decode(text).text == "**a**b prefix or *c*."
    times = f"448{marks.around('448 pixels of 28', 'italic')}28"
    assert marks.decode(times).text == "448*448 pixels of 28*28"  # it may be none in Markdown


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES)
@example([("", "un"), ("italic", "believ"), ("", "able")])
@example([("italic", "p"), ("", "53")])
@example([("italic", "a"), ("bold", "b"), ("", "c")])
@example([("", "*"), ("italic", "P"), ("", " < 0.05")])
def test_styles_that_touch_letters_leave_no_marks_in_the_text(pieces: list[tuple[str, str]]) -> None:
    """Italics of a part of a word are written as plain text: with stars, a search would not find the word."""
    assume("](" not in signs("".join(words for _, words in pieces)))  # parts of a link in two runs are not escaped
    written = InlineText()
    for style, words in pieces:
        if style:
            written.open(style)
        written.text(words)
        if style:
            written.close(style)
    assert signs(plain(written.finish().text)) == signs("".join(words for _, words in pieces))


def test_places_of_references_move_with_the_stars_that_are_not_written() -> None:
    out = InlineText()
    out.text("un")
    out.open("italic")
    out.text("believ")
    out.close("italic")
    out.text("able ")
    out.begin_marker()
    out.text("[4]")
    out.end_marker(RelationType.REFERENCES_CITATION, ["b4"])
    out.text(" and ")
    out.open("bold")
    out.text("very ")
    out.open("italic")
    out.text("old")
    out.close("italic")
    out.close("bold")
    found = out.finish()
    assert found.text == "unbelievable [4] and **very old**"
    assert [(mark.marker, mark.start) for mark in found.marks] == [("[4]", 13)]
