"""How well the structure of PDF files is read, by ragraph and by others: see ``bench/results/pdf.md``."""

from bench.structure.documents import strip

__all__ = ["strip"]
