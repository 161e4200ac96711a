"""What the file or a layout model states of its pages: metadata, outline, tags, regions."""
