"""Build the documentation as a web site: `make site`, into site/.

    python -m docs.site

The site has the pages of docs/, and the README as its front page. Links out of docs/ become plain text, because a
site has no checkout around it. The build fails if a link is dead, or if a page loads something from elsewhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
SITE = ROOT / "site"
ELSEWHERE = {
    ROOT / "README.md": "index.md",
    ROOT / "CHANGELOG.md": "changelog.md",
    ROOT / "SECURITY.md": "security.md",
    ROOT / "schema" / "diagram.md": "diagram.md",
}
"""Pages of the site that are not in docs/."""
LEFT_OUT = frozenset({Path("README.md"), Path("reference/sql-head.md")})
"""Pages of docs/ that the site does not have: its navigation lists all pages, and the head is part of another page."""
_LINK = re.compile(r"(?<!!)\[(?P<words>(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\((?P<target>[^)\s]+)\)")
_LOADED = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^\s\"'>]+", re.IGNORECASE
)
_STYLED = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^\s\"')]+", re.IGNORECASE)


def main() -> None:
    """Build the site. Exit code 1 if a link is dead or something would be fetched."""
    with TemporaryDirectory(prefix="ragraph-site-") as folder:
        pages = Path(folder) / "docs"
        _pages(pages)
        shutil.copy(ROOT / "zensical.toml", folder)
        build = [str(Path(sys.executable).parent / "zensical"), "build", "--strict"]
        done = subprocess.run(build, cwd=folder, check=False)
        if done.returncode:
            sys.exit(done.returncode)
        shutil.rmtree(SITE, ignore_errors=True)
        shutil.copytree(Path(folder) / "site", SITE)
    if found := fetched(SITE):
        sys.exit("these would be fetched from elsewhere:\n" + "\n".join(found))
    print(f"{sum(1 for _ in SITE.rglob('*.html'))} pages in {SITE}")


def _pages(folder: Path) -> None:
    """Copy the pages, with links as the site needs them."""
    folder.mkdir()
    for path in sorted((ROOT / "docs").rglob("*")):
        name = path.relative_to(ROOT / "docs")
        if path.suffix in {".svg", ".webp"}:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / name)
        elif path.suffix == ".md" and name not in LEFT_OUT:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(linked(path.read_text(), path, name.parent))
    for path, made in ELSEWHERE.items():
        (folder / made).write_text(linked(path.read_text(), path, Path()))


def linked(text: str, path: Path, folder: Path) -> str:
    """Return a page with links as the site needs them.

    Args:
        text: the page.
        path: its file in the checkout.
        folder: its folder in the site.
    """
    up = "../" * len(folder.parts)

    def replaced(match: re.Match[str]) -> str:
        words, target = match["words"], match["target"]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        place, sign, anchor = target.partition("#")
        there = (path.parent / place).resolve()
        if there in ELSEWHERE:
            return f"[{words}]({up}{ELSEWHERE[there]}{sign}{anchor})"
        inside = there.is_relative_to(ROOT / "docs") and there.relative_to(ROOT / "docs") not in LEFT_OUT
        if inside and there.suffix in {".md", ".webp", ".svg"}:
            return f"[{words}]({up}{there.relative_to(ROOT / 'docs')}{sign}{anchor})"
        return words

    text = _LINK.sub(replaced, text)
    return re.sub(r"(!\[[^\]]*\]\()docs/", r"\1", text)


def fetched(site: Path) -> list[str]:
    """Return what the pages of a site would load from elsewhere, one line each."""
    found = []
    for path in sorted(site.rglob("*")):
        pattern = {".html": _LOADED, ".css": _STYLED}.get(path.suffix)
        if pattern is not None:
            found += [
                f"{path.relative_to(site)}: {match[0]}" for match in pattern.finditer(path.read_text(errors="replace"))
            ]
    return found


if __name__ == "__main__":
    main()
