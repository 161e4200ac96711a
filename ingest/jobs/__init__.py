"""Ingesting many files: the request, the run, and how it is shared between processes.

``request`` is what was asked for; ``start`` begins a run or resumes a job, ``on_ray`` has the nodes of a cluster do it.
``run`` wires the parts: ``work`` gives the files, of its own or of a job's leases; ``reading_queue`` has them read;
``file_life`` leads each file through the steps of ``file_state``; ``conflicts`` are files that keep others waiting;
``finishing`` does what comes at the end for all of them; ``reports`` says what became of them.
"""
