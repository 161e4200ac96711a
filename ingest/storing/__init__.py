"""Writing documents: new ones, what changed of known ones, and earlier versions."""
