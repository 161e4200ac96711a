"""Documents that a program supplies as drafts, with or without vectors.

``adding`` stores them: ``drafts`` reads the arguments, ``vectors`` holds the supplied vectors, ``writing`` makes and
writes the rows, ``batch`` writes several new documents in one transaction. ``parquet`` reads and writes exported
documents.
"""
