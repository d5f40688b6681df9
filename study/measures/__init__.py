"""Measures: pure functions from arrays to small records.

What cannot be said is None with a reason, never 0, 1 or NaN in a table. Seeds are arguments.
"""
