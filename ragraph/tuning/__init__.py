"""The store learns what an answer looks like: a ranker of sentences, fitted on judged questions of a collection."""
