"""What belongs to documents in the store, beside their text.

``assets`` keeps originals and pictures by their SHA-256, ``pictures`` draws pages and cuts figures out of them, ``csl``
prints citations in styles, ``graph`` gives documents as a networkx graph, ``updating`` changes what is known of a
document and moves it, ``exporting`` gives documents as lines of JSON.
"""
