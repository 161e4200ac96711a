"""The patterns of the PDF reader: what labels, titles, captions, numbers, marks and names of fonts look like.

A pattern stands here, with its name, once; modules import it. White space is tidied where it stands.
"""

from __future__ import annotations

import re

_SMALL = "".join(chr(code) for code in (*range(0x590), *range(0x1E00, 0x2000)) if chr(code).islower())
"""Letters in lower case of the scripts whose sentences begin with a capital: Latin, Greek, Cyrillic, Armenian."""

# ---- dates

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
"""Names of the months in English, in order."""
MONTH = "|".join([*(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "may"), "may", "sept"])
"""A month in English, in full or by its first letters."""
_MONTH = (
    rf"(?:{MONTH}|jan(?:uar|v(?:ier)?)|jänner|feb(?:ruar|rero|braio)|févr?(?:ier)?|mar(?:s|zo)|märz|mrz|março"
    r"|aprile|avr(?:il)?|abr(?:il)?|mai|mayo|maggio|maio|juni|juin|junio|junho|giugno|juli|juil(?:let)?|julio|julho|luglio"
    r"|août|agosto|sept?(?:embre|iembre)|settembre|setembro|okt(?:ober)?|o[ck]tobre|ottobre|outubro"
    r"|nov(?:embre|iembre|embro)|dez(?:ember)?|déc(?:embre)?|diciembre|dicembre|dezembro|enero|janeiro|gennaio|fevereiro)"
)
"""A month in English, German, French, Spanish, Italian or Portuguese, likewise."""

# ---- page: fonts and letters

BOLD_FONT = re.compile(
    r"bold|black|heavy|demi|cmb|cmssbx|sf(?:bx|sx|bi)|ecb[xi]|-medi(?:ital)?$|[-,_]b(?:i|d)?$|tb$", re.I
)
"""Names of bold fonts, TeX's among them."""
ITALIC_FONT = re.compile(r"ital|obliq|cmti|cmsl|cmbxti|sf[tb]i|ecti|slant|[-,_]b?i$", re.I)
"""Names of italic and slanted fonts."""
MONO_FONT = re.compile(
    r"mono(?!type)|nimbusmon|courier|consol|typewriter|cmtt|sftt|menlo|lettergothic|inconsolata", re.I
)
"""Names of typewriter fonts."""
MATH_FONT = re.compile(r"cmmi|cmsy|cmex|msbm|msam|math|mtextra|euclid|eufm", re.I)
"""Names of fonts of formulas."""
FONT_KEY = re.compile(r"^(?:[A-Za-z]{1,4}_?\d{1,4}(?:_\d{1,3})?|[A-Z])$")
"""A name that is the key of a font in the file, not its own: "F1", "TT2"."""
LOW_LETTERS = re.compile(r"^[acemnorsuvwxz]+$")
"""Words without a letter that rises or falls."""
HIGH_LETTERS = re.compile(r"^(?=.*[bdhkl])[a-fhik-or-x]+$")
"""Words with letters that rise, and none that falls."""
RISING = re.compile(r"[A-Zbdfhijklt0-9()\[\]{}/|'\"“”‘’!?]")
"""Letters and signs that rise above an x."""
FALLING = re.compile(r"[gjpqy,;()\[\]{}/|Q]")
"""Letters and signs that fall below the baseline."""
LETTER_OR_DIGIT = re.compile(r"[^\W_]")
RUN_TOGETHER = re.compile(
    r"[^\W\d][\"'”’.,;:!?)\]]*[\d*∗†‡§¶]{1,4}(?!\w)|^[\d*∗†‡§¶]{1,4}[\"“‘'(\[]*[^\W\d]|[.,;:!?)\]\"”’][\"”’)]*[\d*∗†‡§¶]{1,4}$"
)
"""Words that may have a raised mark run into them: "schools.1", "1The"."""
NUMBER_AT_EDGE = re.compile(r"^\d{1,4}(?=\D)|(?<=\D)\d{1,4}$")
"""A number that begins or ends a word, as marks do."""
MARK_AT_END = re.compile(r"(?<=[^\W\d_][\"'”’.,;:!?)\]]|[^\W\d_]{2})\d{1,3}$|(?<=[.,;:!?)\]\"”’])\d{1,3}$")
"""Digits behind a recognised word, which may be a mark."""
MARK_ALONE = re.compile(r"^\d{1,3}$")
MARK_AT_START = re.compile(r"^\d{1,3}(?=[^\W\d]|[\"“‘'(\[])")
"""Digits in front of a recognised word, which may be the mark of a note."""
SUPERSCRIPT = re.compile("[⁰¹²³⁴-⁹]{1,3}")
LINE_LABEL = re.compile(
    r"^(?:[^\w\s]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,6}|[IVXLC]{1,6})[.)]|(?:[A-Z]\.)?\d+(?:\.\d+){1,5}\.?|[A-Z]\.\d+|\[\d{1,3}\])$"
)
"""Bullets and numbers that stand apart from the line that they begin."""
SYMBOL_MARK = re.compile(r"^[∗†‡]{1,3}$")
"""Marks of notes that are signs."""
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
"""Letters of scripts that run from right to left."""
EAST_ASIAN = re.compile(
    "[\u2e80-\u30ff\u31f0-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]"
)
"""Letters and signs that may also be written from top to bottom."""
BARE_NUMBER = re.compile(r"^\d{1,2}$")
BARE_LABEL = re.compile(r"^(?:\d{1,2}|[A-Z])$")
"""Numbers and letters without a sign behind them."""

# ---- stated: what the file says of itself
FILE_TITLE = re.compile(
    r"^(?:(?:untitled|microsoft (?:word|powerpoint|excel)\b).*"
    r"|.*\.(?:docx?|pdf|indd|pptx?|xlsx?|tex|dvi|qxd|ps|eps|rtf|odt|html?)|_.*|[\W\d_]*)$",
    re.IGNORECASE | re.DOTALL,
)
"""Titles that are names of files, numbers, or what programs put in where there is none."""

LANGUAGE_TAG = re.compile(r"^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$")
"""A language as files state it: "en-US"."""
PDF_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
"""A date as files state it: "D:20200811"."""
HEADING_TAG = re.compile(r"^H[1-6]?$")
"""Elements that are headings."""
STATED_MARK = re.compile(r"^(?:\d{1,4}|[a-z]|[*∗†‡§¶#]{1,4})$")
"""The first word of a stated note, if it is its mark."""

# ---- furniture: page numbers and running heads

_PAGE_WORD = r"(?:page|pg|p|seite|s|página|pagina|pág|pag|side|sida|strona|стр)(?:\.\s*|\s+)"
_PAGE_LABEL = (
    r"[0-9]{1,4}|[ivxlcdm]{1,9}|[IVXLCDM]{1,9}|[A-Z]{1,3}\s?[-–—.]\s?[0-9]{1,3}|[A-Z][0-9]{1,3}"
    r"|[0-9]{1,2}\s?[-–—]\s?[0-9]{1,3}|[A-Z]"
)
PAGE_LABEL = re.compile(
    rf"^[-–—|•·*~<({{\[\s]*(?P<said>(?i:{_PAGE_WORD}))?(?P<label>{_PAGE_LABEL})"
    r"(?P<total>\s*(?:of|/|von|de|sur|av|di|из)\s*[0-9]{1,4})?[-–—|•·*~>)}\]\s]*$"
)
"""A row that is a page number: "- 7 -", "Page 3 of 10", "xii", "A-5"."""
ROMAN = re.compile(r"^M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$", re.I)
THREE_LETTERS = re.compile(r"[^\W\d_]{3}")
"""Three letters in a row: a word, not a label."""
WORDS_ALONE = re.compile(r"(?=.*[^\W\d_]{5})\W*(?:[^\W\d_]{3,}[^\w\s=<>+*/^]*(?:\s+|$))+")
"""Words of three letters and more, one of five, and nothing else: text, in whatever font."""

PRINTED_DATE = re.compile(
    r"(?:\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}[./-]\d{1,2}[./-]\d{1,2})(?=[\s,]|$)"
    r"|\d{1,2}[./-]\d{1,2}[./-]\d{2}(?=,|$|\s+\d{1,2}[:.]\d\d)"
)
"""The date that a browser prints at the edge of a page: "6/3/2020", "03.06.20, 14:05"; "1.2.13 Scope" is none."""
PRINTED_ADDRESS = re.compile(r"(?:https?|file)://\S")
"""The address that it prints at the other edge."""
PRINTED_NUMBER = re.compile(r"\d+/\d+$")
"""The number of the page and of all pages, as Chrome prints it behind the address."""
PRINTED_NUMBER_OF = re.compile(r"\d+ [^\W\d_]+ \d+$")
"""The same, as Firefox prints it in front of the date: "1 of 3", "1 von 3"."""
COUNTING = re.compile(r"\d+|\b[ivxlc]+\b")
"""Numbers that change from page to page."""
NUMBER_AT_ENDS = re.compile(r"^\W*\d+\b|\b\d+\W*$")
"""A page number in front of a running head, or behind it."""
PAGE_OF_PART = re.compile(r"^([A-Z]{1,3}[-.]?|[0-9]{1,2}-)([0-9]{1,3})$")
"""A page of a part: "A-5", "3-12"."""
# ---- blocks: how they begin and end, and how they are numbered

_STEP = r"(?:[Ss]tep|STEP|Étape|Schritt|Paso)\s\d{1,2}[.:)]"
STEP = re.compile(rf"^{_STEP}$")
"""The label of a step alone: "Step 2."."""
CHECKED, UNCHECKED = "☒", "☐"
"""Signs of boxes of forms."""
BULLET = re.compile(
    r"^(?:[•▪▫◦‣⁃●○◉■□◆◇◼◻◾◽►▶▸▹▷▻⊳➢➤➔➜❑❒❖✓✔✗✘✦✧☐☑☒⦁\ue000-\uf8ff](?=[^\W\d_]|\s|$)"
    r"|[∙·★☆∞§–—*»-](?=\s|$)|¥(?=\s+(?:[^\W\d]|\d{1,3}\s+[a-z])))\s*"
)
"""Signs in front of items, some with no blank behind them; "¥" is how the bullet of a Mac comes out elsewhere."""
NUMBERED = re.compile(
    r"^(?:\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivx]{1,5}[.)]|\[\d{1,3}\]|\[(?=[^\]]*[\d+])[A-Z][\w .:+-]{1,18}\]"
    rf"|{_STEP})(?:\s+|$)"
)
"""Numbers and letters of items: "1.", "(a)", "[12]"."""
SUBSECTION = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+")
"""The number of several parts in front of a title: "1.3 ", "3.2.1. "."""
SECTION_NUMBER = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,2})\.(\d{1,2})\.?\s+(?=[^\W\d_" + _SMALL + "])")
"""The number of several parts in front of a sentence or title, its last part by itself."""
ITEM_NUMBER = re.compile(r"^\(?(\d{1,3})[.)]\s")
"""The number in front of an item."""
ITEM_LABEL = re.compile(r"^(?:\d{1,3}\.|\[\d{1,3}\])$")
"""The number of an item or an entry alone: "4.", "[12]"."""
CAPTION = re.compile(
    r"^\[?(?:(?:supplementary\s+|supplemental\s+|appendix\s+)?"
    r"(?:fig(?:ure|\.)|table|tab\.|box|exhibit|chart|map|plate|listing|scheme|algorithm|diagram|photo"
    r"|abbildung|abb\.|tabelle|figura|tabla|tableau|cuadro|gráfico))"
    r"\s*(?:[A-Z]{1,2}[.-]?)?(?:\d[\w.–-]*|[IVXL]+\b)",
    re.I,
)
"""Labels of captions: "Figure 3", "Tab. IV"."""
LEADER = re.compile(r"(?:\.\s?){4,}\s*[\w-]{0,7}$|(?:…\s?){2,}\s*[\w-]{0,7}$|(?:·\s?){5,}\s*[\w-]{0,7}$")
"""Dots that lead to a page number at the end of a line."""
CUT_WORD = re.compile(r"[^\W\d_]{2}-$")
"""The end of a line within a word."""

SENTENCE_END = re.compile(r"[.:;?!][\"'”’)\]]*$")
NOTE_START = re.compile(r"^(?:\d{1,4}|[*∗†‡§¶]{1,3})$")
"""A first word that may be the mark of a note."""
PARAGRAPH_END = re.compile(r"[.:;?!。．！？：；؟۔।][\"'”’)\]」』）]*\d{0,3}$")
"""Signs, of many scripts, after which a paragraph does not go on; a mark may follow."""
CAPTION_SENTENCE = re.compile(
    CAPTION.pattern
    + r"\s+(?:shows?|lists?|summari|compar|illustrat|describes?|presents?|gives?|depicts?|provides?|contains?|is|are"
    r"|was|were|and|in|of|to|on|above|below)\b",
    re.I,
)
"""Sentences that begin like a caption: "Table 3 shows"."""
CAPTION_LABEL_ONLY = re.compile(CAPTION.pattern + r"\s*[.:–—-]?", re.I)
"""Captions that are nothing but their label."""
FORMULA_NUMBER = re.compile(r"\(\d+(?:\.\d+)*[a-z]?\)$")
"""A number at the end of a formula."""
DECIMAL = re.compile(r"^(?P<number>(?:[A-Z]{1,2}[.-])?\d{1,3}(?:\.\d{1,3})*)\.?[\s:)]+(?=\S*[^\W\d_])")
""""2.1 Scope", "A-3.1 Scope"."""
LETTERED = re.compile(r"^(?P<number>[A-Z](?:\.\d{1,3})+)\.?\s+\S")
""""A.1 Scope"."""
NAMED = re.compile(
    r"^(?P<word>chapter|part|book|volume|appendix|annex|annexure|article|section|lecture|act|scene|schedule|exhibit"
    r"|kapitel|teil|anhang|chapitre|partie|annexe|capítulo|parte|anexo|capitolo|period|note(?=\s*\d)|item(?=\s*\d))\s*(?:(?<=\s)|(?<=item))"
    r"(?P<number>\d{1,3}[A-C]?|[IVXLC]{1,7}|[A-Z])(?=[\s.:–—-]|$)",
    re.I,
)
""""Chapter 4", "Anhang B"."""
ORDINAL = re.compile(
    r"^(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\s+(?P<word>period|part|book|volume)\b", re.I
)
""""Second period"."""
SCHEMES = (
    ("ROMAN", re.compile(r"^\(?[IVXLC]{1,7}[.):]\s*\S")),
    ("LETTER", re.compile(r"^\(?[A-Z][.)](?![A-Z]\.)\s*\S")),
    ("letter", re.compile(r"^\(?[a-z][.)](?![a-z]\.)\s*\S")),
    ("roman", re.compile(r"^\(?[ivxl]{2,5}[.)]\s*\S")),
)
"""Further ways of numbering, by name; "U.S." is none of them."""
_LABEL = r"(?:chapter|part|book|volume|appendix|annex|lecture|section|article|act|kapitel|teil|chapitre|capítulo)"
_SPELT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty[\s-]?(?:one|two|three|four|five|six|seven|eight|nine)?)"
)
LABEL_WORD = re.compile(rf"^{_LABEL}$", re.I)
"""The word of a label alone, whose number is on the next line."""
LABEL_NUMBER = re.compile(rf"^(?:\d{{1,3}}|[IVXLC]{{1,7}}|[A-Z]|{_SPELT})$", re.I)
"""That number, in letters too: "THIRTYTWO"."""
RELEASE = re.compile(r"^(?:v|version|release)\.?\s?\d+(?:\.\d+)+", re.I)
"""The number of a release, a title of change logs."""
LABEL_ONLY = re.compile(
    rf"^(?:{_LABEL}\s+(?:\d{{1,3}}|[IVXLC]{{1,7}}|[A-Z]|{_SPELT})"
    r"|\d{1,2}(?:\.\d{1,2})*|[IVXLC]{1,6}|[A-Z](?:\.\d{1,2})+"
    r"|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\s+(?:part|book|period|section|lecture))"
    r"\s*[.:–—-]*$",
    re.I,
)
"""A label without a title: "Chapter II", "3.1"."""
ROW_LABEL = re.compile(
    LABEL_ONLY.pattern
    + r"|^(?:item|note|exhibit|schedule|annex(?:ure)?|appendix|clause|section)\s*(?:\d{1,3}(?:\.?[A-Z])?|[A-Z])"
    r"\s*[.:–—-]*$",
    re.I,
)
"""The same, with a title on the same row: "Item 4A.", "NOTE 1:-"."""
LETTER = re.compile(r"[^\W\d_]")
CASELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of Chinese, Japanese and Korean, which have no capitals."""
CASELESS_STOP = re.compile(r"[。、，！？；]")
"""Signs within and behind their sentences."""
FONT_FAMILY = re.compile(r"[A-Za-z]{3,}?(?=MT\b|PS|[-,\d]|$)")
"""The name of a family in front of that of its style: "Arial" of "Arial-BoldMT"."""
SMALL_CAPITALS_FONT = re.compile(r"csc|smallcap|[-_]sc\b|sc$|caps", re.I)
"""Names of fonts of small capitals."""

LETTER_PREFIX = re.compile(r"^[A-Z]{1,2}[.-]")
"""The letter of an annex in front of a number."""
CAPTION_SIGNED = re.compile(CAPTION.pattern + r"\s*[.:|–—-]", re.I)
"""Captions whose label ends with a sign."""
OF_TABLE = re.compile(r"\W?\s*(?:\w+\s+)?tab|cuadro", re.I)
"""Captions of tables, by their label."""
# ---- tables: cells, and what looks like tables but is none

NUMERIC = re.compile(
    r"(?![\s\S]{401})(?:^[\s(\[<>≤≥±~≈+–—−*†‡$€£¥%-]*(?:[A-Z]{0,3}\$?\s?)?\d[\d\s.,:/'’×x^()\[\]±–—−%*†‡+-]*"
    r"(?:[a-z]{1,2}|%|[KMB]|bn|mn|\*+)?[\s)\]%*†‡]*$"
    r"|^[\s(]*(?:[-–—−*.…•·]{1,6}|n\.?\s?[ad]\.?|N/?A|NA|X|x|nil|c|:)[\s)]*$)"
)
"""Cells that are numbers, or stand for one: amounts, shares, dates in digits, dashes. Of 400 signs at most: to try more
takes time with their square."""
YEAR = re.compile(r"^(?:\d{1,2}[./-]\d{1,2}[./-])?(?:1[5-9]|20)\d\d(?:-\d\d-\d\d)?(?:\s?\((?:\d|[a-z])\))?$")
"""A year or a date in digits, as the head of a column, with the mark of a note or without."""
CURRENCY = re.compile(r"^\(?(?:US|C|A|HK|NZ)?[$€£¥₹]\(?$")
"""A sign of money on its own."""
AFTER_AMOUNT = re.compile(r"^\)?\s?(?:%|\)|bps?|pts?)\)?$")
"""What closes an amount: a sign of per cent, a bracket."""
AMOUNT = re.compile(
    r"(?![\s\S]{101})(?:^[\s(\[<>≤≥±~≈+–—−*†‡$€£¥%-]*(?:(?:US|C|A|HK|NZ|USD|EUR|GBP|CHF|RMB)\s?)?[$€£¥₹]?\s?[(–—−+-]?\s?[.,]?\d(?:[\d.,:/'’]*\d)?(?:e[–−+-]?\d{1,3}(?:/[\d.]+e[–−+-]?\d{1,3})?)?(?:\s\d{3}(?!\d)(?:[.,]\d+)?)*"
    r"(?:[*†‡]{0,3}\s?[(\[][–—−<-]?\s?[\d.,]+\s?%?(?:\s?(?:[-–—−,;/]|to)\s?[–—−-]?[\d.,]+\s?%?)?\s?[↑↓]?[)\]]|\s?±\s?[\d.]+)?"
    r"\s?(?:%|x|bps?|pts?|[KMB]|bn|mn)?[\s)\]%*†‡]*(?:\s?\((?:\d{1,2}|[a-z])\))?"
    r"(?:\s?(?:[-–—−/]|to)\s?[$€£¥(]{0,2}\s?[–—−-]?\d(?:[\d.,]*\d)?\s?(?:%|x)?[)\s]*)?$"
    r"|^[\s($€£¥]*(?:[-–—−]{1,3}|n\.?\s?[ad]\.?|n\.?m\.?|N/?A|NM|N/M|nil|\*)\s?%?[\s)]*$)",
    re.I,
)
"""An amount on its own: a number with its signs, a range of two, or what stands for none. Of 100 signs at most, as are
all of some use: to try more takes time with their square."""
NONE_STATED = re.compile(r"^[\s($€£¥]*[-–—−]{1,3}\s?%?[\s)]*$")
"""A dash for none."""
TAIL_OF_AMOUNT = re.compile(r"^(?:[)%\]]+|\((?:\d{1,2}|[a-z])\)|x|bps?|pts?|[-–—−/]|to|±)$")
"""Words that belong to the amount before them."""
UNIT = re.compile(
    r"^\W*(?:(?:amounts|dollars|figures|shares)\s+)?in\s+(?:[$€£]|\w+\s+of\s)?\s*(?:\w+\s+)?"
    r"(?:thousands|millions|billions|percent|dollars|euros?)\b|^\W*unaudited\W*$",
    re.I,
)
"""What the numbers of a table are counted in: "(In millions, except per share amounts)"."""
BLANK_FIELD = re.compile(r"_{3,}|\.{12,}")
"""Room to fill in: forms are no tables."""
PAGES_LISTED = re.compile(
    r"[^\W\d].*,\s\d{1,4}(?:[–-]\d+)?(?:[.,;]|$)|^\d{1,4}(?:[–-]\d+)?,(?:\s\d{1,4}(?:[–-]\d+)?,?)+$"
)
"""Names with pages: an index is no table."""
VALUE_NAME = re.compile(r"[:=#$€£¥№]$|^(?:no|nr|núm|num|total|sum|summe|score|eur|usd|gbp|chf)\W*$", re.I)
"""The last word of what names a number that follows: "No.", "Total:"."""
FIELD_NAME = re.compile(r":\s*$")
"""Names of fields, which end with a colon."""
CONTINUED = re.compile(r"\b(?:cont(?:inued|['’]?d)?|continuation|fortsetzung|suite|continuación|forts)\b", re.I)
"""What is printed over a table that goes on."""
TABLE_LABEL = re.compile(r"^\W*[^\W\d_]+\.?\s*[\w.–-]*\d[\w.–-]*|^\W*[^\W\d_]+\s+[IVXLC]+\b")
"""The label of a table: "Table 3", "Tableau IV"."""

FIGURE_CAPTION = re.compile(r"\W?\s*(?:\w+\s+)?(?:fig|abb|chart|diagram|gr[aá]fi)", re.I)
"""Lines that begin the caption of a figure."""
TABLE_CAPTION = re.compile(r"\W?\s*(?:\w+\s+)?(?:tab|cuadro)", re.I)
"""Lines that begin the caption of a table."""
# ---- headings: titles and what is none, contents pages, run-ins

NO_TITLE_START = re.compile(r"^[^\w\"'“”‘’«„¿¡§.$#&@/∗*†‡<]|^[\[(*∗†‡<=+|]")
"""Signs that no title begins with."""
TITLE_NUMBER = re.compile(r"^\W*(?:[^\W\d_]+\s+)?(?:\d+(?:[.-]\d+)*|[IVXLC]+|[A-Z](?:\.\d+)*)[.:)]?(?=\s|$)")
"""The number of a title, a word in front of it or not."""
NO_TITLE = re.compile(
    r"\S@\S+\.\w|https?://|\bwww\.\w|\s[=≤≥≈≪≫→↦∈]\s|;\s*$|^\W*(?:©|copyright\b.*\d{4})",
    re.I,
)
"""Addresses, formulas, ends of statements: none of these is in a title."""
SITE_ALONE = re.compile(r"^\W{0,9}\w[\w.-]{0,80}\.(?:com|org|edu|gov)(?:/\S*)?\W*$", re.I)
"""A site of the web and nothing else, which may be the name of a company, too."""
REACHED_AT = re.compile(
    r"\b(?i:tel|phone|telephone|call|fax|mobile|cell|ph)\b(?i:\W|us\b|at\b|now\b){0,12}(?:\d{3}[-.]\d{4}\b|\d{7,})"
    r"|^[\s(+]*(?:\d{3}-\d{4}|\d{7,})\W*$|(?<![\d.-])\(?\d{3}\)?[-.\s]\s?\d{3}[-.]\d{4}(?![\d.-])"
    r"|\b(?:[A-Z]{2,}|(?i:account|charity|company|registration)(?:\s(?i:no|number))?)\W{1,3}[\d-]{0,12}\d{7,14}\W*$"
    r"|^(?:[^,]*,\s*|\W*\d{1,5}\s[^,]+,.*\s)[A-Z]{2}\s+\d{5}(?:-\d{4})?\W*$"
)
"""Numbers of a telephone, a register or an account, and the end of an address ("65 Pine St, Franklin MA 02038")."""
SYLLABIC = re.compile("[\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")
"""Signs of Chinese, Japanese and Korean of which two make a word."""
SENTENCE_WITHIN = re.compile(r"。[^\s”’」』）)]")
"""The end of a sentence of Chinese or Japanese with another behind it, which no title has."""
SOURCE = re.compile(r"^\W*(?:(?:data )?sources?|quellen?|fuentes?|fontes?|fonti?|источники?)\s*:\s*\S", re.I)
"""The source of a figure or table."""
FULL_STOP = re.compile(r"\.[\"'”’)\]]*$")
"""The end of a sentence that no title has."""
FILLED_IN = re.compile(
    r"_{4,}|(?:^|\s)By\s*:\s*$|^(?:by|name|title|its|dated?|attention|attn|telephone|phone|fax|e-?mail|if to\b.*)\s*:"
    r"|^(?:(?:dated?|as of|effective)\s+(?:as of\s+)?)?(?:\d{1,2}\s+)?"
    rf"(?:{'|'.join(MONTHS)})\s+(?:\d{{1,2}},?\s+)?\d{{4}}\.?$",
    re.I,
)
"""Lines of signature blocks and forms, and dates."""
CLOSING_WORDS = re.compile(r"^\W*(?:the end|finis|ende|fin)\W*$", re.I)
"""The last words of a book, displayed like a heading, have nothing below them."""
INDEX_ENTRY = re.compile(
    r"^[^\d,]+(?:, [^\d,]+)?,\s\d{1,3}(?:\s?[–-]\s?\d{1,3})?(?:,\s\d{1,3}(?:\s?[–-]\s?\d{1,3})?)*\.?$"
)
"""Entries of an index end with pages; years, which titles end with, have four digits."""
STATEMENT = re.compile(
    r"^(?:theorem|lemma|corollary|proposition|definition|remark|claim|conjecture|axiom|assumption|hypothesis|invariant"
    r"|observation|fact|property)\s+(?:(?:[A-Z]|[IVXL]+)\.)?\d+(?:\.\d+)*\b"
    r"|^(?:proof(?:\s+(?:\(?(?:sketch|outline|idea)\)?|of\s.{1,60}))?|remark|claim|proposition|definition|note)[.:]"
    r"|^proof\W*$",
    re.I,
)
"""Statements of mathematics carry a name and a number in bold, but stand within a section."""
OPENING_TITLE = re.compile(
    r"^\W*(?:abstract|summary|executive summary|preface|foreword|introduction|zusammenfassung|résumé)\b", re.I
)
"""Titles of what comes before the first chapter."""
ABSTRACT = re.compile(r"^\W*(?:abstract|zusammenfassung|résumé|resumen|resumo)\W*$", re.I)
"""The title of an abstract, alone."""
TITLE_LABEL = re.compile(
    r"^(?:(?:chapter|part|appendix|section|book|annex)\s+)?(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,7}|[A-Z](?:\.\d{1,3})*)"
    r"[.:)\s–—-]+(?=\S)",
    re.I,
)
"""The label in front of a title of outline or contents."""
SINGLE_LETTER = re.compile(r"^\(?([A-Z])[.)]\s")
"""A title numbered by one capital letter."""
ENDS_IN_NOUGHT = re.compile(r"^(\d{1,3})\.0\.?\s")
"""A title numbered "4.0"."""
FIRST_NUMBER = re.compile(r"^\W*(?:[^\W\d_]+\s+)?(\d{1,3}|[IVXLC]{1,7}|[A-Z])(?=[\s.:–—-]|$)", re.I)
"""The number, of any kind, at the beginning of a title."""
COUNT = re.compile(r"^\W*(?:[^\W\d_]+\s+)?(\d{1,3}|[IVXLC]{1,7}|[A-Z])(?=[\s.:)–—-]|$)", re.I)
"""The same, or "1)", "(a)"."""
LABELLED_PARTS = re.compile(r"^\W*[^\W\d_]+\s+\d{1,3}\.(?:\d{1,3}\.)*(\d{1,3})(?!\w)")
"""A label with a number of several parts: "Section 2.01"."""
LABELLED = re.compile(r"^([^\W\d_]{3,})\s+(\d{1,2})(?=[\s.:–—-]|$)")
"""A title that begins with a word and a number."""
SINGLE_NUMBER = re.compile(r"^(\d{1,2})\.?\s")
"""A title numbered without dots."""
RUN_IN_END = re.compile(r"[.:]$|\s[–—-]$")
"""What ends a heading within its paragraph."""
RUN_IN_CLOSE = re.compile(r"[.:?!—–][\"'”’)]*$")
"""The same, of one without a number."""
RUN_IN_LAST = re.compile(r"^(?:[.:]|\.?—|[–-]|[^\W\d_]:)$")
"""What ends one and is in the type of the text: a sign, or a symbol that is named ("Prompt *f*:")."""
NO_RUN_IN = re.compile(r"^\W*(?:note|notes|source|sources|n\.?b|e\.g|i\.e|example|remark|proof|answer|a|q)\b\W*$", re.I)
"""Words in front of a paragraph that name what it is, not what it is about."""
TITLE_START = re.compile(
    r"^(?:(?:section|article|clause|item|§)\s*)?(?:\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[a-zA-Z]|[ivxlIVXL]{1,5})[.:)]+)(?:\s+|$)",
    re.I,
)
"""The label of a title: "1.", "(a)", "iv)", "Section 2.1."."""
SECTION_LETTER = re.compile(r"^(?P<open>\(?)(?P<letter>[a-zA-Z])(?P<close>[.)])\s+(?=\S)")
"""The letter of a section in the running type: "a.", "(b)"."""
SECTION_LABEL = re.compile(
    r"^(?P<word>(?:section|article|clause|item|§)\s*)?(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})[.:)]?\s+(?=\S)", re.I
)
"""The label of a section in the running type: "1.", "4.2", "Section 3."."""
TITLE_END = re.compile(r"(?<!\bv)(?<!\bvs)[.:][\"'”’)]*$")
"""What ends a title within its paragraph, or a sentence; "Smith v. Jones" goes on."""
OPENS_SENTENCE = re.compile(r"[\"'“‘(\[]*[^\W_" + _SMALL + "]")
"""The first word of a sentence."""
GOES_ON = re.compile("[" + _SMALL + "]{2}|a\\s")
"""The first word of a line within a sentence, no letter of an item."""
PUBLISHER = re.compile(r"\b(?:commission|ministry|department|agency|bureau|company)\W*$", re.I)
"""The name of an institution, which may stand over a title in larger type."""
DATE_ALONE = re.compile(
    r"^\W*(?:dated?:?\s+)?(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d\d[./-]\d\d"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?\s+)?(?:de\s+)?{_MONTH}[.,]?\s+"
    r"(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?(?:de\s+)?\d{4})\W*$"
    r"|^\s*(?:令和|平成|昭和)?\s*\d{1,4}\s*年\s*\d{1,2}\s*月(?:\s*\d{1,2}\s*日)?(?:現在)?\s*$",
    re.I,
)
"""A line that is a date and nothing else: "05.08.2019", "March 6th, 2017"."""
VERSION_ALONE = re.compile(r"^\W*(?:version|versi[oó]n|versão|revision|rev|v)\b[.:]?\s*\d[\w.-]*\W*$", re.I)
"""A line that is the version of a document and nothing else: "Version 4A"."""
IN_BRACKETS = re.compile(r"^\([^()]*\)$")
"""A text within one pair of brackets."""
PERSONS = re.compile(
    r"^(?:(?:by|von|par|por)\s+)?(?:[^\W\d_a-z]\S*\s+){1,3}[^\W\d_a-z][^\W\d_]+"
    r"(?:\s*(?:,|&|\b(?:and|und|et|y|e)\b)\s*(?:[^\W\d_a-z]\S*\s+){1,3}[^\W\d_a-z][^\W\d_]+)+$",
)
"""Several names of persons: "Ada North and Ben South"."""
_PERSON = r"[^\W\d_a-z][^\s,]*(?:\s[^\W\d_a-z][^\s,]*){1,3}"
BY_LINE = re.compile(rf"^(?i:by|von|par|por)\s{_PERSON}(?:(?:,\s(?:and\s)?|\s(?:&|and|und|et|y|e)\s){_PERSON})*$")
"""Who wrote it, and nothing else: "BY Ada North and Ben South"."""
NAME_ALONE = re.compile(
    r"^\W*(?:for immediate release|(?:news|press|media|earnings) (?:release|statement))\W*$"
    r"|[\s,](?:inc|incorporated|corp|corporation|ltd|limited|llc|l\.l\.c|plc|gmbh|s\.a|n\.v|s\.p\.a|l\.p)\W*$",
    re.I,
)
"""The name of a company or the kind of a publication, alone: no section has it as its title."""
KIND_OF_DOCUMENT = re.compile(
    r"\b(?:report|agreement|contract|policy|notice|terms|by-?laws|constitution|manual|guide|handbook|plan|proposal|statements?"
    r"|prospectus|newsletter|bulletin|minutes|agenda|memorandum|waiver|form|application|budget|brochure|catalog(?:ue)?"
    r"|(?:white)?paper|thesis|dissertation|study|review|analysis|assessment|survey|specification|datasheet|tutorial"
    r"|workshop|conference|program(?:me)?|summary|overview|introduction|license|lease|deed|charter|rules|regulations"
    r"|articles|resolution|release|results|instructions|checklist|syllabus|assignment|menu|poster"
    r"|(?:jahres)?bericht|vertrag|satzung|statuten|handbuch|anleitung|leitfaden|ordnung|arbeit|protokoll|antrag"
    r"|rapports?|contrat|accord|manuel|statuts|mémoire|règlement|informe|contrato|acuerdo|estatutos|guía|memoria"
    r"|relatório|regulamento|regolamento|relazione|contratto|statuto|handleiding|verslag|overeenkomst|reglement"
    r"|отч[её]т|договор|соглашение|устав|политика|руководство|инструкция|положение|согласие|работа|hợp đồng"
    r"|報告|报告|論文|手册|合同|规约|規約)\b",
    re.I,
)
"""What kinds of documents are called, as their titles say."""
INSTITUTION = re.compile(
    r"\b(?:inc|corp|corporation|ltd|llc|gmbh|company|universi\w+|institute?|association|department|faculty|school|college"
    r"|ministry|council|committee|society|foundation|commission|agency|bureau|bank|group|e\.\s?v\.)\b",
    re.I,
)
"""A word in the names of institutions and companies."""
CONTENTS_TITLE = re.compile(
    r"^\W*(?:(?:table\s+of\s+)?contents|brief\s+contents|detailed\s+contents|index|"
    r"(?:list|table)\s+of\s+(?:figures|tables|boxes|charts|maps|illustrations|plates|appendices|annexes|abbreviations)"
    r"|figures|tables|boxes|illustrations|appendices"
    r"|inhalt(?:sverzeichnis)?|sommaire|table\s+des\s+matières|índice|contenido|sumário|indice)\b",
    re.I,
)
"""Titles of contents pages and of lists of figures and the like."""
LEADERS = re.compile(r"(?:[.·…_]\s?){3,}|(?:\s[.·]){2,}")
"""Dots between an entry and its page."""
LEADER_TRAIL = re.compile(r"[\s.·…_]+$")
"""Dots that are left at the end of an entry."""
ENTRY_PAGE = re.compile(r"^(?:\d{1,4}|[ivxlcdm]{1,8}|[IVXLC]{1,6}|[A-Z]{1,2}[-–.]\d{1,3}|\d{1,2}[-–]\d{1,3})$")
"""The page of an entry."""
CHAPTER = re.compile(r"^(?:chapter|appendix|lecture|kapitel|chapitre|cap[íi]t[uo]lo)\b", re.I)
CHAPTER_NUMBER = re.compile(r"^(?:\d{1,2}|[IVXLC]{1,7})\.?$")
"""The number of a chapter, alone."""
ITEM = re.compile(r"^(?:item|article|section|chapter)\s*\d", re.I)
"""Entries that stand below parts."""
PART = re.compile(
    r"^(?:(?:part|book|volume|teil|partie|parte)\b|(?:first|second|third|fourth|fifth|sixth|seventh)\s+(?:part|period|book)\b)",
    re.I,
)
"""Entries that stand above chapters."""
ENTRY_DECIMAL = re.compile(r"^(?:[A-Z]\.)?(\d{1,3}(?:\.\d{1,3})*)\.?\s")
"""The number in front of an entry."""

ENTRY_NUMBERED = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Z]\.|[a-z]\.)\s")
"""An entry that begins with a number or letter."""
LEADER_WORD = re.compile(r"[.·…_\s]+")
"""A word that is dots alone."""
# ---- notes: marks, notes, entries

NOTE_MARK = re.compile(r"^(?:\d{1,4}|[a-z]|([*∗†‡§¶‖#⋆★])\1{0,3})$")
"""A raised word that may be a mark: a number, a letter, one sign up to four times."""
YEAR_END = re.compile(r"(?:^|\D)(?:1[5-9]|20)\d\d[.,;:)\]\"”’]*$")
"""A year, whose raised neighbour is no exponent."""
BEFORE_EXPONENT = re.compile(r"[\w)][\[({]\w{1,2}$|^\d+[^\W\d_]{1,2}$|[(\[{<>=+\u2212/×·|^_]$")
"""What stands before an exponent: "E[U", "3k", "x +"."""
PLAIN_WORD = re.compile(r"^[\"“‘'(\[]*[^\W\d_]{3,}(?:[-'’‐][^\W\d_]+)*[.,;:!?)\]\"”’']*$")
"""A word of letters, with what may be printed around it."""
NOTE_LABEL = re.compile(r"^[\[(]?(\d{1,4}|[a-z]|[*∗†‡§¶‖#⋆★]{1,4})[\])]?[.,:)]?$")
"""The label that begins a note."""
BRACKETED_LABEL = re.compile(r"\((\d{1,2}|[a-z])\)")
"""The label of a note in brackets."""
BRACKETED_MARKS = re.compile(r"^(?:\((?:\d{1,2}|[a-z])\)[,;:]?)+$")
"""Marks in brackets behind a label of a table."""
SIGN_LABEL = re.compile(r"^[*∗†‡§¶]{1,3}$")
"""A sign as a mark, and as the label of its note."""
NOTE_BEGINS = re.compile(r"[\"“‘'«„(\[]*\w|[.…]{3}|§|[A-Za-z]")
"""What follows the label of a note."""
TERM = re.compile(r"[^\W\d_]{3,}[.:]?")
"""A first word that is the term a note explains."""
WORD = re.compile(r"[^\W\d_]{2,}")
_SECTION_NUMBER = r"^(?:(?:chapter|appendix|section)\s+)?(?:[\dIVXLC]+(?:\.\d+)*|[A-Z](?:\.\d+)*)?[.:)]?\s*"
ENTRIES_TITLE = re.compile(
    _SECTION_NUMBER
    + r"(?:(?:selected|general|cited|annotated)\s+)?(?:references(?:\s+cited)?|bibliograph\w+|works\s+cited|literature"
    r"(?:\s+cited)?|sources|literatur(?:verzeichnis)?|bibliographie|références|referencias|bibliograf[ií]a)\W*$",
    re.I,
)
"""Titles under which bibliographic entries stand."""
NOTES_TITLE = re.compile(
    _SECTION_NUMBER + r"(?:(?:end|foot)?notes|notes\s+(?:to|on)\s.{0,60}|anmerkungen|notas)\W*$", re.I
)
"""Titles under which endnotes stand."""
ENDNOTE = re.compile(r"^(?P<label>\d{1,4})[.):]?\s+[\"“‘'(\[]*[^\W\d_]")
"""An endnote with its label."""
AUTHOR = re.compile(r"[^\W\d_a-z][\w'’-]+,\s+[^\W\d_a-z]")
"""A name as entries begin with: "Smith, J"."""
DATED = re.compile(r"\((?:1[5-9]|20)\d\d[a-z]?\)")
"""A year in brackets."""
ENTRY_END = re.compile(r"[.;!?][\"'”’)\]]*$")
BRACKETED = re.compile(r"(?<=[\[,;–-])\s?(\d{1,3})(?=[\],;–-])")
"""Numbers of a citation in brackets: "[3, 5-7]"."""
ENTRY_LABEL = re.compile(r"^(?P<label>\[[^\]]{1,24}\]|\(?\d{1,3}[.)])\s*")
"""The label of an entry: "[Kn86]", "12."."""

ENTRY_SIGNS = re.compile(r"(?:1[5-9]|20)\d\d|n\.\s?d\.|forthcoming|https?:")
"""What an entry without a label has: a year, or what stands for one, an address."""
UNKNOWN_LETTER = re.compile(r"[\ufffd\ue000-\uf8e4]|GLYPH<|\(cid:\d+\)")
"""What parsers put where a font says nothing of a letter: codes of the private area too, but for pieces of brackets."""
ADDRESS = re.compile(r"https?://|\bwww\.|\w@\w")
"""What addresses of pages and of mail have, which text sets in typewriter type."""
INITIAL = re.compile(r"^[\"“”‘’«»„‚¿¡]?(?=[^a-z])[^\W\d_]$")
"""A capital by itself, after an opening quote or not: what paragraphs may begin with in large type."""
