"""Judging: shows sentences for a question, best first, and stores a person's judgements as lines of a JSONL file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ragraph.errors import TuningError
from ragraph.tuning.questions import Question

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragraph.schema.context import Context, ContextPart

JUDGED_TOKENS = 1000
"""Tokens of text shown for judging: about twenty sentences."""


def candidates(context: Context, k: int) -> list[ContextPart]:
    """Return the best k sentences of a context, best first."""
    parts = [part for block in context.blocks for part in block.parts if part.text.strip()]
    return sorted(parts, key=lambda part: -(part.score or 0.0))[:k]


def judgements(question: str, accepted: Sequence[ContextPart]) -> list[Question]:
    """Return the accepted sentences as judged questions, one for each document."""
    documents = dict.fromkeys(part.citation.document_id for part in accepted)
    return [
        Question(
            question=question,
            document=document,
            passages=tuple(part.text for part in accepted if part.citation.document_id == document),
        )
        for document in documents
    ]


def append(path: Path, questions: Sequence[Question]) -> None:
    """Append lines to a JSONL file in one write; create it if it does not exist.

    Raises:
        TuningError: the file cannot be written.
    """
    lines = "".join(json.dumps(question.to_json(), ensure_ascii=False) + "\n" for question in questions)
    try:
        with path.open("a+b") as file:
            if file.tell():
                file.seek(-1, 2)
                if file.read(1) != b"\n":
                    lines = "\n" + lines  # the last line has no line end
            file.write(lines.encode())
    except OSError as error:
        raise TuningError(f"{path} cannot be written ({error.strerror or error})") from None


def read_asked(path: Path) -> list[str]:
    """Return the questions of a file: one per line, as text or as the ``question`` of a JSON object.

    Raises:
        TuningError: the file cannot be read, or a line has no question.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TuningError(f"{path} is not UTF-8; save it as UTF-8, one question a line") from None
    except OSError as error:
        raise TuningError(f"{path} cannot be read ({error.strerror or error})") from None
    questions = []
    for number, line in enumerate(text.split("\n"), 1):  # splitlines() would also split at other Unicode line ends
        if not line.strip():
            continue
        question: object = line.strip()
        if line.lstrip().startswith("{"):
            try:
                question = json.loads(line)["question"]
            except (ValueError, KeyError, TypeError, RecursionError):
                question = None
        if not isinstance(question, str) or not question.strip():
            raise TuningError(f'{path}, line {number}: no question; write it as text, or as {{"question": "..."}}')
        questions.append(question)
    return questions
