"""DP-Bench: pages of books, papers, laws and reports that others labelled, and what public readers made of them."""
