"""Play twenty questions through the tools of `ragraph mcp` by fixed rules, and count calls and tokens.

They are played twice: by search, and by navigation alone, from the contents of the library to a document to a section.

python -m bench.agents [--write bench/results/agents.md]

The documents are those of examples/. No language model takes part: a rule decides each call, so that a change of the
tools shows as a change of these figures. The rules: search with five passages; if the best one is cut, or its relevance
is below a half, read its section; then cite the first words of the best passage.

The rules of navigation: a title is worth the rare words that it shares with the question, by their first five letters.
Take the contents of the library with its top sections; open the outline of the document whose titles are worth most;
read its best section, then the next ones, four at most, until a passage has half of the question's words; then two
sections of the second document; then cite.

A question counts as found if what was read has the words of its evidence. A token is four characters of what the server
sends.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import anyio

from bench.throwaway import throwaway_store
from ragraph.faces.mcp.server import create_server

ROOT = Path(__file__).parent.parent
QUESTIONS = (
    ("Who makes the ultimate decision to grant access to a resource?", "policy engine"),
    ("What does the policy administrator do?", "shutting down the communication path"),
    ("What is a policy enforcement point responsible for?", "enabling, monitoring, and eventually terminating"),
    ("Is traffic from the enterprise's own network trusted?", "regardless of network location"),
    ("What is an implicit trust zone?", "implicit trust zone"),
    ("How can stolen credentials be used against a zero trust architecture?", "credentials"),
    ("How can an attacker disrupt access to the policy enforcement point?", "denial|DoS"),
    ("What is micro-segmentation?", "micro-?\\s?segmentation"),
    ("What is a software defined perimeter?", "software.defined perimeter"),
    ("What are the inputs of the trust algorithm?", "access request"),
    ("What is a score-based trust algorithm?", "score-based"),
    ("How do visitors and contractors get access to the network?", "visitor|contract"),
    ("What is a continuous diagnostics and mitigation system?", "diagnostics and mitigation"),
    ("How does an enterprise with several clouds use zero trust?", "multi-?cloud|cloud-to-cloud|multiple cloud"),
    ("Which steps introduce zero trust into a perimeter-based network?", "identify"),
    ("Did pravastatin reduce the recurrence of stroke?", "pravastatin"),
    ("Which dose of pravastatin did the patients get?", "10\\s?mg"),
    ("Why did landlords let tenants share the harvest?", "metayer|harvest|produce"),
    ("How did towns gain their liberty from the lords?", "burgh|charter|liberty"),
    ("Why does primogeniture hinder the improvement of land?", "primogeniture"),
)
_STEM = 5
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are be by can did do does for from how in into is its let of on or s that the to used use was what"
        " which who why with whose own make several get",
    )
)
"""Words of questions that say nothing of their topic."""
_LEAST = 0.5
"""Relevance of the best passage below which its section is read."""


class Agent:
    """Calls tools and counts what it gets."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.calls: list[str] = []
        self.read = ""

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result, or nothing after an error."""
        result = await self._client.call_tool(tool, arguments)
        text = "".join(getattr(part, "text", "") for part in result.content)
        self.calls.append(tool)
        self.read += text + "\n"
        found: dict[str, Any] = {} if result.is_error else json.loads(text)
        return found

    async def ask(self, question: str) -> None:
        """Ask a question by the rules."""
        hits = (await self.call("search", query=question, k=5)).get("hits", [])
        if not hits:
            return
        best = hits[0]
        if best.get("cut") or best.get("relevance", 0) < _LEAST:
            path = best.get("section_path")
            section = path[-1] if path else None
            await self.call("read_section", document=best["document_id"], section=section, max_chars=6000)
        quote = " ".join(best["text"].split()[:8])
        await self.call("cite", document=best["document_id"], node=best["node_id"], quote=quote)


class Navigator(Agent):
    """Finds passages by contents alone, without a search."""

    async def ask(self, question: str) -> None:
        """Ask a question by the rules."""
        asked = _words(question)
        library = (await self.call("outline", depth=2, max_chars=20_000)).get("sections", [])
        titles: dict[str, str] = {}
        document = ""
        for entry in library:
            document = entry["section_id"] if entry["type"] == "DOCUMENT" else document
            titles[document] = titles.get(document, "") + " " + (entry["title"] or "")
        ranked = _ranked(asked, titles)
        for document, most in zip(ranked, (4, 2), strict=False):
            sections = (await self.call("outline", document=document, max_chars=20_000)).get("sections", [])
            paths: list[str] = []
            named: dict[str, str] = {}
            for entry in sections:
                del paths[entry["depth"] - 1 :]
                paths.append(entry["title"] or "")
                named[entry["section_id"]] = " ".join(paths[-2:])
            for section in _ranked(asked, named)[:most]:
                found = await self.call("read_section", document=document, section=section, max_chars=6000)
                for passage in found.get("passages", []):
                    if len(asked & _words(passage["text"])) * 2 >= len(asked):
                        quote = " ".join(passage["text"].split()[:8])
                        await self.call("cite", document=document, node=passage["node_id"], quote=quote)
                        return


def _words(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w+", text.casefold()) if word not in _COMMON}


def _ranked(asked: set[str], titles: dict[str, str]) -> list[str]:
    """Return the names whose titles share the rarest words with the question, the best first."""
    words = {name: _words(title) for name, title in titles.items()}
    counts = Counter(word for found in words.values() for word in found)
    worth = {name: sum(1 / counts[word] for word in asked & found) for name, found in words.items()}
    return sorted(titles, key=lambda name: -worth[name])


def main() -> None:
    """Play the questions; print or write the table."""
    with throwaway_store() as store:
        store.ingest(ROOT / "examples" / "documents")
        text = anyio.run(_played, store)
    if "--write" in sys.argv:
        Path(sys.argv[sys.argv.index("--write") + 1]).write_text(text)
    print(text)


async def _played(store: Any) -> str:
    from mcp import Client

    async with Client(create_server(store)) as client:
        listed = (await client.list_tools()).tools
        defined = sum(len(tool.model_dump_json(exclude_none=True, by_alias=True)) for tool in listed) // 4
        searched = [await _asked(Agent(client), *question) for question in QUESTIONS]
        navigated = [await _asked(Navigator(client), *question) for question in QUESTIONS]
    lines = [
        "# Questions through the tools of `ragraph mcp`",
        "",
        "Made by `python -m bench.agents --write bench/results/agents.md`; the rules are in its docstring. The",
        "documents are those of `examples/`.",
        "",
        f"The definitions of the {len(listed)} tools take {defined:,} tokens once. A token is four characters.",
        "",
        "## By search",
        "",
        *_table(searched),
        "",
        "## By navigation: the library, a document, a section",
        "",
        "No search is made. Rules choose by the words of titles, which a language model would understand.",
        "",
        *_table(navigated),
    ]
    return "\n".join(lines) + "\n"


Row = tuple[str, list[str], int, bool]


async def _asked(agent: Agent, question: str, evidence: str) -> Row:
    await agent.ask(question)
    found = bool(re.search(evidence, agent.read, re.IGNORECASE))
    return question, agent.calls, len(agent.read) // 4, found


def _table(rows: list[Row]) -> list[str]:
    calls, tokens = sum(len(row[1]) for row in rows), sum(row[2] for row in rows)
    return [
        f"{len(rows)} questions: {calls} calls, {tokens:,} tokens of results, {sum(row[3] for row in rows)} found.",
        "",
        "| question | calls | tokens | found |",
        "| --- | --- | --- | --- |",
        *(
            f"| {question} | {', '.join(made)} | {size:,} | {'yes' if ok else 'no'} |"
            for question, made, size, ok in rows
        ),
    ]


if __name__ == "__main__":
    main()
