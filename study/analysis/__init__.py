"""What a study's answers say: the same rows from the store and from an export, and the figures that page, report and recomputation share.

`trials` says what a row is. `stored` reads them from the store, `exported` from an export's Parquet tables alone; both give equal rows for
the same episodes, so a number on a page can be recomputed from what was published. `figures/` declares each figure once: its definition,
its rows of measures, and how it is drawn. Measures themselves are pure functions in `study.measures`. Knows no streamlit.
"""
