"""Entities: what documents name, found by extractors that plug in, and looked up.

``found`` is what extractors read and give. ``acronyms``, ``terms`` and ``definitions`` need no model, ``models`` and
``language`` ask one; ``spotting`` finds names in texts; ``extract`` runs them; ``lookup`` reads what was found.
"""
