"""The report of a study's results: one page that needs no network, its tables as CSV, every measure as JSON, and pictures."""
