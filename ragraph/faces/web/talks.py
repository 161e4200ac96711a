"""Conversations of browsers: questions with their answers, in memory until the service ends.

Only ids of passages are kept, and answers whose quotes are looked up again when they are shown. So text that is deleted
from the store, or that somebody may no longer read, is not shown from here.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragraph.answers.claims import CitedAnswer
    from ragraph.faces.web.asking import Asker

MOST_TURNS = 30
"""Maximum number of questions that are kept of a conversation; the oldest are forgotten."""
_MOST = 500
"""Maximum number of conversations; the oldest is forgotten."""


@dataclass(frozen=True)
class Turn:
    """A question, where it was asked, and its answer.

    Attributes:
        question: the question.
        scope: ``document``, ``section`` and ``collection``, as far as they were given.
        answered: the answer of a language model; None without a model.
        passages: documents and nodes of the best passages, best first; empty with an answer.
    """

    question: str
    scope: dict[str, str]
    answered: CitedAnswer | None = None
    passages: list[tuple[str, str]] = field(default_factory=list)


class Talks:
    """The conversations of a service. Each belongs to the token that began it."""

    def __init__(self) -> None:
        self._turns: OrderedDict[tuple[str, str], list[Turn]] = OrderedDict()
        self._lock = Lock()

    def turns(self, asker: Asker, talk: str | None) -> list[Turn]:
        """Return the questions of a conversation, the oldest first; none if it is not known."""
        with self._lock:
            return list(self._turns.get((asker.id, talk or ""), ()))

    def add(self, asker: Asker, talk: str | None, turn: Turn) -> str:
        """Add a question with its answer; return the id of the conversation, a new one if it is not known."""
        with self._lock:
            key = (asker.id, talk or "")
            if not talk or key not in self._turns:
                key = (asker.id, secrets.token_urlsafe(16))
            turns = self._turns.setdefault(key, [])
            turns.append(turn)
            del turns[:-MOST_TURNS]
            self._turns.move_to_end(key)
            while len(self._turns) > _MOST:
                self._turns.popitem(last=False)
            return key[1]
