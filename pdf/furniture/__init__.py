"""Running heads and feet and page numbers: what belongs to the page and not to the text."""
