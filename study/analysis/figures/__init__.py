"""The figures of a study's results, each declared once: what it is, its rows, and how it is drawn. Another figure: a module and a line."""
