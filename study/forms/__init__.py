"""Questionnaires: what is asked beside the tasks, when, and what follows from the answers (design 0044)."""
