"""HTML: the text of a page, its structure, anchors and notes.

``panels`` opens what a reader can open of a page and ``prune`` takes controls out. ``page`` is the order in which
text and furniture are told apart: ``sizes`` counts letters and links, ``title`` finds the title, ``core`` the element
around the text, ``around`` what stands around it, ``names`` and ``within`` furniture by its name, ``offers`` boxes of
links. ``blocks`` walks over what is left.
"""
