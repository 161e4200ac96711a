r"""SQL for the lexemes of a node in full text search: words in all forms in which they are searched.

PostgreSQL's parser splits words at spaces. Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer are split into pairs
of neighbouring letters before. Words with accents are also indexed without them, at the same positions. Only functions
of every PostgreSQL are used, so the generated column depends on no function of ragraph. ``ragraph_private.word_vector``
returns the same for any text; tests compare the two.
"""

from __future__ import annotations

TEXT_SEARCH_CHARS = 100_000
"""Maximum number of characters of a node that are indexed: 200,000 of hyphenated words exceed a tsvector's 1 MiB."""

TEXT_SEARCH_CHARS_TWICE = TEXT_SEARCH_CHARS // 2
"""The maximum for text that is indexed as pairs of letters, or twice because of accents."""

UNCUT_LETTERS = (
    r"\u0E01-\u0E30\u0E32-\u0E33\u0E40-\u0E46\u0E81-\u0EB0\u0EB2-\u0EB3\u0EC0-\u0EC6\u1000-\u102A\u103F\u1050-\u1055"
    r"\u1780-\u17B3\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303C\u3041-\u3096\u309D-\u309F\u30A1-\u30FA"
    r"\u30FC-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\uA48C\uAC00-\uD7A3\uF900-\uFAD9\U00020000-\U0003134A"
)
"""Letters of scripts whose words the parser cannot split, because spaces are missing or only separate phrases."""

UNCUT_OTHER_FORMS = r"\u1100-\u11FF\uFF66-\uFF9F"
"""Parts of Hangul and half-width Katakana, which NFKC composes to such letters."""

UNCUT_MARKS = (
    r"\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECD\u102B-\u103E\u1056-\u1059\u17B4-\u17D3"
    r"\u302A-\u302F\u3099-\u309A"
)
"""Marks that belong to the letter before them."""

ACCENTS = r"\u0300-\u036F\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0640\u064B-\u065F\u0670"
"""Accents of Latin, Greek and Cyrillic letters and vowel points of Hebrew and Arabic, in NFD."""

STROKED = ("łŁøØđĐı", "lLoOdDi")
"""Letters that NFD does not decompose, and the same letters without their strokes."""

LIGATURES = {"æ": "ae", "œ": "oe", "Æ": "Ae", "Œ": "Oe"}


def cut_words(content: str) -> str:
    """Return SQL for a text whose unsplit words become pairs of letters, the last letter once more."""
    apart = f"regexp_replace(normalize({content}, NFKC), '([{UNCUT_LETTERS}{UNCUT_MARKS}]+)', E'\\x1f\\\\1\\x1f', 'g')"
    one = f"([{UNCUT_LETTERS}][{UNCUT_MARKS}]*)"
    return f"regexp_replace({apart}, '(?<=[{UNCUT_LETTERS}{UNCUT_MARKS}]){one}', E'\\\\1\\x1f\\\\1', 'g')"


def without_accents(content: str) -> str:
    """Return SQL for a text without its accents."""
    bare = f"normalize(regexp_replace(normalize({content}, NFD), '[{ACCENTS}]', '', 'g'), NFC)"
    for letter, letters in LIGATURES.items():
        bare = f"replace({bare}, '{letter}', '{letters}')"
    return f"translate({bare}, '{STROKED[0]}', '{STROKED[1]}')"


def word_vector(config: str, content: str) -> str:
    """Return SQL for the lexemes of a text, from SQL for its configuration and its content."""
    read = f"left({content}, {TEXT_SEARCH_CHARS})"
    half = f"left({content}, {TEXT_SEARCH_CHARS_TWICE})"
    plain = f"to_tsvector({config}, {read})"
    bare = f"to_tsvector({config}, {without_accents(half)})"
    accented = f"{ACCENTS}{STROKED[0]}{''.join(LIGATURES)}"
    return (
        f"CASE WHEN octet_length({content}) = length({content}) THEN {plain}"
        f" WHEN {content} ~ '[{UNCUT_LETTERS}{UNCUT_OTHER_FORMS}]' THEN to_tsvector({config}, {cut_words(half)})"
        f" WHEN normalize({read}, NFD) ~ '[{accented}]' THEN ({plain}::text || ' ' || {bare}::text)::tsvector"
        f" ELSE {plain} END"
    )
