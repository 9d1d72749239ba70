"""What is installed in an environment, read from its files: exact versions, where they came from, hashes."""

import glob
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution as Metadata
from importlib.metadata import distributions

from msgspec.structs import replace

from gpudoctor.apply.dry_run_result import Archive, sha256_of
from gpudoctor.apply.journal import Distribution
from gpudoctor.index.settings import shown
from gpudoctor.probes.packages.conda import parse_meta_name
from gpudoctor.sources.package_names import Entry, normalise, parse_entry


def installed(environment: str) -> tuple[Distribution, ...]:
    """The distributions of the environment in this folder, by name. Nothing of it is run.

    Of conda's packages those, too, that are no distributions: libraries, and pytorch, whose distribution is torch.
    """
    found = {one.name: one for one in (*_by_conda(environment), *_read(site_folders(environment)))}
    return tuple(found[name] for name in sorted(found))


def site_folders(environment: str) -> tuple[str, ...]:
    """Where its packages are."""
    patterns = ("lib/python*/site-packages", "lib64/python*/site-packages", "Lib/site-packages")
    every = (path for pattern in patterns for path in glob.glob(os.path.join(glob.escape(environment), pattern)))
    return tuple({os.path.realpath(path): path for path in every}.values())


def _by_conda(environment: str) -> Iterator[Distribution]:
    """Their builds matter: of one release, one is for the CPU and another for CUDA."""
    for path in glob.glob(os.path.join(glob.escape(environment), "conda-meta", "*.json")):
        package = parse_meta_name(os.path.basename(path))
        if package is not None:
            yield Distribution(name=normalise(package.name), version=f"{package.version} {package.build}")


def _read(folders: tuple[str, ...]) -> Iterator[Distribution]:
    for metadata in distributions(path=list(folders)):
        name, version = _stated(metadata)
        if not (name and version) and (entry := _entry(metadata)) is not None:
            name, version = entry.name, entry.version
        if name and version:
            direct_url, archive = _origin(_text(metadata, "direct_url.json"))
            yield Distribution(
                name=normalise(name),
                version=version,
                direct_url=direct_url,
                record=_hash(_text(metadata, "RECORD")),
                archive=archive,
            )


def with_archives(found: tuple[Distribution, ...], known: Iterable[Distribution]) -> tuple[Distribution, ...]:
    """The distributions with the archives that are known of the same installation of them (the same RECORD)."""
    by_record: dict[tuple[str, str | None], Distribution] = {
        (one.name, one.record): one for one in known if one.record and (one.archive or one.url)
    }
    return tuple(_completed(one, by_record.get((one.name, one.record))) for one in found)


def from_archives(found: tuple[Distribution, ...], archives: Iterable[Archive]) -> tuple[Distribution, ...]:
    """The distributions with the archives that the installer said it would take for these versions of them."""
    by_version: dict[tuple[str, str], Archive] = {(normalise(one.name), one.version): one for one in archives}
    return tuple(_completed(one, _as_known(by_version.get((one.name, one.version)))) for one in found)


def _as_known(archive: Archive | None) -> Distribution | None:
    if archive is None or archive.direct:
        return None
    url = shown(archive.url) if archive.url else None
    return Distribution(name=archive.name, version=archive.version, archive=archive.sha256, url=url)


def _completed(one: Distribution, known: Distribution | None) -> Distribution:
    if known is None or one.direct_url is not None:
        return one
    return replace(one, archive=one.archive or known.archive, url=one.url or known.url)


def _stated(metadata: Metadata) -> tuple[str | None, str | None]:
    """Its name and version: the headers, without the parser of mails, which takes longer than all else here."""
    text = next(filter(None, (_text(metadata, file) for file in ("METADATA", "PKG-INFO", ""))), "")
    said: dict[str, str] = {}
    for line in text.partition("\n\n")[0].split("\n"):
        name, _, value = line.partition(":")
        said.setdefault(name.lower(), value.strip())
    return said.get("name") or None, said.get("version") or None


def _entry(metadata: Metadata) -> Entry | None:
    """What the name of its folder says, where its METADATA is damaged or gone."""
    folder = getattr(metadata, "_path", None)
    return parse_entry(os.path.basename(folder)) if folder is not None else None


def _text(metadata: Metadata, file: str) -> str | None:
    try:
        return metadata.read_text(file)
    except (ValueError, OSError):  # no UTF-8; no file
        return None


def _origin(text: str | None) -> tuple[str | None, str | None]:
    """Address and SHA-256 of what was not taken from an index, out of direct_url.json (PEP 610)."""
    try:
        told = json.loads(text) if text else None
        url = shown(str(told["url"])) if told else None
    except (ValueError, KeyError, TypeError):
        return None, None
    if told is None or url is None:
        return None, None
    vcs = told.get("vcs_info")
    if isinstance(vcs, dict) and vcs.get("vcs") and vcs.get("commit_id"):
        return f"{vcs['vcs']}+{url}@{vcs['commit_id']}", None
    return url, sha256_of(told.get("archive_info"))


def _hash(text: str | None) -> str | None:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest() if text is not None else None


def differences(before: tuple[Distribution, ...], after: tuple[Distribution, ...]) -> tuple[str, ...]:
    """What changed, in words: "+ torch 2.6.0", "- numpy 1.26.4", "numpy 1.26.4 -> 2.4.6"."""
    old, new = ({one.name: one for one in side} for side in (before, after))
    lines = []
    for name in sorted(old.keys() | new.keys()):
        was, is_ = old.get(name), new.get(name)
        if was is None and is_ is not None:
            lines.append(f"+ {name} {is_.version}")
        elif is_ is None and was is not None:
            lines.append(f"- {name} {was.version}")
        elif was is not None and is_ is not None and _installation(was) != _installation(is_):
            same = was.version == is_.version
            lines.append(f"{name} {was.version} {'written anew' if same else f'-> {is_.version}'}")
    return tuple(lines)


def _installation(one: Distribution) -> tuple[str, str | None, str | None]:
    """What of it is read from the environment itself."""
    return one.version, one.direct_url, one.record
