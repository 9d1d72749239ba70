"""The engines that the tests of a fleet run on; each starts when a test first asks for it."""

from tests.fleet.engines import slurm_cluster, ssh_hosts

__all__ = ["slurm_cluster", "ssh_hosts"]
