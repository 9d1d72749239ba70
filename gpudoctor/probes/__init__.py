"""Probes look and return facts; they never raise and never judge. `gpudoctor.probes.take` runs them all."""
