"""Languages: BCP 47 tags to the text search configurations that every PostgreSQL 16 or later has."""

from __future__ import annotations

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
BY_CONFIG = {config: tag for tag, config in reversed(TS_CONFIGS.items())}


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
