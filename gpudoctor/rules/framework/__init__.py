"""Framework builds against driver and GPU."""
