"""Files with hostile names, and things in folders that are not files."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from bench.hostile.basics import Around

NAMES = (
    b"line\nbreak.md",
    b"carriage\rreturn.md",
    b"\x1b[2J\x1b[31mescape.md",
    b"bell\x07.md",
    b"\xe2\x80\xaegnp.md",
    b"no\xff\xfeutf8.md",
    b"x" * 252 + b".md",
    b"-rf.md",
    b"--help.md",
    b"%s%n%(word)s.md",
    b"'; DROP SCHEMA ragraph CASCADE; --.md",
    b'"quoted".md',
    b"$(touch owned).md",
    b"`touch owned`.md",
    b"<script>alert(1)</script>.md".replace(b"/", b""),
    b"back\\slash.md",
    b"star*[a-z]?.md",
    b" spaces .md",
    b"{braces}.md",
    b"emoji \xf0\x9f\xa6\x93.md",
    b"separator\xe2\x80\xa8.md",
    "é.md".encode(),
    "e\u0301.md".encode(),
    b"con.md",
    b"#anchor?question=1&a=%2e%2e%2f.md",
)
"""Names of good files, as bytes."""


def write_named(folder: Path, name: bytes, at: Around) -> None:
    """Write a good file with this name."""
    with open(os.path.join(os.fsencode(folder), name), "wb") as file:  # noqa: PTH118, PTH123
        file.write(f"# Named\n\n{at.word} stands here.\n".encode())


def write_no_files(folder: Path, secret: Path) -> None:
    """Write pipes, sockets, links and a very deep folder."""
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as made:
        here = os.open(folder, os.O_RDONLY)
        try:
            made.bind(f"/proc/self/fd/{here}/socket.md")
        finally:
            os.close(here)
    (folder / "to-secret.txt").symlink_to(secret)
    (folder / "to-itself.md").symlink_to("to-itself.md")
    (folder / "to-zero.txt").symlink_to("/dev/zero")
    (folder / "round").symlink_to(".")
    (folder / "folder.md").mkdir()
    with (folder / "sparse.txt").open("wb") as sparse:
        sparse.truncate(3 << 30)
    deep = folder
    for _ in range(12):
        deep /= "d" * 200
    deep.mkdir(parents=True)
    (deep / "deep.md").write_text("# Deep\n\nFar down.\n")
