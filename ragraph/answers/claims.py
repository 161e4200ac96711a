"""Answers in which every claim is quoted, and which check themselves against a store.

``CitedAnswer.model_validate(data, context={"store": store})`` looks up each quote in the store while validating, and
raises pydantic's ``ValidationError`` for those that do not hold. A quote needs three words in a row, unless its node
has fewer; ``"min_words"`` in the context changes that number. Without a store in the context the models hold the data
unverified. ``answer.verified(store)`` returns the checked answer, ``answer.pruned(store)`` one without the quotes that
do not hold.
"""

from __future__ import annotations

from typing import Annotated, Any, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, model_validator

from ragraph.base.arguments import checked, whole
from ragraph.base.defaults import QUOTE_WORDS
from ragraph.errors import StoreError
from ragraph.schema import display
from ragraph.schema.results import Citation

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Quotable(Protocol):
    """An open store, in which quotes are looked up."""

    def quote(self, document: str, node: str, quote: str, *, min_words: int = 1) -> Citation:
        """Return the citation of words in a node, or raise a ``StoreError``; see ``Store.quote``."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Quote(_Model):
    """Words of one content node.

    Attributes:
        document_id: the document.
        node_id: the node to which the words are attributed.
        text: the words; after verification exactly as the node has them.
        citation: the citation of the words; None until verified.
    """

    document_id: Words
    node_id: Words
    text: Words
    citation: Citation | None = Field(default=None, exclude=True, repr=False)

    @staticmethod
    def of(citation: Citation) -> Quote:
        """Return a quote that a store has found, without looking it up again."""
        return Quote.model_construct(
            document_id=citation.document_id, node_id=citation.node_id, text=citation.excerpt, citation=citation
        )

    @model_validator(mode="before")
    @classmethod
    def _no_stated_citation(cls, data: Any) -> Any:
        # only a store may mark a quote as verified
        return {name: value for name, value in data.items() if name != "citation"} if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _verify(self, info: ValidationInfo) -> Self:
        store = (info.context or {}).get("store")
        if store is not None:
            least = (info.context or {}).get("min_words", QUOTE_WORDS)
            whole("min_words", least)
            try:
                citation = store.quote(self.document_id, self.node_id, self.text, min_words=least)
            except StoreError as error:
                raise ValueError(str(error)) from error
            object.__setattr__(self, "text", citation.excerpt)
            object.__setattr__(self, "citation", citation)
        return self


class Claim(_Model):
    """A statement and the quotes that support it, from one source or several."""

    text: Words
    quotes: list[Quote] = Field(min_length=1)

    @property
    def sources(self) -> list[str]:
        """Ids of the quoted documents, without duplicates, in order."""
        return list(dict.fromkeys(quote.document_id for quote in self.quotes))


class PathStep(_Model):
    """A step on the way to an answer: a tool call of a language model.

    Attributes:
        tool: the tool that it called.
        arguments: the arguments of the call.
        found: the result, or the reason for having none, in one line.
        nodes: ids of the nodes that it was shown.
    """

    tool: str
    arguments: dict[str, Any] = {}
    found: str
    nodes: list[str] = []


class CitedAnswer(_Model):
    """An answer as claims with quotes.

    Attributes:
        question: the question.
        claims: the answer, statement by statement.
        sufficient: True if the sources were sufficient to answer; an answer without claims is never sufficient.
        missing: the information that the sources lack, in words; None if they were sufficient.
        dropped: claims and quotes that did not hold, one line each.
        confidence: how well a language model kept to its sources, 0 to 1: the share of the quotes of its first answer
            that hold, times the share of the claims of its last answer with at least one correct quote; 0 without
            claims. It does not measure whether the claims are true or answer the question. None if no model was asked.
        hits_retrieved: number of hits that the search found.
        hits_used: number of hits of which the model was shown some text, or of passages it was shown if it navigated.
        timings: seconds by step, in order: ``conversation``, ``self_query``, ``expand_query``, ``search``, ``rerank``,
            ``expand``, ``look``, ``model`` and ``check``, as far as they were run.
        path: the tool calls of a model that navigated to the answer, in order.
        asked_as: the question as it was understood from the conversation; None if it stayed as it was.
    """

    question: str
    claims: list[Claim] = []
    sufficient: bool = True
    missing: str | None = None
    dropped: list[str] = []
    confidence: float | None = Field(default=None, ge=0, le=1)
    hits_retrieved: int | None = None
    hits_used: int | None = None
    timings: dict[str, float] = {}
    path: list[PathStep] = []
    asked_as: str | None = None

    @model_validator(mode="after")
    def _needs_claims(self) -> Self:
        if self.sufficient and not self.claims:
            raise ValueError(
                "an answer without claims cannot be sufficient; set sufficient to false and say what is missing"
            )
        return self

    @property
    def text(self) -> str:
        """The claims as one paragraph, each followed by the numbers of its sources in ``citations``."""
        numbers = {(quote.document_id, quote.node_id): n for n, quote in enumerate(self._distinct(), 1)}
        parts = []
        for claim in self.claims:
            marks = sorted({numbers[quote.document_id, quote.node_id] for quote in claim.quotes})
            parts.append(claim.text + " " + "".join(f"[{mark}]" for mark in marks))
        return " ".join(parts)

    def _repr_html_(self) -> str:
        return display.answer(self)

    @property
    def citations(self) -> list[Citation]:
        """Citations of the quotes, one per node, in the order of their numbers in ``text``; verified quotes only."""
        return [quote.citation for quote in self._distinct() if quote.citation is not None]

    @property
    def is_verified(self) -> bool:
        """True if every quote was found in a store."""
        return all(quote.citation is not None for claim in self.claims for quote in claim.quotes)

    @checked()
    def verified(self, store: Quotable, *, min_words: int = QUOTE_WORDS) -> CitedAnswer:
        """Return this answer with every quote looked up in the store.

        Args:
            store: the store in which they are looked up.
            min_words: minimum number of words of a quote, unless its node has fewer.

        Raises:
            pydantic.ValidationError: a quote is not in its node, or the node does not exist; lists each of them.
            ArgumentError: ``min_words`` is not a number of words.
        """
        return CitedAnswer.model_validate(self.model_dump(), context={"store": store, "min_words": min_words})

    @checked()
    def pruned(self, store: Quotable, *, min_words: int = QUOTE_WORDS) -> CitedAnswer:
        """Return this answer verified, without the quotes that do not hold and the claims left without quotes.

        Raises:
            ArgumentError: ``min_words`` is not a number of words.
        """
        context = {"store": store, "min_words": min_words}
        claims, dropped = [], list(self.dropped)
        for claim in self.claims:
            quotes = []
            for quote in claim.quotes:
                try:
                    quotes.append(Quote.model_validate(quote.model_dump(), context=context))
                except ValueError:
                    dropped.append(f"quote of {quote.document_id} {quote.node_id}: {quote.text}")
            if quotes:
                claims.append(Claim(text=claim.text, quotes=quotes))
            else:
                dropped.append(f"claim: {claim.text}")
        lost_all = bool(self.claims) and not claims
        changed = {
            "claims": claims,
            "sufficient": self.sufficient and not lost_all,
            "missing": "no claim of the answer could be verified" if lost_all else self.missing,
            "dropped": dropped,
        }
        return self.model_copy(update=changed)

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain values, with the citation of each verified quote."""
        return {
            "question": self.question,
            "answer": self.text,
            "sufficient": self.sufficient,
            "missing": self.missing,
            "claims": [
                {
                    "text": claim.text,
                    "quotes": [
                        {**quote.model_dump(), "citation": quote.citation.to_json() if quote.citation else None}
                        for quote in claim.quotes
                    ],
                }
                for claim in self.claims
            ],
            "dropped": self.dropped,
            "confidence": self.confidence,
            "hits_retrieved": self.hits_retrieved,
            "hits_used": self.hits_used,
            "timings": self.timings,
            "path": [step.model_dump() for step in self.path],
            "asked_as": self.asked_as,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the answer that ``to_json`` returned, unverified.

        Raises:
            pydantic.ValidationError: it is no such answer.
        """
        return cls.model_validate({name: value for name, value in data.items() if name != "answer"})

    def _distinct(self) -> list[Quote]:
        """Return the first quote of each node, in order."""
        found: dict[tuple[str, str], Quote] = {}
        for claim in self.claims:
            for quote in claim.quotes:
                found.setdefault((quote.document_id, quote.node_id), quote)
        return list(found.values())
