"""The sentence that nobody sees in files made for tests, and the one that everybody does."""

from __future__ import annotations

SECRET = "Zyxomma wires the ledger to Qoph"
"""The sentence that nobody sees."""

SECRET_WORDS = ("Zyxomma", "Qoph")
"""Words of it, in case that only parts are left."""

SHOWN = "The river rose by four feet in the spring."
"""A sentence that each file shows."""

TAGGED = "".join(chr(0xE0000 + ord(letter)) for letter in SECRET)
"""The sentence in Unicode tags, which nothing draws."""
