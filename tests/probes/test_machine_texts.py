"""No text of a machine, however broken, makes a parser raise."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpudoctor.probes.container import probe as container
from gpudoctor.probes.container.tools import parse_daemon
from gpudoctor.probes.driver import module as driver_module
from gpudoctor.probes.driver.libraries import parse_library_release
from gpudoctor.probes.driver.packages import parse_dpkg, parse_pacman
from gpudoctor.probes.environ import probe as environ
from gpudoctor.probes.system import probe as system
from gpudoctor.probes.system.cpu import parse_cpu_list, parse_meminfo, parse_memlock
from gpudoctor.probes.system.probe import parse_apk_musl, parse_loader
from gpudoctor.probes.system.spaces import filesystem_of, parse_mountinfo
from gpudoctor.redact.credentials import excerpt
from gpudoctor.sources.kernel_log import parse_kernel_log, parse_message
from gpudoctor.sources.nvrm import parse_nvrm_version
from gpudoctor.sources.system import parse_cpuinfo, parse_os_release

PARSERS: tuple[Callable[[str], object], ...] = (
    parse_os_release,
    system.parse_kernel_options,
    system.parse_proc_version,
    system.parse_status,
    system.parse_dmi,
    lambda text: system.name_windows(system.parse_ver(text)),
    system.parse_system_version,
    lambda text: system.name_groups((0, 1), text),
    parse_cpu_list,
    parse_cpuinfo,
    parse_meminfo,
    parse_memlock,
    parse_apk_musl,
    lambda text: parse_loader(text.encode("utf-8", "replace")),
    lambda text: filesystem_of("/a", parse_mountinfo(text)),
    lambda text: container.parse_traces(text, text),
    container.parse_uid_map,
    lambda text: container.parse_wsl(text, text, named=False),
    lambda text: parse_daemon(text.encode("utf-8", "replace")),
    parse_nvrm_version,
    driver_module.parse_modules,
    driver_module.parse_params,
    lambda text: driver_module.parse_modules_dep(text.encode("utf-8", "replace")),
    driver_module.parse_modprobe,
    driver_module.parse_lockdown,
    lambda text: parse_dpkg(text.encode("utf-8", "replace")),
    lambda text: parse_pacman((text,)),
    parse_library_release,
    lambda text: parse_kernel_log(text, excerpt),
    parse_message,
    environ.clean_value,
)

#: Broken texts are made of what the real ones hold.
PIECES = st.sampled_from(
    [
        "\n",
        "\t",
        " ",
        ":",
        "=",
        " - ",
        "0",
        "-1",
        "99999999999999999999",
        "²",
        "10.0.",
        "Uid:",
        "Gid:",
        "Groups:",
        "MemTotal:",
        "Linux version ",
        "NVRM: ",
        "NVRM version: ",
        "Kernel Module",
        "Xid (PCI:0000:01:00): ",
        "#012",
        "[1.0] ",
        "kernel: ",
        "\nPackage: nvidia-x\n",
        "Status: install ok installed\n",
        "Version: ",
        "blacklist ",
        "://",
        "@",
        "?token=",
        "\0",
        "é",
        "processor\t: 0\n",
        "flags\t: ",
        "Max locked memory ",
        "P:musl\nV:",
        "release version ",
        "nvidia-",
        ".ko:",
        ".so.",
        "{}",
    ]
)


@pytest.mark.parametrize("parse", PARSERS)
@settings(max_examples=60)
@given(text=st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join))
def test_no_parser_raises(parse: Callable[[str], object], text: str) -> None:
    parse(text)
