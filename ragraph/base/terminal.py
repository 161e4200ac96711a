"""Text from documents and files for a terminal, which would execute some characters instead of showing them."""

from __future__ import annotations

import re

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters except tab and line feed, Unicode overrides, embeddings and isolates of direction, and lone
surrogates."""


def clean(text: str) -> str:
    """Return a text that is safe to print: each character of ``UNSAFE`` becomes U+FFFD."""
    return UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
