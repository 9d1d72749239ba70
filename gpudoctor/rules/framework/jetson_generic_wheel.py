"""FRM019 jetson-generic-wheel."""

from collections.abc import Iterator

from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.python import Frameworks
from gpudoctor.model.system import System
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen


@rule("FRM019", name="jetson-generic-wheel", severity="error", since="0.1")
def jetson_generic_wheel(host: System, frameworks: Frameworks) -> Iterator[Problem]:
    """A general ARM build of PyTorch or TensorFlow is installed on an NVIDIA Jetson.

    What it means:
    Jetson boards have a GPU and a driver of their own kind. The wheels of the package index are made for ARM servers
    and run on the processor only here.

    Why it breaks:
    `pip install torch` on a Jetson takes the general aarch64 wheel. NVIDIA publishes wheels and containers made for
    each JetPack release, and for the Python of that release.

    How to mend it:
    Install NVIDIA's wheel for your JetPack release, or use an L4T container.

    When to ignore it:
    If the framework is meant to run on the processor.

    Sources:
    https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/
    https://docs.nvidia.com/deeplearning/frameworks/install-tf-jetson-platform/
    """
    if host.tegra is None:
        return
    for name in ("torch", "tensorflow"):
        framework = frameworks.get(name)
        if framework is None or framework.variant != "cpu":
            continue
        yield Problem(
            summary=f"{framework.label} is a general ARM build without CUDA; a Jetson needs NVIDIA's own.",
            subject=framework.label,
            evidence=(
                seen("Jetson", host.tegra),
                seen(f"{name} build", f"{framework.version or 'unknown version'}, no CUDA", framework.source),
            ),
            explains=("torch-cpu-only", "tf-cpu-only", "torch-companion-cuda"),
            fixes=(
                Fix(
                    title="Install NVIDIA's build for this JetPack release",
                    safety="manual",
                    steps=(
                        Ask(
                            text="Find your JetPack release (dpkg -l nvidia-jetpack) and follow "
                            "https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/"
                        ),
                    ),
                ),
            ),
        )
