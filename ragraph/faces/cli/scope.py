"""Options for where and how to search, from the tables ``SCOPE_PARAMETERS`` and ``HOW_PARAMETERS``."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragraph.retrieval.parameters import TEXT, gathered, spread
from ragraph.retrieval.scope import SCOPE_PARAMETERS
from ragraph.search import HOW_PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.retrieval.parameters import FormError, Parameter

_TAKEN = {"where": SCOPE_PARAMETERS, "how": HOW_PARAMETERS}
_PANELS = {"where": "Where to look"}


def scoped(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``where`` of a command by the options of a scope, and ``how`` by those for how to search.

    An option that the command defines itself is retained.
    """
    options = {into: [_option(item, _PANELS.get(into)) for item in several] for into, several in _TAKEN.items()}
    return spread(command, options, lambda into, values: gathered(_TAKEN[into], values, refused=_refused))


def _option(parameter: Parameter, panel: str | None) -> inspect.Parameter:
    options: dict[str, Any] = {"help": parameter.help, "metavar": parameter.metavar, "rich_help_panel": panel}
    if parameter.values is not str and parameter.metavar:  # too many to be listed
        options |= {"case_sensitive": False, "show_choices": False}
    kind = list[parameter.values] if parameter.form.several else parameter.values  # type: ignore[name-defined]
    # a choice has no default, because other checks need to know if it was given; its help says what omitting it means
    default = parameter.default if parameter.form is TEXT and parameter.values is str else None
    return inspect.Parameter(
        parameter.public_name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind if default is not None else kind | None, typer.Option(**options)],
    )


def _refused(parameter: Parameter, wrong: FormError) -> Exception:
    return typer.BadParameter(wrong.without_name, param_hint=f"--{parameter.public_name.replace('_', '-')}")
