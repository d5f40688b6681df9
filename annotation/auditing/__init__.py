"""The benchmark audit: small declared checks look through a whole set of tasks, imported or own, and say what is wrong, where, and how to
mend it."""
