"""Articles printed to PDF in styles drawn by lot, with their truth: pages of which every block is known.

    python -m bench.doubts.articles --articles DIR --pdfs PDFS [--chromium PROGRAM]

DIR holds articles in JATS, in any folders below it. A piece of each is printed by Chromium: type, columns, titles,
tables, running heads and the sheet are drawn by the digest of its name, so that everybody draws the same. Of one in
fifteen the first pages are scanned, too.
``PDFS/NAME.json`` is the truth beside ``PDFS/NAME.pdf``: the blocks in reading order, tables with their rows.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import random
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers import ReadOptions, reader_for
from ragraph.schema.enums import ContentNodeType as Type

if TYPE_CHECKING:
    from ragraph.ingest.draft import DraftNode

_FEWEST, _MOST = 40, 130
"""Nodes of a piece of an article."""
SCANNED = "-scan"
"""End of the name of a scan."""
_OF_SCANS, _SCANNED_PAGES = 15, 3
"""Of how many articles one is scanned, and how many pages of it."""
_SERIF, _SANS = ("Liberation Serif", "DejaVu Serif"), ("Liberation Sans", "DejaVu Sans", "Liberation Sans Narrow")
_WORDS = (
    "Control",
    "Treated",
    "Dose (mg)",
    "Weeks",
    "Change (%)",
    "Placebo",
    "Score",
    "Time (h)",
    "n = 24",
    "p < 0.05",
)


def main() -> None:
    """Print all articles that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=Path, required=True, help="folder of articles in JATS")
    parser.add_argument("--pdfs", type=Path, required=True, help="folder to write to")
    parser.add_argument("--chromium", default="chromium")
    chosen = parser.parse_args()
    chosen.pdfs.mkdir(parents=True, exist_ok=True)
    for path in sorted(path for kind in ("*.nxml", "*.xml") for path in chosen.articles.rglob(kind)):
        target = chosen.pdfs / f"{path.stem}.pdf"
        if not target.exists():
            page, truth = article(path)
            target.with_suffix(".json").write_text(json.dumps(truth, ensure_ascii=False), encoding="utf-8")
            _print(page, target, chosen.chromium)
        if int(hashlib.sha256(path.stem.encode()).hexdigest(), 16) % _OF_SCANS == 0:
            _scan(target, target.with_stem(target.stem + SCANNED))


def article(path: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return a piece of an article as a page of HTML, and its blocks in order.

    A block has ``type``, ``text``, ``level`` of a heading, ``rows`` of a table, and ``free`` where nothing is asked of
    it: names and addresses of authors, and what stands in figures.
    """
    lot = random.Random(hashlib.sha256(path.stem.encode()).hexdigest())
    nodes = reader_for(path).read(path, ReadOptions()).nodes
    first = 0 if lot.random() < 0.5 else lot.randrange(max(len(nodes) - _FEWEST, 1))
    nodes = nodes[first : first + lot.randint(_FEWEST, _MOST)]
    body = _Body(lot)
    for node in nodes:
        body.add(node)
    head = f"<!doctype html><html lang=en><meta charset=utf-8><title>article</title><style>{_style(lot)}</style>"
    return f"{head}<body>{''.join(body.parts)}</body></html>", body.truth


class _Body:
    """The body of the page as it grows, with its truth."""

    def __init__(self, lot: random.Random) -> None:
        self.lot = lot
        self.parts: list[str] = []
        self.truth: list[dict[str, Any]] = []
        self.numbered = lot.random() < 0.4
        self.counts = [0] * 7
        self.entry = 0
        self.bullet = lot.choice(["• ", "– ", ""])

    def add(self, node: DraftNode) -> None:
        """Add a node of the article."""
        text = node.text.strip()
        if node.type is Type.TITLE:
            self._block("h1", "title", "TITLE", text)
        elif node.type is Type.AUTHOR:
            self._block("p", "author", "AUTHOR", text, free=True)
        elif node.type is Type.HEADING:
            self._heading(text, min(max((node.level or 2) - 1, 1), 4))
        elif node.type is Type.TABLE:
            self._table(node)
        elif node.type is Type.FIGURE:
            self._figure()
        elif node.type is Type.BIBLIOGRAPHIC_ENTRY and text:
            self.entry += 1
            self._block("p", "entry", "BIBLIOGRAPHIC_ENTRY", f"{self.entry}. {text}")
        elif node.type is Type.LIST_ITEM and text:
            self._block("p", "item", "LIST_ITEM", (self.bullet or "• ") + text)
        elif node.type is Type.CAPTION and text:
            self._block("p", "caption", "CAPTION", text)
        elif node.type is Type.NOTE and text:
            self._block("p", "note", "NOTE", text)
        elif text and node.data.get("role"):  # where authors are, printed like them
            self._block("p", "author", "PARAGRAPH", text, free=True)
        elif text:
            self._block("p", "text", "LIST_ITEM" if text[0] in "•–" else "PARAGRAPH", text)

    def _block(self, tag: str, kind: str, type: str, text: str, **more: Any) -> None:
        plain = text.replace("*", "").replace("\\", "")
        self.parts.append(f'<{tag} class="{kind}">{html.escape(plain)}</{tag}>')
        self.truth.append({"type": type, "text": plain, **more})

    def _heading(self, text: str, level: int) -> None:
        self.counts[level] += 1
        self.counts[level + 1 :] = [0] * (6 - level)
        number = ".".join(str(max(count, 1)) for count in self.counts[1 : level + 1])
        self._block(f"h{level + 1}", "heading", "HEADING", f"{number} {text}" if self.numbered else text, level=level)

    def _table(self, node: DraftNode) -> None:
        rows = node.data.get("cells") or []
        if not rows or len(rows[0]) < 2:
            return
        spans = {(row, column): (high, wide) for row, column, high, wide in node.data.get("spans") or []}
        covered = {(row + y, column + x) for (row, column), (high, wide) in spans.items()
                   for y in range(high) for x in range(wide)} - set(spans)  # fmt: skip
        heads = node.data.get("header_rows") or 0
        lines = []
        for row, cells in enumerate(rows):
            tag = "th" if row < heads else "td"
            made = []
            for column, text in enumerate(cells):
                if (row, column) not in covered:
                    high, wide = spans.get((row, column), (1, 1))
                    made.append(f"<{tag} rowspan={high} colspan={wide}>{html.escape(text)}</{tag}>")
            lines.append(f"<tr>{''.join(made)}</tr>")
        self.parts.append(f"<table>{''.join(lines)}</table>")
        self.truth.append({"type": "TABLE", "text": "", "rows": rows})

    def _figure(self) -> None:
        lot = self.lot
        bars = "".join(
            f"<rect x={40 + 30 * at} y={150 - high} width=20 height={high}"
            f" fill='#{lot.choice(['888', '36a', 'c44'])}'/>"
            for at, high in enumerate(lot.choices(range(20, 130), k=6))
        )
        words = lot.sample(_WORDS, 4)
        texts = "".join(
            f"<text x={lot.randrange(40, 200)} y={lot.randrange(14, 175)} font-size=9>{html.escape(word)}</text>"
            for word in words
        )
        scale = "".join(f"<text x=10 y={150 - 40 * at} font-size=8>{20 * at}</text>" for at in range(4))
        axes = "<path d='M35 10V150H230' stroke='black' fill='none'/>"
        self.parts.append(f"<svg width=240 height=180 class=figure>{axes}{bars}{texts}{scale}</svg>")
        for text in (*words, *(str(20 * at) for at in range(4))):
            self.truth.append({"type": "FIGURE", "text": text, "free": True})


def _style(lot: random.Random) -> str:
    size = lot.uniform(8.5, 12)
    body = lot.choice(_SERIF + _SANS)
    heads = lot.choice([body, *_SANS])
    columns = lot.choice([1, 1, 1, 2, 2])
    sheet = lot.choice(["A4", "letter", "6in 9in"])
    head = lot.choice(["", "Journal of Experimental Trials 2011, 4:17", "Preprint, not peer reviewed", "Annual Review"])
    foot = lot.choice(["", "counter(page)", '"Page " counter(page) " of " counter(pages)', '"www.example.org/trials"'])
    where = lot.choice(["@bottom-center", "@bottom-right", "@top-right"])
    largest = lot.uniform(1.0, 1.6)
    steps = [largest, (largest + 1) / 2, lot.choice([1.0, 1.1]), 1.0]
    styles = ["font-weight:bold", "font-weight:bold;font-style:italic", "font-style:italic;font-weight:normal",
              "font-weight:normal;text-transform:uppercase", "font-weight:bold;color:#235"]  # fmt: skip
    titles = "".join(
        f"h{level + 2}{{font-size:{step:.2f}em;{lot.choice(styles[:2] if level == 0 else styles)};"
        f"margin:{lot.uniform(0.4, 1.4):.2f}em 0 {lot.uniform(0.1, 0.5):.2f}em}}"
        for level, step in enumerate(steps)
    )
    rules = lot.choice([
        "td,th{border:0.5pt solid #333}",
        "table{border-top:1pt solid;border-bottom:1pt solid}tr:first-child th{border-bottom:0.6pt solid}",
        "tr:nth-child(even){background:#eee}",
        "",
    ])  # fmt: skip
    apart = lot.choice(["margin:0 0 0.6em", "margin:0;text-indent:1.5em", "margin:0 0 0.3em"])
    margins = f"@top-left{{content:'{head}';font-size:8pt}}" if head else ""
    margins += f"{where}{{content:{foot};font-size:8pt}}" if foot else ""
    return (
        f"@page{{size:{sheet};margin:{lot.uniform(14, 26):.0f}mm;{margins}}}"
        f"body{{font:{size:.1f}pt/{lot.uniform(1.1, 1.5):.2f} '{body}';margin:0;columns:{columns};column-gap:7mm;"
        f"text-align:{lot.choice(['justify', 'left'])};hyphens:{lot.choice(['auto', 'manual'])}}}"
        f"h1,h2,h3,h4,h5{{font-family:'{heads}'}}h1{{font-size:{lot.uniform(1.4, 2.2):.1f}em;"
        f"text-align:{lot.choice(['left', 'center'])}}}{titles}"
        f"p.text{{{apart}}}p.author{{margin:0}}p.entry,p.item{{margin:0 0 0.2em;padding-left:1.5em;text-indent:-1.5em}}"
        f"p.caption,p.note{{font-size:{lot.choice([0.8, 0.9, 1.0])}em;margin:0.4em 0}}"
        f"table{{border-collapse:collapse;font-size:{lot.uniform(0.75, 1):.2f}em;margin:0.6em 0;max-width:100%}}"
        f"td,th{{padding:{lot.uniform(0.5, 3):.1f}pt {lot.uniform(2, 8):.1f}pt;vertical-align:top;"
        f"text-align:{lot.choice(['left', 'left', 'center', 'right'])}}}{rules}.figure{{display:block;margin:0.6em 0}}"
    )


def _print(page: str, target: Path, chromium: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page, encoding="utf-8")
        subprocess.run(
            [
                chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                "--no-pdf-header-footer", "--disable-pdf-tagging", f"--print-to-pdf={target.resolve()}",
                source.as_uri(),
            ],
            timeout=120, check=False, capture_output=True,
        )  # fmt: skip


def _scan(source: Path, target: Path) -> None:
    """Write pictures of the first pages of a file, as a scanner of middling quality makes them."""
    import pypdfium2

    lot = random.Random(hashlib.sha256(target.stem.encode()).hexdigest())
    with pypdfium2.PdfDocument(source) as pdf:
        scale = lot.choice([150, 200, 300]) / 72
        drawn = [pdf[number].render(scale=scale).to_pil() for number in range(min(_SCANNED_PAGES, len(pdf)))]
    first, *rest = (page.convert("L").rotate(lot.uniform(-0.7, 0.7), fillcolor=250) for page in drawn)
    first.save(
        target, "PDF", resolution=72 * scale, save_all=True, append_images=rest, quality=lot.choice([40, 60, 80])
    )


if __name__ == "__main__":
    main()
