"""What is stored: enums, the SQLAlchemy tables (the one truth) and the results that rows become."""
