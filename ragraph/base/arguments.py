"""Check the types of arguments before a query is sent, so that errors name the argument.

PostgreSQL selects functions by the types of their arguments: a number in place of text would be reported as a function
that does not exist. The accepted types come from the annotations of the parameters. ``checked`` decorates one function,
``check_methods`` all public methods of a class, and ``check_fields`` checks a dataclass.
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
    """Takes the name of an argument and its value, and raises ArgumentError."""

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

QUERY_LIMIT = 10_000
"""Maximum length of a query in characters. PostgreSQL's parser nests one level deeper with each word."""

NAME_LIMIT = 3_000
"""Maximum length of ids and names in characters. An index entry holds at most 2,700 bytes; titles of sections are
longer."""

LARGEST = 2**31 - 2
"""The largest integer that the database accepts; one below the maximum, because ranges end one past their last value.
"""

_MOST = {"k": 1_000_000, "nodes": 1_000_000, "min_words": 1000, "max_fault": 1}
"""Maximum by name of the argument, if it is not ``LARGEST``. Searches look at several times k."""

_LEAST = {
    **{"workers": 1, "timeout_s": 0.1, "memory_bytes": 1024 * 1024, "retries": 0, "min_words": 1},
    **{"limit": 0, "offset": 0, "max_fault": 0},
}
"""Minimum by name of the argument, for those where the database's own error would be less clear."""

_TEXTS = "text, or a list of texts"
_IDS = ("document", "documents", "other", "node", "nodes", "component", "section", "page")
_SHORT = ("collection", "tags", "languages", "types", "model", "style", "cursor", "pages")
_LONGEST = {
    **dict.fromkeys(("query", "question"), (QUERY_LIMIT, "ask in {}: a question, not a document")),
    "quote": (100_000, "quote in {}"),
    **dict.fromkeys((*_IDS, *_SHORT), (NAME_LIMIT, "names have {}")),
}
"""Maximum length in characters and advice, by name of the argument. Empty queries are refused where they are parsed."""


def checked(**kinds: type | tuple[type, ...]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that refuses arguments whose types do not match the parameters' annotations.

    Parameters with unknown annotations and arguments collected by ``**`` are not checked.

    Args:
        **kinds: accepted classes for parameters whose annotations name other classes than text, numbers and the like.

    Raises:
        ArgumentError: raised by the decorated function; names the argument, the accepted type and the value.
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
    """Decorate a class: each of its public methods becomes ``checked``."""
    for name, method in list(vars(kind).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(kind, name, checked()(method))
    return kind


class _LeftOut:
    """The default of an option that may be left out."""

    def __repr__(self) -> str:
        return "..."


LEFT_OUT = _LeftOut()


def name_options(kind: type, *options: type) -> None:
    """Let signatures of a class name what ``**options: Unpack[Options]`` takes, for ``help`` and completion.

    Each option is a keyword with the default ``LEFT_OUT``, which ``help`` shows as ``...``.

    Args:
        kind: the class; its methods are ``checked``.
        *options: the classes of options (``TypedDict``).
    """
    known = {f"Unpack[{one.__name__}]": one.__annotations__ for one in options}
    for method in vars(kind).values():
        function = inspect.unwrap(method) if inspect.isfunction(method) else None
        if function is None or not function.__code__.co_flags & inspect.CO_VARKEYWORDS:
            continue
        signature = inspect.signature(function)
        *own, collected = signature.parameters.values()
        added = [
            inspect.Parameter(
                name, collected.KEYWORD_ONLY, default=LEFT_OUT, annotation=getattr(of, "__forward_arg__", of)
            )
            for name, of in known[collected.annotation].items()
            if name == collected.name or name not in signature.parameters
        ]
        vars(method)["__signature__"] = signature.replace(parameters=[*own, *added])


def check_fields(made: DataclassInstance, **kinds: type | tuple[type, ...]) -> None:
    """Check the fields of a dataclass against their annotations; to be called in its ``__post_init__``.

    Args:
        made: the dataclass instance.
        **kinds: accepted classes for fields whose annotations name other classes than text, numbers and the like.

    Raises:
        ArgumentError: as for ``checked``.
    """
    for field in fields(made):
        check = _instance(kinds[field.name], field.type) if field.name in kinds else _check_of(str(field.type))
        if check is not None:
            check(field.name, getattr(made, field.name))


def check_like(name: str, value: Any, example: bool | float | None) -> None:
    """Check that a value has the type of an example: a bool, an int, else a number or None.

    Raises:
        ArgumentError: as for ``checked``.
    """
    if isinstance(example, bool):
        switch(name, value)
    elif isinstance(example, int):
        whole(name, value)
    elif value is not None:
        number(name, value)


def text(name: str, value: Any) -> str:
    """Return a text that the database can store.

    Raises:
        ArgumentError: the value is not text, is an empty id, is too long, or has a NUL or a lone surrogate.
    """
    if not isinstance(value, str):
        raise refusal(name, "text", value)
    if "\0" in value or (not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value)):
        raise ArgumentError(f"{name} has a character that is not text (NUL or a lone surrogate); remove it")
    if name in _IDS and not value.strip():
        raise ArgumentError(f"the {name} is empty", hint="leave it out, or name one")
    most, hint = _LONGEST.get(name, (None, ""))
    if most is not None and len(value) > most:
        raise ArgumentError(f"the {name} has {len(value):,} characters", hint=hint.format(f"at most {most:,}"))
    return value


def texts(name: str, value: Any) -> list[str] | None:
    """Return one text or several texts as a list, and None as None. A single text is never split into letters.

    Raises:
        ArgumentError: the value is neither a text nor an iterable of texts.
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
    """Return an iterable as a list.

    Raises:
        ArgumentError: the value is not iterable, or is text, bytes or a mapping.
    """
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        raise refusal(name, words, value)
    return list(value)


def whole(name: str, value: Any) -> int:
    """Return an integer within the limits of its argument.

    Raises:
        ArgumentError: the value is not an integer, or is out of range.
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise refusal(name, "a whole number", value)
    return int(_within(name, value))


def number(name: str, value: Any) -> float:
    """Return a finite number within the limits of its argument.

    Raises:
        ArgumentError: the value is not a finite number, or is out of range.
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
    """Return a bool.

    Raises:
        ArgumentError: the value is not a bool; numbers and texts are not converted.
    """
    if not isinstance(value, bool):
        raise refusal(name, "True or False", value)
    return value


def day(name: str, value: Any) -> date:
    """Return a date.

    Raises:
        ArgumentError: the value is not a date, or has a time.
    """
    if not isinstance(value, date) or isinstance(value, datetime):
        raise refusal(name, "a date", value)
    return value


def refusal(name: str, words: str, value: Any) -> ArgumentError:
    """Return the error for an argument of the wrong type; ``words`` says what it takes."""
    try:
        given = repr(value)
    except Exception:  # repr of a foreign object failed, or a number is too long to print
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
        raise ArgumentError(f"{name} has a NUL character, which paths cannot contain; remove it")


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
"""The check for each annotation, without its ``| None``."""

_NAMES = ("ModeName", "Strategy", "Format", "ImageFormat", "Notes", "Direction", "JobFileStatus")
"""Literal types. They are only checked to be text here; the values are checked where they are used."""


def _check_of(annotation: Any) -> Check | None:
    """Return the check for a parameter's annotation, or None if the annotation is unknown."""
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
    """Return True if an object has all public methods of a class, as a caller's own embedding model does."""
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
    """Refuse strings with lone surrogates, which the database cannot store; file names and arguments may have them.

    Raises:
        ArgumentError: a text has a lone surrogate.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise ArgumentError("a text has a lone surrogate, which is not a character; remove it") from error
