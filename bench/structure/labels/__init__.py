"""A hundred pages labelled by eye from pictures: see README.md in this folder."""

from bench.structure.labels.model import Block, Cell, Label, Mark, Page, Table, labels, pages

__all__ = ["Block", "Cell", "Label", "Mark", "Page", "Table", "labels", "pages"]
