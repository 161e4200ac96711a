"""HTML: the text of a page, its structure, anchors and notes.

``panels`` shows hidden parts that a reader can open, and ``prune`` removes controls. ``page`` separates text and
furniture, in this order. ``sizes`` counts letters and links, ``title`` finds the title, ``core`` the element around
the text. ``around`` finds the furniture around it, ``names`` and ``within`` furniture by its name, ``offers`` boxes of
links. ``blocks`` walks over the rest.
"""
