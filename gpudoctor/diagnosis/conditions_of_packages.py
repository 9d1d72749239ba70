"""Conditions that refute causes by what is installed, offered, or of another maker; see `conditions`."""

from gpudoctor.diagnosis.condition import condition
from gpudoctor.diagnosis.offered_wheels import own_python, wheels_asked_for
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Packages
from gpudoctor.sources.no_match import parse_no_match


@condition
def jax_packages_agree(seen: SnapshotView) -> str | None:
    """The CUDA plugin of JAX is of the release of jaxlib."""
    packages = seen.section(Packages, "packages")
    found = [packages.find(name) for name in ("jaxlib", "jax-cuda13-plugin", "jax-cuda12-plugin")] if packages else []
    releases = [one.version for one in found if one is not None]
    agree = len(releases) > 1 and len(set(releases)) == 1
    return f"jaxlib and its plugin are both {releases[0]}" if agree else None


@condition
def another_maker_computes(seen: SnapshotView) -> str | None:
    """A GPU of another maker is stated for which frameworks have builds: it is that build that lacks."""
    gpus = seen.section(Gpus, "gpus")
    arc = (
        next((gpu.name for gpu in gpus.devices if gpu.name and " arc" in f" {gpu.name.lower()}"), None)
        if gpus
        else None
    )
    if seen.makers == {"amd"}:
        return "the GPU is from AMD"
    return f"the GPU is {arc or 'an Intel Arc'}" if arc or seen.is_around("intel-arc") else None


@condition
def no_build_for_this_python(seen: SnapshotView) -> str | None:
    """Of torch the index offers nothing, or the placeholders of 2018, made for any Python: no wheel is for this one."""
    offered = [one.offered for text in seen.messages if (one := parse_no_match(text)) and one.package == "torch"]
    bare = any(row is not None and all(version.startswith("0.1.2") for version in row) for row in offered)
    return "of torch the index offers no wheel for this Python, whatever its index" if bare else None


@condition
def nvidia_gpu_is_stated(seen: SnapshotView) -> str | None:
    """A GPU of NVIDIA's is named: it is there, whoever does not see it."""
    gpus = seen.section(Gpus, "gpus")
    named = next((gpu.name for gpu in gpus.nvidia if gpu.name), None) if gpus else None
    return f"the GPU is stated: {named}" if named else None


@condition
def scheduler_was_asked_for_gpus(seen: SnapshotView) -> str | None:
    """The job's own options ask for GPUs."""
    return "the job asks for a GPU" if seen.is_around("gpus-asked-of-slurm") else None


@condition
def release_is_offered(seen: SnapshotView) -> str | None:
    """The index lists the very release that was not found, without its local part (+cu128): the Python is served."""
    for text in seen.messages:
        asked = parse_no_match(text)
        wanted = next((version for sign, version in asked.comparisons if sign == "=="), None) if asked else None
        if asked and wanted and wanted in (asked.offered or ()):
            return f"{asked.package} {wanted} is among the versions offered, so this Python is served"
    return None


@condition
def python_has_wheels(seen: SnapshotView) -> str | None:
    """What the installer did not find has a wheel for the Python that is stated: something else is amiss."""
    python = own_python(seen)
    found = next((one for one in wheels_asked_for(seen) if python in one.pythons), None) if python else None
    return f"{found.package} {found.version} has wheels for Python {python}" if found else None
