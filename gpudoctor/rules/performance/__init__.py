"""Rules on speed and precision: nothing is broken, and it could be better."""
