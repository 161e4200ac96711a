"""Which files there are, which document each one is, and which process works on it.

``discover`` finds the files of paths, patterns and addresses, ``addresses`` fetches those that lie elsewhere,
``manifest`` reads lists of files, ``records`` publication records. ``places`` knows paths and fingerprints;
``identity`` says which document a file is, by place, name and bytes; ``leases`` is the part of this process in a job
that several share.
"""
