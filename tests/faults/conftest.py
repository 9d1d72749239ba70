"""The misbehaving programs, for every test of faults."""

from tests.faults.doubles import double, mark

__all__ = ["double", "mark"]
