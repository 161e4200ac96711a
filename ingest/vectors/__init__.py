"""Cut texts into parts, embed them, and maintain the vector indexes.

``parts`` cuts long nodes, ``texts`` selects the texts of a document that are embedded, ``embed`` embeds those without a
current vector. ``maintenance`` updates what belongs to all documents: statistics, words, works, vector indexes.
``calibrating`` measures how many candidates of an index searches need. ``index_aside`` drops the index during a large
run.
"""
