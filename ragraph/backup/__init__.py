"""Back up a store into one file while it is used, restore it on any supported PostgreSQL, and verify stores.

The file is a zip archive. ``database.dump`` is written by pg_dump in its custom format. ``digests.tsv`` has a digest of
the rows of each table and document. ``assets/`` has the originals, and ``manifest.json`` the versions. All of it is one
snapshot of the store.
"""
