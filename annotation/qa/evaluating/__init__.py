"""Answers of people and models to items: studies, replies that are read, scores, tables."""
