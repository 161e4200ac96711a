"""The commands of ingestion.

``command`` declares them, ``progress`` shows a run, ``explain`` shows what the PDF reader saw on a page, ``background``
keeps a run going when the terminal is closed.
"""
