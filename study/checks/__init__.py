"""Checks of screen and eyes before the tasks: a screening for what the tasks need, no diagnosis (design 0044)."""
