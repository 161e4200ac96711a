"""The folder of the server's socket: private to the server's user, with a path short enough for the kernel."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ragraph.errors import ServerError

if TYPE_CHECKING:
    from ragraph.server.account import Account
    from ragraph.server.paths import StorePaths

_LONGEST = 93  # bytes: the 107 of a socket's path minus those of "/.s.PGSQL.5432"


def socket_folder(paths: StorePaths, owner: Account) -> Path:
    """Create the socket folder (mode 0700, owned by the server's user) and return it.

    It is ``run`` in the store, unless that path is too long or has a comma, at which libpq would split it.

    Raises:
        ServerError: ``run`` exists and is not such a folder.
    """
    if len(os.fsencode(paths.run)) <= _LONGEST and "," not in str(paths.run):
        if not _private(paths.run, owner):
            raise ServerError(
                f"{paths.run} is not a private folder (0700) of user {owner.name}: delete it and open the store again"
            )
        return paths.run
    name = f"ragraph-{hashlib.sha256(os.fsencode(paths.home)).hexdigest()[:12]}"
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    bases = [Path(runtime)] if runtime.startswith("/") and os.geteuid() == owner.uid and len(runtime) < 60 else []
    for base in [*bases, Path("/tmp")]:  # noqa: S108 - not TMPDIR, which may be long; the folder is checked
        if base.is_dir() and _private(base / name, owner):
            return base / name
    # another user has that name; any other name works, because clients read it from the server's pid file
    folder = Path(tempfile.mkdtemp(prefix="ragraph-", dir="/tmp"))
    owner.own(folder)
    return folder


def quoted(folder: Path) -> str:
    """Return the folder as a list with one quoted entry, for a PostgreSQL setting."""
    return '"' + str(folder).replace('"', '""') + '"'


def _private(folder: Path, owner: Account) -> bool:
    """Create a folder, or return True if the existing one is a real folder of the right user with mode 0700."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    else:
        owner.own(folder)
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == owner.uid and stat.S_IMODE(found.st_mode) == 0o700
