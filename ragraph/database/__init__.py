"""Connections, migrations, roles, and named queries whose rows become results.

``connection`` has one pool for reading and one for writing. ``driver`` translates errors of psycopg to
``ragraph.errors``. ``retry`` repeats a unit of work after a lost connection. ``copying`` writes rows by binary COPY.
``runner`` runs named queries, and ``rows`` makes results of their rows. ``migrate`` upgrades a database to the schema
of this version, under one lock. ``cluster`` distributes a store over a Citus cluster. ``roles`` and ``tenants`` manage
access rights. ``collection_names`` checks the names of collections.
"""
