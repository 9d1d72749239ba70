"""Which frameworks are installed, and how each was built."""
