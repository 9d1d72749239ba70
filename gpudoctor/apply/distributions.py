"""What is installed in an environment, read from its files: exact versions, where they came from, hashes."""

import glob
import hashlib
import json
import os
from collections.abc import Iterator
from importlib.metadata import Distribution as Metadata
from importlib.metadata import distributions

from gpudoctor.apply.journal import Distribution
from gpudoctor.index.pages import canonical
from gpudoctor.index.settings import shown


def installed(environment: str) -> tuple[Distribution, ...]:
    """The distributions of the environment in this folder, by name. Nothing of it is run."""
    found = {one.name: one for one in _read(site_folders(environment))}
    return tuple(found[name] for name in sorted(found))


def site_folders(environment: str) -> tuple[str, ...]:
    """Where its packages are."""
    patterns = ("lib/python*/site-packages", "lib64/python*/site-packages", "Lib/site-packages")
    every = (path for pattern in patterns for path in glob.glob(os.path.join(glob.escape(environment), pattern)))
    return tuple({os.path.realpath(path): path for path in every}.values())


def _read(folders: tuple[str, ...]) -> Iterator[Distribution]:
    for metadata in distributions(path=list(folders)):
        name, version = _stated(metadata, "Name"), _stated(metadata, "Version")
        if name and version:
            yield Distribution(
                name=canonical(name),
                version=version,
                direct_url=_direct_url(metadata.read_text("direct_url.json")),
                record=_hash(metadata.read_text("RECORD")),
            )


def _stated(metadata: Metadata, field: str) -> str | None:
    values = metadata.metadata.get_all(field)
    return str(values[0]) if values else None


def _direct_url(text: str | None) -> str | None:
    try:
        url = json.loads(text)["url"] if text else None
    except (ValueError, KeyError, TypeError):
        return None
    return shown(url) if isinstance(url, str) else None


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
        elif was is not None and is_ is not None and was != is_:
            same = was.version == is_.version
            lines.append(f"{name} {was.version} {'written anew' if same else f'-> {is_.version}'}")
    return tuple(lines)
