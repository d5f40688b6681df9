"""Dry runs: simulated people go through a study before real ones do, and what came of it is judged from the event log.

A dry run has a home of its own, so that toy pictures are never frozen where real ones belong, and its people are of the kind ``bot``.
"""
