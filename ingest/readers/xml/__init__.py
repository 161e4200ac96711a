"""XML of several vocabularies (DocBook, TEI, FictionBook, any other), mapped to a page and read as one."""
