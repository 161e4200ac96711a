"""Readers of text formats: Markdown, AsciiDoc, LaTeX, CSV and plain text."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import check_draft, node, read, relations, texts

from ragraph.base.inline import unmarked
from ragraph.errors import DamagedFileError
from ragraph.ingest.readers.docling.marks import Marks

if TYPE_CHECKING:
    from pathlib import Path

MARKDOWN = """---
title: "Pond book"
author: [Ada Byron, {name: Grace Murray}]
date: 2024-05-01
lang: en
tags: [water]
---
# Ponds & lakes

Water stood **very *high*** here[^1], see [depths](#depths-in-m), 2 * 3 \\* 4, `a*b`, $x_1$ and [@doe2020, p. 3].
It fell[^late] ^[said inline].

## Depths in m

1. one
2. two[^1]
   - inner

> Still waters.

```python
print(1)
```

| Pond | Depth |
|------|-------|
| N \\| S | 2 |

Table 1: Depths

$$
E = mc^2
$$

![A pond](pond.png)

<table><tr><th>H</th></tr><tr><td>v</td></tr></table>

[^1]: By the gauge, see also [^late].
[^late]: In May.

    And June.
[^lost]: Nobody calls this.
"""

LATEX = r"""\documentclass{article}
\setlength{\parindent}{0pt}
\title{Pond book}
\author{Ada Byron \and Grace Murray}
\begin{document}
\maketitle
\section{Ponds}\label{sec:ponds}
Water \textbf{stood} high\footnote{By the \emph{gauge}, $x$.} -- see \cite{doe,roe}, % a comment
Figure~\ref{fig:one} and \href{http://x.org/a_b}{this page}.
\section{Depths}
\label{sec:depths}
As in Section~\ref{sec:ponds}. 100\% sure.
\begin{equation}\label{eq:e} E = mc^2 \end{equation}
\begin{figure}\includegraphics{a.png}\caption{A pond.}\label{fig:one}\end{figure}
\begin{quote}Still waters.\end{quote}
\begin{verbatim}
raw % text
\end{verbatim}
\begin{thebibliography}{9}
\bibitem{doe} Doe, J. Ponds.
\bibitem{roe} Roe, R. Lakes.
\end{thebibliography}
\end{document}
"""

ASCIIDOC = """= Pond book
Ada Byron
:lang: en
:place: North

Water at {place} stood *high*.footnote:[By the _gauge_, https://x.org[X].] See <<depths,the depths>>.

[#depths]
== Depths

* one
** inner

----
raw *text* footnote:[no]
----

|===
| Pond | Depth
| N | 2
|===

____
Still waters.
____
"""


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(("name", "source"), [("a.md", MARKDOWN), ("a.tex", LATEX), ("a.adoc", ASCIIDOC)])
def test_the_same_sound_draft_twice(tmp_path: Path, name: str, source: str) -> None:
    path = write(tmp_path, name, source)
    draft = read(path)
    check_draft(draft)
    assert draft == read(path)


def test_markdown_blocks(tmp_path: Path) -> None:
    draft = read(write(tmp_path, "a.md", MARKDOWN))
    assert texts(draft, "TITLE") == ["Ponds & lakes"]
    heading = node(draft, "Depths in m")
    assert (heading.level, heading.anchors) == (2, ["depths-in-m"])
    assert [(n.text, n.marker, n.data["depth"]) for n in draft.nodes if n.type == "LIST_ITEM"] == [
        ("one", "1.", 1),
        ("two", "2.", 1),
        ("inner", None, 2),
    ]
    assert texts(draft, "BLOCK_QUOTATION") == ["Still waters."]
    assert [(n.text, n.data) for n in draft.nodes if n.type == "CODE"] == [("print(1)", {"language": "python"})]
    assert texts(draft, "TABLE") == ["Pond | Depth\nN | S | 2", "H\nv"]
    assert texts(draft, "FORMULA") == ["E = mc^2"]
    figure = next(n for n in draft.nodes if n.type == "FIGURE")
    assert (figure.description, figure.embedding_source) == ("A pond", "DESCRIPTION")
    (caption,) = relations(draft, "IS_CAPTIONED_BY")
    assert caption.target == node(draft, "Table 1").key


def test_markdown_front_matter_is_metadata_and_no_text(tmp_path: Path) -> None:
    draft = read(write(tmp_path, "a.md", MARKDOWN))
    metadata = draft.metadata
    assert (metadata.title, metadata.authors, metadata.language) == ("Pond book", ["Ada Byron", "Grace Murray"], "en")
    assert metadata.publication_date == date(2024, 5, 1)
    assert (metadata.extra, metadata.tags) == ({}, ["water"])
    assert not any("tags" in n.text for n in draft.nodes)


def test_markdown_notes_links_and_citations(tmp_path: Path) -> None:
    draft = read(write(tmp_path, "a.md", MARKDOWN))
    source = node(draft, "Water stood")
    assert source.text.startswith("Water stood **very** ***high*** here, see depths, 2 * 3 * 4, `a*b`, $x_1$ and [@doe")
    assert unmarked(source.text).startswith("Water stood very high here, see depths, 2 * 3 * 4")
    calls = [(r.source, r.anchor, r.marker) for r in relations(draft, "REFERENCES_NOTE")]
    first, second = node(draft, "By the gauge").key, node(draft, "two").key
    assert calls == [
        (source.key, "note:1", "1"),
        (source.key, "note:late", "2"),
        (source.key, "note:inline-2", "3"),
        (second, "note:1", "1"),
        (first, "note:late", "2"),
    ]
    assert node(draft, "In May").text == "In May.\nAnd June."
    assert node(draft, "Nobody calls").type == "NOTE"
    (crossing,) = relations(draft, "CROSS_REFERENCES")
    assert (crossing.marker, crossing.anchor) == ("depths", "depths-in-m")
    (citation,) = relations(draft, "REFERENCES_CITATION")
    assert (citation.marker, citation.anchor) == ("[@doe2020, p. 3]", "doe2020")


def test_markdown_with_several_top_headings_has_no_title(tmp_path: Path) -> None:
    draft = read(write(tmp_path, "a.md", "# One\n\ntext\n\n# One\n\nmore\n"))
    assert [(n.type, n.level, n.anchors) for n in draft.nodes if n.type != "PARAGRAPH"] == [
        ("HEADING", 1, ["one"]),
        ("HEADING", 1, ["one-1"]),
    ]


def test_latex(tmp_path: Path) -> None:
    draft = read(write(tmp_path, "a.tex", LATEX))
    assert draft.metadata.title == "Pond book"
    assert texts(draft, "AUTHOR") == ["Ada Byron", "Grace Murray"]
    assert not any("parindent" in n.text or "comment" in n.text for n in draft.nodes)
    source = node(draft, "Water")
    assert source.text == "Water **stood** high – see [doe, roe], Figure 1 and [this page](http://x.org/a_b)."
    (call,) = relations(draft, "REFERENCES_NOTE")
    assert (call.source, call.marker_start) == (source.key, len("Water **stood** high"))
    assert draft.nodes[draft.nodes.index(source) + 1].text == "By the *gauge*, $x$."
    assert [(r.anchor, r.marker) for r in relations(draft, "REFERENCES_CITATION")] == [("doe", "doe"), ("roe", "roe")]
    assert {(r.anchor, r.marker) for r in relations(draft, "CROSS_REFERENCES")} == {
        ("fig:one", "1"),
        ("sec:ponds", "1"),
    }
    anchors = {anchor: n.type for n in draft.nodes for anchor in n.anchors}
    wanted = {"sec:ponds": "HEADING", "sec:depths": "HEADING", "eq:e": "FORMULA", "fig:one": "CAPTION"}
    assert wanted.items() <= anchors.items()
    entries = [n for n in draft.nodes if n.type == "BIBLIOGRAPHIC_ENTRY"]
    assert [(n.text, n.marker, n.anchors) for n in entries] == [
        ("Doe, J. Ponds.", "[doe]", ["doe"]),
        ("Roe, R. Lakes.", "[roe]", ["roe"]),
    ]
    assert texts(draft, "CODE") == ["raw % text"]
    assert texts(draft, "BLOCK_QUOTATION") == ["Still waters."]
    assert "100% sure." in node(draft, "As in Section").text


def test_asciidoc(tmp_path: Path) -> None:
    draft = read(write(tmp_path, "a.adoc", ASCIIDOC))
    assert (draft.metadata.title, draft.metadata.authors, draft.metadata.language) == ("Pond book", ["Ada Byron"], "en")
    source = node(draft, "Water at")
    assert source.text == "Water at North stood **high**. See the depths."
    assert draft.nodes[draft.nodes.index(source) + 1].text == "By the *gauge*, [X](https://x.org)."
    (crossing,) = relations(draft, "CROSS_REFERENCES")
    assert crossing.anchor == "depths"
    assert next(n for n in draft.nodes if "depths" in n.anchors).type == "HEADING"
    assert texts(draft, "CODE") == ["raw *text* footnote:[no]"]
    assert texts(draft, "TABLE") == ["Pond | Depth\nN | 2"]
    assert texts(draft, "BLOCK_QUOTATION") == ["Still waters."]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("|===\n|Pond |Depth\n\n|N\n|2\n\n|S\n|4\n|===\n", "Pond | Depth\nN | 2\nS | 4"),
        ('[cols="2*"]\n.Ponds\n|===\n|N\n|2\n|S\n|4\n|===\n', "N | 2\nS | 4"),
        (
            '[cols="1,2"]\n|===\n|N\n|two\nfeet\n\n2+|none\n.2+h|S |4\n|5\n|===\n',
            "N | two feet\nnone | \nS | 4\n | 5",
        ),
        ("[cols=2*]\n|===\n|one cell alone\n|===\n", "one cell alone"),
    ],
)
def test_asciidoc_counts_columns_not_lines(tmp_path: Path, source: str, text: str) -> None:
    assert texts(read(write(tmp_path, "a.adoc", f"= Ponds\n\n{source}")), "TABLE") == [text]


def test_asciidoc_boxes_quotations_and_definitions(tmp_path: Path) -> None:
    source = (
        "= Ponds\n\n== Care\nNOTE: Mind the +\nice.\n\n.Cold\n[WARNING]\n====\nIt breaks.\n\n* often\n\n"
        "----\nx = 1\n----\n====\n\n****\nOf frogs.\n****\n\n[quote, Ann Author, Book]\n____\nStill.\n\nDeep.\n____\n\n"
        "Weir:: A dam.\nLock::\n  A gate.\n+\nFor boats.\n\nGates::\n* Oak\n\nBehind it.\n"
    )
    draft = read(write(tmp_path, "a.adoc", source))
    kinds = {one.key: one for one in draft.containers}

    def around(key: str | None) -> list[str]:
        return [f"{kinds[key].type.value} {kinds[key].title}", *around(kinds[key].parent)] if key else []

    assert [(one.type.value, one.text, around(one.container)) for one in draft.nodes[2:]] == [
        ("PARAGRAPH", "Note", ["TEXT_BOX Note"]),
        ("PARAGRAPH", "Mind the ice.", ["TEXT_BOX Note"]),
        ("PARAGRAPH", "Warning", ["TEXT_BOX Warning"]),
        ("PARAGRAPH", "Cold", ["TEXT_BOX Warning"]),
        ("PARAGRAPH", "It breaks.", ["TEXT_BOX Warning"]),
        ("LIST_ITEM", "often", ["LIST None", "TEXT_BOX Warning"]),
        ("CODE", "x = 1", ["TEXT_BOX Warning"]),
        ("PARAGRAPH", "Of frogs.", ["TEXT_BOX None"]),
        ("BLOCK_QUOTATION", "Still.", []),
        ("BLOCK_QUOTATION", "Deep.", []),
        ("BLOCK_QUOTATION", "— Ann Author, Book", []),
        ("LIST_ITEM", "**Weir:**", ["LIST None"]),
        ("LIST_ITEM", "A dam.", ["LIST None"]),
        ("LIST_ITEM", "**Lock:**", ["LIST None"]),
        ("LIST_ITEM", "A gate.", ["LIST None"]),
        ("LIST_ITEM", "For boats.", ["LIST None"]),
        ("LIST_ITEM", "**Gates:**", ["LIST None"]),
        ("LIST_ITEM", "Oak", ["LIST None"]),
        ("PARAGRAPH", "Behind it.", []),
    ]


def test_asciidoc_bibliography(tmp_path: Path) -> None:
    source = "= Ponds\n\nAs <<byron>> says.\n\n== References\n\n* [[[byron]]] Byron, A. Ponds. 1840.\n"
    draft = read(write(tmp_path, "a.adoc", source))
    assert node(draft, "[byron] Byron").anchors == ["byron"]


def test_plain_text_knows_the_titles_of_parts(tmp_path: Path) -> None:
    draft = read(write(tmp_path, "a.txt", "Of ponds.\n\nREFERENCES\n\nByron, A. Ponds. 1840.\n\nGlossary\n\nthanks\n"))
    assert texts(draft, "HEADING") == ["REFERENCES"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_rows_and_header(tmp_path: Path, separator: str) -> None:
    rows = [["Pond", "Depth"], ["N", "2"], ["S", "4"]]
    draft = read(write(tmp_path, "a.csv", "\n".join(separator.join(row) for row in rows)))
    (table,) = draft.nodes
    assert (table.data["cells"], table.data["header_rows"]) == (rows, 1)


def test_lines_above_and_below_the_table_of_a_csv_are_text(tmp_path: Path) -> None:
    table = "Pond,Depth\nN,2\n\nS,4\n"
    draft = read(write(tmp_path, "a.csv", f"Report,\nToday,\n,\n{table}\n,Measured by hand\n"))
    assert [(one.type.value, one.text) for one in draft.nodes] == [
        ("PARAGRAPH", "Report"),
        ("PARAGRAPH", "Today"),
        ("TABLE", "Pond | Depth\nN | 2\nS | 4"),
        ("PARAGRAPH", "Measured by hand"),
    ]
    assert draft.nodes[2].data["header_rows"] == 1
    for other in (f"{table}\nE,\n", "Report,\n\nN,2\nS,4\n", f"Group,\n{table}"):  # nothing names or parts them
        assert [one.type for one in read(write(tmp_path, "a.csv", other)).nodes] == ["TABLE"]


def test_csv_with_quoted_line_ends_and_ragged_rows(tmp_path: Path) -> None:
    (table,) = read(write(tmp_path, "a.csv", 'a,b\n"two\nlines",x\nalone\n')).nodes
    assert table.data["cells"] == [["a", "b"], ["two\nlines", "x"], ["alone", ""]]


def test_plain_text_paragraphs_pages_and_headings(tmp_path: Path) -> None:
    night = "It was a dark and stormy night and the rain fell in\ntorrents, except at times."
    source = f"CHAPTER I\n\n{night}\n\n\x0cRoses\nViolets\n"
    draft = read(write(tmp_path, "a.txt", source))
    assert [(n.type, n.text, n.positions[0].page_pdf) for n in draft.nodes] == [
        ("HEADING", "CHAPTER I", 1),
        ("PARAGRAPH", "It was a dark and stormy night and the rain fell in torrents, except at times.", 1),
        ("PARAGRAPH", "Roses\nViolets", 2),
    ]


def test_plain_text_has_the_title_of_its_contents_once(tmp_path: Path) -> None:
    """Filings have a link to the contents on each page, and all text behind one stood in a list of contents."""
    pages = [f"Table of Contents\n\nWhat page {number} says of the plan.\n\n{number}" for number in range(1, 5)]
    draft = read(write(tmp_path, "filing.txt", "\n\n".join(pages)))
    heads = [node for node in draft.nodes if node.text == "Table of Contents"]
    assert [str(node.type) for node in heads] == ["HEADING", "PARAGRAPH", "PARAGRAPH", "PARAGRAPH"]
    assert [str(row.type) for row in draft.containers] == ["HEADER"] * 3
    volumes = "\n\n".join(f"VOLUME {one}\n\nContents\n\nI. Of trade\n\nThe end of volume {one}." for one in "ABCDE")
    assert not read(write(tmp_path, "volumes.txt", volumes)).containers
    notes = read(write(tmp_path, "chapters.txt", "Notes\n\nOne.\n\nNotes\n\nTwo.\n\nNotes\n\nThree.\n"))
    assert [node.level for node in notes.nodes] == [1, None] * 3


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_plain_text_in_any_charset(tmp_path: Path, charset: str) -> None:
    words = "Ça et là, le café était fermé à l'été; où étaient les élèves français de la forêt?"
    draft = read(write(tmp_path, "a.txt", words.encode(charset)))
    assert [n.text for n in draft.nodes] == [words]


def test_plain_text_in_the_charset_that_was_named(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "пруд".encode("koi8-r"))
    assert read(path, charset="koi8-r").nodes[0].text == "пруд"
    with pytest.raises(DamagedFileError, match="ascii"):
        read(path, charset="ascii")


_KINDS = st.sampled_from(["", "bold", "italic", "code", "link", "ref"])


@given(st.lists(st.tuples(_KINDS, st.text(" ab*`\\[](é", max_size=6)), max_size=8))
def test_marks_change_no_text_and_places_are_right(pieces: list[tuple[str, str]]) -> None:
    marks = Marks()
    coded = "".join(marks.around(text, kind, "http://x.org") if kind else text for kind, text in pieces)
    bare = "".join(text for _, text in pieces)
    assert marks.strip(coded) == bare
    assert marks.decode(coded, plain=True).text == bare.strip()
    for is_plain in (True, False):
        found = marks.decode(coded + marks.put("note", "n", "1") + "end", plain=is_plain)
        assert found.text[found.notes[0].start :] == "end"
        assert all(found.text[place.start :].startswith(place.text) for place in found.references)


def test_marks_leave_characters_of_the_source_alone() -> None:
    icon = "\U000f0000"
    marks = Marks(icon)
    coded = icon + marks.around("b", "bold")
    assert marks.decode(coded).text == f"{icon}**b**"
