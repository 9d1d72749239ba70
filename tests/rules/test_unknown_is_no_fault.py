"""A fact that was not seen is never taken for a fault, and never breaks a rule."""

from typing import Any

import msgspec
import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import DkmsState, FabricManager, SystemPackage
from gpudoctor.facts.fix import Run
from gpudoctor.facts.gpus import Fabric, Gpu, GpuProcess, PcieLink, Power, RowRemaps
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, ContainerTools, Cpu, Space, System, Wsl
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.facts.wish import Requirement, Wish
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.rules.broken_machines import MACHINES
from tests.rules.situations import KERNEL, UBUNTU, driver, environ, gpu, gpus, refusal
from tests.rules.stacks import frameworks
from tests.rules.test_root_causes_driver import RULES

GIB = 1024**3
HOST = System(
    os="linux",
    distribution="ubuntu",
    distribution_like=("debian",),
    pretty_name="Ubuntu 24.04",
    kernel=KERNEL,
    kernel_options=("quiet",),
    arch="x86_64",
    libc="glibc",
    libc_version="2.39",
    cpu=Cpu(model="EPYC", cores=64, flags=("avx", "avx2")),
    spaces=tuple(
        Space(path=f"/{name}", purpose=name, total=99 * GIB, free=90 * GIB) for name in ("shm", "temp", "home")
    ),
    groups=("users",),
    selinux_enforcing=False,
)
CARD = gpu(
    architecture="Ada",
    memory_total_mib=24564,
    memory_used_mib=900,
    processes=(GpuProcess(pid=1, used_mib=500, name="python", kind="compute"),),
    pcie=PcieLink(generation=1, generation_max=4, width=16, width_max=16, device_width_max=16, port_width_max=16),
    fabric=Fabric(state="completed", status=0),
    acs_redirect=False,
    iommu="identity",
    power=Power(draw=20.0, limit=450.0, default_limit=450.0),
    temperature_c=40,
    temperature_slowdown_c=99,
    temperature_max_operating_c=88,
    throttle_reasons=("GpuIdle",),
    ecc_uncorrected_volatile=0,
    row_remaps=RowRemaps(correctable=0, uncorrectable=0, pending=False, failed=False),
    retired_pages_pending=False,
    mig_enabled=False,
    mig_instances=(),
    compute_mode="default",
    persistence=True,
    display_active=False,
    virtualization="none",
)
DRIVER = driver(
    cuda=CudaVersion("12.2"),
    dkms=(DkmsState(module="nvidia", version="535.183.01", kernel=KERNEL, state="installed"),),
    kernel_headers=True,
    secure_boot=True,
    lockdown="integrity",
    packages=(SystemPackage(name="nvidia-driver-535", version="535.183.01"),),
    resumed_since_boot=True,
    suspend_services=True,
    fabric_manager=FabricManager(installed=False, running=None),
    persistence_daemon=True,
)
TOOLS = ContainerTools(
    engines={"docker": "/usr/bin/docker"},
    docker_is_snap=False,
    nvidia_toolkit=True,
    docker_runtimes=("runc", "nvidia"),
)
HEALTHY: dict[str, Any] = {
    "host": HOST,
    "container": Container(kind="none", rootless=False, tools=TOOLS, driver_packages_inside=()),
    "gpus": gpus(CARD, nvswitches=0),
    "driver": DRIVER,
    "environ": environ(CUDA_VISIBLE_DEVICES="0"),
    "frameworks": frameworks(("torch", "2.6.0+cu124"), ("tensorflow", "2.18.0"), ("jaxlib", "0.6.0")),
}
WISH = Wish(
    requirements=tuple(Requirement(subject=one, text=one) for one in ("gpu", "driver", "cuda", "compute-capability"))
)


def judged(sections, wish=None):
    return diagnose(Snapshot(**sections), load_matrix(), RULES, wish)


def lesser(value: msgspec.Struct) -> list[tuple[str, msgspec.Struct]]:
    """The same facts with one of them unknown, each in turn, one level down too."""
    out = []
    for field in msgspec.structs.fields(value):
        given = getattr(value, field.name)
        if field.required or given == field.default:
            continue
        if isinstance(given, msgspec.Struct):
            out += [
                (f"{field.name}.{name}", msgspec.structs.replace(value, **{field.name: inner}))
                for name, inner in lesser(given)
            ]
        empty = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        out.append((field.name, msgspec.structs.replace(value, **{field.name: empty})))
    return out


def variants(sections):
    for name, section in sections.items():
        if name == "gpus" and section is not None:
            for number, card in enumerate(section.devices):
                for what, inner in lesser(card):
                    devices = (*section.devices[:number], inner, *section.devices[number + 1 :])
                    yield f"gpu.{what}", sections | {name: msgspec.structs.replace(section, devices=devices)}
        elif isinstance(section, msgspec.Struct):
            for what, inner in lesser(section):
                yield f"{name}.{what}", sections | {name: inner}


HEALTHY_VARIANTS = dict(variants(HEALTHY))
#: Not an unknown fact: a GPU that NVML does not list, or of which nobody knows that it is NVIDIA's.
STATEMENTS = ("gpu.index", "gpu.vendor")


def test_the_healthy_machine_is_healthy():
    assert not judged(HEALTHY).findings
    assert not judged(HEALTHY, WISH).findings
    assert len(HEALTHY_VARIANTS) > 80


@pytest.mark.parametrize("what", [name for name in HEALTHY_VARIANTS if name not in STATEMENTS])
def test_a_fact_that_is_not_known_is_no_fault(what):
    diagnosis = judged(HEALTHY_VARIANTS[what])
    assert not diagnosis.crashed, diagnosis.crashed
    assert not diagnosis.findings, (what, diagnosis.findings)


@pytest.mark.parametrize("name", list(HEALTHY))
def test_a_section_that_was_not_seen_is_no_fault(name):
    diagnosis = judged(HEALTHY | {name: Gap(reason="not seen")})
    assert not diagnosis.crashed, diagnosis.crashed
    assert not diagnosis.findings, diagnosis.findings


@pytest.mark.parametrize("sections", [sections for sections, _ in MACHINES.values()], ids=list(MACHINES))
def test_no_rule_breaks_when_one_fact_of_a_broken_machine_is_missing(sections):
    given = HEALTHY | {"host": UBUNTU} | sections
    for what, variant in variants(given):
        for wish in (None, WISH):
            diagnosis = judged(variant, wish)
            assert not diagnosis.crashed, (what, diagnosis.crashed)


def test_nothing_known_at_all_is_no_fault():
    bare = {"host": System(), "container": Container(), "environ": environ(), "gpus": gpus(Gpu(vendor="nvidia"))}
    empty = msgspec.structs.replace(driver(), **dict.fromkeys(("nvml", "cuda_init", "device_nodes")))
    diagnosis = judged(bare | {"driver": empty, "frameworks": None})
    assert not diagnosis.crashed, diagnosis.crashed
    assert not diagnosis.findings, diagnosis.findings


def test_wsl_that_works_has_no_findings():
    inside = Container(kind="none", wsl=Wsl(version=2, dxg=True, driver_library=True))
    assert not judged(HEALTHY | {"container": inside}).findings


#: What may be said without a GPU: that there is none, that one has vanished, and that a driver which hangs does so.
WITHOUT_A_GPU = {"xid-79", "no-gpu", "driver-not-answering", "slurm-no-gpu", "wsl1"}
AMD = Gpu(vendor="amd", pci_id="1002:744c", refusals=(refusal(999),), compute_mode="prohibited")


@pytest.mark.parametrize("sections", [sections for sections, _ in MACHINES.values()], ids=list(MACHINES))
@pytest.mark.parametrize("seen", [None, gpus(AMD, nvswitches=4)], ids=["none", "amd"])
def test_no_rule_speaks_of_a_gpu_that_is_not_there(sections, seen):
    left_over = sections["driver"]
    if left_over is not None:
        left_over = msgspec.structs.replace(left_over, device_nodes=())
    diagnosis = judged(HEALTHY | {"environ": environ()} | sections | {"gpus": seen, "driver": left_over})
    assert {finding.name for finding in diagnosis.findings} <= WITHOUT_A_GPU
    assert not diagnosis.crashed


@pytest.mark.parametrize("sections", [sections for sections, _ in MACHINES.values()], ids=list(MACHINES))
def test_wsl_is_never_told_of_linux_kernel_modules(sections):
    inside = Container(kind="none", wsl=Wsl(version=2, dxg=True, driver_library=True))
    for finding in judged(HEALTHY | sections | {"container": inside}).findings:
        commands = [step.argv[0] for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]
        assert not {"modprobe", "dkms", "update-initramfs", "mokutil", "ubuntu-drivers"} & set(commands), finding.name


@pytest.mark.parametrize("sections", [sections for sections, _ in MACHINES.values()], ids=list(MACHINES))
def test_a_container_is_never_told_to_mend_its_kernel(sections):
    for finding in judged(HEALTHY | sections | {"container": Container(kind="docker")}).findings:
        commands = [step.argv[0] for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]
        assert not {"modprobe", "dkms", "apt", "dnf", "pacman", "ubuntu-drivers"} & set(commands), finding.name
