"""What the PDF reader never needs: conditions that come out one way on every page of a set of files.

    python -m bench.gate.idle PDFS ... [--pages 12] [--module ragraph.pdf.tables]

Each file is read once, with a counter around each condition of ``ragraph.pdf``. It prints the conditions that were
asked and never decided anything: an ``if`` that never holds, a part of ``and`` that always holds, a part of ``or`` that
never does. Without them every one of these pages is read in the same way, so they are the first to go; functions that
are called for them alone go with them. Guards against what is empty are among them, and stay. It takes twice as long as
reading; nothing is said of kinds of files that are not there.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

PACKAGE = "ragraph.pdf"
_COUNT = "count_condition"


class Condition(NamedTuple):
    """A condition of the reader: its module and line, "if", "and" or "or", and its text."""

    module: str
    line: int
    kind: str
    text: str


CONDITIONS: list[Condition] = []
TRUE: Counter[int] = Counter()
FALSE: Counter[int] = Counter()


def count(number: int, value: Any) -> Any:
    """Count how a condition came out, and return its value."""
    (TRUE if value else FALSE)[number] += 1
    return value


def idle(kind: str, true: int, false: int) -> bool:
    """Return True if a condition was asked and never decided anything."""
    return bool(true and not false) if kind == "and" else bool(false and not true)


class _Counting(ast.NodeTransformer):
    """Puts a counter around each condition of a module."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def visit_If(self, node: ast.If) -> ast.AST:
        plain = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return node if plain else self._of_test(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._of_test(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        kind = "and" if isinstance(node.op, ast.And) else "or"
        numbers = [self._number(value, kind) for value in node.values]
        self.generic_visit(node)
        node.values = [_counted(number, value) for number, value in zip(numbers, node.values, strict=True)]
        return node

    def _of_test(self, node: ast.If | ast.IfExp) -> ast.AST:
        number = self._number(node.test, "if")
        self.generic_visit(node)
        node.test = _counted(number, node.test)
        return node

    def _number(self, node: ast.expr, kind: str) -> int:
        text = " ".join((ast.get_source_segment(self.source, node) or "").split())
        CONDITIONS.append(Condition(self.module, node.lineno, kind, text))
        return len(CONDITIONS) - 1


def _counted(number: int, node: ast.expr) -> ast.expr:
    call = ast.Call(ast.Name(_COUNT, ast.Load()), [ast.Constant(number), node], [])
    return ast.copy_location(call, node)


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        tree = ast.fix_missing_locations(_Counting(fullname, source).visit(ast.parse(source)))
        compiled: CodeType = compile(tree, self.path, "exec")
        return compiled

    def exec_module(self, module: ModuleType) -> None:
        setattr(module, _COUNT, count)
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname.startswith(f"{PACKAGE}.") else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def main() -> None:
    """Read the files and print the conditions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="PDF files, or folders of them")
    parser.add_argument("--pages", type=int, default=12, help="read so many pages of a file at most")
    parser.add_argument("--module", default=PACKAGE, help="print conditions of modules that begin so")
    chosen = parser.parse_args()
    sys.meta_path.insert(0, _Finder())
    from ragraph.errors import IngestError
    from ragraph.pdf.analysis import analyse

    files = [file for path in chosen.files for file in (sorted(path.rglob("*.pdf")) if path.is_dir() else [path])]
    read = 0
    for file in files:
        try:
            read += len(analyse(file, pages=(1, chosen.pages), layout="rules", ocr=False).pages)
        except IngestError as error:
            print(f"{file.name} is left out: {error}", file=sys.stderr)
    found = [(condition, TRUE[number] + FALSE[number]) for number, condition in enumerate(CONDITIONS)
             if condition.module.startswith(chosen.module)
             and idle(condition.kind, TRUE[number], FALSE[number])]  # fmt: skip
    for condition, asked in found:
        print(f"{condition.module.removeprefix(f'{PACKAGE}.')}:{condition.line} {condition.kind} "
              f"({asked} times): {condition.text[:100]}")  # fmt: skip
    print(f"{len(found)} of {len(CONDITIONS)} conditions never decide anything on {read} pages of {len(files)} files")


if __name__ == "__main__":
    main()
