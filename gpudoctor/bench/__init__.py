"""CPU-against-GPU measurement: what to expect, and the verdict on what was measured. Pure."""
