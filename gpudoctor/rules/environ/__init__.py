"""Environment variables."""
