"""Rows of the matrix against the wheels themselves: their METADATA, and the files that state their build."""
