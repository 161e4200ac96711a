"""Ask ragraph and page chunks questions that known pages of PDF files answer: ``bench/results/retrieval-pages.md``.

One module per step: ``data`` (questions), ``texts`` (the words of each page, from other readers), ``lines`` (the
systems that answer), ``measure`` (questions asked of lines), ``report`` (tables).
"""
