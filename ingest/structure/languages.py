"""Guess the language of documents that state none, if it is clear."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_SAMPLE = 400
"""Characters of one sample."""
_SAMPLES = 24
_LEAST = 120
"""Minimum letters for a guess; a letter that is a syllable or a word counts three."""
_SURE = 0.75
"""Share of the samples that have to agree, weighted by their own certainty; also of the letters, on a script."""

_WRITTEN = {
    "LATIN": "ca cs cy da de en es et eu fi fr ga hr hu id is it lt lv ms nl nn no pl pt ro sk sl sq sr sv sw tr vi",
    "CYRILLIC": "be bg kk mk mn ru sr uk",
    "ARABIC": "ar fa ur",
    "CJK": "ja zh",
    "DEVANAGARI": "hi mr ne",
    "ARMENIAN": "hy",
    "BENGALI": "bn",
    "ETHIOPIC": "am",
    "GEORGIAN": "ka",
    "GREEK": "el",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "HANGUL": "ko",
    "HEBREW": "he",
    "KANNADA": "kn",
    "KHMER": "km",
    "LAO": "lo",
    "MALAYALAM": "ml",
    "MYANMAR": "my",
    "SINHALA": "si",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
}
"""Languages that are guessed, by script: those of many documents. The identifier knows others, for example
Guadeloupean Creole, and mistakes text that is not prose, or in several scripts, for one of these."""
_SCRIPTS = dict.fromkeys(("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"), "CJK")


def guess_language(texts: Iterable[str]) -> str | None:
    """Return the language of prose as an ISO 639-1 code, or None if it is not clear.

    Samples from all over the texts are identified one by one. A document in several languages or scripts has no
    language of its own.

    Args:
        texts: paragraphs, in any order; the same texts always give the same answer.
    """
    prose = [text for text in texts if any(map(str.isalpha, text))]
    weights = accumulate(map(_weight, prose))
    if not any(weight >= _LEAST for weight in weights):
        return None
    pieces = _pieces(prose)
    step = max(len(pieces) / _SAMPLES, 1.0)
    chosen = [pieces[int(index * step)] for index in range(min(len(pieces), _SAMPLES))]
    votes: dict[str, float] = defaultdict(float)
    identifier = _identifier()
    enough = _SURE * len(chosen)
    for left, piece in zip(reversed(range(len(chosen))), chosen, strict=True):
        language, sureness = identifier.classify(piece)
        votes[str(language)] += float(sureness)
        most = max(votes.values())
        if most >= enough or most + left < enough:  # the remaining samples cannot change the result
            break
    best = max(votes, key=lambda name: (votes[name], name))
    plain = votes[best] >= enough and best in _WRITTEN.get(_script(chosen), "").split()
    return best if plain else None


def _script(texts: list[str]) -> str:
    """Return the script of nearly all letters, by their Unicode names, or an empty string."""
    letters: dict[str, int] = defaultdict(int)
    for sign, times in Counter("".join(texts)).items():
        if not sign.isalpha():
            continue
        name = unicodedata.name(sign, "").partition(" ")[0]
        letters[_SCRIPTS.get(name, name)] += times * _weight(sign)
    script = max(letters, key=lambda name: (letters[name], name), default="")
    return script if letters[script] >= _SURE * sum(letters.values()) else ""


def _pieces(prose: list[str]) -> list[str]:
    """Return the texts in pieces of similar length, short ones joined."""
    pieces = [""]
    for text in prose:
        for start in range(0, len(text), _SAMPLE):
            if len(pieces[-1]) >= _SAMPLE:
                pieces.append("")
            pieces[-1] += f"{text[start : start + _SAMPLE]}\n"
    # the rest may be too short to identify
    return pieces[:-1] if len(pieces) > 1 and len(pieces[-1]) < _SAMPLE // 2 else pieces


def _weight(text: str) -> int:
    """Return the number of letters; letters that are a syllable or a word count three."""
    wide = 0 if text.isascii() else sum(unicodedata.east_asian_width(sign) == "W" for sign in text)
    return sum(map(str.isalpha, text)) + 2 * wide


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
