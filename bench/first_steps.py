"""Take the first steps of README with the built wheel alone, and measure them.

    python -m bench.first_steps FILE FILE FILE --question WORDS [--write bench/results/first-steps.md]

The commands are those under "Five minutes with your own files" in README.md, as typed there, with three differences:
pip gets the wheel of this checkout instead of its name, the question is ``--question``, and no browser opens. They run
in a new folder with a new environment and a new home, so nothing of the checkout is found. The first file is
``report.pdf``, the others are in ``papers/``. Seconds are by the clock.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import quote_plus
from urllib.request import urlopen

from bench.sizes import built
from ragraph.base.extras import DISTRIBUTION

ROOT = Path(__file__).parent.parent
HEADING = "## Five minutes with your own files"
PAGE_SECONDS = 60
"""How long the service may take until it answers."""


@dataclass(frozen=True)
class Step:
    """A command, how long it took, and what it printed."""

    command: str
    seconds: float
    printed: str


def main() -> None:
    """Print the steps in Markdown, or write them into a page; exit code 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs=3, type=Path, metavar="FILE", help="PDF files")
    parser.add_argument("--question", required=True, help="asked instead of README's")
    parser.add_argument("--write", type=Path, help="page to write the steps into")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="first-steps-") as name:
        folder = Path(name)
        wheel = built(folder)
        (folder / "papers").mkdir()
        shutil.copy(given.files[0], folder / "report.pdf")
        for file in given.files[1:]:
            shutil.copy(file, folder / "papers")
        environment = {
            "HOME": name,
            "PATH": f"{folder / 'venv' / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "BROWSER": "true",  # `serve --open` starts this program
            **{key: value for key, value in os.environ.items() if key.startswith("PIP_")},
        }
        steps = [run(f"{sys.executable} -m venv venv", folder, environment)]
        try:
            steps += [take(command, given.question, wheel, folder, environment) for command in commands()]
        finally:
            subprocess.run(["ragraph", "db", "stop"], cwd=folder, env=environment, check=False, capture_output=True)
            home = {**environment, "RAGRAPH_HOME": str(folder / ".local/share/ragraph-demo")}
            subprocess.run(["ragraph", "db", "stop"], cwd=folder, env=home, check=False, capture_output=True)
        text = page(steps, given.files, folder)
    if given.write:
        given.write.write_text(text)
    else:
        print(text)


def commands() -> list[str]:
    """Return the commands of README, without their comments."""
    _, _, after = (ROOT / "README.md").read_text().partition(HEADING)
    block = re.search(r"```console\n(.*?)```", after, re.DOTALL)
    if block is None:
        raise SystemExit(f"README.md has no commands under {HEADING!r}")
    lines = [line for line in block[1].splitlines() if line.startswith("$ ")]
    return [line[2:].partition(" #")[0].rstrip() for line in lines]


def take(command: str, question: str, wheel: Path, folder: Path, environment: dict[str, str]) -> Step:
    """Run a command of README; the service is stopped when a browser's pages were answered."""
    command = command.replace(DISTRIBUTION, str(wheel))
    if command.startswith("ragraph search"):
        command = re.sub(r'"[^"]*"', f'"{question}"', command, count=1)
    if command.startswith("ragraph serve"):
        return browse(command, question, folder, environment)
    return run(command, folder, environment)


def run(command: str, folder: Path, environment: dict[str, str]) -> Step:
    """Run a command to its end."""
    print(f"$ {command}", file=sys.stderr, flush=True)
    begin = time.monotonic()
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"failed with code {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    # pip writes warnings about the machine's own package folders
    notes = "" if " pip " in f" {command} " else done.stderr
    return Step(command, time.monotonic() - begin, done.stdout + notes)


def browse(command: str, question: str, folder: Path, environment: dict[str, str]) -> Step:
    """Start the service and open what a reader opens: library, search, the hit on its page, the picture of the page."""
    print(f"$ {command}", file=sys.stderr, flush=True)
    begin = time.monotonic()
    service = subprocess.Popen(shlex.split(command), cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout is not None
        first = service.stdout.readline()
        found = re.search(r"http://\S+", first)
        if found is None:
            raise SystemExit(f"`{command}` printed no address: {first!r}")
        address = found[0].rstrip("/")
        lines = [first.rstrip()]
        opened(address + "/", lines)
        results = opened(f"{address}/search?q={quote_plus(question)}", lines)
        hit = re.search(r'href="(/documents/[^"]*node=[^"]*)"', results)
        if hit is None:
            raise SystemExit("the page of the search shows no hit")
        shown = opened(address + unescape(hit[1]), lines)
        image = re.search(r'(?:src|href)="([^"]*/pages/\d+/image[^"]*)"', shown)
        if image is None or "<rect" not in shown:
            raise SystemExit("the hit is not marked on its page")
        opened(address + unescape(image[1]), lines)
        return Step(command, time.monotonic() - begin, "\n".join(lines))
    finally:
        service.terminate()
        service.wait(30)


def opened(address: str, lines: list[str]) -> str:
    """Get a page, and note its title; the service may need a moment before its first answer."""
    with urlopen(address, timeout=PAGE_SECONDS) as answer:  # an address of this machine
        content = answer.read()
        kind = answer.headers.get_content_type()
        text = content.decode("utf-8", "replace") if kind == "text/html" else ""
        title = re.search(r"<title>(.*?)</title>", text, re.DOTALL)
        note = f"“{unescape(title[1]).strip()}”" if title else f"{kind}, {len(content):,} bytes"
        lines.append(f"GET {re.sub(r'^http://[^/]*', '', address)}: {answer.status}, {note}")
        return text


def page(steps: list[Step], files: list[Path], folder: Path) -> str:
    """Return the page of results."""
    names = ", ".join(f"`{file.name}` ({file.stat().st_size / 1e6:.1f} MB)" for file in files)
    total = sum(step.seconds for step in steps)
    lines = [
        "# First steps from the wheel",
        "",
        "The commands of [README](../../README.md#five-minutes-with-your-own-files), in an environment that has the",
        "built wheel and nothing else. Written by `python -m bench.first_steps`, which says what differs from README.",
        "",
        f"Measured on {datetime.now(UTC):%d %B %Y} with Python {sys.version.split()[0]}, on two cores that were busy.",
        f"Files: {names}. The sum is {total:.0f} s.",
        "",
        "| command | seconds |",
        "| --- | --- |",
    ]
    written = [(plain(step.command, folder), step) for step in steps]
    lines += [f"| `{command}` | {step.seconds:.1f} |" for command, step in written]
    for command, step in written:
        printed = plain(step.printed, folder).rstrip().splitlines()
        if command.startswith("pip install"):
            printed = printed[-1:]  # the packages; the lines before are downloads
        lines += ["", "```console", f"$ {command}", *printed, "```"]
    return "\n".join(lines) + "\n"


def plain(text: str, folder: Path) -> str:
    """Return text without the names of folders of this machine."""
    text = re.sub(rf"{re.escape(sys.executable)}\b", "python3", text).replace(f"{folder}/ragraph_", "ragraph_")
    return text.replace(str(folder), "~")


if __name__ == "__main__":
    main()
