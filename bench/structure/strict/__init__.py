"""The strict measure: a reader's result on the pages labelled by eye, block by block (``bench/results/pdf.md``)."""

from bench.structure.strict.items import Item, letters

__all__ = ["Item", "letters"]
