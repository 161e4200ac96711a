"""Print the folders and files of the code, each with the first line of its documentation: ``make map``.

``python -m docs.map pdf/tables ingest`` prints these folders alone.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("schema", "sql", "ragraph", "ingest", "pdf")
_SHOWN = 120
"""Characters of a line that are printed."""


def main() -> None:
    """Print the map of the folders that are named, or of all."""
    for name in sys.argv[1:] or FOLDERS:
        folder = ROOT / name
        if not folder.is_dir():
            sys.exit(f"there is no folder {name}; name one of the repository, such as {', '.join(FOLDERS)}")
        paths = (path for path in folder.rglob("*.*") if path.suffix in (".py", ".sql") and path.stat().st_size)
        for path in sorted(paths, key=lambda path: (path.parent, path.name != "__init__.py", path.name)):
            package = path.name == "__init__.py"
            shown = f"{path.parent.relative_to(ROOT)}/" if package else f"    {path.name}"
            print(f"{shown:<28} {_first(path)[:_SHOWN]}")


def _first(path: Path) -> str:
    """Return the first line of a docstring, of the comment at the head of a SQL file, or the names of its queries."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return ", ".join(re.findall(r"^-- name: (\w+)", text, re.MULTILINE)) or text.partition("\n")[0].lstrip("- ")


if __name__ == "__main__":
    main()
