"""Connections, migrations, roles, and how named queries become results.

``connection`` has two pools, for reading and for writing; ``driver`` turns errors of the driver into
``ragraph.errors``; ``retry`` repeats a unit of work after an embedded server was killed; ``copying`` writes binary
COPY. ``runner`` asks named queries, ``rows`` makes results of their rows. ``migrate`` brings a database to this
version in one transaction under one lock; ``cluster`` spreads it over the nodes of a Citus cluster; ``roles`` and
``tenants`` say who may see what; ``collection_names`` checks what collections are called.
"""
