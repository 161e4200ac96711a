"""The commands of ingestion.

``command`` declares them, ``progress`` shows a run, ``explain`` shows what the PDF reader saw.

``command`` declares them, ``progress`` shows a run, ``explain`` shows what a PDF reader saw.

``background`` keeps a run going when the terminal is closed.
"""
