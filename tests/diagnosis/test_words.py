"""The words to fill in of a command, one by one: what stated facts decide, and what they leave open."""

import pytest

from gpudoctor.diagnosis.filled_in import filled_in, stated
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Framework
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System, Wsl
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from tests.rules.situations import gpus
from tests.rules.stacks import (
    GTX_1080_TI,
    K80,
    MACOS,
    RTX_4090,
    RTX_5090,
    T4,
    WINDOWS,
    card,
    frameworks,
    interpreter,
    jax,
    packages,
    tensorflow,
    toolkit,
    toolkits,
    torch,
)

#: The word stays for the reporter to fill in; or the command is none here.
OPEN, NONE = None, ""
LINUX = {"host": System(os="linux", arch="x86_64")}
ON_WINDOWS = {"host": WINDOWS}


def value(word, *cards, said=(), around=(), **sections):
    live = {"live": Live(symptoms=tuple(Symptom(signature="x", text=text) for text in said))} if said else {}
    own = {"gpus": gpus(*cards)} if cards else {}
    made = filled_in(f"do <{word}> now", stated(Snapshot(**{**own, **live, **sections}), around))
    return None if made == f"do <{word}> now" else made.removeprefix("do ").removesuffix(" now")


def has(*found):
    return {"frameworks": frameworks(*(one if isinstance(one, Framework) else torch(one) for one in found))}


def tf(version):
    return {"frameworks": frameworks(Framework(name="tensorflow", version=version))}


def driver(release=None, cuda=None):
    return {"driver": Driver(release=release and DriverRelease(release), cuda=cuda and CudaVersion(cuda))}


def python(version, **fields):
    return {"interpreter": interpreter(version, **fields)}


def jetson(l4t, **sections):
    return {"host": System(os="linux", arch="aarch64", tegra=l4t), **sections}


@pytest.mark.parametrize(
    ("word", "sections", "wanted"),
    [
        ("TORCH", has("2.6.0+cu124"), "2.6.0"),
        ("TORCH", {}, OPEN),
        ("TAG_OF_TORCH", has("2.6.0+cpu"), "cpu"),
        # The package index has one build of a release.
        ("TAG_OF_TORCH", LINUX | {"frameworks": frameworks(Framework(name="torch", version="2.6.0"))}, "cu124"),
        (
            "TAG_OF_TORCH",
            LINUX | {"frameworks": frameworks(Framework(name="torch", version="2.6.0", cuda=CudaVersion("11.8")))},
            "cu118",
        ),
        ("TAG_OF_TORCH", {}, OPEN),
        ("CUDA_OF_TORCH", has("2.6.0+cu124"), "12.4"),
        ("CUDA_OF_TORCH", has("2.6.0+cpu"), OPEN),
        ("TORCHVISION", has("2.6.0+cu124"), "0.21.0"),
        ("TORCHAUDIO", has("2.6.0"), "2.6.0"),
        ("TORCHVISION", has("99.0"), OPEN),
        ("TORCHAUDIO", {}, OPEN),
        # The extra for CUDA came with 2.14, Keras 3 with 2.16.
        ("TENSORFLOW", tf("2.13.1"), NONE),
        ("TENSORFLOW", tf("2.14.0"), "2.14.0"),
        ("TENSORFLOW", {}, OPEN),
        ("TF_MINOR", tf("2.15.1"), NONE),
        ("TF_MINOR", tf("2.16.1"), "2.16"),
        ("TF_MINOR", {}, OPEN),
        ("CUDA_OF_TENSORFLOW", LINUX | tf("2.13.1"), "11.8"),
        ("CUDA_OF_TENSORFLOW", LINUX | tf("2.16.1"), "12.3"),
        ("CUDA_OF_TENSORFLOW", ON_WINDOWS | tf("2.10.1"), "11.2"),
        ("CUDA_OF_TENSORFLOW", ON_WINDOWS | tf("2.11.0"), OPEN),
        ("CUDNN_OF_TENSORFLOW", LINUX | tf("2.13.1"), "8.6"),
        ("CUDNN_OF_TENSORFLOW", LINUX | tf("99.0"), OPEN),
        ("TOOLKIT_OF_TENSORFLOW", LINUX | tf("2.13.1"), 'cudatoolkit=11.8 "cudnn>=8.6,<9"'),
        ("TOOLKIT_OF_TENSORFLOW", LINUX | tf("2.3.1"), 'cudatoolkit=10.1 "cudnn>=7.6,<8"'),
        ("TOOLKIT_OF_TENSORFLOW", LINUX | tf("2.14.0"), NONE),
        ("TOOLKIT_OF_TENSORFLOW", LINUX | tf("1.5.0"), NONE),
        ("TOOLKIT_OF_TENSORFLOW", ON_WINDOWS | tf("2.11.0"), OPEN),
        ("TOOLKIT_OF_TENSORFLOW", LINUX, OPEN),
    ],
)
def test_a_framework_that_is_stated(word, sections, wanted):
    assert value(word, **sections) == wanted


@pytest.mark.parametrize(
    ("sections", "cudnn", "nvcc"),
    [
        (has("2.6.0+cu124"), "nvidia-cudnn-cu12", "nvidia-cuda-nvcc-cu12"),
        (has("2.15.0+cu132"), "nvidia-cudnn-cu13", "nvidia-cuda-nvcc"),
        (has(jax("0.4.11+cuda11.cudnn86", None)), "nvidia-cudnn-cu11", "nvidia-cuda-nvcc-cu11"),
        # NVIDIA has no packages for an older one.
        (has("1.3.0+cu101"), OPEN, OPEN),
        ({"toolkits": toolkits(toolkit("10.2"))}, OPEN, OPEN),
        # What is built decides, else the toolkits where they agree.
        (has("2.6.0+cu118") | {"toolkits": toolkits(toolkit("12.4"))}, "nvidia-cudnn-cu11", "nvidia-cuda-nvcc-cu11"),
        ({"toolkits": toolkits(toolkit("12.4"), toolkit("12.6"))}, "nvidia-cudnn-cu12", "nvidia-cuda-nvcc-cu12"),
        ({"toolkits": toolkits(toolkit("12.4"), toolkit("11.8"))}, OPEN, OPEN),
        (has("2.6.0+cu124", tensorflow("2.14.0", "11.8")), OPEN, OPEN),
        ({}, OPEN, OPEN),
    ],
)
def test_nvidias_packages(sections, cudnn, nvcc):
    assert value("CUDNN_PACKAGE", **sections) == cudnn
    assert value("NVCC_PACKAGE", **sections) == nvcc
    assert value("NVJITLINK_PACKAGE", **sections) == (nvcc and nvcc.replace("cuda-nvcc", "nvjitlink"))


NO_MATCH = "ERROR: Could not find a version that satisfies the requirement {} (from versions: none)"
HOLDERS = "CUDA out of memory. Process 1837 has {} memory in use. Process 99 has {} memory in use."
FREE = "Free memory on device ({}/4.0 GiB) on startup is less than desired GPU memory utilization (0.9, 3.6 GiB)."
PTX = "ptxas application ptx input, line 9; fatal   : Unsupported .version 9.9; current version is '{}'"


@pytest.mark.parametrize(
    ("word", "said", "wanted"),
    [
        ("MAJOR_OF_CUDNN", ["libcudnn.so.8: cannot open shared object file"], "8"),
        ("MAJOR_OF_CUDNN", ["Could not load cudnn_ops64_9.dll"], "9"),
        ("MAJOR_OF_CUDNN", ["libcudnn.so.8", "libcudnn.so.9"], OPEN),
        ("GCC", ["gcc versions later than 12 are not supported"], "12"),
        ("GCC", ["gcc versions later than 12", "gcc versions later than 11"], OPEN),
        ("GCC", ["gcc is old"], OPEN),
        ("CUDNN_RELEASES", ["Loaded runtime CuDNN library: 8.4.1 but source was compiled with: 8.6.0."], ">=8.6,<9"),
        ("CUDNN_RELEASES", ["none"], OPEN),
        ("PID", [HOLDERS.format("71.30 GiB", "900.00 MiB")], "1837"),
        ("PID", [HOLDERS.format("1.30 GiB", "1500.00 MiB")], "99"),
        ("PID", [HOLDERS.format("1.50 GiB", "1500.00 MiB")], "1837"),
        ("PID", ["CUDA out of memory."], OPEN),
        # A little of what is free stays for others.
        ("FREE_SHARE", [FREE.format("3.22")], "0.78"),
        ("FREE_SHARE", [FREE.format("4.0")], "0.98"),
        ("FREE_SHARE", [FREE.format("3.22"), FREE.format("2.00")], "0.48"),
        ("FREE_SHARE", [FREE.format("0.42")], "0.08"),
        ("FREE_SHARE", [FREE.format("0.40")], OPEN),
        ("PACKAGE", [NO_MATCH.format("jaxlib==0.4")], "jaxlib"),
        ("PACKAGE", [NO_MATCH.format("jaxlib"), NO_MATCH.format("torch")], OPEN),
        ("PACKAGE", ["flash_attn fails"], "flash-attn"),
        ("NEWER_REQUIREMENT", [NO_MATCH.format("jaxlib")], "jaxlib"),
        ("REQUIREMENT", ["AttributeError: module 'numpy' has no attribute 'bool'"], "numpy<1.24"),
        ("REQUIREMENT", [NO_MATCH.format("jaxlib")], OPEN),
        ("CUDA_THE_DRIVER_SERVES", [PTX.format("8.4")], "12.4"),
        ("CONDA_TOOLKIT", [PTX.format("8.4")], "cuda-version=12.4"),
        ("CONDA_TOOLKIT", [PTX.format("7.1")], "cudatoolkit=11.1"),
        ("COMPILER_WHEELS", [PTX.format("8.4")], '"nvidia-cuda-nvcc-cu12==12.4.*" "nvidia-cuda-nvrtc-cu12==12.4.*"'),
        ("COMPILER_WHEELS", [PTX.format("9.0")], '"nvidia-cuda-nvcc==13.0.*" "nvidia-cuda-nvrtc==13.0.*"'),
        ("COMPILER_WHEELS", [PTX.format("7.1")], NONE),
        ("CUDA_THE_DRIVER_SERVES", ["none"], OPEN),
        ("CONDA_TOOLKIT", ["none"], OPEN),
        ("COMPILER_WHEELS", ["none"], OPEN),
        ("PACKAGE_WITHOUT_GPU_CODE", ["No module named 'mmcv._ext'"], "mmcv"),
        ("PACKAGE_WITHOUT_GPU_CODE", ["mmcv is there"], OPEN),
        ("PACKAGE_WITH_GPU_CODE", ["mmcv is there"], OPEN),
    ],
)
def test_what_messages_say(word, said, wanted):
    assert value(word, said=said) == wanted


@pytest.mark.parametrize(
    ("said", "command", "option"),
    [
        # What makes pip compile again, and the option of its time.
        (
            ["CMAKE_ARGS=-DGGML_CUDA=on pip install llama-cpp-python"],
            *("pip install llama-cpp-python --force-reinstall --no-cache-dir", "GGML_CUDA"),
        ),
        (
            ["CMAKE_ARGS=-DLLAMA_CUBLAS=on pip install llama-cpp-python==0.2.20 --no-cache-dir"],
            *("pip install llama-cpp-python==0.2.20 --no-cache-dir --force-reinstall", "LLAMA_CUBLAS"),
        ),
        (["pip install llama-cpp-python"], OPEN, OPEN),
        (["CMAKE_ARGS=-DX=on pip install a-b==1", "CMAKE_ARGS=-DX=on pip install c-d==1"], OPEN, OPEN),
        (["none"], OPEN, OPEN),
    ],
)
def test_the_reporters_own_build(said, command, option):
    assert value("BUILD_COMMAND", said=said) == command
    assert value("CUDA_OPTION_OF_BUILD", said=said) == option


@pytest.mark.parametrize(
    ("cuda", "conda", "wheels"),
    [
        ("9.1", '"cudatoolkit<=9.1"', NONE),
        ("9.2", "cudatoolkit=9.2", NONE),
        ("11.8", "cudatoolkit=11.8", NONE),
        ("12.0", "cuda-version=12.0", '"nvidia-cuda-nvcc-cu12==12.0.*" "nvidia-cuda-nvrtc-cu12==12.0.*"'),
        ("13.0", "cuda-version=13.0", '"nvidia-cuda-nvcc==13.0.*" "nvidia-cuda-nvrtc==13.0.*"'),
    ],
)
def test_the_toolkit_of_the_cuda_that_the_driver_offers(cuda, conda, wheels):
    assert value("CUDA_THE_DRIVER_SERVES", **driver(None, cuda)) == cuda
    assert value("CONDA_TOOLKIT", **driver(None, cuda)) == conda
    assert value("COMPILER_WHEELS", **driver(None, cuda)) == wheels


@pytest.mark.parametrize(
    ("release", "setting"),
    [
        ("2.0.1", "max_split_size_mb:128"),
        ("2.1.0", "expandable_segments:True"),
        (None, "expandable_segments:True"),
    ],
)
def test_what_joins_the_pieces_of_the_cache(release, setting):
    assert value("ALLOCATOR", **(has(release) if release else {})) == setting


ASKED = "unsatisfied condition: cuda{}, please update"


@pytest.mark.parametrize(
    ("word", "cards", "sections", "wanted"),
    [
        ("CAPABILITY", (RTX_4090, T4, RTX_4090), {}, "8.9;7.5"),
        ("CAPABILITY", (), {}, OPEN),
        ("GPU", (RTX_4090,), {}, "0"),
        ("INDEX_OF_THE_GPU", (card("NVIDIA L4", "8.9", index=3),), {}, "3"),
        ("GPU", (RTX_4090, T4), {}, OPEN),
        ("GPU", (), {}, OPEN),
        ("RELEASE_OF_DRIVER", (), driver("535.183.01"), "535.183.01"),
        ("BRANCH_OF_DRIVER", (), driver("535.183.01"), "535"),
        ("BRANCH_OF_DRIVER", (), driver(None, "12.4"), OPEN),
        ("LEGACY_BRANCH", (K80, GTX_1080_TI), {}, "470"),
        ("LEGACY_BRANCH", (GTX_1080_TI,), {}, "580"),
        ("LEGACY_BRANCH", (RTX_4090,), {}, OPEN),
        ("BRANCH", (RTX_4090,), LINUX | {"said": [ASKED.format(">=12.9")]}, "580"),
        ("BRANCH", (RTX_4090,), LINUX | {"said": [ASKED.format(" >= 13.1")]} | has("2.6.0+cu124"), "615"),
        ("BRANCH", (), LINUX | has("2.6.0+cu124"), "580"),
        ("BRANCH", (RTX_4090,), LINUX, "580"),
        ("BRANCH", (), LINUX, OPEN),
        ("BRANCH", (RTX_4090,), ON_WINDOWS, OPEN),
    ],
)
def test_gpus_and_drivers(word, cards, sections, wanted):
    assert value(word, *cards, **sections) == wanted


CONDA = {"environment": "conda"}
CUDNN_BY_CONDA = {"packages": packages("cudnn==8", installer="conda")}


@pytest.mark.parametrize(
    ("word", "sections", "around", "wanted"),
    [
        ("IMAGE", {"container": Container(kind="docker", image="nvidia/cuda:12.4")}, (), "nvidia/cuda:12.4"),
        ("IMAGE", {"container": Container(kind="docker")}, (), OPEN),
        (
            *("IMAGE_FOR_GPUS", {"container": Container(kind="docker", image="tensorflow/tensorflow:2.15.0")}, ()),
            "tensorflow/tensorflow:2.15.0-gpu",
        ),
        ("IMAGE_FOR_GPUS", {"container": Container(kind="docker", image="pytorch/pytorch:latest")}, (), OPEN),
        ("PIP", python("3.4.3"), (), "pip<19.2"),
        ("PIP", python("2.7.18"), (), "pip<21.0"),
        ("PIP", python("3.12.4"), (), "pip"),
        ("PIP", {}, (), "pip"),
        ("APPTAINER", {}, (), "apptainer"),
        ("APPTAINER", {}, ("at-singularity",), "singularity"),
        ("FOLDER_WITH_LIBCUDA_SO", {"container": Container(kind="none", wsl=Wsl(version=2))}, (), "/usr/lib/wsl/lib"),
        ("FOLDER_WITH_LIBCUDA_SO", {"container": Container(kind="docker")}, (), OPEN),
        (
            *(
                "FOLDER_OF_THE_LIBRARY",
                CUDNN_BY_CONDA | python("3.9.1", **CONDA),
            ),
            *((), "$CONDA_PREFIX/lib"),
        ),
        (
            "FOLDER_OF_THE_LIBRARY",
            ON_WINDOWS | {"packages": packages("cudatoolkit==11.8", installer="conda")} | python("3.9.1", **CONDA),
            *((), r"$env:CONDA_PREFIX\Library\bin"),
        ),
        ("FOLDER_OF_THE_LIBRARY", {}, ("at-conda-cuda",), "$CONDA_PREFIX/lib"),
        ("FOLDER_OF_THE_LIBRARY", {"packages": packages("cudnn==8")} | python("3.9.1", **CONDA), (), OPEN),
        (
            *("FOLDER_OF_THE_LIBRARY", CUDNN_BY_CONDA | python("3.9.1")),
            *((), OPEN),
        ),
        ("FOLDER_OF_THE_LIBRARY", python("3.9.1", **CONDA), (), OPEN),
    ],
)
def test_where_it_is_typed(word, sections, around, wanted):
    assert value(word, around=around, **sections) == wanted


@pytest.mark.parametrize(
    ("sections", "part"),
    [
        (jetson("R36.4.3"), "install --no-cache-dir torch torchvision --index-url https://pypi.jetson-ai-lab.io/jp6/"),
        (jetson("R35.4.1"), "redist/jp/v512/pytorch/torch-2.1.0"),
        (jetson("R32.7.1", **has(tensorflow("2.4.0"))), "tensorflow==2.7.0+nv22.1"),
        (jetson("R32.7.1", **has("1.9.0", tensorflow("2.4.0"))), "l4t-pytorch:r32.7.1"),
        (jetson("R99"), NONE),
        (jetson(None), NONE),
        ({}, NONE),
    ],
)
def test_the_build_for_a_jetson(sections, part):
    made = value("BUILD_FOR_THIS_JETPACK", **sections)
    assert (part in made) if part else made == NONE


ADA_535 = {"cards": (RTX_4090,), **driver("535.183.01"), **python("3.12.4")}


@pytest.mark.parametrize(
    ("sections", "tag", "pins"),
    [
        # The stated release, else the one that is nearest.
        (LINUX | ADA_535 | has("2.6.0+cpu"), "cu124", "torch==2.6.0+cu124 torchvision==0.21.0 torchaudio==2.6.0"),
        (
            LINUX | ADA_535 | {"cards": (GTX_1080_TI,)} | driver("580.65.06") | has("2.8.0+cu128"),
            *("cu126", "torch==2.8.0+cu126 torchvision==0.23.0 torchaudio==2.8.0"),
        ),
        (
            LINUX | ADA_535 | {"cards": (K80,)} | driver("470.256.02") | python("3.9.4") | has("2.6.0+cpu"),
            *("cu118", "torch==2.3.1+cu118 torchvision==0.18.1 torchaudio==2.3.1"),
        ),
        (
            LINUX | ADA_535 | {"cards": (RTX_5090,)} | driver("570.86.10") | has("2.6.0+cu124"),
            *("cu128", "torch==2.7.1+cu128 torchvision==0.22.1 torchaudio==2.7.1"),
        ),
        # Of no stated release the build that asks least of the driver.
        (LINUX | ADA_535, "cu126", "torch torchvision"),
        (LINUX | {"cards": (RTX_4090,)}, "cu126", "torch torchvision"),
        (LINUX | has("2.6.0+cpu"), "cu124", "torch==2.6.0+cu124 torchvision==0.21.0 torchaudio==2.6.0"),
        # A driver of Windows; a system that nobody stated has what both have.
        (
            ON_WINDOWS | ADA_535 | driver("536.23") | has("2.6.0+cpu"),
            *("cu118", "torch==2.6.0+cu118 torchvision==0.21.0 torchaudio==2.6.0"),
        ),
        (
            ADA_535 | driver("536.23") | has("2.6.0+cpu"),
            *("cu124", "torch==2.6.0+cu124 torchvision==0.21.0 torchaudio==2.6.0"),
        ),
        # Of the CUDA alone that the driver offers.
        (LINUX | driver(None, "11.4"), "cu118", "torch torchvision"),
        (LINUX | driver(None, "12.4"), "cu126", "torch torchvision"),
        (LINUX | driver(None, "10.2"), "cu102", "torch torchvision"),
        (LINUX | driver(None, "10.2") | {"cards": (RTX_4090,)}, OPEN, "torch torchvision"),
        # There is none, or nothing is known.
        (LINUX | {"cards": (card("GTX 680", "3.0"),)} | driver("470.256.02"), NONE, "torch torchvision"),
        (LINUX | {"gpus": None} | has("2.3.0+cpu"), OPEN, "torch torchvision"),
        (LINUX, OPEN, "torch torchvision"),
        ({"host": MACOS} | ADA_535 | has("2.6.0+cpu"), OPEN, "torch torchvision"),
    ],
)
def test_the_build_for_the_gpu(sections, tag, pins):
    cards = sections.get("cards", ())
    rest = {name: one for name, one in sections.items() if name != "cards"}
    assert value("CUDA_TAG", *cards, **rest) == tag
    assert value("TORCH_TO_INSTALL", *cards, **rest) == pins


RADEON, OLDER = Gpu(vendor="amd", name="AMD Radeon RX 7900 XTX"), Gpu(vendor="amd", name="AMD Radeon RX 6600")
ARC, UNKNOWN = Gpu(vendor="intel", name="Intel Arc A770"), Gpu(vendor="amd", name="AMD Graphics")


@pytest.mark.parametrize(
    ("cards", "said", "index", "override"),
    [
        ((RADEON,), (), "rocm", "11.0.0"),
        ((OLDER,), (), "rocm", "10.3.0"),
        ((RADEON, OLDER), (), "rocm", OPEN),
        ((UNKNOWN,), ("gfx1032 is not supported",), "rocm", "10.3.0"),
        ((UNKNOWN,), (), "rocm", OPEN),
        ((ARC,), (), "xpu", OPEN),
        ((ARC, RADEON), (), OPEN, "11.0.0"),
        ((RTX_4090,), (), OPEN, OPEN),
        ((), ("gfx1032 is not supported",), OPEN, "10.3.0"),
        ((), ("gfx1032", "gfx1103"), OPEN, OPEN),
        ((), ("gfx942 is not supported",), OPEN, NONE),
    ],
)
def test_gpus_of_other_makers(cards, said, index, override):
    found = value("MAKERS_TAG", *cards, said=said)
    assert found is OPEN if index is OPEN else found.startswith(index)
    assert value("GFX_OVERRIDE", *cards, said=said) == override


@pytest.mark.parametrize(
    ("said", "there", "release", "words"),
    [
        # What is compiled, in its stated release.
        (
            *("flash_attn_2_cuda.so: undefined symbol", ("flash-attn==2.5.0",), None),
            {
                "EXTENSION": "flash-attn",
                "EXTENSION_RELEASE": "flash-attn==2.5.0",
                "FORCE_BUILD": "TRUE",
                "SERVER": NONE,
            },
        ),
        (
            "mamba_ssm fails",
            (),
            None,
            {"EXTENSION_RELEASE": "mamba-ssm", "FORCE_BUILD": NONE},
        ),
        (
            "mamba_ssm and flash_attn fail",
            (),
            None,
            {"EXTENSION": OPEN, "EXTENSION_RELEASE": OPEN, "FORCE_BUILD": NONE},
        ),
        ("nothing", ("mamba-ssm==2.0",), None, {"EXTENSION": "mamba-ssm", "PACKAGE": "mamba-ssm"}),
        ("nothing", (), None, {"EXTENSION": OPEN, "SERVER": NONE, "BUILT_WITH_TORCH": NONE}),
        # A server of models brings its torch, and nobody compiles it.
        ("vllm._C fails", ("vllm==0.6.0",), None, {"EXTENSION": NONE, "SERVER": "vllm==0.6.0", "PACKAGE": NONE}),
        ("vllm and sglang fail", (), None, {"EXTENSION": NONE, "SERVER": NONE}),
        ("nothing", ("vllm==0.6", "flash-attn==2.1"), None, {"EXTENSION": "flash-attn", "SERVER": "vllm==0.6"}),
        # xformers comes with each release of torch.
        (
            *("xformers is not loaded", ("xformers==0.0.20",), "2.3.0+cu121"),
            {"EXTENSION": NONE, "BUILT_FOR_TORCH": "xformers==0.0.26.post1", "BUILT_WITH_TORCH": NONE},
        ),
        ("xformers is not loaded", (), None, {"BUILT_FOR_TORCH": NONE, "BUILT_WITH_TORCH": "xformers"}),
        ("xformers is not loaded", (), "99.0", {"BUILT_FOR_TORCH": NONE, "BUILT_WITH_TORCH": "xformers"}),
        (
            *("xformers and flash_attn fail", (), "2.3.0+cu121"),
            {"EXTENSION": "flash-attn", "BUILT_FOR_TORCH": NONE, "BUILT_WITH_TORCH": NONE},
        ),
        ("flash_attn fails", (), "2.3.0+cu121", {"BUILT_FOR_TORCH": NONE, "BUILT_WITH_TORCH": NONE}),
        # Some are compiled from their repository.
        (
            *("from pytorch3d import _C", ("mamba-ssm==2.0",), None),
            {"EXTENSION": NONE, "SOURCE_OF_EXTENSION": "git+https://github.com/facebookresearch/pytorch3d.git@stable"},
        ),
        ("flash_attn fails", (), None, {"SOURCE_OF_EXTENSION": NONE}),
    ],
)
def test_extensions(said, there, release, words):
    sections = ({"packages": packages(*there)} if there else {}) | (has(release) if release else {})
    assert {word: value(word, said=[said], **sections) for word in words} == words


MMCV = "https://download.openmmlab.com/mmcv/dist"


@pytest.mark.parametrize(
    ("there", "release", "wanted"),
    [
        ((), None, "mmcv-full"),
        (("mmcv==1.7.0",), "1.13.1+cu117", f"mmcv-full==1.7.0 -f {MMCV}/cu117/torch1.13/index.html"),
        (("mmcv-full==1.7.0",), "1.13.1+cu117", f"mmcv-full==1.7.0 -f {MMCV}/cu117/torch1.13/index.html"),
        # From 2 on it has the code itself.
        (("mmcv==2.1.0",), "2.1.0+cu121", f"mmcv==2.1.0 -f {MMCV}/cu121/torch2.1/index.html"),
        ((), "2.4.1+cu121", f"mmcv -f {MMCV}/cu121/torch2.4/index.html"),
        ((), "1.13.1+cu117", f"mmcv-full -f {MMCV}/cu117/torch1.13/index.html"),
        # There are no wheels for a newer torch, and no page without its CUDA.
        ((), "2.5.0+cu121", "mmcv --no-binary mmcv"),
        (("mmcv==2.1.0",), "2.1.0", "mmcv==2.1.0"),
    ],
)
def test_the_package_with_the_compiled_part(there, release, wanted):
    sections = ({"packages": packages(*there)} if there else {}) | (has(release) if release else {})
    assert value("PACKAGE_WITH_GPU_CODE", said=["No module named 'mmcv._ext'"], **sections) == wanted
