"""Judges jaxlib with a build tag, 0.4.12+cuda12.cudnn89: only JAX's own page has it.

Which builds there are for a release is known as far as the extras of JAX's releases ask for them.
"""

from collections.abc import Sequence

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.matrix.types import JaxBuild
from gpudoctor.plan.constraints import is_older
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case, spelled
from gpudoctor.verify.origins import Origin
from gpudoctor.verify.verdict import Verdict

#: https://docs.jax.dev/en/latest/changelog.html
PAGE = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html"
_BUILD = re.compile(r"==(?P<version>[\d.]+)\+(?P<tag>cuda[\w.]+)")


def judge_jaxlib(wanted: Requirement, places: Sequence[Origin], install: Install, case: Case) -> Verdict | None:
    """The verdict; None: no build is named, and jaxlib is judged as any package."""
    named = _BUILD.fullmatch(wanted.specifier) if wanted.name == "jaxlib" else None
    if named is None:
        return None
    of_release = [row for row in case.matrix.jax_builds() if (row.jaxlib or "").startswith(f"=={named['version']}+")]
    row = next((one for one in of_release if one.jaxlib == wanted.specifier), None)
    if row is None:
        return _unlisted(wanted, of_release, case)
    if case.machine.platform is not None and case.machine.platform not in row.platforms:
        text = f"JAX's page has jaxlib with CUDA for {' and '.join(row.platforms)} only."
        return case.verdict(wanted.text, "does not fit", aspect="platform", because=text, row=row, line=wanted.line)
    if not any(one.kind == "jax" for one in places):
        text = "Builds with +cuda in their version are on JAX's own page, not on the package index."
        instead = f"{spelled(install)} '{wanted.text}' -f {PAGE}"
        return case.verdict(
            wanted.text, "does not fit", aspect="index", because=text, instead=instead, row=row, line=wanted.line
        )
    return _here(wanted, row, case)


def _here(wanted: Requirement, row: JaxBuild, case: Case) -> Verdict:
    machine = case.machine
    if row.pythons and machine.python is not None and machine.python not in row.pythons:
        text = f"It has no wheel for Python {machine.python}; it has them for Python {', '.join(row.pythons)}."
        return case.verdict(wanted.text, "does not fit", aspect="python", because=text, row=row, line=wanted.line)
    if row.driver_linux is not None and is_older(machine, row.driver_linux):
        text = f"It needs driver {row.driver_linux} or newer, and this is {machine.driver}."
        return case.verdict(wanted.text, "does not fit", aspect="driver", because=text, row=row, line=wanted.line)
    low = [one for one in machine.capabilities if row.min_capability is not None and one < row.min_capability]
    if low:
        text = f"It needs compute capability {row.min_capability}, and this is {low[0]}."
        return case.verdict(wanted.text, "does not fit", aspect="gpu", because=text, row=row, line=wanted.line)
    notes = [f"It is for CUDA {row.cuda} and cuDNN {row.cudnn}."] if row.cuda and row.cudnn else []
    if machine.capabilities and row.archs is None:
        notes.append("Not judged for this GPU: which GPUs it has code for is not in the tables.")
    build = wanted.text.replace("==", " ")
    return case.verdict(
        wanted.text,
        "fits",
        build=build,
        row=row,
        line=wanted.line,
        notes=tuple(notes),
        not_judged=case.not_judged("GPU", "driver", "Python version"),
    )


def _unlisted(wanted: Requirement, of_release: Sequence[JaxBuild], case: Case) -> Verdict:
    known = ", ".join(dict.fromkeys((one.jaxlib or "").partition("+")[2] for one in of_release))
    text = "This build of jaxlib is not in the tables."
    if known:
        text = f"{text} Of that release it is known: {known}."
    return case.verdict(
        wanted.text, "not known", grounds="not in the tables", aspect="version", because=text, line=wanted.line
    )
