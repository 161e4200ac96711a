"""Readers: one module per family of formats, each turns a file into a Draft."""
