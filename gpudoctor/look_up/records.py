"""Looks up known faults of a release, and set-up recipes."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.matrix.look_up_types import KnownFault, Recipe
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.look_up.answer import Found, Row
from gpudoctor.plan.known_faults import faults_of

_NAMED = re.compile(r"(?P<name>[A-Za-z][\w .-]*?)(?:\s*[= ]=?\s*(?P<version>\d[\w.+]*))?")
_PRODUCTS = {
    "pytorch": "torch",
    "driver": "nvidia-driver",
    "nvidia driver": "nvidia-driver",
    "container toolkit": "nvidia-container-toolkit",
    "nvidia container toolkit": "nvidia-container-toolkit",
    "libnvidia-container": "nvidia-container-toolkit",
    "nvidia-docker2": "nvidia-container-toolkit",
    "tf": "tensorflow",
    "docker desktop": "docker-desktop",
    "cudnn": "nvidia-cudnn-cu12",
}


def named(text: str) -> tuple[str, str | None]:
    """The product that a text names, as the tables call it, and the release; an empty name where it names none."""
    match = _NAMED.fullmatch(text.strip())
    if match is None:
        return "", None
    name = " ".join(match["name"].lower().split())
    return _PRODUCTS.get(name, name), match["version"]


#: Distributions whose tool and package names are those of another.
_FAMILIES = {
    "debian": ("ubuntu", "mint", "linuxmint", "pop", "kali"),
    "fedora": ("rhel", "centos", "rocky", "almalinux", "alma", "amazon", "amzn"),
    "suse": ("opensuse", "sles"),
}


def faults(text: str, matrix: Matrix) -> Iterator[Found]:
    """The faults of a product, or of one release of it: "torch 1.13.1", "driver 545.29.06"."""
    product, version = named(text)
    yield from map(_fault, faults_of(product, version, matrix))


def _fault(row: KnownFault) -> Found:
    rows = [Row(name="affected", value=" or ".join(row.affected)), Row(name="fixed in", value=row.fixed or "not known")]
    rows += [Row(name="where", value=row.where)] if row.where else []
    rows += [Row(name="until then", value=row.instead)] if row.instead else []
    return Found(
        kind="fault",
        subject=row.product,
        says=(row.says,),
        rows=tuple(rows),
        source=row.source,
        checked=row.checked,
        confidence=row.confidence,
    )


def recipes(text: str, matrix: Matrix) -> Iterator[Found]:
    """The recipes of a purpose: container-toolkit, wsl2; for one system (debian, Ubuntu 22.04) named after it."""
    purpose, _, named = text.strip().lower().partition(" ")
    word = named.partition(" ")[0]
    system = next((family for family, members in _FAMILIES.items() if word in members), word)
    for row in matrix.table("recipes"):
        assert isinstance(row, Recipe)
        if row.purpose == purpose and (not system or row.system in (system, "any")):
            yield _recipe(row)


def purposes(matrix: Matrix) -> tuple[str, ...]:
    """What there are recipes for."""
    return tuple(dict.fromkeys(row.purpose for row in matrix.table("recipes")))


def _recipe(row: Recipe) -> Found:
    rows = [Row(name="system", value=row.system)]
    rows += [Row(name="before", value=row.needs)] if row.needs else []
    rows.append(Row(name="the last command prints", value=row.prints))
    return Found(
        kind="recipe",
        subject=row.title,
        rows=tuple(rows),
        commands=(*row.commands, row.test),
        source=row.source,
        checked=row.checked,
        confidence=row.confidence,
    )
