"""Checks the claims of a language model: each quote is looked up; wrong ones are returned to the model or dropped."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, Field

from ragraph.answers.claims import CitedAnswer, Claim, Quote, Words
from ragraph.errors import QuoteNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_ai import Agent

Progress = Callable[[str], None]
"""Called with the name of each step when it begins."""

Q = TypeVar("Q", bound=BaseModel)

_ADDRESS = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,15}:)?//[^\s<>()\[\]{}|]+"  # with or without a scheme
    r"|\b(?:mailto|javascript|data|tel):[^\s<>()\[\]{}|]+"
    r"|\bwww\.[^\s<>()\[\]{}|]+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE,
)
"""An address that a program may open: of the web, of mail, or with code."""


class Claimed(BaseModel, Generic[Q]):
    """A statement of the model."""

    text: Words = Field(description="one statement of the answer")
    quotes: list[Q] = Field(min_length=1)


class Answered(BaseModel, Generic[Q]):
    """The answer of the model."""

    claims: list[Claimed[Q]] = Field(description="the answer, statement by statement")
    sufficient: bool = Field(description="whether the sources were enough to answer the question")
    missing: str | None = Field(default=None, description="what the sources do not say; null when they were enough")


class Steps(dict[str, float]):
    """Seconds by step, in the order in which the steps began.

    Args:
        told: called with the name of each step when it begins.
    """

    def __init__(self, told: Progress | None = None) -> None:
        super().__init__()
        self._told = told

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Measure the time of a block."""
        self.setdefault(step, 0.0)
        if self._told is not None:
            self._told(step)
        begin = time.monotonic()
        try:
            yield
        finally:
            self[step] += time.monotonic() - begin


@dataclass(slots=True)
class _Checked:
    """A checked answer of the model: claims without the quotes that do not hold, and a line for each of those."""

    claims: list[Claim] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    quotes: int = 0
    held: int = 0

    @property
    def share_held(self) -> float:
        return self.held / self.quotes if self.quotes else 0.0


class Checker(Generic[Q]):
    """Checks the answers of an agent, in all its attempts.

    Args:
        agent: the agent, whose output is ``Answered``.
        quote_of: returns the quote of the store for one of the model, or raises ``QuoteNotFoundError``.
        question: the question; an address in it may be repeated.
        retries: how often wrong quotes are returned to the model.
        steps: collects the time taken.
    """

    def __init__(
        self, agent: Agent[Any, Any], quote_of: Callable[[Q], Quote], question: str, *, retries: int, steps: Steps
    ) -> None:
        from pydantic_ai import ModelRetry, RunContext

        self._quote_of = quote_of
        self._question = question
        self._checked = _Checked()
        self._held_at_first: float | None = None

        @agent.output_validator
        def check(run: RunContext[Any], answer: Answered[Q]) -> Answered[Q]:
            with steps.timed("check"):
                self._checked = self._check(answer)
            if self._held_at_first is None:
                self._held_at_first = self._checked.share_held
            wrong = list(self._checked.wrong)
            if answer.sufficient and not answer.claims:
                wrong.append("there is no claim; answer, or set sufficient to false")
            if wrong and run.retry < retries:
                raise ModelRetry("These do not hold; correct or leave them out:\n- " + "\n- ".join(wrong))
            return answer

    def result(self, question: str, answered: Answered[Q], steps: Steps) -> CitedAnswer:
        """Return the checked part of the last answer."""
        checked = self._checked
        supported = len(checked.claims) / len(answered.claims) if answered.claims else 0.0
        lost = bool(answered.claims) and not checked.claims
        return CitedAnswer(
            question=question,
            claims=checked.claims,
            sufficient=answered.sufficient and bool(checked.claims),
            missing="no claim of the model could be verified" if lost else self._without_addresses(answered.missing),
            dropped=checked.wrong,
            confidence=(self._held_at_first or 0.0) * supported,
            timings=dict(steps),
        )

    def _check(self, answer: Answered[Q]) -> _Checked:
        checked = _Checked()
        for claimed in answer.claims:
            quotes = []
            for quoted in claimed.quotes:
                checked.quotes += 1
                try:
                    quotes.append(self._quote_of(quoted))
                except QuoteNotFoundError as error:
                    checked.wrong.append(str(error))
            checked.held += len(quotes)
            shown = "\n".join([self._question, *(quote.text for quote in quotes)])
            if foreign := [address for address in addresses(claimed.text) if address not in shown]:
                checked.wrong.append(f"no quote of the claim contains the address {foreign[0]!r}")
            elif quotes:
                checked.claims.append(Claim(text=claimed.text, quotes=quotes))
            else:
                checked.wrong.append(f"no quote supports the claim {claimed.text!r}")
        return checked

    def _without_addresses(self, missing: str | None) -> str | None:
        """Return the model's words on what is missing without addresses, which no quote supports."""
        for address in addresses(missing or ""):
            if address not in self._question:
                missing = (missing or "").replace(address, "…")
        return missing


def addresses(text: str) -> list[str]:
    """Return the web and mail addresses in a text, the longest first, without the punctuation after them.

    A model that obeys a document may put what it knows into an address, and a page that shows the answer may load it.
    """
    found = {match.group().rstrip(".,;:!?'\"") for match in _ADDRESS.finditer(text)}
    return sorted(found, key=lambda address: (-len(address), address))
