"""Make ragraph/store/async_store.pyi: the signatures of the methods of ``Store``, for the store of asyncio."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
STORE = ROOT / "ragraph" / "store"
_HEAD = '"""Made by `make docs` from the methods of ``Store``."""\n'
_OWN = """
class AsyncStore:
    store: Store
    def __init__(self, store: Store) -> None: ...
    async def __aenter__(self) -> AsyncStore: ...
    async def __aexit__(self, *_: object) -> None: ...
    async def close(self) -> None: ...
"""
_END = """
class Opening:
    def __init__(self, opened: Callable[[], Store]) -> None: ...
    def __await__(self) -> Generator[Any, None, AsyncStore]: ...
    async def __aenter__(self) -> AsyncStore: ...
    async def __aexit__(self, *_: object) -> None: ...

def aopen(
    url: str | None = None,
    *,
    home: str | Path | None = None,
    role: str | None = None,
    create: bool = True,
    upgrade: bool = True,
) -> Opening: ...
"""
_NEEDED = {
    "Callable": "from collections.abc import Callable",
    "Generator": "from collections.abc import Generator",
    "AsyncIterator": "from collections.abc import AsyncIterator",
    "AbstractAsyncContextManager": "from contextlib import AbstractAsyncContextManager",
    "Path": "from pathlib import Path",
    "Store": "from ragraph.store.store import Store",
}


def stub() -> str:
    """Return the stub."""
    imports: dict[str, str] = {}
    methods: dict[str, str] = {}
    trees = {path.stem: ast.parse(path.read_text()) for path in sorted(STORE.glob("*.py"))}
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module != "__future__":
                imports |= {alias.name: f"from {node.module} import {alias.name}" for alias in node.names}
            if isinstance(node, ast.Import):
                imports |= {alias.name: f"import {alias.name}" for alias in node.names if not alias.asname}
            aliases = [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []
            imports |= {
                alias: f"from ragraph.store.{name} import {alias}"
                for alias in aliases
                if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"
            }
        for kind in tree.body:
            # StoreSource serves the hits of a store and is no part of it
            if isinstance(kind, ast.ClassDef) and kind.name.startswith("Store") and kind.name != "StoreSource":
                for method in kind.body:
                    if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                        methods.setdefault(method.name, _signature(method))
    methods.pop("close")
    body = "".join(methods[name] for name in sorted(methods))
    used = set(re.findall(r"[A-Za-z_]+", body + _OWN + _END))
    lines = sorted({line for name, line in (imports | _NEEDED).items() if name in used})
    text = "\n".join([_HEAD, *lines, _OWN.rstrip()]) + "\n" + body + _END
    for command in (["check", "--fix", "--select", "I,F401"], ["format"]):
        given = [sys.executable, "-m", "ruff", *command, "--stdin-filename", "async_store.pyi", "-"]
        text = subprocess.run(given, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return text


def _signature(method: ast.FunctionDef) -> str:
    returns = ast.unparse(method.returns) if method.returns else "None"
    named = f"{method.name}({ast.unparse(method.args)})"
    if method.name == "as_of":
        return f"    def {named} -> AbstractAsyncContextManager[AsyncStore]: ...\n"
    if returns.startswith("Iterator["):
        return f"    def {named} -> Async{returns}: ...\n"
    return f"    async def {named} -> {returns}: ...\n"
