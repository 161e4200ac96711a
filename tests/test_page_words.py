"""Pages for users are written in short sentences and usual words (``python -m docs.words``)."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import pytest

from docs.words import GONE, LONG, MEAN, README_WORDS, ROOT, odd, sentences, words, written_pages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("page", written_pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_sentences_of_a_page_are_short(page: Path) -> None:
    lengths = [words(sentence) for sentence in sentences(page.read_text())]
    assert fmean(lengths) <= MEAN


@pytest.mark.parametrize("page", written_pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_phrases_that_readers_stumble_over_are_gone(page: Path) -> None:
    assert odd(page.read_text(), GONE) == {}


def test_the_changelog_has_no_states_between_releases() -> None:
    """Nothing has been released before 0.1.0, so there is nothing that it changed or fixed."""
    first = (ROOT / "CHANGELOG.md").read_text().partition("\n## 0.1.0")[2]
    assert first
    assert "### Changed" not in first
    assert "### Fixed" not in first


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= README_WORDS


def test_sentences_are_those_of_the_prose() -> None:
    page = (
        "# Heading is left out\n\n<!-- as this is -->\n"
        "One `two three` [four](five/six.md). Seven, e.g. eight! `nine` ten\nends here.\n\n"
        "```python\nnot.read()\n```\n\n| not | read |\n\n- an item\n- a second one\n  goes on\n"
    )
    assert [words(sentence) for sentence in sentences(page)] == [3, 3, 4, 2, 5]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("None where there is none.", {"is none": 1}),
        ("Say\nwhether it holds", {"Say whether": 1}),
        ("the file is taken in; it takes 3 s in the mean; it takes time in large ones", {"taken in": 1}),
        ("Rows are read again.", {}),
    ],
)
def test_odd_phrases_are_counted(text: str, found: dict[str, int]) -> None:
    assert odd(text, GONE) == found


def test_long_sentences_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from docs import words as command

    page = tmp_path / "page.md"
    page.write_text("word " * (LONG + 1) + "ends. Short.\n")
    monkeypatch.setattr("sys.argv", ["words", str(page)])
    command.main()
    assert f": {LONG + 2}: word" in capsys.readouterr().out
