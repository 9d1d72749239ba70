"""The options --gpu, --driver, --python … that describe a machine which is not here."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.machine import Machine

_OPTIONS = (
    click.option(
        "--gpu", "gpus", multiple=True, metavar="NAME", help="A GPU: 'RTX 4090', a PCI id, or 8.9; repeatable."
    ),
    click.option("--driver", metavar="RELEASE", help="The NVIDIA driver: 535, 535.54, 580.65.06."),
    click.option("--python", metavar="VERSION", help="Python: 3.12."),
    click.option("--os", "system", type=click.Choice(["linux", "windows", "macos"]), help="[default: linux]"),
    click.option("--arch", metavar="ARCH", help="x86_64 or aarch64.  [default: x86_64; arm64 for macos]"),
    click.option("--glibc", metavar="VERSION", help="The C library of a Linux system, 2.35; or musl."),
    click.option("--macos", metavar="VERSION", help="The release of macOS: 14.5, 10.15."),
)
_NAMES = ("gpus", "driver", "python", "system", "arch", "glibc", "macos")


class Described(Fact, frozen=True, kw_only=True):
    """What options say of the machine, as it was written. `no_gpu`: the option that asks for builds without one."""

    driver: str | None = None
    gpus: tuple[str, ...] = ()
    system: str | None = None
    arch: str | None = None
    glibc: str | None = None
    macos: str | None = None
    python: str | None = None
    no_gpu: str | None = None

    @property
    def is_elsewhere(self) -> bool:
        """Another machine is meant."""
        return bool(self.driver or self.gpus or self.system or self.arch or self.glibc or self.macos)

    @property
    def python_version(self) -> str | None:
        """The version, where --python is one."""
        match = re.fullmatch(r"([23]\.\d{1,2})(?:\.\d+)?", (self.python or "").strip())
        return match.group(1) if match else None

    def machine(self, matrix: Matrix) -> Machine:
        """The machine. Raises click.BadParameter, click.UsageError."""
        # Imported here: a command whose options are shown needs no table.
        from gpudoctor.cli.machine_options_parse import described_machine, system_of

        system = system_of(self.system, self.macos)
        given = " and ".join(name for name, value in (("--gpu", self.gpus), ("--driver", self.driver)) if value)
        if self.no_gpu and given:
            raise click.UsageError(
                f"{self.no_gpu} asks for builds without a GPU, and {given} for builds with one. Leave one out."
            )
        if system == "macos" and given:
            raise click.UsageError(
                f"--os macos contradicts {given}: macOS has no driver for NVIDIA GPUs. Leave {given} out for builds "
                "that use Apple's GPU or the CPU."
            )
        if system != "linux" and self.glibc:
            raise click.UsageError(f"--glibc is of Linux, and --os is {system}.")
        return described_machine(
            matrix,
            gpus=self.gpus,
            driver=self.driver,
            python=self.python,
            system=system,
            arch=self.arch,
            glibc=self.glibc,
            macos=self.macos,
            cpu_only=self.no_gpu is not None,
        )


def machine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that describe a machine, which the command gets as one `described`."""

    @wraps(command)
    def with_described(*args: Any, **options: Any) -> Any:
        return command(*args, described=Described(**{name: options.pop(name) for name in _NAMES}), **options)

    for option in reversed(_OPTIONS):
        with_described = option(with_described)
    return with_described
