"""An NVIDIA driver for machines without one: libnvidia-ml.so.1 and libcuda.so.1, compiled here, that a file directs.

A test says `from tests.fake_driver import compiled_driver  # noqa: F401`, asks for `fake_driver`, and runs
something in `fake_driver.environment(machine("RTX 4090", 2, **{"err.nvmlInitWithFlags": 18}))`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpudoctor.host.children import run
from gpudoctor.host.port import Ran
from gpudoctor.host.recorded import RecordedHost
from tests.fake_driver.profiles import Lines, as_text, bus_id, machine

__all__ = ["FakeDriver", "FakeMachine", "bus_id", "compiled_driver", "machine", "on_bus"]

SOURCES = Path(__file__).parent
_LIBRARIES = (
    ("both", "nvml.c", "libnvidia-ml.so.1", ()),
    ("both", "cuda.c", "libcuda.so.1", ()),
    ("old", "nvml.c", "libnvidia-ml.so.1", ("-DOLD_DRIVER",)),
    ("cuda", "cuda.c", "libcuda.so.1", ()),
)


class FakeDriver:
    """The compiled libraries, in folders by what they are: `both`, `old` (NVML before driver 510), `cuda` (no NVML)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._scenarios = 0

    def environment(self, scenario: Lines, kind: str = "both") -> dict[str, str]:
        """Variables in which every child process finds a driver that is as `scenario` says."""
        self._scenarios += 1
        path = self.folder / f"scenario-{self._scenarios}.txt"
        path.write_text(as_text(scenario), encoding="utf-8")
        return {**os.environ, "LD_LIBRARY_PATH": str(self.folder / kind), "FAKE_DRIVER": str(path)}


class FakeMachine(RecordedHost):
    """A machine whose files are written down, and whose children really run, with the fake driver."""

    def run(self, argv, *, timeout, env=None, stdin=b"", cap=1024 * 1024) -> Ran:  # type: ignore[no-untyped-def]
        return run(argv, timeout=timeout, env=env or self.env, stdin=stdin, cap=cap)

    @classmethod
    def with_driver(cls, variables: dict[str, str], files: dict[str, str] | None = None, **more) -> "FakeMachine":  # type: ignore[no-untyped-def]
        """A machine with these variables and files, and the libraries that the variables lead to."""
        folder = variables["LD_LIBRARY_PATH"]
        libraries = {f"{folder}/{name}": "" for name in os.listdir(folder)}
        return cls({**libraries, **(files or {})}, env=variables, **more)


def on_bus(
    count: int = 1, driver: str | None = "nvidia", device: int = 0x2684, first: int = 0
) -> dict[str, dict[str, str]]:
    """Files and links of sysfs for `count` NVIDIA GPUs, at the addresses of the scenario."""
    files, links = {}, {}
    for index in range(first, first + count):
        folder = f"/sys/bus/pci/devices/{bus_id(index)}"
        files |= {
            f"{folder}/class": "0x030000\n",
            f"{folder}/vendor": "0x10de\n",
            f"{folder}/device": f"{device:#06x}\n",
            f"{folder}/power_state": "D0\n",
        }
        if driver:
            links[f"{folder}/driver"] = f"../../../../bus/pci/drivers/{driver}"
    return {"files": files, "links": links}


@pytest.fixture(scope="session", name="fake_driver")
def compiled_driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    compiler = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("the fake driver needs Linux and a C compiler")
    folder = tmp_path_factory.mktemp("fake-driver")
    for kind, source, name, options in _LIBRARIES:
        (folder / kind).mkdir(exist_ok=True)
        target = folder / kind / name
        flags = ("-O1", "-Wall", "-Werror", "-Wno-unused", "-shared", "-fPIC", "-fvisibility=hidden")
        subprocess.run(
            [compiler, *flags, *options, f"-Wl,-soname,{name}", "-o", str(target), str(SOURCES / source)], check=True
        )
    return FakeDriver(folder)
