"""FRM013: conda installed a CPU-only PyTorch, which uses no GPU."""

from gpudoctor.plan.places import conda, conda_prefix
from gpudoctor.plan.recipes import COMPANIONS
from gpudoctor.rules.builds import gpu_names, is_jetson
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Interpreter, Package, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen


@rule("FRM013", name="torch-cpu-only-conda", severity="error", when="frameworks.torch.variant=cpu, gpus.nvidia")
def torch_cpu_only_conda(gpus: Gpus, frameworks: Frameworks, packages: Packages, scene: Scene) -> Iterator[Problem]:
    """Conda installed a CPU-only PyTorch, which uses no GPU.

    What it means:
    The `pytorch` package of this conda environment has a build string that begins with `cpu`: it contains no CUDA code.

    Why it breaks:
    Conda offers processor and CUDA builds under one name and picks by what else is asked for. It takes the processor
    build when the package `cpuonly` is present, when the environment was made on a machine without a GPU (an image
    build, a login node), or when another package does not fit the CUDA build.

    How to fix it:
    Ask conda-forge for a CUDA build by name: `pytorch-gpu`; for torchvision and torchaudio, too, where they are
    installed, or they stay the processor's. Remove `cpuonly` first where it is installed. When the environment is made
    on a machine without a GPU, set CONDA_OVERRIDE_CUDA to the CUDA version of the target machine.

    When to ignore it:
    If PyTorch is meant to stay on the processor in this environment.

    Sources:
    https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-virtual.html
    https://github.com/conda-forge/pytorch-cpu-feedstock
    """
    torch = frameworks.get("torch")
    package = _conda_torch(packages)
    if torch is None or torch.variant != "cpu" or package is None or not gpus.nvidia or is_jetson(scene.host):
        return
    has_cpuonly = packages.find("cpuonly") is not None
    evidence = [seen("conda package", f"{package.name} {package.version}, build {package.build or 'not recorded'}")]
    if has_cpuonly:
        evidence.append(seen("conda package", "cpuonly is installed"))
    yield problem(
        f"Conda installed a CPU-only build of {torch.label}, so it cannot use {gpu_names(gpus)}.",
        *evidence,
        *(seen("GPU", gpu.label, gpu.source) for gpu in gpus.nvidia),
        subject=torch.label,
        fix=_fix(scene.interpreter, _companions(packages), has_cpuonly=has_cpuonly),
    )


def _conda_torch(packages: Packages) -> Package | None:
    found = (packages.find(name) for name in ("pytorch", "torch"))
    return next((package for package in found if package is not None and package.installer == "conda"), None)


def _companions(packages: Packages) -> tuple[str, ...]:
    """Those that conda installed: it leaves a build of theirs where it is as long as its version fits."""
    found = (packages.find(name) for name in COMPANIONS)
    return tuple(one.name for one in found if one is not None and (one.installer == "conda" or one.build is not None))


def _fix(interpreter: Interpreter | Gap | None, companions: tuple[str, ...], *, has_cpuonly: bool) -> Fix:
    title = "Install the CUDA build of conda-forge"
    prefix = conda_prefix(interpreter)
    wanted = ("pytorch-gpu", *companions)
    if prefix is None:
        text = f"Install {' and '.join(wanted)} from conda-forge with conda."
        return by_hand(title, text)
    removal = (conda(interpreter, "remove", "cpuonly"),) if has_cpuonly else ()
    install = conda(interpreter, "install", *wanted)
    undo = f"conda install --prefix {prefix} --revision N (conda list --revisions shows the numbers)"
    return Fix(title, "review", (*removal, install), undo=undo)
