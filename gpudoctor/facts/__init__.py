"""Frozen typed values: facts, findings, fixes, reports. No I/O."""
