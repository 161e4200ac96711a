"""DP-Bench: pages of books, papers, laws and reports labelled by others, with the results of public readers."""
