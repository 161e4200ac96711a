"""Tables: where they stand, by rules and by white space, their rows, columns and heads."""
