"""The multi-view QA studio: items, their rules, the pool they pass through, and what comes out of it."""
