"""Read a file in a separate process, with limits on time and memory. Nothing here uses the database.

``isolate`` manages the processes, ``worker`` runs in one. ``preflight`` checks the file first, a reader of
``ingest.readers`` makes the draft, ``figures`` extracts its pictures. ``docling`` makes drafts of documents that
docling converted.
"""
