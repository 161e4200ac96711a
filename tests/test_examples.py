"""What README.md, the pages of docs/ and the help show is run, and prints what they say."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from command_line import CommandLine

from docs.examples import PAGES, ROOT, blocks, differences, rewrite

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_the_pages_print_what_they_say(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGRAPH_DATABASE_URL", database_url)
    if find_spec("openvino"):  # the same vectors but for the last digits, in a third of the time
        monkeypatch.setenv("RAGRAPH_BACKEND", "openvino/f32")
    for page in PAGES:
        before = page.read_text()
        assert differences(before, rewrite(before, database_url, tmp_path)) == [], "run: make examples"


def test_every_page_that_shows_something_is_run() -> None:
    generated = {"cli.md", "python.md", "sql.md"}
    for page in (ROOT / "docs").rglob("*.md"):
        if page not in PAGES and page.name not in generated:
            assert not blocks(page.read_text()), page


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("a  b", "a b", True),
        ("0.619 x", "0.621 x", True),
        ("0.619 x", "0.719 x", False),
        ("0.619 x", "0.619 y", False),
        ("12 nodes", "13 nodes", False),
    ],
)
def test_pages_are_compared_up_to_last_digits(before: str, after: str, same: bool) -> None:
    assert (differences(before, after) == []) is same


def test_output_keeps_the_cuts_of_the_page(database_url: str, tmp_path: Path) -> None:
    page = '```console\n$ printf "%s\\n" one "two and more" three four\nwrong\ntwo and ...\n...\n\n$ echo x\ny\n```\n'
    expected = '```console\n$ printf "%s\\n" one "two and more" three four\none\ntwo and ...\n...\n\n$ echo x\nx\n```\n'
    assert rewrite(page, database_url, tmp_path) == expected
    with pytest.raises(RuntimeError, match="exit code"):
        rewrite("```console\n$ false\n```\n", database_url, tmp_path)


def _examples() -> list[str]:
    text = (ROOT / "docs" / "reference" / "cli.md").read_text()
    return [
        example.strip()
        for part in re.findall(r"^Examples?:(.*?)(?=^\*\*|^#)", text, re.MULTILINE | re.DOTALL)
        for example in re.findall(r"ragraph .*?(?=\s{2,}|$|\s+then:)", part, re.MULTILINE)
    ]


@pytest.mark.parametrize(
    "example",
    [
        item
        for item in _examples()
        if not re.search(r"db (psql|stop|url|vectors half)|serve|mcp|demo|--watch|--detach|--home|--url|[|>]", item)
    ],
)
def test_examples_of_the_help_are_understood(
    example: str, library_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They name documents and roles that nobody has, so they may fail; wrong usage they are not.

    One that would change the library of other tests is left out.
    """
    monkeypatch.chdir(tmp_path)
    ended = CommandLine(library_url, monkeypatch, capsys)(*shlex.split(example)[1:])
    assert ended.code in (0, 1), ended
    assert "Traceback" not in ended.err


def test_there_are_examples() -> None:
    assert len(_examples()) > 15
