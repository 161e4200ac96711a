"""From a question to hits and contexts.

``scope`` is where to look, with one description of each condition for all faces; ``parameters`` reads what they are
given as text. ``search`` embeds the query and asks the database; ``sections`` ranks sections, ``context`` turns hits
into blocks of text, ``pagerank`` walks the graph; ``naming`` finds what people call by name.
"""
