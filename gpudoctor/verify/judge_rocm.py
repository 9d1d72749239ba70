"""Judges PyTorch from a ROCm index: whether the build fits."""

from gpudoctor.knowledge.matrix.amd import rocm_builds
from gpudoctor.knowledge.matrix.offer_types import RocmBuild
from gpudoctor.plan.amd import against, label_of
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.specifiers import meets
from gpudoctor.verify.asked import Requirement
from gpudoctor.verify.case import Case, aspect_of
from gpudoctor.verify.verdict import Verdict


def judge_rocm(wanted: Requirement, tag: str, case: Case) -> Verdict:
    """The verdict on torch from the index of a ROCm; on NVIDIA's GPUs no such build fits."""
    machine, text = case.machine, f"Builds for {tag} are not in the tables."
    if machine.capabilities:
        text = f"Builds for {tag} are for AMD's GPUs, and this is {machine.label(0)}."
        return case.verdict(wanted.text, "does not fit", aspect="gpu", because=text, line=wanted.line)
    rows = [
        one
        for one in rocm_builds("torch", case.matrix)
        if one.variant == tag
        and any(meets(f"{release}+{tag}", wanted.specifier) for release in _releases_beside(one, wanted.name, case))
    ]
    if not rows and wanted.name == "torch" and (there := _releases(tag, case)):
        text = f"The index {tag} has no torch{wanted.specifier}; it has {there}."
        return case.verdict(wanted.text, "does not fit", aspect="index", because=text, line=wanted.line)
    with_python = (one for one in rows if machine.python is None or machine.python in one.pythons)
    taken = next(with_python, None) or next(iter(rows), None)
    if taken is not None and not machine.gfx:
        text = f"{label_of(taken)} is for AMD's GPUs, and none was given."
        return case.verdict(
            wanted.text, "not known", grounds="not asked", aspect="gpu", because=text, row=taken, line=wanted.line
        )
    if taken is None or wanted.name != "torch":
        return case.verdict(
            wanted.text, "not known", grounds="not in the tables", aspect="index", because=text, line=wanted.line
        )
    label = label_of(taken)
    worst = next(against(taken, Wanted(framework="torch"), machine, case.matrix), None)
    if worst is None:
        return case.verdict(wanted.text, "fits", row=taken, build=label, line=wanted.line)
    because = f"{label}: {worst.text}."
    return case.verdict(
        wanted.text, "does not fit", aspect=aspect_of(worst.constraint), because=because, row=taken, line=wanted.line
    )


def _releases_beside(torch: RocmBuild, name: str, case: Case) -> tuple[str, ...]:
    """The releases of a package that go with a build of torch; of torch its own."""
    if name == "torch":
        return (torch.version,)
    row = case.matrix.torch_companions(torch.version)
    return tuple(getattr(row, name, ())) if row is not None else ()


def _releases(tag: str, case: Case) -> str:
    """The releases of torch that the tables have for an index, 2.11.0 to 2.15.0."""
    versions = [one.version for one in rocm_builds("torch", case.matrix) if one.variant == tag]
    return versions[0] if len(versions) == 1 else f"{versions[-1]} to {versions[0]}" if versions else ""
