"""ragraph tune and judge, and search --explain: what they print, write and exit with."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from command_line import CommandLine
from judged_library import judged

from ragraph.tuning.judging import append, read_asked
from ragraph.tuning.questions import Question, read_questions

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store

QUERY = "What became of the quarry?"
FAILED = ("cannot be read", "there is no terminal to ask questions on", "cannot be written")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def run(tuned: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    monkeypatch.setattr("ragraph.tuning.tune.BUDGETS", (512,))
    return CommandLine(tuned.database.url, monkeypatch, capsys)


def test_search_explains_itself(run: CommandLine) -> None:
    search = ("search", QUERY, "--mode", "text", "--expand", "auto", "--budget", "100")
    explained = run(*search, "--explain")
    assert explained.code == 0
    assert '" for "becam" +' in explained.out
    assert "the rest" in explained.out
    plain = run(*search, "--explain", "--no-tuned")
    assert "nearness" in plain.out
    assert "becam" not in plain.out
    assert "nearness" not in run(*search).out
    parts = json.loads(run(*search, "--explain", "--json").out)["blocks"][0]["parts"]
    assert parts[0]["why"]["ranker"] == 1
    for option, said in (("--explain", "a search without --expand"), ("--no-tuned", "--expand auto")):
        wrong = run("search", QUERY, "--mode", "text", "--expand", "section", option)
        assert wrong.code == 2
        assert f"{option} requires {said}" in wrong.err


def test_rankers_are_listed_and_forgotten(run: CommandLine) -> None:
    listed = run("tune", "--list")
    assert listed.code == 0
    assert "default 1: 30 questions, 10 documents, gain +" in listed.out
    assert "conclud" in listed.out
    assert json.loads(run("tune", "--list", "--json").out)[0]["version"] == 1
    assert "ranker 7" in run("tune", "--forget", "default", "--ranker", "7").err
    assert run("tune", "--forget", "default").out == "Forgot 1 ranker.\n"
    assert run("tune", "--forget", "default").code == 1
    assert "No collection has a ranker" in run("tune", "--list").out


def test_tuning_prints_what_it_gains(run: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    append(path, [Question(**item) for item in judged()[1]])
    done = run("tune", str(path), "--mode", "text")
    assert done.code == 0, done.err
    assert "30 questions of 10 documents of 'default'" in done.out
    assert "warning: 30 questions are few" in done.out
    assert "Ranker 2 of 'default' is in use." in done.out


def test_a_ranker_without_gain_is_refused(run: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    append(path, [Question(**item) for item in judged(learnable=False)[1]])
    done = run("tune", str(path), "--mode", "text")
    assert done.code == 1
    assert "nothing was stored" in done.err
    assert "512" in done.out
    assert [item["version"] for item in json.loads(run("tune", "--list", "--json").out)] == [1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tune",), "--list or --forget"),
        (("tune", "nowhere.jsonl"), "cannot be read"),
        (("tune", "--list", "--forget", "x"), "--list or --forget"),
        (("tune", "--list", "--ranker", "1"), "--ranker requires --forget"),
        (("judge", "out.jsonl"), "give a QUERY or --from"),
        (("judge", "out.jsonl", QUERY, "--accept", "one"), "is not a list of numbers"),
        (("judge", "out.jsonl", QUERY, "--accept", "0"), "numbered from 1"),
        (("judge", "out.jsonl", QUERY, "--mode", "text", "-k", "2", "--accept", "3"), "there are 2 sentences"),
        (("judge", "out.jsonl", QUERY, "--mode", "text"), "there is no terminal to ask questions on"),
        (("judge", "out.jsonl", "--from", "nowhere.txt"), "cannot be read"),
        (("judge", ".", QUERY), "'.' is a folder; give a file"),
        (("judge", "nowhere/q.jsonl", QUERY), "the folder 'nowhere' does not exist"),
        (("judge", "/proc/out.jsonl", QUERY, "--mode", "text", "--accept", "1"), "cannot be written"),
    ],
)
def test_wrong_use_is_one_line(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.code == (1 if said in FAILED else 2)
    assert said in " ".join(done.err.split())
    assert not (tmp_path / "out.jsonl").exists()


def test_judging_by_number_and_by_hand(run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "judged.jsonl"
    path.write_text('{"question": "unfinished line", "passages": ["x"]}', encoding="utf-8")
    judge = ("judge", str(path), QUERY, "--mode", "text", "--document", "dl_2", "-k", "3")
    done = run(*judge, "--accept", "1,3")
    assert done.code == 0, done.err
    first, second = read_questions(path)
    assert first.question == "unfinished line"
    assert (second.question, second.document, len(second.passages)) == (QUERY, "dl_2", 2)
    answer = next(item["passages"][0] for item in judged()[1] if item["document"] == "dl_2")
    assert second.passages[0] == answer
    monkeypatch.setattr("sys.stdin", Terminal("what\ny\nn\nq\n"))
    assert run(*judge).code == 0
    assert read_questions(path)[2].passages == (answer,)


def test_all_questions_of_a_file_are_asked(run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, path = tmp_path / "asked.txt", tmp_path / "judged.jsonl"
    asked.write_text(f'{QUERY}\n\n{{"question": "Who owned the quarry?"}}\nWhat of the orchard?\n', encoding="utf-8")
    assert read_asked(asked) == [QUERY, "Who owned the quarry?", "What of the orchard?"]
    monkeypatch.setattr("sys.stdin", Terminal("y\ns\ny\nq\n"))
    assert run("judge", str(path), "--from", str(asked), "--mode", "text", "-k", "3").code == 0
    assert [item.question for item in read_questions(path)] == [QUERY, "Who owned the quarry?"]
    asked.write_text('What\u2028is this?\r\n{"question": "a\u0085b"}\n', encoding="utf-8", newline="")
    assert read_asked(asked) == ["What\u2028is this?", "a\u0085b"]
    asked.write_text('{"query": "x"}\n', encoding="utf-8")
    assert "line 1: no question" in run("judge", str(path), "--from", str(asked)).err
