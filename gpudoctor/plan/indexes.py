"""Where packages come from, as options of pip and uv."""

from gpudoctor.model.base import Fact
from gpudoctor.model.plan import Manager

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
