"""Languages: BCP 47 tags to the text search configurations that every PostgreSQL 16 or later has."""

from __future__ import annotations

import re

from ragraph.errors import ArgumentError

DEFAULT_TS_CONFIG = "simple"
"""No stemming, no stop words: right for a language that is unknown, and for those without a configuration."""

TS_CONFIGS = {
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
_TAG = re.compile(
    r"[a-z]{2,3}(-[a-z]{3}){0,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-([a-z\d]{5,8}|\d[a-z\d]{3}))*"
    r"(-[a-wyz\d](-[a-z\d]{2,8})+)*(-x(-[a-z\d]{1,8})+)?",
    re.IGNORECASE,
)
"""Shape of a BCP 47 tag (RFC 5646, section 2.1) that begins with a language of ISO 639."""

BY_CONFIG = {config: tag for tag, config in reversed(TS_CONFIGS.items())}


def check_tag(language: str) -> None:
    """Refuse what has not the shape of a BCP 47 tag; whether there is such a language is not looked up.

    Raises:
        ArgumentError: says which tag an English name means.
    """
    if _TAG.fullmatch(language):
        return
    meant = BY_CONFIG.get(language.strip().lower())
    hint = f"did you mean {meant!r}?" if meant else "write it as en, pt-BR or zh-Hans"
    raise ArgumentError(f"{language!r:.60} is no tag of a language (BCP 47)", hint=hint)


def ts_config(language: str | None) -> str:
    """Return the text search configuration of a language.

    Args:
        language: a BCP 47 tag (``en``, ``pt-BR``), an ISO 639-2 code (``eng``) or an English name; case is free.

    Returns:
        The name of a configuration that PostgreSQL has; ``simple`` where there is none.
    """
    name = (language or "").strip().lower().replace("_", "-").partition("-")[0]
    name = _OTHER_NAMES.get(name, BY_CONFIG.get(name, name))
    return TS_CONFIGS.get(name, DEFAULT_TS_CONFIG)
