"""The limit of time for a file holds for writing it too: its transaction ends, and the line names the file's size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragraph.database.deadline import DeadlineError, deadline

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store

SLOW = """
CREATE FUNCTION public.wait_long() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF new.content LIKE '%slowly%' THEN PERFORM pg_sleep(60); END IF;
    RETURN new;
END $$;
CREATE TRIGGER wait_long BEFORE INSERT ON ragraph.content_node FOR EACH ROW EXECUTE FUNCTION public.wait_long();
"""


def test_writing_ends_at_its_limit_and_other_files_go_in(store: Store, tmp_path: Path) -> None:
    with store.database.write() as connection:
        connection.execute(SLOW)
    (tmp_path / "a.md").write_text("# Rivers\n\nThe river rose slowly.\n")
    (tmp_path / "b.md").write_text("# Rivers\n\nIt fell in June.\n")
    report = store.ingest(tmp_path, model=None, timeout_s=2)
    files = {str(file.path).rpartition("/")[2]: file for file in report.files}
    assert files["b.md"].status == "added"
    assert files["a.md"].status == "failed"
    assert "writing the file took longer than 2 s and was stopped; it has 2 nodes" in str(files["a.md"].reason)
    assert not any("slowly" in line for line in store.export())
    assert store.check() == []


def test_a_deadline_ends_the_statements_of_a_transaction_alone(store: Store) -> None:
    with pytest.raises(DeadlineError), store.database.write() as connection, deadline(connection, 0.2):
        connection.execute("SELECT pg_sleep(60)")
    with store.database.write() as connection:
        with deadline(connection, 60):
            connection.execute("SELECT 1")
        connection.execute("SELECT 2")
