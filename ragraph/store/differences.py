"""Differences between two states of a document, or two documents."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from ragraph.schema.versions import NodeChange

_ALIKE = 0.5
"""Share of the words, from 0 to 1, that two nodes of two documents must share to be one that changed."""

_LOOKED_AT = 200
"""Maximum number of nodes that a new node is compared with: blocks without any common node may have thousands."""

_TURNED = {"added": "removed", "removed": "added"}

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""Words; each character of scripts without spaces is one."""


def by_content(graph: Any) -> tuple[Any, dict[str, str]]:
    """Return a graph whose nodes are named by type, text and the how-manyth such node they are, and their ids."""
    seen: Counter[tuple[str, str]] = Counter()
    ids = {}
    nodes = []
    for row in graph.nodes:
        content = row.content_node_type.value, row.content
        seen[content] += 1
        name = "\0".join((*content, str(seen[content])))
        ids[name] = row.id
        nodes.append(replace(row, id=name))
    return replace(graph, nodes=tuple(nodes)), ids


def section_paths(graph: Any) -> dict[str, list[str]]:
    """Return the titles of the sections around each node, outermost first, by the id of the node."""
    components = {row.id: row for row in graph.components}
    found: dict[str | None, list[str]] = {None: []}
    for row in components.values():  # parents come first
        found[row.id] = [*found[row.parent_component_id], *([row.title] if row.title else [])]
    return {node.id: found[node.parent_component_id] for node in graph.nodes}


def diff(then: Any, now: Any) -> list[NodeChange]:
    """Return the changes from one state of a document to another, in the reading order of the second."""
    paths, live = section_paths(then), section_paths(now)
    return [_noted(change, old, new, paths, live) for change, old, new in _changes(then, now, least=0.0)]


def compared(then: Any, now: Any, *, turned: bool) -> list[NodeChange]:
    """Return the changes from one document to another, in the reading order of the second.

    Args:
        then: the first document.
        now: the second document.
        turned: find them from the second to the first, and turn each around. Alignments depend on the direction, so
            both directions of a comparison are found in the same one.
    """
    found = _changes(now, then, least=_ALIKE) if turned else _changes(then, now, least=_ALIKE)
    if turned:
        found = [(_TURNED.get(change, change), new, old) for change, old, new in found]
    before, after = ({row.id: place for place, row in enumerate(graph.nodes)} for graph in (then, now))
    partners = {old.id: after[new.id] for _, old, new in found if old and new}
    at = -1
    behind = {}  # a removed node comes after the node that was before it
    for row in then.nodes:
        at = partners.get(row.id, after.get(row.id, at))
        behind[row.id] = at
    found.sort(key=lambda one: (after[one[2].id], -1) if one[2] else (behind[one[1].id], before[one[1].id]))
    paths, live = section_paths(then), section_paths(now)
    return [_noted(change, old, new, paths, live) for change, old, new in found]


def _noted(change: Any, old: Any, new: Any, paths: dict[str, list[str]], live: dict[str, list[str]]) -> NodeChange:
    row = new or old
    return NodeChange(
        change=change,
        section=live[new.id] if new else paths[old.id],
        node_type=row.content_node_type.value,
        node_id=row.id,
        before=old.content if old else None,
        after=new.content if new else None,
    )


def _changes(then: Any, now: Any, *, least: float) -> list[tuple[str, Any, Any]]:
    """Return the changes with the node before and after; a pair shares at least so much of its words."""
    before, after = ({row.id: row for row in graph.nodes} for graph in (then, now))
    paths, live = section_paths(then), section_paths(now)
    changes: list[tuple[str, Any, Any]] = []
    # A node under other headings counts as another one: if two swap order, the one that left its section has moved.
    renamed = _renamed(paths, live)
    places = (
        [(name, *renamed.get(tuple(paths[name]), paths[name])) for name in before],
        [(name, *live[name]) for name in after],
    )
    matcher = SequenceMatcher(None, *places, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            kept = [(before[name], after[name]) for name in list(before)[i:j]]
            changes += [("changed", old, new) for old, new in kept if _shown(old) != _shown(new)]
            continue
        gone = [row for name, row in list(before.items())[i:j] if name not in after]
        for new in list(after.values())[k:m]:
            if new.id in before:
                changes.append(("moved", before[new.id], new))
                continue
            old = _partner(new, [row for row in gone if row.content_node_type == new.content_node_type], least)
            if old is not None:
                gone.remove(old)
            if old is None or old.content != new.content or _shown(old) != _shown(new):
                changes.append(("changed" if old is not None else "added", old, new))
            elif renamed.get(tuple(paths[old.id]), tuple(paths[old.id])) != tuple(live[new.id]):
                changes.append(("moved", old, new))
        changes += [("removed", old, None) for old in gone]
    return changes


def _partner(new: Any, rows: list[Any], least: float) -> Any:
    """Return the node that a new one was before: of the same text, else the first that is alike enough, else None."""
    same = next((row for row in rows if row.content == new.content), None)
    if same is not None or least <= 0:
        return same or (rows[0] if rows else None)
    words = _words(new.content)
    return next((row for row in rows[:_LOOKED_AT] if _shared(words, _words(row.content)) >= least), None)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


def _shared(words: Counter[str], others: Counter[str]) -> float:
    """Return the share of the words of two texts that both have, from 0 to 1."""
    total = words.total() + others.total()
    return 2 * (words & others).total() / total if total else 1.0


def _renamed(paths: dict[str, list[str]], live: dict[str, list[str]]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return sections with a changed title: all remaining nodes of one are in one that did not exist before."""
    led: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    came: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for name in paths.keys() & live.keys():
        old, new = tuple(paths[name]), tuple(live[name])
        led.setdefault(old, set()).add(new)
        came.setdefault(new, set()).add(old)
    were, are = set(map(tuple, paths.values())), set(map(tuple, live.values()))
    return {
        old: new
        for old, (new, *others) in ((old, sorted(ends)) for old, ends in led.items())
        if not others and old not in are and new not in were and len(came[new]) == 1
    }


def _shown(row: Any) -> tuple[Any, ...]:
    """Return what a node shows besides its text.

    Its position and what is derived from its text are no changes of these.
    """
    return row.storage_url, row.description, *(row.data.get(name) for name in ("language", "ordered"))
