"""The account of markup that only its reader parses: a single lost word is seen, and words of markup are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ragraph.ingest.account.prose import prose_pieces
from ragraph.ingest.account.sources import account_of
from ragraph.ingest.readers import ReadOptions, reader_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.ingest.account.settle import Account

_SOURCES = {
    "a.tex": r"""\documentclass[a4paper]{article}
\usepackage{graphicx}
\newcommand{\river}[1]{\emph{#1}}
\title{The \emph{upper} reach}
\begin{document}
\maketitle
\section[Short]{Weirs and locks}\label{sec:weirs}
The old \emph{quicksand} was raised by \river{a foot} in K\"oln \cite[p.~3]{smith}, see Section~\ref{sec:weirs}. % ask
\begin{itemize}
  \item \textbf{Otters} and herons swim, for \$5 and $\frac{a}{b}$.
  \item \textcolor[rgb]{.2,.3,.4}{Blue} {\color[HTML]{102030} dark} \if11 yes \fi \transparent{0.5} faint
\end{itemize}
\begin{description}\item[Penstock] a gate\end{description}
\begin{table}[htbp]\centering\caption{A \emph{culvert}}
\begin{tabular}{l|r}Place & Depth \\ \hline weirside & 2 \\ \multicolumn{2}{c}{Spillway} \\ \end{tabular}\end{table}
\begin{tikzpicture}[scale=2]\draw (0,0) -- (1,1); \node[above,red] (a) at (0,1) {Headrace};\end{tikzpicture}
\includegraphics[width=3cm]{picture.png}
\begin{verbatim}
print("floodgate")
\end{verbatim}
\end{document}
""",
    "a.rst": r"""
The upper reach
===============

.. _weirs:

The old *quicksand* was raised by ``a foot`` [1]_, see `the list <https://example.org/nets>`_ and :ref:`weirs <weirs>`.

* **Otters** and herons swim.

Penstock
   a gate

.. table:: A *culvert*
   :widths: 10 20

   ======== =====
   Place    Depth
   ======== =====
   weirside 2
   ======== =====

.. figure:: picture.png
   :alt: Headrace
   :width: 3cm

   Spillway

.. a comment
   of two lines

.. code-block:: python
   :linenos:

   print("floodgate")

.. raw:: html

   <p class="note">A <i>ladder</i> &amp; a gate<!-- of <b>fish</b> --></p>

.. [1] Smith.
""",
    "a.adoc": r"""= The upper reach
:toc: left

== Weirs and locks

[[weirs]]
The old _quicksand_ was raised by `a foot`, see https://example.org/nets[the list] and <<weirs,weirs>>.
// ask

* *Otters* and herons swim.

Penstock:: a gate

.A _culvert_
[cols="1,2"]
|===
|Place |Depth
|weirside |2
|===

.Spillway
image::picture.png[Headrace,width=300]

[source,python]
----
print("floodgate")
----

A pass:q[<b class="big">gate</b>] of +++<span title="oak">wood &amp; iron</span>+++.

++++
<p class="note">A <i>ladder</i><!-- of <b>fish</b> --></p>
++++
""",
    "a.org": r"""#+TITLE: The upper reach
#+OPTIONS: toc:nil
* Weirs and locks
:PROPERTIES:
:CUSTOM_ID: weirs
:END:
The old /quicksand/ was raised by =a foot=, see [[https://example.org/nets][the list]].
# ask
- *Otters* and herons swim.

- Penstock :: a gate

#+CAPTION: A /culvert/
| Place    | Depth |
|----------+-------|
| weirside | 2     |

Headrace and Spillway.
#+begin_src python :results output
print("floodgate")
#+end_src
""",
    "a.md": r"""---
lang: en
---
# The upper reach {#reach}

<!-- ask -->
The old *quicksand* was raised by `a foot` <b>there</b>, see [the list](https://example.org/nets "Nets") and [nets][n].

- [ ] **Otters** and herons swim.

Penstock
: a gate

Table: A *culvert*

| Place    | Depth |
|----------|-------|
| weirside | 2     |

![Headrace](picture.png)

!!! note "Spillway"
    Mind it.

```python
print("floodgate")
```

[n]: https://example.org/nets
""",
}
_WORDS = ("quicksand", "herons", "Penstock", "culvert", "weirside", "Headrace", "Spillway", "floodgate", "upper")
"""Of a paragraph, an item, a term, a caption, a cell, a figure, a label, code, and a title."""


def _account(path: Path, change: Callable[[str], str] = lambda text: text) -> Account:
    draft = reader_for(path).read(path, ReadOptions())
    nodes = [
        node.model_copy(update={
            "text": change(node.text),
            "description": change(node.description or ""),
            "data": {name: value for name, value in node.data.items() if name == "layer"},
        })
        for node in draft.nodes
    ]  # fmt: skip
    containers = [one.model_copy(update={"title": change(one.title or "")}) for one in draft.containers]
    metadata = draft.metadata.model_copy(update={"title": change(draft.metadata.title or "")})
    update: dict[str, Any] = {"nodes": nodes, "containers": containers, "metadata": metadata}
    account = account_of(path, draft.model_copy(update=update), ReadOptions())
    assert account is not None
    return account


@pytest.mark.parametrize("name", _SOURCES)
def test_a_single_lost_word_is_seen(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(_SOURCES[name], encoding="utf-8")
    whole = _account(path)
    assert (whole.unaccounted, whole.samples) == (0, [])
    for word in _WORDS:
        account = _account(path, lambda text, word=word: text.replace(word, ""))  # type: ignore[misc]
        assert account.samples == [word], (word, account)


_OPENED = {
    "markdown": ("`", "<!--", "<script>", "[^", "[^a", "[a", "    \n"),
    "rst": (":a:", "\t", "..\n", "a::\n\n", "link:a"),
    "asciidoc": ("`", "``` a\n", "..", "_", "a=", 'title="', "image::a[", "http://", "a", "++++\n", "+++a\n", "pass:["),
    "org": ("#+begin_src\n", "#+begin_export html\n", ":PROPERTIES:\n", "@@a:", "[["),
    "latex": ("\\begin{", "\\a{", "$", "[", "%"),
}


@pytest.mark.parametrize("kind", _OPENED)
def test_what_opens_and_never_ends_takes_no_time_beyond_its_length(kind: str) -> None:
    """At a time with the square of the length, each of these takes minutes."""
    for opened in _OPENED[kind]:
        list(prose_pieces(opened * (400_000 // len(opened)), kind))


def test_nodes_of_a_drawing_take_time_with_its_length() -> None:
    drawing = "\\begin{tikzpicture}" + "node a " * 50_000 + "\\node[draw] at (0,{f(g(x))}) {Weir};\\end{tikzpicture}"
    assert "Weir" in "".join(piece.text for piece in prose_pieces(drawing, "latex") if piece.reason is None)
