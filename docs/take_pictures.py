"""Take the pictures of the pages in docs/pictures. `make pictures`; needs Debian's Chromium.

    python -m docs.take_pictures [--url URL]

They show the documents of `examples/documents`, in the user interface as it is today. ``--url`` names a store that has
them already; without it they are ingested into a temporary one.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import ragraph
from bench.throwaway import throwaway_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from ragraph import Store

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 1360, 1000
MOST_BYTES = 150_000
"""Maximum size of a picture: they are part of the repository."""
REPORT = "dl_nist_sp_800_207"
QUESTION = "who makes the decision to grant access"


def _hit(store: Store) -> str:
    return f"/documents/{REPORT}?{urlencode({'q': QUESTION, 'within': 'document', 'hit': 1})}"


def _library(store: Store) -> str:
    return "/"


def _graph(store: Store) -> str:
    figures = [node.id for node in store.nodes(REPORT, type="FIGURE")]
    node = max(figures, key=lambda figure: len(store.related(REPORT, figure, direction="both")))
    return f"/documents/{REPORT}/graph?node={node}"


def _side(store: Store) -> str:
    others = [item.id for item in store.documents() if item.id != REPORT]
    section = next(entry for entry in store.toc(REPORT) if "Tenets" in (entry.title or ""))
    first = f"{REPORT}?{urlencode({'section': section.component_id})}"
    return "/side?" + urlencode({"at": [first, others[0]]}, doseq=True)


def _questions(store: Store) -> str:
    return "/answer?" + urlencode({"q": QUESTION, "document": REPORT, "within": "document"})


PAGES: dict[str, Callable[[Store], str]] = {
    "hit": _hit,
    "library": _library,
    "graph": _graph,
    "side": _side,
    "questions": _questions,
}
"""The pictures by name; each function returns the address of the page."""


def main() -> None:
    """Serve the examples, and take the pictures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", help="a store that has the documents of examples/documents")
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    if given.url:
        with ragraph.open(given.url) as store:
            _serve(store)
        return
    with throwaway_store() as store:
        store.ingest([ROOT / "examples" / "documents"])
        _serve(store)


def _serve(store: Store) -> None:
    from playwright.sync_api import sync_playwright

    url = store.database.url
    command = [str(Path(sys.executable).parent / "ragraph"), "--url", url, "serve", "--port", "0", "--write"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            printed = server.stdout.readline() if server.stdout else ""
            address = printed.split()[2].rstrip("/")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                for name, path in PAGES.items():
                    page.goto(address + path(store))
                    _take(page, FOLDER / f"{name}.webp")
                browser.close()
        finally:
            server.terminate()


def _take(page: Page, target: Path) -> None:
    """Write a picture, in the best quality that is small enough."""
    import io

    from PIL import Image

    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        for quality in (90, 80, 70, 60, 50):
            picture.convert("RGB").save(target, quality=quality, method=6)
            if target.stat().st_size <= MOST_BYTES:
                break
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
