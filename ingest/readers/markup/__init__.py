"""What the readers of JATS, HTML and EPUB share."""
