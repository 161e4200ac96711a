"""Values of JSON and YAML as the file writes them: 1.50 stays 1.50, the time 12:30 of YAML is no number."""

from __future__ import annotations

import json
import math
import re
import sys
from typing import TYPE_CHECKING, Any

import yaml

from ragraph.errors import FileTooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

_TOO_LONG = re.compile(r"Exceeds the limit \(\d+ digits\) for integer string conversion.*?increase the limit")
"""What Python says of a number that is too long to be read in linear time."""


def in_a_line(error: BaseException) -> str:
    """Return the message of an exception in one line; of a number with too many digits in plain words."""
    return _TOO_LONG.sub("a number has more than 4,300 digits", " ".join(str(error).split()))


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
        yaml.YAMLError: it is not YAML, or an alias stands for a value that contains it.
        FileTooLargeError: its aliases stand for more values than the limit.
        RecursionError: it is nested too deeply.
    """
    return list(yaml.load_all(text, _AsWritten))


def safe_yaml(text: str) -> Any:
    """Return what the first document of YAML states, with values as YAML reads them; errors as ``read_yaml``."""
    return next(iter(yaml.load_all(text, _Bounded)), None)


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


_MOST_VALUES = 1_000_000
"""Maximum values that aliases stand for: ten lines of them can stand for more than any memory holds."""


class _Bounded(yaml.SafeLoader):
    """Reads YAML whose aliases do not stand for too many values."""

    _has_aliases = False

    def construct_document(self, node: yaml.Node) -> Any:
        """Return the value of a document.

        Raises:
            FileTooLargeError: its aliases stand for more values than the limit.
        """
        if self._has_aliases and (count := _values(node, {})) > _MOST_VALUES:
            raise FileTooLargeError(
                f"the aliases of the file stand for {count:,} values, more than {_MOST_VALUES:,}; write them out or"
                " remove them"
            )
        return super().construct_document(node)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a node, and remember whether it is an alias."""
        self._has_aliases = self._has_aliases or self.check_event(yaml.AliasEvent)
        return super().compose_node(parent, index)


class _AsWritten(_Bounded):
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


def _values(node: yaml.Node, known: dict[int, int]) -> int:
    """Return the number of values of a node, those of aliases each time that they are used."""
    if id(node) in known:
        if not known[id(node)]:
            raise yaml.YAMLError("an alias stands for a value that contains it")
        return known[id(node)]
    known[id(node)] = 0
    inner: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        inner = [one for pair in node.value for one in pair]
    elif isinstance(node, yaml.SequenceNode):
        inner = node.value
    known[id(node)] = 1 + sum(_values(one, known) for one in inner)
    return known[id(node)]


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
_keep_as_written("null", lambda text: None if text else "")
