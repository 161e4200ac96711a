"""Texts of others on a terminal, which obeys some characters where it should show them."""

from __future__ import annotations

import re

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but tab and line feed; overrides, embeddings and isolates of direction; lone surrogates."""


def clean(text: str) -> str:
    """Return a text that a terminal shows and never obeys: what it would obey becomes U+FFFD."""
    return UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
