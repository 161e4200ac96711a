"""Connections, migrations, roles, and how named queries become results."""
