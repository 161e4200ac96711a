"""Manifests: lists of files as JSON lines, each with known metadata."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator

from ragraph.base.labels import check_id, clean_tag
from ragraph.errors import ArgumentError
from ragraph.ingest.files.addresses import is_address, name_at
from ragraph.ingest.files.discover import Found
from ragraph.ingest.files.places import path_of, printable
from ragraph.ingest.files.records import PublicationRecord


class ManifestLine(BaseModel):
    """A line of a manifest: a file, by its path or its URL, and its known metadata."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str | None = None
    url: str | None = None
    id: Annotated[str, AfterValidator(check_id)] | None = None
    collection: str | None = None
    tags: list[Annotated[str, AfterValidator(clean_tag)]] = []
    metadata: dict[str, Any] = {}
    record: PublicationRecord | None = None

    @model_validator(mode="after")
    def _one_file(self) -> ManifestLine:
        if bool(self.path) == bool(self.url):
            raise ValueError("give a path or a url")
        if self.url and not is_address(self.url):
            raise ValueError(f"{self.url[:80]!r} is no URL; give a path")
        links = self.record.downloadLinks if self.record else []
        if self.record and self.id not in [link.id for link in links] and (self.id or len(links) != 1):
            raise ValueError("give the id of the document of the record that the file is")
        return self

    @property
    def entry(self) -> dict[str, Any]:
        """Return what a job stores of the line besides the place of the file."""
        record = self.record
        kept = {
            "id": self.id or (record.downloadLinks[0].id if record else None),
            "tags": list(dict.fromkeys(self.tags)),
            "metadata": self.metadata,
            "record": record and record.model_dump(mode="json"),
        }
        return {name: value for name, value in kept.items() if value}


def read_manifest(manifest: Path) -> list[Found]:
    """Return the files that a manifest lists. Relative paths start at its folder.

    Raises:
        ArgumentError: it cannot be read, a line is not valid, or a file or an id is listed twice.
    """
    try:
        lines = manifest.expanduser().read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"the manifest {printable(manifest)} cannot be read ({error})") from error
    found: dict[tuple[str, str | None], Found] = {}
    ids: dict[str, int] = {}
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        where = f"line {number} of {printable(manifest)}"
        try:
            line = ManifestLine.model_validate_json(text)
        except ArgumentError as error:
            raise ArgumentError(f"{where}: {error}") from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            said = " ".join(first["msg"].removeprefix("Value error, ").split())
            raise ArgumentError(f"{where}: {place + ': ' if place else ''}{said}") from None
        file = _found(line, manifest.expanduser().parent)
        key = (file.uri, file.collection)
        if key in found:
            raise ArgumentError(f"{where}: {file.shown} is listed twice")
        if (named := file.entry.get("id")) in ids:
            raise ArgumentError(f"{where}: the id {named!r} is that of line {ids[named]} already")
        if named:
            ids[named] = number
        found[key] = file
    return list(found.values())


def _found(line: ManifestLine, folder: Path) -> Found:
    what: dict[str, Any] = {"collection": line.collection, "entry": line.entry}
    local = path_of(line.url) if line.url else folder / Path(str(line.path)).expanduser()
    if local is None:
        address = str(line.url)
        return Found(Path(name_at(address)), printable(address), address=address, **what)
    path = Path(os.path.realpath(local))
    there = path.is_file()
    return Found(path, printable(local), missing=not there, size=path.stat().st_size if there else 0, **what)
