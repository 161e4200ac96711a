"""Write pages of docs/reference/: of commands, of docstrings, of the functions in a fresh database. `make docs`.

python -m docs.generate --check     fails if a committed page is not current
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

from bench.throwaway import throwaway_store
from docs import async_stub, python_reference
from ragraph.base.queries import read_queries

DOCS = Path(__file__).parent
QUERIES = read_queries(DOCS / "generate.sql")


def main() -> None:
    """Write the pages, or compare them with what is committed."""
    made = {"cli.md": _cli(), "python.md": python_reference.page(), "sql.md": _sql()}
    pages = {DOCS / "reference" / name: text for name, text in made.items()}
    pages[async_stub.STORE / "async_store.pyi"] = async_stub.stub()
    stale = [page for page, text in pages.items() if not page.exists() or page.read_text() != text]
    if "--check" in sys.argv:
        if stale:
            sys.exit(f"not current, run `make docs`: {', '.join(page.name for page in stale)}")
        return
    for page in stale:
        page.write_text(pages[page])


def _cli() -> str:
    command = [sys.executable, "-m", "typer", "ragraph.faces.cli.program", "utils", "docs", "--name", "ragraph"]
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "100"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    text = re.sub(r"^\x08\n(\S.*:)\n(.+(?:\n.+)*)", r"\1\n\n```\n\2\n```", done.stdout, flags=re.MULTILINE)
    return "<!-- made by `make docs` -->\n" + text.strip() + "\n"


def _sql() -> str:
    with throwaway_store() as store, store.database.read() as connection:
        views, enumerations, functions = (
            connection.execute(QUERIES[name]).fetchall() for name in ("views", "enumerations", "functions")
        )
    lines = ["<!-- made by `make docs` from docs/reference/sql-head.md and the comments in the database -->"]
    lines += [(DOCS / "reference" / "sql-head.md").read_text().strip(), "", "## Views"]
    for (name, comment), columns in groupby(views, key=lambda row: row[:2]):
        lines += ["", f"### {name}", "", f"{_line(comment)}.", "", "| column | type | |", "| --- | --- | --- |"]
        lines += [f"| {column} | {kind} | {_line(meaning)} |" for _, _, column, kind, meaning in columns]
    lines += ["", "## Enumerations"]
    for name, values, comment in enumerations:
        lines += ["", f"### {name}", "", f"{_line(comment)}.", "", " · ".join(values)]
    lines += ["", "## Functions"]
    for name, arguments, result, comment in functions:
        lines += ["", f"### {name}", "", "```", f"{name}({arguments})", f"  -> {result}", "```", "", _line(comment)]
    return "\n".join(lines) + "\n"


_NAME = re.compile(r"(?<![\w\"`.{/(])[a-z]+(?:_[a-z]+)+(?![\w\"`}(])")
_FIRST = re.compile(r"(?<=\. )[a-z]+(?= (?:is|are|has|have|holds?|lists?|counts?|limits?|restricts?)\b)")


def _line(text: str) -> str:
    """Return a comment on one line; names of arguments and columns with ``_``, or that begin a sentence, are code."""
    return _FIRST.sub(r"`\g<0>`", _NAME.sub(r"`\g<0>`", " ".join(text.split())))


if __name__ == "__main__":
    main()
