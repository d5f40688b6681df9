"""Pictures of items and what is drawn into them: how a mark looks, what is painted, what geometry suggests to an author."""
