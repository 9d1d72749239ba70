"""The port through which the machine is seen: reading, listing, running. Real and recorded."""
