"""reStructuredText, as Sphinx has it too, and notebooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ragraph.errors import DamagedFileError, EmptyFileError
from ragraph.ingest.readers import ReadOptions, reader_for
from ragraph.schema.enums import ContentNodeType as N
from ragraph.schema.enums import RelationType as R

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

RST = """\
=====
Weirs
=====

:Author: Ada Weir

A *weir* is a **low** dam [1]_, see :ref:`the use <use>` and :func:`~rivers.flow`.

.. _use:

Use
===

.. toctree::
   :maxdepth: 2

   mills

.. function:: flow(width, *, depth=1)
   :module: rivers

   Returns the flow.

   .. versionadded:: 3.9
      With a depth.

Kinds
-----

.. code-block:: python

   a = 1

====== =====
Name   Metre
====== =====
Old    2
====== =====

.. [1] Some are high.

.. include:: /etc/hostname

.. raw:: html

   <script>alert(1)</script>

Locks
=====

.. note:: For boats.
"""


def read(tmp_path: Path, name: str, content: str) -> Draft:
    path = tmp_path / name
    path.write_text(content)
    return reader_for(path).read(path, ReadOptions())


def test_sections_notes_tables_and_listings_of_rst(tmp_path: Path) -> None:
    draft = read(tmp_path, "a.rst", RST)
    heads = [(one.level, one.text) for one in draft.nodes if one.type in (N.TITLE, N.HEADING)]
    assert heads == [(None, "Weirs"), (1, "Use"), (2, "Kinds"), (1, "Locks")]
    assert (draft.metadata.title, draft.metadata.authors) == ("Weirs", ["Ada Weir"])
    by_type = {one.type: one for one in draft.nodes}
    assert by_type[N.TABLE].data["cells"] == [["Name", "Metre"], ["Old", "2"]]
    assert (by_type[N.CODE].text, by_type[N.CODE].data) == ("a = 1", {"language": "python"})
    assert by_type[N.NOTE].text == "Some are high."
    assert [one.type for one in draft.relations if one.type is R.REFERENCES_NOTE] == [R.REFERENCES_NOTE]


def test_what_sphinx_adds_is_read_and_nothing_is_included(tmp_path: Path) -> None:
    texts = [one.text for one in read(tmp_path, "a.rst", RST).nodes]
    assert any("see the use and `flow`" in text for text in texts)
    said = ["`flow(width, *, depth=1)`", "Returns the flow.", "Added in version 3.9: With a depth.", "For boats."]
    assert set(said) <= set(texts)
    assert not any(word in text for text in texts for word in ("mills", "maxdepth", ":module:", "alert", "hostname"))


def test_each_class_is_one_of_code_or_of_a_style(tmp_path: Path) -> None:
    source = """
.. class:: lead

Some words.

.. class:: Weir(width)

   It is low.

.. class:: pond

   It is deep.
"""
    said = ["Some words.", "`Weir(width)`", "It is low.", "`pond`", "It is deep."]
    assert [one.text for one in read(tmp_path, "a.rst", source).nodes] == said
    style = ".. class:: lead\n\n   Some words.\n"
    assert [one.text for one in read(tmp_path, "b.rst", style).nodes] == ["Some words."]


def test_files_that_directives_name_are_told_but_not_those_in_code(tmp_path: Path) -> None:
    source = """
Words.

.. code-block:: rst

   .. include:: shown.rst

.. include:: a.rst
.. literalinclude:: b.py
   :caption: Code

.. csv-table::
   :file: c.csv

.. raw:: html
   :file: d.html
"""
    assert read(tmp_path, "a.rst", source).warnings == [
        "files that it includes were not read: a.rst, b.py, c.csv, d.html"
    ]


TABLE = "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": "julia"}}, "nbformat": 4})


def test_cells_of_a_notebook_with_what_they_printed(tmp_path: Path) -> None:
    draft = read(
        tmp_path,
        "a.ipynb",
        notebook(
            {"cell_type": "markdown", "source": ["# Weirs\n", "\n", "A *low* dam."]},
            {
                "cell_type": "code",
                "source": 'text = """\n```\n"""',
                "outputs": [
                    {"output_type": "stream", "text": ["\x1b[31mone\x1b[0m\n"]},
                    {
                        "output_type": "execute_result",
                        "data": {"text/html": TABLE},
                    },
                    {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure size 1x1>"}},
                    {"output_type": "error", "ename": "ValueError", "evalue": "too low"},
                ],
            },
            {"cell_type": "markdown", "source": "## Use"},
        ),
    )
    assert [(one.type, one.text) for one in draft.nodes] == [
        (N.TITLE, "Weirs"),
        (N.PARAGRAPH, "A *low* dam."),
        (N.CODE, 'text = """\n```\n"""'),
        (N.CODE, "one"),
        (N.TABLE, "a\n1"),
        (N.CODE, "ValueError: too low"),
        (N.HEADING, "Use"),
    ]
    assert draft.nodes[2].data["language"] == "julia"


@pytest.mark.parametrize(
    ("content", "error"),
    [("{", DamagedFileError), (notebook(), EmptyFileError), ('{"cells": 5}', EmptyFileError)],
)
def test_notebooks_that_are_none(tmp_path: Path, content: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read(tmp_path, "a.ipynb", content)


def test_an_empty_rst(tmp_path: Path) -> None:
    with pytest.raises(EmptyFileError):
        read(tmp_path, "a.rst", ".. a comment\n")


def test_names_in_the_default_role_and_links_stated_elsewhere_are_shown(tmp_path: Path) -> None:
    draft = read(
        tmp_path,
        "a.rst",
        "Weirs\n=====\n\nWEIR_ and `the mill`_ use `~rivers.Flow` of `a river`.\n\nSee `find()` and |name|.\n",
    )
    assert [one.text for one in draft.nodes if one.type is N.PARAGRAPH] == [
        "WEIR and the mill use `Flow` of *a river*.",
        "See `find()` and |name|.",
    ]


def test_words_in_the_default_role_and_names_that_end_in_a_line_stay_as_they_are(tmp_path: Path) -> None:
    draft = read(
        tmp_path, "a.rst", "Plays\n=====\n\n`Hamlet` and :title:`Macbeth.II`, and lambda_ or in_ of the code.\n"
    )
    said = [one.text for one in draft.nodes if one.type is N.PARAGRAPH]
    assert said == ["*Hamlet* and *Macbeth.II*, and lambda_ or in_ of the code."]


def test_options_that_only_sphinx_knows_lose_no_directive(tmp_path: Path) -> None:
    content = """\
Weirs
=====

.. code-block:: python
   :linenos:
   :caption: ``weirs.py``
   :emphasize-lines: 1

   a = 1

.. math::
   :label: flow
   :nowrap:

   q = v

.. figure:: a.png
   :lightbox:
   :align: middle

   An old weir.

.. list-table::
   :header-rows: 1
   :header-alignment: left

   * - Height
   * - 2

.. raw:: html
   :unknown:

   <p>alert</p>

.. csv-table::
   :file: /etc/hostname
   :unknown:
"""
    for _ in range(2):
        draft = read(tmp_path, "a.rst", content)
        texts = [one.text for one in draft.nodes if one.text]
        assert texts == ["Weirs", "`weirs.py`", "a = 1", "q = v", "An old weir.", "Height\n2", "alert"]


def test_bars_of_progress_and_names_of_objects_are_no_text(tmp_path: Path) -> None:
    outputs = [
        {"output_type": "stream", "name": "stderr", "text": ["  0%|          | 0/9\r", "100%|██████| 9/9\n", "done\n"]},
        {"output_type": "execute_result", "data": {"text/plain": ["<Axes: xlabel='x'>"]}},
        {
            "output_type": "display_data",
            "data": {
                "text/plain": ["<IPython.core.display.HTML object>"],
                "text/html": ["<p>Height <b>2</b> m</p><script>draw()</script>"],
            },
        },
    ]
    draft = read(tmp_path, "a.ipynb", notebook({"cell_type": "code", "source": "run()", "outputs": outputs}))
    assert [one.text for one in draft.nodes] == ["run()", "done", "Height 2 m"]


def test_results_of_code_are_kept_where_they_look_like_names_of_objects(tmp_path: Path) -> None:
    printed = [
        "<class 'int'>",
        "<weir at 0x7f>",
        "apples ██████████ 42",
        "Total ━━━━ 12 of 12 tests passed",
        "|Yes|50%| |",
    ]
    shown = ["<Response [404]>", "<Color.RED: 1>", "<Quantity 5. m / s>", "[<Element a>]"]
    lost = [
        "<Axes: title={'center': 'x'}>",
        "<Weir at 0x7f3a>",
        "[<Line2D at 0x7f>, <Line2D at 0x8f>]",
        "<Figure size 6x4 with 1 Axes>",
    ]
    bars = ["100%|███| 10/10 [00:01<00:00]", "   ━━━━━━ 1.2/1.2 MB 9.1 MB/s eta 0:00:00"]
    outputs: list[dict[str, Any]] = [{"output_type": "stream", "text": [f"{line}\n"]} for line in (*printed, *bars)]
    outputs += [{"output_type": "execute_result", "data": {"text/plain": [text]}} for text in (*shown, *lost)]
    draft = read(tmp_path, "a.ipynb", notebook({"cell_type": "code", "source": "run()", "outputs": outputs}))
    assert [one.text for one in draft.nodes] == ["run()", *printed, *shown]


def test_classifiers_are_apart_and_notes_are_in_no_box(tmp_path: Path) -> None:
    draft = read(tmp_path, "a.rst", "flow : int : optional\n   Litres [1]_.\n\n.. [1] Or gallons.\n")
    assert "**flow : int : optional:**" in [one.text for one in draft.nodes]
    note = next(one for one in draft.nodes if one.type is N.NOTE)
    assert (note.text, note.container) == ("Or gallons.", None)
