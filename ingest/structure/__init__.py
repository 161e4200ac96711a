"""Turn a draft into a tree.

``assembling`` turns a draft into rows: ``languages`` guesses the language, ``references`` and ``citations`` find
references in the text. ``outline`` nests headings, ``arrange`` separates front, body and back matter, ``furniture``
sets page headers and footers aside, ``tree`` makes components and assigns nodes to them.
"""
