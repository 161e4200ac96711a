"""Messages of Outlook (MSG), built for the tests: compound files ([MS-CFB]) whose streams are all in small sectors."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SECTOR, _SMALL = 512, 64
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def make_msg(path: Path, streams: Mapping[str, bytes], pages: Mapping[int, int] | None = None) -> Path:
    """Write a message.

    Args:
        path: the file.
        streams: content by the name of the stream, after its folder and a slash if it is in one.
        pages: code pages by the number of their property.
    """
    stated = bytes(32) + b"".join(
        struct.pack("<HHIII", 3, number, 6, page, 0) for number, page in (pages or {}).items()
    )
    content = {"__properties_version1.0": stated} | {
        name if name.startswith("_") else f"__substg1.0_{name}": data for name, data in streams.items()
    }
    entries: list[tuple[str, int, bytes]] = [("Root Entry", 5, b"")]
    children: dict[int, list[int]] = {0: []}
    folders: dict[str, int] = {}
    for name, data in content.items():
        folder, _, own = name.rpartition("/")
        if folder and folder not in folders:
            folders[folder] = len(entries)
            children[0].append(len(entries))
            children[len(entries)] = []
            entries.append((folder, 1, b""))
        children[folders[folder] if folder else 0].append(len(entries))
        entries.append((own, 2, data))
    table: list[int] = [_FAT]
    sectors: list[bytes] = []
    small_table: list[int] = []
    small = b""

    def put(data: bytes) -> int:
        first, count = len(table), -(-len(data) // _SECTOR)
        table.extend([*range(first + 1, first + count), _END])
        sectors.append(data.ljust(count * _SECTOR, b"\0"))
        return first

    starts: list[int] = []
    for _, kind, data in entries:
        starts.append(len(small_table) if kind == 2 and data else _END)
        if kind == 2 and data:
            count = -(-len(data) // _SMALL)
            small_table += [*range(len(small_table) + 1, len(small_table) + count), _END]
            small += data.ljust(count * _SMALL, b"\0")
    starts[0] = put(small)
    entries[0] = ("Root Entry", 5, small)
    following = {one: other for kept in children.values() for one, other in pairwise(kept)}
    directory = b""
    for number, (name, kind, data) in enumerate(entries):
        letters = f"{name}\0".encode("utf-16-le")
        below = children.get(number) or [_FREE]
        directory += letters.ljust(64, b"\0") + struct.pack("<HBB", len(letters), kind, 1)
        directory += struct.pack("<III", _FREE, following.get(number, _FREE), below[0]) + bytes(36)
        directory += struct.pack("<IQ", starts[number], len(data))
    first, small_first = put(directory), put(struct.pack(f"<{len(small_table)}I", *small_table))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, 1, first, 0, 4096, small_first, 1, _END, 0)
    head += struct.pack("<I", 0).ljust(436, b"\xff")
    fat = struct.pack(f"<{len(table)}I", *table).ljust(_SECTOR, b"\xff")
    assert len(fat) == _SECTOR, "one sector of the table of sectors is written"
    path.write_bytes(head + fat + b"".join(sectors))
    return path
