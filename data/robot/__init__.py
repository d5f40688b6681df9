"""Robot episodes from disk: several synchronized cameras, read where they lie, never altered."""
