"""CUDA libraries: every copy, and which one the loader would take."""
