"""Measurements of the store; `make help` lists their commands. Ratios within one run are what counts."""
