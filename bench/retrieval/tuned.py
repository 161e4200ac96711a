"""The ranker of the tuned line: fitted on the questions of the documents that settings are chosen on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.retrieval.data import corpora
from bench.retrieval.store import ingest
from ragraph.tuning.questions import Question

if TYPE_CHECKING:
    from pathlib import Path

    from bench.retrieval.cache import CachedModel
    from bench.retrieval.data import Corpus
    from ragraph import Store
    from ragraph.schema.rankers import TuneReport


def tune(store: Store, corpus: Corpus, data: Path, model: CachedModel) -> TuneReport:
    """Fit the ranker of a corpus again, in its collection, on documents that are not in the corpus.

    Raises:
        TuningError: nothing was learned.
    """
    (development,) = corpora(data, 0, development=True, names=[corpus.name])
    assert not development.files.keys() & corpus.files.keys()
    ids = ingest(store, development, model)
    questions = [
        Question(question=item.text, document=ids[item.document], passages=item.evidence)
        for item in development.questions
    ]
    if any(ranker.collection == corpus.name for ranker in store.rankers()):
        store.forget_ranker(corpus.name)
    return store.tune(questions, corpus.name)
