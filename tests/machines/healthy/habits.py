"""How people set up their environments, where it is unusual and does no harm."""

from gpudoctor.facts.system import Space
from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.containers import image, in_docker
from tests.machines.healthy.frameworks import tensorflow, torch
from tests.machines.healthy.pieces import DISPLAY, K24, PERSISTENCED, numpy, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.servers import rhel
from tests.machines.healthy.target import ADA, conda, system, venv


def kernel(name: str, python: str) -> Machine:
    """A Jupyter kernel of the user's."""
    text = (
        f'{{"argv": ["{python}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"], "display_name": "{name}"}}'
    )
    return Machine(files={f"{ADA}/.local/share/jupyter/kernels/{name}/kernel.json": text})


UV_WITHOUT_PIP = made(
    "a uv environment, which has no pip; the pip on PATH is the system's",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.169", cards.RTX_4070, flavour="open", **DISPLAY),
    torch(venv("3.12.3", f"{ADA}/work/.venv", made_by="uv = 0.7.2"), "2.7.1+cu128", installer="uv").machine,
    Machine(
        files={f"{ADA}/work/uv.lock": "version = 1\n", "/usr/bin/pip": "#!/usr/bin/python3\n", "/usr/bin/uv": "ELF"}
    ),
    sees="1 GPU, torch 2.7.1+cu128",
)
CONDA_USER_SITE = made(
    "a conda environment, where the user site counts too, with a package of no concern in it",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3090, **DISPLAY),
    numpy(torch(conda("3.10.16"), "2.6.0+cu124")).machine,
    Machine(
        files={
            f"{ADA}/.local/lib/python3.10/site-packages/tqdm-4.67.1.dist-info/METADATA": "Version: 4.67.1\n",
            f"{ADA}/.local/lib/python3.10/site-packages/tqdm/__init__.py": "",
        }
    ),
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
KERNELS = made(
    "Jupyter kernels of three environments, one of them this",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3090, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    kernel("torch", f"{ADA}/venv/bin/python"),
    kernel("tf", f"{ADA}/tf-venv/bin/python"),
    kernel("r", f"{ADA}/other/bin/python"),
    Machine(files={f"{ADA}/{name}/bin/python": "ELF" for name in ("tf-venv", "other")}),
    sees="1 GPU, torch 2.6.0+cu124",
)
PROTOBUF = made(
    "TensorFlow with the protobuf, NumPy and ml-dtypes that its requirements name",
    ubuntu(),
    cards.installed("560.35.05", cards.RTX_3060, **DISPLAY),
    numpy(tensorflow(venv("3.11.12"), "2.18.0", keras="3.6.0"), "2.0.2")
    .dist("protobuf", "5.28.3")
    .dist("ml-dtypes", "0.4.1")
    .machine,
    sees="1 GPU, tensorflow 2.18.0",
)
HOME_ON_SERVER = made(
    "a cluster's home on a file server, scratch in TMPDIR, an environment on the server",
    rhel("9.4", "5.14.0-427.el9.x86_64", "2.34", "rocky"),
    PERSISTENCED,
    cards.installed("560.35.05", cards.L40S, folder="/usr/lib64", flavour="open"),
    Machine(
        env={"TMPDIR": "/scratch/ada"},
        files={
            "/proc/self/mountinfo": "27 1 259:2 / / rw,relatime - xfs /dev/nvme0n1p2 rw\n"
            "31 27 0:44 / /home rw,relatime - nfs4 files:/home rw\n"
        },
        spaces={"/scratch/ada": Space(path="/scratch/ada", total=900 * parts.GIB, free=700 * parts.GIB)},
        directories={"/scratch/ada": ()},
    ),
    torch(venv("3.11.9"), "2.6.0+cu126").machine,
    sees="1 GPU, torch 2.6.0+cu126",
)
TMPFS = made(
    "/tmp in memory, with room for what pip unpacks",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.169", cards.RTX_4080, flavour="open", **DISPLAY),
    Machine(spaces={"/tmp": Space(path="/tmp", total=32 * parts.GIB, free=31 * parts.GIB)}),
    torch(venv("3.12.3"), "2.7.1+cu126").machine,
    sees="1 GPU, torch 2.7.1+cu126",
)
PROJECT_FILES = made(
    "a project folder full of files named after what they do: train.py, test_torch.py, jax_notes.md, models/",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3060, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(
        files={
            f"{ADA}/work/{name}": ""
            for name in ("train.py", "test_torch.py", "torch_utils.py", "jax_notes.md", "models/net.py")
        }
    ),
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
ROOT_IMAGE = made(
    "pip as root in an image's own Python, with a newer pip in /usr/local/bin",
    image(),
    in_docker(),
    cards.installed("550.163.01", cards.L4, flavour="open"),
    torch(system("3.11.11", "/usr/local", debian=False, home="/root"), "2.6.0+cu124").dist("pip", "25.1").machine,
    Machine(files={"/usr/local/bin/pip": "#!/usr/local/bin/python3\n"}),
    sees="1 GPU, torch 2.6.0+cu124",
)
VARIABLES = made(
    "variables that tune and change nothing: allocator, thread counts, NCCL's log, a cache folder",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", *[cards.A100] * 2),
    torch(venv("3.11.12"), "2.6.0+cu124").machine,
    Machine(
        env={
            "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
            "OMP_NUM_THREADS": "8",
            "NCCL_DEBUG": "WARN",
            "CUDA_CACHE_MAXSIZE": "2147483648",
            "TF_FORCE_GPU_ALLOW_GROWTH": "true",
            "CUDA_DEVICE_MAX_CONNECTIONS": "1",
            "CUDA_VISIBLE_DEVICES": "0,1",
        }
    ),
    sees="2 GPU, torch 2.6.0+cu124",
)
EXTERNALLY_MANAGED = made(
    "Debian 12's Python with a venv, though the system itself refuses pip (PEP 668)",
    parts.linux("debian", "12", "6.1.0-37-amd64", glibc="2.36"),
    cards.installed("550.163.01", cards.RTX_3060, **DISPLAY),
    torch(venv("3.11.2"), "2.6.0+cu124").machine,
    Machine(files={"/usr/lib/python3.11/EXTERNALLY-MANAGED": "[externally-managed]\n"}),
    sees="1 GPU, torch 2.6.0+cu124",
)

MACHINES: dict[str, Healthy] = {
    "ubuntu-4070-uv-without-pip": UV_WITHOUT_PIP,
    "ubuntu-3090-conda-user-site": CONDA_USER_SITE,
    "ubuntu-3090-three-kernels": KERNELS,
    "ubuntu-3060-protobuf": PROTOBUF,
    "rocky-l40s-home-on-server": HOME_ON_SERVER,
    "ubuntu-4080-tmp-in-memory": TMPFS,
    "ubuntu-3060-project-files": PROJECT_FILES,
    "docker-l4-pip-as-root": ROOT_IMAGE,
    "ubuntu-2-a100-variables": VARIABLES,
    "debian-3060-externally-managed": EXTERNALLY_MANAGED,
}
