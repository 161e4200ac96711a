"""What contexts and searches cost the server, by their parts, at 50,000 nodes of real text. `make bench-contexts`.

    RAGRAPH_DATA=DIR python -m bench.contexts [--nodes 50000] [--questions 30] [--against REVISION]

The store is that of ``bench.users``. Each line is a statement or one of the functions that it calls, run with what the
step before returned. Costs are milliseconds of processor time of the server. With ``--against`` the SQL functions of
another revision of the repository answer the same questions in turn, in a transaction that is rolled back: so other
work of the machine affects both alike. A last column then tells for how many questions the rows differ.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.real_text import questions
from bench.users.__main__ import add_store, open_real
from ragraph.base.queries import QUERIES, read_queries
from ragraph.models.embedding import DEFAULT_MODEL
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    import psycopg

PARTS = read_queries(Path(__file__).parent / "contexts.sql")
_FIRST = 6
"""Questions that are not counted: until then PostgreSQL plans the statements of a function for each call."""
_FEW = 3
"""Number of the longest words of a question for the search for all words."""
Answer = dict[str, tuple[float, list[Any]]]
"""By line of the table: milliseconds of the server, and the rows that it returned."""
ANSWERING = json.dumps(
    {
        "node_types": [
            kind
            for kind in ContentNodeType
            if kind
            not in ("PAGE_NUMBER", "HEADING", "SUBHEADING", "TITLE", "SUBTITLE", "AUTHOR", "BIBLIOGRAPHIC_ENTRY")
        ]
    }
)
"""The scope of a context: as ``context_sentences`` has it."""
LINES = {
    "context": "context of 2,000 tokens",
    "vectors": "— the 800 nearest nodes",
    "words": "— the 800 best nodes by words",
    "found": "— hybrid search of 200 nodes, both included",
    "sentences": "— their sentences scored",
    "fitted": "— the best fitted into the budget",
    "hybrid": "hybrid search of 10",
    "vector": "vector search of 10",
    "nearest": "— without citations",
    "bare": "pgvector alone, 200 candidates",
    "any": "search for any of 12 words",
    "all": "search for all of 3 words",
}
"""Lines of the table by name of their statement."""


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--against", help="revision whose SQL functions answer the same questions")
    add_store(parser)
    given = parser.parse_args()
    with ExitStack() as stack:
        store, _, nodes = open_real(given, stack)
        asked = [(text, np.array(store.embed_query(text), np.float32)) for text in questions(nodes, given.questions)]
        connections = {"now": stack.enter_context(store.database.write())}
        if given.against:
            connections[given.against] = stack.enter_context(store.database.write())
            connections[given.against].execute(functions(given.against))
        spent = {name: dict.fromkeys(LINES, 0.0) for name in connections}
        other = dict.fromkeys(LINES, 0)
        for number, (text, vector) in enumerate([*asked[:_FIRST], *asked]):
            answers: list[Answer] = []
            for name in sorted(connections, reverse=number % 2 == 1):
                answers.append(ask(connections[name], text, vector))
                if number >= _FIRST:
                    spent[name] = {line: spent[name][line] + cost for line, (cost, _) in answers[-1].items()}
            for line in LINES if number >= _FIRST else ():
                other[line] += any(answer[line][1] != answers[0][line][1] for answer in answers)
        for connection in connections.values():
            connection.rollback()
    print(markdown(spent, given.questions, other if given.against else None))


def functions(revision: str) -> str:
    """Return the statements that make those SQL functions of a revision that differ from the working tree's."""
    folder = Path(__file__).parent.parent / "sql" / "functions"
    git = ["git", "-C", str(folder)]
    listed = subprocess.run(
        [*git, "ls-tree", "--name-only", revision, "./"], capture_output=True, check=True, text=True
    )
    made = []
    for name in listed.stdout.split():
        if re.match(r"[0-4]\w*\.sql$", name):
            shown = subprocess.run([*git, "show", f"{revision}:./{name}"], capture_output=True, check=True, text=True)
            made += re.findall(r"(?ms)^create or replace function .*?^\$\$;$", shown.stdout)
    here = "".join(path.read_text() for path in folder.glob("*.sql"))
    return "\n".join(one for one in made if one not in here)


def ask(connection: psycopg.Connection[Any], text: str, vector: Any) -> Answer:
    """Return the milliseconds of the server, and the rows, for each line of one question."""
    values: dict[str, Any] = {"query": text, "query_vector": vector, "model_name": DEFAULT_MODEL, "models_stamp": None}
    values |= {"token_budget": 2000, "scope": "{}", "tuned": True, "explain": False, "per_document": None}
    values |= {"min_relevance": None, "boosted": None, "graph_weight": 0, "vector_weight": 1, "text_weight": 1}
    values |= {"page_weight": None, "answering": ANSWERING}
    values["few"] = " ".join(sorted(text.split(), key=len)[-_FEW:])
    connection.execute("SET LOCAL hnsw.ef_search = 200")
    answer: Answer = {}
    for name in LINES:
        asked = {"context": "search_context", "hybrid": "search_hybrid", "vector": "search_vector"}.get(name)
        statement = QUERIES[asked] if asked else PARTS[name]
        begin = processor(connection.info.backend_pid)
        rows = connection.execute(statement, values | {"k": 200 if name == "context" else 10}, prepare=True).fetchall()
        answer[name] = 1000 * (processor(connection.info.backend_pid) - begin), rows
        if name in ("found", "sentences"):
            values[name] = rows[0][0]
    return answer


def processor(pid: int) -> float:
    """Return the processor seconds of a process so far, by its own clock (``clock_getcpuclockid`` of Linux)."""
    return time.clock_gettime((~pid << 3) | 2)


def markdown(spent: dict[str, dict[str, float]], count: int, other: dict[str, int] | None = None) -> str:
    """Return the table, a line for each statement and a column for each version; ``other``: answers that differ."""
    heads = [*spent] if other is None else [*spent, f"of {count} answers differ"]
    lines = [f"| ms of the server | {' | '.join(heads)} |", "| --- |" + " --- |" * len(heads)]
    for name, title in LINES.items():
        figures = [f"{costs[name] / count:.1f}" for costs in spent.values()]
        figures += [] if other is None else [str(other[name])]
        lines.append(f"| {title} | {' | '.join(figures)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
