"""Tuning: a ranker of sentences, fitted on judged questions of a collection.

``questions`` reads judged questions, ``judging`` collects judgements, ``evidence`` finds the sentences that answer.
``fit`` fits a ``ranker`` on the features and words from the database, ``tune`` measures and stores it.
"""
