"""Finds the MATLAB installations on this machine."""

from gpudoctor.facts.matlab import Matlabs


def look_for_matlabs() -> Matlabs:
    """Look; no MATLAB is started."""
    # Imported here: judging a saved snapshot needs no probes.
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.matlab import find_matlabs

    return find_matlabs(RealHost())
