"""How well ragraph and others read the structure of PDF files: see ``bench/results/pdf.md``."""

from bench.structure.documents import strip

__all__ = ["strip"]
