"""Pasted texts become partial snapshots."""
