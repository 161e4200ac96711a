"""Content of a web page that is not text: buttons, anchor signs, line numbers, words only for screen readers."""

from __future__ import annotations

import re

from lxml import etree, html

from ragraph.ingest.common.elements import append_text
from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.readers.html.inline import HIDDEN, HIDING_STYLE
from ragraph.ingest.readers.html.links import classes
from ragraph.ingest.readers.html.panels import LONGEST_LABEL, NAMED, open_panels
from ragraph.ingest.readers.html.sizes import PROSE
from ragraph.ingest.readers.html.tree import HEADINGS, TYPED, named_by
from ragraph.ingest.readers.markup.xml import local, words

_TYPED = frozenset({"text", "number", "date", "time", "datetime-local", "month", "week", "email", "tel", "url"})
"""Types of fields whose value a reader of the page sees as text."""

_CHOICES = frozenset({"select", "textarea", "input"})
_SIGN = re.compile(r"[\W_\ue000-\uf8ff]*|(perma|direct )?link( to this \w+)?", re.IGNORECASE)
"""Text of the link beside a heading that leads to the heading: "#", "¶", "§", a chain, or a word for it."""

_BESIDE = re.compile(
    r"\[?(view |show |edit )?(source|src|edit|edit this (page|section)|[-+−–])( code)?\]?", re.IGNORECASE
)
"""Text of links and buttons beside a heading or term that lead to its source."""

_SIGNS = frozenset(
    {"headerlink", "anchor", "anchor-link", "permalink", "header-anchor", "anchorjs-link", "hash-link"} | {"selflink"}
)
_NEVER = frozenset({"ttc", "mw-editsection", "viewcode-link", "viewcode-back", "srclink", "notable-traits", "hideme"})
_SET_APART = frozenset({"rightside", "out-of-band"})
"""Content to the right of a name: the version that added it, the place of its source."""
_UNSEEN = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader-only", "off-screen"}
    | {"hide-when-js-enabled", "hiddenstructure"}
)
_SKIPS = frozenset({"skip", "skiplink", "skipnav"})
_LINE_NUMBERS = frozenset({"linenos", "lineno", "linenodiv", "line-numbers", "src-line-numbers", "gutter", "ln"})


def prune(root: etree._Element) -> None:
    """Remove controls, anchor signs, line numbers and invisible texts from a page."""
    for element in [one for one in root.iter("{*}header", "{*}nav") if _holds_page(one)]:
        element.tag = "div"
        element.attrib.pop("role", "")
    _open_documents(root)
    open_panels(root)
    for element in list(root.iter()):
        if local(element) == "noscript" and _holds_text(element):
            element.tag = "div"
        if local(element) == "span" and "mlabel" in classes(
            element
        ):  # set in a box of its own, directly after the name
            element.text = f" {element.text or ''}"
        if local(element) == "span" and "classifier" in classes(element) and _follows_term(element):
            element.text = f" : {element.text or ''}"  # the style of the page draws the colon
        if element.getparent() is not None and local(element) and is_needless(element):
            _drop(element)


def count_hidden(root: etree._Element) -> None:
    """Record the text that ``display`` or the attribute ``hidden`` hides, after the readable panels were opened."""
    stack = [root]
    while stack:
        element = stack.pop()
        if local(element) in HIDDEN:
            continue
        if element.get("hidden") is not None or HIDING_STYLE.search(element.get("style") or ""):
            leave_out(" ".join(str(text) for text in element.itertext()))
        else:
            stack.extend(one for one in element if local(one))


def _open_documents(root: etree._Element) -> None:
    """Put the content of shadow roots and of frames that hold their own page into the page, and drop deleted text."""
    for frame in [one for one in root.iter("{*}iframe") if (one.get("srcdoc") or "").strip()]:
        try:
            inner = html.document_fromstring(frame.get("srcdoc") or "", parser=html.HTMLParser(no_network=True))
        except (etree.ParserError, etree.XMLSyntaxError, ValueError):
            continue
        body = next(inner.iter("body"), inner)
        frame.tag, frame.text = "div", body.text
        frame.attrib.clear()
        for child in list(frame):
            frame.remove(child)
        frame.extend(list(body))
    for template in list(root.iter("{*}template")):
        if template.get("shadowrootmode") in ("open", "closed") or template.get("shadowroot") in ("open", "closed"):
            template.tag = "div"
            _fill_slots(template)
    for ruby in root.iter("{*}ruby"):
        if ruby.find(".//{*}rp") is None:
            for reading in ruby.iter("{*}rt"):
                reading.text = f"({reading.text or ''}"
                append_text(reading, ")")
    for deleted in list(root.iter("{*}del")):
        _drop(deleted)
    for field in list(root.iter("{*}input", "{*}textarea", "{*}select")):
        if (typed := _typed(field)) is not None:
            tail = field.tail
            field.clear()
            field.tag, field.text, field.tail = "span", f" {typed} ", tail
            field.set(TYPED, "")


def _fill_slots(root: etree._Element) -> None:
    """Move the content of the element around a shadow root to its slots, where browsers show it.

    What a slot holds of its own is shown only if nothing is given for it. Text without an element is for the slot
    without a name.
    """
    host = root.getparent()
    slots: dict[str, etree._Element] = {}
    for slot in root.iter("{*}slot"):
        slots.setdefault(slot.get("name") or "", slot)
    if host is None:
        return
    given: dict[str, list[etree._Element | str]] = {name: [] for name in slots}
    if "" in given:
        given[""].append(host.text or "")
        host.text = None
    for child in host:
        if child is not root and (child.get("slot") or "") in given:
            given[child.get("slot") or ""].append(child)
        if "" in given:
            given[""].append(child.tail or "")
            child.tail = None
    for name, content in given.items():
        slot = slots[name]
        if not any(not isinstance(one, str) or one.strip() for one in content):
            continue
        leave_out(words(slot))
        slot.text = None
        slot[:] = []
        for one in content:
            if isinstance(one, str):
                append_text(slot, one)
            else:
                slot.append(one)


def _typed(field: etree._Element) -> str | None:
    """Return what was typed or chosen in a field of a form; None if nothing was, or the field is for a search."""
    if any(one.get("role") == "search" or "search" in named_by(one) for one in (field, *field.iterancestors())):
        return None
    name = local(field)
    if name == "textarea":
        return words(field) or None
    if name == "select":
        chosen = [words(one) for one in field.iter("{*}option") if one.get("selected") is not None]
        return ", ".join(one for one in chosen if one) or None
    value, kind = (field.get("value") or "").strip(), (field.get("type") or "text").lower()
    if kind in ("checkbox", "radio"):
        return "☒" if field.get("checked") is not None else None
    return value if value and kind in _TYPED else None


def _holds_page(element: etree._Element) -> bool:
    """Return True if the text of the page is in a header or menu.

    Its end tag may be missing, or the parser has skipped it because of an unclosed ``div``. Browsers end it in both
    cases.
    """
    if element.find(".//{*}main") is not None:
        return True
    if element.find(".//{*}h1") is None and element.find(".//{*}article") is None:
        return False
    return any(len("".join((one.text or "").split())) >= PROSE for one in element.iter("{*}p"))


def _holds_text(element: etree._Element) -> bool:
    """Return True if an element for readers without scripts has text, and nothing as long is beside it."""
    held, parent = words(element), element.getparent()
    around = "" if parent is None else words(parent)
    return len(held) > LONGEST_LABEL and 2 * len(held) > len(around)


def _follows_term(element: etree._Element) -> bool:
    """Return True if a term and its type have no space between them: ``<dt>name<span>text``."""
    previous, parent = element.getprevious(), element.getparent()
    if parent is None or local(parent) != "dt":
        return False
    before = (parent.text if previous is None else previous.tail) or ""
    return not before.strip().endswith(":") and bool(words(previous) if previous is not None else before.strip())


def is_needless(element: etree._Element) -> bool:
    """Return True for a control or tool of a page: a button, a link beside a heading, a number of a line."""
    name, named = local(element), classes(element)
    if name == "dialog":
        return element.get("open") is None
    if name in _CHOICES:
        return True
    if name == "button":
        held = words(element)
        return len(held) <= LONGEST_LABEL and not (held and _names(element))
    if named & _NEVER:
        return True
    if named & _UNSEEN:
        return len(words(element)) <= LONGEST_LABEL
    if named & _SET_APART:
        return _beside_heading(element)
    if named & _LINE_NUMBERS:
        return re.fullmatch(r"[\d\s]*", "".join(map(str, element.itertext()))) is not None
    if name == "a":
        shown = words(element)
        if not shown and (len(element) or element.get("id") or element.get("name")):
            return False
        address = element.get("href") or ""
        if address.startswith("#") and (named_by(element) & _SKIPS or shown.lower().startswith("skip to ")):
            return True
        if _SIGN.fullmatch(shown) and (named & _SIGNS or ("#" in address and _within_name(element))):
            return not (element.get("id") or element.get("name"))
        leads_to_source = bool(address) and _BESIDE.fullmatch(shown) is not None
        return leads_to_source and (_within_name(element) or _stands_beside_heading(element) or _before_sign(element))
    return False


def _beside_heading(element: etree._Element) -> bool:
    """Return True if a short line is in a heading or right beside one."""
    parent = element.getparent()
    if parent is None or len(words(element)) > LONGEST_LABEL or element.find(".//{*}p") is not None:
        return False
    return local(parent) in HEADINGS or any(local(one) in HEADINGS for one in parent)


def _names(element: etree._Element) -> bool:
    """Return True if a button is the heading or the term itself, as in a list that unfolds."""
    around = next((found for found in element.iterancestors() if local(found) in NAMED), None)
    inner = any(local(found) in HEADINGS for found in element.iter())
    return inner or (around is not None and words(around) == words(element))


def _within_name(element: etree._Element) -> bool:
    """Return True if an element is in a heading or term and is not all of it."""
    for level, around in enumerate(element.iterancestors()):
        if local(around) in NAMED:
            return words(around) != words(element)
        if level > 3:
            break
    return False


def _stands_beside_heading(link: etree._Element) -> bool:
    """Return True if a link is beside a heading, not in running text: alone in its block, or with other such links."""
    at = link
    for _ in range(2):
        around = at.getparent()
        if around is None or _runs_in_words(at, around):
            return False
        if any(local(one) in HEADINGS for one in around):
            return True
        if not all(one is at or _BESIDE.fullmatch(words(one)) or not words(one) for one in around):
            return False
        at = around
    return False


def _runs_in_words(element: etree._Element, around: etree._Element) -> bool:
    """Return True if words of the same line are right before or after an element."""
    before = element.getprevious()
    beside = (around.text if before is None else before.tail, element.tail)
    return any(_SIGN.fullmatch(text.strip()) is None for text in beside if text)


def _before_sign(element: etree._Element) -> bool:
    """Return True if a link with an anchor sign comes next, as after the name that a page describes."""
    beside = element.getnext()
    if beside is None or local(beside) != "a" or (element.tail or "").strip():
        return False
    return (beside.get("href") or "").startswith("#") and bool(_SIGN.fullmatch(words(beside))) and bool(words(beside))


def _drop(element: etree._Element) -> None:
    """Remove an element, but not the text after it."""
    parent, previous = element.getparent(), element.getprevious()
    if parent is None:
        return
    behind = element.tail or ""
    if previous is not None and local(previous) == "label":
        behind = f" {behind}"  # a space between the labels of two fields
    if behind:
        if previous is not None:
            previous.tail = (previous.tail or "") + behind
        else:
            parent.text = (parent.text or "") + behind
    parent.remove(element)
