"""The nearest command that would fit, in place of one that does not, found by the solver."""

from collections.abc import Sequence

from gpudoctor.facts.versions import package_version
from gpudoctor.plan.amd import fit_amd
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.fit import ranked
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.nvidia_libraries import link_words
from gpudoctor.plan.proposals import command, companion_versions, proposal
from gpudoctor.plan.unsat_reasons import driver_refusal, refusal
from gpudoctor.plan.wheels import has_wheel
from gpudoctor.verify.asked import Install
from gpudoctor.verify.case import Case, spelled

#: What a shell would take for something of its own.
_SPECIAL = frozenset("<>[]*|&;()!$`\"' ")


def instead_of(
    framework: str, asked: str, tag: str, install: Install, case: Case, companions: Sequence[str] = ()
) -> str | None:
    """The command for the fitting build nearest to a release (`asked`, empty: any) and a build (`tag`)."""
    wanted = Wanted(framework=framework, companions=tuple((name, "") for name in companions))
    if case.machine.gfx:
        places = fit_amd(case.machine, (wanted,), case.matrix).environments
        words = places[0].command if places else ()
        return typed(install, words[words.index("install") + 1 :]) if words else None
    build = nearest(framework, asked, tag, case.machine, case, companions)
    if build is None:
        return None
    made = proposal(build, wanted, case.machine, case.matrix)
    others = tuple(
        one.text
        for one in install.requirements
        if one.name not in (framework, *COMPANIONS, "numpy", "protobuf", "tensorflow-gpu", "tensorflow-cpu")
        and one.name
        and not one.name.startswith(("xformers", "triton", "keras", "nvidia-", "jaxlib", "jax-cuda"))
    )
    words = command((made,), case.machine, *others)
    rest = words[words.index("install") + 1 :]
    installed = case.installed(framework)
    # pip leaves a build of the same release alone, whatever its tag, where the requirement names none.
    same = installed is not None and installed.version.partition("+")[0] == build.version
    again = ("--force-reinstall",) if same and not any("+" in one for one in rest) else ()
    if again and install.tool == "uv":
        again = ("--reinstall",)
    return typed(install, (*again, *rest))


def typed(install: Install, words: Sequence[str]) -> str:
    """The words after the installer's own, as a line of a shell."""
    mixed = "--extra-index-url" in words and install.tool != "pip"
    tail = ("--index-strategy", "unsafe-best-match") if mixed else ()
    start = spelled(install) if install.program[-1:] != ("-r",) else "pip install"
    return " ".join((start, *(quoted(word) for word in (*words, *tail))))


def quoted(word: str) -> str:
    """A word that bash, PowerShell and cmd read back as it is."""
    return f'"{word}"' if _SPECIAL & set(word) else word


def nearest(
    framework: str, asked: str, tag: str, machine: Machine, case: Case, companions: Sequence[str] = ()
) -> Build | None:
    """The build that fits and is nearest in releases; among those of a release the one of the tag, else the best.

    One that must be linked, too, is no one command.
    """
    if driver_refusal(machine, case.matrix) is not None:
        return None
    fitting = [
        one
        for one in ranked(framework, machine, case.matrix)
        if not one.links and all(_has_companion(one, name, machine, case) for name in companions)
    ]
    if not fitting or not asked:
        return next((one for one in fitting if one.variant == tag), fitting[0]) if fitting else None
    known = {one.version for one in builds_of(framework, machine.platform, case.matrix)}
    own = package_version(asked)
    if own is None:
        return fitting[0]
    order = sorted({version for text in (*known, asked) if (version := package_version(text))})
    at = order.index(own)
    minor = own.release[:2]

    def distance(build: Build) -> tuple[bool, int, bool]:
        version = package_version(build.version)
        far = order.index(version) - at if version in order else len(order)
        # The same series has the same interface; of two as near the newer one.
        return (version is None or version.release[:2] != minor, 2 * abs(far) - (far > 0), build.variant != tag)

    return min(fitting, key=distance)


def _has_companion(build: Build, name: str, machine: Machine, case: Case) -> bool:
    made = companion_versions(build, name, case.matrix)
    return bool(made) and has_wheel(name, machine, case.matrix, made[0])


def with_links(framework: str, case: Case) -> str:
    """The build that fits once it is linked, in words; empty for none."""
    build = next((one for one in ranked(framework, case.machine, case.matrix) if one.links), None)
    return f"{build.label}, and {' and '.join(link_words(*one) for one in build.links.items())}" if build else ""


def what_would_do(framework: str, machine: Machine, case: Case) -> str:
    """The nearest changes after which a build would fit, in a sentence; empty where none is known."""
    refused = driver_refusal(machine, case.matrix) or refusal(Wanted(framework=framework), machine, case.matrix)
    ways = [" and ".join(one.change for one in way.obstacles if one.change) for way in refused.ways]
    named = [way for way in ways if way]
    return f"What would do: {'; or '.join(named)}." if named else ""
