"""Projects without people: items whose truth is known, a demo, and made-up workers that try the pool."""
