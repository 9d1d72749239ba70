"""The diagnosis: a pure function of snapshot, matrix and rules."""
