"""Languages of source code by the endings of names."""

from __future__ import annotations

LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".jsx": "javascript", ".ts": "typescript", ".tsx": "typescript", ".java": "java", ".kt": "kotlin",
    ".scala": "scala",
    ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++", ".cs": "c#", ".go": "go", ".rs": "rust",
    ".rb": "ruby", ".php": "php", ".pl": "perl", ".pm": "perl", ".r": "r", ".jl": "julia", ".lua": "lua",
    ".m": "matlab",
    ".swift": "swift", ".sh": "bash", ".bash": "bash", ".zsh": "bash", ".ps1": "powershell", ".sql": "sql",
    ".hs": "haskell", ".ml": "ocaml", ".ex": "elixir", ".exs": "elixir", ".erl": "erlang", ".clj": "clojure",
    ".f90": "fortran", ".f": "fortran", ".for": "fortran", ".vb": "vb", ".css": "css", ".scss": "css",
    ".toml": "toml", ".ini": "ini", ".cfg": "ini", ".dart": "dart", ".groovy": "groovy", ".tf": "hcl",
}  # fmt: skip
"""Language of source code by the ending of its name; such files are read if they are named, not in folders."""
