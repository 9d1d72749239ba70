"""Reports in another language."""
