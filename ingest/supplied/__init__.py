"""Documents that a program supplies as drafts, with or without vectors.

``adding`` takes them in: ``drafts`` reads what was given, ``vectors`` holds vectors that came along, ``writing``
makes and writes the rows, ``batch`` several new documents in one transaction. ``parquet`` reads and writes exported
documents.
"""
