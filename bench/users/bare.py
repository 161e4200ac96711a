"""The comparison: FastAPI, psycopg and pgvector with the same encoder and the same rows, and nothing else.

Run by ``bench.users``: python -m bench.users.bare URL PORT
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from pgvector.psycopg import register_vector
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from ragraph.base.queries import read_queries
from ragraph.models.embedding import load_model

QUERIES = read_queries(Path(__file__).parent / "bare.sql")


def create_app(url: str) -> FastAPI:
    """Return an application that answers /search?q= with the ten nearest nodes."""
    pool = ConnectionPool(url, min_size=4, max_size=4, configure=register_vector, open=True)
    model = load_model()
    app = FastAPI()

    @app.get("/search")
    def search(q: str) -> list[dict[str, Any]]:
        vector = model.encode_query(q)
        with pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            rows: list[dict[str, Any]] = cursor.execute(QUERIES["nearest"], {"vector": vector}).fetchall()
        return rows

    return app


if __name__ == "__main__":
    uvicorn.run(create_app(sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
