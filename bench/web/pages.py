"""The pages: their origin, how they are fetched, and their truth.

There are two sets: ``pages``, which the rules were made with, and ``fresh``, chosen later from other sites.

A page is not committed, but its origin is: a file in a Debian package (``deb:PACKAGE=VERSION:FILE``) or in a commit of
a public repository (``git:OWNER/NAME@COMMIT:FILE``), with the SHA-256 of its bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Page:
    """A page of the list.

    Attributes:
        page: its number, which is its name in the folder of pages and in ``truth/``.
        kind: generator or kind ("sphinx", "news").
        half: "developed" or "held out".
        origin: its origin.
        sha256: SHA-256 of its bytes.
    """

    page: str
    kind: str
    half: str
    origin: str
    sha256: str

    @property
    def truth(self) -> dict[str, Any]:
        """Return its labels: XPaths of the text, of furniture within it, of what counts as neither; headings."""
        path = _HERE / "truth" / f"{self.page}.json"
        return dict(json.loads(path.read_text()))


SETS = ("pages", "fresh")


def pages(name: str = "pages") -> list[Page]:
    """Return all pages of a set."""
    return [Page(**json.loads(line)) for line in (_HERE / f"{name}.jsonl").read_text().splitlines()]


def folder() -> Path:
    """Return the folder of pages: ``$RAGRAPH_DATA/web``."""
    return Path(os.environ.get("RAGRAPH_DATA", "data")) / "web"


def fetched(page: Page) -> Path:
    """Return the file of a page, fetched on first use and compared with the list by its bytes."""
    path = folder() / f"{page.page}.html"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        kind, _, place = page.origin.partition(":")
        content = _from_package(place) if kind == "deb" else _from_repository(place)
        path.write_bytes(content)
    if hashlib.sha256(path.read_bytes()).hexdigest() != page.sha256:
        raise SystemExit(f"{path} is not the page of the list ({page.origin}); remove it")
    return path


def _from_package(place: str) -> bytes:
    package, _, rest = place.partition("=")
    version, _, name = rest.rpartition(":")
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["apt-get", "download", f"{package}={version}"], cwd=scratch, check=True, capture_output=True)
        archive = next(Path(scratch).glob("*.deb"))
        subprocess.run(["dpkg-deb", "-x", archive, scratch], check=True)
        return (Path(scratch) / name).read_bytes()


def _from_repository(place: str) -> bytes:
    repository, _, rest = place.partition("@")
    commit, _, name = rest.partition(":")
    with tempfile.TemporaryDirectory() as scratch:
        git = ["git", "-C", scratch]
        subprocess.run([*git, "init", "-q"], check=True)
        address = f"https://github.com/{repository}"
        subprocess.run([*git, "fetch", "-q", "--depth=1", "--filter=blob:none", address, commit], check=True)
        subprocess.run([*git, "remote", "add", "origin", address], check=True)
        return subprocess.run([*git, "show", f"{commit}:{name}"], check=True, capture_output=True).stdout
