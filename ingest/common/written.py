"""Values of JSON and YAML as the file writes them: 1.50 stays 1.50, the time 12:30 of YAML is no number."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable


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

    A name that an object states several times has all its values, in a list.

    Raises:
        json.JSONDecodeError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, parse_int=_whole, parse_float=_decimal, object_pairs_hook=_members)


def read_yaml(text: str) -> list[Any]:
    """Return what each document of YAML states.

    Numbers, truth values and times stay text if they would print in another way: ``010``, ``yes``, ``12:30``. A name
    that is stated several times has all its values, in a list.

    Raises:
        yaml.YAMLError: it is not YAML.
        RecursionError: it is nested too deeply.
    """
    return list(yaml.load_all(text, _AsWritten))


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        every: dict[str, list[Any]] = {}
        for name, value in pairs:
            every.setdefault(name, []).append(value)
        members = {name: values if len(values) > 1 else values[0] for name, values in every.items()}
    return members


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

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Give a name that a mapping states several times all its values; others are merged into it later."""
        node = super().compose_mapping_node(anchor)
        every: dict[tuple[str, str], list[yaml.Node]] = {}
        keys: dict[tuple[str, str], yaml.Node] = {}
        others = []
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                keys.setdefault((key.tag, key.value), key)
                every.setdefault((key.tag, key.value), []).append(value)
            else:
                others.append((key, value))
        if any(len(values) > 1 for values in every.values()):
            node.value = [*others, *((keys[name], _together(values)) for name, values in every.items())]
        return node


def _together(values: list[yaml.Node]) -> yaml.Node:
    return values[0] if len(values) == 1 else yaml.SequenceNode("tag:yaml.org,2002:seq", values)


def _keep_as_written(kind: str, read: Callable[[str], Any]) -> None:
    def construct(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        return read(loader.construct_scalar(node))

    _AsWritten.add_constructor(f"tag:yaml.org,2002:{kind}", construct)


_keep_as_written("int", _whole)
_keep_as_written("float", _decimal)
_keep_as_written("bool", lambda text: {"true": True, "false": False}.get(text, text))
_keep_as_written("timestamp", str)
