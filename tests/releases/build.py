"""Build wheel, source distribution and bill of materials twice, and fail if two files differ: `make dist`.

    python tests/releases/build.py FOLDER

Times in the files are those of the commit, so whoever builds the same commit gets the same bytes. The bill of materials
lists the packages of this environment, in the format CycloneDX; its generator is ``cyclonedx-py`` of .venv-audit.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
BILL = "ragraph-store.cdx.json"


def main() -> None:
    """Build twice from two clones of the commit, and move the files into the folder. Exit code 1 if they differ."""
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        first, second = (build(Path(name) / place) for place in ("first", "second"))
        different = [file for file in sorted(first) if digest(first[file]) != digest(second[file])]
        if different or set(first) != set(second):
            sys.exit(f"two builds of one commit differ: {', '.join(different) or 'other files'}")
        target.mkdir(exist_ok=True)
        for file, path in sorted(first.items()):
            shutil.move(path, target / file)
            print(f"{digest(target / file)}  {target / file}")


def build(folder: Path) -> dict[str, Path]:
    """Clone the commit into a folder, build it there, and return the files by their names."""
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], check=True)
    when = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": when}
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist"]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    (archive,) = (folder / "dist").glob("*.tar.gz")
    steady(archive, int(when))
    if (generator := ROOT / ".venv-audit" / "bin" / "cyclonedx-py").exists():
        bill = [str(generator), "environment", sys.executable, "--output-reproducible", "--pyproject", "pyproject.toml"]
        subprocess.run([*bill, "--output-file", f"dist/{BILL}"], cwd=folder, check=True, capture_output=True)
    return {path.name: path for path in (folder / "dist").iterdir()}


def steady(archive: Path, when: int) -> None:
    """Write a source distribution again with one time, owner and order of its files; setuptools leaves their own."""
    written = io.BytesIO()
    with (
        tarfile.open(archive) as given,
        gzip.GzipFile(filename="", mode="wb", fileobj=written, mtime=when) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(given.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, given.extractfile(member) if member.isfile() else None)
    archive.write_bytes(written.getvalue())


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
