"""How likely a page or a table was read wrong: the weights of ``pdf/doubts``, learnt and judged (README.md)."""
