"""A small disk that can be filled."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from ragraph import server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZE = "2g"


@contextmanager
def own_disk(top: Path, name: str) -> Iterator[Path]:
    """Yield a folder on a small disk of its own if possible, large enough for a home and temporary files."""
    folder = top / name
    folder.mkdir(mode=0o755)
    with ExitStack() as stack:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=755", "ragraph-chaos", str(folder)]
        if subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            stack.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=True)
        (folder / "tmp").mkdir()
        stack.callback(server.stop, folder / "home")
        yield folder
