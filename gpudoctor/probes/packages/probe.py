"""Lists the target's installed distributions from its site folders; nothing of it is imported or run."""

from collections.abc import Iterable, Mapping

from msgspec import structs

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.codec import presentable
from gpudoctor.facts.python import Broken, Interpreter, Package, Packages, Unmet
from gpudoctor.host.port import Host, Stat
from gpudoctor.knowledge.companion_bounds import unstated
from gpudoctor.probes.packages.conda import CondaPackage, read_conda
from gpudoctor.probes.packages.metadata import Distribution, Listing, list_distributions, with_origin
from gpudoctor.probes.packages.overlap import find_overlaps
from gpudoctor.probes.packages.records import Record, find_damage, find_foreign, read_record
from gpudoctor.probes.requirements.markers import marker_environment
from gpudoctor.probes.requirements.probe import asked_by_all, find_unmet, parse_requirement
from gpudoctor.probes.target.choice import path_rules
from gpudoctor.sources.package_names import is_conda_relevant, is_relevant


def probe(host: Host, interpreter: Interpreter) -> Packages | Gap:
    """The installed distributions and what does not agree among them, or why no site folder could be read."""
    listing = list_distributions(host, interpreter.site_dirs)
    if interpreter.site_dirs and len(listing.unreadable) == len(interpreter.site_dirs):
        tried = tuple(Source(kind="file", where=broken.path) for broken in listing.unreadable)
        return Gap(reason=f"no folder of packages could be read: {listing.unreadable[0].reason}", tried=tried)
    conda = read_conda(host, interpreter.prefix) if interpreter.prefix else {}
    first, later = _first_of_each(listing.found)
    unmet = _unmet(host, interpreter, first, conda)
    needed = _needed(first)
    of_conflicts = {name for one in unmet for name in (one.package, one.requirement)}
    first = [with_origin(host, dist) if dist.name in needed | of_conflicts else dist for dist in first]
    records, faults = _records(host, (dist for dist in first if is_relevant(dist.name)))
    overlaps, contested = find_overlaps(host, records)
    more, others = _records(host, (dist for dist in first if dist.name in needed))
    records += more
    faults = (*faults, *others, *_twice(host, first, later, needed))
    damaged, checked = find_damage(host, records, contested)
    seen = Packages(
        installed=(*(_package(dist, interpreter, conda) for dist in first), *_conda_only(first, conda, interpreter)),
        unmet=unmet,
        overlaps=overlaps,
        damaged=damaged,
        foreign=find_foreign(host, records, interpreter),
        broken=(*_broken(listing, first), *faults),
        duplicates=tuple(_package(dist, interpreter, conda) for dist in later),
        files_checked=checked,
        files_known=sum(record.sized for record in records),
    )
    return presentable(seen)


def _records(host: Host, dists: Iterable[Distribution]) -> tuple[list[Record], tuple[Broken, ...]]:
    """What they say of their files, and those that cannot be read. Other damage to the same folder is told alone."""
    found = [
        read_record(host, dist.name, dist.location, dist.file, dist.installer)
        for dist in dists
        if dist.kind == "dist-info" and dist.broken is None
    ]
    faults = tuple(one for one in found if isinstance(one, Broken))
    return [one for one in found if isinstance(one, Record)], faults


def _twice(
    host: Host, first: Iterable[Distribution], later: Iterable[Distribution], needed: frozenset[str]
) -> tuple[Broken, ...]:
    """Records of another release of what is installed in the same place: pip takes either for the installed one."""
    winners = {dist.name: dist for dist in first}
    return tuple(
        Broken(path=path_rules(host).join(dist.location, dist.file), reason=f"the files are those of {winner.version}")
        for dist in later
        if (winner := winners[dist.name]).location == dist.location
        and dist.kind == winner.kind == "dist-info"
        and (is_relevant(dist.name) or dist.name in needed)
    )


def _needed(first: Iterable[Distribution]) -> frozenset[str]:
    """What the GPU-relevant distributions require themselves, beyond one another: scipy, typing-extensions, h5py."""
    lines = (parse_requirement(line) for dist in first if is_relevant(dist.name) for line in dist.requires)
    names = {one.name for one in lines if one is not None and "extra" not in one.marker}
    return frozenset(name for name in names if not is_relevant(name))


def _first_of_each(found: Iterable[Distribution]) -> tuple[list[Distribution], list[Distribution]]:
    """The distributions that an import would use, and those of the same name behind them."""
    first: dict[str, Distribution] = {}
    later = [dist for dist in found if first.setdefault(dist.name, dist) is not dist]
    return list(first.values()), later


def _package(dist: Distribution, interpreter: Interpreter, conda: Mapping[str, CondaPackage]) -> Package:
    by_conda = conda.get(_CONDA_NAMES.get(dist.name, dist.name)) if dist.installer in (None, "conda") else None
    return Package(
        name=dist.name,
        version=dist.version,
        location=dist.location,
        installer=dist.installer,
        build=by_conda.build if by_conda is not None else None,
        channel=by_conda.channel if by_conda is not None else None,
        user_site=dist.location == interpreter.user_site,
        direct_url=dist.direct_url,
    )


#: Distributions that conda knows by another name.
_CONDA_NAMES = {"torch": "pytorch"}


def _conda_only(
    first: Iterable[Distribution], conda: Mapping[str, CondaPackage], interpreter: Interpreter
) -> list[Package]:
    """GPU-relevant conda packages that no Python distribution stands for: cudatoolkit, cudnn, cuda-version, pytorch."""
    listed = {dist.name for dist in first}
    return [
        Package(
            name=package.name,
            version=package.version,
            location=interpreter.prefix,
            installer="conda",
            build=package.build,
            channel=package.channel,
        )
        for package in conda.values()
        if package.name not in listed and is_conda_relevant(package.name)
    ]


def _unmet(
    host: Host, interpreter: Interpreter, first: Iterable[Distribution], conda: Mapping[str, CondaPackage]
) -> tuple[Unmet, ...]:
    versions = {name: package.version for name, package in conda.items()}
    versions |= {dist.name: dist.version for dist in first}
    stated = {dist.name: (*dist.requires, *unstated(dist.name, dist.version)) for dist in first}
    requires = {name: lines for name, lines in stated.items() if lines}
    environment = marker_environment(host.platform, interpreter)
    unmet = find_unmet(requires, versions, environment)
    others = asked_by_all(requires, {one.requirement for one in unmet}, environment)
    return tuple(
        structs.replace(
            one,
            files=_files(host, interpreter, one),
            others=tuple(dict.fromkeys(text for name, text in others[one.requirement] if name != one.package)),
        )
        for one in unmet
    )


#: Distributions whose import package has another name, as a path.
_MODULES = {"absl-py": "absl", "protobuf": "google/protobuf", "google-pasta": "pasta", "grpcio": "grpc"}


def _files(host: Host, interpreter: Interpreter, unmet: Unmet) -> str | None:
    """The import package of a distribution that has no metadata."""
    if unmet.found is not None:
        return None
    module = _MODULES.get(unmet.requirement, unmet.requirement.replace("-", "_"))
    for folder in interpreter.site_dirs:
        for parts in ((*module.split("/"), "__init__.py"), (f"{module}.py",)):
            path = path_rules(host).join(folder, *parts)
            if isinstance(host.stat(path), Stat):
                return path
    return None


def _broken(listing: Listing, first: Iterable[Distribution]) -> tuple[Broken, ...]:
    """Site folders that cannot be read, what has no name or version, and distributions whose metadata is no good."""
    return (*listing.unreadable, *listing.nameless, *(dist.broken for dist in first if dist.broken is not None))
