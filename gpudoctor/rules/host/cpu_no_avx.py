"""HST003: a processor without AVX."""

from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.rules.sections import Framework, Frameworks, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: The first release whose packages use AVX.
SINCE = {"tensorflow": milestone("tensorflow-avx"), "jaxlib": milestone("jaxlib-avx")}
X86 = ("x86_64", "amd64")


@rule("HST003", name="cpu-no-avx", severity="error", needs=("host.cpu",), when="not host.cpu.flags=avx")
def cpu_no_avx(host: System, frameworks: Frameworks) -> Iterator[Problem]:
    """The CPU has no AVX, which the framework's prebuilt packages need."""
    cpu = host.cpu
    if cpu is None or cpu.flags is None or "avx" in cpu.flags or (host.arch or "").lower() not in X86:
        return
    for framework in frameworks.found:
        if not _needs_avx(framework):
            continue
        yield problem(
            f"This CPU has no AVX, which {framework.label} needs.",
            seen("processor", cpu.model or "model not known"),
            seen("instruction sets", ", ".join(cpu.flags) or "none of those that frameworks use"),
            subject=framework.label,
            fix=by_hand(
                "Give the virtual machine the host's CPU features, or use another framework or machine",
                'In a virtual machine, set its CPU type to "host" (pass through).',
                "Otherwise use PyTorch, another machine, or a build made without AVX.",
            ),
        )


def _needs_avx(framework: Framework) -> bool:
    since = package_version(SINCE.get(framework.name, ""))
    version = package_version(framework.version or "")
    return since is not None and version is not None and version >= since
