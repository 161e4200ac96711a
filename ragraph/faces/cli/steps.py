"""Output of long operations on a complete store: the current step, and the result."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragraph.base.counts import many
from ragraph.faces.cli.output import console, errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ragraph.schema.findings import Finding

_STEPS = {
    "graph": "documents, their graph and vectors",
    "digests": "digests of the content",
    "rules": "rules of the model",
    "vectors": "vector indexes, by exact search",
    "upgrade": "statistics",
    "originals": "originals",
}


def print_findings(findings: Iterable[Finding]) -> None:
    """Print findings, one line each."""
    for finding in findings:
        console.print(f"{'ok' if finding.ok else 'no':4}{finding.what}: {finding.detail}", soft_wrap=True, markup=False)


def held_rows(rows: dict[str, int]) -> str:
    """Return the size of a store, by the rows of its tables."""
    names = (("document", "document"), ("content_node", "node"), ("relation", "relation"), ("embedding", "vector"))
    return ", ".join(many(rows.get(table, 0), name) for table, name in names)


@contextmanager
def step_shown() -> Iterator[Callable[[str], None] | None]:
    """Show the current step on a terminal."""
    with words_shown() as told:
        yield (lambda step: told(_STEPS[step])) if told else None


@contextmanager
def words_shown() -> Iterator[Callable[[str], None] | None]:
    """Show the current activity on a terminal, in the given words."""
    if not errors.is_terminal:
        yield None
        return
    with errors.status("") as status:
        yield lambda words: status.update(f"{words} ...")
