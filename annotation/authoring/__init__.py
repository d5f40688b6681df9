"""Authoring: people make tasks in the live simulator (ESI-Bench, App. H.4).

A draft is a row that is saved with every change (`drafts`); it is built in a simulator as often as its author looks (`stage`), held against
the generators' own checks (`proving`), and becomes an immutable task when it is handed in for verification (`handing_in`).
"""
