"""The account of a file: what text its source holds, and what became of it.

Each format is counted a second time, in a way that is not its reader's: all text elements of an Office file, the text
nodes of a page, the parts of a mail, PDFium's characters (``sources``). The words of both sides are settled as
multisets (``settle``): stored, left out for a reason, or unaccounted. The steps do not know the readers.
"""
