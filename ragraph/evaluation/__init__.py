"""Measures how well a store answers judged questions.

``evaluate`` runs the questions, ``measures`` has the metrics, ``baseline`` compares with an earlier run, ``make`` makes
questions from a store.
"""
