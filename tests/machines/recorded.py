"""A machine with where it comes from and what must be seen on it."""

from typing import NamedTuple

from gpudoctor.host.machine import Machine


class Recorded(NamedTuple):
    """`expects`: attributes by their path in the snapshot ("driver.nvml.code"), or a word of test_machines.py."""

    provenance: str
    machine: Machine
    expects: dict[str, object]
