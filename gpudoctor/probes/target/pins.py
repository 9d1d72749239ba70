"""What the files of a project in the working directory say of GPU packages: lock files and requirements.txt."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Pin
from gpudoctor.host.port import Host
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.probes.reading import text_of
from gpudoctor.probes.target.choice import path_rules
from gpudoctor.sources.packages_names import normalise

#: The packages whose version decides whether the GPU is used.
WATCHED = frozenset(
    name for one in descriptors() if not one.backends for name in (*one.packages, *one.parts, *one.companions)
)
#: A lock file of a large project has a few megabytes.
LIMIT = 8 * 1024 * 1024

_LOCKED = re.compile(r'name = "(?P<name>[^"]+)"\nversion = "(?P<version>[^"]+)"\n')
_INDEX = re.compile(r'["\']https://download\.pytorch\.org/(whl/[\w./-]*?)/?["\']')
_REQUIREMENT = re.compile(r"^([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*((?:[<>=!~]{1,3}\s*[^<>=!~;#,\s]+\s*(?:,\s*)?)*)")


def read_pins(host: Host) -> tuple[Pin, ...]:
    """All of them."""
    join = path_rules(host).join
    found: list[Pin] = []
    for name in ("uv.lock", "poetry.lock"):
        text = text_of(host, join(host.cwd, name), limit=LIMIT)
        found += parse_lock(name, text) if text else ()
    text = text_of(host, join(host.cwd, "requirements.txt"))
    return (*found, *(parse_requirements("requirements.txt", text) if text else ()))


def parse_lock(file: str, text: str) -> Iterator[Pin]:
    """The watched packages of a uv.lock or poetry.lock. Both write a table [[package]] with name and version first."""
    for table in text.replace("\r\n", "\n").split("[[package]]\n")[1:]:
        match = _LOCKED.match(table)
        if match is not None and match["name"] in WATCHED:
            index = _INDEX.search(table)
            yield Pin(
                file=file,
                package=match["name"],
                wanted=match["version"],
                is_locked=True,
                index=index.group(1) if index else None,
            )


def parse_requirements(file: str, text: str) -> Iterator[Pin]:
    """The watched packages of a requirements file; options and links are passed over."""
    for line in text.splitlines():
        match = _REQUIREMENT.match(line.strip())
        name = normalise(match.group(1)) if match else None
        if match and name in WATCHED and "@" not in line:
            yield Pin(file=file, package=name, wanted=re.sub(r"\s", "", match.group(2)))
