"""Read XML without expansion, external access or endless nesting; and formulas as text."""

from __future__ import annotations

import re
from html.entities import html5
from typing import TYPE_CHECKING, Any

from lxml import etree

from ragraph.errors import DamagedFileError, EmptyFileError, FileTooLargeError
from ragraph.ingest.readers.markup.inline import collapse

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 150
"""Elements deeper than this are refused or flattened, because the walks recurse."""

_MAX_MATH_DEPTH = 50
_MATH_FENCED = {
    "mfrac": "{}/{}", "mroot": "root({}, {})", "msup": "{}^{}", "msub": "{}_{}", "msubsup": "{}_{}^{}",
    "mover": "{}^{}", "munder": "{}_{}", "munderover": "{}_{}^{}",
}  # fmt: skip
_SIMPLE = re.compile(r"\w*(?:[.,]\d+)?")
"""A part of a fraction that needs no brackets: one number or name."""
_NUMBERS = re.compile(r"\d+/\d")
"""The beginning of a fraction of numbers."""
_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_TEX_DOLLARS = re.compile(r"^\$+|\$+$")


def parse_xml(data: bytes, name: str) -> etree._Element:
    """Return the root of an XML document.

    Entities declared in the document are replaced only if their text is plain. Entities that contain others or refer to
    files are left out, and no DTD is loaded.

    Args:
        data: bytes of the document; the encoding is the declared one, or that of its first bytes.
        name: name of the file in messages.

    Raises:
        EmptyFileError: no bytes.
        FileTooLargeError: more than 10 MB of text without an element in between.
        DamagedFileError: not well formed (with the line), or nested deeper than ``MAX_DEPTH``.
    """
    if not data.strip():
        raise EmptyFileError(f"{name} is empty; nothing to read")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data.lstrip(b" \t\r\n"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        reason = " ".join(str(getattr(error, "msg", None) or error).split())
        if "Excessive depth" in reason:
            raise DamagedFileError(
                f"{name} nests elements deeper than {MAX_DEPTH} levels; it is not a document"
            ) from None
        if "too long" in reason or "Huge input" in reason:
            raise FileTooLargeError(f"{name} has more than 10 MB of text in one element; split it") from None
        place = f" at line {line}" if line else ""
        raise DamagedFileError(f"{name} is not well-formed XML{place}: {reason}; fix or export it again") from None
    if root is None:
        raise DamagedFileError(f"{name} holds no XML element; export it again")
    _resolve_entities(root)
    if depth(root) > MAX_DEPTH:
        raise DamagedFileError(f"{name} nests elements deeper than {MAX_DEPTH} levels; it is not a document")
    return root


def depth(root: etree._Element) -> int:
    """Return the number of levels including ``root``; does not recurse."""
    deepest = level = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        level += 1 if event == "start" else -1
        deepest = max(deepest, level)
    return deepest


def local(element: etree._Element) -> str:
    """Return the name of an element without its namespace; empty for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: etree._Element, name: str) -> str | None:
    """Return an attribute in any namespace: ``attribute(e, "href")`` finds ``xlink:href``."""
    value = element.get(name)
    if value is not None:
        return str(value)
    suffix = "}" + name
    return next((str(v) for k, v in element.attrib.items() if str(k).endswith(suffix)), None)


def words(element: etree._Element) -> str:
    """Return all text of an element, with white space collapsed."""
    return collapse("".join(str(part) for part in element.itertext()))


def tex(element: etree._Element) -> str:
    """Return the formula of a ``tex-math``, without the document that publishers wrap around it."""
    text = "".join(str(part) for part in element.itertext()).strip()
    body = _TEX_BODY.search(text)
    return _TEX_DOLLARS.sub("", collapse(body.group(1) if body else text)).strip()


def mathml(element: etree._Element, level: int = 0) -> str:
    """Return MathML as a line of text: scripts as ``^`` and ``_``, fractions as ``1/2`` and ``(a+b)/c``."""
    name = local(element)
    if name in ("annotation", "annotation-xml"):
        return ""
    if level > _MAX_MATH_DEPTH:
        return words(element)
    parts = [mathml(child, level + 1) for child in element if local(child)]
    if name == "mfrac" and len(parts) == 2 and re.fullmatch(r"0(?:\.0*)?[a-z%]*", element.get("linethickness", "")):
        return f"binom({parts[0]}, {parts[1]})"
    if name in _MATH_FENCED and len(parts) == _MATH_FENCED[name].count("{}"):
        if name == "mfrac":
            grouped = [part if _SIMPLE.fullmatch(part) else f"({part})" for part in parts]
        else:
            base = f"({parts[0]})" if name.startswith("msu") and "/" in parts[0] else parts[0]
            grouped = parts if name == "mroot" else [base, *map(_group, parts[1:])]
        return _MATH_FENCED[name].format(*grouped)
    if name == "msqrt":
        return f"√({''.join(parts)})"
    if name == "mfenced":
        opening, closing = element.get("open", "("), element.get("close", ")")
        return f"{opening}{(element.get('separators') or ',')[:1].join(parts)}{closing}"
    if name == "mspace":
        return " "
    said = element.text or ""
    text = collapse(said)
    if name == "mtext" and text:  # the blank parts "if" from the letter behind it
        text = f"{' ' * said[:1].isspace()}{text}{' ' * said[-1:].isspace()}"
    separator = " " if name in ("mtr", "mtable", "mtd") else ""
    return text + separator.join(_mixed(parts))


def _mixed(parts: list[str]) -> Iterator[str]:
    """Yield parts of a row, with a space between a number and the fraction after it: 2 1/2."""
    before = ""
    for part in parts:
        yield f" {part}" if before[-1:].isdigit() and _NUMBERS.match(part) else part
        before = part


def _group(part: str) -> str:
    return part if len(part) <= 1 else f"{{{part}}}"


def _resolve_entities(root: etree._Element) -> None:
    """Replace references to entities by text if that is safe: character names and plain internal entities."""
    declared = dict(_plain_entities(root))
    for entity in list(root.iter(etree.Entity)):
        name = (entity.text or "").strip("&;")
        text = declared.get(name) or html5.get(f"{name};", "")
        parent, previous = entity.getparent(), entity.getprevious()
        if parent is None:
            continue
        text += entity.tail or ""
        if previous is not None:
            previous.tail = (previous.tail or "") + text
        else:
            parent.text = (parent.text or "") + text
        parent.remove(entity)


def _plain_entities(root: etree._Element) -> Iterator[tuple[str, str]]:
    dtd: Any = root.getroottree().docinfo.internalDTD  # lxml-stubs does not declare the entities of a DTD
    for entity in dtd.iterentities() if dtd is not None else ():
        content = entity.content
        if entity.name and content and len(content) < 1000 and not re.search(r"[<&%]", content):
            yield entity.name, content
