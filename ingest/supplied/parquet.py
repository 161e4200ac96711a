"""Documents in Parquet files, one per row: lines of an export, or drafts. Needs the extra ``parquet``.

The columns of an export are the fields of ``Exported``, with the same nesting. Values of free form (``metadata``,
``data``, ``structure``) are JSON text. Files are written and read in row groups, so memory use stays constant.
"""

from __future__ import annotations

import json
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from ragraph.base.extras import needing
from ragraph.documents.exporting import FORMAT
from ragraph.errors import ArgumentError
from ragraph.ingest.storing.restoring import Exported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GROUP_BYTES = 32 * 1024 * 1024
"""Bytes of JSON text per row group; it is in memory several times while it is written."""
_AT_ONCE = 8
"""Documents that are turned into Python objects at a time."""


def write_parquet(lines: Iterable[str], path: str | Path) -> int:
    """Write lines of an export to a Parquet file, which gets its name once it is complete.

    Args:
        lines: lines of ``Store.export``, taken one at a time.
        path: path of the file; an existing file is replaced.

    Returns:
        The number of documents written.

    Raises:
        ArgumentError: pyarrow is not installed.
        OSError: the file cannot be written.
    """
    arrow, parquet = _pyarrow()
    path = Path(path)
    schema = arrow.schema([arrow.field(name, kind) for name, kind in _fields(Exported)])
    growing = path.with_name(f"{path.name}.part")
    count = 0
    try:
        with parquet.ParquetWriter(growing, schema, compression="zstd") as writer:
            rows: list[dict[str, Any]] = []
            size = 0
            for line in lines:
                rows.append(_flat(json.loads(line), Exported))
                size += len(line)
                count += 1
                if size > _GROUP_BYTES:
                    writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
                    rows, size = [], 0
            if rows:
                writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
        growing.replace(path)
    finally:
        growing.unlink(missing_ok=True)
    return count


def read_parquet(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file for ``Store.add_many``: lines of an export, or drafts.

    A row belongs to an export if its column ``format`` says so. In other rows the columns are the fields of a draft
    (``ragraph.ingest.draft.DraftDocument``), with the same nesting; empty ones count as missing.

    Args:
        path: path of the file.

    Raises:
        ArgumentError: pyarrow is not installed, or the file is not a Parquet file.
        OSError: the file cannot be read.
    """
    arrow, parquet = _pyarrow()
    try:
        file = parquet.ParquetFile(path)
    except arrow.ArrowInvalid as error:
        raise ArgumentError(f"{path} is not a Parquet file, or damaged; drafts may also be lines of JSON") from error
    with file:
        exported = "format" in file.schema_arrow.names
        for batch in file.iter_batches(batch_size=_AT_ONCE):
            for row in batch.to_pylist():
                yield _nested(row, Exported) if exported and row["format"] == FORMAT else _given(row)


def _pyarrow() -> tuple[Any, Any]:
    with needing("a Parquet file", ArgumentError):
        import pyarrow
        from pyarrow import parquet
    return pyarrow, parquet


def _hints(kind: Any) -> dict[str, Any]:
    """Return the fields of a record and their types, empty if it is not a record."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return {field.name: hints[field.name] for field in dataclass_fields(kind)}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {name: field.annotation for name, field in kind.model_fields.items()}
    return {}


def _bare(kind: Any) -> tuple[Any, bool]:
    """Return a type without None, and whether None was in it."""
    if get_origin(kind) in (Union, UnionType):
        kinds = [item for item in get_args(kind) if item is not NoneType]
        return kinds[0], len(kinds) < len(get_args(kind))
    return kind, False


def _items(kind: Any) -> Any:
    """Return the item type of a list whose items have one type with columns, else None."""
    if get_origin(kind) in (list, tuple):
        item = get_args(kind)[0]
        return None if get_origin(item) is dict else item
    return None


def _fields(kind: Any) -> list[tuple[str, Any]]:
    return [(name, _column(_bare(hint)[0])) for name, hint in _hints(kind).items()]


def _column(kind: Any) -> Any:
    """Return the column type of a Python type; JSON text if it has none of its own."""
    arrow, _ = _pyarrow()
    if item := _items(kind):
        # vectors have four bytes per number in the database
        return arrow.list_(arrow.float32() if item is float else _column(_bare(item)[0]))
    if _hints(kind):
        return arrow.struct(_fields(kind))
    plain = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    return plain.get(kind, arrow.large_string())


def _is_json(kind: Any) -> bool:
    return not (_hints(kind) or _items(kind)) and (kind is Any or get_origin(kind) in (dict, list))


def _flat(value: Any, kind: Any) -> Any:
    """Return a value of an export in the form of the columns."""
    kind, _ = _bare(kind)
    if value is None:
        return None
    if _is_json(kind):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if item := _items(kind):
        return [_flat(element, item) for element in value]
    if hints := _hints(kind):
        return {name: _flat(value.get(name), hint) for name, hint in hints.items()}
    return value.value if isinstance(value, Enum) else value


def _nested(value: Any, kind: Any) -> Any:
    """Reverse ``_flat``; missing fields are left out."""
    kind, _ = _bare(kind)
    if value is None:
        return None
    if _is_json(kind):
        return json.loads(value)
    if item := _items(kind):
        return [_nested(element, item) for element in value]
    if hints := _hints(kind):
        return {
            name: _nested(value[name], hint)
            for name, hint in hints.items()
            if value.get(name) is not None or _bare(hint)[1]
        }
    return value


def _given(value: Any) -> Any:
    """Return a row without empty values, at any depth."""
    match value:
        case dict():
            return {name: _given(item) for name, item in value.items() if item is not None}
        case list():
            return [_given(item) for item in value]
        case _:
            return value
