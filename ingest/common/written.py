"""Values of JSON and YAML as the file writes them: 1.50 stays 1.50, the time 12:30 of YAML is no number."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import yaml


class Written(float):
    """A number that prints as it is written: 1.50, not 1.5."""

    digits: str

    def __new__(cls, digits: str) -> Written:
        """Return the number of digits that Python can read."""
        number = super().__new__(cls, digits)
        number.digits = digits
        return number

    def __str__(self) -> str:
        """Return the digits as they are written."""
        return self.digits


def read_json(text: str) -> Any:
    """Return what JSON states; a number that is too long or too large for Python stays text, with all its digits.

    Raises:
        json.JSONDecodeError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, parse_int=_whole, parse_float=_decimal)


def read_yaml(text: str) -> list[Any]:
    """Return what each document of YAML states.

    Numbers, truth values and times stay text if they would print in another way: ``010``, ``yes``, ``12:30``.

    Raises:
        yaml.YAMLError: it is not YAML.
        RecursionError: it is nested too deeply.
    """
    return list(yaml.load_all(text, _AsWritten))


def _whole(text: str) -> int | str:
    is_short = len(text) <= (sys.get_int_max_str_digits() or sys.maxsize)
    try:
        return number if is_short and str(number := int(text)) == text else text
    except ValueError:
        return text


def _decimal(text: str) -> Written | str:
    try:
        return Written(text) if math.isfinite(float(text)) else text
    except ValueError:
        return text


class _AsWritten(yaml.SafeLoader):
    """Reads YAML without changing what it prints."""


_VALUES = {
    "int": _whole,
    "float": _decimal,
    "bool": lambda text: {"true": True, "false": False}.get(text, text),
    "timestamp": str,
}
for _kind, _read in _VALUES.items():
    _AsWritten.add_constructor(
        f"tag:yaml.org,2002:{_kind}", lambda loader, node, read=_read: read(loader.construct_scalar(node))
    )
