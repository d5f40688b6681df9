"""The tutorial: worked examples, in each of which every control that the study's tasks need is used once (design 0044)."""
