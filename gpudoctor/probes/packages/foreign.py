"""Installed packages whose compiled modules are for another Python.

Which Python a module is for is in its name, and an import looks for those of its own only: peps.python.org/pep-3149.
"""

from collections.abc import Iterable

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Foreign, Interpreter
from gpudoctor.host.port import Host, Stat
from gpudoctor.probes.packages.records import Record
from gpudoctor.probes.target.choice import path_rules

#: _umath.cpython-312-x86_64-linux-gnu.so, _umath.cp312-win_amd64.pyd
_MODULE = re.compile(rb"\.(?:cpython-3(\d+t?)m?-[\w-]+\.so|cp3(\d+t?)m?-win\w+\.pyd)$")
#: For all from some release on.
_FOR_SEVERAL = (b".abi3.so", b".abi3.pyd")
#: The ABI in the tags of a wheel: packaging.python.org, platform compatibility tags.
_TAG = re.compile(r"(?m)^Tag:[ \t]*([^-\s]+)-([^-\s]+)-")


def find_foreign(host: Host, records: Iterable[Record], interpreter: Interpreter) -> tuple[Foreign, ...]:
    """The distributions that were built for one other Python, by their files' names and by their wheel's tags."""
    major, *minor = (interpreter.version or "").split(".")[:2]
    if (interpreter.implementation or "").lower() != "cpython" or major != "3" or not minor:
        return ()
    own = minor[0] + ("t" if interpreter.free_threaded else "")
    return tuple(one for record in records if (one := _foreign(host, record, own)) is not None)


def _foreign(host: Host, record: Record, own: str) -> Foreign | None:
    first: dict[str, bytes] = {}
    for at in record.libraries:
        name = record.raw[record.raw.rfind(b"\n", 0, at) + 1 : record.raw.find(b",", at)]
        if name.endswith(_FOR_SEVERAL):
            return None
        if match := _MODULE.search(name):
            first.setdefault((match[1] or match[2]).decode(), name)
    # Some packages bring modules for each of several Pythons.
    if len(first) != 1 or own in first:
        return None
    ((tag, module),) = first.items()
    rules = path_rules(host)
    path = rules.join(record.location, module.decode("utf-8", "replace"))
    wheel = host.read_text(rules.join(record.location, record.folder, "WHEEL"), limit=16 * 1024)
    tags = _TAG.findall(wheel) if isinstance(wheel, str) else []
    is_of_it = bool(tags) and all(abi.rstrip("m") == f"cp3{tag}" for _, abi in tags)
    if not is_of_it or not isinstance(host.stat(path), Stat):
        return None
    return Foreign(package=record.package, path=path, python=f"3.{tag}")
