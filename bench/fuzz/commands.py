"""Made-up calls of every command of the command line, each in a process of its own."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer.main
from hypothesis import strategies as st

from bench.chaos.running import processes
from bench.fuzz.values import TEXTS, fitting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.fuzz.library import Library

STAYS = ("serve", "open", "mcp")
"""Commands that run until they are ended."""
PATIENCE_S = 8.0
STUCK_S = 180.0
LONGEST_LINE = 1000


@dataclass(frozen=True)
class Leaf:
    """A command with its parameters."""

    words: tuple[str, ...]
    parameters: tuple[Any, ...]


@dataclass
class Called:
    """What was called, and what was wrong."""

    calls: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)


def leaves() -> list[Leaf]:
    """Return every command that does something, in the order of the help."""
    from ragraph.faces.cli.program import app

    return list(_leaves(typer.main.get_command(app), ()))


def _leaves(command: Any, words: tuple[str, ...]) -> Iterator[Leaf]:
    below = getattr(command, "commands", {})
    if not below or getattr(command, "invoke_without_command", False):
        yield Leaf(words, tuple(command.params))
    for name, inner in below.items():
        yield from _leaves(inner, (*words, name))


@st.composite
def arguments(draw: st.DrawFn, leaf: Leaf, known: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return words for a command: its arguments and some options, each fitting or wrong."""
    options = [parameter for parameter in leaf.parameters if parameter.param_type_name == "option"]
    chosen = draw(st.lists(st.sampled_from(options), max_size=4, unique_by=id)) if options else []
    words: list[str] = []
    for option in chosen:
        words.append(draw(st.sampled_from([*option.opts, *option.secondary_opts])))
        if not getattr(option, "is_flag", False) or draw(st.integers(0, 30)) == 0:
            words.append(draw(_value(option, known)))
    placed = [parameter for parameter in leaf.parameters if parameter.param_type_name == "argument"]
    for argument in placed:
        if draw(st.integers(0, 9)) > 0:
            words += [
                draw(_value(argument, known)) for _ in range(draw(st.integers(1, 2 if argument.nargs < 0 else 1)))
            ]
    if draw(st.integers(0, 15)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(TEXTS))
    return [word.replace("\0", "") for word in words]  # no process can be given a NUL


def _value(parameter: Any, known: Mapping[str, Sequence[Any]]) -> st.SearchStrategy[str]:
    kind = parameter.type
    name = (parameter.name or "").removesuffix("_")
    kinds: list[st.SearchStrategy[str]] = [TEXTS]
    if hasattr(kind, "choices"):
        kinds += [st.sampled_from(sorted(map(str, kind.choices)))] * 4
    elif kind.name in ("integer range", "integer", "float range", "float"):
        ends = [end for end in (getattr(kind, "min", None), getattr(kind, "max", None)) if end is not None]
        near = {str(end + step) for end in ends for step in (-1, 0, 1)} | {"1", "3", "0", "-1", str(2**31), str(2**70)}
        kinds += [st.sampled_from(sorted(near))] * 3
    elif kind.name in ("path", "file", "directory"):
        kinds += [st.sampled_from(list(known["path"]))] * 4
    else:
        kinds += [fitting(name, known)] * 4
    return st.one_of(kinds)


class Commands:
    """Calls commands on the copy of a library."""

    def __init__(self, library: Library) -> None:
        self._library, self._context = library, processes()
        self._numbers = 0
        self._before: object = None
        self.called = Called()
        self._leaves = leaves()

    def strategy(self) -> st.SearchStrategy[tuple[tuple[str, ...], list[str]]]:
        """Return calls: the words of a command, and those after them."""
        known = self._library.known
        return st.one_of([st.tuples(st.just(leaf.words), arguments(leaf, known)) for leaf in self._leaves])

    def __call__(self, call: tuple[tuple[str, ...], list[str]]) -> None:
        """Call a command, and note what is wrong."""
        command, words = call
        code, said, err = self._run([*command, *words], stays=command[0] in STAYS)
        self.called.calls += 1
        self.called.codes[str(code)] += 1
        for found in self._faults(code, said, err):
            name = f"{' '.join(command)}: {found}"
            self.called.wrong.setdefault(name, f"{words!r:.600}\n{(said + err)[-1500:]}")
        self._before = call

    def close(self) -> None:
        """Do nothing: each command was a process of its own."""

    def _faults(self, code: int | None, said: str, err: str) -> Iterator[str]:
        last = (err.strip().splitlines() or [""])[-1]
        if "Traceback" in err:
            yield f"traceback {last[:80]}"
        elif code is None:
            yield "it is stuck"
        elif code not in (0, 1, 2):
            yield f"exit code {code}"
        elif code == 2 and len(err.strip().split("\n")) != 1:
            yield "wrong usage is not one line"
        elif code and not (said + err).strip():
            yield "a failure says nothing"
        elif code == 2 and len(last) > LONGEST_LINE:
            yield "a long line"
        if {"\x1b", "\x9b"} & set(err):
            yield "control characters in an error"
        if self._library.changed():
            if code == 2:
                yield f"a refused call changed the store, after {self._before!r:.200}: {self._library.what:.300}"
            self._library.renew()

    def _run(self, words: list[str], *, stays: bool) -> tuple[int | None, str, str]:
        """Run a command in a process group of its own; return the exit code, None if it had to be killed."""
        self._numbers += 1
        said = [self._library.folder.parent / f"{self._numbers}.{name}" for name in ("out", "err")]
        environment = {
            "RAGRAPH_DATABASE_URL": self._library.url,
            "RAGRAPH_HOME": str(self._library.other_home),
            "NO_COLOR": "1",
        }
        process = self._context.Process(target=_be_ragraph, args=(words, environment, said, str(self._library.folder)))
        process.start()
        process.join(PATIENCE_S if stays else STUCK_S)
        code: int | None = process.exitcode
        if process.is_alive():
            if stays:
                process.terminate()
                process.join(PATIENCE_S)
                code = 0 if not process.is_alive() else None
            _kill_group(process.pid)
            process.join()
        elif code is not None and stays and code < 0:
            code = 0
        texts = [path.read_text(errors="replace") if path.exists() else "" for path in said]
        for path in said:
            path.unlink(missing_ok=True)
        return code, texts[0], texts[1]


def _kill_group(pid: int) -> None:
    for _ in range(20):
        try:
            os.killpg(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        time.sleep(0.05)


def _be_ragraph(words: list[str], environment: dict[str, str], said: Sequence[Any], folder: str) -> None:
    import sys

    os.setpgrp()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - for as long as the process lives
    for number, path in zip((1, 2), said, strict=True):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644), number)
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["ragraph", *words]
    from ragraph.faces.cli import main

    main()
