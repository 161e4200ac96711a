"""The one table of titles: what a heading says about the part of the document that it opens.

Each line of ``PATTERNS`` names a component type, the matter it belongs to, how far its title can be trusted
away from that place, and the titles by language. A title is compared without markdown, numbering, case and
closing punctuation, and has to match as a whole. To add a language, add its titles to the lines.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from ragraph.schema.enums import ComponentType

T = ComponentType


class Trust(Enum):
    """Where a title means what it says."""

    PLACE = "only in its own matter, or directly under a part of it"
    TOP = "at the level of chapters, in any matter"
    ANYWHERE = "at any depth"
    CONTENT = "in its own matter, elsewhere if what it holds agrees"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A line of the table.

    Attributes:
        type: of the component under such a heading.
        matter: matters it may stand in; the first opens or closes that matter.
        trust: where the title decides the type.
        titles: regular expressions by language, each for a whole title in lower case; ``<number>``
            stands for a number or numeral and the title after it, ``<label>`` for these or a letter.
        strong: whether headings before it that say nothing (a title set as a heading, say) are front matter too.
    """

    type: ComponentType
    matter: tuple[ComponentType, ...]
    trust: Trust
    titles: dict[str, str]
    strong: bool = False


FRONT, BODY, BACK = (T.FRONT_MATTER,), (T.BODY_MATTER,), (T.BACK_MATTER,)
EITHER = (T.FRONT_MATTER, T.BACK_MATTER)

# A number after "Chapter" or "Part" and the title proper, if any; "Book a table" is none, "Part A: Law" is one.
_WORDS = (
    r"\d+|[ivxlcdm]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|fourth|"
    r"premier|première|deuxième|troisième|primera?|segunda?|tercera?|prim[oa]|second[oa]|terz[oa]|eins|zwei|drei"
)
_MORE = r"(?:[.\-]\d+)*(?:\s*[.:–—\-|)]\s*.*)?"
_NUMBER = rf"\s+(?:n[ro°º]\.?\s*)?(?:(?:{_WORDS})(?:{_MORE}|\s+.*)|[a-z]{_MORE})"
_LABEL = rf"\s+(?:n[ro°º]\.?\s*)?(?:{_WORDS}|[a-z])(?:{_MORE}|\s+.*)"

# fmt: off
PATTERNS: tuple[Pattern, ...] = (
    # divisions with a number; first, so that "Chapter 9: Conclusion" is a chapter
    Pattern(T.PART, BODY, Trust.ANYWHERE, {
        "en": "(?:part|book)<number>",
        "de": "teil<number>|(?:erster|zweiter|dritter|vierter) teil.*",
        "fr": "partie<number>|(?:première|deuxième|troisième) partie.*",
        "es": "parte<number>|(?:primera|segunda|tercera) parte.*",
        "it": "parte<number>|(?:prima|seconda|terza) parte.*",
        "nl": "deel<number>",
    }),
    Pattern(T.CHAPTER, BODY, Trust.ANYWHERE, {
        "en": "chapter<number>",
        "de": "kapitel<number>",
        "fr": "chapitre<number>",
        "es": "cap[ií]tulo<number>",
        "it": "capitolo<number>",
        "nl": "hoofdstuk<number>",
        "sv": "kapitel<number>",
        "ru": "глава<number>",
        "zh": r"第[一二三四五六七八九十百\d]+章.*",
    }),
    Pattern(T.APPENDIX, BACK, Trust.ANYWHERE, {
        "en": r"(?:appendix|annex|annexe|supplement)(?:<label>|\s*[:–—-].*)?|appendices|appendixes|annexes|"
              "online appendix.*|(?:technical|statistical|methodological) (?:appendix|annex).*",
        "de": r"(?:anhang|anlage)(?:<label>|\s*[:–—-].*)?|anhänge|anlagen",
        "fr": r"(?:annexe|appendice)(?:<label>|\s*[:–—-].*)?|annexes|appendices",
        "es": r"(?:anexo|apéndice)(?:<label>|\s*[:–—-].*)?|anexos|apéndices",
        "pt": r"(?:anexo|apêndice)(?:<label>|\s*[:–—-].*)?|anexos|apêndices",
        "it": r"(?:appendice|allegato)(?:<label>|\s*[:–—-].*)?|appendici|allegati",
        "nl": "bijlagen?(?:<label>)?",
        "sv": "bilag(?:a|or)(?:<label>)?",
        "ru": "приложени[ея](?:<label>)?",
        "zh": "附录.*",
    }),
    # front matter
    Pattern(T.TABLE_OF_CONTENTS, FRONT, Trust.PLACE, {
        "en": "(?:(?:brief|detailed|full|summary) )?(?:table of )?contents(?: in (?:brief|detail))?",
        "de": "inhalt|inhaltsverzeichnis|inhaltsübersicht",
        "fr": "table des matières|sommaire",
        "es": "índice(?: general| de contenidos?)|tabla de contenidos?|contenidos?|sumario",
        "pt": "sumário|índice geral|conteúdo",
        "it": "indice(?: generale)|sommario",
        "nl": "inhoud|inhoudsopgave",
        "sv": "innehåll(?:sförteckning)?",
        "ru": "содержание|оглавление",
        "zh": r"目\s*[录錄]|目次",
    }, strong=True),
    Pattern(T.LIST_OF_FIGURES, FRONT, Trust.PLACE, {
        "en": "(?:list of |table of )(?:figures|illustrations|maps|charts)|figures|illustrations",
        "de": "abbildungsverzeichnis",
        "fr": "(?:liste|table) des (?:figures|illustrations)",
        "es": "(?:lista|índice) de (?:figuras|ilustraciones|gráficos)",
        "pt": "(?:lista|índice) de (?:figuras|ilustrações|gráficos)",
        "it": "(?:elenco|indice) delle figure",
        "nl": "lijst van figuren",
    }, strong=True),
    Pattern(T.LIST_OF_TABLES, FRONT, Trust.PLACE, {
        "en": "(?:list of |table of )tables|(?:list of )?(?:tables and figures|figures and tables)|tables",
        "de": "tabellenverzeichnis",
        "fr": "(?:liste|table) des tableaux",
        "es": "(?:lista|índice) de (?:tablas|cuadros)",
        "pt": "(?:lista|índice) de (?:tabelas|quadros)",
        "it": "(?:elenco|indice) delle tabelle",
        "nl": "lijst van tabellen",
    }, strong=True),
    Pattern(T.LIST_OF_BOXES, FRONT, Trust.PLACE, {
        "en": "list of (?:boxes|spotlights|case studies)|boxes",
        "fr": "liste des encadrés",
        "es": "(?:lista|índice) de recuadros",
        "pt": "lista de caixas",
    }, strong=True),
    Pattern(T.ABSTRACT, FRONT, Trust.PLACE, {
        "en": "(?:(?:structured|graphical|extended|plain[- ]language|author) )?abstract|(?:(?:author|"
              "plain[- ]language|lay) )?summary|synopsis",
        "de": "abstract|zusammenfassung|kurzfassung",
        "fr": "résumé",
        "es": "resumen",
        "pt": "resumo",
        "it": "riassunto|sommario",
        "nl": "samenvatting",
        "sv": "sammanfattning",
        "ru": "аннотация|резюме",
        "zh": r"摘\s*要",
    }, strong=True),
    Pattern(T.EXECUTIVE_SUMMARY, FRONT, Trust.PLACE, {
        "en": "executive (?:summary|overview)|(?:management|key|policy) summary",
        "de": "management[- ]summary|kurzzusammenfassung",
        "fr": "résumé (?:exécutif|analytique|opérationnel)|note de synthèse|synthèse",
        "es": "resumen ejecutivo",
        "pt": "(?:resumo|sumário) executivo",
        "it": "sintesi|sommario esecutivo|riepilogo esecutivo",
        "nl": "managementsamenvatting",
    }, strong=True),
    Pattern(T.FOREWORD, FRONT, Trust.PLACE, {
        "en": "foreword(?: (?:to|by) .*)?",
        "de": "geleitwort|vorwort des herausgebers",
        "fr": "avant[- ]propos",
        "es": "prólogo",
        "pt": "prefácio dos? editor(?:es)?|apresentação",
        "it": "prefazione|presentazione",
        "nl": "ten geleide",
    }, strong=True),
    Pattern(T.PREFACE, FRONT, Trust.PLACE, {
        "en": "preface(?: (?:to|by) .*)?|prologue",
        "de": "vorwort|vorrede|prolog",
        "fr": "préface|prologue",
        "es": "prefacio|presentación",
        "pt": "prefácio|prólogo",
        "it": "prefazione|prologo",
        "nl": "voorwoord|woord vooraf",
        "sv": "förord",
        "ru": "предисловие",
        "zh": "前言|序",
    }, strong=True),
    Pattern(T.DEDICATION, FRONT, Trust.PLACE, {
        "en": "dedication|dedicated to .*",
        "de": "widmung",
        "fr": "dédicace",
        "es": "dedicatoria",
        "pt": "dedicatória",
        "it": "dedica",
        "nl": "opdracht",
    }, strong=True),
    # both ends
    Pattern(T.COPYRIGHT_PAGE, EITHER, Trust.PLACE, {
        "en": r"copyright(?: (?:page|notice|information|and licen[sc]e))?|(?:©|\(c\)).*|rights and permissions|"
              "imprint|legal notice",
        "de": "impressum",
        "fr": "mentions légales",
        "es": "derechos de autor|aviso legal",
        "pt": "ficha catalográfica",
        "it": "colophon",
        "nl": "colofon",
    }),
    # front matter
    Pattern(T.TITLE_PAGE, FRONT, Trust.PLACE, {
        "en": "(?:half[- ])?title page|cover(?: page)?",
        "de": "titel(?:seite|blatt)|umschlag",
        "fr": "page de titre|couverture",
        "es": "portada",
        "pt": "capa|folha de rosto",
        "it": "frontespizio|copertina",
    }, strong=True),
    Pattern(T.SECTION, FRONT, Trust.PLACE, {
        "en": "key ?words|highlights|key (?:points|messages)|about (?:this|the) (?:report|book|guide|"
              "publication)|reports on computer systems technology|authority|audience|trademark information|"
              "note to readers?|how to (?:use|read) this .*|list of (?:appendices|annexes)",
        "de": "schlüsselwörter|schlagwörter",
        "fr": "mots[- ]clés",
        "es": "palabras clave",
        "pt": "palavras[- ]chave",
        "it": "parole chiave",
    }),
    # both ends
    Pattern(T.ACKNOWLEDGEMENTS, EITHER, Trust.ANYWHERE, {
        "en": "acknowledge?ments?|thanks",
        "de": "danksagung(?:en)?|dank",
        "fr": "remerciements",
        "es": "agradecimientos",
        "pt": "agradecimentos",
        "it": "ringraziamenti",
        "nl": "dankwoord",
        "sv": "tack",
        "ru": "благодарности",
        "zh": r"致\s*谢",
    }),
    Pattern(T.SECTION, EITHER, Trust.PLACE, {
        "en": "(?:list of )?(?:abbreviations|acronyms|symbols|abbreviations and acronyms|"
              "acronyms and abbreviations)|abbreviations used|nomenclature|glossary(?: of .*)?|"
              "about the (?:authors?|editors?|contributors?)|(?:list of )?contributors|colophon|errata|"
              "corrections?",
        "de": "abkürzungs(?:verzeichnis|liste)|abkürzungen|glossar",
        "fr": "(?:liste des )?(?:abréviations|sigles|acronymes).*|glossaire",
        "es": "(?:lista de )?(?:abreviaturas|siglas|acrónimos).*|glosario",
        "pt": "(?:lista de )?(?:abreviaturas|siglas).*|glossário",
        "it": "abbreviazioni|glossario",
        "nl": "(?:lijst van )?afkortingen|begrippenlijst",
    }),
    # body
    Pattern(T.INTRODUCTION, BODY, Trust.TOP, {
        "en": r"(?:general )?introduction(?: and (?:background|overview|motivation))?(?:\s*[:–—].*)?|"
              "introduction to the (?:study|report|book|problem)",
        "de": "einleitung|einführung",
        "fr": "introduction(?: générale)?",
        "es": "introducción",
        "pt": "introdução",
        "it": "introduzione",
        "nl": "inleiding",
        "sv": "inledning|introduktion",
        "ru": "введение",
        "zh": r"引\s*言|绪\s*论|导\s*论",
    }),
    Pattern(T.CONCLUSION, BODY, Trust.TOP, {
        "en": "(?:concluding (?:remarks|thoughts|comments|observations)|conclusions?|summary and conclusions?|"
              "discussions? and conclusions?|conclusions? and (?:discussion|future work|outlook|recommendations|"
              r"policy implications|perspectives?)|final remarks)(?:\s*[:–—].*)?",
        "de": "fazit|schluss(?:folgerung(?:en)?|wort|betrachtung)?|zusammenfassung und ausblick",
        "fr": "conclusions?(?: générale)?",
        "es": "conclusión|conclusiones",
        "pt": "conclusão|conclusões|considerações finais",
        "it": "conclusion[ei]",
        "nl": "conclusies?|slot(?:woord)?",
        "sv": "slutsatser?",
        "ru": "заключение|выводы",
        "zh": r"结\s*论|结\s*语",
    }),
    # back matter
    Pattern(T.EPILOGUE, BACK, Trust.PLACE, {
        "en": "epilogue|afterword|postscript",
        "de": "nachwort|epilog",
        "fr": "épilogue|postface",
        "es": "epílogo",
        "pt": "epílogo|posfácio",
        "it": "epilogo|postfazione",
        "nl": "nawoord|epiloog",
    }),
    Pattern(T.BIBLIOGRAPHY, BACK, Trust.ANYWHERE, {
        "en": "(?:(?:selected|chapter|general|annotated) )?(?:references?|bibliography|bibliographies)(?: (?:and|"
              "&) (?:notes|further reading|links))?|(?:references|works|literature|sources|publications) cited|"
              "cited (?:references|works|literature)|reference list|list of references|(?:further|suggested|"
              "recommended) readings?|normative references|informative references",
        "de": "literatur(?:verzeichnis|nachweise?|angaben|hinweise)?|quellen(?:verzeichnis|angaben)|"
              "bibliogra(?:ph|f)ie|weiterführende literatur",
        "fr": "bibliographie|références(?: bibliographiques)?|ouvrages cités",
        "es": "bibliografía|referencias(?: bibliográficas)?|obras citadas",
        "pt": "bibliografia|referências(?: bibliográficas)?",
        "it": "bibliografia|riferimenti(?: bibliografici)?",
        "nl": "literatuur(?:lijst)?|bibliografie|referenties|bronnen",
        "sv": "referenser|litteratur(?:förteckning)?|källor",
        "ru": "литература|список литературы|библиография",
        "zh": "参考文献|參考文獻",
    }),
    Pattern(T.BIBLIOGRAPHY, BACK, Trust.PLACE, {
        "en": "sources|literature",
        "de": "quellen",
        "fr": "sources",
        "es": "fuentes",
        "pt": "fontes",
        "it": "fonti",
    }),
    Pattern(T.NOTES_SECTION, BACK, Trust.CONTENT, {
        "en": "(?:(?:end|foot|chapter|general)[- ]?)?notes(?: (?:and references|to .*))?",
        "de": "anmerkungen|endnoten|fußnoten",
        "fr": "notes(?: de fin| de bas de page)?",
        "es": "notas(?: finales| al pie)?",
        "pt": "notas(?: finais| de rodapé)?",
        "it": "note(?: finali)?",
        "nl": "(?:eind|voet)?noten",
        "sv": "(?:slut|fot)?noter",
        "ru": "примечания|сноски",
        "zh": r"注\s*释|尾注",
    }),
    Pattern(T.INDEX, BACK, Trust.PLACE, {
        "en": "(?:(?:subject|author|name|general|keyword|topical) )?index(?:es| of .*)?|indices",
        "de": "(?:sach|personen|stichwort|namens?|orts)?(?:register|verzeichnis)|index",
        "fr": "index(?: .*)?",
        "es": "índice(?: (?:alfabético|analítico|temático|onomástico|de (?:nombres|materias|autores)))?",
        "pt": "índice(?: (?:remissivo|alfabético|onomástico))?",
        "it": "indice(?: (?:analitico|dei nomi))?",
        "nl": "(?:zaken|personen)?register|index",
        "sv": "(?:sak|person)?register",
        "ru": "(?:предметный|именной) указатель|указатель",
    }),
    Pattern(T.SECTION, BACK, Trust.PLACE, {
        "en": "authors?['’]?s?['’]? (?:contributions?|information|details|note)|author biograph(?:y|ies)|"
              "contributors?hip|(?:declarations?|disclosures?)(?: of .*)?|(?:competing|conflicting|"
              "conflicts? of) interests?(?: (?:statement|disclosure))?|(?:declaration of )?(?:competing|"
              "conflicting) interests?|conflicts? of interests?|(?:data|code|data and code|software|"
              "materials?)[ -]availability(?: statement)?|availability of data and materials?|(?:data|"
              "code) and (?:software|materials?) availability|funding(?: (?:statement|information|sources?))?|"
              "financial (?:support|disclosures?)|ethics(?: (?:statement|approval|"
              "declarations?))?(?: and consent to participate)?|ethical (?:approval|considerations|statement)|"
              "consent (?:for publication|to participate)|(?:supporting|supplementary|additional|"
              "supplemental) (?:information|materials?|files?|data|figures|tables)|pre-?publication history|"
              "publisher['’]?s note|credits|image credits|peer review (?:file|information)|open access",
        "de": "interessenkonflikte?|förderung|autorenverzeichnis",
        "fr": "conflits? d['’]intérêts?|financement",
        "es": "conflictos? de intereses|financiación",
        "pt": "conflitos? de interesses?|financiamento",
        "it": "conflitt[oi] di interess[ei]|finanziament[oi]",
    }),
)
# fmt: on
"""The table; the first line that matches a title wins."""


def _regex(line: Pattern) -> str:
    titles = "|".join(f"(?:{titles})" for titles in line.titles.values())
    return titles.replace("<number>", _NUMBER).replace("<label>", _LABEL)


_COMPILED = tuple((re.compile(_regex(line)), line) for line in PATTERNS)
_MARKUP = re.compile(r"[*_`]+|\[([^\]]*)\]\([^)]*\)|<[^>]+>")
_NUMBERING = re.compile(
    r"(?:§\s*)?(?:\d+(?:\.\d+)*[.):]?|[A-Z](?:\.\d+)+[.):]?|[IVXLC]+[.):]?|[A-Za-z][.)])[\s\u2002-\u200b]+(?=\S)"
)
_LONGEST = 200


def plain_title(title: str) -> str:
    """Return a title as the table compares it: no markdown, numbering, case or closing punctuation, one space."""
    text = unicodedata.normalize("NFC", _MARKUP.sub(lambda found: found.group(1) or "", title))
    text = _NUMBERING.sub("", " ".join(text.split()), count=1) if _NUMBERING.match(text.strip()) else text
    return " ".join(text.split()).lower().strip(" .:;,–—-·")


@lru_cache(maxsize=4096)
def match_title(title: str) -> Pattern | None:
    """Return the line of the table that a title matches, or None; titles over 200 characters match nothing."""
    if not title or len(title) > _LONGEST:
        return None
    text = plain_title(title)
    return next((line for pattern, line in _COMPILED if pattern.fullmatch(text)), None)
