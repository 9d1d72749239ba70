"""Merges the fragments of a text into one snapshot; contradictions are reported, not settled."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact, Section
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.snapshot import SECTIONS
from gpudoctor.facts.system import Container
from gpudoctor.facts.versions import Dotted
from gpudoctor.tickets.fragment import WORDS, Contradiction, Fragment, defaults_of

#: By what two items of a list are the same thing; other lists of facts are joined.
_KEYS: dict[str, tuple[str, ...]] = {
    "Framework": ("name",),
    "Package": ("name",),
    "Toolkit": ("root",),
    "LibraryCopy": ("path",),
    "Resolution": ("framework", "soname"),
    "DriverLibrary": ("name", "path"),
    "DeviceList": ("framework",),
    "LoadedModel": ("program", "name"),
    "KernelLine": ("text",),
    "DkmsState": ("module", "version", "kernel"),
    "DeviceNode": ("path",),
    "Symptom": ("signature", "text"),
    "ListedDevice": ("name",),
    "GpuProcess": ("pid",),
    "MigInstance": ("uuid",),
    "Refusal": ("call", "code"),
}
#: Facts on which a judgement rests: where two of them differ, that is told. Readings such as temperatures may differ.
_DECISIVE = frozenset({
    *("release", "module_release", "module_flavour", "cuda", "cudnn", "version", "variant", "nvml", "cuda_init", "os"),
    *("distribution", "distribution_version", "kernel", "arch", "name", "capability", "gpu_available"),
    *("compiler_version", "libc_version", "secure_boot", "mig_enabled", "compute_mode", "full_version"),
    *("kind", "built_with_cuda"),
})  # fmt: skip

#: Sections that no text states all of: other toolkits, libraries and variables may be there.
_NEVER_WHOLE = ("toolkits", "libraries", "environ")

Claim = tuple[Any, Fragment]


class Merger:
    """Makes sections of fragments. `contradictions` grows as they are made."""

    def __init__(self, fragments: Iterable[Fragment]) -> None:
        self._fragments = sorted(fragments, key=lambda one: one.rank)
        self.contradictions: list[Contradiction] = []

    def sections(self) -> dict[str, Section]:
        """The sections that anything is stated of."""
        made = {}
        for name in SECTIONS:
            claims = [(one.sections[name], one) for one in self._fragments if name in one.sections]
            if name == "host" and self._in_wsl():
                # Both are true there: Windows is around it. What runs in it is judged.
                claims = [one for one in claims if getattr(one[0], "os", None) != "windows"] or claims
            if claims:
                section = self._struct(name, claims)
                made[name] = msgspec.structs.replace(section, excerpt=True) if name in _NEVER_WHOLE else section
        return made

    def _in_wsl(self) -> bool:
        return any(isinstance(told := one.sections.get("container"), Container) and told.wsl for one in self._fragments)

    def _struct(self, path: str, claims: list[Claim]) -> Any:
        if len(claims) == 1:
            return claims[0][0]
        kind = type(claims[0][0])
        fields: dict[str, Any] = {}
        for name, default in defaults_of(kind):  # type: ignore[arg-type]
            stated = [(value, one) for fact, one in claims if (value := getattr(fact, name)) != default]
            if name == "excerpt":
                fields[name] = all(fact.excerpt for fact, _ in claims)
            elif stated:
                fields[name] = self._value(f"{path}.{name}", name, stated, default)
        return kind(**fields)

    def _value(self, path: str, name: str, claims: list[Claim], default: Any) -> Any:
        first = claims[0][0]
        if name == "source" or len(claims) == 1:
            # One list can hold the same thing twice; only the claims of several fragments are brought together.
            return first
        if isinstance(first, dict):
            return self._mapping(path, claims)
        if isinstance(first, tuple):
            return self._list(path, claims)
        if isinstance(first, Fact) and not isinstance(first, Answer):
            return self._struct(path, claims)
        taken = self._scalar(path, claims, told=name in _DECISIVE)
        return default if taken is None and default is not msgspec.NODEFAULT else first if taken is None else taken

    def _mapping(self, path: str, claims: list[Claim]) -> dict[str, Any]:
        names = dict.fromkeys(name for value, _ in claims for name in value)
        rows = {name: [(value[name], one) for value, one in claims if name in value] for name in names}
        return {name: self._scalar(f"{path}.{name}", row, told=True) or row[0][0] for name, row in rows.items()}

    def _list(self, path: str, claims: list[Claim]) -> tuple[Any, ...]:
        item = next((value[0] for value, _ in claims if value), None)
        if isinstance(item, Gpu):
            return tuple(self._struct(_named(path, group[0][0].name), group) for group in self._gpus(claims))
        if not isinstance(item, Fact) or type(item).__name__ not in _KEYS:
            return tuple(claims[0][0])
        groups: dict[tuple[Any, ...], list[Claim]] = {}
        for value, one in claims:
            for fact in value:
                key = tuple(getattr(fact, field) for field in _KEYS[type(fact).__name__])
                groups.setdefault(key, []).append((fact, one))
        return tuple(self._struct(_named(path, str(key[0])), group) for key, group in groups.items())

    def _gpus(self, claims: list[Claim]) -> list[list[Claim]]:
        """The GPUs of all fragments. What a person calls another model than the tools show is told, and not counted."""
        groups: list[list[Claim]] = []
        for devices, one in claims:
            before = list(groups)
            for gpu in devices:
                group = next(
                    (g for g in before if g[-1][1] is not one and any(same_gpu(known, gpu) for known, _ in g)), None
                )
                if group is not None:
                    group.append((gpu, one))
                elif before and (one.rank == WORDS or _is_loose(gpu)):
                    if not any(same_gpu(known, gpu) for g in groups for known, _ in g):
                        self._tell(
                            "gpus.name",
                            [(before[0][0][0].name, before[0][0][1]), (gpu.name, one)],
                            before[0][0][0].name,
                        )
                else:
                    groups.append([(gpu, one)])
        return groups

    def _scalar(self, path: str, claims: list[Claim], *, told: bool) -> Any:
        """The value that the claims agree on; where they do not, the better source's; None among equals."""
        taken, by = claims[0]
        others = []
        for value, one in claims[1:]:
            finer = refined(taken, value)
            if finer is None:
                others.append((value, one))
            else:
                taken = finer
        if not others or not told:
            return taken
        if any(one.rank == by.rank for _, one in others):
            self._tell(path, [(taken, by), *others], None)
            return None
        self._tell(path, [(taken, by), *others], taken)
        return taken

    def _tell(self, path: str, claims: list[Claim], taken: Any) -> None:
        values = dict.fromkeys((words(value), one.where) for value, one in claims)
        self.contradictions.append(
            Contradiction(fact=path, values=tuple(values), taken=None if taken is None else words(taken))
        )


def _is_loose(gpu: Gpu) -> bool:
    """Nothing tells it from another GPU of its name."""
    return gpu.index is None and gpu.pci_bus_id is None and gpu.uuid is None


def _named(path: str, name: str | None) -> str:
    """gpus.devices of the RTX 3090; frameworks.torch."""
    section = path.partition(".")[0]
    return f"{section}.{name}" if name else path


def words(value: Any) -> str:
    """A value for a reader."""
    if isinstance(value, Answer):
        return value.name or value.outcome
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


#: What makes another product of a name.
_OTHER_MODEL = re.compile(r"^[ -]?(?:ti|super|laptop|d\b|max|with|ada|mobile|\d(?!\d? ?gb\b))", re.I)


def refined(one: Any, other: Any) -> Any:
    """The more precise of two values that agree; None where they do not."""
    if isinstance(one, Answer) and isinstance(other, Answer):
        return one if (one.outcome, one.code) == (other.outcome, other.code) else None
    if one == other:
        return one
    if isinstance(one, Dotted) and isinstance(other, Dotted):
        return _longer(one, other, one.text, other.text)
    if isinstance(one, str) and isinstance(other, str):
        if "python" in (one, other):
            return one if other == "python" else other
        return _longer(one, other, one, other) or (one if _alike(one, other) else None)
    return None


def _longer(one: Any, other: Any, text: str, others: str) -> Any:
    """The longer of two texts of which one continues the other."""
    for long, short, value in ((text, others, one), (others, text, other)):
        if long.startswith(short) and long[len(short) : len(short) + 1] in ("", ".", "+", " ", "-"):
            return value
    return None


def _alike(one: str, other: str) -> bool:
    """They are one name, one of them cut off or without its maker."""
    a, b = _bare(one), _bare(other)
    if a == b:
        return True
    for cut, whole in ((a, b), (b, a)):
        # The size of the memory is often left out.
        if whole.startswith(cut) and re.fullmatch(r"[ -]\d{1,3} ?gb(?: .*)?", whole[len(cut) :]):
            return True
        if cut.endswith(("...", "..", "…")) and whole.startswith(cut.rstrip(".… ")):
            return True
    return False


@lru_cache(maxsize=1024)
def _bare(name: str) -> str:
    # The first letter is lost where a line was copied from its second on: VIDIA GeForce RTX 5090.
    name = re.sub(r"\((?:tm|r)\)", "", name.lower())
    return " ".join(re.sub(r"\b(?:n?vidia|geforce|amd|radeon|intel|gpu|graphics|corporation)\b", " ", name).split())


def same_name(one: str | None, other: str | None) -> bool:
    """Two names can be those of one GPU."""
    if one is None or other is None:
        return False
    if _alike(one, other):
        return True
    a, b = sorted((_bare(one), _bare(other)), key=len)
    return b.startswith(a) and len(a) > 2 and not _OTHER_MODEL.match(b[len(a) :])


def same_gpu(one: Gpu, other: Gpu) -> bool:
    """Two statements are of one GPU."""
    if one.pci_bus_id and other.pci_bus_id:
        return one.pci_bus_id == other.pci_bus_id
    if one.uuid and other.uuid:
        return one.uuid == other.uuid
    if one.index is not None and other.index is not None:
        return one.index == other.index
    if one.name is None or other.name is None:
        return one.vendor is None or other.vendor is None or one.vendor == other.vendor
    return same_name(one.name, other.name)
