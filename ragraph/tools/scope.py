"""Arguments that tools share: where and how to search, from the table ``SEARCH_PARAMETERS``, and ``as_of``."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_origin

from pydantic import Field

from ragraph.retrieval.parameters import gathered, one_document, spread
from ragraph.search import SEARCH_PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.retrieval.parameters import Parameter

R = TypeVar("R")

_AS_OF = Annotated[str | None, Field(description="Earlier version or date.", coerce_numbers_to_str=True)]
_TAKEN = [parameter for parameter in SEARCH_PARAMETERS if parameter.tools]


def _shares_option(parameter: Parameter) -> bool:
    return sum(other.option == parameter.option for other in _TAKEN) > 1


def tool_name(parameter: Parameter) -> str:
    """Return the name of a parameter in tools: the Python name of its option, unless that has several parameters."""
    return parameter.public_name if _shares_option(parameter) else parameter.option


def description(option: str) -> str:
    """Return the description of an option for models."""
    (parameter,) = (item for item in _TAKEN if tool_name(item) == option)
    return parameter.described if parameter.brief is None else parameter.brief


def searching(function: Callable[..., R]) -> Callable[..., R]:
    """Replace the parameter ``options`` of a tool by the arguments that say where and how to search."""
    return spread(function, {"options": [_argument(parameter) for parameter in _TAKEN]}, _gather)


def dated(function: Callable[..., R]) -> Callable[..., R]:
    """Give a tool that reads one document the argument ``as_of``: it then reads an earlier version."""
    own = inspect.signature(function, eval_str=True)

    @wraps(function)
    def run(self: Any, *arguments: Any, as_of: str | None = None, **named: Any) -> R:
        if as_of is None:
            return function(self, *arguments, **named)
        given = own.bind(self, *arguments, **named).arguments
        with self._store.as_of(one_document(given.get("document")), as_of) as then:
            return function(type(self)(then), *arguments, **named)

    taken = inspect.Parameter("as_of", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_AS_OF)
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), taken])  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in own.parameters.values()}
    run.__annotations__ |= {"as_of": _AS_OF, "return": own.return_annotation}
    return run


def _gather(_: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return options of a search; an empty filter counts as none, because models fill in arguments they do not need."""
    said = {name: value for name, value in values.items() if value or name != "filter"}
    return gathered(_TAKEN, said, tool_name)


def _argument(parameter: Parameter) -> inspect.Parameter:
    name = tool_name(parameter)
    kind: Any = parameter.values if get_origin(parameter.values) is Literal else parameter.form.json
    if parameter.form.several:
        kind = list[str] if name != parameter.public_name else str | list[str]  # for one name, one value or several
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=parameter.default,
        annotation=Annotated[
            kind if parameter.default is not None else kind | None, Field(description=description(name))
        ],
    )
