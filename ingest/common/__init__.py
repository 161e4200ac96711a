"""What several steps of ingestion share. Nothing here knows a database.

``graph_rows`` are the rows of a document as they are written, ``ids`` makes their ids. ``titles`` is the one table of
titles that every book knows (Abstract, Literatur, 目次), ``matter`` matches it. ``long_texts`` cuts what is too long
for a node; ``memory`` and ``priority`` keep a process small and polite.
"""
