"""DOCX, PPTX, spreadsheets and OpenDocument."""
