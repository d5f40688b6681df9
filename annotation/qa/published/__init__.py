"""Published trees: written, read, and checked as the public evaluation script reads them."""
