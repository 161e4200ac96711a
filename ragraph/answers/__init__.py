"""Answers of language models whose quotes are checked against the store.

``answer`` asks for an answer with quotes, ``language_model`` reaches the model, ``checking`` holds the answer to its
quotes, ``claims`` is what comes back. ``navigate`` lets the model look around itself by ``ragraph.tools``;
``describing`` has figures and tables described.
"""
