"""Answers of language models whose quotes are checked against the store.

``answer`` requests an answer with quotes, ``language_model`` connects to the model, ``checking`` checks the quotes of
the answer, ``claims`` has the result. ``navigate`` lets the model read by itself with ``ragraph.tools``; ``describing``
has figures and tables described.
"""
