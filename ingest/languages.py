"""Languages: BCP 47 tags to the text search configurations that every PostgreSQL 16 or later has, and guesses."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT_TS_CONFIG = "simple"
"""No stemming, no stop words: right for a language that is unknown, and for those without a configuration."""

_TS_CONFIGS = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}

# Records and files also give ISO 639-2 codes (JATS, EPUB) and English names (the World Bank's records).
_OTHER_NAMES = {
    "ara": "ar", "baq": "eu", "cat": "ca", "dan": "da", "deu": "de", "dut": "nl", "ell": "el", "eng": "en",
    "eus": "eu", "fin": "fi", "fra": "fr", "fre": "fr", "ger": "de", "gle": "ga", "gre": "el", "hin": "hi",
    "hun": "hu", "hye": "hy", "arm": "hy", "ind": "id", "ita": "it", "lit": "lt", "nep": "ne", "nld": "nl",
    "nno": "nn", "nob": "nb", "nor": "no", "por": "pt", "ron": "ro", "rum": "ro", "rus": "ru", "spa": "es",
    "srp": "sr", "swe": "sv", "tam": "ta", "tur": "tr", "yid": "yi",
}  # fmt: skip
_BY_CONFIG = {config: tag for tag, config in reversed(_TS_CONFIGS.items())}


def ts_config(language: str | None) -> str:
    """Return the text search configuration of a language.

    Args:
        language: a BCP 47 tag (``en``, ``pt-BR``), an ISO 639-2 code (``eng``) or an English name; case is free.

    Returns:
        The name of a configuration that PostgreSQL has; ``simple`` where there is none.
    """
    name = (language or "").strip().lower().replace("_", "-").partition("-")[0]
    name = _OTHER_NAMES.get(name, _BY_CONFIG.get(name, name))
    return _TS_CONFIGS.get(name, DEFAULT_TS_CONFIG)


_SAMPLE = 400
"""Characters that are looked at in one piece."""
_SAMPLES = 24
_LEAST = 120
"""Letters below which there is no telling; a letter that is a syllable or a word of its own counts three."""
_SURE = 0.75
"""Share of the samples that have to agree, each as far as it is sure itself."""


def guess_language(texts: Iterable[str]) -> str | None:
    """Return the language that prose is written in, as an ISO 639-1 code, or None where it is not plain.

    Samples from all over the texts are looked at one by one: a document in several languages has none of its own.

    Args:
        texts: paragraphs, in any order; the same texts always give the same answer.
    """
    prose = [text for text in texts if any(map(str.isalpha, text))]
    if sum(map(_weight, prose)) < _LEAST:
        return None
    pieces = _pieces(prose)
    step = max(len(pieces) / _SAMPLES, 1.0)
    chosen = [pieces[int(index * step)] for index in range(min(len(pieces), _SAMPLES))]
    votes: dict[str, float] = defaultdict(float)
    identifier = _identifier()
    for piece in chosen:
        language, sureness = identifier.classify(piece)
        votes[str(language)] += float(sureness)
    best = max(votes, key=lambda name: (votes[name], name))
    return best if votes[best] >= _SURE * len(chosen) else None


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
    wide = sum(unicodedata.east_asian_width(sign) == "W" for sign in text)
    return sum(map(str.isalpha, text)) + 2 * wide


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
