"""Verification: three people say of every task whether it is correct, answerable and not trivial (ESI-Bench, App. H.1).

The kind of reviewed thing is declared in `annotation.reviewing.kinds.tasks`; this room holds what is particular to it.
"""
