"""The limits for a file hold for writing it too: its transaction ends, and the line names the file's size."""

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


SORTED = "count(*) FROM (SELECT n FROM generate_series(1, 9999999) AS n)"
NOTED = """
CREATE TABLE public.limits (name text, value text);
CREATE FUNCTION public.note_limits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.limits SELECT s.name, s.setting FROM pg_settings AS s
    WHERE s.name IN ('statement_timeout', 'work_mem', 'temp_file_limit');
    RETURN NULL;
END $$;
CREATE TRIGGER note_limits AFTER INSERT ON ragraph.content_node
FOR EACH STATEMENT EXECUTE FUNCTION public.note_limits();
"""


BEFORE = """
    SELECT has_parameter_privilege('temp_file_limit', 'SET'), s.setting FROM pg_settings AS s WHERE s.name = 'work_mem'
"""


def test_the_server_limits_the_writing_of_a_file(store: Store, tmp_path: Path) -> None:
    with store.database.write() as connection:
        connection.execute(NOTED)
        ((may_limit_files, memory),) = connection.execute(BEFORE).fetchall()
    (tmp_path / "a.md").write_text("# Rivers\n\nThe river rose.\n")
    assert store.ingest(tmp_path, model=None, timeout_s=20).ok
    with store.database.write() as connection:
        noted = dict(connection.execute("SELECT name, value FROM public.limits").fetchall())
        after = connection.execute("SHOW statement_timeout").fetchone()
    files = str(10 * 1024**2) if may_limit_files else "-1"
    assert noted == {"statement_timeout": "30000", "work_mem": str(min(int(memory), 65536)), "temp_file_limit": files}
    assert after == ("0",)


def test_temporary_files_that_are_too_large_end_the_writing_of_their_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragraph.database.deadline._FILES_KB", 1024)
    with store.database.write() as connection:
        if connection.execute("SELECT has_parameter_privilege('temp_file_limit', 'SET')").fetchone() == (False,):
            pytest.skip("the role of this server may not limit temporary files")
        connection.execute(SLOW.replace("pg_sleep(60)", SORTED))
    (tmp_path / "a.md").write_text("# Rivers\n\nThe river rose slowly.\n")
    (tmp_path / "b.md").write_text("# Rivers\n\nIt fell in June.\n")
    report = store.ingest(tmp_path, model=None)
    files = {str(file.path).rpartition("/")[2]: file for file in report.files}
    assert (files["a.md"].status, files["b.md"].status) == ("failed", "added")
    assert "writing the file needed temporary files of more than" in str(files["a.md"].reason)


def test_a_deadline_ends_the_statements_of_a_transaction_alone(store: Store) -> None:
    with pytest.raises(DeadlineError), store.database.write() as connection, deadline(connection, 0.2):
        connection.execute("SELECT pg_sleep(60)")
    with store.database.write() as connection:
        with deadline(connection, 60):
            connection.execute("SELECT 1")
        connection.execute("SELECT 2")
