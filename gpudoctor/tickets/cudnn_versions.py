"""cuDNN versions in mismatch errors: the one a framework was built with, and the one loaded."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.sources.library_builds import cudnn_release
from gpudoctor.tickets.fragment import Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

#: XLA's wording is TensorFlow's and JAX's.
_XLA = re.compile(
    r"Loaded (?:runtime )?CuDNN library: (?P<loaded>\d[\d.]*)(?: \([^)]*\))?,? but source was compiled with:? ?"
    r"(?P<built>\d[\d.]*)",
    re.IGNORECASE,
)
_JAX = re.compile(r"Found cuDNN version (?P<loaded>\d+), but JAX was built against version (?P<built>\d+)", re.I)
_TORCH = re.compile(
    r"PyTorch was compiled\s+against \((?P<built>\d+, \d+, \d+)\) but found runtime version "
    r"\((?P<loaded>\d+, \d+, \d+)\)"
)
_TITLES = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}


def parse_cudnn_versions(text: Pasted) -> tuple[Fragment, ...]:
    """The first such line."""
    lower = text.text.lower()
    of_xla = "jax" if "jax" in lower and "tensorflow" not in lower else "tensorflow"
    for name, pattern in ((of_xla, _XLA), ("jax", _JAX), ("torch", _TORCH)):
        for number, match in text.found(pattern):
            return tuple(_stated(name, number, match["loaded"], match["built"]))
    return ()


def _stated(name: str, number: int, loaded: str, built: str) -> Iterator[Fragment]:
    have, needed = cudnn_release(loaded), cudnn_release(built)
    taken = Resolution(
        framework=name,
        soname=f"libcudnn.so.{have.partition('.')[0]}",
        family="cudnn",
        wanted_by=_TITLES[name],
        how="opened",
        path="the cuDNN that was loaded",
        version=LibraryVersion.parse(have),
    )
    yield from fragment(
        f"{_TITLES[name]}'s log",
        (number,),
        libraries=Libraries(resolutions=(taken,)),
        frameworks=Frameworks(found=(Framework(name=name, variant="cuda", cudnn=needed),)),
    )
