"""The documentation as a site: its links hold, nothing in it is fetched from elsewhere."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from docs import site, take_pictures

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see [SQL](docs/reference/sql.md#views)", "see [SQL](reference/sql.md#views)"),
        ("see [the file](bench/kill.py)", "see the file"),
        ("[all pages](docs/README.md)", "all pages"),
        (
            "[![A hit](docs/pictures/hit.webp)](docs/how-to/serving.md)",
            "[![A hit](pictures/hit.webp)](how-to/serving.md)",
        ),
        ("[outside](https://example.org/a.md), [here](#below)", "[outside](https://example.org/a.md), [here](#below)"),
        ("[tables](schema/diagram.md)", "[tables](diagram.md)"),
    ],
)
def test_links_hold_in_the_site(text: str, shown: str) -> None:
    assert site.linked(text, ROOT / "README.md", Path()) == shown


def test_links_of_pages_in_folders_lead_up() -> None:
    page = ROOT / "docs" / "decisions" / "0001-one-schema-everywhere.md"
    assert (
        site.linked("[R](../../README.md) [P](../how-to/pdf.md)", page, Path("decisions"))
        == "[R](../index.md) [P](../how-to/pdf.md)"
    )


def test_what_is_fetched_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<link href="https://fonts.example/css"><a href="https://example.org">x</a>'
        "<script src=//cdn.example/x.js></script>"
    )
    (tmp_path / "b.css").write_text("@import 'https://fonts.example/a'; a { background: url(data:image/png;base64,) }")
    assert len(site.fetched(tmp_path)) == 3


def test_pictures_are_there_small_and_shown() -> None:
    text = "".join(path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")))
    for name in take_pictures.PAGES:
        picture = take_pictures.FOLDER / f"{name}.webp"
        assert 10_000 < picture.stat().st_size <= take_pictures.MOST_BYTES, name
        assert f"pictures/{name}.webp" in text, name
    assert {path.stem for path in take_pictures.FOLDER.iterdir()} == set(take_pictures.PAGES)


def test_tests_that_a_page_names_are_there() -> None:
    named = set(re.findall(r"`(test_\w+\.py)`", (ROOT / "docs" / "explanation" / "threat-model.md").read_text()))
    assert named
    assert named <= {path.name for path in (ROOT / "tests").glob("test_*.py")}


def test_every_page_is_in_the_navigation() -> None:
    named = set(re.findall(r'"([\w/-]+\.md)"', (ROOT / "zensical.toml").read_text()))
    docs = ROOT / "docs"
    written = {str(path.relative_to(docs)) for path in docs.rglob("*.md") if path.parent.name != "decisions"}
    assert named - set(site.ELSEWHERE.values()) == written - {
        "README.md",
        "reference/sql-head.md",
        "how-to/releasing.md",
    }


def test_the_list_of_pages_has_all_of_them() -> None:
    docs = ROOT / "docs"
    listed = set(re.findall(r"\]\(([\w/-]+\.md)\)", (docs / "README.md").read_text()))
    written = {str(path.relative_to(docs)) for path in docs.rglob("*.md") if path.parent.name != "decisions"}
    assert listed - {"decisions/README.md"} == written - {"README.md", "reference/sql-head.md"}


PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "bench" / "results").glob("*.md"), *ROOT.glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_files_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = (match.partition("#")[0] for match in re.findall(r"\]\(([^)\s]+)\)", text))
    dead = [name for name in targets if name and ":" not in name and not (page.parent / name).exists()]
    assert not dead


def test_dotted_names_in_pages_exist() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {(page.name, name) for page in pages for name in re.findall(r"\bragraph(?:\.\w+)+", page.read_text())}
    other = _names_that_are_not_python()
    assert len(named) > 50
    assert sorted(pair for pair in named if pair[1] not in other and not _is_python(pair[1])) == []


def _names_that_are_not_python() -> set[str]:
    """Return names of SQL, of telemetry and of groups of entry points; ``ragraph.f`` stands for any function of SQL."""
    places = [*(ROOT / "sql").rglob("*.sql"), ROOT / "schema" / "ragraph.sql", ROOT / "pyproject.toml"]
    text = "\n".join(path.read_text() for path in places)
    serving = (ROOT / "docs" / "how-to" / "serving.md").read_text()
    telemetry = "\n".join(re.findall(r"^\| `ragraph\..*", serving, re.MULTILINE))
    return {"ragraph.f", *re.findall(r"\bragraph\.\w+", text), *re.findall(r"`(ragraph\.[\w.]+)`", telemetry)}


def _is_python(name: str) -> bool:
    found, *rest = name.split(".")
    thing: object = importlib.import_module(found)
    for part in rest:
        found = f"{found}.{part}"
        if not hasattr(thing, part):
            try:
                importlib.import_module(found)
            except ModuleNotFoundError:
                return False
        thing = getattr(thing, part)
    return True
