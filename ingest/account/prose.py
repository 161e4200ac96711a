"""The text of Markdown, reStructuredText, AsciiDoc and Org by tokens.

What no token proves to be markup is text, and counts word by word.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from ragraph.ingest.account.prose_latex import latex_pieces
from ragraph.ingest.account.words import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKUP, _ADDRESS, _LABEL, _NUMBER = "markup", "address of a link", "label of a note", "number of a list"

_OPTIONS = r"(?:\n[ \t]+:[\w -]+:[^\n]*)*"
_BELOW = r"(?:\n(?:(?P={0})[ \t]+\S[^\n]*|[ \t]*(?=\n|\Z)))*"
"""Lines that are deeper than one whose indent is a group, and blank ones."""

_WITH_CODE = r"code|code-block|sourcecode|parsed-literal|productionlist|testcode|testoutput|doctest|prompt|math"
_LISTS = r"toctree|index|autosummary|tabularcolumns|meta|contents"
_SETTINGS = (
    r"image|figure|include|literalinclude|highlight|(?:[\w-]+:)?(?:current)?module|only|default-role|role|sectnum|cssclass"
    r"|ifconfig|default-domain|program|sectionauthor|moduleauthor|rst-class|date|unicode|header|footer"
)
"""Directives whose lines are code, whose lines are no text, and whose argument is none."""

_DOCINFO = r"authors?|organization|contact|address|version|status|date|copyright|dedication|abstract|revision"
_COMMENT = r"(?P<indent>[ \t]*+)\.\.(?![ \t]*(?:\S[^\n]*::|\[[^\]\n]+\]|_|\|))(?:[ \t][^\n]*)?(?=\n|\Z)"
_DIRECTIVE = r"\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?"
_MACROS = r"link|xref|mailto|stem|latexmath|asciimath|pass|kbd|btn|menu|icon|anchor|indexterm2?|video|audio"
_LINK_TITLE = r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()\n]*\)))?"

_TOKENS = {
    "rst": (
        ("comment", rf"^{_COMMENT}{_BELOW.format('indent')}"),
        (_ADDRESS, r"^[ \t]*(?:\.\. _[^\n]*?:(?:[ \t][^\n]*)?|__ [^\n]*)$(?:\n[ \t]+\S*[/#@.]\S*$)*"),
        (_MARKUP, rf"^(?P<deep_a>[ \t]*+){_DIRECTIVE}(?:{_WITH_CODE})::[^\n]*(?P<options_a>{_OPTIONS})"
                  rf"(?P<raw_a>{_BELOW.format('deep_a')})"),
        (_MARKUP, rf"^(?P<deep_p>[ \t]*+)\.\.[ \t]+raw::[ \t]*html\b[^\n]*(?P<page>{_BELOW.format('deep_p')})"),
        ("comment", rf"^(?P<deep_o>[ \t]*+){_DIRECTIVE}raw::[^\n]*{_BELOW.format('deep_o')}"),
        (_MARKUP, rf"^(?P<deep_b>[ \t]*+){_DIRECTIVE}(?:{_LISTS})::[^\n]*(?P<options_b>{_OPTIONS})"
                  rf"(?P<listed>{_BELOW.format('deep_b')})"),
        (_MARKUP, rf"^[ \t]*{_DIRECTIVE}(?:{_SETTINGS})::[^\n]*(?P<options_c>{_OPTIONS})"),
        (_MARKUP, rf"^[ \t]*{_DIRECTIVE}[\w:+.-]+::(?P<said_a>[^\n]*)(?P<options_d>{_OPTIONS})"),
        (_MARKUP, r"^(?P<deep_c>[ \t]*+)(?P<said_b>(?!\.\.[ \t])[^\n]*)::[ \t]*(?=\n[ \t]*\n)"
                  rf"(?P<raw_b>{_BELOW.format('deep_c')})"),
        (_LABEL, r"^[ \t]*\.\. \[[^\]\n]*\]|\[[\w#*.:-]+\]_"),
        ("metadata", rf"^:(?:{_DOCINFO}):"),
        (_MARKUP, r":[a-z][\w:+.-]{0,80}:(?=`)|(?<=`):[a-z][\w:+.-]{0,80}:(?![\w`])"),  # a role
        (_ADDRESS, r"(?<=[\s\w])<[^<>`]+>(?=`)"),
        (_MARKUP, r"(?<=`)~?[\w.]*\.(?=\w+(?:\(\))?`)"),  # where an object is
    ),
    "asciidoc": (
        (_MARKUP, r"^(?P<fence>-{4,}+|\.{4,}+|`{3,}+)[^\n]*+\n(?P<raw>.*?)(?:^(?P=fence)[ \t]*$|\Z)"),
        ("comment", r"^(?P<slashes>/{4,})[ \t]*$.*?^(?P=slashes)[ \t]*$|^//(?!/)[^\n]*"),
        (_MARKUP, r"^\[(?:stem|latexmath|asciimath)\b[^\]\n]*\][ \t]*\n"
                  r"\+{4,}+[ \t]*\n(?P<raw_f>.*?)(?:^\+{4,}[ \t]*$|\Z)"),
        (_MARKUP, r"^\+{4,}+[ \t]*\n(?P<page_a>.*?)(?:^\+{4,}[ \t]*$|\Z)"),
        (_MARKUP, r"\+\+\+(?P<page_b>[^\n]{1,2000}?)\+\+\+"),
        (_MARKUP, r"pass:[a-z,]{0,40}+\[(?P<page_c>(?:[^\]\\\n]|\\[^\n]){0,2000}+)\]"),
        ("metadata", r"^:!?[\w-]+!?:[^\n]*"),
        (_MARKUP, r"^\[(?:quote|verse)[^\n,\]]*,(?P<said>[^\n\]]*)\][ \t]*$"),
        (_MARKUP, r"^\[[^\[\]\n]*\][ \t]*$|^\[\[[^\[\]\n]*\]\][ \t]*$"),
        (_MARKUP, r"^(?:include|ifdef|ifndef|ifeval|endif|toc)::[^\n]*"),
        (_MARKUP, r"(?<![\w`])image::?[^\s\[\]`]{0,400}+\[(?:alt=)?"
                  r"(?P<said_b>\"[^\"\n]{0,400}+\"|[^\],=\n]{0,400}+)[^\]\n]{0,400}+\]"),
        (_LABEL, r"footnote(?:ref)?:[\w-]*(?=\[)"),  # often touches the word before it
        (_ADDRESS, rf"(?<![\w`])(?:{_MACROS}):{{1,2}}[^\s\[\]`]{{0,400}}+(?=\[)"),
        (_ADDRESS, r"(?<!\w)(?:https?|ftp|irc)://[^\s\[\]<>`]{1,2000}+(?=\[[^\]])"),
        (_ADDRESS, r"<<[^,<>\n]*(?:,|(?=>>))|\[\[\[?[^\[\],]+(?:,|(?=\]))"),
        (_MARKUP, r"\[[\w .#%,-]*\](?=[#*_`])"),  # a role
        (_MARKUP, r"(?<![\w-]),?[\w-]++=(?:\"[^\"\n]{0,200}+\"|[^\],\n]{0,200}+)(?=[^\[\n]{0,200}+\])"),
        (_MARKUP, r"\{[\w-]+(?::[^{}\n]*)?\}|<\.?\d*>(?=\s|$)"),
        (_MARKUP, r"(?:(?<=\s)|^)(?:\d+\*|\d*(?:\.\d+)?\+)?[<^>]?(?:\.[<^>])?[adehlmsv]?(?=\|)"),  # of a cell
        (_MARKUP, r"^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):(?=[ ])"),
        (_NUMBER, r"^[ \t]*(?:\d+\.|[a-z]\.|[ivx]+\))(?=[ \t])"),
    ),
    "org": (
        ("comment", r"^[ \t]*#\+begin_(?P<kind>comment|latex)\b.*?^[ \t]*#\+end_(?P=kind)[^\n]*"),
        ("comment", r"^[ \t]*#\+begin_export[ \t]+(?!html)\w+.*?^[ \t]*#\+end_export[^\n]*"),
        ("comment", r"@@[\w-]+:.*?@@"),
        (_MARKUP, r"^[ \t]*#\+begin_(?:html|export)\b[^\n]*(?P<page>.*?)^[ \t]*#\+end_(?:html|export)[^\n]*"),
        (_MARKUP, r"^[ \t]*#\+begin_(?P<block>src|example)\b[^\n]*(?P<raw>.*?)^[ \t]*#\+end_(?P=block)[^\n]*"),
        ("metadata", r"^[ \t]*:(?:PROPERTIES|LOGBOOK):[ \t]*\n.*?^[ \t]*:END:[ \t]*$"),
        ("metadata", r"^[ \t]*#\+(?:title|caption|subtitle)(?:\[[^\]\n]*\])?:(?P<said_a>[^\n]*)|^[ \t]*#\+[^\n]*"),
        ("comment", r"^[ \t]*#(?: [^\n]*)?$"),
        (_ADDRESS, r"\[\[(?P<said_b>[^\[\]\n]+)\]\]|\[\[[^\[\]]*\]\["),
        (_LABEL, r"\[fn:[\w-]*:?"),
        (_NUMBER, r"^[ \t]*\d+[.)](?=[ \t])|\[@\d+\]|\[#[A-Z0-9]\]"),
        (_MARKUP, r"^[ \t]*:[\w-]+:[ \t]*$"),
        (_MARKUP, r"\\[a-z]+(?:\{\})?|<<<?|^[ \t]*\|(?:[ \t]*<[lrc]?\d*>[ \t]*\|)+[ \t]*$"),
    ),
    "markdown": (
        ("metadata", r"\A(?:---[ \t]*\n.*?\n(?:---|\.\.\.)|\+\+\+[ \t]*\n.*?\n\+\+\+)[ \t]*(?:\n|\Z)"),
        ("comment", r"<!--.*?-->"),
        ("not shown", r"<(?P<tag>script|style)\b.*?</(?P=tag)>"),
        (_MARKUP, r"^[ \t>]*+(?P<fence>`{3,}+|~{3,}+)[^\n]*+(?P<raw_a>\n.*?)(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)"),
        (_MARKUP, r"(?<!`)(?P<ticks>`++)(?P<raw_b>(?:(?!\n[ \t]*\n).)+?)(?<!`)(?P=ticks)(?!`)"),
        # a label with letters is shown as a number; of numbers the store keeps the label
        (_LABEL, r"\[\^(?:(?![^\W\d])[^\[\]\n])*+[^\[\]\n]++\]:?"),
        (_ADDRESS, rf"^[ \t>]*\[(?!\^)[^\]\n]+\]:[ \t]*\n?[ \t]*\S+{_LINK_TITLE}[ \t]*$"),
        (_ADDRESS, rf"(?<=\])\((?:<[^<>\n]*>|(?:[^()\s]|\([^()]*\))*){_LINK_TITLE}\s*\)"
                   r"(?:\{[ \t]*(?:[.#](?!\d)|[a-z][\w:-]*=)[^{}\n]*\})?"),
        (_MARKUP, r"<img\b[^<>]*?\balt\s*=\s*(?:\"(?P<said_a>[^\"]*)\"|'(?P<said_b>[^']*)')[^<>]*>"),
        (_MARKUP, r"</?[a-z][\w:-]*(?:\s[^<>]*)?/?>|(?<=\])\{(?:[.#](?!\d)|[a-z][\w:-]*=)[^{}\n]*\}"),
        (_MARKUP, r"\{(?:#(?!\d*\})|\.(?!\d)|:)(?:(?!title=)[^{}\n])*(?:title=\"(?P<said_c>[^\"\n]*)\"[^{}\n]*)?\}"),
        (_MARKUP, r"^[ \t]*(?:[!?]{3}\+?[ \t]+[\w -]+|:{3,}[ \t]*\w+)|^[ \t>]*\[![\w-]+(?:\|[^\]\n]*)?\]"),  # a box
        # the first number of a list counts: 1. 1. 1. is shown as 1. 2. 3.
        (_NUMBER, r"^[ \t>*+-]*\d{1,9}[.)](?=[ \t])|^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+\[[ x]\]"),
    ),
}  # fmt: skip
"""Tokens by format: why a token is no text, and how it is written. Its groups ``said`` and ``raw`` are text: what may
hold tokens, and what does not. ``page`` is HTML. ``options`` and ``listed`` may hold text of their own."""

_BEGINS = {"markdown": r"(?:^|(?=[<`\[({]))", "rst": r"(?:^|(?=[:<\[])|(?<=`))", "org": r"(?:^|(?=[\\<\[@]))"}
"""Where a token may begin, by format: all else is passed over quickly."""

_FLAGS = re.MULTILINE | re.DOTALL | re.IGNORECASE
_FORMATS = {
    name: (
        re.compile(
            f"{_BEGINS.get(name, '')}(?:"
            + "|".join(f"(?P<t{place}>{pattern})" for place, (_, pattern) in enumerate(tokens))
            + ")",
            _FLAGS,
        ),
        [reason for reason, _ in tokens],
    )
    for name, tokens in _TOKENS.items()
}
_TAGS = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1>|<[^<>]*>", re.DOTALL | re.IGNORECASE)
_DEFINED = re.compile(r"^[ \t>]*\[(?!\^)([^\]\n]+)\]:", re.MULTILINE)
_REFERENCE = re.compile(r"(?<=\]) ?\[([^\[\]\n]+)\](?![(:])")
_SUBSTITUTION = re.compile(rf"^[ \t]*\.\. \|([^|\n]+)\|[ \t]+(\w+)::[^\n]*({_OPTIONS})", re.MULTILINE)
_SUBSTITUTED = re.compile(r"(?<!\.\. )\|([^|\s](?:[^|\n]*[^|\s])?)\|_{0,2}")
_PAIRS = [
    (re.compile(begin, re.IGNORECASE | re.MULTILINE), re.compile(end, re.IGNORECASE | re.MULTILINE))
    for begin, end in (
        ("<!--", "-->"),
        ("<script", "</script"),
        ("<style", "</style"),
        (r"@@(?=[\w-]+:)", "@@"),
        (r"^[ \t]*+:(?:PROPERTIES|LOGBOOK):[ \t]*$", r"^[ \t]*+:END:"),
        *(
            (rf"^[ \t]*+#\+begin_{name}\b", rf"^[ \t]*+#\+end_{name}")
            for name in ("comment", "latex", "html", "export", "src", "example")
        ),
    )
]
"""Signs that begin and end what is no text."""

_RAW_ROLE = re.compile(rf"^\.\. role::[ \t]*([\w-]+)\(raw\)({_OPTIONS})", re.MULTILINE)
_TITLED = re.compile(r"\n[ \t]+([^:\s][^\n<>]*) <[^\n<>]+>")
_OPTION = re.compile(r"\n[ \t]+:(?:caption|alt|title|header):([^\n]*)")


def prose_pieces(text: str, kind: str) -> Iterator[Piece]:
    """Yield the lines of a text without its tokens, which are left out."""
    if kind == "latex":
        yield from latex_pieces(text)
        return
    kept: list[str] = []
    left: dict[str, list[str]] = {}
    if kind == "markdown":
        known = {" ".join(label.split()).casefold() for label in _DEFINED.findall(text)}
        text = _REFERENCE.sub(lambda found: "" if " ".join(found[1].split()).casefold() in known else found[0], text)
    if kind == "rst":
        text = _without_raw(_without_names(text), left)
    text = _without_unclosed(text)
    _walk(re.sub(r"[\f\v]", " ", text.replace("\r\n", "\n")), *_FORMATS[kind], kept, left)
    whole = "".join(kept)
    yield from (Piece(line) for line in (html.unescape(whole) if kind == "markdown" else whole).splitlines())
    yield from (Piece("\n".join(texts), reason) for reason, texts in left.items())


def _without_unclosed(text: str) -> str:
    """Return a text without signs that begin what never ends, each of which would be sought to the end of the text."""
    for begin, end in _PAIRS:
        last = max((found.start() for found in end.finditer(text)), default=0)
        text = text[:last] + begin.sub(" ", text[last:])
    return text


def _without_names(text: str) -> str:
    """Return a text of RST without the names of substitutions; that of a picture without words of its own is shown."""
    defined = _SUBSTITUTION.findall(text)
    hidden = {" ".join(name.split()).casefold() for name, kind, own in defined if kind != "image" or ":alt:" in own}

    def shown(found: re.Match[str]) -> str:
        return " " if " ".join(found[1].split()).casefold() in hidden else found[0]

    return _SUBSTITUTED.sub(shown, text) if hidden else text


def _without_raw(text: str, left: dict[str, list[str]]) -> str:
    """Return a text of RST in which the roles for raw text have what a page shows of it."""
    for name, options in dict(_RAW_ROLE.findall(text)).items():
        is_html = ":format: html" in options

        def shown(found: re.Match[str], is_html: bool = is_html) -> str:
            left.setdefault(_MARKUP if is_html else "comment", []).append(found[0])
            return _TAGS.sub("", found[1]) if is_html else " "

        text = re.sub(rf":{re.escape(name)}:`([^`]*)`", shown, text)
    return text


def _walk(text: str, tokens: re.Pattern[str], reasons: list[str], kept: list[str], left: dict[str, list[str]]) -> None:
    """Sort a text into what is kept and what is left out."""
    last = 0
    for found in tokens.finditer(text):
        kept.append(text[last : found.start()])
        last = found.end()
        parts = {name: part for name, part in found.groupdict().items() if part}
        inner = "\n".join(part for name, part in parts.items() if name.startswith("said"))
        raw = "\n".join(part for name, part in parts.items() if name.startswith("raw"))
        raw += "\n".join(html.unescape(_TAGS.sub(" ", part)) for name, part in parts.items() if name.startswith("page"))
        for name, part in parts.items():
            if name.startswith("options"):
                inner += "\n".join(["", *_OPTION.findall(part)])
            elif name == "listed":
                inner += "\n".join(["", *_TITLED.findall(part)])
        rest = found[0]
        for name, part in parts.items():
            if name.startswith(("said", "raw", "page")):
                rest = rest.replace(part, " ", 1)
        left.setdefault(reasons[int((found.lastgroup or "t0")[1:])], []).append(rest)
        if inner:
            _walk(inner, tokens, reasons, kept, left)
        kept.append(f"{raw}\n" if raw or inner else " ")
    kept.append(text[last:])
