"""Reading a file in a process of its own, with limits on time and memory. Nothing here knows a database.

``isolate`` keeps the processes, ``worker`` is what runs in one: ``preflight`` looks at the file first, a reader of
``ingest.readers`` makes the draft, ``figures`` cuts its pictures out. ``docling`` makes drafts of what docling
converted.
"""
