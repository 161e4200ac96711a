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
from ragraph.ingest.readers.html.css_values import PIXELS, THINNEST, colour, is_empty_clip, length, rgb
from ragraph.ingest.readers.markup.xml import local

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tinycss2.ast import Declaration, Node

_PROPERTIES = frozenset(
    {"display", "visibility", "opacity", "font-size", "color", "background", "background-color", "background-image"}
    | {"position", "left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top", "clip", "clip-path"}
    | {"height", "max-height", "width", "max-width", "overflow", "overflow-x", "overflow-y", "transform", "scale"}
    | {"fill", "stroke", "content-visibility", "font", "filter", "inset", "zoom", "rotate", "translate", "white-space"}
    | {"-webkit-text-fill-color", "mask-image", "-webkit-mask-image", "mask", "-webkit-mask", "letter-spacing"}
)
"""Properties that can hide text, and those that take part in it."""

_LOGICAL = {
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
    "inline-size": "width",
    "block-size": "height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "overflow-inline": "overflow-x",
    "overflow-block": "overflow-y",
}
"""Properties by the direction of text, and what they are where it runs to the right."""

_PRESENTATION = {"font": {"color": "color"}, "body": {"text": "color", "bgcolor": "background-color"}}
_PRESENTATION |= {name: {"bgcolor": "background-color"} for name in ("table", "tr", "td", "th", "tbody", "thead")}
"""Attributes of old pages that are properties, by element."""

_OFF_SCREEN = -400.0
"""Distance in pixels that takes text off the page; menus and labels are moved by less."""

_OFF_RIGHT = 5000.0
"""Distance in pixels to the right that takes text off the page; a page that is as wide is no page."""

_SMALLEST_FONT = 1.0
"""Font size in pixels up to which nobody can read."""

_SMALLEST_ZOOM = 0.05
"""Zoom up to which nobody can read."""

_NO_TEXT = frozenset({"script", "style", "template", "head", "title", "meta", "link", "noscript", "math"})
_SCREEN = re.compile(r"(only\s+)?(all|screen)", re.IGNORECASE)
_WINDOW = 1280.0, 720.0
"""Width and height in pixels of the usual window, for conditions of media."""

_FEATURE = re.compile(r"\(\s*(min|max)-(width|height)\s*:\s*([\d.]+)(px|em|rem)\s*\)", re.IGNORECASE)
_DEEPEST_VARIABLE = 5
"""Variables within variables that are followed."""

_ATTRIBUTES = ("display", "visibility", "opacity", "fill", "stroke")  # of drawings, which are properties of their style
_Style = dict[str, "list[Node]"]


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
        if self.hidden or self.transparent or self.shifted or (self.size <= _SMALLEST_FONT and not self.drawn):
            return True
        return is_same(self.colour, self.background)


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
    for place, (selectors, declarations) in enumerate(rules):
        for selector in selectors:
            matcher.add_selector(selector, (place, declarations))
    linked = not sheets and any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("{*}link"))
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
    if "style" in element.attrib or local(element) == "text":
        return True
    return any(name in element.attrib for name in _PRESENTATION.get(local(element), ()))


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


def _is_for_screens(media: str) -> bool:
    """Return True if one of these media queries holds for the usual window; others than sizes are not known."""
    for query in media.split(","):
        kinds = [part.strip() for part in re.split(r"\band\b", query.strip(), flags=re.IGNORECASE)]
        if kinds and all(_SCREEN.fullmatch(part) or _fits(part) for part in kinds):
            return True
    return False


def _fits(feature: str) -> bool:
    """Return True for a minimum or maximum size that the usual window has."""
    found = _FEATURE.fullmatch(feature)
    if found is None:
        return False
    stated = float(found[3]) * (1 if found[4].lower() == "px" else 16)
    size = _WINDOW[found[2].lower() == "height"]
    return size >= stated if found[1].lower() == "min" else size <= stated


@lru_cache(maxsize=16)
def _rules(sheet: str) -> list[tuple[list[cssselect2.compiler.CompiledSelector], list[Declaration]]]:
    """Return the rules of a sheet that set a property of interest; rules for other media are left out."""
    found = []
    pending = deque(tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True))
    while pending:
        rule = pending.popleft()
        if (
            rule.type == "at-rule"
            and rule.lower_at_keyword in ("media", "layer", "supports", "container")
            and rule.content
        ):
            prelude = tinycss2.serialize(rule.prelude).strip()
            if rule.lower_at_keyword not in ("media", "container") or _is_for_screens(prelude):
                nested = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
                pending.extendleft(reversed(nested))
        if rule.type != "qualified-rule":
            continue
        parsed = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
        declarations = _of_interest(parsed)
        pending.extendleft(reversed(_nested(rule, parsed)))
        if not declarations:
            continue
        try:
            selectors = cssselect2.compile_selector_list(rule.prelude)
        except cssselect2.SelectorError:
            continue  # browsers ignore the rule too
        found.append(([one for one in selectors if one.pseudo_element is None], declarations))
    return found


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
) -> _Style:
    """Return the values of an element's properties, in drawings also by attributes: the last important one wins."""
    ranked = []
    for specificity, _, _, (place, declarations) in matcher.match(wrapper):
        ranked += [((one.important, False, specificity, place), one) for one in declarations]
    attributes = dict(zip(_ATTRIBUTES, _ATTRIBUTES, strict=True)) if drawn else _PRESENTATION.get(local(element), {})
    if stated := "; ".join(f"{is_}: {element.get(name)}" for name, is_ in attributes.items() if name in element.attrib):
        ranked += [((False, False, (-1, 0, 0), 0), one) for one in _declarations(stated)]
    if style := element.get("style"):
        ranked += [((one.important, True, (0, 0, 0), 0), one) for one in _declarations(style)]
    if element.get("hidden") is not None:
        return {"display": tinycss2.parse_component_value_list("none")}
    ranked.sort(key=lambda entry: entry[0])
    return {
        one.name if one.name.startswith("--") else _LOGICAL.get(one.lower_name, one.lower_name): [
            part for part in one.value if part.type != "whitespace"
        ]
        for _, one in ranked
    }


def _with_variables(style: _Style, variables: Mapping[str, list[Node]]) -> tuple[_Style, Mapping[str, list[Node]]]:
    """Return a style with the values of its variables, and the variables for the elements within."""
    own = {name: value for name, value in style.items() if name.startswith("--")}
    if own:
        variables = {**variables, **own}
    if not variables and not any(_has_variable(value) for value in style.values()):
        return style, variables
    return {name: _resolved(value, variables) for name, value in style.items() if not name.startswith("--")}, variables


def _has_variable(value: list[Node]) -> bool:
    return any(part.type == "function" and part.lower_name == "var" for part in value)


def _resolved(value: list[Node], variables: Mapping[str, list[Node]], depth: int = 0) -> list[Node]:
    """Return a value with variables replaced by their values, or by what is stated if they have none."""
    found: list[Node] = []
    for part in value:
        if part.type != "function" or part.lower_name != "var" or depth > _DEEPEST_VARIABLE:
            found.append(part)
            continue
        given = [one for one in part.arguments if one.type not in ("whitespace", "comment")]
        name = given[0].value if given and given[0].type == "ident" else ""
        found += _resolved(variables.get(name, given[2:]), variables, depth + 1)
    return found


def _state(style: _Style, parent: _State) -> _State:
    """Return the state of an element from its style and that of the element around it."""
    state = replace(parent, shown=True, covered=parent.covered or not parent.shown)
    if not style:
        return state
    changes: dict[str, object] = {}
    if _hides_all(style):
        changes["hidden"] = True
    if _keyword(style, "display") in ("none", "table-column", "table-column-group"):
        changes["shown"] = False
    elif (keyword := _keyword(style, "visibility")) is not None:
        changes["shown"] = keyword not in ("hidden", "collapse")
    opacity = _number(style, "opacity")
    if (opacity is not None and opacity <= FAINTEST) or _is_filtered_away(style):
        changes["faded"] = True
    if (size := _font_size(style, parent.size)) is not None:
        changes["size"] = size
    if (indent := _pixels(style, "text-indent")) is not None:
        changes["shifted"] = indent <= _OFF_SCREEN or (_cuts(style) and indent >= PIXELS["%"] * 100)
    # the colour of the filling wins over that of the text
    filled = "-webkit-text-fill-color" if "-webkit-text-fill-color" in style else "fill" if parent.drawn else "color"
    if _keyword(style, filled) == "none":
        changes["transparent"] = "stroke" not in style
    elif filled in style:
        stated = colour(style[filled][0]) if style[filled] else None
        changes["transparent"] = stated is not None and stated.alpha <= FAINTEST
        changes["colour"] = None if stated is None else rgb(stated)
    for name in ("background", "background-color", "background-image"):
        if name in style:
            changes["background"] = _background(style[name], parent.background)
    return replace(state, **changes)  # type: ignore[arg-type]


def _hides_all(style: _Style) -> bool:
    """Return True if an element and everything in it is hidden, whatever the style of its parts is."""
    if _keyword(style, "content-visibility") == "hidden":
        return True
    if _keyword(style, "position") == "relative" and (_pixels(style, "left") or 0.0) <= _OFF_SCREEN:
        return True
    if _keyword(style, "position") in ("absolute", "fixed"):
        places = [_pixels(style, name) or 0.0 for name in ("left", "right", "top", "bottom")]
        if min(places) <= _OFF_SCREEN or max(places[:2]) >= _OFF_RIGHT or _is_inset_away(style):
            return True
        # beyond the left side nobody can scroll, and from what is fixed nobody scrolls away
        beyond = {"right": _WINDOW[0], "top": _WINDOW[1]}
        if _keyword(style, "position") == "absolute":
            del beyond["top"]
        if any((_pixels(style, name) or 0.0) >= 1.5 * size for name, size in beyond.items()):
            return True
        if "clip" in style and is_empty_clip(style["clip"]):
            return True
    if any((_pixels(style, name) or 0.0) <= _OFF_SCREEN for name in ("margin-left", "margin-top")):
        return True
    if "clip-path" in style and is_empty_clip(style["clip-path"]):
        return True
    if _cuts(style):
        for name in ("height", "max-height", "width", "max-width"):
            length = _pixels(style, name)
            if length is not None and length <= THINNEST:
                return True
    if any(
        name in style and _is_empty_mask(style[name])
        for name in ("mask-image", "-webkit-mask-image", "mask", "-webkit-mask")
    ):
        return True
    spacing = _pixels(style, "letter-spacing")
    if spacing is not None and spacing <= -PIXELS["em"]:  # the letters lie on each other
        return True
    zoom = _number(style, "zoom")
    return (zoom is not None and 0 < zoom <= _SMALLEST_ZOOM) or _scaled_away(style)


def _cuts(style: _Style) -> bool:
    """Return True if an element cuts what overflows it."""
    return any(_keyword(style, name) in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))


def _is_filtered_away(style: _Style) -> bool:
    """Return True for ``filter: opacity(0)``."""
    for part in style.get("filter", []):
        if part.type == "function" and part.lower_name == "opacity":
            given = [one for one in part.arguments if one.type in ("number", "percentage")]
            if given and float(given[0].value) / (100 if given[0].type == "percentage" else 1) <= FAINTEST:
                return True
    return False


def _is_inset_away(style: _Style) -> bool:
    """Return True if ``inset`` takes an element off the page: a whole window or more away from one side."""
    lengths = [length(part) for part in style.get("inset", []) if part.type != "ident"]
    away = [
        part.value for part in style.get("inset", []) if part.type == "dimension" and part.lower_unit in ("vh", "vw")
    ]
    return any(one is not None and one <= _OFF_SCREEN for one in lengths) or any(abs(one) >= 150 for one in away)


def _is_empty_mask(value: list[Node]) -> bool:
    """Return True for a mask of a gradient that is transparent everywhere."""
    for part in value:
        if part.type == "function" and part.lower_name.endswith("gradient"):
            colours = [found for one in part.arguments if (found := colour(one)) is not None]
            return bool(colours) and all(found.alpha <= FAINTEST for found in colours)
    return False


def _scaled_away(style: _Style) -> bool:
    """Return True if an element is scaled to nothing or moved off the page."""
    scale = _number(style, "scale")
    if scale is not None and abs(scale) <= 0.02:
        return True
    moved = [
        found
        for part in style.get("translate", [])
        if part.type != "percentage" and (found := length(part)) is not None
    ]
    if any(distance <= _OFF_SCREEN for distance in moved):
        return True
    for part in style.get("transform", []):
        if part.type != "function":
            continue
        given = [one for one in part.arguments if one.type in ("number", "dimension", "percentage")]
        if part.lower_name.startswith("scale") and given and any(abs(one.value) <= 0.02 for one in given[:2]):
            return True
        if part.lower_name == "matrix" and len(given) == 6 and _is_flat(*(float(one.value) for one in given[:4])):
            return True
        if part.lower_name in ("rotatex", "rotatey") and given and abs(abs(float(given[0].value)) - 90) < 1:
            return True
        if part.lower_name.startswith("translate") and any((length(one) or 0.0) <= _OFF_SCREEN for one in given):
            return not any(one.type == "percentage" for one in given)
    return False


def _is_flat(a: float, b: float, c: float, d: float) -> bool:
    """Return True if a matrix makes a line or a point of an area."""
    return abs(a * d - b * c) < 0.0004


def _font_size(style: _Style, around: float) -> float | None:
    """Return the font size in pixels, or None if the style has none that can be computed."""
    value = style.get("font-size") or [one for one in style.get("font", []) if _is_length(one)]
    if not value:
        return None
    part = value[0]
    if part.type == "percentage":
        return around * float(part.value) / 100
    if part.type == "dimension" and part.lower_unit == "em":
        return around * float(part.value)
    return length(part) if part.type in ("number", "dimension", "function") else 16.0


def _is_length(part: Node) -> bool:
    """Return True for a length; the only number that is one is 0."""
    return part.type in ("dimension", "percentage") or (part.type == "number" and part.value == 0)


def _background(value: list[Node], behind: Colour | None) -> Colour | None:
    """Return the colour behind text; None if a picture or a gradient is there."""
    if any(part.type in ("url", "function") and colour(part) is None for part in value):
        return None
    for part in value:
        stated = colour(part)
        if stated is not None:
            if stated.alpha <= FAINTEST:
                return behind
            return rgb(stated) if stated.alpha >= 1 - FAINTEST else None
    return behind


def _keyword(style: _Style, name: str) -> str | None:
    value = style.get(name)
    return value[0].lower_value if value and value[0].type == "ident" else None


def _number(style: _Style, name: str) -> float | None:
    value = style.get(name)
    if not value:
        return None
    if value[0].type == "percentage":
        return float(value[0].value) / 100
    return length(value[0]) if value[0].type in ("number", "function") else None


def _pixels(style: _Style, name: str) -> float | None:
    value = style.get(name)
    return length(value[0]) if value else None
