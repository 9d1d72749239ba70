"""Containers: is this one, which kind, and what its runtime hands to it."""
