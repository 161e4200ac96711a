"""Figures: bitmaps and drawings that hold little text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.blocks import frames
from ragraph.pdf.blocks.axes import add_labels, in_rows, with_axes
from ragraph.pdf.blocks.drawn import MOST, runs_of
from ragraph.pdf.blocks.labels import Asked, rows_of_pairs, texts_in
from ragraph.pdf.blocks.titles import is_at_edge, is_centred, is_set_off
from ragraph.pdf.model import Block, Box, Kind, Line, Page, Style, around, joined, shared_height, shared_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Texts = Callable[[Page, Sequence[Asked], Sequence[Line], Style], list[list[Line]]]

_TOUCH = 6.0
"""Points between parts of a drawing that touch, at most."""
_SMALLEST = 16.0
"""Points: narrower or lower images are signs within a line, bullets, rules."""
_LEAST_AREA = 900.0
"""Square points: smaller ones likewise."""
_MAX_PARTS = 400
"""Parts of drawings that are joined to figures; of more, as maps have, the largest."""
_COVERED = 0.33
"""Share of a figure that text may cover."""
_FRAME = 4.0
"""Points between the edges of a frame, which count the width of its line, and of its drawing."""
_LONG = 28
"""Characters of a line of running text at least."""
_RUN = 3
"""Lines under each other that make a paragraph; labels of a diagram have fewer, or shorter ones."""
_RUN_LENGTH = 16
"""Characters of such lines in the mean: columns on a coloured ground are narrow."""
_RUNNING = 0.5
"""Minimum share of the letters within a figure that stand in paragraphs, at which it is a ground behind text."""
_DISPLAYED = 1.4
"""Size, against the running text, from which words over a picture are a title: labels are small."""
_BAR = 5.0
"""Width of a bar behind a title, per point of its height, at least."""
_WORDED = 8
"""Characters of a title on a bitmap at least."""
_PANEL = 10
"""Minimum number of lines on a coloured ground, at which it is a panel of a leaflet if they stand as text does."""
_PANEL_HEIGHT = 0.8
"""Height of a panel, in that of the page, at least: it runs along the page, as no drawing with labels does."""
_PANEL_WIDTH = 0.6
"""Width of a panel, likewise, at most."""
_PANEL_EDGE = 3.0
"""Points by which left edges, or middles, of lines that stand under each other differ at most."""
_CARD = 2, 40
"""Lines, and letters, of a card in a frame, more than the one and at least the other: boxes of a diagram hold less."""
_TYPED = 0.7
"""Share of the letters in a frame that are set in typewriter type at least, if it is one around a listing."""
_LABEL_GAP = 10.0
"""Points from a drawing within which letters on their own belong to it."""


class Place(NamedTuple):
    """Where a figure may stand.

    Attributes:
        box: around images and drawings that touch.
        inside: the free lines in it.
    """

    box: Box
    inside: list[Line]


def places(
    page: Page, lines: Sequence[Line], tables: Sequence[Block], style: Style, *, recognised: bool = False
) -> list[Place]:
    """Return where figures may stand: images and drawings, those that touch as one.

    Args:
        page: the page.
        lines: those of its lines that are free.
        tables: what is known already and stands where figures do not.
        style: the running style of the document.
        recognised: the page is an image.
    """
    known = {id(line) for line in lines}
    stated = [line for line in page.lines if id(line) not in known]
    panels = set() if recognised else {id(box) for box in _panels(page, lines)}
    parts = [
        box
        for box in (*page.images, *page.drawings)
        if id(box) not in panels
        and not _is_small(box)
        and not _is_band(page, box)
        and not any(box.holds(table, 0.5) or table.box.holds(box, 0.7) for table in tables)
        and _printed(box, stated) <= _COVERED * box.area  # else a ground behind text
        and not _is_framed_text(page, box, lines, style)
    ]
    if len(parts) > _MAX_PARTS:
        parts = sorted(parts, key=lambda box: -box.area)[:_MAX_PARTS]
    return [Place(box, [line for line in lines if box.holds(line, 0.6)]) for box in joined(sorted(parts), _TOUCH)]


def _is_band(page: Page, box: Box) -> bool:
    """Return True if a box is a band along an edge of the page, or most of the page."""
    upright = box.width < 0.06 * page.width and box.height > 0.5 * page.height
    level = box.height < 0.03 * page.height and box.width > 0.8 * page.width
    return upright or level or box.area > 0.85 * (page.width * page.height)


def _is_framed_text(page: Page, box: Box, lines: Sequence[Line], style: Style) -> bool:
    """Return True if a box is a frame around text without a picture: a side box, a card, a quote."""
    boxed = any(_same(box, frame) for frame in page.frames) and not any(box.holds(image) for image in page.images)
    return boxed and _is_text([line for line in lines if box.holds(line)], style)


def find_figures(
    page: Page,
    lines: Sequence[Line],
    tables: Sequence[Block],
    style: Style,
    *,
    recognised: bool = False,
    texts: Texts = texts_in,
) -> list[Block]:
    """Return the figures of a page with the lines printed in them: axis labels, words in boxes of a diagram.

    Paragraphs over a picture or a coloured ground, and words displayed there, are text of the page. Of these, rows of
    labels with their values come as blocks of text, which are read row by row; other lines are left free.

    Args:
        page: the page.
        lines: those of its lines that are free.
        tables: what is known already and stands where figures do not.
        style: the running style of the document.
        recognised: the page is an image; what is printed over a picture there is part of it.
        texts: says which lines in each figure are text of the page, where the rules do not; by weights.
    """
    figures: list[Block] = []
    asked: list[Asked] = []
    for place in places(page, lines, tables, style, recognised=recognised):
        if _is_ground(page, place.box, place.inside):
            continue
        pictures = _pictures(page, place.box, 0.5)
        if not recognised and _is_running(place.inside):
            parts = joined(sorted(_pictures(page, place.box, 0.8)), _TOUCH)
            figures += [Block(page.number, [], Kind.FIGURE, [(page.number, part)]) for part in parts]
            continue
        held = [line for line in place.inside if recognised or not _is_displayed(line, style)]
        inside, box, scaled = with_axes(page, place.box, held, lines)
        if not recognised and not scaled:
            asked.append(Asked(box, held, not pictures))
            continue
        if not scaled:
            inside, box = _with_labels(box, inside, lines)
        figures.append(Block(page.number, inside, Kind.FIGURE, [(page.number, box)]))
    return figures + _figures_of(page, asked, texts(page, asked, lines, style), lines)


def _is_ground(page: Page, box: Box, inside: Sequence[Line]) -> bool:
    """Return True if what is drawn at a place is a frame, mostly covered with text, most of the page, or very small."""
    if inside and _is_frame(page, box, inside):
        return True
    printed = sum(line.width * line.height for line in inside)
    printed += sum(word.width * word.height for word in page.sideways if box.holds(word.box, 0.6))
    return printed > _COVERED * box.area or box.area > 0.85 * (page.width * page.height) or box.area < _LEAST_AREA


def _pictures(page: Page, box: Box, share: float) -> list[Box]:
    """Return the images of which a box holds such a share; not the small ones."""
    return [image for image in page.images if box.holds(image, share) and not _is_small(image)]


def _figures_of(
    page: Page, asked: Sequence[Asked], told: Sequence[Sequence[Line]], lines: Sequence[Line]
) -> list[Block]:
    """Return figures without the lines in them that are text; of these, rows of labels with values as blocks.

    Args:
        page: the page.
        asked: the figures.
        told: of each, the lines that are text.
        lines: the free lines of the page.
    """
    figures: list[Block] = []
    let_go = {id(line) for text in told for line in text}
    rest = [line for line in lines if id(line) not in let_go]
    for (box, whole, drawn), text in zip(asked, told, strict=True):
        inside = [line for line in whole if id(line) not in let_go]
        figures += [Block(page.number, row, Kind.TEXT) for row in rows_of_pairs(text)]
        if drawn and text and not inside:
            continue  # a ground behind text
        inside, box = _with_labels(box, inside, rest)
        figures.append(Block(page.number, inside, Kind.FIGURE, [(page.number, box)]))
    return figures


def find_listings(page: Page, lines: Sequence[Line], style: Style) -> list[Block]:
    """Return the listings in frames: lines in typewriter type, row by row, on a page whose other lines are not.

    Args:
        page: with its drawings and frames.
        lines: those of its lines that are free.
        style: the running style of the document.
    """
    found: list[Block] = []
    free = list(lines)
    for box in page.drawings:
        held = [line for line in free if box.holds(line)] if not _is_small(box) else []
        if len(held) < _RUN or len(held) > MOST or not any(_same(box, frame) for frame in page.frames):
            continue
        inside = {id(line) for line in held}
        rest = [line for line in lines if id(line) not in inside]
        other = _is_typed(rest) if rest else style.mono
        if _is_typed(held) and not other and max(map(len, runs_of(held))) >= _RUN:
            found.append(Block(page.number, in_rows(held), Kind.CODE))
            free = [line for line in free if id(line) not in inside]
    return found


def add_sideways(page: Page, figures: Sequence[Block]) -> None:
    """Give charts the words set sideways at their edges, which leave the block of such words of their page."""
    for figure in figures:
        if figure.kind is Kind.FIGURE:
            add_labels(page, figure)


def _panels(page: Page, lines: Sequence[Line]) -> list[Box]:
    """Return the grounds with text that stand side by side along the page, each as high as the next: of a leaflet."""
    high = [
        box
        for box in (*page.images, *page.drawings)
        if _runs_along(page, box) and box.width > _SMALLEST and sum(box.holds(line, 0.6) for line in lines) >= _PANEL
    ]
    return [
        box
        for box in high
        if any(
            (other.left > box.right - _FRAME or other.right < box.left + _FRAME)
            and abs(other.top - box.top) < _FRAME
            and abs(other.bottom - box.bottom) < _FRAME
            for other in high
        )
    ]


def _runs_along(page: Page, box: Box) -> bool:
    """Return True if a box is as high as the page, nearly, and not as wide: a panel of a leaflet."""
    return box.height >= _PANEL_HEIGHT * page.height and box.width <= _PANEL_WIDTH * page.width


def _is_text(held: Sequence[Line], style: Style) -> bool:
    """Return True if the lines in a frame are text, a card or displayed words, rather than labels."""
    return _is_prose(held) or _is_card(held) or (bool(held) and all(_is_displayed(line, style) for line in held))


def _same(one: Box, other: Box) -> bool:
    return all(abs(a - b) < _FRAME for a, b in zip(one, other, strict=True))


def _is_prose(lines: Iterable[Line]) -> bool:
    """Return True if most of the text of lines stands in long ones, two at least: labels of a diagram are short."""
    lengths = [line.length for line in lines]
    long = [length for length in lengths if length >= _LONG]
    return len(long) >= 2 and sum(long) > 0.6 * sum(lengths)


def _is_card(lines: Sequence[Line]) -> bool:
    """Return True if lines are a title, larger or bolder than the rest, over a text; all at one edge or one middle."""
    if len(lines) <= _CARD[0] or sum(line.length for line in lines) < _CARD[1]:
        return False
    title, *text = sorted(lines, key=lambda line: line.top)
    size, bold = max(line.size for line in text), max(line.bold for line in text)
    at_edge = all(is_at_edge(title, line, _PANEL_EDGE) for line in text)
    centred = all(is_centred(title, line, _PANEL_EDGE) for line in text)
    return (at_edge or centred) and is_set_off(title.size, title.bold, size, bold)


def _is_typed(lines: Sequence[Line]) -> bool:
    return sum(line.mono * line.length for line in lines) > _TYPED * sum(line.length for line in lines)


def _is_running(lines: Sequence[Line]) -> bool:
    """Return True if most of the letters of lines are in paragraphs: lines of one size under each other, as text is."""
    runs: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.top, line.left)):
        for run in runs:
            last = run[-1]
            near = 0.7 * line.size < line.bottom - last.bottom < 1.7 * line.size
            if near and abs(line.left - run[0].left) < 2 and abs(line.size - last.size) < 0.06 * line.size:
                run.append(line)
                break
        else:
            runs.append([line])
    running = sum(
        sum(line.length for line in run)
        for run in runs
        if (len(run) >= _RUN and sum(line.length for line in run) >= _RUN_LENGTH * len(run))
        or (len(run) > 1 and sum(line.length for line in run) >= _LONG * len(run))
    )
    return running > _RUNNING * sum(line.length for line in lines) and running >= _RUN * _LONG


def _is_displayed(line: Line, style: Style) -> bool:
    letters = sum(character.isalpha() for word in line.words for character in word.text)
    return line.size > _DISPLAYED * style.size and letters >= max(4, 0.6 * line.length)


def _is_small(box: Box) -> bool:
    wide, high = box.width, box.height
    return wide < _SMALLEST or high < _SMALLEST or wide * high < _LEAST_AREA


def _printed(box: Box, lines: Sequence[Line]) -> float:
    """Return the area of a box that lines cover."""
    area = 0.0
    for line in lines:
        wide = shared_width(line, box)
        high = shared_height(line, box)
        area += max(wide, 0.0) * max(high, 0.0)
    return area


def _with_labels(box: Box, inside: list[Line], lines: Sequence[Line]) -> tuple[list[Line], Box]:
    """Return the lines and the box of a figure with the letters that stand at its edge: names of axes and points."""
    near = box.grown(_LABEL_GAP)
    known = {id(line) for line in inside}
    labels = [line for line in lines if line.length <= 4 and id(line) not in known and near.holds(line, 0.7)]
    if not labels:
        return inside, box
    return sorted([*inside, *labels], key=lambda line: (line.top, line.left)), box.union(around(labels))


def _is_frame(page: Page, box: Box, inside: Sequence[Line]) -> bool:
    """Return True if a drawing is a frame or a ground behind text: a box around a heading, a line under it."""
    low = box.height < 3.2 * max(line.size for line in inside)
    if any(box.holds(image, 0.3) and image.holds(box, 0.05) for image in page.images):
        # A bitmap may be a bar, too: low, long, and with words all of one height on it.
        bar = box.width > _BAR * box.height
        return low and bar and sum(line.length for line in inside) >= _WORDED
    wide = sum(line.width > 0.55 * box.width for line in inside)
    return low or wide >= max(2, 0.5 * len(inside))


def drop_repeated(pages: Sequence[Page]) -> None:
    """Drop images and drawings that come back at the same place on many pages: logos, rules, grounds."""
    frames.drop_repeated(pages, "images", "drawings")
