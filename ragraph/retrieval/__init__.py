"""From a question to hits and contexts: where to search, how to search, and what belongs to a hit."""
