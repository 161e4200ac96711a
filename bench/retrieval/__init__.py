"""Measure how much of the marked evidence is in a context, of ragraph and of others: ``bench/results/retrieval.md``.

One module per step: ``data`` (questions and documents), ``peers`` (how others cut), ``words`` and ``rankers`` (how
others rank), ``opponents`` and ``ours`` (the lines), ``measure`` (questions asked of lines), ``report`` (tables).
"""
