"""What must be uninstalled before a build is installed, because the installer would not replace it.

pip takes a build with another local tag for "already there" (2.14.1+cpu satisfies ==2.14.1, PEP 440); distributions of
different names own the same files (tensorflow and tensorflow-cpu; nvidia-cudnn-cu12 and -cu13 share all 28 files).
"""

from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Packages
from gpudoctor.knowledge.frameworks import companions
from gpudoctor.plan.answer import Proposal, Refusal, Way
from gpudoctor.plan.constraints import Obstacle
from gpudoctor.plan.nvidia_libraries import left_over, namesakes
from gpudoctor.plan.places import TENSORFLOWS

#: What requires the distribution `tensorflow` by its name (its wheels' metadata, package index, 2026-11); beside
#: tensorflow-cpu an installer puts the one over the other.
_OF_TENSORFLOW = re.compile(r"tf[-_.]keras\b", re.IGNORECASE)
TORCHES = ("torch", *companions())


def removals(proposals: tuple[Proposal, ...], packages: Packages | None) -> tuple[str, ...]:
    """The installed distributions to uninstall before the builds are installed, each once."""
    if packages is None:
        return ()
    names: list[str] = []
    for one in proposals:
        if one.framework == "torch":
            names += _other_torch(one, packages)
        if one.framework == "tensorflow":
            names += _other_tensorflow(one, packages)
    names += _other_libraries(proposals, packages)
    return tuple(dict.fromkeys(names))


def required_by_name(one: Proposal, others: tuple[str, ...]) -> Proposal:
    """The proposal, with `tensorflow` in the place of tensorflow-cpu where something beside it requires that."""
    if not any(_OF_TENSORFLOW.match(text) for text in others):
        return one
    wanted = tuple(re.sub(r"^tensorflow-cpu(?===)", "tensorflow", text) for text in one.requirements)
    return replace(one, requirements=wanted, build=one.build.replace("tensorflow-cpu", "tensorflow"))


def clash_with_present(proposals: tuple[Proposal, ...], packages: Packages | None) -> Refusal | None:
    """What is installed, is not asked for again, and needs the libraries of another CUDA; None: nothing."""
    asked = {one.framework for one in proposals}
    majors = {one.cuda.split(".")[0] for one in proposals if one.cuda}
    for name, major in _present_majors(packages):
        if name not in asked and majors and major not in majors:
            wanted = next(one for one in proposals if one.cuda)
            text = (
                f"{name} is installed here with the libraries of CUDA {major}, and {wanted.build} brings those of "
                f"CUDA {wanted.cuda}, which own the same files."
            )
            ways = tuple(
                Way(obstacles=(Obstacle(constraint="pins", text=text.rstrip("."), change=change),))
                for change in ("an environment of its own (--venv DIR)", f"{name} in the wish, too")
            )
            return Refusal(framework=wanted.framework, constraint="pins", text=text, ways=ways)
    return None


def _other_torch(one: Proposal, packages: Packages) -> list[str]:
    """PyTorch and its companions, where the same release is there in another build."""
    found = []
    for text in one.requirements:
        name, _, version = text.replace("===", "==").partition("==")
        package = packages.find(name) if name in TORCHES else None
        if package is None:
            continue
        public, _, tag = package.version.partition("+")
        # A build from the package index has no tag; which one it is cannot be told from its version.
        if public == version and (tag or "") != (one.variant if one.index_url else ""):
            found.append(name)
    return found


def _other_tensorflow(one: Proposal, packages: Packages) -> list[str]:
    dist = re.split(r"[\[=]", one.requirements[0])[0]
    others = [name for name in TENSORFLOWS if name != dist and packages.find(name) is not None]
    # Taking one of them away takes files of the wanted one with it, which is then to be written anew.
    return [*others, *([dist] if others and packages.find(dist) is not None else [])]


def _other_libraries(proposals: tuple[Proposal, ...], packages: Packages) -> list[str]:
    """NVIDIA's libraries for another CUDA major, and their namesakes of this one, whose files they share."""
    majors = frozenset(int(one.cuda.split(".")[0]) for one in proposals if one.cuda)
    if not majors:
        return []
    others = left_over(packages, majors)
    return [*others, *namesakes(packages, others, majors)]


def _present_majors(packages: Packages | None) -> list[tuple[str, str]]:
    """The frameworks that are installed with CUDA libraries, and the major of these."""
    if packages is None:
        return []
    found = []
    torch, tensorflow = packages.find("torch"), packages.find("tensorflow")
    if torch is not None and (match := re.search(r"\+cu(\d+)\d", torch.version)):
        found.append(("torch", match.group(1)))
    plugins = {major: packages.find(f"jax-cuda{major}-plugin") for major in ("12", "13")}
    found += [("jax", major) for major, plugin in plugins.items() if plugin is not None]
    # torch brings cuDNN, too; ptxas and nvcc are asked for by TensorFlow's extra only.
    own = packages.find("nvidia-cuda-nvcc-cu12") is not None
    if tensorflow is not None and (own or (torch is None and packages.find("nvidia-cudnn-cu12") is not None)):
        found.append(("tensorflow", "12"))
    return found
