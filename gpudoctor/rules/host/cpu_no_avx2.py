"""HST004: TensorFlow 2.4.0, which alone needs AVX2, runs on a CPU without it."""

from gpudoctor.knowledge.milestones import milestone
from gpudoctor.rules.sections import Frameworks, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, problem, rule, seen

#: The one release whose packages were built with instructions beyond AVX by mistake.
RELEASE = milestone("tensorflow-avx2-by-mistake")


@rule(
    "HST004",
    name="cpu-no-avx2",
    severity="error",
    needs=("host.cpu",),
    when="frameworks.tensorflow.version=2.4.0, not host.cpu.flags=avx2",
)
def cpu_no_avx2(host: System, frameworks: Frameworks) -> Iterator[Problem]:
    """TensorFlow 2.4.0, which alone needs AVX2, runs on a CPU without it.

    What it means:
    The packages of TensorFlow 2.4.0 alone were built with AVX2 and FMA instructions.

    Why it breaks:
    On processors from before 2013 the import ends with "Illegal instruction".

    How to fix it:
    Install a later patch release (2.4.1 and newer), or 2.3.

    When to ignore it:
    Never: TensorFlow 2.4.0 cannot start here.

    Sources:
    TensorFlow 2.4.1 release notes, https://github.com/tensorflow/tensorflow/releases/tag/v2.4.1
    """
    cpu, framework = host.cpu, frameworks.get("tensorflow")
    if cpu is None or cpu.flags is None or "avx2" in cpu.flags or "avx" not in cpu.flags:
        return
    if framework is None or framework.version != RELEASE:
        return
    text = "Install TensorFlow 2.4.1 or a later release in this environment."
    yield problem(
        "TensorFlow 2.4.0 needs AVX2, which this CPU lacks; later releases do not.",
        seen("processor", cpu.model or "model not known"),
        seen("instruction sets", ", ".join(cpu.flags)),
        subject=framework.label,
        fix=Fix("Take another release of TensorFlow", "review", (Ask(text=text),)),
    )
