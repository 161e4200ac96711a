"""Arguments for calls that are made up: fitting ones, wrong ones of every type, and texts that nobody expects."""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

NASTY: tuple[str, ...] = (
    "", " ", "\n", "\0", "\x1b[2J", "\x9b31m", "\u202e", "\ufeff", "\ud800", "\udcff", "é́́", "%s%n", "%(a)s", "{0}",
    "{x}", "{", "}", "[", "[]", "{}", "null", "true", "NaN", "'", '"', "'; drop table x; --", "$1", "$$", "\\", "-",
    "--", "-x", "*", "?", ":", ",", ",,", "=", "a=b", "1-2", "2-1", "1-", "-1", "0", "1", "1.5", "1e400", "nan", "inf",
    "٣", "0x10", "1_000", "99999999999999999999", "2024-99-99", "2024-02-30", "[bold]", "a" * 20_000, "{" * 2000,
    "word " * 3000, "\U000e0041", "☃" * 100, "None", "all", "openai:", "http://127.0.0.1:9/v1", "postgresql://x",
    '{"title": 1}', '{"a": NaN}', '{"$or": []}', '{"$not": {"$not": {}}}', '{"title": {"$in": []}}',
    '{"metadata.a": {"$regex": "("}}', '[{"document_id": 1}]', '"text"',
)  # fmt: skip
"""Texts that a program easily takes wrongly. None names a file outside the folder of the calls."""

TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(max_size=12).filter(lambda text: not set(text) & set("/~")),
    st.from_regex(re.compile(r"[-$a-z0-9 {}\":,]{1,12}"), fullmatch=True),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)


class Opaque:
    """A value that nothing takes."""

    def __repr__(self) -> str:
        return "Opaque()"


ANYTHING = st.one_of(
    JSON,
    st.binary(max_size=8),
    st.sampled_from(
        (
            Opaque(), Opaque, 2**70, 10**5000, -(2**63), 0.5, float("nan"), float("-inf"), 2.5j, (), (1,), (1, 2, 3),
            (2, 1), (None, None), ("a", "b"), set(), frozenset({1}), range(3), datetime.date(2024, 1, 1),
            datetime.timedelta.max, object, print, iter(()), [[]], [None], ["\0"], ["x", 5], {"x": Opaque()}, {1: 2},
            bytearray(b"x"), Ellipsis, NotImplemented, ValueError("x"),
        )
    ),
)  # fmt: skip
"""Values of every type."""


def fitting(name: str, known: Mapping[str, Sequence[Any]]) -> st.SearchStrategy[Any]:
    """Return values that exist in the store for an argument of this name; of any name, if none is known for it."""
    if name in known:
        return st.sampled_from(known[name])
    return st.sampled_from(sorted({value for values in known.values() for value in values if isinstance(value, str)}))


def write_files(folder: Path) -> dict[str, str]:
    """Write files of various contents, good and wrong ones, below an empty folder; return their paths by name."""
    texts: dict[str, bytes] = {
        "good.md": b"# Corn\n\nThe price of corn[^1] rose.\n\n[^1]: In 1776.\n",
        "empty.md": b"",
        "binary.pdf": b"%PDF-1.7\n\0\xff\xfe",
        "list.jsonl": b'{"question": "price of corn", "document": "dl_guide"}\n',
        "wrong.jsonl": b'{"question": 5}\n[]\nnull\n{"id": "dl_x", "nodes": [{"type": "POEM"}]}\n',
        "drafts.jsonl": json.dumps({"id": "dl_made", "nodes": [{"type": "PARAGRAPH", "text": "Made up."}]}).encode(),
        "deep.json": b"[" * 5000,
        "utf16.txt": "Words.".encode("utf-16"),
        "map.yaml": b"paragraph: p\n",
        "wrong.yaml": b"{: [",
        "zip.ragraph": b"PK\x05\x06" + b"\0" * 18,
    }
    for name, content in texts.items():
        (folder / name).write_bytes(content)
    (folder / "some").mkdir()
    (folder / "some" / "other.txt").write_text("Other words.")
    paths = {name: str(folder / name) for name in texts}
    return {**paths, "folder": str(folder / "some"), "missing": str(folder / "none" / "x"), "new": str(folder / "new")}
