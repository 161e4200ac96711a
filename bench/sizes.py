"""Measure what an installation takes: a fresh environment for each choice of extras, filled by pip from the wheel.

``python -m bench.sizes`` builds the wheel of this checkout and prints a table in Markdown. Megabytes (10^6 bytes) are
the space that the files of ``site-packages`` take on the disk, byte code included; pip and setuptools are not counted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from ragraph.base.extras import DISTRIBUTION

ROOT = Path(__file__).parent.parent
CHOICES = ("", "ingest", "ingest,web,mcp", "tune", "styles", "models", "ingest,models", "all")
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
        print("| installed | MB | packages |\n| --- | --- | --- |")
        for extras in options.choices:
            environment = Path(folder) / "environment"
            site = installed(environment, wheel.resolve(), extras)
            parts = {path.name: size(path) for path in site.iterdir() if not path.name.startswith(NOT_COUNTED)}
            packages = sum(name.endswith(".dist-info") for name in parts)
            name = f"{DISTRIBUTION}[{extras}]" if extras else DISTRIBUTION
            print(f"| `{name}` | {sum(parts.values()) / 1e6:,.0f} | {packages} |", flush=True)
            for part in sorted(parts, key=parts.__getitem__, reverse=True)[: options.parts]:
                print(f"{parts[part] / 1e6:8,.0f} {part}", file=sys.stderr)
            subprocess.run(["rm", "-rf", str(environment)], check=True)


def built(folder: Path) -> Path:
    """Build the wheel of this checkout."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def installed(environment: Path, wheel: Path, extras: str) -> Path:
    """Install the wheel with extras into a new environment; return its ``site-packages``."""
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    chosen = set(extras.split(","))
    if chosen & {"models", "openvino", "onnx", "all"}:
        subprocess.run([*pip, TORCH], check=True)
    subprocess.run([*pip, f"{wheel}[{extras}]" if extras else str(wheel)], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    return site


def size(path: Path) -> int:
    """Return the bytes that a file or folder takes on the disk."""
    files = [path] if path.is_file() else [found for found in path.rglob("*") if found.is_file()]
    return sum(file.stat().st_blocks * 512 for file in files)


if __name__ == "__main__":
    main()
