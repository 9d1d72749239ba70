"""Where rules begin to speak: of each number a rule compares with, the last that is fine and the first that is not.

Versions are written as people write them, too: "0.43", "2.16" and "2" are whole releases.
"""

from typing import Any

import pytest
from msgspec import structs

from gpudoctor.facts.gpus import Fabric, GpuProcess, PcieLink, Power
from gpudoctor.facts.libraries import Libraries, SymbolNeed
from gpudoctor.facts.python import Broken, Damage, Framework, Overlap, Package, Packages, Unmet
from gpudoctor.facts.system import Container, Cpu, Slurm, Space, System
from gpudoctor.facts.versions import CudaVersion, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules._pythons import minor_of
from gpudoctor.rules._user_site import explained_by_mix
from gpudoctor.rules.builds import matrix_build
from tests.rules.situations import BARE, UBUNTU, answer, driver, environ, gpu, gpus, line, node, refusal, unlisted
from tests.rules.stacks import (
    GTX_1080_TI,
    H100,
    RTX_3090,
    RTX_4090,
    SITE,
    T4,
    V100,
    WINDOWS,
    card,
    copy,
    framework,
    frameworks,
    interpreter,
    jax,
    jax_plugin,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    toolkit,
    toolkits,
    torch,
)
from tests.rules.table import fires, judge, quiet

Sections = dict[str, Any]
MIB, GIB = 1024**2, 1024**3


def one_gpu(**fields) -> Sections:
    return {"gpus": gpus(gpu(**fields))}


def thermal(limit, slowdown):
    return one_gpu(temperature_max_operating_c=limit, temperature_slowdown_c=slowdown)


def lowered(limit):
    return one_gpu(power=Power(limit=limit, default_limit=450.0))


def uneven(limit):
    others = [gpu(index, power=Power(limit=450.0)) for index in (1, 2)]
    return {"gpus": gpus(gpu(0, power=Power(limit=limit)), *others)}


def held_back(utilization, draw):
    power = Power(limit=400.0, draw=draw)
    return one_gpu(power=power, throttle_reasons=("SwPowerCap",), utilization_percent=utilization)


def orphan(lost, total):
    held = (GpuProcess(pid=7, used_mib=500, kind="compute"),)
    return {
        **one_gpu(memory_total_mib=total, memory_used_mib=500 + lost, processes=held),
        "host": UBUNTU,
        "container": BARE,
    }


def link(width, most):
    return one_gpu(pcie=PcieLink(width=width, width_max=most, device_width_max=16, port_width_max=16))


def foreign(mib, job="0"):
    held = (GpuProcess(pid=7, used_mib=mib, kind="compute", same_user=False),)
    around = Container(kind="none", slurm=Slurm(in_job=True, job_gpus=job))
    return {"gpus": gpus(gpu(0, processes=held), gpu(1)), "container": around}


def own_torch(release, cuda):
    found = Framework(name="torch", version="2.6.0a0+git1234567", variant="cuda", cuda=CudaVersion(cuda))
    return stack(RTX_4090, release=release, frameworks=frameworks(found))


def hopper(ptxas, *cards):
    own = packages(f"nvidia-cuda-nvcc-cu12=={ptxas}")
    return stack(*(cards or (H100,)), frameworks=frameworks(jax("0.4.34", "cuda"), jax_plugin("0.4.34")), packages=own)


def ptxas_of_path(release):
    """Its own ptxas is sound, and the one of PATH is not: which of them JAX takes hangs on its release."""
    machine = hopper("12.9.86")
    found = toolkits(toolkit("12.2"), ptxas_on_path="/usr/local/cuda-12.2/bin/ptxas", ptxas_version="12.2.140")
    return machine | {"frameworks": frameworks(jax(release, "cuda"), jax_plugin(release)), "toolkits": found}


def on_windows(release):
    return stack(RTX_4090, host=WINDOWS, frameworks=frameworks(tensorflow(release, None)))


def transformers(tensorflows, theirs):
    has = packages(f"tensorflow=={tensorflows}", f"transformers=={theirs}")
    return stack(RTX_4090, frameworks=frameworks(tensorflow(tensorflows)), packages=has)


def keras(ours, theirs):
    has = packages(f"tensorflow=={ours}", f"keras=={theirs}")
    return stack(RTX_4090, frameworks=frameworks(tensorflow(ours)), packages=has, live=None)


def bitsandbytes(version, host=WINDOWS):
    found = Framework(name="bitsandbytes", version=version)
    sections = {"libraries": Libraries(), "environ": environ(), "host": host}
    return stack(RTX_3090, frameworks=frameworks(torch("2.4.1+cu121"), found), **sections)


def bitsandbytes_of_toolkit(version):
    parts = ("118", "120", "121")
    found = Framework(name="bitsandbytes", version=version, cuda_parts=parts)
    default = toolkits(toolkit("12.2", root="/usr/local/cuda", is_default=True))
    return stack(
        RTX_3090,
        frameworks=frameworks(torch("2.4.1+cu121"), found),
        libraries=Libraries(),
        environ=environ(),
        toolkits=default,
    )


def unreached(release):
    names = (("libcudart.so.12", "cudart"), ("libcudnn.so.8", "cudnn"))
    missing = [resolution("tensorflow", soname, family) for soname, family in names]
    copies = tuple(copy(family, soname, f"{SITE}/nvidia/{family}/lib/{soname}") for soname, family in names)
    return stack(
        RTX_4090, frameworks=frameworks(tensorflow(release, "12.3")), libraries=libraries(*missing, copies=copies)
    )


def old_glibc(version):
    host = System(os="linux", libc="glibc", libc_version=version)
    return {"host": host, "frameworks": None, "libraries": None}


def no_tf32(*cards):
    return stack(*cards, frameworks=frameworks(torch()), environ=environ(NVIDIA_TF32_OVERRIDE="0"))


def vllm(version, *cards):
    return stack(*cards, frameworks=frameworks(torch("2.6.0+cu124")), packages=packages(f"vllm=={version}"))


def two_cudnn(first, second, built_with):
    """Torch takes one copy of cuDNN, jaxlib another, which is the newer one."""
    made = frameworks(
        torch("2.1.2+cu118", cudnn="8.0.0"),
        Framework(name="jaxlib", version="0.4.14", variant="cuda", cuda=CudaVersion("11.8"), cudnn=built_with),
    )
    found = libraries(
        resolution("torch", "libcudnn.so.8", "cudnn", "/a/libcudnn.so.8", version=first),
        resolution("jaxlib", "libcudnn.so.8", "cudnn", "/b/libcudnn.so.8", version=second),
    )
    return stack(RTX_3090, frameworks=made, libraries=found)


def damaged(*found):
    damages = tuple(
        Damage(package="torch", path=f"torch/{n}.so", expected=9, found=size) for n, size in enumerate(found)
    )
    return stack(RTX_3090, frameworks=frameworks(torch()), packages=packages("torch==2.6.0", damaged=damages))


def no_uvm(code):
    nodes = tuple(node(path) for path in ("/dev/nvidia0", "/dev/nvidiactl"))
    loaded = ("nvidia", "nvidia_drm", "nvidia_modeset")
    failing = driver(device_nodes=nodes, modules_loaded=loaded, cuda_init=answer(code, "CUDA_ERROR"))
    return {"gpus": gpus(), "driver": failing, "container": BARE}


def fabric(*states):
    cards = [gpu(index, fabric=Fabric(state=state, status=0)) for index, state in enumerate(states)]
    return {
        "gpus": gpus(*cards, nvswitches=4),
        "driver": driver(cuda_init=answer(802)),
        "host": UBUNTU,
        "container": BARE,
    }


def without_keras(release):
    lacks = (Unmet(package="tensorflow", requirement="keras", wanted=">=2.6"),)
    # Of conda's packages only what the framework imports at its start is told.
    has = packages(f"tensorflow=={release}", unmet=lacks, installer="conda")
    return stack(RTX_3090, frameworks=frameworks(tensorflow(release, None)), packages=has, live=None)


def dropped(release):
    return {"gpus": gpus(unlisted(pci_id="10de:1b06")), "driver": driver(release), "host": UBUNTU, "container": BARE}


def unknown_to(release, pci_id):
    said = line("NVRM: The NVIDIA GPU 0000:01:00.0 is not supported by the NVIDIA driver release", bus="0000:01:00.0")
    real = structs.replace(UBUNTU, virtualization="none")
    return {
        "gpus": gpus(unlisted(pci_id=pci_id)),
        "driver": driver(release, kernel_log=(said,)),
        "host": real,
        "container": BARE,
    }


def shared_memory(free, total):
    host = System(os="linux", spaces=(Space(path="/dev/shm", purpose="shm", total=total, free=free),))
    return {"host": host, "frameworks": frameworks(torch())}


def without_avx(name, version):
    host = System(os="linux", arch="x86_64", cpu=Cpu(model="Core 2 Duo", flags=("sse4_1",)))
    return {"host": host, "frameworks": frameworks(Framework(name=name, version=version))}


def legacy_keras(version):
    return stack(RTX_4090, frameworks=frameworks(tensorflow(version)), environ=environ(TF_USE_LEGACY_KERAS="1"))


def old_cudnn(version):
    taken = resolution("torch", "libcudnn.so.8", "cudnn", "/a/libcudnn.so.8", version=version, origin="pip")
    return stack(RTX_4090, libraries=Libraries(resolutions=(taken,), libcuda_of_cudnn={"torch": None}))


def cudnn_of_path(have, own):
    path, shadows = "/opt/cuda/lib64/libcudnn.so.9", f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9"
    taken = resolution(
        "tensorflow",
        "libcudnn.so.9",
        "cudnn",
        path,
        via="LD_LIBRARY_PATH",
        shadows=shadows,
        version=have,
        shadows_version=own,
    )
    return stack(RTX_4090, frameworks=frameworks(tensorflow("2.99.0", "12.5", cudnn="9")), libraries=libraries(taken))


def owning_the_same(files):
    builds = {"first": "tensorflow", "second": "tensorflow-cpu", "most": True}
    shared = Overlap(**builds, files=files, differing=1, example="tensorflow/x.py")
    has = packages("tensorflow==2.18.0", "tensorflow-cpu==2.18.0", overlaps=(shared,))
    return stack(RTX_4090, frameworks=frameworks(tensorflow("2.18.0")), packages=has)


#: Rule, machine, whether it speaks.
BOUNDS: list[tuple[str, Sections, bool]] = [
    *(
        ("uvm-missing", no_uvm(code), code in (3, 100, 304, 801, 999))
        for code in (2, 3, 4, 100, 304, 305, 801, 802, 999, 998)
    ),
    ("fabric-state-incomplete", fabric("completed"), False),
    ("fabric-state-incomplete", fabric("not-supported"), False),
    ("fabric-state-incomplete", fabric("in-progress"), True),
    ("dependency-missing", without_keras("2.5.3"), False),
    ("dependency-missing", without_keras("2.6.0"), True),
    ("dependency-missing", without_keras("2.12.1"), True),
    ("dependency-missing", without_keras("2.13.1"), False),
    ("driver-dropped-gpu", dropped("580.65.06"), False),
    ("driver-dropped-gpu", dropped("590.48.01"), True),
    ("driver-too-old-for-gpu", unknown_to("570.86.16", "10de:2b85"), True),
    ("driver-too-old-for-gpu", unknown_to("580.65.06", "10de:1b06"), True),
    ("driver-too-old-for-gpu", unknown_to("590.48.01", "10de:1b06"), False),
    ("gpu-thermal-limit-low", thermal(70, 95), True),
    ("gpu-thermal-limit-low", thermal(71, 99), False),
    ("gpu-thermal-limit-low", thermal(70, 94), False),
    ("gpu-thermal-limit-low", thermal(1, 95), True),
    ("gpu-thermal-limit-low", thermal(0, 95), False),
    ("gpu-power-limit-lowered", lowered(445.0), False),
    ("gpu-power-limit-lowered", lowered(444.9), True),
    ("gpu-power-capped", uneven(445.0), False),
    ("gpu-power-capped", uneven(444.9), True),
    ("gpu-power-capped", held_back(90, 279.0), True),
    ("gpu-power-capped", held_back(89, 279.0), False),
    ("gpu-power-capped", held_back(90, 280.0), False),
    ("gpu-mem-orphan", orphan(1024, 16000), False),
    ("gpu-mem-orphan", orphan(1025, 16000), True),
    ("gpu-mem-orphan", orphan(4000, 80000), False),
    ("gpu-mem-orphan", orphan(4001, 80000), True),
    ("pcie-link-downgraded", link(16, 16), False),
    ("pcie-link-downgraded", link(15, 16), True),
    ("pcie-link-downgraded", link(1, 16), True),
    ("pcie-link-downgraded", link(0, 16), False),
    ("slurm-gpu-allocation", foreign(255), False),
    ("slurm-gpu-allocation", foreign(256), True),
    ("slurm-gpu-allocation", foreign(256, job="1"), False),
    ("driver-minor-compat-limit", own_torch("525.60.13", "12.1"), True),
    ("driver-minor-compat-limit", own_torch("525.60.11", "12.1"), False),
    ("driver-minor-compat-limit", own_torch("530.30.01", "12.1"), True),
    ("driver-minor-compat-limit", own_torch("530.30.02", "12.1"), False),
    ("driver-minor-compat-limit", own_torch("525.60.13", "12.0"), False),
    ("driver-minor-compat-limit", own_torch("525.60.13", "11.8"), False),
    ("driver-minor-compat-limit", own_torch("525.60.13", "13.0"), False),
    ("xla-ptxas-hopper-bug", hopper("11.9"), False),
    ("xla-ptxas-hopper-bug", hopper("12.0"), True),
    ("xla-ptxas-hopper-bug", hopper("12.6.84"), True),
    ("xla-ptxas-hopper-bug", hopper("12.6.85"), False),
    ("xla-ptxas-hopper-bug", ptxas_of_path("0.4.35"), True),
    ("xla-ptxas-hopper-bug", ptxas_of_path("0.4.36"), False),
    ("tf-windows-native", on_windows("2.10.1"), False),
    ("tf-windows-native", on_windows("2.11"), True),
    ("tf-windows-native", on_windows("2.11.0"), True),
    ("keras3-no-tfkeras", transformers("2.15.1", "4.40.0"), False),
    ("keras3-no-tfkeras", transformers("2.16", "4.40.0"), True),
    ("keras3-no-tfkeras", transformers("2.16.1", "4.99.9"), True),
    ("keras3-no-tfkeras", transformers("2.16.1", "5"), False),
    ("keras3-no-tfkeras", transformers("2.16.1", "5.0.0"), False),
    ("bnb-cuda-lib", bitsandbytes("0.42.0"), True),
    ("bnb-cuda-lib", bitsandbytes("0.43"), False),
    ("bnb-cuda-lib", bitsandbytes_of_toolkit("0.40.2"), True),
    ("bnb-cuda-lib", bitsandbytes_of_toolkit("0.41"), False),
    ("tf216-nvidia-libs-not-found", unreached("2.15.1"), False),
    ("tf216-nvidia-libs-not-found", unreached("2.16"), True),
    ("tf216-nvidia-libs-not-found", unreached("2.18.1"), True),
    ("tf216-nvidia-libs-not-found", unreached("2.19"), False),
    ("tf216-nvidia-libs-not-found", unreached("2.19.0"), False),
    ("shm-pressure", shared_memory(GIB - 1, 64 * GIB), True),
    ("shm-pressure", shared_memory(GIB, 64 * GIB), False),
    ("shm-pressure", shared_memory(GIB // 10, GIB // 10 * 10), False),
    ("shm-pressure", shared_memory(GIB // 10 - 1, GIB // 10 * 10), True),
    ("shm-pressure", shared_memory(1, 64 * MIB), False),
    ("shm-pressure", shared_memory(1, 64 * MIB + 1), True),
    ("cpu-no-avx", without_avx("tensorflow", "1.5.1"), False),
    ("cpu-no-avx", without_avx("tensorflow", "1.6"), True),
    ("cpu-no-avx", without_avx("jaxlib", "0.1"), True),
    ("keras3-legacy-model", legacy_keras("2.15.1"), False),
    ("keras3-legacy-model", legacy_keras("2.16"), True),
    ("keras3-legacy-model", legacy_keras("3"), False),
    ("cudnn-bare-libcuda", old_cudnn("8"), True),
    ("cudnn-bare-libcuda", old_cudnn("8.8.1"), True),
    ("cudnn-bare-libcuda", old_cudnn("8.9"), False),
    ("ld-path-shadows-cudnn", cudnn_of_path("9.1.0", "9.1.0"), False),
    ("files-overwritten", owning_the_same(1), False),
    ("files-overwritten", owning_the_same(2), True),
    ("glibc-too-old", old_glibc("2.26"), True),
    ("glibc-too-old", old_glibc("2.27"), False),
    ("tf32-off", no_tf32(card("A100", "8.0")), True),
    ("tf32-off", no_tf32(T4), False),
    ("arch-too-old-for-build", vllm("0.20.9", T4), False),
    ("arch-too-old-for-build", vllm("0.20.9", V100), False),
    ("arch-too-old-for-build", vllm("0.20.9", GTX_1080_TI), True),
    ("arch-too-old-for-build", vllm("0.21", T4), False),
    ("arch-too-old-for-build", vllm("0.21", V100), True),
    ("cudnn-two-copies", two_cudnn("8.7.0", "8.8.0", "8.8.0"), True),
    ("cudnn-two-copies", two_cudnn("8.8.0", "8.8.1", "8.8.0"), False),
    ("cudnn-two-copies", two_cudnn("8.6.0", "8.7.0", "8.8.0"), False),
]


@pytest.mark.parametrize(
    ("name", "machine", "speaks"), BOUNDS, ids=[f"{number}-{name}" for number, (name, *_) in enumerate(BOUNDS)]
)
def test_the_last_that_is_fine_and_the_first_that_is_not(name, machine, speaks):
    (fires if speaks else quiet)(name, **machine)


@pytest.mark.parametrize(
    ("ours", "theirs", "severity"),
    [
        ("2.5.3", "2.9.0", None),
        ("2.6.5", "2.9.0", "error"),
        ("2.15.1", "2.14.0", "error"),
        ("2.16.1", "2.14.0", None),
        ("2.12.1", "3.5.0", "error"),
        ("2.13.1", "3", "warning"),
        ("2.14.1", "3.5.0", "warning"),
        ("2.14.1", "2.15.0", "error"),
        ("2.15.1", "3.5.0", None),
        ("2.15", "3", None),
        ("2.15.1", "2.15.0", None),
    ],
)
def test_the_keras_beside_a_tensorflow_that_has_keras_2(ours, theirs, severity):
    found = judge("dependency-version", **keras(ours, theirs))
    assert [one.severity for one in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("version", "minor"), [("3.12.4", "3.12"), ("3.12", "3.12"), ("3", None), (None, None), ("x", None)]
)
def test_the_minor_of_a_python(version, minor):
    assert minor_of(version) == minor


@pytest.mark.parametrize(
    ("ours", "theirs", "severity"),
    [
        # Torchaudio compares from 2.0 on, but from 2.11 on not a CPU build; torchvision the minor version before 0.16.
        ("1.13.1+cu117", "torchaudio 1.13.1+cpu", "warning"),
        ("2.0.1+cu118", "torchaudio 2.0+cpu", "error"),
        ("2.10.0+cu128", "torchaudio 2.10.0+cu126", "error"),
        ("2.10.0+cu128", "torchaudio 2.10.0+cpu", "error"),
        ("2.11.0+cu128", "torchaudio 2.11+cu126", "error"),
        ("2.11.0+cu128", "torchaudio 2.11+cpu", None),
        ("2.0.1+cu118", "torchvision 0.15.2+cu117", "error"),
        ("2.1.0+cu121", "torchvision 0.16+cu124", "warning"),
        ("2.1.0+cu121", "torchvision 0.16+cu118", "error"),
        ("2.1.0+cu121", "torchvision 0.16+cpu", "error"),
    ],
)
def test_companions_of_another_cuda(ours, theirs, severity):
    both = frameworks(torch(ours), framework(*theirs.split()))
    found = judge("torch-companion-cuda", **stack(RTX_4090, frameworks=both))
    assert [one.severity for one in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("cards", "built_with", "wanted"),
    [
        ((T4,), "9.3.0", ">=9.3,<10"),
        ((V100,), "9.3.0", "==9.10.2.21"),
        ((T4, V100), "9.3.0", "==9.10.2.21"),
        ((V100,), "9.10.2", "==9.10.2.21"),
        ((V100,), "9.11.0", ">=9.11,<10"),
    ],
)
def test_the_cudnn_that_has_code_for_every_gpu(cards, built_with, wanted):
    taken = resolution("tensorflow", "libcudnn.so.9", "cudnn", "/a/libcudnn.so.9", version="9.0.0", origin="pip")
    ours = frameworks(tensorflow("2.20.0", "12.5", cudnn=built_with))
    found = fires("cudnn-too-old", **stack(*cards, frameworks=ours, libraries=libraries(taken)))
    assert f"nvidia-cudnn-cu12{wanted}" in str(found.fixes)


@pytest.mark.parametrize(
    ("numpy", "explained"), [("2", True), ("2.0", True), ("2.3.1", True), ("1.26.4", False), ("unknown", False)]
)
def test_numpy_of_another_place(numpy, explained):
    has = Packages(
        installed=(
            Package(name="torch", version="2.0.1"),
            Package(name="numpy", version=numpy, user_site=True),
        )
    )
    found = explained_by_mix(has, UBUNTU, load_matrix())
    assert ("numpy2-abi" in found) is explained


# How much is told: a list that is cut off says so, or ends where a reader would stop.


def caps(finding):
    return len(finding.evidence)


def test_refusals_beyond_the_fourth_are_counted():
    for number, more in ((1, None), (4, None), (5, 1), (9, 5)):
        refusals = tuple(refusal(15, f"nvmlDeviceGetName{n}") for n in range(number))
        found = fires("gpu-unreadable", gpus=gpus(gpu(refusals=refusals)))
        told = [one.value for one in found.evidence if one.fact == "more questions refused"]
        assert told == ([str(more)] if more else [])
        assert caps(found) == min(number, 4) + bool(more)
        assert f"refused {number} question" in found.summary
    for code, shown in ((0, "UNKNOWN (0)"), (15, "UNKNOWN (15)"), (-1, "UNKNOWN")):
        found = fires("gpu-unreadable", gpus=gpus(gpu(refusals=(refusal(code, "nvmlDeviceGetName"),))))
        assert found.evidence[0].value == f"NVML_ERROR_{shown}"


def needing(number):
    needs = tuple(
        SymbolNeed(library="libstdc++.so.6", file=f"{n}.so", version=LibraryVersion(f"3.4.{31 + n}"))
        for n in range(number)
    )
    found = Libraries(glibcxx="3.4.30", libstdcxx="/env/lib/libstdc++.so.6", needs=needs)
    return {"libraries": found, "interpreter": interpreter()}


@pytest.mark.parametrize(
    ("number", "words"), [(1, "0.so needs"), (2, "1.so and 1 more need"), (7, "6.so and 6 more need")]
)
def test_extensions_that_need_a_newer_cpp_library(number, words):
    found = fires("libstdcxx-too-old", **needing(number))
    assert found.summary.startswith(words)
    assert caps(found) == 1 + min(number, 5)


def unreadable(number):
    broken = tuple(Broken(path=f"/env/lib/x{n}-1.0.dist-info/METADATA", reason="no text") for n in range(number))
    return stack(RTX_3090, packages=packages(broken=broken))


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "An installed package's metadata cannot"), (2, "The metadata of 2 inst"), (6, "The metadata of 6 inst")],
)
def test_packages_whose_records_cannot_be_read(number, words):
    found = fires("packages-unreadable", **unreadable(number))
    assert found.summary.startswith(words)
    assert caps(found) == min(number, 5)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((None,), "A file of torch is not as installed (1 missing)."),
        ((7,), "A file of torch is not as installed (1 of another size)."),
        ((None, 7), "2 files of torch are not as installed (1 missing, 1 of another size)."),
        ((None,) * 6, "6 files of torch are not as installed (6 missing)."),
    ],
)
def test_files_that_are_not_as_installed(found, words):
    told = fires("files-damaged", **damaged(*found))
    assert told.summary == words
    assert caps(told) == min(len(found), 5)


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (["in-progress"], "One GPU has not joined"),
        (["completed", "in-progress"], "One GPU has not joined"),
        (["in-progress"] * 2, "2 GPUs have not joined"),
        (["in-progress"] * 6, "6 GPUs have not joined"),
    ],
)
def test_gpus_that_have_not_joined_the_fabric(states, words):
    found = fires("fabric-state-incomplete", **fabric(*states))
    assert found.summary.startswith(words)
    apart = states.count("in-progress")
    assert sum(one.fact.startswith("fabric state") for one in found.evidence) == min(apart, 4)
    assert (found.subject is None) is (apart > 1)


NEEDED = ("cublas", "cuda-runtime", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nccl", "nvtx", "nvjitlink")


@pytest.mark.parametrize("number", [1, 8, 10])
def test_libraries_that_torch_lacks(number):
    lacks = tuple(Unmet(package="torch", requirement=f"nvidia-{name}-cu12", wanted="==12.4.127") for name in NEEDED)
    machine = stack(RTX_3090, frameworks=frameworks(torch()), libraries=None)
    found = fires("torch-nvidia-deps-missing", **machine | {"packages": packages("torch==2.6.0", unmet=lacks[:number])})
    assert (found.severity, found.confidence) == ("error", "certain")
    assert caps(found) == min(number, 8)


def test_libraries_of_another_release_are_less_sure_than_missing_ones():
    older = (Unmet(package="torch", requirement="nvidia-cudnn-cu12", wanted="==9.1.0.70", found="8.9.7.29"),)
    machine = stack(RTX_3090, frameworks=frameworks(torch()), libraries=None)
    found = fires("torch-nvidia-deps-missing", **machine | {"packages": packages("torch==2.6.0", unmet=older)})
    assert (found.severity, found.confidence) == ("warning", "likely")


@pytest.mark.parametrize(
    ("python", "words", "severity", "confidence"),
    [
        ("3.16.0", "the newest is for Python 3.15", "warning", "likely"),
        ("2.6.9", "there are for Python 2.7", "error", "certain"),
    ],
)
def test_a_python_that_nothing_is_published_for(python, words, severity, confidence):
    found = fires("python-unsupported-by-framework", **stack(RTX_4090, on=interpreter(python)))
    assert words in found.summary
    assert (found.severity, found.confidence) == (severity, confidence)


@pytest.mark.parametrize("draw", [None, 0.0, 61.4])
def test_what_a_gpu_draws_while_its_power_supply_holds_it_back(draw):
    power = Power(draw=draw)
    found = fires("gpu-throttle-reasons", **one_gpu(throttle_reasons=("HwPowerBrakeSlowdown",), power=power))
    told = [one.value for one in found.evidence if one.fact == "power draw"]
    assert told == ([] if draw is None else [f"{draw:.0f} W"])
    assert len(fires("gpu-throttle-reasons", **one_gpu(throttle_reasons=("HwPowerBrakeSlowdown",))).evidence) == 1


@pytest.mark.parametrize(
    ("found", "architectures"),
    [
        (torch("2.6.0+cu124"), True),
        (torch("2.6.0"), False),
        (tensorflow("2.18.1"), True),
        (tensorflow("2.18.1", None, dist="tensorflow-cpu"), False),
        (jax_plugin("0.6.2"), True),
        (structs.replace(jax_plugin("0.6.2"), cuda=None), False),
        (structs.replace(jax_plugin("0.6.2"), name="jax-rocm-plugin"), False),
        (Framework(name="torch", variant="cuda"), False),
    ],
    ids=lambda value: value.label if isinstance(value, Framework) else "",
)
def test_the_row_of_exactly_this_build(found, architectures):
    row = matrix_build(found, load_matrix(), "linux-x86_64")
    assert (row is not None) is architectures
    assert matrix_build(structs.replace(found, version="99.0"), load_matrix(), "linux-x86_64") is None
