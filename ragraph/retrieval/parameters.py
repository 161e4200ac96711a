"""Words from outside as the arguments that the store takes: what command line, addresses, tools and forms share.

Each option of a search is described once, beside ``ScopeOptions`` and ``SearchOptions``, as ``Parameter``: what it is
called outside, how it is written (its ``Form``), and what is said of it. Every face takes its parameters from there,
and has what came in read by ``gathered``. Texts and numbers are checked by ``base.arguments``; here is what has a form
of its own: pages, dates, conditions, named numbers.
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
    """A value is not written as its form asks.

    Args:
        said: what is wrong, with the name of the parameter in it.
        hint: how to write it.
        beside: the same where the parameter stands beside the message, as on the command line.
    """

    def __init__(self, said: str, hint: str, beside: str) -> None:
        super().__init__(said)
        self.said = said
        self.hint = hint
        self.beside = beside

    def error(self) -> ArgumentError:
        """Return the error that faces other than the command line raise."""
        return ArgumentError(self.said, hint=self.hint)


def _only(parts: Sequence[Any]) -> Any:
    return parts[0]


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is written outside, and what is made of it.

    Attributes:
        read: takes the name of the parameter and what was written; returns the value, None for nothing; raises
            ``FormError`` or ``ArgumentError``.
        several: it may be repeated, and comes as a list.
        join: makes the value of an option of what its parameters gave, in their order; None where none was given.
        json: type of what a tool takes, where JSON has more for it than text.
    """

    read: Callable[[str, Any], Any]
    several: bool = False
    join: Callable[[Sequence[Any]], Any] = _only
    json: Any = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An option of a search as it is written outside. Some options have two: a first and a last day, say.

    Attributes:
        option: its name in ``ScopeOptions`` or ``SearchOptions``.
        form: how it is written.
        help: what the command line says of it.
        name: what command line and addresses call it; of an option that takes several, one of them: ``tag``.
        description: what the description of REST says; None for ``help``.
        brief: what models are told in each call of a tool, so a few words; None for ``description``.
        metavar: stands for its value on the command line; None for what its type is called.
        values: type of a value: ``str``, a ``Literal``, or an enumeration that only the command line holds it to.
        default: what leaving it out means, where there is one value that does.
        example: of how it is written.
        tools: whether tools have it; what is a short form of another option, or means nothing to a model, they lack.
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
    def outside(self) -> str:
        """Its name on the command line and in addresses."""
        return self.name or self.option

    @property
    def described(self) -> str:
        """What REST says of it."""
        return self.help if self.description is None else self.description


def gathered(
    parameters: Iterable[Parameter],
    values: Mapping[str, Any],
    named: Callable[[Parameter], str] = lambda parameter: parameter.outside,
    refused: Callable[[Parameter, FormError], Exception] = lambda _, wrong: wrong.error(),
) -> dict[str, Any]:
    """Return what was written outside as options of a search; what was not said is left out.

    Args:
        parameters: those that a face has.
        values: what came in, by the names of the face.
        named: what the face calls a parameter.
        refused: returns what to raise for a value that is not of its form.

    Raises:
        ArgumentError: a value is not of its form, where ``refused`` is left out.
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

    A parameter that the function has by the same name stays its own, and is not among them.

    Args:
        function: what is called.
        parameters: what stands in place of a parameter, by its name.
        gather: makes the argument of that parameter, by its name, of what the others were given; what is their
            default was not said, and is left out.
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


# -- forms -------------------------------------------------------------------------------------------------------


def _several(_: str, given: Any) -> Any:
    return given if isinstance(given, str) else list(given) or None


def _pages(name: str, given: str | int) -> tuple[int, int]:
    match = _RANGE.fullmatch(text("pages", str(given)).strip())
    if not match:
        hint = "give 5 or 3-40"
        raise FormError(f"{name} are {given!r}", hint, f"{given!r} is not a range of pages; {hint}")
    first, last = int(match[1]), int(match[2] or match[1])
    if first > last:
        beside = f"{given!r} runs backwards; give the first page first"
        raise FormError(f"{name} run from {first} to {last}", "give the first one first", beside)
    return first, last


def _day(name: str, given: str) -> date | None:
    try:
        return date.fromisoformat(given) if given else None
    except ValueError:
        hint = "write a date as 2024-12-31"
        raise FormError(f"{name} is {given!r}", hint, f"{given!r} is no date; write it as 2024-12-31") from None


def _condition(_: str, given: str | dict[str, Any]) -> list[Filter]:
    try:
        return [parse(json.loads(text("filter", given)) if isinstance(given, str) else given)]
    except (ValueError, RecursionError) as error:
        deep = "nested too deeply" if isinstance(error, RecursionError) else error
        beside = f"this is no JSON ({deep}): {given!s:.100}"
        raise FormError(f"the filter is no JSON ({error})", "", beside) from None


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
"""``2024-12-31``; an option of two days is the first and the last."""
CONDITION = Form(_condition, join=_every, json=dict[str, Any] | str)
"""A filter as JSON; what else says one joins it."""
AUTHORS = Form(_authors, several=True, join=_every)


def named_numbers(name: str, given: str, names: Collection[str]) -> dict[str, float]:
    """Return numbers by their names: ``vector:1,text:0.5``.

    Raises:
        FormError: it is not written so, or there is no such name.
    """
    hint = f"give numbers from 0 on by {', '.join(names)}: vector:1,text:0.5"
    numbers: dict[str, float] = {}
    for part in text(name, given).split(","):
        match = _NUMBER.fullmatch(part.strip())
        if not match or match[1] not in names or match[1] in numbers:
            raise FormError(f"{name} are {given[:100]!r}", hint, f"{given[:100]!r} are no {name}; {hint}")
        numbers[match[1]] = float(match[2])
    return numbers


def page_or_label(given: str) -> int | str:
    """Return a page as ``Store.page`` takes it: a physical number, else what is printed."""
    return int(given) if re.fullmatch(r"[0-9]{1,99}", given) else given


def conditions(given: str | dict[str, Any] | None) -> Filter | None:
    """Return a filter of what was given, as JSON or what JSON says; None if nothing was.

    Raises:
        ArgumentError: it is no JSON, or no filter.
    """
    try:
        return None if given is None else _every([_condition("filter", given)])
    except FormError as wrong:
        raise wrong.error() from None


def every(*parts: Filter | None) -> Filter | None:
    """Return what meets all of these conditions, None if there is none."""
    given = tuple(part for part in parts if part is not None)
    return And(given) if given else None


def number_or_none(name: str, given: str | None) -> int | None:
    """Return a whole number of a form; None for an empty field.

    Raises:
        ArgumentError: it is none.
    """
    if given is None or not given.strip():
        return None
    if not re.fullmatch(r"[0-9]{1,9}", given.strip()):
        raise ArgumentError(f"{name} is {given!r}", hint="give a whole number")
    return int(given)


def text_of(name: str, given: bytes) -> str:
    """Return the text of bytes that are said to be UTF-8.

    Raises:
        ArgumentError: they are none; half of a pair of surrogates, say.
    """
    return text(name, given.decode("utf-8", "surrogateescape"))


def style_name(given: str) -> str:
    """Return the name of a style of citations: a path would name a file of the server."""
    return PurePath(given).name.removesuffix(".csl") if given else given
