r"""Inline Markdown of content, read as the functions of ``sql/functions/09_inline.sql`` read it.

A backslash before ``*``, a backtick, another backslash, or ``(`` after ``]`` is an escape only if the text without such
backslashes would be another; else it is part of the text, as in ``C:\*``. So readers escape nothing in most
texts, and texts of formats that know no escapes keep their backslashes.
"""

from __future__ import annotations

import re

SIGN = re.compile(r"[\\*`(]")
"""Signs that may be read as marks."""

_CODE = re.compile(r"`([^`\n]+)`")
_STRONG = re.compile(r"\*\*([^*\s](?:[^*]*[^*\s])?)\*\*")
_EMPHASIS = re.compile(r"(?<![^\W_])(?<!\*)\*([^*\s](?:[^*]*[^*\s])?)\*(?![^\W_]|\*)")
_WITHIN_WORDS = re.compile(r"(?<!\*)\*([^*\s](?:[^*]*[^*\s])?)\*(?!\*)")
"""No emphasis here, but in other programs."""
_LINK = re.compile(r"!?\[([^][]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
_ESCAPES = re.compile(r"(`[^`\n]+`)|\\([\\*`])|(?<=\])\\(\()")

_SIGNS, _MASKS = "\\*`(", "\x01\x02\x03\x04"
_IN_CODE, _CODE_MASKS = "*[]", "\x05\x06\x0e"
"""Signs that are no marks within code, and what stands for them while marks are looked for."""
_MASKED = str.maketrans(_SIGNS, _MASKS)
_CODE_MASKED = str.maketrans(_IN_CODE, _CODE_MASKS)
_UNESCAPED = str.maketrans(_MASKS, _SIGNS)
_BARE = str.maketrans(_MASKS + _CODE_MASKS, _SIGNS + _IN_CODE)
_WITH_BACKSLASHES = _BARE | str.maketrans({mask: f"\\{sign}" for mask, sign in zip(_MASKS, _SIGNS, strict=True)})


def plain(content: str, whole: str | None = None) -> str:
    """Return content without its marks; of a link its text stays.

    Args:
        content: the content, or words of it.
        whole: all of the content, which tells whether its backslashes are escapes.
    """
    masked = _mask(content)
    return _unmasked(_without_marks(masked), masked if whole is None else _mask(whole))


def unmarked(content: str) -> str:
    """Return content as ``plain`` does, but also without emphasis within words, which only readers know of."""
    masked = _mask(content)
    return _unmasked(_WITHIN_WORDS.sub(r"\1", _without_marks(masked)), masked)


def escaped(text: str, places: list[int]) -> list[int]:
    """Return the places of a text that get a backslash, so that signs which are no marks are not read as marks.

    Args:
        text: content without escapes.
        places: where it has signs of ``SIGN`` that are no marks, ascending.
    """
    places = [place for place in places if text[place] != "(" or text[place - 1 : place] == "]"]
    if not places:
        return []
    signs = list(text)
    for place in places:
        signs[place] = signs[place].translate(_MASKED)
    meant = "".join(signs)
    if _shown(text) == _read(_CODE.sub(_mask_code, meant)).translate(_BARE):
        return []
    return [place for place in places if text[place] != "\\" or text[place + 1 : place + 2] in ("\\", "*", "`", "(")]


def _without_marks(masked: str) -> str:
    return _LINK.sub(r"\1", _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", _CODE.sub(r"\1", masked))))


def _mask(content: str) -> str:
    """Return content with control characters in place of what may be escapes, and of the signs of marks in code."""

    def masked(found: re.Match[str]) -> str:
        return _mask_code(found) if found[1] else (found[2] or found[3]).translate(_MASKED)

    return _ESCAPES.sub(masked, content)


def _mask_code(found: re.Match[str]) -> str:
    return found[0].translate(_CODE_MASKED)


def _unmasked(shown: str, masked: str) -> str:
    """Return what was made of masked content with signs in place of the masks."""
    return shown.translate(_BARE if _are_escapes(masked) else _WITH_BACKSLASHES)


def _are_escapes(masked: str) -> bool:
    """Return True if masked content would have other marks or signs without its backslashes."""
    bare = masked.translate(_UNESCAPED)
    return bare != masked and _shown(bare) != _read(masked).translate(_BARE)


def _shown(content: str) -> str:
    masked = _mask(content)
    return _unmasked(_read(masked), masked)


def _read(text: str) -> str:
    text = _STRONG.sub(r"<b>\1</b>", _CODE.sub(r"<code>\1</code>", text))
    text = _EMPHASIS.sub(r"<em>\1</em>", text)
    return _LINK.sub(r"<a>\1</a>", _WITHIN_WORDS.sub(r"<i>\1</i>", text))
