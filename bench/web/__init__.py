"""How well the text of real web pages is told from what stands around it: `make bench-web`."""
