"""Options that say where and how to look, of what ``SCOPE_PARAMETERS`` and ``HOW_PARAMETERS`` describe."""

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
    """Give a command the options of a scope in place of its parameter ``where``, and those of ``how`` to search.

    An option that the command has itself stays its own.
    """
    options = {into: [_option(item, _PANELS.get(into)) for item in several] for into, several in _TAKEN.items()}
    return spread(command, options, lambda into, values: gathered(_TAKEN[into], values, refused=_refused))


def _option(parameter: Parameter, panel: str | None) -> inspect.Parameter:
    options: dict[str, Any] = {"help": parameter.help, "metavar": parameter.metavar, "rich_help_panel": panel}
    if parameter.values is not str and parameter.metavar:  # too many to be listed
        options |= {"case_sensitive": False, "show_choices": False}
    kind = list[parameter.values] if parameter.form.several else parameter.values  # type: ignore[name-defined]
    # of a choice, whether it was made says what goes with what; its help says what leaving it out means
    default = parameter.default if parameter.form is TEXT and parameter.values is str else None
    return inspect.Parameter(
        parameter.public_name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind if default is not None else kind | None, typer.Option(**options)],
    )


def _refused(parameter: Parameter, wrong: FormError) -> Exception:
    return typer.BadParameter(wrong.without_name, param_hint=f"--{parameter.public_name}")
