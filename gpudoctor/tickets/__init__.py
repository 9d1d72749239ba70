"""Text that somebody pasted becomes a partial snapshot, where all that is not stated is a Gap. Pure."""
