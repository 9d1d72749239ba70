"""Package index options for pip and uv, and the PyTorch index of a build."""

from gpudoctor.facts.base import Fact
from gpudoctor.facts.plan import Manager
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.milestones import numbers_of

TORCH_SITE = "https://download.pytorch.org/"


class Indexes(Fact, frozen=True, kw_only=True):
    """What the user says of indexes; None leaves it to the installer's own configuration."""

    #: In place of the installer's own.
    main: str | None = None
    #: In place of https://download.pytorch.org/whl, the folder of PyTorch's own indexes: a mirror.
    torch: str | None = None

    def of_build(self, url: str | None) -> str | None:
        """The index of a build of torch, on the mirror where there is one."""
        usual = f"{TORCH_SITE}whl/"
        if url is None or self.torch is None or not url.startswith(usual):
            return url
        return f"{self.torch.rstrip('/')}/{url.removeprefix(usual)}"


#: Where the wheels of torchvision and torchaudio are tagged with their build as those of torch are, and from which of
#: its releases on: https://pytorch.org/get-started/previous-versions/, and the file names of its indexes.
_TAGGED_ON, _TAGGED_FROM = ("linux-x86_64", "windows-x86_64"), numbers_of("torch-companions-tagged")


def tag_of_companions(torch: str, variant: str, platform: str | None) -> str:
    """What follows the release of torchvision or torchaudio from the index of a build of torch: +cpu, +cu126.

    With it no further index can put another build of the release in its place. Empty where they are not tagged.
    """
    parsed = package_version(torch)
    is_tagged = platform in _TAGGED_ON and parsed is not None and parsed.release[:2] >= _TAGGED_FROM
    return f"+{variant}" if is_tagged else ""


def index_options(
    manager: Manager, main: str | None, extra: tuple[str, ...], *, first: bool = False
) -> tuple[str, ...]:
    """The options for an index in place of the configured one, and for others beside it.

    uv takes a package from the first index that has any version of it (docs.astral.sh/uv/concepts/indexes); PyTorch's
    has old copies of NumPy and others, so uv is told to look at all of them for the best version, as pip does.
    `first`: main is to come before every index of uv's settings, which a default index comes after.
    """
    if manager == "uv":
        found = (("--index" if first else "--default-index"), main) if main else ()
        beside = tuple(word for url in extra for word in ("--index", url))
        return (*found, *beside, *(("--index-strategy", "unsafe-best-match") if extra else ()))
    found = ("--index-url", main) if main else ()
    return (*found, *(word for url in extra for word in ("--extra-index-url", url)))
