"""The commands for originals and pictures: ``ragraph assets clean``, ``original`` and ``picture``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragraph.base.counts import many
from ragraph.errors import ArgumentError, NodeNotFoundError
from ragraph.faces.cli.output import DocumentArgument, JsonOption, console, open_store, print_json
from ragraph.retrieval.pages import page_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph import Store
    from ragraph.schema.pictures import Picture

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")]

app = typer.Typer(help="Originals of documents, pictures of figures.", no_args_is_help=True)


@app.callback()
def assets() -> None:
    """Originals of documents, pictures of figures."""


@app.command()
def clean(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Remove nothing, only report.")] = False,
    json: JsonOption = False,
) -> None:
    """Remove originals and pictures that nothing refers to any more.

    For example after interrupted runs. Requires a role that sees all documents: if tenants are on, the owner of the
    store.

    Example:
        ragraph assets clean --dry-run
    """
    with open_store() as store:
        report = store.clean_assets(dry_run=dry_run)
    if json:
        print_json(report)
        return
    done = "would be removed" if dry_run else "removed"
    console.print(
        f"{many(len(report.removed), 'file')} {done} ({report.bytes_removed / 1e6:,.1f} MB), "
        f"{report.kept:,} kept in {report.root}",
        soft_wrap=True,
    )


@app.command()
def original(document: DocumentArgument, file: FileArgument) -> None:
    """Write the file that a document was read from.

    Example:
        ragraph assets original dl_213 report.pdf
    """
    _check_new(file)
    with open_store() as store:
        found, _ = store.original(document)
        if isinstance(found, Path):
            _write(file, lambda: shutil.copyfile(found, file))
        else:
            _write(file, lambda: file.write_bytes(found))


@app.command()
def picture(
    document: DocumentArgument,
    what: Annotated[
        str, typer.Argument(metavar="N", help="Physical or printed page, or the id of a figure or another node.")
    ],
    file: FileArgument,
    scale: Annotated[float, typer.Option(help="Pixels per point, 0.1 to 10.")] = 2.0,
) -> None:
    """Write a page, or a figure, as a picture.

    A page is PNG if FILE ends so, else JPEG. A figure of another format than PDF is written as it is stored.

    Examples:
        ragraph assets picture dl_213 18 page.png
        ragraph assets picture dl_213 cn_4dcc6cc23aef088b6e543ab9 figure.png
    """
    _check_new(file)
    with open_store() as store:
        drawn = _drawn(store, document, what, scale, png=file.suffix.lower() == ".png")
    _write(file, lambda: file.write_bytes(drawn.data))
    console.print(f"{drawn.width} x {drawn.height} pixels, {drawn.media_type}")


def _drawn(store: Store, document: str, what: str, scale: float, *, png: bool) -> Picture:
    try:
        return store.figure(document, what, scale)
    except NodeNotFoundError:
        number = page_number(document, what, store.pages(document))
    return store.page_image(document, number, scale, format="png" if png else "jpeg")


def _check_new(file: Path) -> None:
    if file.exists():
        raise ArgumentError(f"{file} exists", hint="name another file")


def _write(file: Path, write: Callable[[], object]) -> None:
    try:
        write()
    except OSError as error:
        raise ArgumentError(f"{file} cannot be written: {error.strerror}", hint="name another file") from error
