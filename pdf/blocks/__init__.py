"""Lines to blocks: paragraphs, items, captions, figures, side boxes, how they look and what joins over pages."""
