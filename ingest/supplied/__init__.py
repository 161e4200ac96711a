"""Documents that a program supplies as drafts, with or without vectors."""
