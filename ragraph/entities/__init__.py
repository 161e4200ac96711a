"""Entities: the things that documents name, found by pluggable extractors, and looked up.

``found`` has the input and output of extractors. ``acronyms``, ``terms`` and ``definitions`` need no model, ``models``
and ``language`` use one. ``spotting`` finds names in texts, ``extract`` runs extractors, ``lookup`` reads the results.
"""
