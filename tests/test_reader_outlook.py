"""Messages of Outlook: their character sets, people and account."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from office_files import read, texts
from outlook_files import make_msg

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("pages", "charset"),
    [({0x3FDE: 950}, "big5"), ({0x3FFD: 1251, 0x3FDE: 20866}, "cp1251"), ({0x3FDE: 65001}, "utf-8"), ({}, "cp1252")],
)
def test_texts_are_in_the_character_set_that_the_message_states(
    tmp_path: Path, pages: dict[int, int], charset: str
) -> None:
    said = {"big5": "中文測試", "cp1251": "Погода", "utf-8": "Regnbåge über Łódź", "cp1252": "Très bien"}[charset]
    streams = {"0037001E": said.encode(charset), "1000001E": f"{said}.".encode(charset)}
    draft = read(make_msg(tmp_path / "a.msg", streams, pages))
    assert [node.text for node in draft.nodes] == [said, f"{said}."]


def test_a_name_with_a_comma_is_one_person(tmp_path: Path) -> None:
    streams = {"0037001F": "Rain", "0C1A001F": "Marsh, Ann", "5D01001F": "ann@example.org", "1000001F": "It fell."}
    draft = read(make_msg(tmp_path / "a.msg", {name: text.encode("utf-16-le") for name, text in streams.items()}))
    assert (texts(draft, "AUTHOR"), draft.metadata.authors) == (["Marsh, Ann"], ["Marsh, Ann"])


def test_the_account_passes_over_names_of_properties(tmp_path: Path) -> None:
    streams = {
        "__nameid_version1.0/__substg1.0_10130102": b"\x21\x81\0\0\x08\0\x05\0",
        "10130102": b"<html><body><p>It fell.</p></body></html>\0",
        "1000001F": "It fell.".encode("utf-16-le"),
    }
    path = make_msg(tmp_path / "a.msg", streams)
    draft = read(path)
    assert texts(draft, "PARAGRAPH") == ["It fell."]
    account = account_of(path, draft, ReadOptions())
    assert account is not None
    assert (account.stored, account.unaccounted) == (6, 0)
    assert account.left_out == {"other form of the same text": 6}
