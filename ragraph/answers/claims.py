"""Answers whose every claim is quoted, and which check themselves against a store.

``CitedAnswer.model_validate(data, context={"store": store})`` looks each quote up in the store while validating and
raises pydantic's ``ValidationError`` for those that do not hold. A quote needs three words in a row, unless its node
has fewer; ``"min_words"`` in the context asks for more or fewer. Without a store in the context the models hold what
was said, unverified; ``answer.verified(store)`` gives the checked answer, ``answer.pruned(store)`` one without what
does not hold.
"""

from __future__ import annotations

from typing import Annotated, Any, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, model_validator

from ragraph.base.arguments import checked, whole
from ragraph.base.defaults import QUOTE_WORDS
from ragraph.errors import StoreError
from ragraph.schema.results import Citation

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Quotable(Protocol):
    """What quotes are looked up in: an open store."""

    def quote(self, document: str, node: str, quote: str, *, min_words: int = 1) -> Citation:
        """Return where words of a node stand, or raise a ``StoreError``; see ``Store.quote``."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Quote(_Model):
    """Words of one content node.

    Attributes:
        document_id: the document.
        node_id: the node that is said to have the words.
        text: the words; after verification exactly as they stand in the node.
        citation: where they stand; None until verified.
    """

    document_id: Words
    node_id: Words
    text: Words
    citation: Citation | None = Field(default=None, exclude=True, repr=False)

    @staticmethod
    def of(citation: Citation) -> Quote:
        """Return the quote that a store has found, without looking it up again."""
        return Quote.model_construct(
            document_id=citation.document_id, node_id=citation.node_id, text=citation.excerpt, citation=citation
        )

    @model_validator(mode="before")
    @classmethod
    def _no_stated_citation(cls, data: Any) -> Any:
        # only a store may say that a quote is verified
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
    """A statement and the words it rests on, from one source or several."""

    text: Words
    quotes: list[Quote] = Field(min_length=1)

    @property
    def sources(self) -> list[str]:
        """Ids of the documents that are quoted, each once, in order."""
        return list(dict.fromkeys(quote.document_id for quote in self.quotes))


class PathStep(_Model):
    """A step on the way to an answer: what a language model looked at.

    Attributes:
        tool: the tool that it called.
        arguments: with what.
        found: what that gave, or why it gave nothing, in one line.
        nodes: ids of the nodes it was shown.
    """

    tool: str
    arguments: dict[str, Any] = {}
    found: str
    nodes: list[str] = []


class CitedAnswer(_Model):
    """An answer as claims with quotes.

    Attributes:
        question: what was asked.
        claims: the answer, statement by statement.
        sufficient: whether the sources were enough to answer; an answer without claims is never sufficient.
        missing: what the sources do not say, in words; None when they were enough.
        dropped: claims and quotes that did not hold, one line each.
        confidence: how well a language model kept to its sources, 0 to 1: the share of the quotes of its first answer
            that hold, times the share of the claims of its last answer that at least one quote supports; 0 without
            claims. It does not say that the claims are true, or that they answer the question. None where no model was
            asked.
        hits_retrieved: hits that the search found.
        hits_used: hits of which the model was shown something; passages it was shown, where it navigated.
        timings: seconds by step, in order: ``self_query``, ``expand_query``, ``search``, ``rerank``, ``expand``,
            ``look``, ``model`` and ``check``, those that were taken.
        path: of an answer that a model navigated to: what it looked at, in order.
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

    @property
    def citations(self) -> list[Citation]:
        """Where the quotes stand, one for each node, in the order of their numbers in ``text``; verified ones only."""
        return [quote.citation for quote in self._distinct() if quote.citation is not None]

    @property
    def is_verified(self) -> bool:
        """Whether every quote was found in a store."""
        return all(quote.citation is not None for claim in self.claims for quote in claim.quotes)

    @checked()
    def verified(self, store: Quotable, *, min_words: int = QUOTE_WORDS) -> CitedAnswer:
        """Return this answer with every quote looked up in the store.

        Args:
            store: where they are looked up.
            min_words: words that a quote must have, unless its node has fewer.

        Raises:
            pydantic.ValidationError: a quote is not in its node, or the node is not there; names each of them.
            ArgumentError: ``min_words`` is no number of words.
        """
        return CitedAnswer.model_validate(self.model_dump(), context={"store": store, "min_words": min_words})

    @checked()
    def pruned(self, store: Quotable, *, min_words: int = QUOTE_WORDS) -> CitedAnswer:
        """Return this answer verified, without the quotes that do not hold and the claims that lose all of theirs.

        Raises:
            ArgumentError: ``min_words`` is no number of words.
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
        }

    def _distinct(self) -> list[Quote]:
        """Return the first quote of each node, in order."""
        found: dict[tuple[str, str], Quote] = {}
        for claim in self.claims:
            for quote in claim.quotes:
                found.setdefault((quote.document_id, quote.node_id), quote)
        return list(found.values())
