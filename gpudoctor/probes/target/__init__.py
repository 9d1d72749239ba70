"""The interpreter that is examined, and its environment."""
