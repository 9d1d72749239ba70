"""The target's frameworks, from their own files: nothing is imported, and nothing of the target runs."""

from collections.abc import Callable

from gpudoctor.facts.base import Gap
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Packages
from gpudoctor.host.port import Host
from gpudoctor.probes.frameworks.ctranslate2 import read_ctranslate2
from gpudoctor.probes.frameworks.described import read_described
from gpudoctor.probes.frameworks.extensions import read_extensions
from gpudoctor.probes.frameworks.jax import read_jax
from gpudoctor.probes.frameworks.site import Site
from gpudoctor.probes.frameworks.tensorflow import read_keras, read_tensorflow
from gpudoctor.probes.frameworks.torch import read_companion, read_torch

#: Each gives the frameworks of its family that are there.
READERS: tuple[Callable[[Site], tuple[Framework, ...]], ...] = (
    read_torch,
    lambda site: read_companion(site, "torchvision"),
    lambda site: read_companion(site, "torchaudio"),
    read_tensorflow,
    read_keras,
    read_jax,
    read_described,
    read_extensions,
    read_ctranslate2,
)


def probe(host: Host, interpreter: Interpreter, packages: Packages) -> Frameworks | Gap | None:
    """The frameworks of the target; None where there is none."""
    site = Site(host, interpreter, packages)
    found = tuple(framework for read in READERS for framework in read(site))
    return Frameworks(found=found) if found else None
