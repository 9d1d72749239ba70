"""A build that fits as a proposal: why it fits, its limits, what goes with it, and the command."""

import pytest

from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.proposals import companion_versions, index_url, pip_install, proposal
from gpudoctor.plan.solve import fit

MATRIX = load_matrix()
SITE = "https://download.pytorch.org/whl"


def where(driver=None, *gpus, platform="linux-x86_64", python="3.12", **facts):
    return Machine(
        driver=driver and DriverRelease(driver),
        capabilities=tuple(map(Capability, gpus)),
        python=python,
        platform=platform,
        **facts,
    )


def build(label, platform="linux-x86_64"):
    name = label.split()[0].split("[")[0].removesuffix("-cpu")
    return next(one for one in builds_of(name, platform, MATRIX) if one.label == label)


def made(label, machine, *companions):
    name = label.split()[0].split("[")[0].removesuffix("-cpu")
    wanted = Wanted(framework=name, companions=tuple((one, "") for one in companions))
    return proposal(build(label, machine.platform), wanted, machine, MATRIX)


@pytest.mark.parametrize(
    ("label", "vision", "audio", "index"),
    [
        ("torch 2.6.0+cu124", ("0.21.0",), ("2.6.0",), None),
        ("torch 2.6.0+cu126", ("0.21.0",), ("2.6.0",), f"{SITE}/cu126"),
        ("torch 1.8.0+cu101", ("0.9.0",), ("0.8.0",), f"{SITE}/cu101"),
        # torchaudio 2.11 goes with newer releases too, and has no build for CUDA 13.2.
        ("torch 2.12.0+cu126", ("0.27.0",), ("2.11.0",), f"{SITE}/cu126"),
        ("torch 2.12.0+cu132", ("0.27.0",), (), f"{SITE}/cu132"),
        ("tensorflow[and-cuda] 2.20.0", (), (), None),
    ],
)
def test_what_is_made_for_a_build_and_where_it_is(label, vision, audio, index):
    one = build(label)
    assert companion_versions(one, "torchvision", MATRIX) == vision
    assert companion_versions(one, "torchaudio", MATRIX) == audio
    assert index_url(one) == index


@pytest.mark.parametrize(
    ("label", "machine", "why"),
    [
        (
            *(
                "torch 2.15.0+cu132",
                where("580.65.06", "8.9", "12.0", libc_version=LibraryVersion("2.35")),
            ),
            {
                "python": ["a wheel for Python 3.12 on linux-x86_64"],
                "libc": ["glibc 2.28; this is 2.35"],
                "driver": ["CUDA 13.2 runs on drivers from 580.65.06 on; this is 580.65.06"],
                "gpu": ["machine code for compute capability 8.9", "machine code for compute capability 12.0"],
            },
        ),
        (
            *("torch 2.15.0+cu132", where(None, python=None, platform="windows-x86_64")),
            {"python": ["wheels for Python 3.11 to 3.15 on windows-x86_64"]},
        ),
        (
            *("tensorflow[and-cuda] 2.15.1", where("535.54", "9.0", python="3.11")),
            {
                "python": ["Python 3.11"],
                "driver": ["from 525.60.13 on"],
                "gpu": ["the driver compiles its PTX for compute capability 9.0"],
            },
        ),
        (
            *("torch 2.15.0+cpu", where(platform="macos-arm64", macos=LibraryVersion("14.1"))),
            {
                "python": ["macos-arm64"],
                "macos": ["macOS 14.0 or newer; this is 14.1"],
                "gpu": ["it uses the GPU of Apple silicon (MPS), from macOS 14 on"],
            },
        ),
        (
            *("torch 2.11.0+cpu", where(platform="macos-arm64", macos=LibraryVersion("11.7"), cpu_only=True)),
            {
                "python": ["macos-arm64"],
                "macos": ["macOS 11.0 or newer; this is 11.7"],
                "gpu": ["it runs on the CPU; it uses a Mac's GPU from macOS 14 on, and this is 11.7"],
            },
        ),
        (
            *("tensorflow 2.20.0", where(platform="macos-arm64")),
            {
                "python": ["macos-arm64"],
                "macos": ["or newer"],
                "gpu": ["it runs on the CPU; macOS has no driver for NVIDIA GPUs"],
            },
        ),
        (
            *("torch 2.15.0+cpu", where(cpu_only=True)),
            {"python": ["Python 3.12"], "gpu": ["it runs on the CPU; no GPU is to be used"]},
        ),
        (
            *("torch 2.15.0+cu132", where(cpu_only=True, package_index_only=True)),
            {"python": ["Python 3.12"], "gpu": ["is built for CUDA 13.2 and computes on the CPU as well"]},
        ),
    ],
)
def test_why_it_fits(label, machine, why):
    reasons = made(label, machine).why
    assert [one.constraint for one in reasons] == [name for name, words in why.items() for _ in words]
    words = [word for one in why.values() for word in one]
    assert all(word in one.text for word, one in zip(words, reasons, strict=True)), reasons


SLOW, MINOR, NO_LIBRARIES = "The first start is slow", "minor-version compatibility", "It brings no CUDA libraries"
WSL_INSTEAD = "In WSL 2 current releases use the GPU"


@pytest.mark.parametrize(
    ("label", "machine", "limits"),
    [
        ("torch 2.14.1+cu126", where("560.35.05", "8.9"), []),
        ("torch 2.14.1+cu126", where("535.54", "8.9"), [MINOR]),
        ("torch 2.14.1+cu126", where(None, "8.9"), []),
        ("torch 2.14.1+cu126", where("535.54", "8.9", cpu_only=True), []),
        ("torch 2.15.0+cpu", where(cpu_only=True), []),
        ("tensorflow[and-cuda] 2.15.1", where("550.54.14", "9.0", python="3.11"), [SLOW]),
        ("tensorflow[and-cuda] 2.20.0", where("580.65.06", "8.9"), []),
        ("tensorflow 2.13.1", where("525.60.13", "7.0", python="3.11"), [f"{NO_LIBRARIES}: CUDA 11.8 and cuDNN 8.6"]),
        (
            *("tensorflow 2.10.1", where("528.33", "7.0", python="3.10", platform="windows-x86_64")),
            [f"{NO_LIBRARIES}: CUDA 11.2 and cuDNN 8.1", WSL_INSTEAD],
        ),
        ("tensorflow[and-cuda] 2.21.0", where("580.65.06", "8.9"), ["So link"]),
        ("tensorflow[and-cuda] 2.21.0", where("580.65.06", "12.0"), ["So link", SLOW, "reported by users"]),
        ("jax[cuda13] 0.12.0.1", where("580.65.06", "8.9"), ["was not read from its own wheels, but from 0.12.0"]),
        # Triton assembles for a CUDA of its own.
        (
            "torch 2.0.1+cu118",
            where("470.82.01", "8.0", python="3.11"),
            [MINOR, "torch.compile needs driver 525.60.13"],
        ),
        ("torch 2.2.2+cu121", where("525.60.13", "8.0", python="3.11"), [MINOR]),
        ("torch 2.0.1+cu118", where("471.41", "8.0", python="3.11", platform="windows-x86_64"), [MINOR]),
    ],
)
def test_the_limits(label, machine, limits):
    found = made(label, machine).limits
    assert len(found) == len(limits), found
    assert all(word in one for word, one in zip(limits, found, strict=True)), found


@pytest.mark.parametrize(
    ("label", "machine", "companions", "command"),
    [
        ("torch 2.6.0+cu124", where("550.54.14", "8.9"), ("torchvision",), "torch==2.6.0 torchvision==0.21.0"),
        (
            *("torch 2.6.0+cu126", where("550.54.14", "8.9"), ("torchaudio",)),
            f"torch==2.6.0+cu126 torchaudio==2.6.0+cu126 --index-url {SITE}/cu126",
        ),
        # From 1.11 on a build's own index has all that it needs, but for a bound on NumPy.
        (
            *("torch 1.10.2+cu113", where("470.82.01", "8.0", python="3.9"), ()),
            f"torch==1.10.2+cu113 numpy<2 --extra-index-url {SITE}/cu113",
        ),
        ("torch 2.6.0+cu118", where("470.82.01", "8.0"), (), f"torch==2.6.0+cu118 --index-url {SITE}/cu118"),
        ("torch 2.6.0+cu124", where("550.54.14", "8.9", package_index_only=True), (), "torch===2.6.0"),
        ("tensorflow 2.9.0", where("470.82.01", "8.0", python="3.8"), (), "tensorflow==2.9.0 protobuf>=3.9.2,<3.21"),
        (
            *("tensorflow[and-cuda] 2.20.0", where("580.65.06", "6.1"), ()),
            "tensorflow[and-cuda]==2.20.0 nvidia-cudnn-cu12==9.10.2.21",
        ),
        ("tensorflow-cpu 2.21.0", where(cpu_only=True), (), "tensorflow-cpu==2.21.0"),
        ("jax[cuda13] 0.12.0.1", where("580.65.06", "8.9"), (), "jax[cuda13]==0.12.0.1"),
    ],
)
def test_the_command_of_one_build(label, machine, companions, command):
    assert " ".join(made(label, machine, *companions).command).endswith(f" -m pip install {command}")


@pytest.mark.parametrize(
    ("wanted", "asked"),
    [
        # torch pins its own cuDNN; the others have a range, of which the newest does not serve that GPU.
        ("torch tensorflow", f"torch==2.14.1+cu126 tensorflow[and-cuda]==2.20.0 --extra-index-url {SITE}/cu126"),
        ("tensorflow jax", "tensorflow[and-cuda]==2.20.0 nvidia-cudnn-cu12==9.10.2.21 jax[cuda12]==0.12.0.1"),
    ],
)
def test_the_command_of_several(wanted, asked):
    wish = tuple(Wanted(framework=name) for name in wanted.split())
    (environment,) = fit(where("580.65.06", "6.1"), wish, MATRIX).environments
    assert " ".join(environment.command) == f"python3.12 -m pip install {asked}"


@pytest.mark.parametrize(
    ("machine", "python"),
    [(where(), "python3.12"), (where(python=None), "python3"), (where(platform="windows-x86_64"), "python")],
)
def test_the_python_that_is_called(machine, python):
    assert pip_install(machine) == (python, "-m", "pip", "install")
