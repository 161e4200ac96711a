"""The demo command: a small store of documents that come with the package, and three questions."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

import ragraph
from ragraph.base import settings
from ragraph.base.extras import PACKED
from ragraph.errors import ArgumentError, AssetError
from ragraph.faces.cli.output import connection, console, shown
from ragraph.faces.cli.search import print_hit

if TYPE_CHECKING:
    from ragraph import Hit

FILES = ("statin-trial.nxml", "wealth-of-nations-book-3.epub")
"""An article (CC BY 4.0) and part of a book (CC0); setup.py copies them from examples/documents into the wheel."""

_OWN = "-demo"
"""End of the name of the demo's folder, unless --home names another."""

QUESTIONS = (
    "Did pravastatin reduce the recurrence of stroke?",
    "Why did landlords let tenants share the harvest?",
    "How did towns gain their liberty from the lords?",
)


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command()(demo)


def demo() -> None:
    """Make a small store and ask it three questions.

    The documents come with the package: an article and part of a book. The store has a folder of its own, beside the
    default one, or where --home says. Run it again to see the answers again.

    Example:
        ragraph demo
    """
    from ragraph.server.paths import StorePaths  # here: the help prints without the server

    if connection.url or settings.database_url():
        raise ArgumentError("the demo makes a store of its own", hint="leave out --url and unset RAGRAPH_DATABASE_URL")
    usual = settings.home()
    home = connection.home or (usual if usual.name.endswith(_OWN) else usual.with_name(usual.name + _OWN))
    files = _files()
    doing = "Using the store in" if StorePaths.of(home).marker.exists() else "Making a store in"
    console.print(f"{doing} {shown(str(home))} of {' and '.join(path.name for path in files)} ...")
    with ragraph.open(home=home) as store:
        report = store.ingest(files)
        if not report.ok:
            raise AssetError("; ".join(file.reason for file in report.files if file.reason))
        hits = []
        for question in QUESTIONS:
            console.print(f"\n[bold]{question}[/]\n")
            (hit,) = store.search(question, k=1)
            print_hit(1, hit, None)
            cited = store.format_citations([hit])
            console.print(f"{shown(cited.inline[0])} {shown(cited.bibliography[0])}", soft_wrap=True)
            hits.append(hit)
    _print_next(home, hits[1])


def _files() -> list[Path]:
    """Return the documents: in an installed wheel, or in a checkout."""
    for folder in (PACKED / "demo", Path(ragraph.__file__).parent.parent / "examples" / "documents"):
        files = [folder / name for name in FILES]
        if all(path.is_file() for path in files):
            return files
    raise AssetError("the documents of the demo are not installed", hint="install ragraph from a wheel or a checkout")


def _print_next(home: Path, hit: Hit) -> None:
    before = os.environ.get("RAGRAPH_HOME")
    if before and Path(before).absolute() == home.absolute():  # exported after an earlier demo
        before = None
    lines = (
        "Try next, in this store:",
        f"  export RAGRAPH_HOME={shlex.quote(str(home))}",
        "  ragraph list",
        f"  ragraph toc {hit.document_id} --depth 2",
        f"  ragraph related {hit.document_id} {hit.node_id} --type REFERENCES_NOTE",
        '  ragraph search "the price of corn" --expand auto --budget 200',
        f"Or with files of your own, in {'the store that RAGRAPH_HOME names now' if before else 'the default store'}:",
        f"  export RAGRAPH_HOME={shlex.quote(before)}" if before else "  unset RAGRAPH_HOME",
        "  ragraph ingest FOLDER",
    )
    console.print()
    for line in lines:
        console.print(line, soft_wrap=True, markup=False, highlight=False)
