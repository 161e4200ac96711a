"""How well the text of real web pages is separated from their furniture: `make bench-web`."""
