"""What packages, NCCL, gpustat and AMD's tools print of a machine."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.sources.out_of_memory import parse_out_of_memory
from gpudoctor.tickets.read import ingest
from tests.tickets.stated import fact

GIB = 1 << 30


def read(text: str):
    return ingest(text.encode(), load_matrix())


TEXTS = {
    # TensorFlow for ROCm lists AMD's devices as CUDA's.
    "tensorflow-rocm": (
        "Created device /device:GPU:0 with 15089 MB memory:  -> device: 0, name: Vega 20, pci bus id: 0000:26:00.0\n",
        {"gpus.0.vendor": "amd", "gpus.0.name": "Vega 20"},
    ),
    "torch-rocm": (
        ">>> torch.cuda.get_device_name(0)\n'AMD Instinct MI210'\n",
        {"gpus.0.vendor": "amd", "gpus.0.name": "AMD Instinct MI210"},
    ),
    "xformers.info": (
        (
            "xFormers 0.0.27\npytorch.version:        2.3.1+cu121\npytorch.cuda:           available\n"
            "gpu.compute_capability:             8.6\ngpu.name:                           NVIDIA GeForce RTX 3090\n"
        ),
        {
            "frameworks.torch.version": "2.3.1+cu121",
            "live.torch.gpu_available": "True",
            "gpus.0.name": "NVIDIA GeForce RTX 3090",
            "gpus.0.capability": "8.6",
        },
    ),
    "ds_report": (
        (
            "torch version .................... 2.1.0+cu121\ntorch cuda version ............... 12.1\n"
            "nvcc version ..................... 11.8\ndeepspeed info ................... 0.12.3, unknown, unknown\n"
        ),
        {"frameworks.torch.version": "2.1.0+cu121", "toolkits.0.version": "11.8"},
    ),
    "fastai": (
        (
            "torch version  : 1.0.0\nnvidia driver  : 410.79\ntorch cuda     : 9.0 / is available\n"
            "python         : 3.6.6\nplatform       : Linux-4.15.0-43-generic-x86_64-with-debian-buster-sid\n"
        ),
        {
            "frameworks.torch.version": "1.0.0",
            "driver.release": "410.79",
            "live.torch.gpu_available": "True",
            "interpreter.version": "3.6.6",
            "host.kernel": "4.15.0-43-generic",
        },
    ),
    "Lightning": (
        (
            "* CUDA:\n\t- GPU:\n\t\t- NVIDIA GeForce RTX 3090\n\t\t- NVIDIA GeForce RTX 3090\n"
            "\t- available: True\n"
            "\t- version: 11.3\n* Packages:\n\t- pytorch_version:   1.10.0\n* System:\n\t- python: 3.9.7\n"
        ),
        {
            "frameworks.torch.version": "1.10.0",
            "live.torch.gpu_available": "True",
            "gpus.1.name": "NVIDIA GeForce RTX 3090",
            "interpreter.version": "3.9.7",
        },
    ),
    "ComfyUI": (
        (
            "Total VRAM 24564 MB, total RAM 65277 MB\npytorch version: 2.3.1+cu121\nSet vram state to: NORMAL_VRAM\n"
            "Device: cuda:0 NVIDIA GeForce RTX 4090 : cudaMallocAsync\n"
        ),
        {"frameworks.torch.version": "2.3.1+cu121", "gpus.0.name": "NVIDIA GeForce RTX 4090"},
    ),
    "Ultralytics": (
        "Ultralytics YOLOv8.0.20 Python-3.8.10 torch-1.13.1+cpu CPU (Intel Core i7)\n",
        {
            "frameworks.torch.variant": "cpu",
            "live.torch.gpu_available": "False",
            "interpreter.version": "3.8.10",
        },
    ),
    "Ultralytics on a GPU": (
        "YOLOv5 v6.2 Python-3.9.7 torch-1.12.1+cu113 CUDA:0 (NVIDIA GeForce RTX 3060, 12288MiB)\n",
        {"gpus.0.name": "NVIDIA GeForce RTX 3060", "frameworks.torch.cuda": "11.3"},
    ),
    "rocminfo": (
        (
            "Agent 1\n  Name:                    AMD Ryzen 7 5800X\n  Marketing Name:          AMD Ryzen 7 5800X\n"
            "Agent 2\n  Name:                    gfx1031\n  Marketing Name:          AMD Radeon RX 6700 XT\n"
        ),
        {"gpus.0.name": "AMD Radeon RX 6700 XT", "gpus.0.vendor": "amd"},
    ),
    "an Intel GPU in words": (
        "CPU: 13th Gen Intel Core i9-13900K\nGPU: Intel Arc A750 8GB\n",
        {"gpus.0.vendor": "intel", "gpus.0.name": "Intel Arc A750"},
    ),
    "gpustat": (
        "[0] NVIDIA A100 80GB PCIe | 52'C, 100 % | 10151 / 81920 MB | (null)\n",
        {"gpus.0.name": "NVIDIA A100 80GB PCIe", "gpus.0.memory_total_mib": "81920"},
    ),
    "gpustat beside a driver that leaves the maker out of the name": (
        "[1] A100-SXM4-40GB   | 34'C,   3 % |  2210 / 40536 MB | ada(2207M)\n",
        {"gpus.0.name": "A100-SXM4-40GB", "gpus.0.index": "1", "gpus.0.memory_used_mib": "2210"},
    ),
    "cpp_extension": (
        (
            "The detected CUDA version (12.1) mismatches the version that was used to compile\n"
            "PyTorch (11.8). Please make sure to use the same CUDA versions.\n"
        ),
        {"toolkits.0.version": "12.1", "frameworks.torch.cuda": "11.8"},
    ),
    "the pip of another Python": (
        "PyTorch version: 1.3.0\nIs debug build: No\nCUDA used to build PyTorch: 10.1.243\n\n[pip3] torch==1.2.0\n",
        {"frameworks.torch.cuda": "10.1", "frameworks.torch.version": "1.3.0+cu101"},
    ),
    "prints of two versions": (
        ">>> print(jax.__version__, jaxlib.__version__)\n0.4.20 0.4.19\n",
        {"frameworks.jax.version": "0.4.20", "frameworks.jaxlib.version": "0.4.19"},
    ),
    "a path of Windows": (
        'Error loading "D:\\soft\\envs\\a\\Lib\\site-packages\\torch\\lib\\x.dll"\n',
        {"host.os": "windows"},
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_it_states_arrives(name: str) -> None:
    text, facts = TEXTS[name]
    made = read(text)
    assert {path: fact(made, path) for path in facts} == facts


def test_a_processors_graphics_are_not_taken_for_a_gpu() -> None:
    assert fact(read("CPU: AMD Ryzen 7 7840HS w/ Radeon 780M Graphics\n"), "gpus.0.name") == "unseen"


@pytest.mark.parametrize("words", ["GPU: Intel Arc A750 8GB", "GPU: AMD Radeon RX 6800", "GPU : Radeon Pro W6800"])
def test_another_makers_product_is_no_nvidia_gpu(words: str) -> None:
    gpus = read(f"{words}\nAssertionError: Torch not compiled with CUDA enabled\n").snapshot.gpus
    assert not getattr(gpus, "nvidia", ())


def test_a_processor_beside_the_gpu_is_not_its_maker() -> None:
    assert fact(read("GPU: RTX 3090, CPU: AMD Ryzen 9\n"), "gpus.0.name") == "NVIDIA GeForce RTX 3090"


def test_the_size_of_the_memory_makes_no_other_gpu() -> None:
    text = "GPU models and configuration: GPU 0: GeForce GTX 1060 3GB\nIs debug build: No\n\nGPU: GTX 1060\n"
    assert not read(text).contradictions


def test_shared_memory_that_df_shows() -> None:
    made = read("root@db92462e8c19:/# df -h | grep shm\nshm              64M   60M  4.0M  94% /dev/shm\n")
    space = made.snapshot.host.space("shm")
    assert (space.total, space.free) == (64 << 20, 4 << 20)


OLD = (
    "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.93 GiB total capacity; 2.81 GiB already allocated; "
    "25.38 MiB free; 3.06 GiB reserved in total by PyTorch)"
)
NEW = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 38.44 MiB is"
    " free. Including non-PyTorch memory, this process has 23.60 GiB memory in use. Of the allocated memory 12.50 GiB"
    " is allocated by PyTorch, and 10.20 GiB is reserved by PyTorch but unallocated."
)


def test_who_holds_the_memory() -> None:
    old, new = parse_out_of_memory(OLD), parse_out_of_memory(NEW)
    assert old is not None
    assert new is not None
    assert old.others == pytest.approx(4.85 * GIB, rel=0.01)
    assert new.others is not None
    assert new.others < 0.1 * GIB
    assert new.unused == pytest.approx(10.2 * GIB, rel=0.01)
    assert parse_out_of_memory("CUDA out of memory.") is None
    assert parse_out_of_memory("Tried to allocate ... MiB; . GiB total capacity") is None
