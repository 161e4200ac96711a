"""How much of the evidence that people marked a context holds, of ragraph and of others: see ``docs/retrieval.md``.

The steps, a file each: ``data`` (questions and documents), ``peers`` (how others cut), ``words`` and ``rankers`` (how
others rank), ``opponents`` and ``ours`` (the lines), ``measure`` (questions asked of lines), ``report`` (tables).
"""
