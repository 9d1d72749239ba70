"""Tables of the rules about the machine around the GPU."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.fix import SetEnv
from gpudoctor.facts.libraries import Libraries, LibraryCopy
from gpudoctor.facts.system import Cpu, Space, System
from gpudoctor.facts.versions import LibraryVersion
from tests.rules.situations import gpus
from tests.rules.stacks import frameworks
from tests.rules.table import fires, quiet

GIB = 1024**3


def room(temp, environment=None, **fields):
    spaces = [Space(path="/tmp", purpose="temp", free=int(temp * GIB), filesystem="tmpfs")]
    if environment is not None:
        spaces.append(Space(path="/home/me/venv", purpose="environment", free=int(environment * GIB)))
    return System(os="linux", spaces=tuple(spaces), **fields)


def test_disk_tmp_small():
    found = fires("disk-tmp-small", host=room(2, 50), gpus=gpus(), frameworks=None)
    assert found.severity == "warning"
    assert SetEnv(name="TMPDIR", value="/home/me/venv") in found.fixes[0].steps
    fires("disk-tmp-small", host=room(50, 3), gpus=gpus(), frameworks=None)
    full = fires("disk-tmp-small", host=room(0.01), gpus=gpus(), frameworks=frameworks(("torch", "2.6.0")))
    assert full.severity == "error"
    assert fires("disk-tmp-small", host=room(0.1), gpus=None, frameworks=None).severity == "error"
    quiet("disk-tmp-small", host=room(0.1), gpus=None, frameworks=frameworks(("torch", "2.6.0")))
    assert fires("disk-tmp-small", host=room(0.5), gpus=None, frameworks=None).severity == "warning"
    quiet("disk-tmp-small", host=room(50, 50), gpus=gpus(), frameworks=None)
    quiet("disk-tmp-small", host=room(2), gpus=None, frameworks=None)
    quiet("disk-tmp-small", host=room(2, 3), gpus=gpus(), frameworks=frameworks(("torch", "2.6.0")))
    quiet("disk-tmp-small", host=System(os="linux"), gpus=gpus(), frameworks=None)
    unknown = System(os="linux", spaces=(Space(path="/tmp", purpose="temp"),))
    quiet("disk-tmp-small", host=unknown, gpus=gpus(), frameworks=None)


@pytest.mark.parametrize(
    ("free", "with_gpu", "speaks"),
    [
        ((2.9, 50), True, True), ((3, 50), True, False), ((50, 6.9), True, True), ((50, 7), True, False),
        ((0.9, 50), False, True), ((1, 50), False, False), ((50, 1.9), False, True), ((50, 2), False, False),
    ],
)  # fmt: skip
def test_the_room_that_an_installation_takes(free, with_gpu, speaks):
    say = fires if speaks else quiet
    say("disk-tmp-small", host=room(*free), gpus=gpus() if with_gpu else None, frameworks=None)


def test_what_a_full_disk_is():
    torch = frameworks(("torch", "2.6.0"))
    for mib, has, say in ((63, torch, fires), (64, torch, quiet), (199, None, fires)):
        found = say("disk-tmp-small", host=room(mib / 1024), gpus=None, frameworks=has)
        assert found is None or found.severity == "error"
    assert fires("disk-tmp-small", host=room(200 / 1024), gpus=None, frameworks=None).severity == "warning"
    other = frameworks(("keras", "3.0"))
    assert fires("disk-tmp-small", host=room(0.5), gpus=None, frameworks=other).severity == "warning"


def test_what_is_said_of_a_small_disk():
    found = fires("disk-tmp-small", host=room(2, 3), gpus=gpus(), frameworks=None)
    assert [(one.fact, one.value) for one in found.evidence] == [
        ("free in /tmp", "2.0 GiB, tmpfs"),
        ("free in /home/me/venv", "3.0 GiB"),
    ]
    assert "in /tmp and /home/me/venv to install" in found.summary
    # No place is roomy enough: a person finds one.
    assert not any(isinstance(step, SetEnv) for fix in found.fixes for step in fix.steps)
    home = (Space(path="/home/me", purpose="home", free=free * GIB) for free in (2, 3))
    for space, helps in zip(home, (False, True), strict=True):
        host = System(os="linux", spaces=(*room(2).spaces, space))
        step = fires("disk-tmp-small", host=host, gpus=gpus(), frameworks=None).fixes[0].steps[0]
        assert isinstance(step, SetEnv) == helps
    # Where another place than pip's is short, room is made.
    fixes = fires("disk-tmp-small", host=room(50, 3), gpus=gpus(), frameworks=None).fixes
    assert [fix.title for fix in fixes] == ["Clear pip's cache", "Free space"]
    on_windows = System(os="windows", spaces=(*room(2).spaces, Space(path="D:\\tmp", purpose="home", free=9 * GIB)))
    step = fires("disk-tmp-small", host=on_windows, gpus=gpus(), frameworks=None).fixes[0].steps[0]
    assert step == SetEnv(name="TEMP", value="D:\\tmp")


def glibc(version, libc="glibc"):
    return System(os="linux", libc=libc, libc_version=version, pretty_name="CentOS Linux 7")


def test_glibc_too_old():
    found = fires("glibc-too-old", host=glibc("2.17"), frameworks=frameworks(("torch", "2.8.0+cu128")))
    assert "2.28" in found.summary
    assert found.severity == "error"
    fires("glibc-too-old", host=glibc("2.26"), frameworks=frameworks(("tensorflow", "2.21.0")))
    fires("glibc-too-old", host=glibc(None, "musl"), frameworks=None)
    assert fires("glibc-too-old", host=glibc("2.17"), frameworks=None).severity == "info"
    quiet("glibc-too-old", host=glibc("2.17"), frameworks=frameworks(("torch", "2.4.1")))
    quiet("glibc-too-old", host=glibc("2.17"), frameworks=Gap(reason="x"))
    quiet("glibc-too-old", host=glibc("2.39"), frameworks=frameworks(("torch", "2.15.0"), ("tensorflow", "2.21.0")))
    quiet("glibc-too-old", host=glibc(None), frameworks=frameworks(("torch", "2.15.0")))
    quiet("glibc-too-old", host=glibc("2.17"), frameworks=frameworks(("torch", "a nightly")))
    quiet("glibc-too-old", host=System(os="windows"), frameworks=frameworks(("torch", "2.15.0")))


def copies(version, origin="conda", family="curand"):
    path = f"/opt/conda/lib/lib{family}.so"
    copy = LibraryCopy(
        family=family, soname=f"lib{family}.so", path=path, origin=origin, version=LibraryVersion(version)
    )
    return Libraries(copies=(copy,))


def test_libraries_that_need_a_newer_c_library():
    torch = frameworks(("torch", "2.5.1"))
    found = fires("glibc-too-old", host=glibc("2.17"), frameworks=torch, libraries=copies("10.3.9"))
    assert found.subject == "/opt/conda/lib/libcurand.so"
    assert found.severity == "error"
    quiet("glibc-too-old", host=glibc("2.17"), frameworks=torch, libraries=copies("10.3.7"))
    quiet("glibc-too-old", host=glibc("2.17"), frameworks=torch, libraries=copies("10.3.9", origin="system"))
    quiet("glibc-too-old", host=glibc("2.27"), frameworks=torch, libraries=copies("10.3.9"))
    quiet("glibc-too-old", host=glibc("2.17"), frameworks=torch, libraries=copies("99", family="cufft"))


def cpu(*flags, arch="x86_64"):
    return System(os="linux", arch=arch, cpu=Cpu(model="Core 2 Duo E7500", flags=flags))


@pytest.mark.parametrize("name", [("tensorflow", "1.14.0"), ("tensorflow", "2.16.1"), ("jaxlib", "0.6.0")])
def test_cpu_no_avx(name):
    assert "AVX" in fires("cpu-no-avx", host=cpu("sse4_1"), frameworks=frameworks(name)).summary
    quiet("cpu-no-avx", host=cpu("sse4_1", "avx"), frameworks=frameworks(name))
    quiet("cpu-no-avx", host=cpu(arch="aarch64"), frameworks=frameworks(name))
    quiet("cpu-no-avx", host=System(os="linux", arch="x86_64", cpu=Cpu()), frameworks=frameworks(name))


def test_frameworks_that_run_without_avx():
    quiet("cpu-no-avx", host=cpu("sse4_1"), frameworks=frameworks(("torch", "2.6.0"), ("tensorflow", "1.5.0")))


@pytest.mark.parametrize(("model", "told"), [("Core i3-2100", "Core i3-2100"), (None, "model not known")])
def test_the_processor_is_named_where_it_is_known(model, told):
    for name, framework, flags in (
        ("cpu-no-avx", ("tensorflow", "2.16.1"), ("sse4_1",)),
        ("cpu-no-avx2", ("tensorflow", "2.4.0"), ("avx",)),
    ):
        host = System(os="linux", arch="x86_64", cpu=Cpu(model=model, flags=flags))
        found = fires(name, host=host, frameworks=frameworks(framework))
        assert ("processor", told) in [(one.fact, one.value) for one in found.evidence]


def test_cpu_no_avx2():
    fires("cpu-no-avx2", host=cpu("avx"), frameworks=frameworks(("tensorflow", "2.4.0")))
    quiet("cpu-no-avx2", host=cpu("avx"), frameworks=frameworks(("tensorflow", "2.4.1")))
    quiet("cpu-no-avx2", host=cpu("avx", "avx2"), frameworks=frameworks(("tensorflow", "2.4.0")))
