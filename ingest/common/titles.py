"""Table of usual titles: to which part of a document does a heading belong?

Each row of ``PATTERNS`` has a component type, the matter it belongs to, how far its title is trusted outside that
place, and the titles by language. A title is compared without Markdown, numbering, case and closing punctuation,
and has to match completely. To add a language, add its titles to the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ragraph.schema.enums import ComponentType

T = ComponentType


class Trust(Enum):
    """Places where a title decides the type."""

    PLACE = "only in its own matter, or directly under a part of it"
    TOP = "at the level of chapters, in any matter"
    ANYWHERE = "at any depth"
    CONTENT = "in its own matter, elsewhere if what it holds agrees"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A row of the table.

    Attributes:
        type: type of the component under such a heading.
        matter: matters in which it may occur; the first one is opened or closed by it.
        trust: where the title decides the type.
        titles: regular expressions by language, each for a complete title in lower case. ``<number>`` is a number or
            numeral and the title after it, ``<label>`` one of these or a letter.
        strong: whether unknown headings before it (a title set as a heading, for example) are front matter too.
    """

    type: ComponentType
    matter: tuple[ComponentType, ...]
    trust: Trust
    titles: dict[str, str]
    strong: bool = False


FRONT, BODY, BACK = (T.FRONT_MATTER,), (T.BODY_MATTER,), (T.BACK_MATTER,)
EITHER = (T.FRONT_MATTER, T.BACK_MATTER)

# A number after "Chapter" or "Part", and the title if there is one. "Book a table" has no number, "Part A: Law" has.
WORDS = (
    r"\d+|[ivxlcdm]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|fourth|"
    r"premier|première|deuxième|troisième|primera?|segunda?|tercera?|prim[oa]|second[oa]|terz[oa]|eins|zwei|drei"
)
MORE = r"(?:[.\-]\d+)*(?:\s*[.:–—\-|)]\s*.*)?"
NUMBER = rf"\s+(?:n[ro°º]\.?\s*)?(?:(?:{WORDS})(?:{MORE}|\s+.*)|[a-z]{MORE})"
LABEL = rf"\s+(?:n[ro°º]\.?\s*)?(?:{WORDS}|[a-zа-я])(?:{MORE}|\s+.*)"

# Numbers in Chinese, Japanese and Korean, and ordinals or letters after Arabic and Hebrew words.
HAN = r"\s*[\d〇零一二三四五六七八九十百千两]+\s*"
ORDINAL = (
    r"\s+(?:\d+|(?:ال)?(?:[أا]ول[ىي]?|ثاني?ة?|ثالثة?|رابعة?|خامسة?|سادسة?|سابعة?|ثامنة?|تاسعة?|عاشرة?|حادي)"
    r"|[א-ת]{1,2}['׳\"״]?[א-ת]?|ראשונ?ה?|ראשון|שני|שנייה|שלישית?|רביעית?|חמישית?|[أ-ي])(?:\s*[:.–—\-]\s*.*|\s.*)?"
)

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
        "pt": "(?:primeira|segunda|terceira) parte.*",
        "pl": "część<number>|(?:pierwsza|druga|trzecia) część.*",
        "ru": "(?:часть|книга)<number>|(?:первая|вторая|третья) часть.*",
        "ar": "(?:الجزء|القسم|الباب)<ordinal>",
        "he": "חלק<ordinal>",
        "zh": "第<han>(?:部分?|编|編|卷|篇).*",
        "ja": "第<han>[部編].*",
        "ko": r"제\s*<han>\s*[부편].*",
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
        "zh": r"第[一二三四五六七八九十百\d]+章.*|第<han>[章回].*",
        "pl": "rozdział<number>",
        "ar": "(?:الفصل|فصل)<ordinal>",
        "he": "פרק<ordinal>",
        "ja": "第?<han>章.*",
        "ko": r"제?\s*<han>\s*장(?:\s.*)?",
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
        "zh": "附录.*|附[录錄件].*",
        "pl": r"(?:załącznik|dodatek|aneks)(?:<label>|\s*[:–—-].*)?|załączniki|dodatki|aneksy",
        "ar": "(?:ال)?(?:ملحق|ملاحق)(?:<ordinal>)?",
        "he": "נספח(?:ים|<ordinal>)?",
        "ja": "(?:付|附)[録属].*",
        "ko": "부록.*",
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
        "pl": "spis treści",
        "ar": "(?:(?:قائمة|جدول) )?المحتويات|(?:ال)?فهرس(?: (?:ال)?(?:محتويات|موضوعات))?",
        "he": "תוכן(?: ה?עניינים)?",
        "ja": r"目\s*次|もくじ",
        "ko": r"목\s*차|차\s*례",
    }, strong=True),
    Pattern(T.LIST_OF_FIGURES, FRONT, Trust.PLACE, {
        "en": "(?:list of |table of )(?:figures|illustrations|maps|charts)|figures|illustrations",
        "de": "abbildungsverzeichnis",
        "fr": "(?:liste|table) des (?:figures|illustrations)",
        "es": "(?:lista|índice) de (?:figuras|ilustraciones|gráficos)",
        "pt": "(?:lista|índice) de (?:figuras|ilustrações|gráficos)",
        "it": "(?:elenco|indice) delle figure",
        "nl": "lijst van figuren",
        "pl": "spis (?:rysunków|ilustracji)",
        "ru": "(?:список|перечень) (?:рисунков|иллюстраций)",
        "ar": "قائمة (?:الأشكال|الرسوم|الصور)",
        "he": "רשימת ה?(?:איורים|תרשימים)",
        "zh": "(?:插?[图圖])(?:目[录錄]|次)",
        "ja": "図(?:表?一覧|目次)",
        "ko": "그림 ?(?:목차|차례|목록)",
    }, strong=True),
    Pattern(T.LIST_OF_TABLES, FRONT, Trust.PLACE, {
        "en": "(?:list of |table of )tables|(?:list of )?(?:tables and figures|figures and tables)|tables",
        "de": "tabellenverzeichnis",
        "fr": "(?:liste|table) des tableaux",
        "es": "(?:lista|índice) de (?:tablas|cuadros)",
        "pt": "(?:lista|índice) de (?:tabelas|quadros)",
        "it": "(?:elenco|indice) delle tabelle",
        "nl": "lijst van tabellen",
        "pl": "spis tabel",
        "ru": "(?:список|перечень) таблиц",
        "ar": "قائمة الجداول",
        "he": "רשימת ה?טבלאות",
        "zh": "表格?(?:目[录錄]|次)",
        "ja": "表(?:一覧|目次)",
        "ko": "표 ?(?:목차|차례|목록)",
    }, strong=True),
    Pattern(T.LIST_OF_BOXES, FRONT, Trust.PLACE, {
        "en": "list of (?:boxes|spotlights|case studies)|boxes",
        "fr": "liste des encadrés",
        "es": "(?:lista|índice) de recuadros",
        "pt": "lista de caixas",
        "de": "verzeichnis der kästen",
        "it": "elenco dei riquadri",
        "nl": "lijst van kaders",
        "pl": "spis ramek",
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
        "zh": r"摘\s*要|摘\s*要|提\s*要",
        "pl": "streszczenie|abstrakt",
        "ar": "(?:ال)?(?:ملخص|مستخلص)(?: البحث)?",
        "he": "תקציר",
        "ja": "要旨|要約|概要|抄録",
        "ko": r"초\s*록|요\s*약",
    }, strong=True),
    Pattern(T.EXECUTIVE_SUMMARY, FRONT, Trust.PLACE, {
        "en": "executive (?:summary|overview)|(?:management|key|policy) summary",
        "de": "management[- ]summary|kurzzusammenfassung",
        "fr": "résumé (?:exécutif|analytique|opérationnel)|note de synthèse|synthèse",
        "es": "resumen ejecutivo",
        "pt": "(?:resumo|sumário) executivo",
        "it": "sintesi|sommario esecutivo|riepilogo esecutivo",
        "nl": "managementsamenvatting",
        "pl": "streszczenie (?:menedżerskie|wykonawcze)",
        "ru": "краткое (?:содержание|изложение)",
        "ar": "(?:ال)?ملخص (?:ال)?تنفيذي",
        "he": "תקציר מנהלים",
        "zh": "[执執]行摘要|内容提要",
        "ja": "エグゼクティブ・?サマリー",
        "ko": "핵심 ?요약",
    }, strong=True),
    Pattern(T.FOREWORD, FRONT, Trust.PLACE, {
        "en": "foreword(?: (?:to|by) .*)?",
        "de": "geleitwort|vorwort des herausgebers",
        "fr": "avant[- ]propos",
        "es": "prólogo",
        "pt": "prefácio dos? editor(?:es)?|apresentação",
        "it": "prefazione|presentazione",
        "nl": "ten geleide",
        "pl": "słowo wstępne",
        "ru": "от (?:автора|авторов|редактора|издателя|переводчика)|вступительное слово",
        "ar": "(?:ال)?تصدير",
        "he": "פתח דבר",
        "ja": "序文|巻頭言",
        "ko": "추천사|발간사",
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
        "zh": "前言|序|序言|自序",
        "pl": "przedmowa",
        "ar": "(?:ال)?تمهيد|توطئة",
        "he": "הקדמה",
        "ja": "まえがき|前書き|はしがき",
        "ko": "서문|머리말",
    }, strong=True),
    Pattern(T.DEDICATION, FRONT, Trust.PLACE, {
        "en": "dedication|dedicated to .*",
        "de": "widmung",
        "fr": "dédicace",
        "es": "dedicatoria",
        "pt": "dedicatória",
        "it": "dedica",
        "nl": "opdracht",
        "pl": "dedykacja",
        "ru": "посвящение",
        "ar": "(?:ال)?[إا]هداء",
        "he": "הקדשה",
        "zh": "[献獻][词詞辞]",
        "ja": "献辞|献呈",
        "ko": "헌사",
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
        "pl": "prawa autorskie|nota prawna|strona redakcyjna",
        "ru": "авторские права|выходные данные",
        "ar": "حقوق (?:النشر|الطبع|التأليف)(?: .*)?",
        "he": "זכויות יוצרים",
        "zh": "版[权權](?:[声聲]明|[页頁]|信息)?",
        "ja": "著作権(?:表示)?|奥付",
        "ko": "저작권|판권",
    }),
    # front matter
    Pattern(T.TITLE_PAGE, FRONT, Trust.PLACE, {
        "en": "(?:half[- ])?title page|cover(?: page)?",
        "de": "titel(?:seite|blatt)|umschlag",
        "fr": "page de titre|couverture",
        "es": "portada",
        "pt": "capa|folha de rosto",
        "it": "frontespizio|copertina",
        "nl": "titelpagina|omslag",
        "pl": "strona tytułowa|okładka",
        "ru": "титульный лист|обложка",
        "ar": "صفحة العنوان|(?:ال)?غلاف",
        "he": "עמוד השער|כריכה",
        "zh": "封面|扉[页頁]",
        "ja": "表紙|標題紙",
        "ko": "속?표지",
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
        "nl": "(?:tref|kern|sleutel)woorden",
        "pl": "słowa kluczowe",
        "ru": "ключевые слова",
        "ar": "(?:ال)?كلمات (?:ال)?(?:مفتاحية|دالة)",
        "he": "מילות מפתח",
        "zh": "关键[词字]|關鍵[詞字]",
        "ja": "キーワード",
        "ko": "주제어|핵심어|키워드|색인어",
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
        "zh": r"致\s*谢|[致鸣鳴]\s*[谢謝]|誌\s*謝",
        "pl": "podziękowani[ae]",
        "ar": "(?:ال)?شكر(?: و(?:ال)?(?:تقدير|عرفان))?",
        "he": "תודות|הבעת תודה",
        "ja": r"謝\s*辞",
        "ko": "감사의 ?(?:글|말|말씀)|사사",
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
        "pl": "(?:wykaz|lista|spis) (?:skrótów|symboli|oznaczeń)|skróty|słownik(?:czek)?(?: pojęć|"
              " terminów)?|o autor(?:ze|ach|ce)",
        "ru": "(?:список |перечень )(?:условных )?(?:сокращений|обозначений).*|сокращения|глоссарий|об авторах?",
        "ar": "(?:قائمة )?(?:ال)?(?:اختصارات|رموز)|(?:ال)?مسرد(?: .*)?|معجم المصطلحات",
        "he": "(?:רשימת )?(?:ראשי תיבות|קיצורים)|מילון מונחים",
        "zh": "(?:[缩縮]略[语词語詞]|缩写|符号)(?:[对對]照)?(?:列?表)?|[术術][语語]表|[词詞][汇彙]表|关于作者|作者简介",
        "ja": "略語(?:一覧|集)?|用語(?:集|解説)|記号(?:一覧|表)|凡例|著者(?:紹介|について|略歴)",
        "ko": "약어(?:표| 목록)?|용어 ?(?:집|사전|해설|설명)|저자 소개|일러두기",
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
        "zh": r"引\s*言|绪\s*论|导\s*论|[引导導]\s*言|[绪緒导導]\s*[论論]|[简簡]介",
        "pl": "wstęp|wprowadzenie",
        "ar": "(?:ال)?مقدمة(?: عامة)?",
        "he": "מבוא",
        "ja": r"[序緒]\s*[論言]|はじめに|序章|導入",
        "ko": r"서\s*론|들어가(?:며|는 말)|소개",
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
        "zh": r"结\s*论|结\s*语|[结結]\s*[论論语語]|[总總]\s*[结結]",
        "pl": "zakończenie|podsumowanie|wnioski(?: końcowe)?",
        "ar": "(?:ال)?(?:خاتمة|خلاصة)|(?:ال)?استنتاج(?:ات)?",
        "he": "סיכום|מסקנות",
        "ja": r"結\s*[論語]|おわりに|終わりに|まとめ|むすび|終章",
        "ko": r"결\s*론|맺음말|맺는 ?말|나가며",
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
        "pl": "epilog|posłowie",
        "ru": "послесловие|эпилог",
        "he": "אחרית דבר|סוף דבר",
        "zh": r"[后後]\s*[记記]|跋",
        "ja": "あとがき|後書き|エピローグ",
        "ko": "후기|에필로그",
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
        "ru": "литература|список литературы|библиография|(?:список )?(?:использованн(?:ой|ых|ая|"
              "ые) )?(?:литератур[аы]|источник(?:и|ов))(?: и .*)?|библиографический список",
        "zh": "参考文献|參考文獻|(?:主要)?[参參]考(?:文[献獻]|[资資]料|书目|書目)|引用文[献獻]",
        "pl": "bibliografia|literatura(?: cytowana| przedmiotu)?|piśmiennictwo",
        "ar": "(?:قائمة )?(?:ال)?(?:مراجع|مصادر)(?: و(?:ال)?(?:مراجع|مصادر))?|ثبت المراجع",
        "he": "ביבליוגרפיה|(?:רשימת )?ה?מקורות|מראי מקום",
        "ja": "(?:主要)?参考(?:文献|資料|図書)|引用文献|文献(?:一覧)?",
        "ko": r"참고\s*문헌|참고\s*자료|인용\s*문헌",
    }),
    Pattern(T.BIBLIOGRAPHY, BACK, Trust.PLACE, {
        "en": "sources|literature",
        "de": "quellen",
        "fr": "sources",
        "es": "fuentes",
        "pt": "fontes",
        "it": "fonti",
        "nl": "bronnen",
        "pl": "źródła",
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
        "zh": r"注\s*释|尾注|[注註]\s*[释釋解]|尾[注註]|脚注",
        "pl": "przypisy(?: końcowe)?",
        "ar": "(?:ال)?(?:هوامش|حواشي)",
        "he": "הערות(?: שוליים| סיום)?",
        "ja": r"[注註](?:\s*[記釈])?|脚\s*注|後注|[原訳]注",
        "ko": r"각\s*주|미\s*주|주\s*석",
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
        "pl": "(?:indeks|skorowidz)(?: .*)?",
        "ar": "كشاف(?: .*)?|فهرس (?:أبجدي|الأعلام|المصطلحات)",
        "he": "מפתח(?: .*)?|אינדקס",
        "zh": r"(?:主题|人名|名词)?索\s*引",
        "ja": r"(?:事項|人名)?索\s*引",
        "ko": r"색\s*인|찾아보기",
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
        "nl": "belangenconflict(?:en)?|financiering",
        "pl": "konflikt interesów|finansowanie",
        "ru": "конфликт интересов|финансирование",
        "ar": "تضارب المصالح|(?:ال)?تمويل",
        "he": "ניגודי? עניינים|מימון",
        "zh": "利益[冲衝]突(?:[声聲]明)?|基金项目|作者贡献",
        "ja": "利益相反(?:の開示)?|著者の?貢献",
        "ko": r"이해\s*(?:상충|관계)|연구비 지원",
    }),
)
# fmt: on
"""The table; the first row that matches a title is used."""
