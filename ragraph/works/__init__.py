"""Works: entries of bibliographies taken apart, and which of them mean the same."""
