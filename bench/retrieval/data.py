"""Questions with evidence that people marked, and their documents.

evidence_inference: doctors asked what an article reports of an outcome, and marked the sentences with the answer.
cuad: lawyers marked the clauses of a contract by category; the category and its description make the question.
cuad_named: the same with the parties of the contract in the question, which can so be asked over all contracts.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CSV_LIMIT = 10_000_000
csv.field_size_limit(CSV_LIMIT)

NOT_CLAUSES = {"documentname", "parties", "agreementdate", "effectivedate"}
"""Categories for names and dates of the title page: a few words that occur in many places."""

_OTHER_NAMES = {
    "noticeperiodtoterminaterenewal": "noticetoterminaterenewal",
    "rofrroforofn": "rightoffirstrefusalofferornegotiationrofrroforofn",
    "pricerestrictions": "pricerestriction",
    "affiliatelicenselicensor": "affiliateiplicenselicensor",
    "affiliatelicenselicensee": "affiliateiplicenselicensee",
}
"""Categories that the table and the description of cuad name differently, compared by letters."""


@dataclass(frozen=True)
class Question:
    """A question, its document, and the passages that answer it.

    Attributes:
        id: unique within its corpus.
        text: the question in words.
        document: key of the document in the corpus.
        evidence: passages as marked, without duplicates.
        outside: True if no evidence is in the abstract; always True for contracts.
    """

    id: str
    text: str
    document: str
    evidence: tuple[str, ...]
    outside: bool = True


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents with their questions.

    Attributes:
        name: name for tables and caches.
        files: the ingested file of each document, by key.
        texts: the file of its plain text, which peers split, by key.
        titles: title of each document, for peers that put it in front, by key.
        questions: questions in the order of the documents' keys.
        whole: whether search over all documents is measured as well.
    """

    name: str
    files: dict[str, Path]
    texts: dict[str, Path]
    titles: dict[str, str]
    questions: tuple[Question, ...]
    whole: bool = False

    def text(self, document: str) -> str:
        """Return the plain text of a document."""
        return read_text(self.texts[document])


TUNED_ON = {"evidence_inference": 40, "cuad": 20}
"""Number of documents of each data set, the first by hash, that settings were chosen on."""

DOCUMENTS = {"evidence_inference": 60, "cuad": 40}
"""Default number of documents of each data set: two hours on two cores the first time, nearly all of it for
vectors."""


def corpora(
    data: Path, documents: int | None = None, *, development: bool = False, names: Iterable[str] = ("",)
) -> list[Corpus]:
    """Return the corpora of the benchmark, with at most this many documents each, chosen by the hash of their keys.

    The documents that settings were chosen on are left out; with ``development`` only they are used.

    Args:
        data: the folder of the data sets.
        documents: number of documents of each; 0 = all, default ``DOCUMENTS``.
        development: see above.
        names: beginnings of the names of the wanted corpora.
    """
    many = {name: (default if documents is None else documents) or None for name, default in DOCUMENTS.items()}
    makers: dict[str, Callable[[], Corpus]] = {
        "evidence_inference": lambda: evidence_inference(
            data / "evidence_inference", many["evidence_inference"], development=development
        ),
        "cuad_named": lambda: cuad_named(data / "cuad", many["cuad"], development=development),
        "cuad_txt": lambda: cuad(data / "cuad", "txt", many["cuad"], development=development),
        "cuad_pdf": lambda: cuad(data / "cuad", "pdf", many["cuad"], development=development),
    }
    return [make() for name, make in makers.items() if name.startswith(tuple(names))]


def normalized(text: str) -> str:
    """Return the digits and ASCII letters of a text in lower case, nothing else."""
    return re.sub(r"[^0-9a-z]", "", text.lower())


def read_text(path: Path) -> str:
    """Return the content of a text file with line feeds as line ends."""
    return path.read_text(encoding="utf-8-sig", errors="replace").replace("\r\n", "\n")


def evidence_inference(folder: Path, documents: int | None = None, *, development: bool | None = None) -> Corpus:
    """Return the articles and questions of evidence_inference, those that the verifiers accepted."""
    texts = {path.stem: path for path in sorted((folder / "txt").glob("*.txt"))}
    files = {path.stem: path for path in sorted((folder / "xml").glob("*.nxml")) if path.stem in texts}
    files = {
        key: files[key]
        for key in _chosen(list(files), documents, TUNED_ON["evidence_inference"], development=development)
    }
    prompts = {row["PromptID"]: row for row in _rows(folder / "prompts.dev.csv")}
    spans: dict[str, list[tuple[int, int]]] = {}
    for row in _rows(folder / "v2_annotations.dev.csv"):
        valid = row["Valid Label"] == "True" and row["Valid Reasoning"] == "True"
        start, end = int(row["Evidence Start"]), int(row["Evidence End"])
        if valid and row["PromptID"] in prompts and 0 <= start < end:
            spans.setdefault(row["PromptID"], []).append((start, end))
    questions = []
    for prompt, found in spans.items():
        row = prompts[prompt]
        document = f"PMC{row['PMCID']}"
        if document not in files:
            continue
        text = read_text(texts[document])
        merged = _merge(found)
        body = text.find("BODY.")
        questions.append(
            Question(
                id=prompt,
                text=f"What is the effect of {row['Intervention'].strip()} compared with {row['Comparator'].strip()}"
                f" on {row['Outcome'].strip()}?",
                document=document,
                evidence=tuple(text[start:end] for start, end in merged),
                outside=body >= 0 and all(start >= body for start, _ in merged),
            )
        )
    questions.sort(key=lambda question: (question.document, int(question.id)))
    titles = {key: _title(read_text(texts[key])) for key in files}
    return Corpus("evidence_inference", files, {key: texts[key] for key in files}, titles, tuple(questions), whole=True)


def cuad(folder: Path, route: str, documents: int | None = None, *, development: bool | None = None) -> Corpus:
    """Return the contracts and clause questions of cuad; ``route``, ``txt`` or ``pdf``, selects the ingested files."""
    texts = {normalized(path.stem): path for path in sorted((folder / "txt").iterdir())}
    files = {_nearest(normalized(path.stem), texts): path for path in sorted((folder / route).iterdir())}
    asked = {normalized(name): (name, what) for name, what in _categories(folder / "CUAD_v1_README.txt").items()}
    rows = {
        _nearest(normalized(Path(row["Filename"]).stem), texts): row for row in _rows(folder / "master_clauses.dev.csv")
    }
    keys = [key for key in _chosen(sorted(rows), documents, TUNED_ON["cuad"], development=development) if key in files]
    questions = []
    for key in sorted(keys):
        for category, cell in rows[key].items():
            name = normalized(category)
            name = _OTHER_NAMES.get(name, name)
            if name in NOT_CLAUSES or name not in asked:
                continue
            pieces = [piece.strip() for clause in ast.literal_eval(cell or "[]") for piece in clause.split("<omitted>")]
            evidence = tuple(dict.fromkeys(piece for piece in pieces if normalized(piece)))
            if evidence:
                title, what = asked[name]
                questions.append(Question(f"{key}:{name}", f"{title}: {what}", key, evidence))
    chosen = {key: files[key] for key in sorted(keys)}
    titles = {key: _contract(texts[key].stem) for key in chosen}
    return Corpus(f"cuad_{route}", chosen, {key: texts[key] for key in chosen}, titles, tuple(questions))


def cuad_named(folder: Path, documents: int | None = None, *, development: bool | None = None) -> Corpus:
    """Return the contracts of cuad with one question each, chosen by hash, that names the first two parties."""
    contracts = cuad(folder, "txt", documents, development=development)
    parties = {
        _nearest(normalized(Path(row["Filename"]).stem), contracts.texts): _parties(row["Parties-Answer"])
        for row in _rows(folder / "master_clauses.dev.csv")
    }
    questions = []
    for key in contracts.files:
        asked = [question for question in contracts.questions if question.document == key]
        if asked and len(parties.get(key, ())) > 1:
            chosen = min(asked, key=lambda question: _hash("named", question.id))
            title, _, what = chosen.text.partition(": ")
            text = f"{title} in the contract between {' and '.join(parties[key][:2])}: {what}"
            questions.append(replace(chosen, text=text))
    return replace(contracts, name="cuad_named", questions=tuple(questions), whole=True)


def _parties(stated: str) -> list[str]:
    """Return the names of the parties, without what the contract calls them."""
    names = (" ".join(re.sub(r"\(.*?\)|[()\[\]]", " ", name).split()) for name in stated.split(";"))
    return [name for name in names if normalized(name)]


def _title(text: str) -> str:
    """Return the line below ``TITLE:``, with which the articles begin."""
    _, _, rest = text.partition("TITLE:")
    return rest.strip().partition("\n")[0].strip()


def _contract(name: str) -> str:
    """Return the part of a file name of cuad that describes the contract: after the number of the exhibit."""
    return " ".join(re.split(r"EX-[^-_]*[-_]", name)[-1].replace("_", " ").split())


def _chosen(keys: list[str], documents: int | None, tuned_on: int, *, development: bool | None) -> list[str]:
    """Return a fixed choice of keys: from the first ``tuned_on`` by hash, from the others, or from all."""
    hashed = sorted(keys, key=lambda key: _hash("sample", key))
    start, end = (0, None) if development is None else (0, tuned_on) if development else (tuned_on, None)
    kept = set(hashed[start:end][:documents])
    return [key for key in keys if key in kept]


def _hash(salt: str, key: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{salt}:{key}".encode()).digest()[:8])


def _merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _nearest(name: str, known: dict[str, Path]) -> str:
    """Return the known name for a file name, allowing for an added dot or a missing letter at the end."""
    if name in known:
        return name
    candidates = [key for key in known if key.startswith(name) or name.startswith(key)]
    return max(candidates, key=len) if candidates else name


def _categories(path: Path) -> dict[str, str]:
    """Return category to description, from the list in cuad's own README."""
    found: dict[str, str] = {}
    name = ""
    for line in read_text(path).splitlines():
        label, _, rest = line.strip().partition(":")
        if label == "Category":
            name = rest.strip()
        elif label == "Description" and name:
            found[name] = " ".join(rest.split())
    return found
