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
        titles: regular expressions by language, each for a whole title in lower case.
        strong: whether headings before it that say nothing (a title set as a heading, say) are front matter too.
    """

    type: ComponentType
    matter: tuple[ComponentType, ...]
    trust: Trust
    titles: dict[str, str]
    strong: bool = False


FRONT, BODY, BACK = (T.FRONT_MATTER,), (T.BODY_MATTER,), (T.BACK_MATTER,)
EITHER = (T.FRONT_MATTER, T.BACK_MATTER)

# A number, letter or numeral word after "Chapter", "Part", "Appendix", then the title proper, if any.
_ORDINAL = (
    r"(?:\d+|[ivxlcdm]+|[a-z]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|fourth|"
    r"premier|première|deuxième|troisième|primera?|segunda?|tercera?|prim[oa]|second[oa]|terz[oa]|eins|zwei|drei)"
    r"(?:[.\-]\d+)*"
)
_TAIL = rf"\s+(?:n[ro°º]\.?\s*)?{_ORDINAL}(?:\s*[.:–—\-|)]\s*.*|\s+.*)?"

PATTERNS: tuple[Pattern, ...] = (
    # divisions with a number; first, so that "Chapter 9: Conclusion" is a chapter
    Pattern(T.PART, BODY, Trust.ANYWHERE, {
        "en": rf"(?:part|book){_TAIL}", "de": rf"teil{_TAIL}|(?:erster|zweiter|dritter|vierter) teil.*", "fr": rf"partie{_TAIL}|(?:première|deuxième|troisième) partie.*",
        "es": rf"parte{_TAIL}|(?:primera|segunda|tercera) parte.*", "it": rf"parte{_TAIL}|(?:prima|seconda|terza) parte.*", "nl": rf"deel{_TAIL}",
    }),
    Pattern(T.CHAPTER, BODY, Trust.ANYWHERE, {
        "en": rf"chapter{_TAIL}", "de": rf"kapitel{_TAIL}", "fr": rf"chapitre{_TAIL}", "es": rf"cap[ií]tulo{_TAIL}",
        "it": rf"capitolo{_TAIL}", "nl": rf"hoofdstuk{_TAIL}", "sv": rf"kapitel{_TAIL}", "ru": rf"глава{_TAIL}", "zh": r"第[一二三四五六七八九十百\d]+章.*",
    }),
    Pattern(T.APPENDIX, BACK, Trust.ANYWHERE, {
        "en": rf"(?:appendix|annex|annexe|supplement)(?:{_TAIL}|\s*[:–—-].*)?|appendices|appendixes|annexes|online appendix.*|(?:technical|statistical|methodological) (?:appendix|annex).*",
        "de": rf"(?:anhang|anlage)(?:{_TAIL}|\s*[:–—-].*)?|anhänge|anlagen", "fr": rf"(?:annexe|appendice)(?:{_TAIL}|\s*[:–—-].*)?|annexes|appendices",
        "es": rf"(?:anexo|apéndice)(?:{_TAIL}|\s*[:–—-].*)?|anexos|apéndices", "pt": rf"(?:anexo|apêndice)(?:{_TAIL}|\s*[:–—-].*)?|anexos|apêndices",
        "it": rf"(?:appendice|allegato)(?:{_TAIL}|\s*[:–—-].*)?|appendici|allegati", "nl": rf"bijlagen?(?:{_TAIL})?", "sv": rf"bilag(?:a|or)(?:{_TAIL})?", "ru": rf"приложени[ея](?:{_TAIL})?", "zh": r"附录.*",
    }),
    # front matter
    Pattern(T.TABLE_OF_CONTENTS, FRONT, Trust.PLACE, {
        "en": r"(?:(?:brief|detailed|full|summary) )?(?:table of )?contents(?: in (?:brief|detail))?", "de": r"inhalt|inhaltsverzeichnis|inhaltsübersicht",
        "fr": r"table des matières|sommaire", "es": r"índice(?: general| de contenidos?)|tabla de contenidos?|contenidos?|sumario", "pt": r"sumário|índice geral|conteúdo", "it": r"indice(?: generale)|sommario",
        "nl": r"inhoud|inhoudsopgave", "sv": r"innehåll(?:sförteckning)?", "ru": r"содержание|оглавление", "zh": r"目\s*[录錄]|目次",
    }, strong=True),
    Pattern(T.LIST_OF_FIGURES, FRONT, Trust.PLACE, {
        "en": r"(?:list of |table of )(?:figures|illustrations|maps|charts)|figures|illustrations", "de": r"abbildungsverzeichnis", "fr": r"(?:liste|table) des (?:figures|illustrations)",
        "es": r"(?:lista|índice) de (?:figuras|ilustraciones|gráficos)", "pt": r"(?:lista|índice) de (?:figuras|ilustrações|gráficos)", "it": r"(?:elenco|indice) delle figure", "nl": r"lijst van figuren",
    }, strong=True),
    Pattern(T.LIST_OF_TABLES, FRONT, Trust.PLACE, {
        "en": r"(?:list of |table of )tables|(?:list of )?(?:tables and figures|figures and tables)|tables", "de": r"tabellenverzeichnis", "fr": r"(?:liste|table) des tableaux",
        "es": r"(?:lista|índice) de (?:tablas|cuadros)", "pt": r"(?:lista|índice) de (?:tabelas|quadros)", "it": r"(?:elenco|indice) delle tabelle", "nl": r"lijst van tabellen",
    }, strong=True),
    Pattern(T.LIST_OF_BOXES, FRONT, Trust.PLACE, {
        "en": r"list of (?:boxes|spotlights|case studies)|boxes", "fr": r"liste des encadrés", "es": r"(?:lista|índice) de recuadros", "pt": r"lista de caixas",
    }, strong=True),
    Pattern(T.ABSTRACT, FRONT, Trust.PLACE, {
        "en": r"(?:(?:structured|graphical|extended|plain[- ]language|author) )?abstract|(?:(?:author|plain[- ]language|lay) )?summary|synopsis", "de": r"abstract|zusammenfassung|kurzfassung", "fr": r"résumé",
        "es": r"resumen", "pt": r"resumo", "it": r"riassunto|sommario", "nl": r"samenvatting", "sv": r"sammanfattning", "ru": r"аннотация|резюме", "zh": r"摘\s*要",
    }, strong=True),
    Pattern(T.EXECUTIVE_SUMMARY, FRONT, Trust.PLACE, {
        "en": r"executive (?:summary|overview)|(?:management|key|policy) summary", "de": r"management[- ]summary|kurzzusammenfassung", "fr": r"résumé (?:exécutif|analytique|opérationnel)|note de synthèse|synthèse",
        "es": r"resumen ejecutivo", "pt": r"(?:resumo|sumário) executivo", "it": r"sintesi|sommario esecutivo|riepilogo esecutivo", "nl": r"managementsamenvatting",
    }, strong=True),
    Pattern(T.FOREWORD, FRONT, Trust.PLACE, {
        "en": r"foreword(?: (?:to|by) .*)?", "de": r"geleitwort|vorwort des herausgebers", "fr": r"avant[- ]propos", "es": r"prólogo", "pt": r"prefácio dos? editor(?:es)?|apresentação", "it": r"prefazione|presentazione", "nl": r"ten geleide",
    }, strong=True),
    Pattern(T.PREFACE, FRONT, Trust.PLACE, {
        "en": r"preface(?: (?:to|by) .*)?|prologue", "de": r"vorwort|vorrede|prolog", "fr": r"préface|prologue", "es": r"prefacio|presentación", "pt": r"prefácio|prólogo", "it": r"prefazione|prologo", "nl": r"voorwoord|woord vooraf",
        "sv": r"förord", "ru": r"предисловие", "zh": r"前言|序",
    }, strong=True),
    Pattern(T.DEDICATION, FRONT, Trust.PLACE, {"en": r"dedication|dedicated to .*", "de": r"widmung", "fr": r"dédicace", "es": r"dedicatoria", "pt": r"dedicatória", "it": r"dedica", "nl": r"opdracht"}, strong=True),
    Pattern(T.COPYRIGHT_PAGE, EITHER, Trust.PLACE, {
        "en": r"copyright(?: (?:page|notice|information|and licen[sc]e))?|(?:©|\(c\)).*|rights and permissions|imprint|legal notice", "de": r"impressum", "fr": r"mentions légales", "es": r"derechos de autor|aviso legal", "pt": r"ficha catalográfica", "it": r"colophon", "nl": r"colofon",
    }),
    Pattern(T.TITLE_PAGE, FRONT, Trust.PLACE, {"en": r"(?:half[- ])?title page|cover(?: page)?", "de": r"titel(?:seite|blatt)|umschlag", "fr": r"page de titre|couverture", "es": r"portada", "pt": r"capa|folha de rosto", "it": r"frontespizio|copertina"}, strong=True),
    Pattern(T.SECTION, FRONT, Trust.PLACE, {
        "en": r"key ?words|highlights|key (?:points|messages)|about (?:this|the) (?:report|book|guide|publication)|reports on computer systems technology|authority|audience|trademark information|note to readers?|how to (?:use|read) this .*",
        "de": r"schlüsselwörter|schlagwörter", "fr": r"mots[- ]clés", "es": r"palabras clave", "pt": r"palavras[- ]chave", "it": r"parole chiave",
    }),
    # both ends
    Pattern(T.ACKNOWLEDGEMENTS, EITHER, Trust.ANYWHERE, {
        "en": r"acknowledge?ments?|thanks", "de": r"danksagung(?:en)?|dank", "fr": r"remerciements", "es": r"agradecimientos", "pt": r"agradecimentos", "it": r"ringraziamenti", "nl": r"dankwoord", "sv": r"tack", "ru": r"благодарности", "zh": r"致\s*谢",
    }),
    Pattern(T.SECTION, EITHER, Trust.PLACE, {
        "en": r"(?:list of )?(?:abbreviations|acronyms|symbols|abbreviations and acronyms|acronyms and abbreviations)|abbreviations used|nomenclature|glossary(?: of .*)?|about the (?:authors?|editors?|contributors?)|(?:list of )?contributors|colophon|errata|corrections?",
        "de": r"abkürzungs(?:verzeichnis|liste)|abkürzungen|glossar", "fr": r"(?:liste des )?(?:abréviations|sigles|acronymes).*|glossaire", "es": r"(?:lista de )?(?:abreviaturas|siglas|acrónimos).*|glosario", "pt": r"(?:lista de )?(?:abreviaturas|siglas).*|glossário", "it": r"abbreviazioni|glossario", "nl": r"(?:lijst van )?afkortingen|begrippenlijst",
    }),
    # body
    Pattern(T.INTRODUCTION, BODY, Trust.TOP, {
        "en": r"(?:general )?introduction(?: and (?:background|overview|motivation))?(?:\s*[:–—].*)?|introduction to the (?:study|report|book|problem)", "de": r"einleitung|einführung", "fr": r"introduction(?: générale)?", "es": r"introducción", "pt": r"introdução", "it": r"introduzione",
        "nl": r"inleiding", "sv": r"inledning|introduktion", "ru": r"введение", "zh": r"引\s*言|绪\s*论|导\s*论",
    }),
    Pattern(T.CONCLUSION, BODY, Trust.TOP, {
        "en": r"(?:concluding (?:remarks|thoughts|comments|observations)|conclusions?|summary and conclusions?|discussions? and conclusions?|conclusions? and (?:discussion|future work|outlook|recommendations|policy implications|perspectives?)|final remarks)(?:\s*[:–—].*)?",
        "de": r"fazit|schluss(?:folgerung(?:en)?|wort|betrachtung)?|zusammenfassung und ausblick", "fr": r"conclusions?(?: générale)?", "es": r"conclusión|conclusiones", "pt": r"conclusão|conclusões|considerações finais", "it": r"conclusion[ei]", "nl": r"conclusies?|slot(?:woord)?", "sv": r"slutsatser?", "ru": r"заключение|выводы", "zh": r"结\s*论|结\s*语",
    }),
    Pattern(T.EPILOGUE, BACK, Trust.PLACE, {"en": r"epilogue|afterword|postscript", "de": r"nachwort|epilog", "fr": r"épilogue|postface", "es": r"epílogo", "pt": r"epílogo|posfácio", "it": r"epilogo|postfazione", "nl": r"nawoord|epiloog"}),
    # back matter
    Pattern(T.BIBLIOGRAPHY, BACK, Trust.ANYWHERE, {
        "en": r"(?:(?:selected|chapter|general|annotated) )?(?:references?|bibliography|bibliographies)(?: (?:and|&) (?:notes|further reading|links))?|(?:references|works|literature|sources|publications) cited|cited (?:references|works|literature)|reference list|list of references|(?:further|suggested|recommended) readings?|normative references|informative references",
        "de": r"literatur(?:verzeichnis|nachweise?|angaben|hinweise)?|quellen(?:verzeichnis|angaben)|bibliogra(?:ph|f)ie|weiterführende literatur", "fr": r"bibliographie|références(?: bibliographiques)?|ouvrages cités",
        "es": r"bibliografía|referencias(?: bibliográficas)?|obras citadas", "pt": r"bibliografia|referências(?: bibliográficas)?", "it": r"bibliografia|riferimenti(?: bibliografici)?", "nl": r"literatuur(?:lijst)?|bibliografie|referenties|bronnen", "sv": r"referenser|litteratur(?:förteckning)?|källor", "ru": r"литература|список литературы|библиография", "zh": r"参考文献|參考文獻",
    }),
    Pattern(T.BIBLIOGRAPHY, BACK, Trust.PLACE, {"en": r"sources|literature", "de": r"quellen", "fr": r"sources", "es": r"fuentes", "pt": r"fontes", "it": r"fonti"}),
    Pattern(T.NOTES_SECTION, BACK, Trust.CONTENT, {
        "en": r"(?:(?:end|foot|chapter|general)[- ]?)?notes(?: (?:and references|to .*))?", "de": r"anmerkungen|endnoten|fußnoten", "fr": r"notes(?: de fin| de bas de page)?", "es": r"notas(?: finales| al pie)?", "pt": r"notas(?: finais| de rodapé)?", "it": r"note(?: finali)?", "nl": r"(?:eind|voet)?noten", "sv": r"(?:slut|fot)?noter", "ru": r"примечания|сноски", "zh": r"注\s*释|尾注",
    }),
    Pattern(T.INDEX, BACK, Trust.PLACE, {
        "en": r"(?:(?:subject|author|name|general|keyword|topical) )?index(?:es| of .*)?|indices", "de": r"(?:sach|personen|stichwort|namens?|orts)?(?:register|verzeichnis)|index", "fr": r"index(?: .*)?", "es": r"índice(?: (?:alfabético|analítico|temático|onomástico|de (?:nombres|materias|autores)))?", "pt": r"índice(?: (?:remissivo|alfabético|onomástico))?", "it": r"indice(?: (?:analitico|dei nomi))?", "nl": r"(?:zaken|personen)?register|index", "sv": r"(?:sak|person)?register", "ru": r"(?:предметный|именной) указатель|указатель",
    }),
    Pattern(T.SECTION, BACK, Trust.PLACE, {
        "en": r"authors?['’]?s?['’]? (?:contributions?|information|details|note)|author biograph(?:y|ies)|contributors?hip|(?:declarations?|disclosures?)(?: of .*)?|(?:competing|conflicting|conflicts? of) interests?(?: (?:statement|disclosure))?|(?:declaration of )?(?:competing|conflicting) interests?|conflicts? of interests?|(?:data|code|data and code|software|materials?)[ -]availability(?: statement)?|availability of data and materials?|(?:data|code) and (?:software|materials?) availability|funding(?: (?:statement|information|sources?))?|financial (?:support|disclosures?)|ethics(?: (?:statement|approval|declarations?))?(?: and consent to participate)?|ethical (?:approval|considerations|statement)|consent (?:for publication|to participate)|(?:supporting|supplementary|additional|supplemental) (?:information|materials?|files?|data|figures|tables)|pre-?publication history|publisher['’]?s note|credits|image credits|peer review (?:file|information)|open access",
        "de": r"interessenkonflikte?|förderung|autorenverzeichnis", "fr": r"conflits? d['’]intérêts?|financement", "es": r"conflictos? de intereses|financiación", "pt": r"conflitos? de interesses?|financiamento", "it": r"conflitt[oi] di interess[ei]|finanziament[oi]",
    }),
)  # fmt: skip
"""The table; the first line that matches a title wins."""

_COMPILED = tuple((re.compile("|".join(f"(?:{titles})" for titles in line.titles.values())), line) for line in PATTERNS)
_MARKUP = re.compile(r"[*_`]+|\[([^\]]*)\]\([^)]*\)|<[^>]+>")
_NUMBERING = re.compile(r"(?:§\s*)?(?:\d+(?:\.\d+)*[.):]?|[IVXLC]+[.):]?|[A-Za-z][.)])[\s\u2002-\u200b]+(?=\S)")
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
