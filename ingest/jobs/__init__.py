"""Ingest many files: the request, the run, and how processes share it.

``request`` holds the arguments. ``start`` begins a run or resumes a job, ``on_ray`` has the nodes of a cluster do it.
``run`` connects the parts. ``work`` gives the files, its own or those of a job's leases; ``reading_queue`` has them
read. ``file_life`` leads each file through the steps of ``file_state``. ``conflicts`` are files that keep others
waiting. ``finishing`` does the work at the end of a run, ``reports`` reports the result of each file.
"""
