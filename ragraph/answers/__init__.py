"""Answers of language models whose quotes are checked against the store."""
