"""Print web pages of public repositories to tagged PDF files, as a screen shows them: leaflets whose headings are told.

    python -m ragraph.pdf.training.printing --checkouts DIR --pdfs PDFS [--chromium PROGRAM]

``printed.jsonl`` names the pages: repository, commit, path, SHA-256 of the page and the sheet in CSS pixels. DIR holds
what ``git archive COMMIT`` gives of each repository, in a folder OWNER+NAME. Chromium tags h1 to h6 of what it prints.
Rules of style for printing are put aside, scripts are left out, as are the curtains that they would draw away.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
_SCRIPT = re.compile(r"<script\b.*?</script\s*>|<noscript\b.*?</noscript\s*>", re.DOTALL | re.IGNORECASE)
_PRINTED = re.compile(r"@media\s+(only\s+)?print\b", re.IGNORECASE)
_SHOWN = re.compile(r"@media\s+(only\s+)?screen\b", re.IGNORECASE)
_FOR_PRINT = re.compile(r"<link\b[^>]*media\s*=\s*[\"']?print[^>]*>", re.IGNORECASE)
_FOR_SCREEN = re.compile(r"media\s*=\s*[\"']?screen(, *projection)?[\"']?", re.IGNORECASE)
_STYLE = """<style>
@page {{ size: {width}px {height}px; margin: 0 }}
html, body {{ height: auto !important; overflow: visible !important }}
* {{ -webkit-print-color-adjust: exact !important; animation: none !important; transition: none !important }}
.wow, .animate-box, [data-aos], [class*=animat], [class*=fade], [class*=reveal]
{{ opacity: 1 !important; visibility: visible !important; transform: none !important }}
[class*=preload], [id*=preload], [class*=loader], [id*=loader], .se-pre-con, #status {{ display: none !important }}
</style>"""
"""A sheet without margins, in the colours of the screen, and shown what scripts would show on scrolling."""


def main() -> None:
    """Print all pages of the list that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True, help="folder of the repositories, OWNER+NAME each")
    parser.add_argument("--pdfs", type=Path, required=True, help="folder to write to")
    parser.add_argument("--chromium", default="chromium")
    chosen = parser.parse_args()
    for line in (HERE / "printed.jsonl").read_text(encoding="utf-8").splitlines():
        page = json.loads(line)
        target = chosen.pdfs / f"{page['sha256'][:16]}.pdf"
        if not target.exists():
            source = chosen.checkouts / page["source"].replace("/", "+") / page["path"]
            print_page(source, page["sha256"], tuple(page["sheet"]), target, chosen.chromium)


def print_page(source: Path, digest: str, sheet: tuple[int, int], target: Path, chromium: str) -> None:
    """Print a page; nothing is written where Chromium prints none.

    Args:
        source: the page, among the files that it draws on.
        digest: its SHA-256; ``ValueError`` if it has another.
        sheet: width and height in CSS pixels.
        target: file to write.
        chromium: program to print with.
    """
    if hashlib.sha256(source.read_bytes()).hexdigest() != digest:
        raise ValueError(f"{source} is another page than the list says")
    with tempfile.TemporaryDirectory() as folder:
        base = _base(source)
        copy = Path(folder) / "site"
        shutil.copytree(base, copy, ignore=shutil.ignore_patterns("*.mp4", "*.zip", "*.psd", ".git"))
        for style in copy.rglob("*.css"):
            text = style.read_text(encoding="utf-8", errors="replace")
            style.write_text(_for_screen(text), encoding="utf-8")
        page = copy / source.relative_to(base)
        text = _SCRIPT.sub("", page.read_text(encoding="utf-8", errors="replace"))
        text = _for_screen(_FOR_SCREEN.sub("", _FOR_PRINT.sub("", text)))
        sheeted = _STYLE.format(width=sheet[0], height=sheet[1])
        at = text.lower().rfind("</head>")
        page.write_text(text[:at] + sheeted + text[at:] if at >= 0 else sheeted + text, encoding="utf-8")
        profile = Path(folder) / "profile"
        subprocess.run(
            [
                chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                "--no-pdf-header-footer", "--host-resolver-rules=MAP * ~NOTFOUND", "--export-tagged-pdf",
                f"--print-to-pdf={target.resolve()}", page.as_uri(),
            ],
            timeout=120, check=False, capture_output=True,
        )  # fmt: skip


def _base(source: Path) -> Path:
    """Return the folder that a page draws on: its own, or that above it where it refers there."""
    base = source.parent
    if "../" in source.read_text(encoding="utf-8", errors="replace"):
        base = base.parent
    return base


def _for_screen(text: str) -> str:
    return _SHOWN.sub("@media all", _PRINTED.sub("@media speech", text))


if __name__ == "__main__":
    main()
