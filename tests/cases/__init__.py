"""Failures that people reported in public, each as a snapshot with the finding that a correct verdict puts first."""
