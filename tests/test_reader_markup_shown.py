"""What a person sees of markup is stored, in its order: labels of drawings, states, captions, addresses."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from ragraph.ingest.account.prose import prose_pieces
from ragraph.ingest.readers import ReadOptions, reader_for

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft


def _read(path: Path, source: str) -> Draft:
    path.write_text(source, encoding="utf-8")
    return reader_for(path).read(path, ReadOptions())


def _texts(path: Path, source: str) -> list[str]:
    return [node.text for node in _read(path, source).nodes]


def test_labels_of_a_drawing_are_the_words_of_its_figure(tmp_path: Path) -> None:
    source = r"""
\begin{figure}
\begin{tikzpicture}[every node/.style={draw}]
\node[label={above:Weir}] (a) at (0,1) {Head\textbf{race}}; \draw (a) edge node[left] {flows to} (b);
\matrix [matrix of nodes] { Deep & Slow \\ };
\begin{axis}[xlabel={Depth (m)}, ylabel=Price]\addplot{x};\addlegendentry{Curve}\end{axis}
\end{tikzpicture}
\caption{A river.}
\end{figure}
\includegraphics{river.png}
"""
    assert _texts(tmp_path / "a.tex", source) == [
        "Weir\nHeadrace\nflows to\nDeep\nSlow\nDepth (m)\nPrice\nCurve", "A river.", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("drawing", "labels"),
    [
        (r"\node[label=above:Foo] (a);", "Foo"),
        (r"\node at (0,{f(g(x))}) {Kept};", "Kept"),
        (r"\node[label={left:Foo}] (a) at ($(b)!{g(h(1))}!(c)$) [below] {Bar};", "Foo\nBar"),
    ],
)
def test_labels_of_a_drawing_are_read_once(tmp_path: Path, drawing: str, labels: str) -> None:
    picture = rf"\begin{{tikzpicture}}{drawing}\end{{tikzpicture}}"
    assert _texts(tmp_path / "a.tex", rf"\begin{{figure}}{picture}\caption{{C}}\end{{figure}}") == [labels, "C"]


def test_code_in_latex_is_not_read_as_slides_or_acronyms(tmp_path: Path) -> None:
    code = 'print("\\n<ok>")\n\\gls{eu} \\newacronym{a}{b}{c} \\frametitle{d}'
    source = (
        "\\documentclass{beamer}\\newacronym{eu}{EU}{European Union}\\begin{document}\\begin{frame}[fragile]{T}\n"
        f"\\begin{{lstlisting}}\n{code}\n\\end{{lstlisting}}\n\nThe \\gls{{eu}}.\n\\end{{frame}}\\end{{document}}"
    )
    assert _texts(tmp_path / "a.tex", source) == ["T", code, "The European Union (EU)."]


def test_latex_is_shown_as_printed(tmp_path: Path) -> None:
    source = r"""\documentclass{beamer}\newacronym{gnu}{GNU}{GNU is not Unix}
\begin{document}
See \url{https://a.org/IV\%20Est} and \url{https://a.org/a%20b} by \index{Olleris!A.}A. Olleris.

\gls{gnu}, then \gls{gnu}.
\begin{frame}[fragile]{Locks}\only<2>{Gates open.}\begin{block}{Mind}them.\end{block}\end{frame}
\end{document}
"""
    assert _texts(tmp_path / "a.tex", source) == [
        "See https://a.org/IV%20Est and https://a.org/a%20b by A. Olleris.", "GNU is not Unix (GNU), then GNU.",
        "Locks", "Gates open.", "**Mind**", "them.",
    ]  # fmt: skip


def test_states_tags_and_pages_of_org(tmp_path: Path) -> None:
    source = """#+SUBTITLE: For spring
* TODO [#A] Buy nets   :shop:urgent:
Use <uid> and =<b>=.
* COMMENT Nothing
* Done
- Penstock :: a gate, see [[file:gate.org][more]]
#+begin_export html
<p>Seen</p>
#+end_export
#+begin_export latex
unseen
#+end_export
:NOTES:
Kept.
:END:
"""
    assert _texts(tmp_path / "a.org", source) == [
        "For spring", "TODO Buy nets", ":shop:urgent:", "Use <uid> and `<b>`.", "Done",
        "**Penstock:** a gate, see [more](gate.org)", "Seen", "Kept.",
    ]  # fmt: skip


def test_directives_that_show_text(tmp_path: Path) -> None:
    source = """
.. toctree::
   :caption: Guide

   intro
   Deep page <deep/page>

.. class:: Foo(a, b=None)

   Its body.

.. raw:: html

   <p>Raw words</p><script>none()</script>

.. include:: other.rst
"""
    draft = _read(tmp_path / "a.rst", source)
    assert [node.text for node in draft.nodes] == ["Guide", "Deep page", "`Foo(a, b=None)`", "Its body.", "Raw words"]
    assert draft.warnings == ["files that it includes were not read: other.rst"]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.json", '{"version": 3, "web": {"image": "x", "env": {"A": "1"}, "run": "y"}, "note": "end"}'),
        ("a.yaml", "version: 3\nweb:\n  image: x\n  env:\n    A: 1\n  run: y\nnote: end\n"),
    ],
)
def test_fields_stay_in_their_order(tmp_path: Path, name: str, source: str) -> None:
    assert _texts(tmp_path / name, source) == ["version: 3", "web", "image: x", "env", "A: 1", "run: y", "note: end"]


def test_lists_within_definitions_stay_behind_their_terms(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.adoc", "= Doc\n\nDairy::\n* Milk\n* Eggs\nBakery::\n. Bread\nCPU:: A chip.\n")
    outer = next(one.key for one in draft.containers if one.parent is None)
    assert [one.parent for one in draft.containers] == [None, outer, outer]


def test_an_open_dialog_is_text(tmp_path: Path) -> None:
    page = "<h1>Office</h1><p>Before.</p><dialog open><p>Closed on Monday.</p></dialog><dialog><p>None.</p></dialog>"
    draft = _read(tmp_path / "a.html", f"<html><body>{page}<p>After.</p></body></html>")
    assert [(node.text, node.container) for node in draft.nodes] == [
        ("Office", None), ("Before.", None), ("Closed on Monday.", None), ("After.", None),
    ]  # fmt: skip


def test_grid_tables_and_attributes_of_pandoc(tmp_path: Path) -> None:
    source = """
+-------------+-------+
| Fruit       | Price |
+=============+:=====:+
| Apple *red* | - low |
| and green   | - £1  |
+-------------+-------+

+------+-----+------+
| Temp | min | -89  |
|      +-----+------+
|      | max | a|b  |
+------+-----+------+

::: {.warning title="Mind"}
[Small]{.smallcaps} and ![p](a.png){width=50%}
:::
"""
    draft = _read(tmp_path / "a.md", source)
    assert [node.text for node in draft.nodes if node.text] == [
        "Fruit | Price\nApple red and green | - low - £1", "Temp | min | -89\n | max | a|b", "Mind", "Small and",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "So $P(x){.5}$ and $[a]{.b}$.", "$$\\n[a]{.b} P(x){.5}\\n$$", "So P(x){i=1}.", "See (a){n=3}.",
        "A [note]{.5 mm} and [x]{#1}.", "Costs [a](b.md){x} more.",
    ],
)  # fmt: skip
def test_braces_that_are_no_attributes_are_text(tmp_path: Path, source: str) -> None:
    braces = re.findall(r"\{[^{}]*\}", source)
    draft = _read(tmp_path / "a.md", source)
    assert re.findall(r"\{[^{}]*\}", " ".join(node.text for node in draft.nodes)) == braces
    kept = "\n".join(piece.text for piece in prose_pieces(source, "markdown") if piece.reason is None)
    assert [one for one in braces if one not in kept and one not in "$[a]{.b}$"] == []


def test_attributes_of_links_with_parentheses_and_several(tmp_path: Path) -> None:
    source = 'A [b](c_(d)){.e #f g="h i" j=5%} and [k]{.l m=n} for \\$5 or $6.'
    assert _texts(tmp_path / "a.md", source) == ["A [b](c_%28d%29) and k for $5 or $6."]


def test_pages_in_a_notebook_are_read_in_their_order(tmp_path: Path) -> None:
    page = "<p>Before it.</p><table><caption>Cap</caption><tr><th>A</th><td>1</td></tr></table><footer>End</footer>"
    output = {"output_type": "display_data", "data": {"text/html": [page], "text/plain": ["A table of 1"]}}
    cell = {"cell_type": "code", "source": "t", "outputs": [output]}
    draft = _read(tmp_path / "a.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}))
    assert [node.text for node in draft.nodes] == ["t", "Before it.", "Cap", "A | 1", "End"]


def test_like_elements_that_touch_are_words_but_not_runs(tmp_path: Path) -> None:
    source = "<doc><p>Press <key>Ctrl</key><key>C</key>, <r>Hel</r><r>lo</r>.</p><p>And go.</p></doc>"
    assert _texts(tmp_path / "a.xml", source) == ["Press Ctrl C, Hello.", "And go."]


def test_what_is_marked_as_a_formula_is_one(tmp_path: Path) -> None:
    """Sphinx and pandoc put TeX between delimiters in elements of the class "math"."""
    source = r"""<html><body><h1>Sums</h1><p>Given <span class="math notranslate">\(a+b\)</span>.</p>
<div class="math notranslate nohighlight">
\[x^2 + y^2\]</div><div class="math"><p>No formula.</p></div></body></html>"""
    nodes = [(node.type.value, node.text) for node in _read(tmp_path / "a.html", source).nodes[1:]]
    assert nodes == [("PARAGRAPH", "Given $a+b$."), ("FORMULA", "x^2 + y^2"), ("PARAGRAPH", "No formula.")]
    source = "Sums\n====\n\n.. math::\n\n   x^2 + y^2\n\nGiven :math:`a+b`.\n"
    nodes = [(node.type.value, node.text) for node in _read(tmp_path / "a.rst", source).nodes[1:]]
    assert nodes == [("FORMULA", "x^2 + y^2"), ("PARAGRAPH", "Given $a+b$.")]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"\[a \\[2pt] b\]", ("FORMULA", r"a \\[2pt] b")),
        (r"$$a \text{ if $b$}$$", ("FORMULA", r"a \text{ if $b$}")),
        (r"$5\$ + x$", ("FORMULA", r"5\$ + x")),
        (r"\(a\) is less than \(b\)", ("PARAGRAPH", r"\(a\) is less than \(b\)")),
        ("$a$ is less than $b$", ("PARAGRAPH", "$a$ is less than $b$")),
    ],
)
def test_text_between_two_formulas_is_no_formula(tmp_path: Path, written: str, shown: tuple[str, str]) -> None:
    source = f'<h1>Sums</h1><p class="math">{written}</p>'
    (node,) = _read(tmp_path / "a.html", source).nodes[1:]
    assert (node.type.value, node.text) == shown
