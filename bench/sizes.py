"""Measure what an installation takes: a fresh environment for each choice of extras, filled from the wheel.

``python -m bench.sizes`` builds the wheel of this checkout and prints a table in Markdown. Megabytes (10^6 bytes) are
the space that the files of ``site-packages`` take on the disk. pip and setuptools are not counted. uv installs them,
because it downloads a package once for all environments, and compiles byte code as pip does. The share of byte code is
that of ``__pycache__``, which uv by default and ``pip install --no-compile`` leave out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ragraph.base.extras import DISTRIBUTION

ROOT = Path(__file__).parent.parent
CHOICES = ("", "ingest", "ingest,web,mcp", "graph", "styles", "tune", "models", "ingest,models", "all")
TORCH = "torch==2.13.0"
"""Installed first for choices that need it: a CPU build is enough."""
NOT_COUNTED = ("pip", "setuptools")


def main() -> None:
    """Print a row for each choice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("choices", nargs="*", default=list(CHOICES), help="extras, with commas; '' is the base")
    parser.add_argument("--wheel", type=Path, help="measure this wheel instead of building one")
    parser.add_argument("--parts", type=int, default=0, help="also print this many of the largest packages")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = options.wheel or built(Path(folder))
        uv = installer(Path(folder))
        print("| installed | MB | of these byte code | packages |\n| --- | --- | --- | --- |", flush=True)
        for extras in options.choices:
            environment = Path(folder) / "environment"
            site = installed(uv, environment, wheel.resolve(), extras)
            parts = {path.name: size(path) for path in site.iterdir() if not path.name.startswith(NOT_COUNTED)}
            packages = sum(name.endswith(".dist-info") for name in parts)
            name = f"{DISTRIBUTION}[{extras}]" if extras else DISTRIBUTION
            cached = sum(size(path) for path in site.rglob("__pycache__"))
            print(f"| `{name}` | {sum(parts.values()) / 1e6:,.0f} | {cached / 1e6:,.0f} | {packages} |", flush=True)
            for part in sorted(parts, key=parts.__getitem__, reverse=True)[: options.parts]:
                print(f"{parts[part] / 1e6:8,.0f} {part}", file=sys.stderr)
            subprocess.run(["rm", "-rf", str(environment)], check=True)


def built(folder: Path) -> Path:
    """Build the wheel of this checkout."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def installer(folder: Path) -> list[str]:
    """Return the command of uv, installed into an environment of its own."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "uv")], check=True)
    python = str(folder / "uv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "uv"], check=True)
    command = [python, "-m", "uv", "pip", "install", "--quiet", "--compile-bytecode"]
    command += ["--cache-dir", str(folder / "cache")]
    places = os.environ.get("PIP_FIND_LINKS", "").split()  # where a CPU build of torch may be
    return [*command, *(option for place in places for option in ("--find-links", place))]


def installed(uv: list[str], environment: Path, wheel: Path, extras: str) -> Path:
    """Install the wheel with extras into a new environment; return its ``site-packages``."""
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    install = [*uv, "--python", str(environment / "bin" / "python")]
    chosen = set(extras.split(","))
    if chosen & {"models", "openvino", "onnx", "all"}:
        subprocess.run([*install, TORCH], check=True)
    subprocess.run([*install, f"{DISTRIBUTION}[{extras}] @ {wheel.as_uri()}" if extras else str(wheel)], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    return site


def size(path: Path) -> int:
    """Return the bytes that a file or folder takes on the disk."""
    files = [path] if path.is_file() else [found for found in path.rglob("*") if found.is_file()]
    return sum(file.stat().st_blocks * 512 for file in files)


if __name__ == "__main__":
    main()
