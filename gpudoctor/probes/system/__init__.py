"""Operating system, kernel, processor, C library."""
