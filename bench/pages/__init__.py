"""Questions on PDF files that known pages answer, asked of ragraph and of page chunks: ``docs/retrieval-pages.md``.

The steps, a file each: ``data`` (questions), ``texts`` (the words of each page, as others read them), ``lines`` (who
answers), ``measure`` (questions asked of lines), ``report`` (tables).
"""
