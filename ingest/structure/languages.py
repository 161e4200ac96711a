"""Languages of documents that state none, guessed where it is plain."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_SAMPLE = 400
"""Characters that are looked at in one piece."""
_SAMPLES = 24
_LEAST = 120
"""Letters below which there is no telling; a letter that is a syllable or a word of its own counts three."""
_SURE = 0.75
"""Share of the samples that have to agree, each as far as it is sure itself; and of the letters, on a script."""

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
"""Script to the languages that are guessed: those of many documents. The identifier knows others, Guadeloupean Creole
among them, and takes what is no prose, or in several scripts, for one of these."""
_SCRIPTS = dict.fromkeys(("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"), "CJK")


def guess_language(texts: Iterable[str]) -> str | None:
    """Return the language that prose is written in, as an ISO 639-1 code, or None where it is not plain.

    Samples from all over the texts are looked at one by one: a document in several languages has none of its own, nor
    has one in several scripts.

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
        if most >= enough or most + left < enough:  # whatever the others say
            break
    best = max(votes, key=lambda name: (votes[name], name))
    plain = votes[best] >= enough and best in _WRITTEN.get(_script(chosen), "").split()
    return best if plain else None


def _script(texts: list[str]) -> str:
    """Return the script that nearly all letters are of, by the names of Unicode, or nothing."""
    letters: dict[str, int] = defaultdict(int)
    for sign, times in Counter("".join(texts)).items():
        if not sign.isalpha():
            continue
        name = unicodedata.name(sign, "").partition(" ")[0]
        letters[_SCRIPTS.get(name, name)] += times * _weight(sign)
    script = max(letters, key=lambda name: (letters[name], name), default="")
    return script if letters[script] >= _SURE * sum(letters.values()) else ""


def _pieces(prose: list[str]) -> list[str]:
    """Return the texts in pieces of about one length, short ones joined."""
    pieces = [""]
    for text in prose:
        for start in range(0, len(text), _SAMPLE):
            if len(pieces[-1]) >= _SAMPLE:
                pieces.append("")
            pieces[-1] += f"{text[start : start + _SAMPLE]}\n"
    # What is left over may be too short to tell.
    return pieces[:-1] if len(pieces) > 1 and len(pieces[-1]) < _SAMPLE // 2 else pieces


def _weight(text: str) -> int:
    """Return the number of letters, those that stand for a syllable or a word three times."""
    wide = 0 if text.isascii() else sum(unicodedata.east_asian_width(sign) == "W" for sign in text)
    return sum(map(str.isalpha, text)) + 2 * wide


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
