"""The data model: enums, the SQLAlchemy tables (the one definition), and the types of results."""
