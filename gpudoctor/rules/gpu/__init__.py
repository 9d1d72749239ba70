"""GPUs and their state."""
