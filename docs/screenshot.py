"""Make the picture of the README: a hit on its page. `make screenshot`; needs Debian's Chromium.

    python -m docs.screenshot

It shows the documents of `examples/documents`, in the user interface as it is today.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from bench.throwaway import throwaway_store

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "page.png"
DOCUMENT = "dl_nist_sp_800_207"
SIZE = {"width": 1360, "height": 1060}
COLOURS = 128


def main() -> None:
    """Serve the examples, and take the picture."""
    with throwaway_store() as store:
        store.ingest([ROOT / "examples" / "documents"])
        url = store.database.url
        command = [str(Path(sys.executable).parent / "ragraph"), "--url", url, "serve", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                printed = server.stdout.readline() if server.stdout else ""
                _take(printed.split()[2].rstrip("/"))
            finally:
                server.terminate()


def _take(address: str) -> None:
    from PIL import Image

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.goto(f"{address}/documents/{DOCUMENT}?q=who+makes+the+decision+to+grant+access&within=document&hit=1")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(300)
        page.screenshot(path=TARGET)
        browser.close()
    with Image.open(TARGET) as picture:
        picture.convert("RGB").quantize(COLOURS).save(TARGET, optimize=True)
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
