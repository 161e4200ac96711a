"""Arguments of the wrong type are told here, by name, before the database is asked with them.

PostgreSQL picks functions by the types of their arguments, so a number where text belongs reads there as a function
that does not exist. One table says what each argument of the public methods takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from ragraph.errors import ArgumentError

QUERY_LIMIT = 10_000
"""Characters of a query at most: the parser of PostgreSQL goes a level deeper with each word."""

MOST_WORDS = 1000
"""Words in a row that a quote may be asked to have."""

_TEXT = ("text", str)
_WHOLE = ("a whole number", Integral)
_SWITCH = ("True or False", bool)

_KINDS: dict[str, tuple[str, type]] = {
    **dict.fromkeys(
        ("document", "node", "section", "query", "question", "quote", "collection", "model", "label"), _TEXT
    ),
    **dict.fromkeys(("mode", "match", "format", "direction", "style", "strategy", "rerank"), _TEXT),
    **dict.fromkeys(("k", "limit", "max_depth", "max_hops", "token_budget", "nodes", "version", "min_words"), _WHOLE),
    **dict.fromkeys(("page_breaks", "furniture", "html", "tuned", "explain"), _SWITCH),
}
"""Name of an argument to what it takes."""

_MAY_BE_NONE = {"section", "collection", "limit", "max_depth", "token_budget", "rerank", "version"}

_LISTS = {"document_ids": "document", "tags": "tags", "languages": "languages"}
_PARAMETERS = {"document_id": "document", "node_id": "node", "model_name": "model"}

"""Parameters of queries that are called otherwise than the arguments they come from."""


def check(**given: Any) -> None:
    """Refuse arguments of the wrong type.

    Args:
        **given: arguments by name; names that the table does not have pass.

    Raises:
        ArgumentError: says which argument, what it takes and what it was given.
    """
    for name, value in given.items():
        if value is None and name in _MAY_BE_NONE:
            continue
        words, kind = _KINDS.get(name, ("", object))
        if not isinstance(value, kind) or (kind is Integral and isinstance(value, bool)):
            raise refusal(name, words, value)
        if name in ("query", "question") and len(str(value)) > QUERY_LIMIT:
            raise ArgumentError(
                f"the {name} has {len(str(value)):,} characters",
                hint=f"ask in at most {QUERY_LIMIT:,}: a question, not a document",
            )


def check_like(name: str, value: Any, example: bool | float | None) -> None:
    """Refuse a value that is not of the type of an example: a switch, a whole number, else a number or None.

    Raises:
        ArgumentError: as of ``check``.
    """
    if isinstance(example, bool):
        wrong, words = not isinstance(value, bool), "True or False"
    elif isinstance(example, int):
        wrong, words = not isinstance(value, Integral) or isinstance(value, bool), "a whole number"
    elif value is not None:
        number(name, value)
        return
    else:
        return
    if wrong:
        raise refusal(name, words, value)


def check_min_words(value: Any) -> None:
    """Refuse a least length of quotes that is no number of words.

    Raises:
        ArgumentError: as of ``check``, or the number is out of range.
    """
    check(min_words=value)
    if not 1 <= value <= MOST_WORDS:
        raise ArgumentError(f"min_words is {value}", hint=f"ask for 1 to {MOST_WORDS} words in a row")


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters of a query whose arguments have the wrong type; lists are checked item by item.

    Raises:
        ArgumentError: as of ``check``.
    """
    for name, value in parameters.items():
        if name in _LISTS:
            texts(_LISTS[name], value)
        else:
            check(**{_PARAMETERS.get(name, name): value})


def texts(name: str, value: Any) -> list[str] | None:
    """Return one text, or several, as a list; None is None. The letters of one text are never meant.

    Raises:
        ArgumentError: neither a text nor several.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return [value]
    items = several(name, "text, or a list of texts", value)
    for item in items:
        if not isinstance(item, str):
            raise refusal(name, "text, or a list of texts", item)
    return items


def several(name: str, words: str, value: Any) -> list[Any]:
    """Return what can be gone through as a list.

    Raises:
        ArgumentError: it cannot.
    """
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        raise refusal(name, words, value)
    return list(value)


def number(name: str, value: Any) -> float:
    """Return a finite number.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not abs(float(value)) < float("inf"):
        raise refusal(name, "a number", value)
    return float(value)


def refusal(name: str, words: str, value: Any) -> ArgumentError:
    """Return the error for an argument that takes something else."""
    given = repr(value)
    given = given if len(given) <= 60 else given[:60] + "…"
    return ArgumentError(f"{name} takes {words}, not {given} ({type(value).__name__})")
