"""What every command shares: which store to open, how to print, how to fail.

What is printed for people is cleaned here, in one place, of characters that a terminal obeys or that reorder a line;
the texts of documents, their titles and the names of files are written by others.
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
"""Columns below which tables leave some of theirs out."""
PIPE_WIDTH = 160
"""Columns when the output is not a terminal, so that tables in files and pipes keep their ids whole; or COLUMNS."""


def shown(text: str) -> str:
    """Return a text of others on one line, as markup of rich that means nothing but its letters."""
    return escape(" ".join(text.split()))


def shown_path(path: str) -> str:
    """Return the name of a file as ``shown`` does, its blanks as they are: somebody may want to copy it."""
    return escape(re.sub(r"[\t\n]", "\N{REPLACEMENT CHARACTER}", path))


class CleanConsole(Console):
    """A console that cleans whatever is printed on it."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Clean text before it is laid out, so that columns keep their widths."""
        return super().render_str(clean(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Clean what is laid out, by whatever way it came here; control codes of rich itself pass."""
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
DocumentArgument = Annotated[str, typer.Argument(metavar="DOC", help="Id of the document; `ragraph list` shows them.")]


@dataclass
class Connection:
    """The store that the options before the command name; unset ones fall back to the environment."""

    url: str | None = None
    home: Path | None = None
    role: str | None = None


connection = Connection()


def open_store(*, create: bool = False) -> ragraph.Store:
    """Open the store of this call; commands that only read do not make a missing one."""
    return ragraph.open(connection.url, home=connection.home, role=connection.role, create=create)


AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", metavar="VERSION|DATE", help="As the document was then; `ragraph history` shows versions."),
]


@contextmanager
def open_store_as_of(document: str | None, as_of: str | None) -> Iterator[ragraph.Store]:
    """Open the store of this call as it was when a document was in an earlier version, if one is asked for."""
    if as_of is not None and document is None:
        raise typer.BadParameter("--as-of goes with --document")
    with open_store() as store, ExitStack() as stack:
        yield stack.enter_context(store.as_of(document, as_of)) if document is not None and as_of is not None else store


def id_column(name: str) -> Column:
    """Return a column of ids: they are copied into the next command, so other columns give way to them."""
    return Column(name, no_wrap=True, min_width=28)


def duration(seconds: float) -> str:
    """Return a time for people: 0:07, 12:30, 3:05:00."""
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


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
"""Arguments of ``Store.ingest`` and ``ReadOptions`` that reasons of failed files name, and the options for them."""


def worded(text: str | None) -> str | None:
    """Return why a file failed in the words of the command line."""
    for argument, option in _WORDED.items():
        text = text and re.sub(rf"\b{argument}(?=\W|$)", option, text)
    return text


def is_narrow() -> bool:
    """Whether a table has to do without the columns that people miss least."""
    return console.width < NARROW


def indented(text: str, depth: int) -> Padding:
    """Return a text for a cell that is indented by its depth, its further lines too; never out of sight."""
    return Padding(shown(text), (0, 0, 0, min(2 * depth, console.width // 6)))


def print_prose(markup: str) -> None:
    """Print running text: broken between words on a terminal, one line for each paragraph into a file or a pipe."""
    console.print(markup, soft_wrap=not console.is_terminal)


def cut_marked(excerpt: str, whole: str | None) -> str:
    """Return an excerpt on one line, with "…" where it leaves out what stands before or after."""
    found = (whole or "").find(excerpt)
    before = "… " if found > 0 and (whole or "")[:found].strip() else ""
    after = " …" if found >= 0 and (whole or "")[found + len(excerpt) :].strip() else ""
    return before + " ".join(excerpt.split()) + after


def tell_missing(store: ragraph.Store) -> bool:
    """Say on standard error that the store is empty.

    Returns:
        Whether it is, or the store has said itself what nobody has.
    """
    if not store.documents(limit=1):
        errors.print("The store is empty; fill it with: ragraph ingest PATH...", soft_wrap=not errors.is_terminal)
        return True
    return any(said.startswith(("no document has the ", "the filter matches no document")) for said in _noted)


_show_warning = warnings.showwarning
_noted: list[str] = []
"""Notices of this run that were printed."""


def forget_notices() -> None:
    """Begin another run."""
    _noted.clear()


def tell_notice(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print what the store says beside an answer as one line; takes the place of ``warnings.showwarning``."""
    if not issubclass(category, RagraphNotice):
        _show_warning(message, category, filename, lineno, file, line)
        return
    _noted.append(str(message))
    errors.print(f"[yellow]note:[/] {shown(str(message))}", soft_wrap=not errors.is_terminal)


def print_text(text: str) -> None:
    """Print the text of a document: cleaned on a terminal, as it is stored into a file or a pipe."""
    sys.stdout.write((clean(text) if sys.stdout.isatty() else text) + "\n")


def print_json(value: Any) -> None:
    """Print results, or lists of them, as JSON on standard output."""
    if isinstance(value, list | tuple):
        value = [item.to_json() if hasattr(item, "to_json") else item for item in value]
    elif hasattr(value, "to_json"):
        value = value.to_json()
    sys.stdout.write(_json(value, indent=2))


def print_error(error: BaseException) -> None:
    """Print an error as one line on standard error; as JSON when the command was asked for JSON."""
    message = " ".join(clean(describe(error)).split())
    if "--json" in sys.argv:
        sys.stderr.write(_json({"error": type(error).__name__, "message": message}))
    else:
        errors.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=not errors.is_terminal)


ClickError: type[Exception] = typer.BadParameter.__mro__[2]
"""What typer raises when it cannot read the arguments; it does not export the class."""


class UsageError(RagraphError):
    """A command or an option that does not exist, or that lacks its value."""


def print_click_error(error: Any) -> int:
    """Print what is wrong with the arguments as one line, and where they are explained; return the exit code."""
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
        sys.stderr.write(f"{error.format_message()}\n")
    else:
        path = error.ctx.command_path if getattr(error, "ctx", None) else "ragraph"
        kind = ArgumentError if isinstance(error, typer.BadParameter) else UsageError
        hint = f"see {path} --help"
        if type(error).__name__ == "NoSuchOption" and len(error.option_name) == 2:
            # of words such as -network the first letter was read
            hint += "; words that begin with - stand behind --, at the end"
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
    RoleNotFoundError: "make it with --create, or by CREATE ROLE name LOGIN PASSWORD '...'",
    SchemaVersionError: "run: ragraph db upgrade",
}
"""What the command line says to do after an error, where Python or SQL say something else."""

_OPTIONS = {
    "k": "-k",
    **{option: f"--{name}" for option, name in PUBLIC_NAMES.items()},
    "documents": "--document",
    "token_budget": "--budget",
}
"""Arguments of Python whose option is not called ``--`` and their name."""


def describe(error: BaseException) -> str:
    """Return what an error says, in the words of the command line: commands and options."""
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
    """Return JSON that a terminal may be shown: what it would obey stands as an escape, inside strings."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", written) + "\n"
