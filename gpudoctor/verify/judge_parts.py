"""Judges a framework's parts in one command (NVIDIA libraries, jaxlib, JAX plugins) against the framework.

An installer refuses parts that the metadata of a framework excludes. JAX's part for CUDA has the version of jaxlib, or
JAX does without it (jax/_src/xla_bridge.py).
"""

from collections.abc import Iterator, Mapping

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.matrix.types import TensorflowBuild, TorchBuild
from gpudoctor.plan.specifiers import agree
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case
from gpudoctor.verify.offers import Offer
from gpudoctor.verify.verdict import Verdict

_EXACT = re.compile(r"==([\d.]+)")
_JAX_PART = re.compile(r"jax-(cuda\d+)-(?:plugin|pjrt)")
_PINNED = re.compile(r"([\w-]+)(.*)")


def not_its_part(wanted: Requirement, install: Install, case: Case, taken: Mapping[str, Offer]) -> Verdict | None:
    """A part that a framework of this command does not go with; None: it does, or nothing is known against it."""
    if install.no_deps or not wanted.specifier:
        return None
    for label, needs in _needs(wanted.name, install, case, taken):
        if needs and not agree(wanted.specifier, needs):
            text = f"{label} needs {wanted.name}{needs}."
            return case.verdict(wanted.text, "does not fit", aspect="companion", because=text, line=wanted.line)
    return None


def _needs(name: str, install: Install, case: Case, taken: Mapping[str, Offer]) -> Iterator[tuple[str, str]]:
    """What each framework holds the part to, by the framework's name and release."""
    asked = {one.name: one for one in install.requirements}
    if _JAX_PART.fullmatch(name) and (jaxlib := _jaxlib(asked, case)):
        yield f"jaxlib {jaxlib}", f"=={jaxlib}"
    for framework, offer in taken.items():
        label = f"{framework} {offer.version}"
        row = offer.build.row if offer.build is not None else None
        if isinstance(row, TorchBuild) and case.machine.platform in row.default_on and row.cuda is not None:
            # Builds of other indexes bring some of their libraries inside.
            yield label, _exact(name, row)
        elif isinstance(row, TensorflowBuild) and any("and-cuda" in one.extras for one in asked.values()):
            pins = (match for one in row.and_cuda if (match := _PINNED.fullmatch(one)))
            yield label, next((match[2] for match in pins if match[1] == name), "")
        elif framework == "jax":
            yield label, _of_jax(name, offer.version, asked, case)


def _jaxlib(asked: Mapping[str, Requirement], case: Case) -> str | None:
    """The jaxlib that there will be: the one that is asked for, else what is installed and no jax comes to replace."""
    if "jaxlib" in asked:
        pinned = _EXACT.fullmatch(asked["jaxlib"].specifier)
        return pinned[1] if pinned else None
    installed = case.installed("jaxlib") if "jax" not in asked else None
    return installed.version if installed is not None else None


def _exact(name: str, row: TorchBuild) -> str:
    major = row.cuda.major if row.cuda is not None else None
    pins = {f"nvidia-cudnn-cu{major}": row.cudnn, f"nvidia-nccl-cu{major}": row.nccl}
    return f"=={pins[name]}" if pins.get(name) else ""


def _of_jax(name: str, version: str, asked: Mapping[str, Requirement], case: Case) -> str:
    rows = {row.variant: row for row in case.matrix.jax_builds(version)}
    extras = [extra for extra in asked["jax"].extras if extra in rows] if "jax" in asked else []
    any_row = next((rows[extra] for extra in (*extras, *rows)), None)
    jaxlib = any_row.jaxlib or "" if any_row is not None else ""
    if name == "jaxlib":
        # The exact one is what an extra asks for; jax itself asks for one no newer than itself.
        return jaxlib if extras or "," in jaxlib else f"<={version}"
    if _JAX_PART.fullmatch(name):
        return jaxlib.partition("+")[0] if "jaxlib" not in asked else ""
    parts = {match[1] for one in asked if (match := _JAX_PART.fullmatch(one))}
    row = next((rows[extra] for extra in (*extras, *sorted(parts)) if extra in rows), None)
    if row is None or row.cudnn is None:
        return ""
    return f">={row.cudnn}" if row.cuda is not None and name == f"nvidia-cudnn-cu{row.cuda.major}" else ""
