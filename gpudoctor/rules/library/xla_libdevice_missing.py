"""LIB013: XLA, TensorFlow's compiler, cannot find the file libdevice.10.bc."""

from gpudoctor.facts.libraries import Toolkit
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.places import conda, conda_prefix
from gpudoctor.rules._xla import CONDA_PACKAGES, ptxas_of_packages
from gpudoctor.rules.builds import is_conda, release_numbers
from gpudoctor.rules.sections import (
    Environ,
    Framework,
    Frameworks,
    Gap,
    Gpus,
    Interpreter,
    Libraries,
    Packages,
    Scene,
    System,
    Toolkits,
)
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen

#: Keras' optimizers are compiled by XLA unless told otherwise from 2.11 on (keras/optimizers: jit_compile=True).
FIRST_COMPILING = numbers_of("tensorflow-compiled-optimizers")
#: From 2.14 on the extra and-cuda brings a compiler package; from 2.16 on Keras 3 decides by itself. conda's builds ask
#: for none, and 2.18 compiles as little as a power with XLA (github.com/conda-forge/tensorflow-feedstock/issues/420).
FIRST_NOT_JUDGED = numbers_of("tensorflow-own-libraries")
FLAG = "--xla_gpu_cuda_data_dir"


@rule("LIB013", name="xla-libdevice-missing", severity="error", when="frameworks.tensorflow.variant=cuda, gpus.nvidia")
def xla_libdevice_missing(
    gpus: Gpus,
    frameworks: Frameworks,
    packages: Packages,
    toolkits: Toolkits | None,
    environ: Environ,
    libraries: Libraries | Gap | None,
    interpreter: Interpreter | Gap | None,
    host: System,
) -> Iterator[Problem]:
    """XLA, TensorFlow's compiler, cannot find the file libdevice.10.bc.

    What it means:
    XLA needs the file nvvm/libdevice/libdevice.10.bc, which belongs to NVIDIA's compiler and not to the CUDA libraries.
    It looks in the folder of the CUDA that TensorFlow was built with, in /usr/local/cuda and in the working directory.
    There is none.

    Why it breaks:
    Everything works but what XLA compiles: `jit_compile=True`, and from TensorFlow 2.11 on the optimizers of Keras.
    The message is "libdevice not found at ./libdevice.10.bc" or "Can't find libdevice directory".

    How to fix it:
    Install NVIDIA's compiler (pip install nvidia-cuda-nvcc-cu12, or -cu11; conda install -c nvidia cuda-nvcc) and name
    the folder in which its nvvm/libdevice lies: XLA_FLAGS=--xla_gpu_cuda_data_dir=FOLDER. PATH and CUDA_DIR are not
    looked at.

    When to ignore it:
    If nothing is compiled by XLA. On TensorFlow before 2.11 that is so unless you ask for it: then this is a warning.

    Sources:
    https://github.com/tensorflow/tensorflow/blob/v2.12.0/tensorflow/tsl/platform/default/cuda_libdevice_path.cc
    https://www.tensorflow.org/xla
    """
    tensorflow = frameworks.get("tensorflow")
    numbers = release_numbers(tensorflow.version) if tensorflow else None
    if tensorflow is None or tensorflow.variant != "cuda" or tensorflow.cuda is None or not gpus.nvidia:
        return
    by_conda = is_conda(packages, "tensorflow", "tensorflow-base")
    if (
        numbers is None
        or not (2,) <= numbers < (FIRST_NOT_JUDGED if not by_conda else (9,))
        or FLAG in (environ.get("XLA_FLAGS") or "")
    ):
        return
    if _has_missing(libraries) or ptxas_of_packages(packages) or not packages.lacks(*CONDA_PACKAGES):
        return
    if environ.excerpt or (toolkits is not None and toolkits.excerpt):
        return
    found = toolkits.found if toolkits is not None else ()
    if not (_takes_packages(libraries) if numbers >= FIRST_COMPILING else found and host.os == "windows"):
        return
    if any(_is_searched(toolkit, tensorflow, host) for toolkit in found):
        return
    yield problem(
        f"{tensorflow.label} finds no libdevice.10.bc, so XLA compilation fails.",
        seen("CUDA of TensorFlow", tensorflow.cuda, tensorflow.source),
        seen("toolkits", ", ".join(one.root for one in found) or "none found"),
        seen("XLA_FLAGS", environ.get("XLA_FLAGS") or "not set"),
        subject=tensorflow.label,
        severity=None if numbers >= FIRST_COMPILING else "warning",
        confidence="likely",
        fix=_of_conda(interpreter)
        if by_conda and numbers >= FIRST_NOT_JUDGED
        else _fix(found, Scene(host=host, interpreter=interpreter, packages=packages)),
    )


def _of_conda(interpreter: Interpreter | Gap | None) -> Fix:
    """What the package's maintainers name: conda-forge's compiler lies in targets/."""
    prefix = conda_prefix(interpreter) or "$CONDA_PREFIX"
    return Fix(
        "Install NVIDIA's compiler, and name its folder for XLA",
        "review",
        (
            conda(interpreter, "install", "cuda-nvcc"),
            SetEnv(name="XLA_FLAGS", value=f"{FLAG}={prefix}/targets/x86_64-linux"),
        ),
        undo="unset XLA_FLAGS",
    )


def _takes_packages(libraries: Libraries | Gap | None) -> bool:
    """TensorFlow's CUDA runtime comes from packages, which bring no compiler; a toolkit brings one."""
    if not isinstance(libraries, Libraries):
        return False
    runtimes = [r for r in libraries.resolutions or () if r.framework == "tensorflow" and r.family == "cudart"]
    return any(one.path is not None and one.origin in ("conda", "pip") for one in runtimes)


def _has_missing(libraries: Libraries | Gap | None) -> bool:
    return isinstance(libraries, Libraries) and bool(libraries.missing("tensorflow"))


def _is_searched(toolkit: Toolkit, tensorflow: Framework, host: System) -> bool:
    """XLA looks in the toolkit of the build's own CUDA version, and (not on Windows) in /usr/local/cuda."""
    usual = host.os != "windows" and (toolkit.is_default or toolkit.root in ("/usr/local/cuda", "/opt/cuda"))
    return usual or toolkit.version is None or toolkit.version == tensorflow.cuda


def _fix(found: tuple[Toolkit, ...], scene: Scene) -> Fix:
    title = "Name the folder with libdevice for XLA"
    if found:
        flag = SetEnv(name="XLA_FLAGS", value=f"{FLAG}={found[0].root}")
        return Fix(title, "safe", (flag,), undo="unset XLA_FLAGS")
    prefix = conda_prefix(scene.interpreter)
    where = prefix or "the folder of the package (nvidia/cuda_nvcc)"
    what = "conda install --channel nvidia cuda-nvcc" if prefix else "pip install nvidia-cuda-nvcc-cu11"
    steps = (Ask(text=f"Install NVIDIA's compiler: {what} (of TensorFlow's CUDA version)."), _flag(where, prefix))
    return by_hand(title, *steps)


def _flag(where: str, prefix: str | None) -> Ask | SetEnv:
    if prefix is not None:
        return SetEnv(name="XLA_FLAGS", value=f"{FLAG}={prefix}")
    return Ask(text=f"Set XLA_FLAGS={FLAG}= to {where}, in which nvvm/libdevice/libdevice.10.bc lies.")
