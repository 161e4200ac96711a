"""Hyphens at the ends of lines: which divide a word, which belong to it, and which wait for a second part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragraph.base.hyphens import Vocabulary
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.html.reader import HtmlReader
from ragraph.ingest.readers.text.markdown import MarkdownReader
from ragraph.ingest.readers.text.plain import TextReader

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = ["the cost of a benefit end"] * 5 + ["they stand under it and understand end"] * 5 + ["a reference end"]


@pytest.mark.parametrize(
    ("tail", "head", "divided"),
    [
        ("tech-", "nical", True),
        ("cost-", "benefit", False),  # both are words of the document, and it is nowhere one word
        ("under-", "stand", True),  # so are these, but it is
        ("well-", "known", False),
        ("state-of-the-", "art", False),
        ("cross-refer-", "ence", True),
        ("Anglo-", "Saxon", False),
        ("soft\u00ad", "hyphen", True),
        ("short-", "or", False),  # a second part follows: "long-term"
        ("govern-", "ment", True),
    ],
)
def test_hyphens(tail: str, head: str, divided: bool) -> None:
    assert Vocabulary(KNOWN).divided(tail, head) is divided


@pytest.mark.parametrize(
    ("text", "head", "joined"),
    [
        ("the tech-", "nical", "the tech"),
        ("the well-", "known", "the well-"),
        ("both short-", "or", "both short- "),
        ("Kurz-", "und", "Kurz- "),
        ("pages 12-", "15", "pages 12-"),
        ("a dash -", "and", "a dash - "),
        ("an end", "of", "an end "),
        ("see https://www.us-", "cert.gov/files", "see https://www.us-"),  # of the address
        ("see www.under-", "stand.org", "see www.under-"),
        ("", "The", ""),
        ("数据", "库", "数据"),
        ("完。", "第", "完。"),
        ("ภาษา", "ไทย", "ภาษา"),
        ("학교에서", "공부", "학교에서 "),
        ("使用", "PostgreSQL", "使用 "),
    ],
)
def test_lines_are_joined(text: str, head: str, joined: str) -> None:
    assert Vocabulary(KNOWN).joined(text, head) == joined


def test_wrapped_plain_text_is_joined_at_its_hyphens(tmp_path: Path) -> None:
    path = tmp_path / "wrapped.txt"
    path.write_text(
        "All the powers of the state are vested in the govern-\nment, for a term that is short-\n"
        "or long, as the law has it for those who are well-\nknown to it, says the government of that\n"
        "country, and the rest is silence for ever.\n"
    )
    (node,) = TextReader().read(path, ReadOptions()).nodes
    assert "vested in the government, for a term that is short- or long" in node.text
    assert "well-known to it" in node.text


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.html", "<h1>标题</h1><p>数据库\n  系统 <b>备份</b></p>"),
        ("a.md", "# 标题\n\n数据库\n系统 **备份**"),
    ],
)
def test_line_ends_between_letters_without_spaces_go(tmp_path: Path, name: str, source: str) -> None:
    file = tmp_path / name
    file.write_text(source, encoding="utf-8")
    reader = HtmlReader() if name.endswith("html") else MarkdownReader()
    assert reader.read(file, ReadOptions()).nodes[-1].text == "数据库系统 **备份**"
