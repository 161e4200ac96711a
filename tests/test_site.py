"""The documentation as a site: its links hold, nothing in it is fetched from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import site

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see [SQL](docs/sql.md#views)", "see [SQL](sql.md#views)"),
        ("see [the file](bench/kill.py)", "see the file"),
        ("[![A hit](docs/page.png)](docs/serving.md)", "[![A hit](page.png)](serving.md)"),
        ("[outside](https://example.org/a.md), [here](#below)", "[outside](https://example.org/a.md), [here](#below)"),
        ("[tables](schema/diagram.md)", "[tables](diagram.md)"),
    ],
)
def test_links_hold_in_the_site(text: str, shown: str) -> None:
    assert site.linked(text, ROOT / "README.md", Path()) == shown


def test_links_of_pages_in_folders_lead_up() -> None:
    page = ROOT / "docs" / "decisions" / "0001-one-schema-everywhere.md"
    assert (
        site.linked("[R](../../README.md) [P](../pdf.md)", page, Path("decisions")) == "[R](../index.md) [P](../pdf.md)"
    )


def test_what_is_fetched_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<link href="https://fonts.example/css"><a href="https://example.org">x</a>'
        "<script src=//cdn.example/x.js></script>"
    )
    (tmp_path / "b.css").write_text("@import 'https://fonts.example/a'; a { background: url(data:image/png;base64,) }")
    assert len(site.fetched(tmp_path)) == 3


def test_tests_that_a_page_names_are_there() -> None:
    named = set(re.findall(r"`(test_\w+\.py)`", (ROOT / "docs" / "threat-model.md").read_text()))
    assert named
    assert named <= {path.name for path in (ROOT / "tests").glob("test_*.py")}


def test_every_page_is_in_the_navigation() -> None:
    named = set(re.findall(r'"([\w-]+\.md)"', (ROOT / "zensical.toml").read_text()))
    made = {"index.md", "diagram.md", "changelog.md", "security.md"}
    written = {path.name for path in (ROOT / "docs").glob("*.md")} - {"sql-head.md", "releasing.md"}
    assert named - made == written
