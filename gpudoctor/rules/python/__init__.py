"""The interpreter and its packages."""
