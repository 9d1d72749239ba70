"""Which build of PyTorch or TensorFlow the install commands in a text would give."""

from collections.abc import Iterator, Sequence

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.sources.no_match import REFUSED
from gpudoctor.sources.package_names import normalise
from gpudoctor.tickets.fragment import HEARSAY, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.steps import steps_in
from gpudoctor.verify.asked import Conda, Install, Requirement
from gpudoctor.verify.read_words import read_command
from gpudoctor.verify.split_commands import Typed, shell_commands

INSTALL = "a command that installs"
_COMMAND = re.compile(
    r"(?:\bpython[\d.]*(?:\.exe)? -m )?\b(?:conda|mamba|pip[\d.]*|uv(?: pip)?)\b[^\n`]{0,40}?"
    r"\b(?:install|create|add)\b[^\n`]{0,300}",
    re.IGNORECASE,
)
#: Words before a command that nobody says has been run.
_WISHED = re.compile(
    r"\b(?:please|should|could|would|try|need|have to|must|recommend\w*|suggest\w*|run|instead|why not)\b",
    re.IGNORECASE,
)
#: What pip was asked for and did not do: another build was there.
_KEPT = re.compile(r"\balready (?:satisfied|installed)(?!:\s*(?!(?:torch|pytorch|tensorflow)\b)\w)", re.IGNORECASE)
_EXACT = re.compile(r"={2,3}\s*v?(\d+\.\d+(?:\.\d+)?)(?:\+(\w+))?$")
#: The build that an index of PyTorch's holds: https://download.pytorch.org/whl/cu124, .../whl/nightly/cu128.
_INDEX = re.compile(r"/whl/(?:nightly/|test/)?(cpu|cu\d{2,3}|rocm[\d.]+|xpu)\b")
_CUDA = re.compile(r"cu(\d{1,2})(\d)")
_NAMES = {"torch": "torch", "pytorch": "torch", "tensorflow": "tensorflow", "tensorflow-gpu": "tensorflow"}


def parse_installs(text: Pasted) -> tuple[Fragment, ...]:
    """The frameworks that are installed by commands which agree, where nothing says that one failed."""
    if REFUSED.search(text.text) or _KEPT.search(text.text):
        return ()
    found: dict[str, Framework] = {}
    lines = []
    gone = {_NAMES[one.name]: one.line for one in steps_in(text) if one.verb == "remove" and one.name in _NAMES}
    for number, line in text.filled:
        if "install" not in line and "create" not in line and "uv add" not in line:
            continue
        for one in _of_line(number, line):
            if number < gone.get(one.name, 0):
                continue
            if _differ(found.setdefault(one.name, one), one):
                return ()
            lines.append(number)
    return fragment(INSTALL, lines, HEARSAY, frameworks=Frameworks(found=tuple(found.values())) if found else None)


def _of_line(number: int, line: str) -> Iterator[Framework]:
    command = _COMMAND.search(line)
    if command is None or _WISHED.search(line[: command.start()]):
        return
    for typed in shell_commands(number, command[0]):
        for asked in read_command(typed) if isinstance(typed, Typed) else ():
            if isinstance(asked, Install) and not asked.elsewhere:
                yield from (one for wanted in asked.requirements if (one := _by_pip(wanted, asked, number)))
            elif isinstance(asked, Conda):
                yield from _by_conda(asked, number)


def _by_pip(wanted: Requirement, command: Install, number: int) -> Framework | None:
    name = _NAMES.get(normalise(wanted.name))
    exact = _EXACT.match(wanted.specifier)
    places = (command.index or "", *command.extra, *command.links)
    named = next((found[1] for place in places if (found := _INDEX.search(place))), None)
    tag = (exact[2] if exact else None) or command.backend or named
    if name is None or not (exact or (tag and name == "torch")) or (tag == "auto" and not exact):
        return None
    version = exact[1] if exact else None
    if exact and not tag and any("torch_stable.html" in place for place in command.links):
        tag = "cuda"  # its builds for the CPU are tagged
    # Without a tag it is the build that the package index gives to this system, which the matrix knows.
    by_index = version if name == "torch" and not tag and not any(places) else None
    return _framework(name, version, tag, number, by_index)


def _by_conda(command: Conda, number: int) -> Iterator[Framework]:
    versions = {normalise(name): version for name, version, _ in command.specs}
    cuda = versions.get("cudatoolkit") or versions.get("pytorch-cuda") or ""
    for name, version in versions.items():
        exact = re.match(r"=*(\d+\.\d+(?:\.\d+)?)", version)
        if name in _NAMES and exact:
            digits = re.match(r"=*(\d+)\.(\d)", cuda) if _NAMES[name] == "torch" else None
            tag = f"cu{digits[1]}{digits[2]}" if digits else "cpu" if "cpuonly" in versions else None
            if tag and "cudatoolkit" in versions and _has_other_tags_only(exact[1], tag, command.channels):
                # Only builds for CUDA ask for cudatoolkit; beside one that none asks for conda takes the CPU's.
                tag = "cpu"
            yield _framework(_NAMES[name], exact[1], tag, number)


def _has_other_tags_only(version: str, tag: str, channels: Sequence[str]) -> bool:
    """PyTorch's channel, whose builds are those of its wheels, has no build of the release for that CUDA."""
    builds = load_matrix().torch_builds(version) if not {"conda-forge", "anaconda"}.intersection(channels) else ()
    return bool(builds) and all(one.variant != tag for one in builds)


def _framework(name: str, version: str | None, tag: str | None, number: int, by_index: str | None = None) -> Framework:
    digits = _CUDA.fullmatch(tag or "")
    variant = next((one for one in ("cuda", "cpu", "rocm", "xpu") if (tag or "").startswith(one)), None)
    return Framework(
        name=name,
        version=version,
        metadata_version=by_index,
        variant="cuda" if digits else variant,  # type: ignore[arg-type]
        cuda=CudaVersion.parse(f"{digits[1]}.{digits[2]}") if digits else None,
        source=source(INSTALL, number),
    )


def _differ(one: Framework, other: Framework) -> bool:
    return (one.version, one.variant, one.cuda) != (other.version, other.variant, other.cuda)
