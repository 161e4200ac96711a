"""Ask ragraph and page chunks questions that known pages of PDF files answer: ``bench/results/retrieval-pages.md``.

The steps, a file each: ``data`` (questions), ``texts`` (the words of each page, as others read them), ``lines`` (who
answers), ``measure`` (questions asked of lines), ``report`` (tables).
"""
