"""A whole store in one file, and back: online, between versions of PostgreSQL, checked row by row.

The file is a zip archive: ``database.dump`` by pg_dump in its custom format, ``digests.tsv`` with a digest of what each
table holds of each document, ``assets/`` with the originals, ``manifest.json`` with the versions. All is of one moment.
"""
