"""Frameworks run through agents: device lists, training, and what was printed."""
