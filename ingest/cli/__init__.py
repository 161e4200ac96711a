"""The commands of ingestion.

``command`` declares them, ``progress`` shows a run, ``explain`` shows what the PDF reader found on a page,
``background`` continues a run when the terminal is closed.
"""
