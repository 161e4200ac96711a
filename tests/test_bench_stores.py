"""How two stores are compared."""

from __future__ import annotations

import numpy as np
import pytest
from pgvector import Vector

from bench.stores import OF_RUNS, _plain, compare, dump
from ragraph.schema.tables import metadata

pytestmark = pytest.mark.fast


def test_every_table_is_compared(database_url: str) -> None:
    tables = {table.name for table in metadata.tables.values()}
    assert set(OF_RUNS) < tables
    assert tables - set(OF_RUNS) <= dump(database_url).keys()


def test_vectors_may_differ_in_their_last_digits_alone() -> None:
    def stored(*numbers: float) -> dict[str, list[dict[str, object]]]:
        return {"embedding": [{"id": "em_1", "embedding_vector": Vector(np.array(numbers, dtype=np.float32))}]}

    expected = stored(0.6, 0.8)
    assert compare(expected, stored(0.6 + 1e-6, 0.8 - 1e-6)) == []
    assert len(compare(expected, stored(0.61, 0.79))) == 1
    assert len(compare(expected, stored(0.6, 0.8, 0.0))) == 1


def test_vectors_are_compared_as_vectors_whatever_pgvector_gives() -> None:
    assert _plain(np.array([0.6, 0.8], dtype=np.float32)) == Vector([0.6, 0.8])
