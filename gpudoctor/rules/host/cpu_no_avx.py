"""HST003: the CPU has no AVX, which the framework's prebuilt packages need."""

from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.rules.sections import Framework, Frameworks, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: The first release whose packages use AVX.
SINCE = {"tensorflow": milestone("tensorflow-avx"), "jaxlib": milestone("jaxlib-avx")}
X86 = ("x86_64", "amd64")


@rule("HST003", name="cpu-no-avx", severity="error", needs=("host.cpu",), when="not host.cpu.flags=avx")
def cpu_no_avx(host: System, frameworks: Frameworks) -> Iterator[Problem]:
    """The CPU has no AVX, which the framework's prebuilt packages need.

    What it means:
    AVX is a set of processor instructions that came in 2011. TensorFlow's packages use it since release 1.6, JAX's
    always. This processor, or the virtual machine, does not have it.

    Why it breaks:
    The import ends at once with "Illegal instruction (core dumped)", whatever GPU there is.

    How to fix it:
    Use another machine, or a build or image that was made without AVX. In a virtual machine, pass the host's processor
    type through (CPU type "host"). PyTorch runs without AVX.

    When to ignore it:
    When you built the framework yourself for this processor.

    Sources:
    TensorFlow 1.6 release notes, https://github.com/tensorflow/tensorflow/releases/tag/v1.6.0; JAX, troubleshooting of
    "jaxlib version was built using AVX instructions"
    """
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
