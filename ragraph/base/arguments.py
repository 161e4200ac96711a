"""Arguments of the wrong type are told here, by name, before the database is asked with them.

PostgreSQL picks functions by the types of their arguments, so a number where text belongs reads there as a function
that does not exist. What an argument takes is read from the annotation of its parameter: ``checked`` does so for a
function, ``check_methods`` for all public methods of a class, ``check_fields`` for a dataclass.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import date, datetime
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ragraph.errors import ArgumentError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Check = Callable[[str, Any], object]
    """Takes the name of an argument and its value, and raises."""

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

QUERY_LIMIT = 10_000
"""Characters of a query at most: the parser of PostgreSQL goes a level deeper with each word."""

NAME_LIMIT = 3_000
"""Characters of ids and names at most: an index holds them, of 2,700 bytes at most; titles of sections are longer."""

LARGEST = 2**31 - 2
"""The largest whole number that the database takes, also as the last of a range."""

_MOST = {"k": 1_000_000, "nodes": 1_000_000, "min_words": 1000}
"""By the name of an argument, where it is not ``LARGEST``: searches look at several times k."""

_LEAST = {"workers": 1, "timeout_s": 0.1, "memory_bytes": 1024 * 1024, "retries": 0, "min_words": 1, "limit": 0}
"""By the name of an argument, where the database would not say it as well."""

_TEXTS = "text, or a list of texts"
_IDS = ("document", "documents", "node", "nodes", "component", "section", "page")
_SHORT = ("collection", "tags", "languages", "types", "model", "style", "cursor", "pages")
_LONGEST = {
    **dict.fromkeys(("query", "question"), (QUERY_LIMIT, "ask in {}: a question, not a document")),
    "quote": (100_000, "quote in {}"),
    **dict.fromkeys((*_IDS, *_SHORT), (NAME_LIMIT, "names have {}")),
}
"""By the name of an argument: characters at most, and what to do. Queries are refused as empty where they are read."""


def checked(**kinds: type | tuple[type, ...]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator: the function refuses arguments that are not of the types of its parameters.

    Annotations that are not known, and arguments that ``**`` collects, are left to the function.

    Args:
        **kinds: classes for parameters whose annotations say more than text, numbers and the like.

    Raises:
        ArgumentError: by the function; says which argument, what it takes and what it was given.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @cache
        def checks() -> tuple[inspect.Signature, dict[str, Check]]:
            signature = inspect.signature(function)
            of = {
                name: _instance(kinds[name], parameter.annotation) if name in kinds else _check_of(parameter.annotation)
                for name, parameter in signature.parameters.items()
            }
            return signature, {name: check for name, check in of.items() if check is not None}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            signature, of = checks()
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in of:
                    of[name](name, value)
            return function(*args, **kwargs)

        return call

    return decorate


def check_methods(kind: type[C]) -> type[C]:
    """Decorate a class: all its public methods are ``checked``."""
    for name, method in list(vars(kind).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(kind, name, checked()(method))
    return kind


def check_fields(made: DataclassInstance, **kinds: type | tuple[type, ...]) -> None:
    """Refuse the fields of a dataclass that are not of their types; for its ``__post_init__``.

    Args:
        made: the dataclass.
        **kinds: classes for fields whose annotations say more than text, numbers and the like.

    Raises:
        ArgumentError: as of ``checked``.
    """
    for field in fields(made):
        check = _instance(kinds[field.name], field.type) if field.name in kinds else _check_of(str(field.type))
        if check is not None:
            check(field.name, getattr(made, field.name))


def check_like(name: str, value: Any, example: bool | float | None) -> None:
    """Refuse a value that is not of the type of an example: a switch, a whole number, else a number or None.

    Raises:
        ArgumentError: as of ``checked``.
    """
    if isinstance(example, bool):
        switch(name, value)
    elif isinstance(example, int):
        whole(name, value)
    elif value is not None:
        number(name, value)


def text(name: str, value: Any) -> str:
    """Return a text that a database can hold.

    Raises:
        ArgumentError: it is none, an empty id, or too long.
    """
    if not isinstance(value, str):
        raise refusal(name, "text", value)
    if "\0" in value or (not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value)):
        raise ArgumentError(f"{name} has a character that is no text (NUL, or half of a pair); remove it")
    if name in _IDS and not value.strip():
        raise ArgumentError(f"the {name} is empty", hint="leave it out, or name one")
    most, hint = _LONGEST.get(name, (None, ""))
    if most is not None and len(value) > most:
        raise ArgumentError(f"the {name} has {len(value):,} characters", hint=hint.format(f"at most {most:,}"))
    return value


def texts(name: str, value: Any) -> list[str] | None:
    """Return one text, or several, as a list; None is None. The letters of one text are never meant.

    Raises:
        ArgumentError: neither a text nor several.
    """
    if value is None:
        return None
    items = [value] if isinstance(value, str) else several(name, _TEXTS, value)
    for item in items:
        if not isinstance(item, str):
            raise refusal(name, _TEXTS, item)
        text(name, item)
    return items


def several(name: str, words: str, value: Any) -> list[Any]:
    """Return what can be gone through as a list.

    Raises:
        ArgumentError: it cannot.
    """
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        raise refusal(name, words, value)
    return list(value)


def whole(name: str, value: Any) -> int:
    """Return a whole number that the database takes.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise refusal(name, "a whole number", value)
    return int(_within(name, value))


def number(name: str, value: Any) -> float:
    """Return a finite number.

    Raises:
        ArgumentError: it is none.
    """
    try:
        found = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise refusal(name, "a number", value)
    return float(_within(name, found))


def _within(name: str, value: Any) -> Any:
    most = 2**63 if name.endswith("_bytes") else _MOST.get(name, LARGEST)
    least = _LEAST.get(name, -LARGEST)
    if not least <= value <= most:
        bound = f"at least {least:,}" if value < least else f"at most {most:,}"
        raise refusal(name, f"{'a whole number' if isinstance(value, Integral) else 'a number'} of {bound}", value)
    return value


def switch(name: str, value: Any) -> bool:
    """Return a truth value.

    Raises:
        ArgumentError: it is none; numbers and texts are never meant.
    """
    if not isinstance(value, bool):
        raise refusal(name, "True or False", value)
    return value


def day(name: str, value: Any) -> date:
    """Return a date.

    Raises:
        ArgumentError: it is none, or has a time.
    """
    if not isinstance(value, date) or isinstance(value, datetime):
        raise refusal(name, "a date", value)
    return value


def refusal(name: str, words: str, value: Any) -> ArgumentError:
    """Return the error for an argument that takes something else."""
    try:
        given = repr(value)
    except Exception:  # an object of others, or a number too long to be written
        given = "…"
    given = given if len(given) <= 60 else given[:60] + "…"
    return ArgumentError(f"{name} takes {words}, not {given} ({type(value).__name__})")


def _texts(name: str, value: Any) -> None:
    if texts(name, value) is None:
        raise refusal(name, _TEXTS, value)


def _function(name: str, value: Any) -> None:
    if not callable(value):
        raise refusal(name, "a function", value)


def _place(name: str, value: Any) -> None:
    if not isinstance(value, str | Path):
        raise refusal(name, "a path", value)
    if "\0" in str(value):
        raise ArgumentError(f"{name} has a NUL character, which no path has; remove it")


def _version(name: str, value: Any) -> None:
    if isinstance(value, str):
        text(name, value)
    elif not isinstance(value, date):
        try:
            whole(name, value)
        except ArgumentError:
            raise refusal(name, "the number of a version, or a date", value) from None


_CHECKS: dict[str, Check] = {
    "str": text,
    "str | Sequence[str]": _texts,
    "Sequence[str]": _texts,
    "int": whole,
    "float": number,
    "bool": switch,
    "str | Path": _place,
    "int | str | date": _version,
}
"""What the words of an annotation mean, ``None`` left out of them."""

_NAMES = ("ModeName", "Strategy", "Format", "ImageFormat", "Notes", "Direction", "JobFileStatus")
"""Types that are texts of a few kinds; which ones there are is told where they are used."""


def _check_of(annotation: Any) -> Check | None:
    """Return what a parameter's annotation asks of its argument; None where it is not known."""
    words, optional = _without_none(annotation)
    check: Check | None = _CHECKS.get(words)
    if words in _NAMES or words.startswith("Literal["):
        check = text
    elif words.startswith(("Callable[", "(Callable[")):
        check = _function
    return _or_none(check, optional) if check is not None else None


def _instance(kinds: type | tuple[type, ...], annotation: Any) -> Check:
    several_kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    words = " or ".join(
        "text" if kind is str else f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}"
        for kind in several_kinds
    )

    def check(name: str, value: Any) -> None:
        if not isinstance(value, several_kinds) and not any(_does_as(value, kind) for kind in several_kinds):
            raise refusal(name, words, value)
        if isinstance(value, str):
            text(name, value)

    return _or_none(check, _without_none(annotation)[1])


def _does_as(value: Any, kind: type) -> bool:
    """Whether an object of another class has all public methods of one, as an embedding model of one's own has."""
    methods = [name for name, found in vars(kind).items() if inspect.isfunction(found) and not name.startswith("_")]
    return kind is not str and bool(methods) and all(callable(getattr(value, name, None)) for name in methods)


def _without_none(annotation: Any) -> tuple[str, bool]:
    words = annotation if isinstance(annotation, str) else ""
    return words.removesuffix(" | None"), words.endswith(" | None")


def _or_none(check: Check, optional: bool) -> Check:
    if not optional:
        return check

    def check_unless_none(name: str, value: Any) -> None:
        if value is not None:
            check(name, value)

    return check_unless_none


@contextmanager
def only_text() -> Iterator[None]:
    """Refuse strings that no database can hold: lone surrogates, as file names and arguments may carry them.

    Raises:
        ArgumentError: a text has one.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise ArgumentError("a text has a lone surrogate, which is no character; remove it") from error
