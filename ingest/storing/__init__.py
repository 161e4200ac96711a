"""Writing documents: new ones, what changed of known ones, and earlier versions.

``registry`` asks, under locks, what a file is to the store, and writes it. ``stage_two`` turns the rows of stage one
into the graph that is written: ``write`` by COPY (``graph_copy``), ``merge`` only what changed. ``versions`` notes
what a document was before it changes, ``past`` puts it back; ``restoring`` takes in documents that another store
exported.
"""
