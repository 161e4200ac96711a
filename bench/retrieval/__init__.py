"""Measure how much of the marked evidence a context holds, of ragraph and of others: ``bench/results/retrieval.md``.

The steps, a file each: ``data`` (questions and documents), ``peers`` (how others cut), ``words`` and ``rankers`` (how
others rank), ``opponents`` and ``ours`` (the lines), ``measure`` (questions asked of lines), ``report`` (tables).
"""
