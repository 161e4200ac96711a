"""Write documents: new ones, the changes of known ones, and earlier versions.

``registry`` finds out, under locks, whether the store has a file, and writes its document. ``linking`` builds the tree
of a graph and has the database resolve references. ``write`` writes a new graph by COPY (``graph_copy``), ``merge``
writes only changed rows. ``versions`` records a document before it changes, ``past`` restores such a version.
``restoring`` imports documents that another store exported.
"""
