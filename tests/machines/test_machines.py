"""Each machine is looked at, and what was seen is compared with what is written beside it."""

from typing import Any

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.versions import Dotted
from gpudoctor.host.machine import dump_machine
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.container import probe as container
from gpudoctor.probes.driver import probe as driver
from gpudoctor.probes.environ import probe as environ
from gpudoctor.probes.system import probe as system
from tests.machines import MACHINES, answers, host_of

#: Words of `expects` that are no path of an attribute.
_WORDS: dict[str, Any] = {
    "first libcuda": lambda seen: _release(seen["driver"].library("libcuda.so.1")),
    "first libnvidia-ml": lambda seen: _release(seen["driver"].library("libnvidia-ml.so.1")),
    "first path": lambda seen: next(copy.path for copy in seen["driver"].libraries if copy.first),
    "refused nodes": lambda seen: tuple(
        (node.path, node.error) for node in seen["driver"].device_nodes if node.accessible is False
    ),
    "node group": lambda seen: seen["driver"].node("/dev/nvidia0").group,
    "node mode": lambda seen: seen["driver"].node("/dev/nvidia0").mode,
    "packages": lambda seen: tuple(package.name for package in seen["driver"].packages),
    "dkms": lambda seen: tuple((row.version, row.kernel, row.state) for row in seen["driver"].dkms),
    "module files": lambda seen: tuple((file.kernel, _text(file.release)) for file in seen["driver"].module_files),
    "log": lambda seen: tuple(line.text for line in _log(seen["driver"])),
    "xids": lambda seen: tuple(line.xid for line in _log(seen["driver"]) if line.xid is not None),
    "kernel log gap": lambda seen: seen["driver"].kernel_log.reason,
    "environ": lambda seen: seen["environ"].variables,
    "shm": lambda seen: seen["host"].space("shm").free,
    "temp": lambda seen: seen["host"].space("temp").free,
}


@pytest.mark.parametrize("name", MACHINES)
def test_what_is_seen(name: str) -> None:
    seen = _look(host_of(name))
    expects = MACHINES[name].expects
    assert {what: _seen(seen, what) for what in expects} == expects


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_survives_the_way_to_json_and_back(name: str) -> None:
    raw = dump_machine(MACHINES[name].machine)
    assert _look(RecordedHost.load(raw)) == _look(host_of(name))


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_of_which_nothing_may_be_read(name: str) -> None:
    """Refusals are no facts: whatever is seen is unknown or a Gap, and nothing is raised."""
    host = host_of(name)
    refusing = RecordedHost(
        gaps=dict.fromkeys(MACHINES[name].machine.files, "permission denied"), platform=host.platform
    )
    seen = _look(refusing)
    assert seen["host"].memory_total is None
    assert not isinstance(seen["driver"], Driver) or seen["driver"].release is None


def test_machines_say_where_they_come_from() -> None:
    assert all(machine.provenance for machine in MACHINES.values())


def _look(host: RecordedHost) -> dict[str, Any]:
    nvml, cuda = answers.asked(host)
    return {
        "host": system.probe(host),
        "container": container.probe(host),
        "environ": environ.probe(host),
        "driver": driver.probe(host, nvml, cuda),
    }


def _seen(seen: dict[str, Any], what: str) -> object:
    if what in _WORDS:
        return _WORDS[what](seen)
    section, *attributes = what.split(".")
    value = seen[section]
    for attribute in attributes:
        value = getattr(value, attribute)
    return _text(value)


def _text(value: object) -> object:
    return str(value) if isinstance(value, Dotted) else value


def _release(library: Any) -> object:
    return _text(library.release)


def _log(section: Driver) -> tuple[Any, ...]:
    assert not isinstance(section.kernel_log, Gap), section.kernel_log
    return section.kernel_log or ()
