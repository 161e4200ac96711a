"""What is printed on a page: words with their type, ruling lines, images, recognised text, and the lines they make."""
