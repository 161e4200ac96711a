"""From a draft to a tree.

``stage_one`` takes a draft apart into rows: ``languages`` guesses the language, ``references`` and ``citations`` find
what a text refers to in words. ``outline`` nests headings, ``arrange`` tells front, body and back matter apart,
``furniture`` sets running heads aside, ``tree`` makes components and their nodes.
"""
