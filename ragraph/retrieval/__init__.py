"""Search and context: from a question to hits and blocks of text.

``scope`` describes where to search, with one description of each condition for all interfaces. ``parameters`` parses
their text values. ``search`` embeds the query and runs the search. ``sections`` ranks sections, ``context`` makes
blocks of text of hits, ``pagerank`` ranks nodes of the graph, and ``naming`` finds sections by name.
"""
