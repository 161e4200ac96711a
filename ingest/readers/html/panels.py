"""Hidden parts of a web page that a reader can open: tabs, sections that unfold, results of a search or a script.

They are hidden in the stored page, but they are text. Parts that cover the page (dialogs, cookie notices) and parts
made of links (menus that unfold) stay hidden.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.inline import HIDDEN, HIDING_STYLE, hidden
from ragraph.ingest.readers.html.links import INLINE, types
from ragraph.ingest.readers.html.names import states_furniture
from ragraph.ingest.readers.html.sizes import LEAD, PROSE
from ragraph.ingest.readers.html.tree import HEADINGS, named_by
from ragraph.ingest.readers.markup.inline import collapse
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

NAMED = frozenset({*HEADINGS, "dt", "caption", "figcaption", "summary"})
"""Elements that name the content after them."""

LONGEST_LABEL = 150
"""Maximum letters of a label that opens a panel; longer ones are text."""

_TABS = frozenset({"tab", "pill", "list"})
_LISTS_OF_TABS = frozenset({"tabs", "tablist"})
_TOGGLES = _TABS | {"collapse"}
"""Values of ``data-toggle`` and ``data-bs-toggle`` for panels of text; others open dialogs and menus."""

_COVERS = frozenset({"cookie", "cookies", "consent", "gdpr", "modal", "popup", "overlay", "offcanvas", "dropdown"})
"""Words in classes and ids of elements that cover the page and are not its text."""

_HIDING = re.compile(rf"(?:{HIDING_STYLE.pattern})(?:\s*!important)?\s*;?", re.IGNORECASE)
_LEVELS = 4
"""Maximum elements around a control whose panel begins right after it: a heading, a line, its box."""

_HALF = 0.5
"""Share of the letters outside of links above which hidden text is the text of the page."""

_LEAST_SCRIPT = 16
"""Length of a script from which it may show something."""


def open_panels(root: etree._Element) -> None:
    """Show the parts that a reader can open, each panel below the label of its control."""
    _Panels(root).open()


class _Panels:
    """The panels of one page.

    Args:
        root: the page.
    """

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._letters = _letters_of(root)
        self._named = {one.get("id"): one for one in reversed(list(root.iter())) if one.get("id")}
        self._titled = {up for one in root.iter() if local(one) in ("h1", "main") for up in (one, *one.iterancestors())}
        self._controls: dict[etree._Element, list[etree._Element]] = {}
        for one in root.iter():
            for name in dict.fromkeys(_opens(one)):
                panel = self._named.get(name)
                if panel is not None and panel is not one and panel not in one.iterancestors():
                    self._controls.setdefault(panel, []).append(one)
        for one in [one for one in root.iter() if local(one) and hidden(one) and one not in self._controls]:
            control = _pressed_above(one)
            if control is not None and (local(control) in NAMED or self._letters[one][0] >= LEAD):
                self._controls[one] = [control]

    def open(self) -> None:
        """Show the panels, and hidden parts of a page that would have little text without them."""
        panels = [one for one in self._root.iter() if local(one) and self._is_panel(one)]
        shut = {one.getparent() for one in panels if hidden(one)}
        for panel in panels:
            _show(panel)
            self._label(panel, among_shut=panel.getparent() in shut)
        self._show_most()

    def _is_panel(self, element: etree._Element) -> bool:
        """Return True if a reader can open an element, and it is text."""
        if self._is_of_tab(element) or (element.get("hidden") or "").lower() == "until-found":
            return True
        controls = self._controls.get(element, [])
        if any(_name_around(one) is not None for one in controls):
            return True
        return bool(controls) and self._is_text(element)

    def _is_of_tab(self, element: etree._Element) -> bool:
        """Return True if an element is shown by a tab."""
        return "tabpanel" in types(element) or any(_is_tab(one) for one in self._controls.get(element, ()))

    def _is_text(self, element: etree._Element) -> bool:
        """Return True if an element has more text than links and than forms, and covers nothing."""
        own, linked = self._letters[element]
        if own <= linked or local(element) in HIDDEN or element in self._titled:
            return False
        if own < PROSE and any(local(one) == "form" for one in (element, *element.iterdescendants())):
            return False
        for one in (element, *element.iterancestors()):
            if states_furniture(one):
                return False
            if one not in self._titled and local(one) not in ("body", "html") and named_by(one) & _COVERS:
                return False
        return True

    def _label(self, panel: etree._Element, *, among_shut: bool) -> None:
        """Keep the control of a panel as a line above it; the label of a tab is repeated in its panel."""
        controls = self._controls.get(panel, [])
        control = controls[0] if len(controls) == 1 or (controls and self._is_of_tab(panel)) else None
        if self._is_of_tab(panel) or (control is not None and not self._is_right_behind(control, panel)):
            if among_shut and (control is None or _is_tab(control) or _name_around(control) is None):
                self._repeat_label(panel, control)
        elif control is not None and self._is_text(panel):
            button = next((one for one in control.iter() if local(one) == "button"), None)
            if button is not None and _is_label(button):
                button.tag = "div"

    def _repeat_label(self, panel: etree._Element, control: etree._Element | None) -> None:
        """Insert the label of a panel at its beginning, unless it begins with that."""
        tab = self._named.get((panel.get("aria-labelledby") or "").split(" ")[0]) if control is None else control
        label = words(tab) if tab is not None else collapse(panel.get("aria-label") or "")
        first = next((one for one in panel.iter() if local(one) in NAMED), None)
        if label and len(label) <= LONGEST_LABEL and (first is None or words(first) != label) and words(panel):
            line = panel.makeelement("p")
            line.text, panel.text, line.tail = label, None, panel.text
            panel.insert(0, line)

    def _is_right_behind(self, control: etree._Element, panel: etree._Element) -> bool:
        """Return True if nothing is shown between a control and its panel."""
        at = control
        for _ in range(_LEVELS):
            following = next((one for one in at.itersiblings() if sum(self._letters[one])), None)
            if following is not None:
                return following is panel or following in panel.iterancestors()
            parent = at.getparent()
            if parent is None:
                return False
            at = parent
        return False

    def _show_most(self) -> None:
        """Show hidden content if it is most of the text of a page with scripts.

        Such pages hide their text until a script shows it, in ways that no attribute states. Without a script nothing
        shows it to a person, so it stays hidden.
        """
        scripts = self._root.getroottree().iter("{*}script")
        if not any(one.get("src") or len((one.text or "").strip()) >= _LEAST_SCRIPT for one in scripts):
            return
        hiding = list(_hidden_below(self._root))
        shut = [one for one in hiding if self._letters[one][0] >= LEAD and self._is_text(one)]
        concealed, unseen = (sum(self._letters[one][0] for one in found) for found in (shut, hiding))
        shown = self._letters[self._root][0] - unseen
        if concealed > _HALF * (shown + concealed):
            for one in shut:
                _show(one)


def _hidden_below(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the outermost hidden elements, in document order."""
    stack = list(reversed(root))
    while stack:
        element = stack.pop()
        if hidden(element) and local(element) != "body":
            yield element
        else:
            stack.extend(reversed(element))


def _letters_of(root: etree._Element) -> dict[etree._Element, tuple[int, int]]:
    """Return the letters of each element outside of links and in links, hidden or not."""
    found: dict[etree._Element, tuple[int, int]] = {}
    for element in reversed(list(root.iter())):  # inner elements are counted before outer ones
        if not local(element) or local(element) in HIDDEN:
            found[element] = (0, 0)
            continue
        own, linked = len("".join((element.text or "").split())), 0
        for child in element:
            own += found[child][0] + len("".join((child.tail or "").split()))
            linked += found[child][1]
        found[element] = (0, own + linked) if local(element) == "a" else (own, linked)
    return found


def _opens(element: etree._Element) -> Iterator[str]:
    """Yield the ids of the parts that an element opens, except dialogs and menus."""
    kind = (element.get("data-bs-toggle") or element.get("data-toggle") or "").lower()
    if not _is_tab(element) and (
        (kind and kind not in _TOGGLES) or (element.get("aria-haspopup") or "false").lower() != "false"
    ):
        return
    yield from (element.get("aria-controls") or "").split()
    for name in ("data-bs-target", "data-target", "href"):
        target = element.get(name) or ""
        if target.startswith("#") and (name != "href" or kind or _is_tab(element)):
            yield target[1:]


def _is_tab(element: etree._Element) -> bool:
    """Return True if an element is a tab."""
    kind = (element.get("data-bs-toggle") or element.get("data-toggle") or "").lower()
    return "tab" in types(element) or kind in _TABS or _is_of_tabs(element)


def _is_of_tabs(element: etree._Element) -> bool:
    """Return True if an element is a link within the page, in an item of a list named as tabs."""
    if local(element) != "a" or not (element.get("href") or "").startswith("#"):
        return False
    item = element.getparent()
    around = item.getparent() if item is not None and local(item) == "li" else None
    return around is not None and bool(named_by(around) & _LISTS_OF_TABS)


def _pressed_above(panel: etree._Element) -> etree._Element | None:
    """Return the short line right above a panel that reacts to being pressed, or None."""
    above = panel.getprevious()
    if above is None or not local(above) or hidden(above) or not 0 < len(words(above)) <= LONGEST_LABEL:
        return None
    pressed = any(
        one.get("onclick") is not None or one.get("aria-expanded") is not None or "button" in types(one)
        for one in above.iter()
    )
    named = local(above) in NAMED and any(words(one) == words(above) for one in above.iter("{*}button"))
    return above if pressed or named else None


def _name_around(control: etree._Element) -> etree._Element | None:
    """Return the heading or term that a control is, or is in."""
    return next((one for one in (control, *control.iterancestors()) if local(one) in NAMED), None)


def _is_label(button: etree._Element) -> bool:
    """Return True if a button is a short line of its own and not a heading already."""
    if not 0 < len(words(button)) <= LONGEST_LABEL or any(local(one) in HEADINGS for one in button.iter()):
        return False
    return _name_around(button) is None and _is_alone(button)


def _is_alone(element: etree._Element) -> bool:
    """Return True if no words and no inline elements are beside an element."""
    parent = element.getparent()
    if parent is None or local(parent) in INLINE or local(parent) == "p":
        return False
    before = element.getprevious()
    beside = (parent.text if before is None else before.tail, element.tail)
    runs = any(one is not None and local(one) in INLINE and words(one) for one in (before, element.getnext()))
    return not runs and not any(text and text.strip() for text in beside)


def _show(element: etree._Element) -> None:
    """Show a hidden element."""
    element.attrib.pop("hidden", "")
    style = element.get("style")
    if style:
        element.set("style", _HIDING.sub("", style))
