"""The account of a document in words: what became of the letters of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def account_lines(ingested_with: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield names and values of the account of a document; nothing if it has none."""
    account = ingested_with.get("account", {})
    letters = account.get("letters", 0)
    if not letters:
        return
    parts = [(name, account.get(name, 0)) for name in ("stored", "furniture", "hidden")]
    parts += [(f"left out ({reason})", count) for reason, count in account.get("left_out", {}).items()]
    said = [f"{count:,} {name}" for name, count in [*parts, ("unaccounted", account.get("unaccounted", 0))] if count]
    yield "account", f"{letters:,} letters: {', '.join(said)}"
    if account.get("samples"):
        yield "unaccounted", ", ".join(account["samples"])
    for count, text in account.get("longest_furniture", [])[:3]:
        yield "furniture", f"{count:,} letters: {text}"
