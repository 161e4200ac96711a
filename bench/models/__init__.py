"""Compare the models at hand in thirteen languages: ``bench/results/models.md``."""
