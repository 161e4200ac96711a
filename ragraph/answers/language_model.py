"""The language model: an endpoint with OpenAI's chat protocol, used through pydantic-ai (extra ``answer``)."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragraph.base.arguments import check_fields
from ragraph.base.extras import install
from ragraph.errors import AnswerError, first_line

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from pydantic_ai import Agent, Tool

_NO_EXTRA = f"a language model needs: {install('answer')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A language model behind an endpoint with OpenAI's chat protocol.

    Attributes:
        model: name of the model at the endpoint; default ``RAGRAPH_LLM_MODEL``.
        base_url: address of the endpoint, such as ``http://localhost:11434/v1``; default ``RAGRAPH_LLM_URL``, else
            OpenAI's.
        api_key: key for it; default ``RAGRAPH_LLM_KEY``, else ``OPENAI_API_KEY``; local endpoints need none.
        timeout: maximum time of one request, in seconds.
        temperature: 0 for the most likely words.
    """

    model: str | None = None
    base_url: str | None = None
    api_key: str | None = None
    timeout: float = 120.0
    temperature: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)

    def agent(
        self, output_type: type[Any], instructions: str, *, retries: int, tools: Sequence[Tool[Any]] = ()
    ) -> Agent[Any, Any]:
        """Return an agent of pydantic-ai for this endpoint.

        Raises:
            AnswerError: the extra is not installed, or no model is named.
        """
        try:
            from pydantic_ai import Agent
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider
        except ImportError as error:
            raise AnswerError(_NO_EXTRA) from error
        name, url, key = self._named()
        provider = OpenAIProvider(base_url=url, api_key=key or "none")
        return Agent(
            OpenAIChatModel(name, provider=provider),
            output_type=output_type,
            instructions=instructions,
            retries=retries,
            tools=tools,
            model_settings={"temperature": self.temperature, "timeout": self.timeout},
        )

    @property
    def name(self) -> str:
        """The name of the model at the endpoint.

        Raises:
            AnswerError: no model is named.
        """
        return self._named()[0]

    def check(self) -> None:
        """Raise an error for missing settings before anything is loaded or requested.

        Raises:
            AnswerError: the extra is not installed, or no model is named.
        """
        if any(importlib.util.find_spec(name) is None for name in ("pydantic_ai", "openai")):
            raise AnswerError(_NO_EXTRA)
        self._named()

    def _named(self) -> tuple[str, str | None, str | None]:
        """Return the name of the model, its address and the key; at least one of the last two is set."""
        name = self.model or os.environ.get("RAGRAPH_LLM_MODEL")
        url = self.base_url or os.environ.get("RAGRAPH_LLM_URL")
        key = self.api_key or os.environ.get("RAGRAPH_LLM_KEY") or os.environ.get("OPENAI_API_KEY")
        if not name:
            raise AnswerError("no language model is named", hint="set RAGRAPH_LLM_MODEL, or give", argument="llm")
        if not key and not url:
            raise AnswerError(
                "neither an endpoint nor a key is given; set RAGRAPH_LLM_URL, or OPENAI_API_KEY for OpenAI's own"
            )
        return name, url, key


def run(agent: Agent[Any, Any], prompt: str | Sequence[Any], *, requests: int | None = None) -> Any:
    """Return the output of a model for a prompt.

    Args:
        agent: the model, its instructions, and the tools it may call.
        prompt: the prompt, as text, or texts and pictures (``pydantic_ai.BinaryContent``).
        requests: maximum number of requests.

    Raises:
        AnswerError: it cannot be reached, or returns nothing that can be parsed; ``ended`` if the maximum was reached.
    """
    from pydantic_ai.exceptions import AgentRunError, UnexpectedModelBehavior, UsageLimitExceeded
    from pydantic_ai.usage import UsageLimits

    async def ask() -> Any:
        async with agent:  # closes its connections
            return (await agent.run(prompt, usage_limits=UsageLimits(request_limit=requests or 50))).output

    try:
        return _in_loop(ask)
    except UsageLimitExceeded as error:
        raise AnswerError("the language model did not arrive at an answer", ended=True) from error
    except UnexpectedModelBehavior as error:
        raise AnswerError(
            f"the language model did not answer in the form asked for ({first_line(error)}): use another model"
        ) from error
    except AgentRunError as error:
        raise AnswerError(
            f"the language model returned no usable answer: {first_line(error)}; check its address, key and name"
        ) from error


def _in_loop(ask: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a coroutine in an event loop of its own, also while another one is running, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(ask())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, ask()).result()
