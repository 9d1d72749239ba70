"""A site-packages folder written for a test, and the interpreter and packages that go with it."""

from pathlib import Path

from gpudoctor.facts.python import Interpreter, Package, Packages


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def interpreter_of(site: Path, **fields) -> Interpreter:
    return Interpreter(executable="/bin/true", chosen_by="--python", site_dirs=(str(site),), **fields)


def packages_of(site: Path, *texts: str, **fields) -> Packages:
    """Packages from "name==version" texts, all in `site`."""
    pairs = [text.split("==") for text in texts]
    return Packages(installed=tuple(Package(name=n, version=v, location=str(site), **fields) for n, v in pairs))
