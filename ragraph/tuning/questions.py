"""Judged questions: the question, and the passages or pages that answer it, one JSON object per line.

The file may come from anywhere: errors are reported with their line number, and nothing in it is executed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.arguments import QUERY_LIMIT, several
from ragraph.errors import TuningError

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_LINE = 1_000_000
"""Maximum number of characters in a line: a question with its passages, not a library."""

_CORNERS = ("x1", "y1", "x2", "y2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its answer.

    Attributes:
        question: the question as asked.
        document: id of the document that it is about; None for the complete collection.
        collection: the collection to search if no document is named.
        passages: words that answer it, copied from the document.
        pages: physical pages from 1 that answer it, if no passages are known; they need the document.
        boxes: boxes of the answer on its pages, as in ``Citation.boxes``; they need the document, and are only used by
            an evaluation.
        place: number of its line in the file, or of the item in the list, from 1; not part of the judgement.
    """

    question: str
    document: str | None = None
    collection: str | None = None
    passages: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    boxes: tuple[Mapping[str, Any], ...] = ()
    place: int = field(default=0, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return the question as a line of a file, without empty values."""
        values = {
            "question": self.question,
            "document": self.document,
            "collection": self.collection,
            "passages": list(self.passages),
            "pages": list(self.pages),
            "boxes": [dict(box) for box in self.boxes],
        }
        return {name: value for name, value in values.items() if value}


def read_questions(source: str | Path | Iterable[Question | Mapping[str, Any]]) -> list[Question]:
    """Return the questions of a JSONL file, or of a list of questions or mappings with the same keys.

    Raises:
        TuningError: the file cannot be read, or a line or item is not a judged question; names the line and the reason.
    """
    if isinstance(source, str | Path):
        return _read(Path(source))
    given = several("questions", "the path of a JSONL file, or a list of questions", source)
    return [
        replace(_question(item.to_json() if isinstance(item, Question) else item, f"question {number}"), place=number)
        for number, item in enumerate(given, 1)
    ]


def _read(path: Path) -> list[Question]:
    questions = []
    try:
        with path.open(encoding="utf-8-sig") as lines:
            number = 0
            while line := lines.readline(LONGEST_LINE + 1):
                number += 1
                place = f"{path}, line {number}"
                if len(line) > LONGEST_LINE:
                    raise TuningError(f"{place}: longer than {LONGEST_LINE:,} characters; one question takes one line")
                if line.strip():
                    questions.append(replace(_question(_json(line, place), place), place=number))
    except UnicodeDecodeError:
        raise TuningError(f"{path} is not UTF-8; save it as UTF-8, one JSON object a line") from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise TuningError(f"{path} cannot be read ({error.strerror or error})") from None
        raise TuningError(f"{str(path)!r} is not a valid path") from None
    return questions


def _json(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        said = "nested too deeply" if isinstance(error, RecursionError) else error
        raise TuningError(f'{place}: not JSON ({said}); write {{"question": "...", "passages": ["..."]}}') from None


def _question(value: Any, place: str) -> Question:
    if not isinstance(value, Mapping):
        raise TuningError(f'{place}: not an object; write {{"question": "...", "passages": ["..."]}}')
    question = _text(value, "question", place)
    if question is None or not question.strip():
        raise TuningError(f"{place}: the question is missing or empty")
    if len(question) > QUERY_LIMIT:
        raise TuningError(f"{place}: the question has {len(question):,} characters; the maximum is {QUERY_LIMIT:,}")
    document = _text(value, "document", place)
    passages = _list(value, "passages", place, str, "texts")
    pages = _list(value, "pages", place, int, "physical pages, from 1")
    for text in passages:
        _plain(text, "passages", place)
    if not any(any(map(str.isalnum, text)) for text in passages) and not pages:
        raise TuningError(f"{place}: neither passages nor pages with the answer; give one of them")
    if pages and min(pages) < 1:
        raise TuningError(f"{place}: page {min(pages)}; physical pages count from 1")
    if pages and not passages and document is None:
        raise TuningError(f"{place}: pages without the document that they belong to")
    boxes = _list(value, "boxes", place, Mapping, "boxes")
    if boxes and document is None:
        raise TuningError(f"{place}: boxes without the document that they are in")
    return Question(
        question=question,
        document=document,
        collection=_text(value, "collection", place),
        passages=tuple(passages),
        pages=tuple(pages),
        boxes=tuple(_box(box, place) for box in boxes),
    )


def _box(value: Mapping[str, Any], place: str) -> dict[str, Any]:
    page, corners = value.get("page_pdf"), value.get("bbox")
    if isinstance(page, int) and page >= 1 and isinstance(corners, Mapping):
        given = [corners.get(name) for name in _CORNERS]
        numbers = [float(number) for number in given if isinstance(number, int | float)]
        if len(numbers) == len(_CORNERS) and numbers[0] < numbers[2] and numbers[1] < numbers[3]:
            return {"page_pdf": page, "bbox": dict(zip(_CORNERS, numbers, strict=True))}
    raise TuningError(
        f'{place}: not a box; write {{"page_pdf": 3, "bbox": {{"x1": 72, "y1": 90, "x2": 300, "y2": 120}}}}, in points'
    )


def _text(value: Mapping[str, Any], name: str, place: str) -> str | None:
    text = value.get(name)
    if text is not None and not isinstance(text, str):
        raise TuningError(f"{place}: {name} is {type(text).__name__}, not a text")
    return None if text is None else _plain(text, name, place)


def _plain(text: str, name: str, place: str) -> str:
    """Raise TuningError for characters that a database cannot store."""
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise TuningError(f"{place}: {name} has an invalid character (NUL, or half of a surrogate pair); remove it")
    return text


def _list(value: Mapping[str, Any], name: str, place: str, kind: type, words: str) -> list[Any]:
    items = value.get(name)
    if items is None:
        return []
    if not isinstance(items, list | tuple) or any(
        not isinstance(item, kind) or isinstance(item, bool) for item in items
    ):
        raise TuningError(f"{place}: {name} is not a list of {words}")
    return list(items)
