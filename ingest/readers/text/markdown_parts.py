"""Front matter and raw HTML within Markdown."""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from ragraph.base.labels import clean_tag
from ragraph.errors import ArgumentError, FileTooLargeError
from ragraph.ingest.common.written import safe_yaml
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.office.package import iso_date
from ragraph.ingest.readers.text.markdown_grids import BORDER, as_table, grid_end
from ragraph.ingest.readers.text.scripts import ELEMENTS, TILDES, without_scripts
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.ingest.readers.docling.builder import DraftBuilder

_KNOWN = {"title", "author", "authors", "date", "lang", "language", "abstract", "description"}


def front_matter(content: str) -> DraftMetadata:
    """Return the metadata in the YAML at the head of the file; YAML that cannot be read is kept unchanged."""
    import yaml

    try:
        stated = safe_yaml(content)
    except (yaml.YAMLError, FileTooLargeError):
        return DraftMetadata(extra={"front_matter": content})
    if not isinstance(stated, dict):
        return DraftMetadata(extra={"front_matter": content} if content.strip() else {})
    authors = stated.get("authors", stated.get("author")) or []
    names = [_name(author) for author in (authors if isinstance(authors, list) else [authors])]
    day = stated.get("date")
    abstract = stated.get("abstract") or stated.get("description")
    tags = _tags(stated.get("tags"))
    kept_apart = _KNOWN if tags is None else {*_KNOWN, "tags"}
    return DraftMetadata(
        title=str(stated["title"]) if stated.get("title") else None,
        abstract=str(abstract) if abstract else None,
        authors=[name for name in names if name],
        publication_date=day.date()
        if isinstance(day, datetime)
        else day
        if isinstance(day, date)
        else iso_date(str(day)),
        language=str(stated.get("lang") or stated.get("language") or "") or None,
        extra={str(key): _plain(value) for key, value in stated.items() if key not in kept_apart},
        tags=tags or [],
    )


def _tags(stated: Any) -> list[str] | None:
    """Return the tags of a list, or of text with commas; None if one of them cannot be a tag."""
    given = stated.split(",") if isinstance(stated, str) else stated if isinstance(stated, list) else None
    if given is None or not all(isinstance(tag, str | int | float | date) for tag in given):
        return None
    try:
        return list(dict.fromkeys(clean_tag(str(tag)) for tag in given))
    except ArgumentError:
        return None


def _name(author: Any) -> str:
    if isinstance(author, dict):
        author = author.get("name") or " ".join(str(author[key]) for key in ("given", "family") if author.get(key))
        if isinstance(author, dict):
            author = " ".join(str(value) for value in author.values())
    return str(author).strip()


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


_PARAGRAPHS = [
    "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "dd", "pre", "nav", "header", "footer",
    "section", "article", "main", "aside", "blockquote", "figcaption", "button", "option",
]  # fmt: skip


def html_nodes(content: str, builder: DraftBuilder, key: Callable[[], str], container: str | None) -> None:
    """Add the content of a block of raw HTML: tables, pictures, and its text by paragraph."""
    from bs4 import BeautifulSoup, Comment

    soup = BeautifulSoup(content, "html.parser")
    for gone in [*soup(["script", "style"]), *soup.find_all(string=lambda text: isinstance(text, Comment))]:
        gone.extract()
    anchors = [str(tag["id"]) for tag in soup.find_all(id=True)] + [
        str(tag["name"]) for tag in soup.find_all("a", attrs={"name": True})
    ]
    tables: dict[str, tuple[str, list[list[str]], int]] = {}
    for table in soup.find_all("table"):
        if table.find_parent("table") is not None:
            continue
        caption = table.caption.extract().get_text(" ", strip=True) if table.caption is not None else ""
        rows = [[cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"])] for row in table.find_all("tr")]
        heads = [bool(row.find("th")) and not row.find("td") for row in table.find_all("tr")]
        header_rows = next((index for index, head in enumerate(heads) if not head), len(heads))
        place = f"\0{len(tables)}"
        tables[place] = (caption, rows, header_rows)
        table.replace_with(f"\n\n{place}\n\n")
    for image in soup.find_all("img"):
        description = str(image.get("alt") or image.get("title") or "") or None
        builder.node(key(), ContentNodeType.FIGURE, container=container, description=description)
    for tag in soup.find_all(["br", *_PARAGRAPHS]):
        if tag.name == "br":
            tag.replace_with("\n")
        else:
            tag.insert_before("\n\n")
            tag.insert_after("\n\n")
    for paragraph in re.split(r"\n\s*\n", soup.get_text()):
        text = " ".join(paragraph.split())
        if text in tables:
            caption, rows, header_rows = tables[text]
            builder.node(key(), ContentNodeType.CAPTION, caption, container=container)
            builder.table(key(), rows, header_rows=header_rows, container=container)
        elif text or anchors:
            builder.node(key(), ContentNodeType.PARAGRAPH, text, container=container, anchors=anchors)
            anchors = []


ALERT = re.compile(r"\[!([A-Za-z][\w-]{1,30})(?:\|[^\]\n]*)?\][+-]?[ \t]*([^\n]*)(?:\n|$)")
"""First line of a quotation that is an alert of GitHub, or a callout of Obsidian with a title of its own."""

_BOXES = frozenset(
    {"note", "tip", "info", "warning", "danger", "caution", "important", "hint", "details", "sidebar", "admonition"}
    | {
        "attention",
        "error",
        "seealso",
        "callout",
        "callout-note",
        "callout-tip",
        "callout-warning",
        "callout-important",
    }
    | {"callout-caution", "box", "aside"}
)
"""Names of containers that are set apart from the text."""

_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?\n)\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_WIKI = re.compile(r"(!?)\[\[([^\[\]|\n]*[^\W\d][^\[\]|\n]*)(?:\\?\|([^\[\]\n]+))?\]\](?!\()")
_ATTRIBUTE = r"(?:[.#][^\W\d][\w:.-]*|[^\W\d][\w:-]*=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'{}]+))"
_SPAN = re.compile(
    rf"(?<![!\]\\])\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\{{[ \t]*(?=[.#]){_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*[ \t]*\}}"
)
_WITHOUT = re.compile(rf"(?<=\])(\((?:[^()\n]|\([^()\n]*\))*\))\{{[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*[ \t]*\}}")
"""Words with attributes of Pandoc, which show nothing, and a link or picture with them."""

_FORMULA = re.compile(r"(\$\$.+?\$\$|(?<![\\\w$])\$(?=\S)[^$\n]*?(?<=[^\s\\])\$(?![\d$]))")

_MARKED = re.compile(r"(?<![=\w])==(?=[^\s=])([^=\n]*[^\s=])==(?![=\w])")


_STATED_TITLE = re.compile(r"(?:^|\s)title=(?:\"([^\"]*)\"|'([^']*)')")


def named_box(info: str) -> tuple[str, str] | None:
    """Return kind and title of a container (``::: tip Title``) that is set apart from the text; None for others."""
    kind, _, title = info.strip().strip(":").strip().strip("{}").strip().partition(" ")
    if (stated := _STATED_TITLE.search(title)) is not None:
        title = stated[1] or stated[2]
    kind = kind.lstrip(".").lower()
    return (kind, title.strip()) if kind in _BOXES else None


def usual_form(source: str) -> str:
    """Return Markdown with notations of wikis and editors in the usual form, outside of code.

    Links of wikis become links. The signs around marked words are removed. A bar in code in a table is escaped: the
    grammar would begin another cell there, and drop the last one.
    """
    stated = _TOML.match(source)
    if stated is not None:
        source = _as_yaml(stated[1]) + source[stated.end() :]
    lines = source.split("\n")
    fence = ""
    in_formula = False
    behind = 0  # the end of a grid table
    for place, line in enumerate(lines):
        if place < behind:
            continue
        found = _FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        elif not fence and BORDER.match(line) and (behind := grid_end(lines, place)) > place:
            if (table := as_table(lines[place:behind])) is not None:
                lines[place:behind] = ["\n".join(table), *[""] * (behind - place - 1)]
        elif not fence and line.strip().lower() == "<aside>":
            lines[place] = (
                f"{line}\n"  # Notion writes Markdown in it, which the grammar reads behind a blank line alone
            )
        elif not fence and not line.startswith(("    ", "\t")):
            if "`" in line and line.lstrip().startswith("|"):
                line = _CODE.sub(lambda code: re.sub(r"(?<!\\)\|", r"\\|", code[0]), line)
            if "[[" in line or "==" in line or "<su" in line.lower() or "^" in line or "~" in line or "{" in line:
                line = _outside_code(line, in_formula)
            lines[place] = line
            in_formula = bool(line.strip()) and in_formula != (line.count("$$") % 2 == 1)
    return "\n".join(lines)


def _as_yaml(stated: str) -> str:
    """Return front matter in TOML as front matter in YAML; unchanged if it is no TOML."""
    import yaml

    try:
        fields = tomllib.loads(stated)
    except tomllib.TOMLDecodeError:
        return f"+++\n{stated}+++\n"
    return f"---\n{yaml.safe_dump(fields, allow_unicode=True, sort_keys=False)}---\n"


def _outside_code(line: str, in_formula: bool) -> str:
    """Return a line, which may be of a formula of several, with links of wikis and marked words in the usual form."""
    pieces, last = [], 0
    for code in [*_CODE.finditer(line), None]:
        text = line[last : code.start() if code else len(line)]
        text = _WIKI.sub(lambda found: f"{found[1]}[{(found[3] or found[2]).strip()}](<{found[2].strip()}>)", text)
        text = text if in_formula else "".join(map(_without_attributes, _FORMULA.split(text)))
        pieces.append(_MARKED.sub(r"\1", without_scripts(without_scripts(text, ELEMENTS), TILDES)))
        if code is not None:
            pieces.append(code[0])
            last = code.end()
    return "".join(pieces)


def _without_attributes(text: str) -> str:
    return text if _FORMULA.fullmatch(text) else _WITHOUT.sub(r"\1", _SPAN.sub(r"\1", text))
