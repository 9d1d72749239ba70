"""What partial facts say for or against a cause, where they do not suffice for its rule.

A ticket seldom states all that a rule must see. These look at what is stated: a PyTorch built with CUDA is not a CPU
build, whatever else is unknown; TensorFlow 2.16 on Windows has no GPU support, whichever GPU there is.
"""

from collections.abc import Callable

from gpudoctor.engine.circumstances import (
    NOT_GEFORCE,
    OLD,
    RECENT,
    WITH_EXTRA,
    answers,
    code_serves,
    computing_left_out,
    driver_serves,
    foreign_gpu,
    geforce_copies,
    has_its_toolkit,
    has_no_toolkit,
    hidden_by_variable,
    in_pieces,
    larger_than_gpu,
    lists_gpu_without_cuda,
    mixed_majors,
    nodes_are_closed,
    old_tensorflow_on_new_gpu,
    other_toolkit,
    others_hold_memory,
    packages_of_two_majors,
    secure_boot_is_off,
    tf_before_windows_end,
    tf_misses_its_packages,
    tf_without_windows,
    user_site_in_environment,
    warned_for_nothing,
    wsl_has_no_driver,
)
from gpudoctor.engine.stated import Stated

#: For a cause: how sure it makes it.
FOR: dict[str, tuple[tuple[Callable[[Stated], bool], float], ...]] = {
    "tf-windows-native": ((tf_without_windows, 0.95),),
    "tf-cuda-version-unsupported": ((other_toolkit, 0.75),),
    "tf-soname-missing": ((lambda stated: bool(stated.missed) and stated.os != "windows", 0.6),),
    "win-cudart-not-found": ((lambda stated: any("cudart64" in one.soname for one in stated.missed), 0.6),),
    "arch-ok-warning-only": ((warned_for_nothing, 0.9),),
    "tf1-on-new-gpu": ((old_tensorflow_on_new_gpu, 0.8),),
    "cuda-major-mix": (
        (packages_of_two_majors, 0.75),
        (mixed_majors, 0.8),
    ),
    "torch-cpu-only": ((lambda stated: stated.variant("torch") == "cpu" and not stated.by_conda, 0.8),),
    "torch-cpu-only-conda": ((lambda stated: stated.variant("torch") == "cpu" and bool(stated.by_conda), 0.9),),
    "tf-cpu-only": ((lambda stated: stated.variant("tensorflow") == "cpu" and stated.os != "windows", 0.8),),
    "macos-no-cuda": ((lambda stated: stated.os == "macos", 0.4),),
    "tf216-nvidia-libs-not-found": ((tf_misses_its_packages, 0.6),),
    "no-gpu": (
        (lambda stated: stated.no_gpu and stated.sees_no_gpu, 0.8),
        (lambda stated: foreign_gpu(stated, "intel") and stated.sees_no_gpu, 0.6),
    ),
    "torch-backend-gpu-vendor": ((lambda stated: foreign_gpu(stated, "amd") and stated.sees_no_gpu, 0.7),),
    "ld-path-shadows-nvidia-wheels": ((hidden_by_variable, 0.5),),
    "nccl-p2p-geforce": ((geforce_copies, 0.75),),
    "dev-permission": ((nodes_are_closed, 0.6),),
    "py-user-site-shadow": ((user_site_in_environment, 0.55),),
    "container-no-compute-cap": ((computing_left_out, 0.9),),
    "other-process-holds-memory": ((others_hold_memory, 0.8),),
    "memory-fragmented": ((in_pieces, 0.7),),
    "batch-too-large": ((larger_than_gpu, 0.9),),
}

#: Against a cause: it cannot be that one.
AGAINST: dict[str, tuple[Callable[[Stated], bool], ...]] = {
    "tf-windows-native": (tf_before_windows_end,),
    "torch-cpu-only": (lambda stated: stated.variant("torch") in ("cuda", "rocm"), lambda s: s.by_conda is True),
    "torch-cpu-only-conda": (lambda stated: stated.variant("torch") in ("cuda", "rocm"), lambda s: s.by_conda is False),
    "torch-cpu-only-lock": (lambda stated: stated.variant("torch") in ("cuda", "rocm"),),
    "torch-rocm-build": (lambda stated: stated.variant("torch") in ("cuda", "cpu"),),
    "tf-cpu-only": (lambda stated: stated.variant("tensorflow") == "cuda", tf_without_windows),
    "tf216-nvidia-libs-not-found": (
        lambda stated: (stated.numbers("tensorflow") or (9,)) < WITH_EXTRA,
        lambda stated: stated.os == "windows",
    ),
    "tf-cuda-version-unsupported": (
        lambda stated: (stated.numbers("tensorflow") or (0,)) >= (2, 16),
        lambda stated: has_its_toolkit(stated) or has_no_toolkit(stated),
    ),
    "torch-nvidia-deps-missing": (lambda stated: bool(stated.missed),),
    "driver-too-old": (driver_serves,),
    "nccl-p2p-geforce": (
        lambda stated: stated.all_named(NOT_GEFORCE),
        lambda stated: stated.makers == {"amd"},
    ),
    "arch-too-old-for-build": (lambda stated: stated.all_named(RECENT), code_serves),
    "arch-too-new-for-build": (lambda stated: stated.all_named(OLD), code_serves),
    "amd-device-files": (lambda stated: stated.makers == {"nvidia"},),
    "amd-gpu-not-in-build": (lambda stated: stated.makers == {"nvidia"},),
    "drv-not-loaded": (answers,),
    "drv-secureboot-rejected": (secure_boot_is_off, answers),
    "drv-absent": (answers,),
    "no-gpu": (answers,),
    # What reached the GPU of a Mac does not fail for want of CUDA.
    "macos-no-cuda": (
        lambda stated: stated.os in ("linux", "windows", "wsl"),
        lambda stated: stated.said("mps-operation-missing", "mps-out-of-memory"),
    ),
    "wsl1": (lambda stated: stated.os in ("macos", "windows"),),
    "wsl-singularity": (lambda stated: stated.os in ("macos", "windows"),),
    "wsl-libcuda-path": (wsl_has_no_driver,),
    # nvidia-smi lists the GPU there, so the container has it.
    "container-no-gpu-flag": (lists_gpu_without_cuda,),
}
for _name in ("torch-cpu-only", "torch-cpu-only-conda", "torch-cpu-only-lock", "tf-cpu-only", "jax-cpu-only"):
    AGAINST[_name] = (
        *AGAINST.get(_name, ()),
        lambda stated: stated.no_gpu,
        lambda stated: stated.said("mps-operation-missing", "mps-out-of-memory"),
    )
for _name in ("win-dll-126", "win-cudart-not-found", "win-zlibwapi-missing", "win-libomp140-missing"):
    AGAINST[_name] = (lambda stated: stated.os in ("linux", "macos", "wsl"),)
# Where no toolkit is there is none that could be found.
AGAINST["win-cudart-not-found"] = (*AGAINST["win-cudart-not-found"], has_no_toolkit)
for _name in ("uvm-missing", "dev-nodes-missing", "drv-nouveau-bound", "drv-dkms-not-built", "drv-secureboot-rejected"):
    AGAINST[_name] = (*AGAINST.get(_name, ()), lambda stated: stated.os in ("windows", "macos"))


def support(key: str, stated: Stated) -> float:
    """How sure the stated facts make a cause, between 0 and 1."""
    return max((weight for holds, weight in FOR.get(key, ()) if holds(stated)), default=0.0)


def excluded(key: str, stated: Stated) -> bool:
    """The stated facts exclude a cause."""
    return any(holds(stated) for holds in AGAINST.get(key, ()))
