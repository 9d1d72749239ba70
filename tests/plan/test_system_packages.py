"""Package names by distribution: from rows with a source, or none."""

import shutil
import subprocess

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import System
from gpudoctor.plan.system_packages import TOOLS, VERBS, install_command, names_for, rows, tool_of


def host(distribution, *like, kernel="6.8.0-45-generic"):
    return System(os="linux", distribution=distribution, distribution_like=like, kernel=kernel)


@pytest.mark.parametrize(
    ("machine", "purposes", "argv"),
    [
        (host("ubuntu", "debian"), ("compiler", "python-headers"), "apt install build-essential python3-dev"),
        (host("pop", "ubuntu", "debian"), ("kernel-headers",), "apt install linux-headers-6.8.0-45-generic"),
        (host("linuxmint", "ubuntu"), ("venv",), "apt install python3-venv"),
        (
            host("debian", kernel="6.1.0-26-amd64"),
            ("driver",),
            "apt install linux-headers-6.1.0-26-amd64 nvidia-driver",
        ),
        (host("rocky", "rhel", "centos", "fedora"), ("compiler",), "dnf install gcc gcc-c++"),
        (host("fedora"), ("driver",), "dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda"),
        (
            host("opensuse-leap", "suse", "opensuse", kernel="5.14.21-150500.55.49-default"),
            ("kernel-headers",),
            "zypper install kernel-default-devel=5.14.21-150500.55.49",
        ),
        (host("sles", "suse"), ("compiler", "python-headers"), "zypper install gcc gcc-c++ python3-devel"),
        (host("arch"), ("compiler",), "pacman -S base-devel"),
        (host("manjaro", "arch"), ("compiler", "python-headers"), "pacman -S base-devel python"),
    ],
)
def test_commands(machine, purposes, argv):
    command = install_command(machine, *purposes)
    assert command is not None
    assert " ".join(command.argv) == argv


@pytest.mark.parametrize(
    ("machine", "purposes"),
    [
        (host("gentoo"), ("compiler",)),
        (host("ubuntu", "debian"), ("driver",)),
        (host("rocky", "rhel", "fedora"), ("driver",)),
        (host("fedora"), ("compiler", "venv")),
        (host("debian", kernel=None), ("kernel-headers",)),
        (Gap(reason="x"), ("compiler",)),
        (None, ("compiler",)),
        (System(), ("compiler",)),
    ],
)
def test_a_name_that_is_not_known_is_not_guessed(machine, purposes):
    assert install_command(machine, *purposes) is None


def test_rows_have_sources_and_are_one_each():
    assert all(row.source and row.names for row in rows())
    assert len({(row.tool, row.purpose) for row in rows()}) == len(rows())
    assert set(TOOLS.values()) == set(VERBS)
    assert tool_of(host("xubuntu-x", "ubuntu")) == "apt"


@pytest.mark.skipif(shutil.which("apt-cache") is None, reason="no apt here")
@pytest.mark.parametrize(
    "name", [n for p in ("compiler", "python-headers", "venv") for n in names_for(host("debian"), p)]
)
def test_the_names_for_apt_exist(name):
    said = subprocess.run(["apt-cache", "policy", name], capture_output=True, text=True, check=False).stdout
    if "Candidate" not in said:
        pytest.skip("apt has no lists here")
    assert "Candidate: (none)" not in said
