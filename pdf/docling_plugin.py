"""What docling finds under the entry point ``docling``: our rules as engines of its own PDF pipelines.

With ``PdfPipelineOptions(allow_external_plugins=True, layout_options=RuleLayoutOptions())``, and
``table_structure_options=RuleTableOptions()`` for tables, docling reads PDF without weights; see ``docling_models``.
"""

from __future__ import annotations

from typing import Any


def layout_engines() -> dict[str, list[Any]]:
    """Return the layout engine, kind ``ragraph_rules``, to docling's factory."""
    from ragraph.pdf.docling_models import RuleLayoutModel

    return {"layout_engines": [RuleLayoutModel]}


def table_structure_engines() -> dict[str, list[Any]]:
    """Return the table engine, kind ``ragraph_rules``, to docling's factory."""
    from ragraph.pdf.docling_models import RuleTableModel

    return {"table_structure_engines": [RuleTableModel]}
