"""Find files, tell which document each one is, and share them between processes.

``discover`` finds the files of paths, patterns and addresses; ``addresses`` fetches files from elsewhere.
``manifest`` reads lists of files, ``records`` publication records. ``places`` knows paths and fingerprints.
``identity`` decides by place, name and bytes which document a file is. ``leases`` is the part of this process in a
shared job.
"""
