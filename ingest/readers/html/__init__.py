"""HTML: structure, anchors and notes of a page."""
