"""Measurements of the store; `make help` lists their commands. Compare ratios within one run."""
