"""Whole numbers of JSON as Python numbers, and as text if they have more digits than Python reads."""

from __future__ import annotations

import json
import sys
from typing import Any


def read_json(text: str) -> Any:
    """Return what JSON states; a number that is too long for Python stays text, with all its digits.

    Raises:
        json.JSONDecodeError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    longest = sys.get_int_max_str_digits() or sys.maxsize
    return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) <= longest else digits)
