"""FRM019: a framework on an NVIDIA Jetson is a generic ARM build, or one for another CUDA than JetPack's."""

from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.knowledge.jetson_builds import jetson_build, jetson_command
from gpudoctor.rules._situation import known
from gpudoctor.rules.builds import device_code, services
from gpudoctor.rules.sections import Driver, Framework, Frameworks, Gap, Gpus, Libraries, Matrix, Scene, System
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, Run, by_hand, problem, rule, seen
from gpudoctor.sources.system import release_of

#: Jetson Thor: the first board that PyTorch's own builds are made for.
THOR = Capability("11.0")
#: libcudart.so.10.0 and libcudart.so.10.2 are two names; libcudart.so.11.0 is that of all 11.
LAST_WITH_MINOR = 10

JETPACK = by_hand(
    "Install NVIDIA's build for this JetPack release",
    "Find your JetPack release (dpkg -l nvidia-jetpack) and follow "
    "https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/; for JetPack 4: "
    "https://forums.developer.nvidia.com/t/pytorch-for-jetson/72048",
)
JAX_CONTAINER = by_hand(
    "Use a JAX built for this JetPack release",
    "NVIDIA's containers for Jetson have one: https://github.com/dusty-nv/jetson-containers",
)


@rule("FRM019", name="jetson-generic-wheel", severity="error", when="host.tegra")
def jetson_generic_wheel(
    host: System, frameworks: Frameworks, libraries: Libraries | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """A generic ARM build of PyTorch, TensorFlow or JAX is installed on an NVIDIA Jetson.

    What it means:
    Jetson boards have a GPU of their own kind. The wheels of the package index are made for ARM servers: they are for
    the processor only, or their CUDA code is for other GPUs.
    NVIDIA's own wheels are each for one JetPack and its CUDA: that for JetPack 4.3 asks for libcudart.so.10.0, which
    JetPack 4.4 (CUDA 10.2) does not have. Or the GPU is found, and the first computation ends with "no kernel image is
    available for execution on the device".

    Why it breaks:
    `pip install torch` on a Jetson takes the general aarch64 wheel. Machine code of a server's or desktop's GPU does
    not run on a Jetson's, also where the numbers look close (8.0 or 8.6 on Orin's 8.7). NVIDIA publishes wheels and
    containers made for each JetPack release, and for the Python of that release.

    How to fix it:
    Install NVIDIA's wheel for your JetPack release, or use an L4T container. On Jetson Thor (JetPack 7) PyTorch's own
    builds for CUDA 13 have the code for its GPU (11.0); those for CUDA 12 have not.

    When to ignore it:
    If the framework is meant to run on the processor.

    Sources:
    https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/
    https://docs.nvidia.com/deeplearning/frameworks/install-tf-jetson-platform/
    https://github.com/jax-ml/jax/issues/40487
    https://docs.nvidia.com/cuda/cuda-c-programming-guide/#binary-compatibility (not between desktop GPUs and Tegra)
    """
    if host.tegra is None:
        return
    for name in ("torch", "tensorflow", "jax-cuda-plugin"):
        framework = frameworks.get(name)
        if framework is None:
            continue
        found = tuple(_unserved(framework, known(scene.gpus), host, matrix))
        if (
            framework.variant == "cuda"
            and not found
            and _of_another_jetpack(framework, known(scene.driver), known(libraries))
        ):
            yield _other_jetpack(framework, known(scene.driver), host)
            continue
        if framework.variant != "cpu" and not found:
            continue
        build = f"{framework.version or 'unknown version'}, {_cuda(framework) if found else 'no CUDA'}"
        yield problem(
            f"{framework.label} "
            f"{'has no code for the GPU of this Jetson' if found else 'is a general ARM build without CUDA'}; "
            "a Jetson needs a build made for it.",
            seen("Jetson", host.tegra),
            seen(f"{name} build", build, framework.source),
            *found,
            subject=framework.label,
            fix=_fix(name, known(scene.gpus), scene.python_minor, host, matrix),
        )


def _of_another_jetpack(framework: Framework, driver: Driver | None, libraries: Libraries | None) -> bool:
    """Built for another CUDA than the board's JetPack has, and without libraries that the loader would find.

    A Jetson's driver and CUDA come with JetPack; where the loader's walk is not known, nothing is concluded.
    """
    if driver is None or driver.cuda is None or framework.cuda is None or _is_served(framework.cuda, driver.cuda):
        return False
    asked = [one for one in (libraries.resolutions or () if libraries else ()) if one.framework == framework.name]
    return any(one.path is None for one in asked) or framework.cuda.major > driver.cuda.major


def _is_served(built: CudaVersion, there: CudaVersion) -> bool:
    """Programs of one major are served by its libraries; up to CUDA 10 each release has libraries of its own name."""
    return built.major == there.major and (built.major > LAST_WITH_MINOR or built == there)


def _other_jetpack(framework: Framework, driver: Driver | None, host: System) -> Problem:
    there = driver.cuda if driver else None
    return problem(
        f"{framework.label} is built for CUDA {framework.cuda}, but this Jetson's JetPack has CUDA {there}.",
        seen("Jetson", host.tegra),
        seen(f"{framework.name} built for", f"CUDA {framework.cuda}", framework.source),
        seen("CUDA of the driver", there),
        subject=framework.label,
        fix=JETPACK if framework.name in ("torch", "tensorflow") else JAX_CONTAINER,
    )


def _cuda(framework: Framework) -> str:
    return f"CUDA {framework.cuda}" if framework.cuda else "CUDA"


def _fix(name: str, gpus: Gpus | None, python: str | None, host: System, matrix: Matrix) -> Fix:
    if name == "torch" and _is_thor(gpus, matrix):
        return _thor()
    release = release_of(host.tegra or "") or ""
    command, build = jetson_command(name, release, python), jetson_build(name, release)
    if command is None and build is not None:
        made_for, typed = build
        return by_hand(
            JETPACK.title,
            f"NVIDIA's build for this JetPack is for Python {made_for}, not {python}. Make an environment of it.",
            f"In it: {typed}",
        )
    if command is None:
        return JETPACK if name in ("torch", "tensorflow") else JAX_CONTAINER
    made = Run(argv=tuple(command.split()))
    # pip would keep a release that is there.
    before = (Run(argv=("python3", "-m", "pip", "uninstall", "--yes", name)),) if "pip" in made.argv else ()
    return Fix(JETPACK.title, "review", (*before, made))


def _unserved(framework: Framework, gpus: Gpus | None, host: System, matrix: Matrix) -> Iterator[Evidence]:
    """Nothing in a build for CUDA runs on the board's GPU."""
    code = device_code(framework, matrix, host) if framework.variant == "cuda" else None
    if code is None or gpus is None:
        return
    missed = [one for one in services(code, framework.cuda, gpus, matrix) if one.coverage == "none"]
    if missed:
        yield from (one.evidence for one in missed)
        yield code.evidence(framework)


def _is_thor(gpus: Gpus | None, matrix: Matrix) -> bool:
    return gpus is not None and any(matrix.capability(gpu) == THOR for gpu in gpus.nvidia)


def _thor() -> Fix:
    text = "Install torch from https://download.pytorch.org/whl/cu130: from release 2.9 on it has code for this GPU."
    return by_hand("Install PyTorch built for CUDA 13", text)
