"""Lists conda's packages from file names in conda-meta: pytorch-2.6.0-cuda126_mkl_py312h….json."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in
from gpudoctor.probes.target.choice import path_rules
from gpudoctor.sources.package_names import is_conda_relevant, normalise

#: The keys of these files are sorted and the long ones (files, paths_data) come behind "channel".
_HEAD = 64 * 1024


class CondaPackage(Fact, frozen=True, kw_only=True):
    """A package of a conda environment; `channel` is read for GPU-relevant ones only."""

    name: str
    version: str
    build: str
    channel: str | None = None


def parse_meta_name(file: str) -> CondaPackage | None:
    """Name, version and build of a conda-meta file; neither of the last two has a dash in it."""
    parts = file.removesuffix(".json").rsplit("-", 2)
    if not file.endswith(".json") or len(parts) != 3 or not all(parts):
        return None
    return CondaPackage(name=normalise(parts[0]), version=parts[1], build=parts[2])


def parse_channel(text: str) -> str | None:
    """The channel as people write it: conda-forge, pkgs/main. An address loses what can be a secret: user and token."""
    match = re.search(r'"channel"\s*:\s*"([^"]*)"', text)
    if match is None:
        return None
    channel = re.sub(r"/t/[^/]+", "", re.sub(r"^[a-z0-9+.-]+://(?:[^@/]*@)?", "", match.group(1)))
    channel = re.sub(r"^(?:conda\.anaconda\.org|repo\.anaconda\.com)/", "", channel.split("?", 1)[0])
    return re.sub(r"/(?:noarch|linux-\w+|win-\w+|osx-\w+)/?$", "", channel) or None


def read_conda(host: Host, prefix: str) -> dict[str, CondaPackage]:
    """The packages of a conda environment by normalised name; empty where it is none."""
    join = path_rules(host).join
    folder = join(prefix, "conda-meta")
    found: dict[str, CondaPackage] = {}
    for name in names_in(host, folder) or ():
        package = parse_meta_name(name)
        if package is None:
            continue
        if is_conda_relevant(package.name):
            text = host.read_text(join(folder, name), limit=_HEAD)
            channel = parse_channel(text) if isinstance(text, str) else None
            package = CondaPackage(name=package.name, version=package.version, build=package.build, channel=channel)
        found[package.name] = package
    return found
