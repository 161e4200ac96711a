"""Subtitles (WebVTT, SRT): cues joined to sentences, with their time as place."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.draft import DraftPage, Position
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.run import not_empty
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?$")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAGS = re.compile(r"</?[^<>]*>|\{\\[^{}]*\}")
_END = re.compile(r"[.!?…。！？]['\"”’»)\]]*$")
_LONGEST = 400
"""Letters from which a paragraph ends with its cue even if the sentence does not."""

_ROLLS = 0.1
"""Seconds between cues of which the second may begin with the text of the first, shown again."""

_ROLLED = 2
"""Minimum words of such a text; a single one may be said twice."""

_PAUSE = 4.0
"""Seconds without a cue that end a paragraph."""


@dataclass
class _Cue:
    start: float
    end: float
    speaker: str
    text: str


class CaptionReader:
    """Subtitles. Each paragraph is a "page" with its time as label, so that a citation names the second."""

    name = "captions"
    version = 5

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the subtitles; raises the errors of ``Reader.read``."""
        source = decode_file(path, options.charset).lstrip("\ufeff")
        builder = DraftBuilder(f"{self.name}/{self.version}")
        for number, cue in enumerate(_sentences(list(_cues(source))), 1):
            label = _label(cue.start)
            builder.pages.append(DraftPage(page_pdf=number, page_logical=label))
            data = {"start": cue.start, "end": cue.end} | ({"speaker": cue.speaker} if cue.speaker else {})
            builder.node(
                f"cue{number}",
                ContentNodeType.PARAGRAPH,
                f"{cue.speaker}: {cue.text}" if cue.speaker else cue.text,
                positions=[Position(page_pdf=number, page_logical=label)],
                data=data,
            )
        return not_empty(builder.draft())


def _label(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _cues(source: str) -> Iterator[_Cue]:
    """Yield the cues: a line of times, and the lines up to the next blank one; in SRT up to the number of the next."""
    times: tuple[float, float] | None = None
    blank_ends = source.startswith("WEBVTT")
    count = 0
    lines: list[str] = []
    for line in [*source.splitlines(), ""]:
        match = _TIMES.match(line)
        if match is not None:
            count += 1
            if times is not None:
                yield from _spoken(times, _without_number(lines, count))
            times = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
            lines = []
        elif times is not None and (line.strip() or not blank_ends):
            lines.append(line.strip())
        elif times is not None:
            yield from _spoken(times, lines)
            times, lines = None, []
    if times is not None:
        yield from _spoken(times, lines)


def _without_number(lines: list[str], count: int) -> list[str]:
    """Return lines without the number of the next cue: right before its times, or what it is if blank lines follow."""
    if lines and lines[-1].isdecimal():
        return lines[:-1]
    last = next((place for place in reversed(range(len(lines))) if lines[place]), 0)
    return lines[:last] if lines and lines[last] == str(count) else lines


def _spoken(times: tuple[float, float], lines: list[str]) -> Iterator[_Cue]:
    """Yield a cue for each speaker of the lines."""
    parts = _VOICE.split("\n".join(lines))
    for speaker, said in zip(["", *parts[1::2]], parts[::2], strict=True):
        text = " ".join(html.unescape(_TAGS.sub("", said)).split())
        if text:
            yield _Cue(*times, html.unescape(speaker).strip(), text)


def _seconds(parts: Sequence[str | None]) -> float:
    """Return hours, minutes, seconds and their fraction in seconds."""
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return round(int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction}"), 3)


def _without_rolling(cues: list[_Cue]) -> list[_Cue]:
    """Return cues without the line above that rolling subtitles show again, as automatic ones do."""
    rolling: list[_Cue] = []
    shown = ""
    for cue in cues:
        last = rolling[-1] if rolling else None
        again = last is not None and last.speaker == cue.speaker and cue.start - last.end <= _ROLLS
        rest = cue.text
        if again and len(shown.split()) >= _ROLLED and f"{cue.text} ".startswith(f"{shown} "):
            rest = cue.text[len(shown) :].strip()
        if rest:
            rolling.append(_Cue(cue.start, cue.end, cue.speaker, rest))
            shown = rest
        elif last is not None:
            last.end = cue.end
    return rolling


def _sentences(cues: list[_Cue]) -> list[_Cue]:
    """Return cues joined to sentences: subtitles cut them at any word."""
    joined: list[_Cue] = []
    for cue in _without_rolling(cues):
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.speaker == cue.speaker
            and not _END.search(last.text)
            and len(last.text) < _LONGEST
            and cue.start - last.end < _PAUSE
        ):
            joined[-1] = _Cue(last.start, cue.end, last.speaker, f"{last.text} {cue.text}")
        else:
            joined.append(cue)
    return joined
