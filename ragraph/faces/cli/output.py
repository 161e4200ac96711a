"""Functions that all commands share: opening the store, printing results, reporting errors.

Output for people is cleaned here, in one place, of characters that control a terminal or reorder a line: the texts and
titles of documents and the names of files come from others.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Column

import ragraph
from ragraph.base.terminal import UNSAFE, clean
from ragraph.errors import (
    ArgumentError,
    ComponentNotFoundError,
    DocumentNotFoundError,
    EntityNotFoundError,
    JobNotFoundError,
    ModelNotFoundError,
    NodeNotFoundError,
    RagraphError,
    RagraphNotice,
    RoleNotFoundError,
    SchemaVersionError,
    WorkNotFoundError,
    reworded,
)
from ragraph.search import PUBLIC_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from rich.console import ConsoleOptions, RenderableType
    from rich.text import Text


NARROW = 110
"""Width in columns below which tables leave out some of their columns."""
PIPE_WIDTH = 160
"""Width in columns if the output is not a terminal, so that tables in files and pipes have complete ids; or COLUMNS."""


def shown(text: str) -> str:
    """Return foreign text on one line, escaped so that rich does not interpret it as markup."""
    return escape(" ".join(text.split()))


def shown_path(path: str) -> str:
    """Return the name of a file like ``shown``, but with its spaces unchanged, because somebody may copy it."""
    return escape(re.sub(r"[\t\n]", "\N{REPLACEMENT CHARACTER}", path))


class CleanConsole(Console):
    """A console that cleans all output."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Clean text before it is laid out, so that columns have the right widths."""
        return super().render_str(clean(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Clean laid-out output of any kind; control codes of rich itself pass."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(clean(segment.text), segment.style)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    columns = os.environ.get("COLUMNS", "")
    width = None if stream.isatty() else int(columns) if columns.isascii() and columns.isdigit() else PIPE_WIDTH
    return CleanConsole(stderr=stderr, width=width, highlight=False, soft_wrap=False)


console = _console(stderr=False)
errors = _console(stderr=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
DocumentArgument = Annotated[str, typer.Argument(metavar="DOC", help="Id of the document, from `ragraph list`.")]


@dataclass
class Connection:
    """The store given by the options before the command; unset ones fall back to the environment."""

    url: str | None = None
    home: Path | None = None
    role: str | None = None


connection = Connection()


def open_store(*, create: bool = False) -> ragraph.Store:
    """Open the store of this call; commands that only read do not create a missing one."""
    return ragraph.open(connection.url, home=connection.home, role=connection.role, create=create)


AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", metavar="VERSION|DATE", help="The document as of then; `ragraph history` lists versions."),
]


@contextmanager
def open_store_as_of(document: str | None, as_of: str | None) -> Iterator[ragraph.Store]:
    """Open the store of this call, with a document as of an earlier version if one is requested."""
    if as_of is not None and document is None:
        raise typer.BadParameter("--as-of requires --document")
    with open_store() as store, ExitStack() as stack:
        yield stack.enter_context(store.as_of(document, as_of)) if document is not None and as_of is not None else store


def id_column(name: str) -> Column:
    """Return a column of ids, which keeps its width, because ids are copied into the next command."""
    return Column(name, no_wrap=True, min_width=28)


_WORDED = {
    "timeout_s=": "--timeout",
    "memory_bytes=": "--memory",
    "limits=": "--max-size",
    "collection=": "--collection",
    "images=True": "--images",
    "the option password": "--password",
    "ocr=False": "--no-ocr",
    "layout='rules'": "--layout rules",
    "overwrite=True": "--overwrite",
    "replace=True": "--replace",
    r"store\.embed\(name\)": "`ragraph models fill NAME`",
    r"store\.models\(\)": "`ragraph models list`",
    r"store\.switch_model\(name\)": "`ragraph models switch NAME`",
}
"""Arguments of ``Store.ingest`` and ``ReadOptions`` in the reasons of failed files, with the corresponding options."""


def worded(text: str | None) -> str | None:
    """Return the reason of a failed file with options of the command line instead of Python arguments."""
    for argument, option in _WORDED.items():
        text = text and re.sub(rf"\b{argument}(?=\W|$)", option, text)
    return text


def is_narrow() -> bool:
    """Return True if tables must leave out their least important columns."""
    return console.width < NARROW


def indented(text: str, depth: int) -> Padding:
    """Return a text for a cell, indented by its depth on every line, but at most by a sixth of the width."""
    return Padding(shown(text), (0, 0, 0, min(2 * depth, console.width // 6)))


def print_prose(markup: str) -> None:
    """Print running text: wrapped on a terminal, one line per paragraph into a file or a pipe."""
    console.print(markup, soft_wrap=not console.is_terminal)


def cut_marked(excerpt: str, whole: str | None) -> str:
    """Return an excerpt on one line, with "…" where it omits text before or after."""
    found = (whole or "").find(excerpt)
    before = "… " if found > 0 and (whole or "")[:found].strip() else ""
    after = " …" if found >= 0 and (whole or "")[found + len(excerpt) :].strip() else ""
    return before + " ".join(excerpt.split()) + after


def tell_missing(store: ragraph.Store) -> bool:
    """Report on standard error that the store is empty.

    Returns:
        True if it is, or if a notice has already explained the missing results.
    """
    if not store.documents(limit=1):
        errors.print("The store is empty; fill it with: ragraph ingest PATH...", soft_wrap=not errors.is_terminal)
        return True
    return any(said.startswith(("no document has the ", "the filter matches no document")) for said in _noted)


_show_warning = warnings.showwarning
_noted: list[str] = []
"""Notices printed in this run."""


def forget_notices() -> None:
    """Forget the notices of an earlier run."""
    _noted.clear()


def tell_notice(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a notice of the store as one line; replaces ``warnings.showwarning``."""
    if not issubclass(category, RagraphNotice):
        _show_warning(message, category, filename, lineno, file, line)
        return
    _noted.append(str(message))
    errors.print(f"[yellow]note:[/] {shown(str(message))}", soft_wrap=not errors.is_terminal)


def print_text(text: str) -> None:
    """Print the text of a document: cleaned on a terminal, unchanged into a file or a pipe."""
    sys.stdout.write((clean(text) if sys.stdout.isatty() else text) + "\n")


def print_json(value: Any) -> None:
    """Print results, or lists of them, as JSON on standard output."""
    if isinstance(value, list | tuple):
        value = [item.to_json() if hasattr(item, "to_json") else item for item in value]
    elif hasattr(value, "to_json"):
        value = value.to_json()
    sys.stdout.write(_json(value, indent=2))


def print_error(error: BaseException) -> None:
    """Print an error as one line on standard error; as JSON if the command has --json."""
    message = " ".join(clean(describe(error)).split())
    if "--json" in sys.argv:
        sys.stderr.write(_json({"error": type(error).__name__, "message": message}))
    else:
        errors.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=not errors.is_terminal)


ClickError: type[Exception] = typer.BadParameter.__mro__[2]
"""Exception of typer for arguments that it cannot parse; typer does not export the class."""


class UsageError(RagraphError):
    """A command or an option that does not exist, or an option without its value."""


def print_click_error(error: Any) -> int:
    """Print an error in the arguments as one line with a reference to the help; return the exit code."""
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
        sys.stderr.write(f"{error.format_message()}\n")
    else:
        path = error.ctx.command_path if getattr(error, "ctx", None) else "ragraph"
        kind = ArgumentError if isinstance(error, typer.BadParameter) else UsageError
        hint = f"see {path} --help"
        if type(error).__name__ == "NoSuchOption" and len(error.option_name) == 2:
            # of words such as -network, only the first letter was read as an option
            hint += "; put words that begin with - after --, at the end"
        print_error(kind(error.format_message().rstrip("."), hint=hint))
    return int(error.exit_code)


_LOOK: dict[type[RagraphError], str] = {
    JobNotFoundError: "`ragraph jobs list` shows the ids",
    EntityNotFoundError: "`ragraph entities` lists them; `ragraph entities extract` finds them",
    DocumentNotFoundError: "`ragraph list` shows the ids",
    ComponentNotFoundError: "`ragraph toc DOC` shows the sections",
    NodeNotFoundError: "`ragraph search` and `ragraph page` show the ids of nodes",
    ModelNotFoundError: "embed with it first: ragraph embed --model MODEL",
    WorkNotFoundError: "give an identity, a DOI, a PMID or a whole title; `ragraph works` lists them",
    RoleNotFoundError: "create it with --create, or by CREATE ROLE name LOGIN PASSWORD '...'",
    SchemaVersionError: "run: ragraph db upgrade",
}
"""Advice after an error, where the command line differs from Python or SQL."""

_OPTIONS = {
    "k": "-k",
    **{option: f"--{name}" for option, name in PUBLIC_NAMES.items()},
    "documents": "--document",
    "token_budget": "--budget",
}
"""Options for Python arguments, if they are not ``--`` and the name of the argument."""


def describe(error: BaseException) -> str:
    """Return the message of an error with commands and options of the command line."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        place = os.fsdecode(error.filename)
        return f"{place} cannot be used: {error.strerror}; check the path, its rights and the space on its disk"
    if not isinstance(error, RagraphError):
        return str(error) or type(error).__name__
    option = error.argument and _OPTIONS.get(error.argument, "--" + error.argument.replace("_", "-"))
    return worded(reworded(error, _LOOK, option)) or ""


def pages_label(first: int | None, last: int | None) -> str:
    """Return ``3`` or ``3-7``; empty for formats without pages."""
    if first is None:
        return ""
    return str(first) if first == last else f"{first}-{last}"


def _json(value: Any, indent: int | None = None) -> str:
    """Return JSON that is safe on a terminal: control characters are escaped inside strings."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", written) + "\n"
