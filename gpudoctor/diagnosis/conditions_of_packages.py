"""Conditions that refute causes by packages: installed, on offer, or for another maker's GPU."""

from gpudoctor.diagnosis.condition import condition
from gpudoctor.diagnosis.offered_wheels import own_python, wheels_asked_for, wheels_of_stated_torch
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Packages
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.same_modules import same_modules
from gpudoctor.sources.no_match import parse_no_match

#: Architectures of AMD's processors with graphics of their own, and names of its graphics cards.
_AMD_PROCESSOR = re.compile(r"\bgfx(?:90[29c]|1033|103[567]|1103|115[0-3])\b", re.IGNORECASE)
#: The package whose compiled file it is, in the loader's words.
_MISSES_SYMBOL = re.compile(
    r"(?:site-packages/|(?<![\w/.$-]))([A-Za-z]\w*)(?:[/.][^\s:]*)?\.so[\w.]*: undefined symbol", re.IGNORECASE
)
_AMD_CARD = re.compile(r"\bRX ?\d{3,4}|\bRadeon (?:Pro W|AI Pro|VII)|\bInstinct\b|\bMI\d{2,3}", re.IGNORECASE)


@condition
def amd_gpu_in_builds(seen: SnapshotView) -> str | None:
    """PyTorch's builds for ROCm of the release that is stated have code for the AMD GPUs."""
    torch = seen.framework("torch")
    release = (torch.version or "").partition("+")[0] if torch else ""
    return "PyTorch's builds for ROCm have code for this GPU" if _with_code(seen, release) == {True} else None


@condition
def amd_gpu_in_no_build(seen: SnapshotView) -> str | None:
    """No build of PyTorch for ROCm has code for them."""
    return "no build of PyTorch for ROCm has code for this GPU" if _with_code(seen) == {False} else None


def _with_code(seen: SnapshotView, release: str | None = None) -> set[bool | None]:
    """What PyTorch's builds for ROCm, of a release or all, say of the AMD GPUs that are stated; empty where none is."""
    matrix, gpus = load_matrix(), seen.section(Gpus, "gpus")
    stated = [gpu for gpu in gpus.devices if gpu.vendor == "amd"] if gpus else []
    if not stated:
        return set()
    # Imported here: most GPUs are NVIDIA's.
    from gpudoctor.knowledge.matrix.amd import gfx_of_gpu, has_code, rocm_builds

    rows = [row for row in rocm_builds("torch", matrix) if release is None or row.version == release]
    models = {gfx_of_gpu(gpu, matrix) for gpu in stated}
    return {has_code(row, gfx) if gfx else None for row in rows for gfx in models}


@condition
def tensorflow_of_the_index_serves_gpus(seen: SnapshotView) -> str | None:
    """A release whose wheel on the package index is built for GPUs on Linux, where conda is not named."""
    tensorflow, host = seen.framework("tensorflow"), seen.section(System, "host")
    by_pip = tensorflow is not None and tensorflow.dist in (None, "tensorflow") and tensorflow.variant != "cpu"
    on_linux = seen.is_around("hosted-notebook") or seen.os in ("linux", "wsl")
    on_arm = seen.on_jetson or (host is not None and host.arch == "aarch64")
    if tensorflow is None or not by_pip or not on_linux or on_arm or seen.is_around("conda-is-named"):
        return None
    rows = load_matrix().tensorflow_builds(tensorflow.version or "0", "linux-x86_64", "tensorflow")
    serves = bool(rows) and all(row.build == "gpu" for row in rows)
    return f"the package index's {tensorflow.label} for Linux is built for GPUs" if serves else None


@condition
def another_extension_fails(seen: SnapshotView) -> str | None:
    """The compiled file that misses a symbol is of a package that is neither torch nor one of its companions."""
    owners = [match[1] for text in seen.messages for match in _MISSES_SYMBOL.finditer(text)]
    own = [one for one in owners if not one.startswith(("torchvision", "torchaudio", "torchtext", "libtorch"))]
    return f"{own[0]} is what misses a symbol" if own and len(own) == len(owners) and "torch" not in own else None


@condition
def torch_companions_agree(seen: SnapshotView) -> str | None:
    """The torchvision and torchaudio that are stated were made for the stated torch."""
    torch = seen.framework("torch")
    made = load_matrix().torch_companions(torch.version) if torch is not None and torch.version else None
    stated = {
        name: one.version.partition("+")[0]
        for name in ("torchvision", "torchaudio")
        if (one := seen.framework(name)) is not None and one.version
    }
    agree = made is not None and bool(stated) and all(one in getattr(made, name) for name, one in stated.items())
    companion = " ".join(next(iter(stated.items()), ()))
    return f"{companion} was made for this torch" if agree else None


@condition
def jax_packages_agree(seen: SnapshotView) -> str | None:
    """The CUDA plugin of JAX is of the release of jaxlib."""
    packages = seen.section(Packages, "packages")
    found = [packages.find(name) for name in ("jaxlib", "jax-cuda13-plugin", "jax-cuda12-plugin")] if packages else []
    releases = [one.version for one in found if one is not None]
    agree = len(releases) > 1 and len(set(releases)) == 1
    return f"jaxlib and its plugin are both {releases[0]}" if agree else None


@condition
def another_maker_computes(seen: SnapshotView) -> str | None:
    """A GPU of another maker is stated for which frameworks have builds: it is that build that lacks."""
    gpus = seen.section(Gpus, "gpus")
    arc = (
        next((gpu.name for gpu in gpus.devices if gpu.name and " arc" in f" {gpu.name.lower()}"), None)
        if gpus
        else None
    )
    if seen.makers == {"amd"}:
        return "the GPU is from AMD"
    return f"the GPU is {arc or 'an Intel Arc'}" if arc or seen.is_around("intel-arc") else None


@condition
def no_build_for_this_python(seen: SnapshotView) -> str | None:
    """Of torch the index offers nothing, or the placeholders of 2018, made for any Python: no wheel is for this one."""
    offered = [one.offered for text in seen.messages if (one := parse_no_match(text)) and one.package == "torch"]
    bare = any(row is not None and all(version.startswith("0.1.2") for version in row) for row in offered)
    return "of torch the index offers no wheel for this Python, whatever its index" if bare else None


@condition
def nvidia_gpu_is_stated(seen: SnapshotView) -> str | None:
    """A GPU of NVIDIA's is named: it is there, whoever does not see it."""
    gpus = seen.section(Gpus, "gpus")
    named = next((gpu.name for gpu in gpus.nvidia if gpu.name), None) if gpus else None
    return f"the GPU is stated: {named}" if named else None


@condition
def processor_graphics_took_its_place(seen: SnapshotView) -> str | None:
    """A message is about a processor's own graphics, and a graphics card of AMD's is stated."""
    gpus = seen.section(Gpus, "gpus")
    card = next((gpu.name for gpu in gpus.devices if gpu.name and _AMD_CARD.search(gpu.name)), None) if gpus else None
    found = next((match[0] for text in seen.messages if (match := _AMD_PROCESSOR.search(text))), None)
    return f"the message is about {found}, the processor's own graphics, not the {card}" if card and found else None


@condition
def companion_breaks_release(seen: SnapshotView) -> str | None:
    """A stated release is known to fail like this with newer companions."""
    bound = seen.breaking_bound
    return f"{bound.package} {bound.releases} works with {bound.requirement}" if bound else None


@condition
def part_is_in_other_releases(seen: SnapshotView) -> str | None:
    """What a message does not find is in known releases of its package."""
    # Imported here: of most messages no part is asked for.
    from gpudoctor.knowledge.parts_by_release import requirement_that_has

    found = next((one for text in seen.messages if (one := requirement_that_has(text))), None)
    return f"what is missing is in {found}" if found else None


@condition
def driver_is_the_last_for_gpu(seen: SnapshotView) -> str | None:
    """The driver offers what the last branch for the GPUs offers: none that is newer serves them."""
    driver, gpus, matrix = seen.section(Driver, "driver"), seen.section(Gpus, "gpus"), load_matrix()
    capabilities = [matrix.capability(gpu) for gpu in gpus.nvidia] if gpus else []
    rows = [matrix.architecture(one) if one else None for one in capabilities]
    lasts = {row.last_branch if row else None for row in rows}
    last = next(iter(lasts)) if len(lasts) == 1 else None
    branch = matrix.driver_branch(DriverRelease(f"{last}.0"), "linux") if last else None
    if driver is None or branch is None or driver.cuda is None or driver.cuda < branch.cuda:
        return None
    return f"{last} is the last driver branch for this GPU, and serves CUDA {branch.cuda} at most"


@condition
def torch_finds_gpu(seen: SnapshotView) -> str | None:
    """PyTorch itself was asked, and always said that CUDA is available."""
    live = seen.section(Live, "live")
    answers = {one.gpu_available for one in live.devices if one.framework == "torch"} if live else set()
    return "PyTorch says that CUDA is available" if answers == {True} else None


@condition
def numpy_is_1(seen: SnapshotView) -> str | None:
    """The NumPy that is stated is none of 2."""
    packages = seen.section(Packages, "packages")
    numpy = packages.find("numpy") if packages else None
    return f"NumPy {numpy.version} is installed" if numpy and numpy.version.startswith("1.") else None


@condition
def release_is_offered(seen: SnapshotView) -> str | None:
    """The index lists the very release that was not found, without its local part (+cu128): the Python is served."""
    for text in seen.messages:
        asked = parse_no_match(text)
        wanted = next((version for sign, version in asked.comparisons if sign == "=="), None) if asked else None
        if asked and wanted and wanted in (asked.offered or ()):
            return f"{asked.package} {wanted} is among the versions offered, so this Python is served"
    return None


@condition
def python_has_wheels(seen: SnapshotView) -> str | None:
    """What the installer did not find has a wheel for the Python that is stated: something else is amiss."""
    python = own_python(seen)
    found = next((one for one in wheels_asked_for(seen) if python in one.pythons), None) if python else None
    return f"{found.package} {found.version} has wheels for Python {python}" if found else None


@condition
def gpu_build_is_listed(seen: SnapshotView) -> str | None:
    """Of the builds of a module the one for GPUs is among the packages, and no other."""
    packages = seen.section(Packages, "packages")
    names = {one.name for one in packages.installed} if packages else set()
    for row in same_modules():
        own = sorted(names & row.packages)
        if len(own) == 1 and re.search(r"-(?:gpu|cu\d|cuda)", own[0]):
            return f"{own[0]} is the build for GPUs"
    return None


@condition
def xformers_built_for_this_torch(seen: SnapshotView) -> str | None:
    """Its warning names the torch that is installed as the one that it was built for, but for the part without CUDA."""
    torch, extension = seen.framework("torch"), seen.framework("xformers")
    if torch is None or extension is None or not (torch.version and extension.built_for_torch):
        return None
    built, own = (one.partition("+")[0] for one in (extension.built_for_torch, torch.version))
    is_other_cuda = bool(extension.cuda and torch.cuda and extension.cuda.major != torch.cuda.major)
    if built != own or is_other_cuda or not seen.said("xformers-built-for"):
        return None
    return f"xformers was built for torch {built}, which is installed"


@condition
def torch_has_no_wheel_for_this_python(seen: SnapshotView) -> str | None:
    """The stated release of PyTorch has wheels for other Pythons only."""
    wheels = wheels_of_stated_torch(seen)
    if wheels is None:
        return None
    first, last = wheels.pythons[0], wheels.pythons[-1]
    return f"PyTorch {wheels.version} has wheels for Python {first} to {last}, and this is {own_python(seen)}"
