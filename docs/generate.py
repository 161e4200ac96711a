"""Write docs/cli.md from the commands and docs/sql.md from the functions in a fresh database. `make docs`.

python -m docs.generate --check     fails if a committed page is not current
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bench.throwaway import throwaway_store
from ragraph.queries import read_queries

DOCS = Path(__file__).parent
QUERIES = read_queries(DOCS / "generate.sql")


def main() -> None:
    """Write the pages, or compare them with what is committed."""
    pages = {DOCS / "cli.md": _cli(), DOCS / "sql.md": _sql()}
    stale = [page for page, text in pages.items() if not page.exists() or page.read_text() != text]
    if "--check" in sys.argv:
        if stale:
            sys.exit(f"not current, run `make docs`: {', '.join(page.name for page in stale)}")
        return
    for page in stale:
        page.write_text(pages[page])


def _cli() -> str:
    command = [sys.executable, "-m", "typer", "ragraph.cli", "utils", "docs", "--name", "ragraph"]
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "100"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return "<!-- made by `make docs` -->\n" + done.stdout.strip() + "\n"


def _sql() -> str:
    with throwaway_store() as store, store.database.read() as connection:
        functions = connection.execute(QUERIES["functions"]).fetchall()
    lines = ["<!-- made by `make docs` from docs/sql-head.md and the comments in the database -->"]
    lines.append((DOCS / "sql-head.md").read_text().strip())
    for name, arguments, result, comment in functions:
        lines += [
            "",
            f"### {name}",
            "",
            "```",
            f"{name}({arguments})",
            f"  -> {result}",
            "```",
            "",
            " ".join(comment.split()),
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
