"""The store learns what an answer looks like: a ranker of sentences, fitted on judged questions of a collection.

``questions`` reads judged questions, ``judging`` collects judgements, ``evidence`` finds the sentences that answer,
``fit`` fits a ``ranker`` on the numbers and words that the database gives, ``tune`` measures it and keeps it.
"""
