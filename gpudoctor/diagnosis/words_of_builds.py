"""Placeholders of commands that name builds: PyTorch's index and release, cuDNN, toolkits, overrides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Interpreter, Packages
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.amd import family_of, gfx_of_gpu, rocm_builds
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.sources.system import release_of

if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated
    from gpudoctor.knowledge.matrix.types import TensorflowBuild, TorchBuild

#: Of the first CUDA of which a driver starts every minor.
_FAMILIES = 11
#: Of the CUDA that every driver from 525 on starts.
_USUAL = 12
_GFX = re.compile(r"\bgfx([0-9a-f]{3,4})\b")


def torch_row(facts: Stated) -> TorchBuild | None:
    """The build of PyTorch for the GPU, driver and Python: of the stated release, else of the nearest to it.

    Where no release is stated, the newest that fits, and of its builds that which asks least of the driver.
    """
    # Imported here: few remedies ask for a build.
    from msgspec.structs import replace

    from gpudoctor.knowledge.matrix.types import TorchBuild
    from gpudoctor.plan.fit import ranked
    from gpudoctor.plan.fit_range import nearest

    version, machine = _release(facts), facts.machine
    system = machine.os if machine.platform else facts.seen.os
    known = machine.capabilities or (not machine.cpu_only if version else driver_cuda(facts))
    if not known or system == "macos":
        return None
    platform = machine.platform or ("windows-x86_64" if system == "windows" else "linux-x86_64")
    machine = replace(machine, platform=platform, cpu_only=False)
    # Where the system is not known, a build that Windows and Linux have.
    needed = (platform,) if system else ("linux-x86_64", "windows-x86_64")
    fitting = [
        one
        for one in ranked("torch", machine, facts.matrix)
        if one.processor == "cuda" and _runs(one.row, facts) and all(_has(one.row, place) for place in needed)
    ]
    if version:
        build = nearest(fitting, version.partition("+")[0])
    else:
        # Of drivers that nobody stated more serve CUDA 12 than the CUDA of the newest builds.
        usual = [one for one in fitting if one.cuda is not None and one.cuda.major == _USUAL]
        offered = fitting if machine.driver or not usual else usual
        newest = {one.cuda: one for one in offered if one.version == offered[0].version and one.cuda is not None}
        build = newest[min(newest)] if newest else None
    row = build.row if build else None
    return row if isinstance(row, TorchBuild) and row.index_suffix else None


def _release(facts: Stated) -> str:
    """The stated release of PyTorch."""
    torch = facts.seen.framework("torch")
    return (torch.version or "") if torch else ""


def _has(row: object, platform: str) -> bool:
    return platform in getattr(row, "platforms", ())


def driver_cuda(facts: Stated) -> CudaVersion | None:
    """The CUDA that the driver offers."""
    driver = facts.seen.section(Driver, "driver")
    return driver.cuda if driver else None


def _runs(row: object, facts: Stated) -> bool:
    """Whether the CUDA that the driver offers, where a message says only that, starts the build."""
    cuda, offered = getattr(row, "cuda", None), None if facts.machine.driver else driver_cuda(facts)
    if cuda is None or offered is None:
        return True
    return bool(cuda <= offered) or (cuda.major == offered.major and cuda.major >= _FAMILIES)


def cuda_tag(facts: Stated) -> str | None:
    """cu121; None where no GPU or release is stated, or none of its series fits; "" where no build serves the GPU."""
    row = torch_row(facts)
    return row.variant if row else "" if _in_no_build(facts) else None


def _in_no_build(facts: Stated) -> bool:
    """No build of PyTorch for CUDA has code for the GPU, whatever its driver and Python."""
    from msgspec.structs import replace

    from gpudoctor.plan.fit import ranked

    machine = replace(facts.machine, driver=None, python=None, platform="linux-x86_64", cpu_only=False)
    return bool(machine.capabilities) and not any(
        one.processor == "cuda" for one in ranked("torch", machine, facts.matrix)
    )


def torch_pins(facts: Stated) -> str:
    """Torch and its companions as pip is asked for them: pinned where a release is stated."""
    from gpudoctor.plan.recipes import companion_pins

    row = torch_row(facts) if _release(facts) else None
    if row is None:
        return "torch torchvision"
    return " ".join((f"torch=={row.version}+{row.variant}", *companion_pins(row, ("torchvision", "torchaudio"))))


def rocm_tag(facts: Stated) -> str | None:
    """The newest of PyTorch's indexes for ROCm; xpu for Intel's GPUs."""
    if facts.seen.makers == {"intel"}:
        return "xpu"
    rows = rocm_builds("torch", facts.matrix) if facts.seen.makers == {"amd"} else ()
    return next((row.variant for row in rows), None)


def override(facts: Stated) -> str | None:
    """HSA_OVERRIDE_GFX_VERSION for AMD's GPUs of a family of which one is supported; "" where there is none such."""
    said = "\n".join(facts.seen.messages)
    gpus = facts.seen.section(Gpus, "gpus")
    named = [gfx_of_gpu(gpu, facts.matrix) for gpu in gpus.devices if gpu.vendor == "amd"] if gpus else []
    found = {one for one in named if one} or {f"gfx{one}" for one in _GFX.findall(said)}
    families = [family_of(one, facts.matrix) for one in found]
    values = {one.override if one is not None else "" for one in families}
    return values.pop() if len(values) == 1 else None


def _tensorflow(facts: Stated) -> TensorflowBuild | None:
    from gpudoctor.knowledge.matrix.types import TensorflowBuild

    framework = facts.seen.framework("tensorflow")
    line = ".".join((framework.version or "").split(".")[:2]) if framework else ""
    system = "windows" if facts.seen.os == "windows" else "linux"
    rows = (row for row in facts.matrix.table("tensorflow") if isinstance(row, TensorflowBuild))
    fitting = (row for row in rows if row.line == line and row.build == "gpu" and row.platform == f"{system}-x86_64")
    return next((row for row in fitting if row.cuda), None)


def cuda_of_tensorflow(facts: Stated) -> str | None:
    """The CUDA of the stated TensorFlow."""
    row = _tensorflow(facts)
    return str(row.cuda) if row else None


def cudnn_of_tensorflow(facts: Stated) -> str | None:
    """The cuDNN of the stated TensorFlow."""
    row = _tensorflow(facts)
    return row.cudnn if row else None


def toolkit_of_tensorflow(facts: Stated) -> str | None:
    """Conda's packages of its CUDA and cuDNN, of a release that brings none along; "" of a newer one."""
    row, first = _tensorflow(facts), milestone("conda-cudatoolkit-begins")
    if row is None or row.cuda is None or not row.cudnn:
        return None
    if row.and_cuda or row.cuda < CudaVersion(first):
        return ""
    major = row.cudnn.partition(".")[0]
    return f'cudatoolkit={row.cuda} "cudnn>={row.cudnn},<{int(major) + 1}"'


def cudnn_releases(facts: Stated) -> str | None:
    """What a message asks of cuDNN: >=8.6,<9."""
    # Imported here: few commands ask for it.
    from gpudoctor.diagnosis.named_in_messages import cudnn_asked_for

    return next((made for text in facts.seen.messages if (made := cudnn_asked_for(text))), None)


def folder_of_library(facts: Stated) -> str | None:
    """Where conda puts CUDA's libraries, where it installed them."""
    packages = facts.seen.section(Packages, "packages")
    target = facts.seen.section(Interpreter, "interpreter")
    by_conda = any(one.installer == "conda" for name in ("cudatoolkit", "cudnn", "cuda-libraries")
                   if packages and (one := packages.find(name)))  # fmt: skip
    is_there = by_conda and target is not None and (target.environment or "").startswith("conda")
    if not is_there and not facts.seen.is_around("at-conda-cuda"):
        return None
    return r"$env:CONDA_PREFIX\Library\bin" if facts.seen.os == "windows" else "$CONDA_PREFIX/lib"


def folder_of_libcuda(facts: Stated) -> str | None:
    """In WSL that of Windows' driver."""
    container = facts.seen.section(Container, "container")
    return "/usr/lib/wsl/lib" if container and container.wsl else None


def build_for_jetpack(facts: Stated) -> str:
    """The command for the framework that is stated, else PyTorch; "" where none is known for that L4T."""
    from gpudoctor.knowledge.jetson_builds import jetson_command

    host = facts.seen.section(System, "host")
    l4t = release_of((host.tegra if host else None) or "") or ""
    name = "tensorflow" if facts.seen.framework("tensorflow") and not facts.seen.framework("torch") else "torch"
    return jetson_command(name, l4t, facts.machine.python) or ""
