"""Cutting texts into parts, embedding them, and keeping the vector indexes.

``parts`` cuts long nodes, ``texts`` says what of a document is embedded, ``embed`` embeds what lacks a current
vector. ``maintenance`` brings up to date what belongs to all documents: statistics, words, works, vector indexes;
``calibrating`` measures how far searches look through an index, ``index_aside`` takes it out of the way of a large
run.
"""
