"""The driver and its kernel module."""
