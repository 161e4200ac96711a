"""What is stored: enums, the SQLAlchemy tables (the one truth) and the records that rows become."""
