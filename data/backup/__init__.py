"""Backups: a home copied while people work (`taking`), what a copy says of itself (`manifest`), and a home made from one (`restoring`).

A backup is one folder, ``vantage-20261129T213000Z``: the database, every frame that it names, recordings, images, the ledger of what was
taken back, ``backup.json`` (`manifest.About`) and ``SHA256SUMS``, which ``sha256sum -c`` reads. It has its name only when it is whole.
"""
