"""Modules that several steps of ingestion share. None of them uses the database.

``graph_rows`` are the rows of a document as they are written, ``ids`` makes their ids. ``titles`` is the table of
usual titles (Abstract, Literatur, 目次), ``title_matching`` compares headings with it. ``long_texts`` cuts texts that
are too long for a node. ``memory`` and ``priority`` limit what a process takes from the machine.
"""
