"""What must not leave the machine: one door through which every output passes. Pure."""
