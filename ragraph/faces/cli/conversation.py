"""Conversations of `ragraph ask`: questions with their answers, in a file that the user names.

Each line is what `ragraph ask --json` prints for a question. Quotes are looked up again when they are used, so text
that was deleted from the store is neither shown from here nor given to a model.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragraph.answers.claims import CitedAnswer
from ragraph.errors import ArgumentError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Turn:
    """A question and its answer.

    Attributes:
        question: the question.
        answered: the answer of a language model, unverified; None without a model.
        passages: documents and nodes of the best passages, best first; empty with an answer.
    """

    question: str
    answered: CitedAnswer | None
    passages: list[tuple[str, str]]


def read(path: Path) -> list[Turn]:
    """Return the questions of a conversation, the oldest first; none if the file does not exist.

    Raises:
        ArgumentError: the file cannot be read, is no conversation, or would be in a folder that does not exist.
    """
    try:
        if not path.exists() and path.parent.is_dir():
            return []
        lines = path.read_text(encoding="utf-8").splitlines()
        return [_turn(json.loads(line)) for line in lines if line.strip()]
    except OSError as error:
        raise ArgumentError(f"{path} cannot be read: {error.strerror}", hint="name another file") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArgumentError(
            f"{path} is no conversation", hint="name a new file, or one that `ragraph ask --conversation` wrote"
        ) from error


def add(path: Path, turn: dict[str, Any]) -> None:
    """Write a question, as `ragraph ask --json` prints it, as the last line of the file.

    Raises:
        ArgumentError: the file cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(turn) + "\n")
    except OSError as error:
        raise ArgumentError(f"{path} cannot be written: {error.strerror}", hint="name another file") from error


def _turn(line: dict[str, Any]) -> Turn:
    answer = line["answer"]
    return Turn(
        str(line["question"]),
        None if answer is None else CitedAnswer.from_json(answer),
        [(str(hit["document_id"]), str(hit["node_id"])) for hit in line["passages"]],
    )
