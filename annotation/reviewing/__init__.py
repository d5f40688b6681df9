"""Reviewing: people judge things blind, in slots and stages, and a rule decides. One declaration per kind of thing (`kinds`)."""
