"""Installed packages: metadata, RECORD files, conda's lists."""
