"""What an item is made of: colours, marks, cubes, directions, and how alike options are."""
