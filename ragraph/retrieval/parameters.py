"""Parse the text values of search options, for command line, REST, tools and forms.

``ScopeOptions`` and ``SearchOptions`` describe each search option once, as a ``Parameter``: its public name, its format
(``Form``) and its help. Every interface takes its parameters from there and passes its values to ``gathered``. Texts
and numbers are checked by ``base.arguments``; this module parses pages, dates, conditions and named numbers.
"""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import dataclass
from datetime import date
from functools import wraps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from ragraph.base.arguments import text
from ragraph.errors import ArgumentError
from ragraph.filters import And, Filter, field, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

R = TypeVar("R")

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_NUMBER = re.compile(r"([a-z]+) *: *([0-9]{1,9}(?:\.[0-9]{1,9})?)")


class FormError(ValueError):
    """A value that does not have the format of its parameter.

    Args:
        said: the message, with the name of the parameter.
        hint: the expected format.
        without_name: the message without the name, for the command line, which prints the name itself.
    """

    def __init__(self, said: str, hint: str, without_name: str) -> None:
        super().__init__(said)
        self.said = said
        self.hint = hint
        self.without_name = without_name

    def error(self) -> ArgumentError:
        """Return the error that interfaces other than the command line raise."""
        return ArgumentError(self.said, hint=self.hint)


def _only(parts: Sequence[Any]) -> Any:
    return parts[0]


@dataclass(frozen=True, slots=True)
class Form:
    """The format of a value, and its conversion.

    Attributes:
        read: converts the text, with the name of the parameter as first argument; returns None for no value; raises
            ``FormError`` or ``ArgumentError``.
        several: True if the parameter may be repeated; its value is then a list.
        join: makes the value of an option from those of its parameters, in their order; returns None if all are None.
        json: type of the parameter of a tool, if JSON has a better type than text.
    """

    read: Callable[[str, Any], Any]
    several: bool = False
    join: Callable[[Sequence[Any]], Any] = _only
    json: Any = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A search option as interfaces present it. Some options have two parameters, such as a first and a last day.

    Attributes:
        option: its name in ``ScopeOptions`` or ``SearchOptions``.
        form: its format.
        help: help text of the command line.
        name: its name on the command line and in addresses; for an option with several values the singular: ``tag``.
        description: description in REST; None for ``help``.
        brief: a few words for tools, sent to models with each call; None for ``description``.
        metavar: placeholder of its value on the command line; None for the name of its type.
        values: type of a value: ``str``, a ``Literal``, or an enumeration that only the command line enforces.
        default: the default value, or None.
        example: an example value.
        tools: False if tools do not have it, because it is short for another option or of no use to a model.
    """

    option: str
    form: Form
    help: str
    name: str = ""
    description: str | None = None
    brief: str | None = None
    metavar: str | None = None
    values: Any = str
    default: Any = None
    example: str | None = None
    tools: bool = True

    @property
    def public_name(self) -> str:
        """Its name on the command line and in addresses."""
        return self.name or self.option

    @property
    def described(self) -> str:
        """Its description in REST."""
        return self.help if self.description is None else self.description


def gathered(
    parameters: Iterable[Parameter],
    values: Mapping[str, Any],
    named: Callable[[Parameter], str] = lambda parameter: parameter.public_name,
    refused: Callable[[Parameter, FormError], Exception] = lambda _, wrong: wrong.error(),
) -> dict[str, Any]:
    """Return the search options for the values that an interface received; options without a value are left out.

    Args:
        parameters: the parameters of the interface.
        values: the received values, by the interface's names.
        named: returns the interface's name of a parameter.
        refused: returns the exception to raise for a value with a wrong format.

    Raises:
        ArgumentError: a value has a wrong format, and ``refused`` is the default.
    """
    read: dict[str, tuple[Form, list[Any]]] = {}
    for parameter in parameters:
        given = values.get(named(parameter))
        try:
            value = None if given is None else parameter.form.read(named(parameter), given)
        except FormError as wrong:
            raise refused(parameter, wrong) from None
        read.setdefault(parameter.option, (parameter.form, []))[1].append(value)
    joined = {option: form.join(parts) for option, (form, parts) in read.items()}
    return {option: value for option, value in joined.items() if value is not None}


def spread(
    function: Callable[..., R],
    parameters: Mapping[str, Sequence[inspect.Parameter]],
    gather: Callable[[str, dict[str, Any]], Any],
) -> Callable[..., R]:
    """Return a function that takes several parameters in place of one.

    If the function itself has a parameter of the same name, that one stays as it is.

    Args:
        function: the function to call.
        parameters: the replacing parameters, by the name of the parameter that they replace.
        gather: makes the argument for a parameter, from its name and the values that differ from their defaults.
    """
    own = inspect.signature(function, eval_str=True)
    taken = {
        into: [item for item in several if item.name not in own.parameters]
        for into, several in parameters.items()
        if into in own.parameters
    }
    flat = [part for name, parameter in own.parameters.items() for part in taken.get(name, [parameter])]
    kinds = {item.name: item.POSITIONAL_ONLY if item.name == "self" else item.KEYWORD_ONLY for item in flat}
    signature = own.replace(parameters=[item.replace(kind=kinds[item.name]) for item in flat])

    @wraps(function)
    def run(*arguments: Any, **named: Any) -> R:
        values = signature.bind(*arguments, **named).arguments
        itself = [values.pop("self")] if "self" in values else []
        chosen = {}
        for into, several in taken.items():
            given = {item.name: values.pop(item.name, item.default) for item in several}
            said = {item.name: given[item.name] for item in several if given[item.name] != item.default}
            chosen[into] = gather(into, said)
        return function(*itself, **values, **chosen)

    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in flat} | {"return": own.return_annotation}
    return run


def one_document(named: str | Iterable[str] | None) -> str:
    """Return the document that an earlier version is read of.

    Raises:
        ArgumentError: none is named, or several.
    """
    several = [named] if isinstance(named, str) else list(named or ())
    if len(several) != 1:
        raise ArgumentError("as_of needs one document", hint="name it as document=")
    return several[0]


## -- formats -----------------------------------------------------------------------------------------------------


def _several(_: str, given: Any) -> Any:
    return given if isinstance(given, str) else list(given) or None


def _pages(name: str, given: str | int) -> tuple[int, int]:
    match = _RANGE.fullmatch(text("pages", str(given)).strip())
    if not match:
        hint = "use 5 or 3-40"
        raise FormError(f"{name} are {given!r}", hint, f"{given!r} is not a range of pages; {hint}")
    first, last = int(match[1]), int(match[2] or match[1])
    if first > last:
        without_name = f"{given!r} runs backwards; put the first page first"
        raise FormError(f"{name}: {first} comes after {last}", "put the first one first", without_name)
    return first, last


def _day(name: str, given: str) -> date | None:
    try:
        return date.fromisoformat(given) if given else None
    except ValueError:
        hint = "write a date as 2024-12-31"
        raise FormError(f"{name} is {given!r}", hint, f"{given!r} is not a date; write it as 2024-12-31") from None


def _condition(_: str, given: str | dict[str, Any]) -> list[Filter]:
    try:
        return [parse(json.loads(text("filter", given)) if isinstance(given, str) else given)]
    except (ValueError, RecursionError) as error:
        deep = "nested too deeply" if isinstance(error, RecursionError) else error
        without_name = f"this is not JSON ({deep}): {given!s:.100}"
        raise FormError(f"the filter is not JSON ({error})", "", without_name) from None


def _share(name: str, given: str | float) -> float:
    hint = "use a number from 0 to 1"
    try:
        found = float(given)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise FormError(f"{name} is {given!r:.40}", hint, f"{given!r:.40} is not such a number; {hint}")
    return found


def _authors(_: str, given: Iterable[str]) -> list[Filter]:
    return [field("authors").contains(name) for name in given]


def _ends(days: Sequence[date | None]) -> tuple[date | None, ...] | None:
    return tuple(days) if any(days) else None


def _every(conditions: Sequence[list[Filter] | None]) -> Filter | None:
    return every(*(part for parts in conditions for part in parts or ()))


TEXT = Form(lambda _, given: given)
TEXTS = Form(_several, several=True)
PAGES = Form(_pages, json=str | int)
"""``5`` or ``3-40``, as first and last page."""
DAY = Form(_day, join=_ends)
"""``2024-12-31``; an option with two days has the first and the last."""
CONDITION = Form(_condition, join=_every, json=dict[str, Any] | str)
"""A filter as JSON, combined with other conditions of the option."""
SHARE = Form(_share, json=float | str)
"""A number from 0 to 1."""
AUTHORS = Form(_authors, several=True, join=_every)


def named_numbers(name: str, given: str, names: Collection[str]) -> dict[str, float]:
    """Return numbers by name: ``vector:1,text:0.5``.

    Args:
        name: name of the parameter, for messages.
        given: the text.
        names: the allowed names.

    Raises:
        FormError: the text has another format, or a name is not allowed.
    """
    hint = f"use numbers of 0 or more for {', '.join(names)}: vector:1,text:0.5"
    numbers: dict[str, float] = {}
    for part in text(name, given).split(","):
        match = _NUMBER.fullmatch(part.strip())
        if not match or match[1] not in names or match[1] in numbers:
            raise FormError(f"{name} are {given[:100]!r}", hint, f"{given[:100]!r} are not {name}; {hint}")
        numbers[match[1]] = float(match[2])
    return numbers


def conditions(given: str | dict[str, Any] | None) -> Filter | None:
    """Return the filter for JSON text or parsed JSON; None for None.

    Raises:
        ArgumentError: it is not JSON, or not a filter.
    """
    try:
        return None if given is None else _every([_condition("filter", given)])
    except FormError as wrong:
        raise wrong.error() from None


def every(*parts: Filter | None) -> Filter | None:
    """Return a filter that combines all conditions, or None if there are none."""
    given = tuple(part for part in parts if part is not None)
    return And(given) if given else None


def number_or_none(name: str, given: str | None) -> int | None:
    """Return an int from a field of a form; None for an empty field.

    Raises:
        ArgumentError: it is not a whole number.
    """
    if given is None or not given.strip():
        return None
    if not re.fullmatch(r"[0-9]{1,9}", given.strip()):
        raise ArgumentError(f"{name} is {given!r}", hint="use a whole number")
    return int(given)


def text_of(name: str, given: bytes) -> str:
    """Decode UTF-8 bytes.

    Raises:
        ArgumentError: the bytes are not UTF-8, for example a lone surrogate.
    """
    return text(name, given.decode("utf-8", "surrogateescape"))


def style_name(given: str) -> str:
    """Return the name of a citation style without any path, which could name a file of the server."""
    return PurePath(given).name.removesuffix(".csl") if given else given
