"""Tuning: fits a ranker on judged questions, measures it on documents it has not seen, stores it if it gains."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

from ragraph.base.arguments import checked
from ragraph.base.defaults import BUDGETS, CONTEXT_HITS, CONTEXT_MODE, CURRENT_MODEL
from ragraph.base.extras import extra_there, install
from ragraph.base.queries import QUERIES
from ragraph.errors import DocumentNotFoundError, TuningError
from ragraph.retrieval.context import FOCUS, expand, most_sentences
from ragraph.retrieval.scope import Scope
from ragraph.retrieval.search import name_of, search
from ragraph.schema.enums import ContentNodeType
from ragraph.schema.rankers import Gain, SentenceRanker, TuneReport
from ragraph.tuning.evidence import Evidence, interval, questions_without_evidence
from ragraph.tuning.fit import ANSWERS, fit
from ragraph.tuning.questions import read_questions
from ragraph.tuning.ranker import Lexicon, Sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ragraph.base.defaults import ModeName
    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.schema.context import Context
    from ragraph.tuning.questions import Question
    from ragraph.tuning.ranker import Ranker

    Floats = NDArray[np.float64]

LEAST_QUESTIONS = 30
LEAST_DOCUMENTS = 5
"""Minimum numbers of questions and documents; with fewer the result does not carry over to the next question."""

GOOD_QUESTIONS = 100
"""With fewer questions than this, the report has a warning."""

FOLDS = 5
_NAMED = 20
"""Maximum number of questions that a warning lists."""

_NO_TEXT = {"PAGE_NUMBER", "HEADING", "SUBHEADING", "TITLE", "SUBTITLE", "AUTHOR", "BIBLIOGRAPHIC_ENTRY"}
_ANSWERING = [kind for kind in ContentNodeType if kind not in _NO_TEXT]
"""As in ``search_context``."""


@dataclass(frozen=True)
class _Judged:
    """A question with the sentences that the search finds for it, and a function that scores a context for it."""

    question: Question
    cluster: str
    """Its document: one document is never used both for fitting and for measuring."""
    sentences: Sentences
    default: list[dict[str, Any]]
    score: Callable[[Context], float]


class Tuning:
    """Rankers of sentences: fit, list, forget; the methods are those of ``Store``, which describes them."""

    def __init__(self, database: Database, runner: QueryRunner) -> None:
        self._database = database
        self._rows = runner.rows

    @checked()
    def tune(
        self,
        questions: str | Path | Iterable[Question | Mapping[str, Any]],
        collection: str | None = None,
        *,
        model: str = CURRENT_MODEL,
        mode: ModeName = CONTEXT_MODE,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> TuneReport:
        """See ``Store.tune``."""
        if not extra_there("tune"):
            raise TuningError(f"ragraph tune needs: {install('tune')}")
        tell = progress or (lambda *_: None)
        asked = read_questions(questions)
        _enough(len(asked), LEAST_QUESTIONS, "question")
        collection = self._collection(asked, collection)
        documents = {item.document for item in asked if item.document}
        if all(item.document for item in asked):
            _enough(len(documents), LEAST_DOCUMENTS, "document")
        place = "line" if isinstance(questions, str | Path) else "question"
        # checking the named documents takes seconds; searching and measuring takes minutes
        lost = questions_without_evidence(self._rows, [item for item in asked if item.document], collection)
        if len(lost) == len(asked):
            raise _no_evidence(collection, len(documents), lost, place)
        lexicon = Lexicon()
        judged = []
        for number, question in enumerate(asked, 1):
            judged.append(self._judge(question, collection, lexicon, mode, model))
            tell("search", number, len(asked))
        clusters = sorted({item.cluster for item in judged})
        _enough(len(clusters), LEAST_DOCUMENTS, "document")

        without = [item.question for item in judged if not (item.sentences.answers >= ANSWERS).any()]
        unanswered = len(without)
        nowhere = questions_without_evidence(self._rows, without, collection)
        shares = self._cross_validated(judged, clusters, len(lexicon), tell)
        gains = _gains(shares, [item.cluster for item in judged])
        ranker = fit([item.sentences for item in judged], len(lexicon))
        report = TuneReport(
            collection=collection,
            version=None,
            questions=len(judged),
            documents=len(clusters),
            unanswered=unanswered,
            nowhere=nowhere,
            folds=FOLDS,
            gains=gains,
            words=len(ranker.idf) if ranker else 0,
            crossed=sum(int(np.count_nonzero(table)) for table in ranker.crossed.values()) if ranker else 0,
            warnings=_warnings(len(judged), unanswered, nowhere, place),
        )
        total = report.decisive
        if ranker is None or not total.low > 0:
            reason = (
                "no sentence that the search finds contains any of the passages"
                if unanswered == len(judged)
                else f"on documents it has not seen the ranker changes the share of the evidence by {total.gain:+.3f}"
                f" ({total.low:+.3f} to {total.high:+.3f}), which is not a certain gain"
            )
            raise TuningError(
                f"nothing was stored: {reason}",
                report=report,
                hint="judge more questions, of more documents of the same kind",
            )
        names = self._rows("sentence_feature_names", scalar_row, {})[0]
        how = {"mode": mode, "model": name_of(self._rows, mode, model)}
        version = self._keep(ranker, lexicon, names, report, how)
        return TuneReport(**{**_fields(report), "version": version})

    def rankers(self) -> list[SentenceRanker]:
        """See ``Store.rankers``."""
        return [SentenceRanker(**row) for row in self._rows("list_rankers", dict_row, {})]

    def forget(self, collection: str, version: int | None = None) -> int:
        """See ``Store.forget_ranker``."""
        gone = 0

        def forget_them() -> None:
            nonlocal gone
            with self._database.write() as connection:
                connection.execute(QUERIES["lock_rankers"])
                names = {"collection": collection, "version": version}
                gone = len(connection.execute(QUERIES["forget_rankers"], names).fetchall()) or gone
                connection.execute(QUERIES["wake_ranker"], {"collection": collection})

        self._database.retry_once(forget_them)
        if not gone:
            which = "" if version is None else f" {version}"
            raise TuningError(f"collection {collection!r} has no ranker{which}; there is nothing to forget")
        return gone

    def _collection(self, questions: Sequence[Question], collection: str | None) -> str:
        """Return the one collection that all questions are about."""
        documents = sorted({item.document for item in questions if item.document})
        rows = self._rows("documents_collections", dict_row, {"document_ids": documents})
        of = {row["id"]: row["collection"] for row in rows}
        if missing := [document for document in documents if document not in of]:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise DocumentNotFoundError(f"no document {missing[0]!r}{more}", hint=DocumentNotFoundError.look)
        found = {of[item.document] if item.document else item.collection or collection for item in questions}
        if collection is not None:
            found.add(collection)
        named = sorted(name for name in found if name is not None)
        if len(named) > 1:
            raise TuningError(
                f"the questions are about {len(named)} collections ({', '.join(named[:5])}); tune one at a time:"
                " a ranker fitted on other documents does not help"
            )
        if not named:
            raise TuningError(
                "no question names a document or a collection", hint="name it with", argument="collection"
            )
        if not documents and not self._rows("collection_exists", scalar_row, {"collection": named[0]}):
            raise TuningError(f"collection {named[0]!r} has no document, so nothing can be found in it")
        return named[0]

    def _judge(self, question: Question, collection: str, lexicon: Lexicon, mode: ModeName, model: str) -> _Judged:
        scope = Scope.of(
            document=question.document, collection=None if question.document else collection, types=_ANSWERING
        )
        match = "any" if mode == "text" else "all"
        hits = search(self._rows, question.question, CONTEXT_HITS, scope, mode=mode, model=model, match=match)
        given = {
            "query": question.question,
            "hits": Jsonb(
                [
                    {
                        "document_id": hit.document_id,
                        "node_id": hit.node_id,
                        "score": hit.score,
                        "vector_score": hit.scores.get("vector"),
                        "text_score": hit.scores.get("text"),
                    }
                    for hit in hits
                ]
            ),
        }
        rows = self._rows("sentence_features", dict_row, given) if hits else []
        asked = {"tuned": False, "explain": False, "mode": None, "model_name": None}
        default = self._rows("focus_hits", dict_row, {**given, **FOCUS, **asked})
        evidence = Evidence(question.passages, all_scripts=True)
        pages = set(question.pages)
        by_pages = not question.passages

        def answers(row: Mapping[str, Any]) -> float:
            if by_pages:
                return float(bool(pages & set(range(row["first_page"] or 0, (row["last_page"] or -1) + 1))))
            share = evidence.share_of(row["content"])
            return 1.0 if share and evidence.relevant(row["content"]) else share

        def score(context: Context) -> float:
            if by_pages:
                return len(pages & {page for block in context.blocks for page in block.pages}) / len(pages)
            return evidence.found(context.text)

        sentences = _sentences(rows, [answers(row) for row in rows], lexicon)
        best = int(np.argmax(sentences.answers)) if len(sentences) else -1
        cluster = question.document or (sentences.places[best][0] if best >= 0 else question.question)
        return _Judged(question, cluster, sentences, default, score)

    def _cross_validated(
        self, judged: list[_Judged], clusters: list[str], words: int, tell: Callable[[str, int, int], None]
    ) -> Floats:
        """Return the share of the evidence by question, method (default, tuned) and budget."""
        order = np.random.default_rng(1).permutation(len(clusters))
        fold_of = {clusters[place]: number % FOLDS for number, place in enumerate(order)}
        shares = np.zeros((len(judged), 2, len(BUDGETS)))
        done = 0
        for fold in range(FOLDS):
            ranker = fit([item.sentences for item in judged if fold_of[item.cluster] != fold], words)
            for number, item in enumerate(judged):
                if fold_of[item.cluster] != fold:
                    continue
                for place, budget in enumerate(BUDGETS):
                    shares[number, 0, place] = self._share(item, item.default, budget)
                    tuned = item.default if ranker is None else _order(item.sentences, ranker)
                    shares[number, 1, place] = self._share(item, tuned, budget)
                done += 1
                tell("measure", done, len(judged))
        return shares

    def _share(self, item: _Judged, sentences: list[dict[str, Any]], budget: int) -> float:
        """Return the share of the evidence in a context of the best sentences, packed like other contexts."""
        best = sentences[: most_sentences(budget)]
        return item.score(expand(self._rows, _no_graph, best, "none", budget)) if best else 0.0

    def _keep(
        self, ranker: Ranker, lexicon: Lexicon, names: list[str], report: TuneReport, how: Mapping[str, Any]
    ) -> int:
        words = lexicon.words
        columns = {int(column): words[number] for number, column in enumerate(ranker.known) if column >= 0}
        rows = [("", columns[place], ranker.idf[place], weight) for place, weight in enumerate(ranker.word_weights)]
        rows += [
            (words[asked], columns[int(place)], ranker.idf[place], table[place])
            for asked, table in ranker.crossed.items()
            for place in np.flatnonzero(table)
        ]
        values = {
            "collection": report.collection,
            "intercept": ranker.intercept,
            "weights": Jsonb(dict(zip(names, ranker.weights.tolist(), strict=True))),
            "asked": [words[asked] for asked in ranker.crossed],
            "fitted_on": Jsonb({"questions": report.questions, "documents": report.documents, **how}),
            "figures": Jsonb([asdict(gain) for gain in report.gains]),
        }

        def keep_it() -> int:
            with self._database.write() as connection:
                connection.execute(QUERIES["lock_rankers"])
                connection.execute(QUERIES["rest_rankers"], {"collection": report.collection})
                (version,) = connection.execute(QUERIES["add_ranker"], values).fetchone() or (0,)
                connection.execute(
                    QUERIES["add_ranker_words"],
                    {
                        "collection": report.collection,
                        "version": version,
                        "askeds": [row[0] for row in rows],
                        "words": [row[1] for row in rows],
                        "idfs": [float(row[2]) for row in rows],
                        "weights": [float(row[3]) for row in rows],
                    },
                )
            return int(version)

        return self._database.retry_once(keep_it)


def _sentences(rows: list[dict[str, Any]], answers: list[float], lexicon: Lexicon) -> Sentences:
    lexemes = [lexicon.numbers(row["lexemes"]) for row in rows]
    asked: list[tuple[str, ...]] = list(dict.fromkeys(tuple(row["asked"]) for row in rows))
    return Sentences(
        places=[(row["document_id"], row["node_id"], row["char_start"], row["char_end"]) for row in rows],
        features=np.array([row["features"] for row in rows], dtype=np.float64).reshape(
            len(rows), len(rows[0]["features"]) if rows else 0
        ),
        starts=np.cumsum([0, *map(len, lexemes)]),
        lexemes=np.array([number for numbers in lexemes for number in numbers], dtype=np.int64),
        asked=[lexicon.numbers(words) for words in asked],
        asked_of=np.array([asked.index(tuple(row["asked"])) for row in rows], dtype=np.int64),
        answers=np.array(answers, dtype=np.float64),
    )


def _order(sentences: Sentences, ranker: Ranker) -> list[dict[str, Any]]:
    """Return sentences as hits, best first."""
    if not len(sentences):
        return []
    scores = ranker.scores(sentences)
    names = ("document_id", "node_id", "char_start", "char_end")
    return [
        {**dict(zip(names, sentences.places[place], strict=True)), "score": float(scores[place])}
        for place in np.argsort(-scores, kind="stable")
    ]


def _gains(shares: Floats, clusters: list[str]) -> tuple[Gain, ...]:
    budgets: list[int | None] = [*BUDGETS, None]
    values = np.concatenate([shares, shares.mean(axis=2, keepdims=True)], axis=2)
    gains = []
    for place, budget in enumerate(budgets):
        default, tuned = values[:, 0, place], values[:, 1, place]
        low, high = interval((tuned - default).tolist(), clusters)
        gains.append(Gain(budget=budget, default=float(default.mean()), tuned=float(tuned.mean()), low=low, high=high))
    return tuple(gains)


def _no_evidence(collection: str, documents: int, nowhere: tuple[int, ...], place: str) -> TuningError:
    """Return the error for questions whose documents have no evidence for any of them."""
    asked = len(nowhere)
    report = TuneReport(
        collection=collection,
        version=None,
        questions=asked,
        documents=documents,
        unanswered=asked,
        nowhere=nowhere,
        folds=0,
        gains=(),
        words=0,
        crossed=0,
        warnings=_warnings(asked, asked, nowhere, place),
    )
    return TuningError(
        "nothing was stored: the documents named in the questions do not contain any of the evidence",
        report=report,
        hint="copy passages from the document, and count physical pages from 1",
    )


def _warnings(questions: int, unanswered: int, nowhere: Sequence[int], place: str) -> tuple[str, ...]:
    warnings = []
    if questions < GOOD_QUESTIONS:
        warnings.append(f"{questions} questions are few: judge {GOOD_QUESTIONS} or more for a reliable ranker")
    if unanswered:
        warnings.append(f"for {unanswered} of the questions, the sentences found contain no evidence")
    if nowhere:
        places = ", ".join(map(str, nowhere[:_NAMED])) + (" ..." if len(nowhere) > _NAMED else "")
        many = (
            f"1 question is not in the documents: {place}"
            if len(nowhere) == 1
            else f"{len(nowhere)} questions is not in the documents: {place}s"
        )
        warnings.append(
            f"the evidence of {many} {places}; copy passages from the document, and count physical pages from 1"
        )
    return tuple(warnings)


def _enough(number: int, least: int, what: str) -> None:
    if number < least:
        many = f"1 {what} is" if number == 1 else f"{number} {what}s are"
        good = f", {GOOD_QUESTIONS} are good" if what == "question" else ""
        raise TuningError(f"{many} too few to learn from; give at least {least}{good}")


def _fields(report: TuneReport) -> dict[str, Any]:
    return {name: getattr(report, name) for name in report.__dataclass_fields__}


def _no_graph(document: str) -> Any:
    raise NotImplementedError(document)  # the strategy none does not use the graph
