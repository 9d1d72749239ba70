"""Containers, WSL, schedulers."""
