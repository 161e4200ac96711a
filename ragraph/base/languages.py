"""Map languages (BCP 47 tags) to the text search configurations that PostgreSQL 16 and later include."""

from __future__ import annotations

import re

from ragraph.errors import ArgumentError

DEFAULT_TS_CONFIG = "simple"
"""Has no stemming and no stop words. Used for unknown languages and for those without a configuration."""

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

# Bibliographic records and files also use ISO 639-2 codes (JATS, EPUB) and English names (the World Bank).
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
"""Pattern of a BCP 47 tag (RFC 5646, section 2.1) that begins with a language of ISO 639."""

BY_CONFIG = {config: tag for tag, config in reversed(TS_CONFIGS.items())}


def check_tag(language: str) -> None:
    """Refuse text that does not have the form of a BCP 47 tag. Whether the language exists is not checked.

    Raises:
        ArgumentError: it is not a tag; for an English name the hint suggests the tag.
    """
    if _TAG.fullmatch(language):
        return
    meant = BY_CONFIG.get(language.strip().lower())
    hint = f"did you mean {meant!r}?" if meant else "write it as en, pt-BR or zh-Hans"
    raise ArgumentError(f"{language!r:.60} is not a language tag (BCP 47)", hint=hint)


def ts_config(language: str | None) -> str:
    """Return the text search configuration for a language.

    Args:
        language: a BCP 47 tag (``en``, ``pt-BR``), an ISO 639-2 code (``eng``) or an English name, in any case.

    Returns:
        The name of a PostgreSQL configuration; ``simple`` if the language is None or has no configuration.
    """
    name = (language or "").strip().lower().replace("_", "-").partition("-")[0]
    name = _OTHER_NAMES.get(name, BY_CONFIG.get(name, name))
    return TS_CONFIGS.get(name, DEFAULT_TS_CONFIG)
