"""From a draft to a tree: outline, references, languages."""
