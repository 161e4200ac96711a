"""Run the examples of README.md and docs/, and compare their output with the pages. `make examples`.

    python -m docs.examples             fail, and show the lines that differ
    python -m docs.examples --write     write the output of today into the pages

All blocks run on one store that holds the documents of examples/: console blocks by bash, then Python, then SQL. Marks
in a page:

    <!-- not run: why -->     before a block that cannot run here
    ...                       on a line of its own: further output is left out; at the end of a line: its rest
    0.619                     numbers with a decimal point may differ a little
    value  # {"text": 1}      Python: the value of the expression, if the comment is a literal

Other runners of documentation (sybil, pytest-examples, byexample) compare, but none rewrites the output of a console
block, which keeps such pages true.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack, chdir, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

import ragraph
from bench.throwaway import throwaway_store

ROOT = Path(__file__).parent.parent
PAGES = (
    ROOT / "README.md",
    *(
        ROOT / "docs" / name
        for name in (
            "tutorial/quickstart.md",
            "tutorial/python.md",
            "reference/sql-head.md",
            "how-to/cookbook.md",
            "how-to/evaluation.md",
            "how-to/pdf.md",
            "how-to/searching.md",
            "how-to/answers.md",
            "how-to/langchain.md",
            "how-to/llamaindex.md",
            "how-to/haystack.md",
            "how-to/entities.md",
            "how-to/works.md",
            "how-to/feedback.md",
            "how-to/python.md",
        )
    ),
)
DOCUMENTS = ROOT / "examples" / "documents"
TOLERANCE = 0.02
"""How much a number with a decimal point may differ, because the last digits of scores depend on the processor."""

_BLOCK = re.compile(
    r"(?P<skip><!-- not run:[^>]*-->\n)?^```(?P<language>console|python|sql)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_NUMBER = re.compile(r"\d+\.\d+")


@dataclass(frozen=True)
class Block:
    """A block of a page that runs: its language, its text, and the place of that text in the page."""

    language: str
    body: str
    start: int
    end: int


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page that run, in the order of running."""
    found = [
        Block(match["language"], match["body"], match.start("body"), match.end("body"))
        for match in _BLOCK.finditer(text)
        if not match["skip"]
    ]
    order = ("console", "python", "sql")
    return sorted(found, key=lambda block: (order.index(block.language), block.start))


def rewrite(text: str, url: str, folder: Path) -> str:
    """Return a page with the output of today.

    Args:
        text: the page.
        url: a store; the blocks change its contents.
        folder: where the blocks run; the documents of the examples are copied there, and ingested if the page needs it.

    Raises:
        RuntimeError: a command, Python or SQL failed.
    """
    if not (folder / "documents").exists():
        shutil.copytree(DOCUMENTS, folder / "documents")
        if "ragraph" in text:
            with ragraph.open(url) as store:
                store.ingest([folder / "documents"])
    made: dict[Block, str] = {}
    names: dict[str, Any] = {}
    with chdir(folder), ExitStack() as opened:
        for block in blocks(text):
            if block.language == "console":
                made[block] = _console(block.body, url)
            elif block.language == "python":
                made[block] = _python(block.body, url, names, opened)
            else:
                _sql(block.body, url)
        if left_open := names.get("store"):
            left_open.close()
    for block in sorted(made, key=lambda block: -block.start):
        text = text[: block.start] + made[block] + text[block.end :]
    return text


def differences(before: str, after: str) -> list[str]:
    """Return the lines of a page that differ from the output, each with that output; none if the page is true."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) != len(new):
        first = next(
            (place for place, (a, b) in enumerate(zip(old, new, strict=False)) if not _same(a, b)), len(new) - 1
        )
        return [f"line {first + 1}: more or fewer lines are printed, from: {new[first]}"]
    return [
        f"line {n}: {a}\n  is now: {b}" for n, (a, b) in enumerate(zip(old, new, strict=True), 1) if not _same(a, b)
    ]


def _same(before: str, after: str) -> bool:
    """Return True if two lines are equal, up to white space and the last digits of numbers."""
    if _NUMBER.sub("0.0", " ".join(before.split())) != _NUMBER.sub("0.0", " ".join(after.split())):
        return False
    pairs = zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True)
    return all(abs(float(a) - float(b)) <= TOLERANCE for a, b in pairs)


def _console(body: str, url: str) -> str:
    lines: list[str] = []
    for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
        command, *shown = part.rstrip("\n").split("\n")
        if not command.startswith("$ "):
            lines += [part.rstrip("\n")] if part else []
            continue
        printed = _run(command[2:], url, refused=any(line.startswith("error:") for line in shown))
        space = [""] if part.endswith("\n\n") else []
        lines += [command, *(_shaped(printed, shown) if shown else []), *space]
    return "\n".join(lines) + "\n"


def _run(command: str, url: str, *, refused: bool) -> list[str]:
    """Return the lines that a command prints; it must succeed, or fail if the page shows an error."""
    scripts = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "RAGRAPH_DATABASE_URL": url,
        "COLUMNS": "180",
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=900,
        check=False,
    )
    wanted = (1,) if refused else (0,)
    if done.returncode not in wanted or "Traceback" in done.stdout:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stdout[-2000:]}")
    return [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]


def _shaped(printed: list[str], shown: list[str]) -> list[str]:
    """Return the output with the cuts of a page."""
    if shown and shown[-1].strip() == "...":
        kept = printed[: len(shown) - 1]
        kept += ["..."] if len(printed) > len(kept) else []
    else:
        kept = printed
    for place, before in enumerate(shown[: len(kept)]):
        if before != "..." and before.endswith("...") and not kept[place].endswith("..."):
            kept[place] = _cut(kept[place], len(before))
    return kept


def _cut(line: str, width: int) -> str:
    """Return a line that is cut to some width, after a word, with `...`."""
    if len(line) <= width:
        return line
    return line[: width - 3].rsplit(" ", 1)[0].rstrip() + " ..."


def _python(body: str, url: str, names: dict[str, Any], opened: ExitStack) -> str:
    os.environ["RAGRAPH_DATABASE_URL"] = url
    with redirect_stdout(StringIO()):
        try:
            tree = ast.parse(body)
            lines = body.split("\n")
            for statement in tree.body:
                code = compile(ast.Module([statement], []), "<page>", "exec")
                last = (statement.end_lineno or statement.lineno) - 1
                comment = lines[last][statement.end_col_offset or 0 :].strip().removeprefix("#").strip()
                if isinstance(statement, ast.Expr) and _is_literal(comment):
                    value = eval(compile(ast.Expression(statement.value), "<page>", "eval"), names)  # noqa: S307
                    lines[last] = lines[last][: statement.end_col_offset] + f"  # {value!r}".replace("'", '"')
                else:
                    exec(code, names)  # noqa: S102 - the pages are ours
        except Exception as error:
            raise RuntimeError(f"this Python fails with {type(error).__name__}: {error}\n{body}") from error
    store = names.get("store")
    if store is not None:  # the first block closes the store, and the next one reads from it
        opened.callback(store.close)  # only at the end, because the next block may use it
        names["store"] = ragraph.open(url)
    return "\n".join(lines)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return bool(text)


def _sql(body: str, url: str) -> None:
    try:
        with psycopg.connect(url) as connection:
            connection.execute(body.encode())
    except psycopg.Error as error:
        raise RuntimeError(f"this SQL fails: {error}\n{body}") from error


def main() -> None:
    """Compare the pages, or write them."""
    failed = False
    with throwaway_store() as store, TemporaryDirectory() as folder:
        for page in PAGES:
            before = page.read_text()
            after = rewrite(before, store.database.url, Path(folder))
            wrong = differences(before, after)
            if "--write" in sys.argv and wrong:
                page.write_text(after)
            elif wrong:
                failed = True
                print(f"{page.name} is not true; run `python -m docs.examples --write`:", *wrong, sep="\n")
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
