"""Parses the text of a bibliographic entry: the numbered, author-year and quoted styles."""

from __future__ import annotations

import re

from ragraph.works.fields import Fields, clean_arxiv, clean_doi, clean_isbn
from ragraph.works.styles import parse_style

_SURNAME = (
    r"(?:(?:[Vv]an|[Vv]on|[Dd]e[rnl]?|[Dd][aiu]|[Dd]os|[Dd]el|[Ll][ae]|[Tt]en|[Tt]er|[Ee]l|[Aa]l|[Ss]t\.?|’t|'t|[Mm]ac|[Dd]['’])[\s-])*"
    r"(?:[^\W\d_a-z]|[dlO]['’])(?:[^\W\d_]|['’‘‐‑-])+(?:[\s-](?!(?:and|et)\b)[^\W\d_]['’]?(?:[^\W\d_]|['’‐‑-])+){0,3}"
)
_INITIALS = r"(?:[^\W\d_a-z]\.?[\s-]?(?:[a-z](?=\.))?){1,5}"
_MORE = r"(?:,?\s(?:Jr|Sr|2nd|3rd|II|III|IV)\b\.?)?"
_END = r"(?=[\s.,;:()]|$)"
_NAMES = [
    re.compile(
        rf"(?P<surname>{_SURNAME}),\s?(?P<given>(?:[^\W\d_a-z][a-z]?\.[\s-]?){{1,5}}){_MORE}{_END}"
    ),  # Smith, A. B.
    re.compile(
        rf"(?P<surname>{_SURNAME}),?\s(?P<given>[^\W\d_a-z](?:[\s-]?[^\W\d_a-z](?=[^\w]|[^\W\d_a-z]|$)|\.[\s-]?[^\W\d_a-z](?=[.,;])){{0,4}}\b\.?){_MORE}{_END}"
    ),  # Smith AB
    re.compile(r"(?P<surname>[^\W\d_A-Z][\w-]+)\s(?P<given>[A-Z]{1,3})(?=[,.])"),  # smith AB
    re.compile(
        rf"(?P<given>(?:[^\W\d_a-z][a-z]?\.[\s-]?){{1,4}})(?P<surname>{_SURNAME}){_MORE}(?=\s?[.,;:(]|\s(?:and|&|et)\b)"
    ),  # A. B. Smith
]
_WHOLE = re.compile(  # Smith, John
    rf"(?P<surname>{_SURNAME}),\s(?P<given>[^\W\d_a-z][^\W\d_]+(?:\s[^\W\d_a-z]\.?)*)"
    r"(?=\.\s|,\s|\s(?:and|&)\s|;\s|\s\()"
)
_GIVEN_FIRST = re.compile(
    r"(?P<given>[^\W\d_a-z][^\W\d_]+(?:\s[^\W\d_a-z]\.?)*)\s(?P<surname>[^\W\d_a-z][\w'’-]+)(?=\.\s|,\s|\s(?:and|&)\s|\s\()"
)
_PARTS = re.compile(r"\s?(?:,?\s?(?:\band\b|&|\bund\b|\by\b)|[,;])\s?|\s(?=[^\W\d_a-z])")
_ET_AL = re.compile(r"[\s,;]*(?:\bet\.? al\b\.?|\band others\b|…|\.\s?\.\s?\.)[,;]?", re.IGNORECASE)
_BEHALF = re.compile(r"[\s,;]*(?:on behalf of|for)\s(?:the\s)?[^.;:(]{3,120}", re.IGNORECASE)
_JOURNAL = re.compile(r"[^\W\d_a-z][\w&.-]*(?:\s(?:[^\W\d_a-z][\w&.-]*|of|the|and|for|in|de|la|der|für|et)){0,9}")
_EDITORS = re.compile(r"[\s,.]*\(?\b(?:eds?|editors?|Hrsg|trans)\b\.?\)?\.?,?", re.IGNORECASE)
_GROUP = re.compile(
    r"[;,]\s?(?P<name>[^.;:(]{5,120}?\b(?:Group|Investigators?|Team|Committee|Consortium|Network|Collaborat\w+|Society|Force)\b[^.;:(]{0,60}?)(?=[.;:]|\s\()"
)
_YEARS = r"(?:1[4-9]\d\d|20\d\d)"
_PAREN_YEAR = re.compile(rf"[\s.,]*[\[(](?P<year>{_YEARS})[a-z]?(?:,[^)\]]{{0,30}})?[\])][.,:]?\s*")
_BARE_YEAR = re.compile(rf"[\s.,;:]*(?P<year>{_YEARS})[a-z]?[.:,]\s+(?=[^\d\s]|\d+-[A-Za-z])")
_CORPORATE = re.compile(rf"(?P<name>[^\W\d_a-z][^.()]{{3,80}})\.\s(?P<year>{_YEARS})[a-z]?\.\s(?=[^\d\s])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:vs|cf|ca|spp?|subsp|var|No|Vol|St|Dr|Mr|Mrs|al|e\.g|i\.e|U\.S|U\.K|approx|resp|ed|eds|etc|Inc)|(?:^|[\s.])[A-Z])$"
)
_STOP = re.compile(r"\s(?=[Ii]n:\s)|[.?!]['’”\"*)]*(?=\s)|[.](?=[A-Z][a-z]+ [A-Z])")
_SENTENCE = re.compile(r"[.?!]['’”\"*)]*(?=\s)")
_SHORTENED = re.compile(r"[^\W\d_a-z]\w{0,12}(?:[\s-][^\W\d_a-z]\w{0,12}){0,2}")
_VOLUME = r"(?P<volume>[A-Z]{0,2}\d{1,4}[A-Z]?(?:\s?[-–/]\s?\d{1,4})?(?:\s?[Ss]uppl\.?(?:\s?\d+)?)?|[Ss]uppl\.?\s?\d*)"
_ISSUE = r"(?:\s?\((?P<issue>[^()]{1,40})\)|,\s?(?:no|issue|nr)\.?\s?(?P<number>[\w–-]+))?"
_FIRST = (
    r"(?P<pages>[A-Za-z]{0,3}[.-]?\d{1,7}(?:[A-Za-z.]{1,2}\d*)?(?:\s?[-‐–—−]\s?[A-Za-z]{0,3}\.?\d{1,7}[A-Za-z]?\d*)?)"
)
_PP = r"(?:pp?\.?\s?|e-?pages?\s|[Aa]rticle\s(?:[Ii][Dd]:?\s?)?)?"
_MONTH = r"(?:[\s,]*(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?|\d{1,2})(?=[\s;:.,-]))*"
_PLACES = [
    re.compile(rf"\(?\b(?P<year>{_YEARS})[a-z]?\)?{_MONTH}\s?[.;:,]?\s?{_VOLUME}{_ISSUE}\s?[:,]\s?{_PP}{_FIRST}"),
    re.compile(rf"\b(?:[Vv]ol(?:ume)?\.?)\s?{_VOLUME}{_ISSUE}(?:[,:.]\s?(?:pp?\.?\s?)?{_FIRST})?"),
    re.compile(rf"(?<=[\s,.]){_VOLUME}{_ISSUE}\s?(?:\((?P<year>{_YEARS})\)\s?)?[:,]\s?{_PP}{_FIRST}(?=[\s.,;)]|$)"),
    re.compile(rf"(?<=[\s,.]){_VOLUME}\s?\((?P<issue>(?!{_YEARS})[^()]{{1,40}})\)(?=[\s.,;]|$)"),
    re.compile(rf"\(?\b(?P<year>{_YEARS})[a-z]?\)?{_MONTH}[.;:,]?\s(?P<pages>[A-Za-z]{{1,3}}\d{{2,7}})(?=[\s.,;]|$)"),
    re.compile(rf"\(?\b(?P<year>{_YEARS})[a-z]?\)?{_MONTH}[.;:,]\s?{_VOLUME}(?=[.,;]|$)"),
    re.compile(rf"[\s,(](?:pp?\.?|S\.|pages)\s?{_FIRST}"),
]
_ANY_YEAR = re.compile(rf"(?<![\d/:.–-]){_YEARS}(?![\d–-])")
_PART = re.compile(
    r"\b(?:[Pp]art|[Vv]ol(?:ume)?\.?|[Bb]and|[Tt]ome|[Bb]ook)\s(?P<part>\d{1,3}|[IVX]{1,5})\b"
    r"|\b(?:[A-Z]{2,}(?:/[A-Z]{2,})*[\s-]){1,2}(?P<number>(?!(?:1[4-9]|20)\d\d\b)\d{2,}[\w.:-]*\w)"
)
"""The part of a work that an entry refers to, or the number of an institution: Part 2, ISO/IEC 27001."""
_IN = re.compile(r"(?:In|in)(?::|\s(?=[^a-z]))\s?")
_PUBLISHER = re.compile(
    r"\b(?:Press|Publish(?:ers?|ing)|Publications|Verlag(?:sanstalt)?|[ÉE]ditions?|Editorial|Ediciones|Edizioni|Editor[ae]"
    r"|Uitgever(?:ij)?|Wydawnictwo|Издательство|Изд-во)(?=\s*(?:[,.;:()]|$))|出版|출판"
)
_EDITION = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)|[Ss]econd|[Tt]hird|[Ff]ourth|[Rr]evised)\s(?:rev(?:ised|\.)?\s)?ed(?:ition|n|\.|\b)"
    r"|\b\d{1,2}\.\s?Aufl"
)
_CAPITAL = r"[^\W\d_a-z]"
_PRINTED_AT = re.compile(  # New York: Publisher; 2010
    rf"(?:^|[\s(]){_CAPITAL}[^\W\d_]+(?:[\s-]{_CAPITAL}[\w.]*)*(?:,\s{_CAPITAL}[\w.]+)*\s?:\s{_CAPITAL}[^:;()\d]{{2,60}}"
    rf"[;,.)]?\s?\(?(?:{_YEARS}[a-z]?)?\W*$"
)
_PRINTED = re.compile(rf"[\s.?!]*{_CAPITAL}[^.:;()\d]{{2,60}};\s?{_YEARS}\W*")  # Publisher; 2010
_QUOTED = re.compile(r"[“\"«„](?P<title>.{5,400}?)[,.?!]?[”\"»“](?=[\s,.;]|$)")
_MARKER = re.compile(r"^\s*(?:\[[^\]]{1,12}\]|\(?\d{1,4}[.)]|\d{1,4}\s(?=[^\W\d_a-z]))\s*")
_LINK = re.compile(r"\[([^\]]*)\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)\)")
_STYLES = re.compile(r"\\(?=[^\w\s])|(?<!\\)(?:\*{1,3}|~~)|</?(?:su[bp]|i|b|em|u)>")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\[\]]+")
_IDENTIFIERS = {
    "doi": re.compile(
        r"(?:https?://)?(?:(?:dx\.)?doi\.org/|doi:?\s*)?(?:https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)",
        re.IGNORECASE,
    ),
    "pmid": re.compile(
        r"(?:\b(?:PubMed\s)?(?:PMID|pubmed|medline)[:\s]\s?|ncbi\.nlm\.nih\.gov/pubmed/)(\d{4,9})\b", re.IGNORECASE
    ),
    "pmcid": re.compile(r"\b(?:pmcid[:\s]\s?)?(PMC\s?\d{4,9})\b", re.IGNORECASE),
    "arxiv": re.compile(
        r"(?:arxiv:?\s?|arxiv\.org/(?:abs|pdf)/)((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)",
        re.IGNORECASE,
    ),
    "isbn": re.compile(r"\bISBN(?:-1[03])?:?\s?([\dX][\dX\s‐-–-]{8,18}[\dX])\b", re.IGNORECASE),
}
_ARABIC_SIGNS = str.maketrans("،؛؟٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", ",;?01234567890123456789")
_SIGNS = {
    "doi": ("10.",),
    "pmid": ("pmid", "medline", "pubmed"),
    "pmcid": ("pmc",),
    "arxiv": ("arxiv",),
    "isbn": ("isbn",),
}
_SIGNS["url"] = ("http", "www.")
_CLEAN = {"doi": clean_doi, "arxiv": clean_arxiv, "isbn": clean_isbn}
_NOISE = re.compile(
    r"\[(?:Article in|in )[^\]]*\]"
    r"|\b(?:Available (?:from|at|online)|Retrieved|Accessed|Epub|Last accessed|\[?cited)\b.*$"
    r"|\[(?:Medline|CrossRef|PubMed|Google Scholar|PMC free article)[^\]]*\]",
    re.IGNORECASE,
)


def parse_entry(text: str) -> Fields:
    """Return the fields of an entry, parsed from its text; fields that cannot be recognised are left out.

    Args:
        text: as a node has it, in Markdown, with or without its number.
    """
    said, plain = find_identifiers(text)
    plain = " ".join(_NOISE.sub(" ", plain).split())
    if (styled := parse_style(plain, _authors)) is not None:
        return Fields.of(said | styled)
    authors, end = _authors(plain)
    rest = plain[end:]
    if (year := _PAREN_YEAR.match(rest) or _BARE_YEAR.match(rest)) is not None:
        said["year"] = year["year"]
        rest = rest[year.end() :]
    elif not authors and (year := _PAREN_YEAR.search(plain)) is not None and 3 < year.start() < len(plain) // 2:
        authors, said["year"], rest = [plain[: year.start()].strip(" .,")], year["year"], plain[year.end() :]
    elif not authors and (year := _CORPORATE.match(plain)) is not None:
        authors, said["year"], rest = [year["name"]], year["year"], plain[year.end() :]
    elif not authors and len(parts := _STOP.split(plain, maxsplit=2)) == 3 and len(parts[0].split()) <= 10:
        said["year"] = None
        authors, rest = [parts[0]], plain[len(parts[0]) + 1 :]
    rest = rest.lstrip(" .,;:")
    said["authors"] = authors
    title, rest = _title(rest)
    said["title"] = title
    _place(rest, said)
    if not said.get("volume") and not said.get("pages") and (part := _PART.search(rest)) is not None:
        said["volume"] = part["part"] or part["number"]
    return Fields.of(said)


def is_book(text: str, said: Fields) -> bool:
    """Return True if an entry has a publisher or an edition after its title and is not part of another work.

    Args:
        text: of the entry.
        said: its fields.
    """
    if said.title is None or (said.container and (said.volume or said.pages) and not _PUBLISHER.search(said.container)):
        return False
    _, plain = find_identifiers(text)
    _, found, behind = plain.casefold().partition(said.title.casefold())
    rest = plain[len(plain) - len(behind) :].strip() if found and behind else ""
    # a name alone ("Sage.", "Nature.") may be a publisher or a journal
    return any(pattern.search(rest) for pattern in (_PUBLISHER, _EDITION, _PRINTED_AT)) or bool(
        _PRINTED.fullmatch(rest)
    )


def find_identifiers(text: str) -> tuple[dict[str, object], str]:
    """Return the identifiers and the URL in an entry, and its plain text without them."""
    said: dict[str, object] = {}
    links = [match[2] for match in _LINK.finditer(text)]
    plain = _STYLES.sub("", _LINK.sub(lambda match: f" {match[1]} ", text))
    plain = " ".join(_MARKER.sub("", plain).translate(_ARABIC_SIGNS).split())
    hint = text.casefold()
    for name, pattern in _IDENTIFIERS.items():
        if not any(sign in hint for sign in _SIGNS[name]):
            continue
        for place in [plain, *links]:
            found = pattern.search(place)
            value = _CLEAN.get(name, str)(found[1]) if found else None
            if value:
                said[name] = value
                break
        plain = pattern.sub(" ", plain)
    if not any(sign in hint for sign in _SIGNS["url"]):
        return said, plain
    url = _URL.search(plain) or next((found for link in links if (found := _URL.match(link))), None)
    if url and "doi.org" not in url[0]:
        said["url"] = url[0].rstrip(".,;)")
    return said, _URL.sub(" ", plain)


def _authors(text: str) -> tuple[list[str], int]:
    """Return the authors at the beginning of a text, and the position where they end."""
    found: list[str] = []
    at = 0
    while True:
        pattern = _NAMES
        match = next((match for name in pattern if (match := name.match(text, at))), None)
        if match is None and not found:
            match = _WHOLE.match(text, at)
        elif match is None and found and text[at - 1 : at] not in ".":
            match = _GIVEN_FIRST.match(text, at) if _WHOLE.match(text) else None
        if match is None:
            break
        given = match["given"].strip()
        if given.find(".") == len(given) - 1:
            given = given[:-1]  # it is the full stop of the sentence
        found.append(f"{match['surname']}, {given}")
        end = match.end()
        part = _PARTS.match(text, end)
        if (more := _ET_AL.match(text, end)) is not None:
            behalf = _BEHALF.match(text, more.end())
            return found, behalf.end() if behalf is not None else more.end()
        follows = part is not None and any(name.match(text, part.end()) for name in (*_NAMES, _GIVEN_FIRST))
        if not follows and (group := _GROUP.match(text, end)) is not None:
            return [*found, group["name"].strip()], group.end()
        if part is None or not follows or (text[end - 1] == "." and part[0].isspace()):
            at = end
            break
        at = part.end()
    if found and (behalf := _BEHALF.match(text, at)) is not None:
        at = behalf.end()
    if found and (editors := _EDITORS.match(text, at)) is not None:
        at = editors.end()
    return found, at


def _title(text: str) -> tuple[str | None, str]:
    """Return the title at the beginning of a text, and the text after it."""
    quoted = _QUOTED.match(text)
    if quoted is not None:
        return quoted["title"].strip(" ,"), text[quoted.end() :].lstrip(" .,;")
    stops = [
        stop
        for stop in _STOP.finditer(text)
        if stop.start() >= 3 and not (stop[0][0] == "." and _ABBREVIATED.search(text[: stop.start()]))
    ]
    place = next((found for pattern in _PLACES[:4] if (found := pattern.search(text))), None)
    if place is not None and stops and not any(_IN.match(text[stop.end() :].lstrip()) for stop in stops):
        # a title may have several sentences: the journal is the last of them, with its abbreviations
        before = [stop for stop in _SENTENCE.finditer(text) if 3 <= stop.start() < place.start() - 2]
        at = len(before) - 1
        while at > 0 and _SHORTENED.fullmatch(text[before[at - 1].end() : before[at].start()].strip()):
            at -= 1
        if before:
            stops = [before[at]]
    if stops:
        stop = stops[0]
        return (text[: stop.start()] + (stop[0][0] if stop[0][0] in "?!" else "")).strip(), text[stop.end() :].lstrip()
    # only commas, or no text after it
    if place is not None and ", " in text[: place.start()]:
        head, _, tail = text[: place.start()].rstrip(" ,").rpartition(", ")
        if head:
            return head, f"{tail} {text[place.start() :]}"
    return text.strip(" .") or None, ""


def _place(text: str, said: dict[str, object]) -> None:
    """Add container, volume, issue, pages and year from the text after the title."""
    inside = _IN.match(text)
    if inside is not None:
        text = text[inside.end() :]
        _, end = _authors(text)
        if end and (editors := _EDITORS.match(text, end) or _EDITORS.match(text, end - 1)) is not None:
            text = text[editors.end() :].lstrip(" .,:")
        elif end and re.search(r"\b[Ee]d(?:itor)?s?\b\.?\W*$", text[:end]):
            text = text[end:].lstrip(" .,:")
    found = next((match for pattern in _PLACES if (match := pattern.search(text))), None)
    head = text
    if found is not None:
        groups = found.groupdict()
        head = text[: found.start()]
        for name, value in (
            ("volume", groups.get("volume")),
            ("issue", groups.get("issue") or groups.get("number")),
            ("pages", groups.get("pages")),
        ):
            if value:
                said[name] = value.strip()
        if groups.get("year") and not said.get("year"):
            said["year"] = groups["year"]
    if not said.get("year"):
        years = list(_ANY_YEAR.finditer(text))
        if years:
            said["year"] = years[-1][0]
    head = re.sub(rf"[\s,(.;]*\b{_YEARS}[a-z]?\b.*$", "", head)
    if inside is not None:
        stop = next(
            (
                stop
                for stop in _STOP.finditer(head)
                if stop.start() > 3 and not _ABBREVIATED.search(head[: stop.start()])
            ),
            None,
        )
        head = head[: stop.start()] if stop is not None else head
    if found is not None or inside is not None or _JOURNAL.fullmatch(head.strip(" .,;")):
        said["container"] = head.strip(" .,;:()") or None
