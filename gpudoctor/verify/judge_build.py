"""Judges the build steps of a Dockerfile that would take the GPU away from every container.

Sources: docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html (the variables; the
driver's own files are the host's, mounted when a container starts); docs.docker.com/compose/how-tos/gpu-support;
docs.nvidia.com/cuda/cuda-installation-guide-linux, Meta Packages (cuda brings a driver) (2026-11-23).
"""

from gpudoctor.facts import lazy_re as re
from gpudoctor.verify.asked import Asked, Other, Reservation, Setting, SystemPackages
from gpudoctor.verify.case import Case
from gpudoctor.verify.judge_setting import HIDING
from gpudoctor.verify.verdict import Verdict

#: Images that are made for GPUs.
_FOR_GPU = re.compile(r"(?:\S+/)?(?:nvidia/\S+|pytorch/pytorch(?::\S+)?|tensorflow/tensorflow:\S*gpu\S*)")
#: Packages with files of the driver, which the host mounts.
_OF_DRIVER = re.compile(
    r"(?:lib)?nvidia-(?:driver|headless|dkms|utils|compute|compute-utils|kernel|open|gl|decode|encode|cfg1?)\b.*"
    r"|cuda-drivers.*|cuda|libcuda1|nvidia-smi|xorg-x11-drv-nvidia.*|akmod-nvidia.*"
)
#: Programs that ask for a GPU, and calls of Python that do.
_ASKS_GPU = re.compile(
    r"nvidia-smi|torch\.cuda\.(?!is_bf16)\w+|\.cuda\(\)|list_physical_devices\(\s*[\"']GPU|jax\.devices\(|is_gpu_available"
)
_STUBS = re.compile(r"(?:^|:)[^:]*/stubs/?(?::|$)")


def is_for_gpu(image: str | None) -> bool:
    """Whether an image is made for GPUs."""
    return image is not None and _FOR_GPU.fullmatch(image) is not None


def build_fault(asked: Asked, case: Case) -> Verdict | None:
    """The fault of one instruction; None: it is none, or it is judged as outside of an image."""
    if isinstance(asked, Reservation):
        text = "Compose refuses a device without capabilities."
        return case.verdict("devices", "does not fit", aspect="option", because=text, instead="capabilities: [gpu]")
    if isinstance(asked, Setting) and asked.form == "dockerfile":
        return _setting(asked, case)
    if case.given.base is None:
        return None
    if isinstance(asked, SystemPackages):
        return _driver(asked, case)
    if isinstance(asked, Other) and _ASKS_GPU.search(case.text):
        text = "No GPU is there while an image is built: it fails, or finds none. Run it in a container of the image."
        return case.verdict(asked.program, "does not fit", aspect="gpu", because=text)
    return None


def cpu_build(verdict: Verdict, case: Case) -> Verdict:
    """The verdict on a package; a build for the processor in an image for GPUs does not fit."""
    if verdict.word != "fits" or not (verdict.build or "").endswith("+cpu") or not is_for_gpu(case.given.base):
        return verdict
    text = f"{verdict.build} computes on the CPU only, and the image is for GPUs ({case.given.base})."
    return case.verdict(verdict.subject, "does not fit", aspect="index", because=text, line=verdict.line)


def _setting(asked: Setting, case: Case) -> Verdict | None:
    subject, value = f"{asked.name}={asked.value}"[:80], asked.value.strip("\"'")
    wanted = case.wants_gpu or is_for_gpu(case.given.base)
    if wanted and (asked.name, value) in HIDING:
        return case.verdict(
            subject, "does not fit", aspect="environment", because="It hides every GPU from each container."
        )
    capabilities = asked.name == "NVIDIA_DRIVER_CAPABILITIES" and "$" not in value
    if capabilities and not {"all", "compute"} & set(value.split(",")):
        text = "CUDA needs the capability compute; without it the driver's CUDA library is not mounted."
        instead = case.text.replace(asked.value, f"compute,{value}" if value else "compute,utility", 1)
        return case.verdict(subject, "does not fit", aspect="environment", because=text, instead=instead)
    if asked.name == "LD_LIBRARY_PATH" and _STUBS.search(value):
        text = "Stubs of the driver's libraries are for linking; a program that finds one first sees no GPU."
        return case.verdict(subject, "does not fit", aspect="environment", because=text)
    return None


def _driver(asked: SystemPackages, case: Case) -> Verdict | None:
    named = next((name for name in asked.names if _OF_DRIVER.fullmatch(name)), None)
    if named is None:
        return None
    text = "The driver is the host's, and is mounted when a container starts; one in the image is of another release."
    if named == "cuda":
        text = f"The package cuda brings a driver. {text} A toolkit alone is cuda-toolkit-12-4 and the like."
    return case.verdict(named, "does not fit", aspect="driver", because=text)
