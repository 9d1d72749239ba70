"""Judges container images of NVIDIA, PyTorch and TensorFlow: whether the tag exists and runs here.

Tags: compat/containers.json for NVIDIA's framework images; hub.docker.com/r/nvidia/cuda (three numbers from CUDA 11 on,
and no latest: README and supported-tags of gitlab.com/nvidia/container-images/cuda), hub.docker.com/r/pytorch/pytorch,
tensorflow.org/install/docker, 2026-11-22.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Package, Packages
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.offer_types import ContainerImage, Extension
from gpudoctor.knowledge.matrix.types import DriverFloor, TorchBuild
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.constraints import obstacles
from gpudoctor.plan.cuda_compat import is_data_centre
from gpudoctor.verify.asked import Image
from gpudoctor.verify.case import Case, aspect_of
from gpudoctor.verify.image_gpus import gpu_verdict
from gpudoctor.verify.release_choice import version_of
from gpudoctor.verify.verdict import Given, Grounds, Verdict

_CUDA = re.compile(r"(?:docker\.io/|nvcr\.io/)?nvidia/cuda(?::(?P<tag>[\w.-]+))?")
_CUDA_TAG = re.compile(
    r"(?P<cuda>\d+\.\d+)(?P<patch>\.\d+)?(?:-(?P<cudnn>cudnn\d*))?(?:-(?P<kind>base|runtime|devel|cudnn-runtime|cudnn-devel))?"
    r"(?:-(?P<system>ubuntu\d\d\.\d\d|ubi\d+|rockylinux\d+|centos\d+|oraclelinux\d+|opensuse\d+|amzn\d+|cm2|azl3))?"
)
_TORCH = re.compile(
    r"(?:docker\.io/)?pytorch/pytorch(?::(?P<version>\d+\.\d+(?:\.\d+)?)-cuda(?P<cuda>\d+\.\d+)(?:\.\d+)?-cudnn\d+-(?P<kind>\w+))?(?P<latest>:latest)?"
)
#: The system of an image, as its tag says: ubuntu:24.04, 12.4.1-base-ubuntu22.04.
_SYSTEM = re.compile(r"(?P<name>ubuntu|debian):?(?P<version>\d+(?:\.\d+)?)")
_EXTERNALLY_MANAGED = {
    "ubuntu": milestone("ubuntu-externally-managed"),
    "debian": milestone("debian-externally-managed"),
}
_NVIDIA = re.compile(r"nvcr\.io/nvidia/(?P<image>pytorch|tensorflow|tritonserver):(?P<tag>[\w.-]+)")
_VLLM = re.compile(r"(?P<image>(?:docker\.io/)?vllm/vllm-openai):(?P<tag>[\w.-]+)")
_TENSORFLOW = re.compile(r"(?:docker\.io/)?tensorflow/tensorflow(?::(?P<tag>[\w.-]+))?")

_CHANGES = "Which release this tag stands for changes with time; name one."


def judge_image(asked: Image, case: Case) -> Iterator[Verdict]:
    """The verdict on an image; a program that only pulls it needs no GPU yet."""
    name = asked.name.partition("@")[0]
    nvidia = _NVIDIA.fullmatch(name)
    vllm = _VLLM.fullmatch(name)
    cuda, torch, tensorflow = _CUDA.fullmatch(name), _TORCH.fullmatch(name), _TENSORFLOW.fullmatch(name)
    if cuda:
        verdict = _cuda(name, cuda["tag"], case)
    elif torch and torch["version"]:
        verdict = _torch(name, torch["version"], torch["cuda"], case)
    elif tensorflow and tensorflow["tag"]:
        verdict = _tensorflow(name, tensorflow["tag"], case)
    elif nvidia and (row := _listed(nvidia["image"], nvidia["tag"], case)):
        verdict = _nvidia(name, row, case)
    elif vllm:
        verdict = _vllm(name, vllm["image"], vllm["tag"].removeprefix("v"), case)
    else:
        text = "What is in this image is not in the tables."
        verdict = case.verdict(name, "not known", grounds="not in the tables", aspect="name", because=text)
    is_for_gpu = bool(cuda or torch or nvidia or vllm or (tensorflow and "gpu" in name))
    if verdict.word == "fits" and is_for_gpu and not asked.asks_for_gpus and case.wants_gpu:
        text = "The container gets no GPU: nothing in the command asks for one."
        option = "--device nvidia.com/gpu=all" if asked.engine == "podman" else "--gpus all"
        instead = re.sub(r"\b(run|create)\b", rf"\1 {option}", case.text, count=1)
        instead = instead if instead != case.text else "gpus: all"  # In a Compose file.
        verdict = case.verdict(name, "does not fit", aspect="option", because=text, instead=instead)
    yield verdict


def image_facts(asked: Image, given: Given) -> Given:
    """What is given inside an image: its own Python and packages."""
    machine = replace(given.machine, python=None, libc=None, libc_version=None, platform=given.machine.platform)
    torch = _TORCH.fullmatch(asked.name)
    packages = Packages(excerpt=True)
    if torch and torch["version"]:
        tag = f"+cu{torch['cuda'].replace('.', '')}"
        packages = Packages(installed=(Package(name="torch", version=f"{torch['version']}{tag}"),), excerpt=True)
    name = asked.name.partition("@")[0]
    if re.search(r"[:-]alpine", name) or re.fullmatch(r"(?:docker\.io/)?(?:library/)?alpine(?::.*)?", name):
        machine = replace(machine, libc="musl")
    system = _SYSTEM.search(name)
    distribution, version = (system["name"].lower(), system["version"]) if system else (None, None)
    named = re.fullmatch(r"(?:docker\.io/)?(?:library/)?python:(\d\.\d+).*", asked.name)
    if named:
        machine = replace(machine, python=named[1])
    return replace(
        given,
        machine=machine,
        packages=packages,
        base=name,
        environment=None,
        externally_managed=_is_externally_managed(name, distribution, version),
        other_pip=None,
        python=None,
        distribution=distribution,
        distribution_version=version,
    )


def _is_externally_managed(image: str, distribution: str | None, version: str | None) -> bool | None:
    """Whether pip refuses the system's Python in an image (PEP 668); None is not known."""
    first = _EXTERNALLY_MANAGED.get(distribution or "")
    bare = re.fullmatch(r"(?:docker\.io/)?(?:library/)?(?:ubuntu|debian):\S+|(?:\S+/)?nvidia/cuda:\S+", image)
    if first is None or version is None or bare is None:
        return None
    return version_of(version) >= version_of(first)


def _cuda(name: str, tag: str | None, case: Case) -> Verdict:
    match = _CUDA_TAG.fullmatch(tag or "")
    if match is None or (match["patch"] is None) or match["system"] is None:
        if tag is None or tag == "latest":
            text = "nvidia/cuda has no tag latest; name a version, as in nvidia/cuda:12.4.1-base-ubuntu22.04."
        else:
            text = f"nvidia/cuda has no tag {tag[:40]}; they are made like 12.4.1-base-ubuntu22.04."
        return case.verdict(
            name, "does not fit", grounds="impossible", aspect="index", because=text, instead=_full(name, match, case)
        )
    cuda = CudaVersion(match["cuda"])
    releases = {
        one.toolkit
        for one in case.matrix.table("cuda_driver")
        if isinstance(one, DriverFloor) and one.kind == "toolkit"
    }
    row, full = case.matrix.toolkit(cuda), f"{match['cuda']}{match['patch']}"
    if full not in releases and row is not None:
        text = f"CUDA {full} is not in the tables."
        return case.verdict(name, "not known", grounds="not in the tables", aspect="version", because=text)
    if row is None:
        text = f"CUDA {cuda} is not in the tables."
        return case.verdict(name, "not known", grounds="not in the tables", aspect="version", because=text)
    return _runs(name, cuda, case)


def _full(name: str, match: object, case: Case) -> str | None:
    """The same with a tag that there is: the newest patch release, on Ubuntu."""
    version = match["cuda"] if match else None  # type: ignore[index]
    if version is None:
        return None
    rows = [one for one in case.matrix.table("cuda_driver") if isinstance(one, DriverFloor) and one.toolkit]
    patches = [one.toolkit for one in rows if (one.toolkit or "").startswith(f"{version}.")]
    if not patches:
        return None
    newest = max((one for one in patches if one), key=version_of)
    is_late = version_of(version) >= version_of(milestone("cuda-images-ubuntu-22-04"))
    system = "ubuntu22.04" if is_late else "ubuntu20.04"
    kind = (match["kind"] or "base") if match else "base"  # type: ignore[index]
    return case.text.replace(name, f"nvidia/cuda:{newest}-{kind}-{system}", 1)


def _runs(name: str, cuda: CudaVersion, case: Case) -> Verdict:
    machine = case.machine
    floor = case.matrix.family_floor(cuda, "linux")
    is_linux = machine.os == "linux" and not machine.wsl
    if is_linux and floor is not None and machine.driver is not None and machine.driver < floor.release:
        text = f"CUDA {cuda} needs driver {floor.release} or newer, and this is {machine.driver}."
        return case.verdict(name, "does not fit", aspect="driver", because=text, row=floor)
    notes = _by_minor_version(cuda, case) if is_linux else ()
    return case.verdict(name, "fits", row=floor, notes=notes, not_judged=case.not_judged("driver"))


def _by_minor_version(cuda: CudaVersion, case: Case) -> tuple[str, ...]:
    """The driver is older than the CUDA of the image, and of the same major."""
    driver = case.machine.driver
    offered = case.matrix.offered_cuda(driver, "linux") if driver is not None else None
    if offered is None or cuda <= offered:
        return ()
    text = (
        f"The driver offers CUDA {offered}, the image has {cuda}. It runs (minor-version compatibility), but code "
        "compiled from PTX at run time does not; the image may warn of the driver when it starts."
    )
    return (text,)


def _listed(image: str, tag: str, case: Case) -> ContainerImage | None:
    rows: tuple[ContainerImage, ...] = case.matrix.table("containers")
    return next((row for row in rows if (row.image, row.tag) == (image, tag)), None)


def _nvidia(name: str, row: ContainerImage, case: Case) -> Verdict:
    """One of NVIDIA's framework images: its oldest GPU, and its CUDA, for which it brings forward compatibility."""
    machine, about_gpus = case.machine, gpu_verdict(name, row, case)
    if about_gpus is not None:
        return about_gpus
    driver = machine.driver
    is_taken = driver is not None and any(driver.branch == one.branch and driver >= one for one in row.base_drivers)
    if is_taken and is_data_centre(machine, case.matrix):
        return case.verdict(name, "fits", row=row)
    if row.cuda is None:
        text = "Which CUDA is in this image is not in the tables."
        return case.verdict(name, "not known", grounds="not in the tables", aspect="version", because=text, row=row)
    return _runs(name, row.cuda, case)


def _torch(name: str, version: str, cuda: str, case: Case) -> Verdict:
    builds = [
        one
        for one in builds_of("torch", "linux-x86_64", case.matrix)
        if one.version == (version if version.count(".") == 2 else f"{version}.0")
    ]
    newest = case.matrix.newest("torch") or ""
    if not builds:
        if version_of(version) > version_of(newest):
            text = f"torch {version} is newer than the tables, which end with {newest}."
            return case.verdict(name, "not known", grounds="not in the tables", aspect="version", because=text)
        text = f"There is no torch {version}."
        return case.verdict(name, "does not fit", grounds="impossible", aspect="version", because=text)
    build = next((one for one in builds if str(one.cuda) == cuda), None)
    if build is None:
        known = ", ".join(str(one.cuda) for one in builds if one.cuda is not None)
        text = f"torch {version} was not built for CUDA {cuda}; it was for {known}."
        return case.verdict(name, "does not fit", grounds="impossible", aspect="index", because=text)
    return _inside(name, build, case)


def _vllm(name: str, image: str, version: str, case: Case) -> Verdict:
    """An image of vLLM: the torch that its release pins, as the package index has it, and the oldest GPU."""
    rows: tuple[Extension, ...] = tuple(row for row in case.matrix.table("extensions") if row.package == "vllm")
    known = [(one, row) for row in rows for one in row.versions]
    found = next((row for one, row in known if one == version), None)
    if found is None:
        text = f"There is no vLLM {version} in the tables." if version[:1].isdigit() else _CHANGES
        return case.verdict(name, "not known", grounds="not in the tables", aspect="version", because=text)
    verdict = _of_vllm(name, found, case)
    if verdict.word != "does not fit":
        return verdict
    other = next((one for one, row in known if _of_vllm(name, row, case).word == "fits"), None)
    return replace(verdict, instead=case.text.replace(name, f"{image}:v{other}", 1) if other else None)


def _of_vllm(name: str, row: Extension, case: Case) -> Verdict:
    oldest = row.min_capability
    for index, gpu in enumerate(case.machine.capabilities):
        if oldest is not None and gpu < oldest:
            text = (
                f"vLLM {row.versions[0]} is for GPUs from compute capability {oldest} on: {case.machine.label(index)}."
            )
            return case.verdict(name, "does not fit", aspect="gpu", because=text, row=row)
    builds = builds_of("torch", "linux-x86_64", case.matrix)
    build = next((one for one in builds if row.torch == f"=={one.version}" and _is_default(one)), None)
    if build is None:
        text = "Which torch is in this image is not in the tables."
        return case.verdict(name, "not known", grounds="not in the tables", aspect="version", because=text, row=row)
    return _inside(name, build, case)


def _is_default(build: Build) -> bool:
    return isinstance(build.row, TorchBuild) and "linux-x86_64" in build.row.default_on


def _tensorflow(name: str, tag: str, case: Case) -> Verdict:
    match = re.fullmatch(r"(\d+\.\d+\.\d+)(-gpu)?(-jupyter)?", tag)
    if match is None:
        text = _CHANGES
        known = re.fullmatch(r"(?:latest|nightly|devel)?(?:-gpu)?(?:-jupyter)?", tag) is not None
        grounds: Grounds = "not asked" if known else "not in the tables"
        return case.verdict(name, "not known", grounds=grounds, aspect="version", because=text)
    builds = [
        one
        for one in builds_of("tensorflow", "linux-x86_64", case.matrix)
        if one.version == match[1] and "linux-x86_64" in one.platforms and one.dist != "tensorflow-cpu"
    ]
    if not builds:
        text = f"TensorFlow {match[1]} is not in the tables."
        return case.verdict(name, "not known", grounds="not in the tables", aspect="version", because=text)
    if not match[2]:
        if case.wants_gpu:
            text = "The image without -gpu in its tag computes on the CPU only."
            instead = case.text.replace(name, f"{name.partition('-')[0]}-gpu{match[3] or ''}", 1)
            return case.verdict(name, "does not fit", aspect="platform", because=text, instead=instead)
        return case.verdict(name, "fits")
    return _inside(name, builds[0], case)


def _inside(name: str, build: Build, case: Case) -> Verdict:
    """Whether a build runs on the machine's GPU and driver; Python and the C library are the image's own."""
    machine = replace(case.machine, python=None, libc=None, libc_version=None, platform=None)
    if case.machine.os != "linux":
        machine = replace(machine, driver=None)
    stops = [one for one in obstacles(build, machine, case.matrix) if one.constraint in ("driver", "gpu", "cudnn")]
    if stops:
        text = f"{build.label} is inside: {stops[0].text}."
        return case.verdict(name, "does not fit", aspect=aspect_of(stops[0].constraint), because=text, row=build.row)
    if machine.capabilities and build.archs is None:
        text = f"Not judged for this GPU: which GPUs {build.label}, which is inside, has code for is not in the tables."
        return case.verdict(name, "not known", grounds="not in the tables", aspect="gpu", because=text, row=build.row)
    return case.verdict(name, "fits", row=build.row, not_judged=case.not_judged("GPU", "driver"))
