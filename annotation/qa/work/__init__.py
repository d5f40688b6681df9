"""What people do with items: write, edit, review, comment, list; where each item stands, and who may see what of it meanwhile."""
