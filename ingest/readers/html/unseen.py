"""Text of a page that its own style hides from people: removed, so that no search or model meets it.

Only the style within the file counts: ``style`` attributes, ``<style>`` elements, and sheets that the caller has read.
The cascade is that of CSS, of the few properties that hide. Sources: CSS Cascading 4 (sections 6 and 7), CSS 2.2
(chapters 9 to 11), read by tinycss2 and matched by cssselect2.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import cssselect2
import tinycss2
from lxml import etree

from ragraph.ingest.common.unseen import FAINTEST, WHITE, Colour, is_same, leave_out
from ragraph.ingest.readers.html.css_values import PIXELS, colour, legacy_colour, length, rgb
from ragraph.ingest.readers.html.hiding import Style, hides_all, is_filtered_away, is_indented_away, keyword, number
from ragraph.ingest.readers.markup.xml import local

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tinycss2.ast import Declaration, Node

_PROPERTIES = frozenset(
    {"display", "visibility", "opacity", "font-size", "color", "background", "background-color", "background-image"}
    | {"position", "left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top", "clip", "clip-path"}
    | {"height", "max-height", "width", "max-width", "overflow", "overflow-x", "overflow-y", "transform", "scale"}
    | {"fill", "stroke", "content-visibility", "font", "filter", "inset", "zoom", "rotate", "translate", "white-space"}
    | {"-webkit-text-fill-color", "mask-image", "-webkit-mask-image", "mask", "-webkit-mask"}
    | {"animation", "animation-name", "min-height", "min-width"}
    | {"padding", "padding-top", "padding-right", "padding-bottom", "padding-left"}
    | {"text-shadow", "-webkit-text-stroke", "-webkit-text-stroke-width", "background-clip", "-webkit-background-clip"}
)
"""Properties that can hide text, and those that take part in it."""

_LOGICAL = {
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
    "padding-block": "padding-top",
    "padding-block-start": "padding-top",
    "padding-block-end": "padding-bottom",
    "padding-inline": "padding-left",
    "padding-inline-start": "padding-left",
    "padding-inline-end": "padding-right",
    "min-inline-size": "min-width",
    "min-block-size": "min-height",
    "inline-size": "width",
    "block-size": "height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "overflow-inline": "overflow-x",
    "overflow-block": "overflow-y",
}
"""Properties by the direction of text, and what they are where it runs to the right."""

_OLD_COLOURS = {"font": "color", "body": "text"}
"""Attribute of old pages that is the colour of text, by element."""

_OLD_BACKGROUNDS = frozenset({"body", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "marquee"})
"""Elements whose ``bgcolor`` browsers draw."""

_OWN_COLOURS = frozenset({"mark", "button", "select", "textarea"})
"""Elements that have colours in every browser, as have links, whatever those around them are."""

_NO_PAINT = frozenset(
    {"none", "initial", "unset", "repeat", "repeat-x", "repeat-y", "no-repeat", "space", "round", "fixed", "scroll"}
    | {"local", "left", "right", "top", "bottom", "center", "cover", "contain", "auto", "border-box", "padding-box"}
    | {"content-box"}
)
"""Words of a background that are no colour."""

_BACKGROUNDS = ("background", "background-color")
_PAINTED = ("text-shadow", "-webkit-text-stroke", "-webkit-text-stroke-width")
_CLIPPED = ("background", "background-clip", "-webkit-background-clip")
_SMALLEST_FONT = 1.0
"""Font size in pixels up to which nobody can read."""

_NO_TEXT = frozenset({"script", "style", "template", "head", "title", "meta", "link", "noscript", "math"})
_SCREEN = re.compile(r"(only\s+)?(all|screen)", re.IGNORECASE)
_WINDOW = 1280.0, 720.0
"""Width and height in pixels of the usual window, for conditions of media."""

_FEATURE = re.compile(r"\(\s*(min|max)-(width|height)\s*:\s*([\d.]+)(px|em|rem)\s*\)", re.IGNORECASE)
_DEEPEST_VARIABLE = 5
"""Variables within variables that are followed."""

_UNKNOWN: list[Node] = tinycss2.parse_component_value_list("var()")
"""Value of a property that may hold or not."""

_ATTRIBUTES = ("display", "visibility", "opacity", "fill", "stroke")  # of drawings, which are properties of their style


@dataclass(frozen=True, slots=True)
class _State:
    """What an element has from those around it.

    Attributes:
        skipped: True if it is no text, as a script.
        shown: False if its own ``display`` or ``visibility`` hides it.
        covered: True if that of an element around it does.
        faded: True if it is transparent, with all in it.
        hidden: True if nothing in it can be seen, whatever its own style is.
        size: size of its font in pixels.
        colour: colour of its text; None if unknown or the default.
        transparent: True if its text is drawn in a colour that is fully transparent.
        background: colour behind it; None if that is unknown, as behind a picture.
        painted: True if its letters have a shadow, a line around them or a picture in them.
        shifted: True if its text is indented off the page.
        drawn: True in a drawing, whose units are its own and whose shapes are behind its text.
        variables: values of the variables of CSS.
    """

    skipped: bool = False
    shown: bool = True
    covered: bool = False
    faded: bool = False
    hidden: bool = False
    size: float = 16.0
    colour: Colour | None = None
    transparent: bool = False
    background: Colour | None = WHITE
    painted: bool = False
    shifted: bool = False
    drawn: bool = False
    variables: Mapping[str, list[Node]] = field(default_factory=dict)

    @property
    def counts(self) -> bool:
        """Return True if its text is text of the page, not of a script and not hidden by ``display`` or the like."""
        return self.shown and not self.skipped and not self.covered

    @property
    def unseen(self) -> bool:
        """Return True if text that is directly in the element cannot be seen."""
        if self.hidden or self.shifted or (self.size <= _SMALLEST_FONT and not self.drawn):
            return True
        return not self.painted and (self.transparent or is_same(self.colour, self.background))


def remove_unseen(root: etree._Element, sheets: Sequence[str] = ()) -> int:
    """Remove the text of a page that its style hides, and return the number of letters and digits removed.

    What ``display: none`` or ``visibility: hidden`` hides is marked by the attribute ``style`` and not removed: it may
    be a panel that the reader of the page opens. Text whose background is unknown is kept.

    Args:
        root: the page; changed in place.
        sheets: the text of style sheets that the page links to, in their order.
    """
    rules = [rule for sheet in (*sheets, *_embedded(root)) for rule in _rules(sheet)]
    if not rules and not any(_may_hide(one) for one in root.iter(etree.Element)):
        return 0
    key = _key_of(root, sheets)
    if key in _KNOWN:
        return _KNOWN[key].apply(root)
    matcher = cssselect2.Matcher()
    for place, (selectors, declarations, holds) in enumerate(rules):
        for selector in selectors:
            matcher.add_selector(selector, (place, declarations, holds))
    linked = any("@import" in one for one in (*sheets, *_embedded(root))) or (
        not sheets and any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("{*}link"))
    )
    states: dict[etree._Element | None, _State] = {None: _State(background=None if linked else WHITE)}
    faded, unseen, hidden = [], [], []
    for wrapper in cssselect2.ElementWrapper.from_html_root(root).iter_subtree():
        element = wrapper.etree_element
        around = states[wrapper.parent.etree_element if wrapper.parent is not None else None]
        if around.skipped or local(element) in _NO_TEXT:
            states[element] = replace(around, skipped=True)
            continue
        if local(element) == "svg":
            around = replace(around, drawn=True, background=None)
        elif local(element).lower() == "foreignobject":
            around = replace(around, drawn=False, transparent=False)
        elif local(element) in _OWN_COLOURS or (local(element) == "a" and "href" in element.attrib):
            around = replace(around, colour=None)
        style, variables = _with_variables(_cascaded(wrapper, matcher, element, drawn=around.drawn), around.variables)
        state = states[element] = _state(style, replace(around, variables=variables))
        if not state.shown:
            hidden.append(element)
        elif state.faded:
            faded.append(element)
        elif state.unseen:
            unseen.append(element)
    hidden += _cells_of_hidden_columns(root, states)
    places = {element: place for place, element in enumerate(root.iter(etree.Element))}
    shown = [element for element, state in states.items() if element is not None and state.counts] if faded else []
    found = _Found(*([places[element] for element in part] for part in (hidden, unseen, faded, shown)))
    _KNOWN[key] = found
    if len(_KNOWN) > _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    return found.apply(root)


def _may_hide(element: etree._Element) -> bool:
    """Return True if an element has a style of its own, by an attribute, or is text of a drawing."""
    return "style" in element.attrib or local(element) == "text" or bool(_old_style(element))


@dataclass(frozen=True)
class _Found:
    """Places of elements of a page, in the order of the page.

    Attributes:
        hidden: those that ``display`` or ``visibility`` hides.
        unseen: those whose own text nobody sees.
        faded: those that are transparent.
        shown: those whose text counts as that of the page; empty if none is transparent.
    """

    hidden: list[int]
    unseen: list[int]
    faded: list[int]
    shown: list[int]

    def apply(self, root: etree._Element) -> int:
        """Mark what is hidden and remove what is unseen; return the number of letters and digits removed."""
        elements = list(root.iter(etree.Element))
        unseen = self.unseen
        # pages that fade in by a script while they are scrolled are transparent as stored
        letters = sum(_letters(elements[place]) for place in self.faded)
        if self.faded and (
            next(root.iter("{*}script"), None) is None
            or 2 * letters < sum(_letters(elements[place]) for place in self.shown)
        ):
            unseen = [*unseen, *self.faded]
        for place in self.hidden:
            element = elements[place]
            element.set("style", f"{element.get('style') or ''};display:none")
        return sum(_blank(elements[place]) for place in unseen)


_KNOWN: dict[bytes, _Found] = {}
"""What was found in the last pages, by their elements and styles.

The account of a file looks at the same page as its reader, and styles take longer than all else."""

_MOST_KNOWN = 500
"""Pages: a book has a file for each chapter."""


def _key_of(root: etree._Element, sheets: Sequence[str]) -> bytes:
    """Return a digest of all that decides what the style of a page hides, but for the amount of text."""
    digest = hashlib.sha256()
    for element in root.iter(etree.Element):
        digest.update(repr((str(element.tag), element.attrib.items())).encode("utf-8", "replace"))
    for sheet in (*sheets, *_embedded(root)):
        digest.update(b"\0" + sheet.encode("utf-8", "replace"))
    return digest.digest()


def _cells_of_hidden_columns(
    root: etree._Element, states: Mapping[etree._Element | None, _State]
) -> Iterator[etree._Element]:
    """Yield the cells of columns that ``visibility: collapse`` hides, of tables whose cells span nothing."""
    for table in root.iter("{*}table"):
        columns = [one for one in table.iter("{*}col") if next(one.iterancestors("{*}table"), None) is table]
        hidden = {place for place, one in enumerate(columns) if one in states and not states[one].shown}
        if not hidden or any(one.get("span") for one in columns):
            continue
        for row in table.iter("{*}tr"):
            cells = [one for one in row if local(one) in ("td", "th")]
            if not any(one.get("colspan") or one.get("rowspan") for one in cells):
                yield from (one for place, one in enumerate(cells) if place in hidden)


def _letters(element: etree._Element) -> int:
    """Return the number of letters and digits directly in an element."""
    texts = [element.text, *(child.tail for child in element)]
    return sum(character.isalnum() for text in texts if text for character in text)


def _blank(element: etree._Element) -> int:
    """Remove the text that is directly in an element; return its number of letters and digits."""
    count = _letters(element)
    if count:
        leave_out(" ".join([element.text or "", *(child.tail or "" for child in element)]))
        element.text = None
        for child in element:
            child.tail = " " if child.tail else child.tail
    return count


def _embedded(root: etree._Element) -> Iterator[str]:
    """Yield the text of the ``<style>`` elements for screens."""
    for element in root.iter("{*}style"):
        media = (element.get("media") or "all").strip()
        if _is_for_screens(media):
            yield element.text or ""
        elif _is_for_screens(media) is None:
            yield f"@media {media}{{{element.text or ''}}}"


def _is_for_screens(media: str) -> bool | None:
    """Return True if one of these media queries holds for the usual window, None if that is unknown."""
    queries = [
        [_fits(part.strip()) for part in re.split(r"\band\b", query, flags=re.IGNORECASE)] for query in media.split(",")
    ]
    if any(all(query) for query in queries):
        return True
    return False if all(False in query for query in queries) else None


def _fits(feature: str) -> bool | None:
    """Return True for screens, and for a minimum or maximum size that the usual window has; None if unknown."""
    if _SCREEN.fullmatch(feature) or feature.isalpha():
        return _SCREEN.fullmatch(feature) is not None
    found = _FEATURE.fullmatch(feature)
    if found is None:
        return None
    stated = float(found[3]) * (1 if found[4].lower() == "px" else 16)
    size = _WINDOW[found[2].lower() == "height"]
    return size >= stated if found[1].lower() == "min" else size <= stated


@lru_cache(maxsize=16)
def _rules(sheet: str) -> list[tuple[list[cssselect2.compiler.CompiledSelector], list[Declaration], bool]]:
    """Return the rules of a sheet that set a property of interest, and whether each is known to hold.

    Rules for other media are left out.
    """
    found = []
    pending = deque((rule, True) for rule in tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True))
    while pending:
        rule, holds = pending.popleft()
        if rule.type == "at-rule" and rule.lower_at_keyword in ("media", "layer", "supports") and rule.content:
            prelude = tinycss2.serialize(rule.prelude).strip()
            fits = _is_for_screens(prelude) if rule.lower_at_keyword == "media" else _holds(prelude)
            if fits is not False:
                nested = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
                pending.extendleft((one, holds and fits is True) for one in reversed(nested))
        if rule.type != "qualified-rule":
            continue
        parsed = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
        declarations = _of_interest(parsed)
        pending.extendleft((one, holds) for one in reversed(_nested(rule, parsed)))
        if not declarations:
            continue
        try:
            selectors = cssselect2.compile_selector_list(rule.prelude)
        except cssselect2.SelectorError:
            continue  # browsers ignore the rule too
        found.append(([one for one in selectors if one.pseudo_element is None], declarations, holds))
    return found


def _holds(condition: str) -> bool | None:
    """Return None for a condition that holds for browsers that lack something, as if that were unknown."""
    return None if "not" in condition.lower().split() else True


def _nested(rule: Any, parsed: list[Node]) -> list[Node]:
    """Return the rules within a rule as rules of their own: ``a { .b { } & > c { } }`` is ``a .b { } a > c { }``."""
    inner = [one for one in parsed if one.type == "qualified-rule"]
    if not inner:
        return []
    around = tinycss2.serialize(rule.prelude).strip()
    if "," in around:
        around = f":is({around})"
    found: list[Node] = []
    for one in inner:
        selectors = tinycss2.serialize(one.prelude).strip()
        whole = selectors.replace("&", around) if "&" in selectors else f"{around} {selectors}"
        text = f"{whole}{{{tinycss2.serialize(one.content)}}}"
        found += tinycss2.parse_rule_list(text, skip_comments=True, skip_whitespace=True)
    return found


def _declarations(content: str | list[Node]) -> list[Declaration]:
    return _of_interest(tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True))


def _of_interest(parsed: list[Node]) -> list[Declaration]:
    """Return the declarations of properties that hide, and of variables."""
    return [
        one
        for one in parsed
        if one.type == "declaration"
        and (one.lower_name in _PROPERTIES or one.lower_name in _LOGICAL or one.name.startswith("--"))
    ]


def _cascaded(
    wrapper: cssselect2.ElementWrapper, matcher: cssselect2.Matcher, element: etree._Element, *, drawn: bool
) -> Style:
    """Return the values of an element's properties, in drawings also by attributes: the last important one wins."""
    ranked = []
    for specificity, _, _, (place, declarations, holds) in matcher.match(wrapper):
        ranked += [((one.important, False, specificity, place), one, holds) for one in declarations]
    attributes = _ATTRIBUTES if drawn else ()
    if stated := "; ".join(f"{name}: {element.get(name)}" for name in attributes if name in element.attrib):
        ranked += [((False, False, (-1, 0, 0), 0), one, True) for one in _declarations(stated)]
    if own := element.get("style"):
        ranked += [((one.important, True, (0, 0, 0), 0), one, True) for one in _declarations(own)]
    if element.get("hidden") is not None:
        return {"display": tinycss2.parse_component_value_list("none")}
    ranked.sort(key=lambda entry: entry[0])
    style: Style = {} if drawn else _old_style(element)
    for _, one, holds in ranked:
        name = one.name if one.name.startswith("--") else _LOGICAL.get(one.lower_name, one.lower_name)
        style[name] = [part for part in one.value if part.type != "whitespace"] if holds else _UNKNOWN
    return style


def _old_style(element: etree._Element) -> Style:
    """Return what the attributes of old pages say about colours, of which any sheet says more."""
    name = local(element)
    style: Style = {}
    attribute = _OLD_COLOURS.get(name)
    if attribute is not None and (text := element.get(attribute)) is not None:
        style["color"] = legacy_colour(text)
    if (behind := element.get("bgcolor")) is not None:
        style["background-color"] = legacy_colour(behind) if name in _OLD_BACKGROUNDS else []
    if "background" in element.attrib or (name == "table" and _has_drawn_columns(element)):
        style["background-image"] = []
    return style


def _has_drawn_columns(table: etree._Element) -> bool:
    """Return True if columns of a table may have a background."""
    columns = table.iter("{*}col", "{*}colgroup")
    return any(name in one.attrib for one in columns for name in ("bgcolor", "style", "class"))


def _with_variables(style: Style, variables: Mapping[str, list[Node]]) -> tuple[Style, Mapping[str, list[Node]]]:
    """Return a style with the values of its variables, and the variables for the elements within."""
    own = {name: value for name, value in style.items() if name.startswith("--")}
    if own:
        variables = {**variables, **own}
    if not variables:
        return style, variables
    return {name: _resolved(value, variables) for name, value in style.items() if not name.startswith("--")}, variables


def _resolved(value: list[Node], variables: Mapping[str, list[Node]], depth: int = 0) -> list[Node]:
    """Return a value with variables replaced by their values; those that the file does not set are unknown."""
    found: list[Node] = []
    for part in value:
        if part.type != "function" or part.lower_name != "var" or depth > _DEEPEST_VARIABLE:
            found.append(part)
            continue
        given = [one for one in part.arguments if one.type not in ("whitespace", "comment")]
        name = given[0].value if given and given[0].type == "ident" else ""
        found += _resolved(variables[name], variables, depth + 1) if name in variables else [part]
    return found


def _state(style: Style, parent: _State) -> _State:
    """Return the state of an element from its style and that of the element around it."""
    state = replace(parent, shown=True, covered=parent.covered or not parent.shown)
    if not style:
        return state
    changes: dict[str, object] = {}
    moves = any(name in style and keyword(style, name) != "none" for name in ("animation", "animation-name"))
    if not moves and hides_all(style):
        changes["hidden"] = True
    if keyword(style, "display") in ("none", "table-column", "table-column-group"):
        changes["shown"] = False
    elif not moves and (word := keyword(style, "visibility")) is not None:
        changes["shown"] = word not in ("hidden", "collapse")
    opacity = number(style, "opacity")
    if not moves and ((opacity is not None and opacity <= FAINTEST) or is_filtered_away(style)):
        changes["faded"] = True
    if (size := _font_size(style, parent.size)) is not None:
        changes["size"] = size
    if "text-indent" in style:
        changes["shifted"] = is_indented_away(style)
    # the colour of the filling wins over that of the text
    filled = "-webkit-text-fill-color" if "-webkit-text-fill-color" in style else "fill" if parent.drawn else "color"
    if keyword(style, filled) == "none":
        changes["transparent"] = "stroke" not in style
    elif filled in style:
        stated = colour(style[filled][0]) if style[filled] else None
        changes["transparent"] = stated is not None and stated.alpha <= FAINTEST
        changes["colour"] = None if stated is None else rgb(stated)
    if any(name in style and keyword(style, name) != "none" for name in _PAINTED) or any(
        one.type == "ident" and one.lower_value == "text" for name in _CLIPPED for one in style.get(name, ())
    ):
        changes["painted"] = True
    behind = {_background(style[name], parent.background) for name in _BACKGROUNDS if name in style}
    if "background-image" in style and keyword(style, "background-image") != "none":
        behind.add(None)
    if behind:  # which of several holds is not known here
        changes["background"] = behind.pop() if len(behind) == 1 else None
    elif keyword(style, "position") in ("absolute", "fixed"):
        changes["background"] = None  # it may lie on a picture
    return replace(state, **changes)  # type: ignore[arg-type]


def _font_size(style: Style, around: float) -> float | None:
    """Return the font size in pixels, the usual one if it is unknown; None if the style states none."""
    sizes = [
        _computed_size(next((one for one in style[name] if name == "font-size" or _is_length(one)), None), around)
        for name in ("font-size", "font")
        if name in style
    ]
    return max(sizes, default=None)


def _computed_size(part: Node | None, around: float) -> float:
    """Return a font size in pixels, the usual one if it is unknown."""
    size = None
    if part is not None and part.type == "percentage":
        size = around * float(part.value) / 100
    elif part is not None and part.type == "dimension" and part.lower_unit == "em":
        size = around * float(part.value)
    elif part is not None:
        size = length(part)
    return PIXELS["em"] if size is None else size


def _is_length(part: Node) -> bool:
    """Return True for a length; the only number that is one is 0."""
    return part.type in ("dimension", "percentage") or (part.type == "number" and part.value == 0)


def _background(value: list[Node], behind: Colour | None) -> Colour | None:
    """Return the colour behind text; None if it is unknown, as a picture or a gradient."""
    found = behind if value else None
    for part in value:
        stated = colour(part)
        if stated is None and not _is_no_paint(part):
            return None
        if stated is not None and stated.alpha > FAINTEST:
            found = rgb(stated) if stated.alpha >= 1 - FAINTEST else None
    return found


def _is_no_paint(part: Node) -> bool:
    """Return True for the places, sizes and words of a background, which are no colour."""
    if part.type == "ident":
        return part.lower_value in _NO_PAINT
    return part.type in ("dimension", "percentage", "number", "literal")
