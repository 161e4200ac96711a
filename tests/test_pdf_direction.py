"""PDF pages read from right to left or from top to bottom: words as they are read, boxes as they are printed."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from drawn_letters import SIZE, WIDTH, column, row, write_letters

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf.reader import PdfReader
from ragraph.pdf.page.bidi import Item, drawn_as_read, in_reading_order

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

CHROMIUM = os.environ.get("RAGRAPH_CHROMIUM") or shutil.which("chromium") or ""


def read(path: Path) -> Draft:
    return PdfReader().read(path, ReadOptions())


def texts(draft: Draft) -> list[str]:
    return [node.text for node in draft.nodes]


# as they are read, and as they stand on the page from left to right (brackets as they look)
LINES = [
    ("פרק 1: מבוא", "אובמ :1 קרפ"),
    ("נוסדה בשנת 1993 על ידי Ian Murdock והיא", "איהו Ian Murdock ידי לע 1993 תנשב הדסונ".replace("ידי", "ידי"[::-1])),
    ("(ראו סעיף 2.3) עם 15,490 ו-11", "11-ו 15,490 םע (2.3 ףיעס ואר)"),
    ("בערוצי IRC.", ".IRC יצורעב"),
    ("הקובץ (גודלו 650 MB).", ".(MB 650 ולדוג) ץבוקה"),
    ("המחיר $25.50, כלומר 30% פחות", "תוחפ 30% רמולכ ,$25.50 ריחמה"),
    ("מערכת Debian (GNU/Linux) טובה", "הבוט Debian (GNU/Linux) תכרעמ"),
    ("גרסת Windows 95 ועוד", "דועו Windows 95 תסרג"),
    ("האתר https://debian.org/a/ פתוח", "חותפ /https://debian.org/a רתאה"),
    ("بنسبة 30%؛ انظر", "رظنا ؛%30 ةبسنب"),
    ("سنة ١٩٩٣ و١٢٬٣٤٥", "١٢٬٣٤٥و ١٩٩٣ ةنس"),
    ("بين 1990-1995 كان", "ناك 1995-1990 نيب"),
]


@pytest.mark.parametrize(("said", "seen"), LINES)
def test_letters_are_put_in_the_order_in_which_they_are_read(said: str, seen: str) -> None:
    items = [Item(sign, float(place), place + 1.0) for place, sign in enumerate(seen)]
    placed = in_reading_order(items, base_right=True, mirror=float(len(seen)), swap=True)
    assert "".join(one.text for one in placed) == said
    assert [one.left for one in placed] == [float(place) for place in range(len(seen))]
    assert sorted(one.number for one in placed) == list(range(len(seen)))


def test_brackets_are_known_as_drawn_or_as_read() -> None:
    looks, reads = ([Item(sign, 0.0, 1.0) for sign in text] for text in ("(2.3 ואר)", ")2.3 ואר("))
    assert not drawn_as_read([looks])
    assert drawn_as_read([reads])
    placed = in_reading_order(reads, base_right=True, mirror=9.0, swap=False)
    assert "".join(one.text for one in placed) == "(ראו 2.3)"


def test_a_page_of_hebrew_is_read_from_the_right(tmp_path: Path) -> None:
    letters = []
    for place, (_, seen) in enumerate(LINES[:9]):
        letters += row(seen, 380, 460 - 30 * place)
    draft = read(write_letters(tmp_path / "hebrew.pdf", letters))
    together = " ".join(texts(draft))
    assert [said for said, _ in LINES[:9] if said not in together] == []
    # the first word of a line stands at its right
    first = next(node for node in draft.nodes if node.text.startswith("פרק"))
    box = first.positions[0].bbox
    assert box is not None
    assert round(box.x2) == 380
    assert round(box.x1) == round(380 - WIDTH * max(len(seen) for _, seen in LINES[:9]))
    assert draft.pages[0].width == 400


def test_letters_in_the_order_of_the_text_are_read_as_well(tmp_path: Path) -> None:
    said, seen = LINES[2]
    letters = sorted(row(seen, 380, 460), key=lambda letter: -letter[0])
    assert said in " ".join(texts(read(write_letters(tmp_path / "logical.pdf", letters))))


def test_the_right_column_comes_first(tmp_path: Path) -> None:
    letters = []
    for place in range(16):
        y = 470 - 14 * place
        right = f"{'אבגדה'[place % 5]}ימין"[::-1]
        left = f"{'אבגדה'[place % 5]}שמאל"[::-1]
        letters += row(f"{left} {left} {left} {left}", 180, y) + row(f"{right} {right} {right} {right}", 380, y)
    together = " ".join(texts(read(write_letters(tmp_path / "columns.pdf", letters))))
    assert together.rindex("ימין") < together.index("שמאל")


def test_a_line_of_hebrew_within_english_is_read_from_the_right(tmp_path: Path) -> None:
    letters = []
    for place in range(6):
        letters += row("The system was made by many people.", 380, 460 - 14 * place)
    letters += row("They call it " + "תכרעמ הבוט"[::1] + " there.", 380, 460 - 14 * 6)
    together = " ".join(texts(read(write_letters(tmp_path / "english.pdf", letters))))
    assert "They call it טובה מערכת there." in together.replace("מערכת טובה", "טובה מערכת")
    assert "הבוט" not in together


VERTICAL = [
    "吾輩は猫である。名前はまだ無い。どこで生れたか",
    "とんと見当がつかぬ。何でも薄暗い所で泣いて",
    "いた事だけは記憶している。",
]


def test_columns_from_top_to_bottom_are_read(tmp_path: Path) -> None:
    letters = [one for place, text in enumerate(VERTICAL) for one in column(text, 350 - 22 * place, 470)]
    letters += [(200.0, 20.0, "1"), (212.0, 20.0, "2")]
    draft = read(write_letters(tmp_path / "vertical.pdf", letters, width=SIZE))
    assert "".join(VERTICAL) in texts(draft)
    assert "12" in texts(draft)
    text = next(node for node in draft.nodes if node.text.startswith("吾輩"))
    box = text.positions[0].bbox
    assert box is not None
    # three columns of twelve points, 22 apart, on the right half of a page that keeps its size
    assert (round(box.x1), round(box.x2)) == (306, 362)
    assert box.y1 < 60
    assert (draft.pages[0].width, draft.pages[0].height) == (400, 500)


PAGE = """<html lang=he dir=rtl><meta charset=utf-8><style>body{font-family:'DejaVu Sans';font-size:11pt}</style>
<h1>פרק 1: מבוא</h1><p>%s</p><ol><li>פריט ראשון</li><li>פריט שני (גודלו 650 MB).</li></ol>
<table border=1><tr><th>שם</th><th>גרסה</th></tr><tr><td>סארג</td><td>3.1</td></tr></table><p>שְׁמַע יִשְׂרָאֵל</p></html>"""
PROSE = (
    "המערכת נוסדה בשנת 1993 על ידי Ian Murdock והיא נפוצה בעולם (ראו סעיף 2.3). בשנת 2004 יצאה גרסה 3.1"
    " עם 15,490 חבילות ותמיכה ב-11 ארכיטקטורות, ומחירה $25.50 בלבד. האתר https://www.debian.org/releases/ פתוח לכל."
)


@pytest.mark.skipif(not CHROMIUM, reason="Chromium is missing: apt-get install chromium")
@pytest.mark.parametrize("tagged", [True, False])
def test_a_printed_web_page_is_read_as_it_was_written(tmp_path: Path, tagged: bool) -> None:
    page, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(PAGE % PROSE, encoding="utf-8")
    tags = [] if tagged else ["--disable-pdf-tagging"]
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", *tags]
    subprocess.run(
        [*command, f"--user-data-dir={tmp_path}/profile", f"--print-to-pdf={printed}", page.as_uri()],
        capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    found = texts(read(printed))
    if "נוסדה" not in "".join(found) and "הדסונ" not in "".join(found):
        pytest.skip("no font of this machine has Hebrew letters")
    assert PROSE in found
    assert "פריט שני (גודלו 650 MB)." in found
    assert "שְׁמַע יִשְׂרָאֵל" in found
    if tagged:  # four cells alone make no table
        assert "שם | גרסה\nסארג | 3.1" in found
