"""Rules for document ids and tags, so that a command can name them and a table can show them."""

from __future__ import annotations

from ragraph.errors import ArgumentError

_LONGEST_ID = 200
_LONGEST_TAG = 100

ID_RULE = f"1 to {_LONGEST_ID} characters that are printable, no space at the ends, no leading -, not . or .."
TAG_RULE = f"1 to {_LONGEST_TAG} characters that are printable"


def check_id(name: str) -> str:
    """Return a document id unchanged if it is valid.

    Raises:
        ArgumentError: the id breaks a rule; the hint states it.
    """
    fits = 1 <= len(name) <= _LONGEST_ID and name.isprintable() and name == name.strip()
    if not fits or name.startswith("-") or name in (".", ".."):  # browsers read dots in an address as a folder
        raise ArgumentError(f"{name[:50]!r} cannot be the id of a document", hint=f"an id has {ID_RULE}")
    return name


def clean_tag(tag: str) -> str:
    """Return a tag without surrounding space.

    Raises:
        ArgumentError: the tag is empty or breaks a rule; the hint states it.
    """
    cleaned = tag.strip()
    if not cleaned:
        raise ArgumentError("a tag is empty", hint="leave it out")
    if len(cleaned) > _LONGEST_TAG or not cleaned.isprintable():
        raise ArgumentError(f"{cleaned[:50]!r} cannot be a tag", hint=f"a tag has {TAG_RULE}")
    return cleaned


def name_as_text(raw: bytes) -> str:
    """Return the name of a file as text: from UTF-8, or from Windows-1252, which most other names are in."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("windows-1252", errors="replace")
