"""Containers, and hosts that start them."""

from gpudoctor.host.machine import Machine
from tests.machines import answers, parts
from tests.machines.broken.recorded import Broken, ill
from tests.machines.healthy import cards
from tests.machines.healthy.containers import CTK, image, in_docker
from tests.machines.healthy.elf import library
from tests.machines.healthy.frameworks import tensorflow, torch
from tests.machines.healthy.paths import toolkit
from tests.machines.healthy.pieces import DISPLAY, numpy
from tests.machines.healthy.target import ADA, system, venv
from tests.machines.healthy.windows import WSL

P4000 = cards.Card("Quadro P4000", "10de:1bb1", (6, 1), 8192, 105, 3)


MACHINES: dict[str, Broken] = {
    "fedora-docker-not-configured": ill(
        "NVIDIA's toolkit is installed from Fedora's repository and Docker was not told of it",
        "https://github.com/NVIDIA/nvidia-container-toolkit/issues/1011",
        "ctk-not-configured",
        r"nvidia-ctk runtime configure",
        parts.linux("fedora", "41", "6.13.7-200.fc41.x86_64", glibc="2.40"),
        cards.installed("570.124.04", cards.RTX_3050_LAPTOP, folder="/usr/lib64", **DISPLAY),
        Machine(
            files={"/usr/bin/docker": "ELF", "/usr/bin/nvidia-ctk": "ELF", "/usr/bin/nvidia-container-runtime": "ELF"}
        ),
        system("3.13.2", debian=False).machine,
        severity="info",
    ),
    "singularity-without-nv": ill(
        "an image run by Singularity without --nv on a node with V100s",
        "https://github.com/broadinstitute/CellBender/issues/280",
        "container-no-gpu-flag",
        r"--nv\b",
        parts.linux("debian", "11", "3.10.0-1160.el7.x86_64", glibc="2.31"),
        cards.on_the_bus(cards.V100, cards.V100),
        parts.module("525.85.12"),
        parts.nodes("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"),
        Machine(
            env={"SINGULARITY_CONTAINER": "/apps/cellbender.sif", "SINGULARITY_NAME": "cellbender.sif"},
            directories={"/.singularity.d": ("libs",)},
        ),
        answers.nvml_missing(),
        answers.cuda_missing(),
        torch(system("3.7.16", "/opt/conda", debian=False), "1.13.1+cu117").machine,
    ),
    "docker-p4000-no-uvm": ill(
        "nvidia-smi works in the container, and nobody made /dev/nvidia-uvm",
        "https://github.com/blakeblackshear/frigate/issues/4136",
        "uvm-missing",
        r"nvidia-modprobe|modprobe nvidia.uvm|nvidia-uvm",
        image("20.04", "2.31"),
        in_docker(NVIDIA_DRIVER_CAPABILITIES="compute,video,utility"),
        cards.on_the_bus(P4000),
        parts.module("515.65.01", uvm=False),
        parts.libraries("515.65.01"),
        parts.nodes("nvidia0", "nvidiactl", "nvidia-modeset"),
        cards.asked("515.65.01", P4000),
        answers.cuda(11070, init=999),
        system("3.9.2", home="/root").machine,
    ),
    "image-ships-driver-565": ill(
        "the image was built with the driver's libraries of another release",
        "https://github.com/k4yt3x/video2x/issues/1226",
        "container-driver-in-image",
        r"image|--purge|pacman|apt",
        image("24.04", "2.39"),
        in_docker(),
        cards.on_the_bus(cards.RTX_3060),
        parts.module("535.183.01"),
        parts.libraries("565.57.01"),
        parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"),
        parts.dpkg(libnvidia_compute_565="565.57.01-0ubuntu1", nvidia_utils_565="565.57.01-0ubuntu1"),
        answers.nvml_fails(18),
        answers.cuda(12020, init=803),
        system("3.12.3", home="/root").machine,
    ),
    "lxc-without-driver": ill(
        "an LXC container on a Proxmox host that has no driver of NVIDIA's",
        "https://github.com/AbdBarho/stable-diffusion-webui-docker/issues/48",
        "drv-nouveau-bound",
        r"host",
        parts.linux("ubuntu", "22.04", "5.15.39-4-pve", like="debian", uid=0, groups=(0,)),
        Machine(env={"container": "lxc", "HOME": "/root"}),
        parts.pci("0000:01:00.0", "10de:1b06", driver="nouveau"),
        answers.nvml_missing(),
        answers.cuda_missing(),
        torch(venv("3.10.6", "/opt/venv"), "1.12.1+cu116").machine,
        also="drv-absent",
    ),
    "apptainer-user-site": ill(
        "the home folder is bound into the container, and with it a torch that pip once put into ~/.local",
        "https://github.com/nipreps/mriqc/issues/775",
        "py-user-site-shadow",
        r"PYTHONNOUSERSITE",
        parts.linux("ubuntu", "22.04", "5.14.0-427.el9.x86_64", like="debian"),
        Machine(
            env={"APPTAINER_CONTAINER": "/images/seg.sif", "LD_LIBRARY_PATH": "/.singularity.d/libs"},
            links={
                f"/.singularity.d/libs/{n}": f"/usr/lib/x86_64-linux-gnu/{n}"
                for n in ("libcuda.so", "libcuda.so.1", "libnvidia-ml.so.1")
            },
            directories={"/.singularity.d": ("libs",)},
        ),
        cards.installed("550.163.01", cards.A40),
        torch(system("3.10.14", "/opt/conda", debian=False), "2.4.1+cu124").machine,
        torch(
            system("3.10.14", "/opt/conda", debian=False, site=f"{ADA}/.local/lib/python3.10/site-packages"),
            "1.13.1+cpu",
        ).machine,
        also="torch-cpu-only torch-companion-version torch-companion-cuda",
    ),
    "docker-small-shm": ill(
        "loader workers in a container with Docker's 64 MB of shared memory",
        "https://github.com/msr-fiddle/pipedream/issues/28",
        "container-shm-small",
        r"--shm-size|--ipc",
        image("16.04", "2.23"),
        parts.docker(),
        Machine(cwd="/workspace", env={"HOME": "/root", **CTK}),
        cards.installed("418.87.00", *[cards.V100] * 4),
        torch(system("3.6.9", "/opt/conda", debian=False, home="/root"), "1.1.0", companions=False).machine,
        severity="warning",
    ),
    "wsl-container-5080": ill(
        "an image with a torch for CUDA 12.1 on a GeForce 50",
        "https://github.com/fspecii/HeartMuLa-Studio/issues/25",
        "arch-too-new-for-build",
        r"cu128|cu129|cu13",
        image("22.04", "2.35", flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
        in_docker(),
        Machine(
            files={
                "/proc/sys/kernel/osrelease": "6.6.87.2-microsoft-standard-WSL2\n",
                "/usr/lib/wsl/lib/libcuda.so.1": "ELF",
                "/usr/lib/wsl/lib/libnvidia-ml.so.1": "ELF",
            },
            links={
                f"/usr/lib/x86_64-linux-gnu/{n}": f"/usr/lib/wsl/lib/{n}" for n in ("libcuda.so.1", "libnvidia-ml.so.1")
            },
            directories={"/sys/bus/pci/devices": ()},
            stats=WSL.stats,
        ),
        cards.asked("581.57", cards.RTX_5080, os="windows", **DISPLAY),
        torch(system("3.10.12", home="/root"), "2.4.1+cu121").machine,
    ),
    "container-of-before-the-update": ill(
        "a container made before the host's driver was updated still has the libraries of then",
        "https://github.com/NVIDIA/nvidia-docker/issues/737",
        "drv-lib-mismatch",
        r"container",
        image("16.04", "2.23"),
        in_docker(LD_LIBRARY_PATH="/usr/local/nvidia/lib:/usr/local/nvidia/lib64"),
        cards.on_the_bus(cards.GTX_1080_TI),
        parts.module("390.46"),
        parts.libraries("384.81", folder="/usr/local/nvidia/lib64"),
        parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"),
        answers.nvml_fails(18),
        answers.cuda(9000, init=803),
        system("3.5.2", home="/root").machine,
    ),
    "colab-tf28-cudnn805": ill(
        "the image's cuDNN is older than the one TensorFlow 2.8 was compiled with",
        "https://github.com/googlecolab/colabtools/issues/2626",
        "cudnn-too-old",
        r"cudnn|libcudnn8",
        image("18.04", "2.27", flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
        in_docker(
            shm=6 * parts.GIB, COLAB_GPU="1", COLAB_RELEASE_TAG="release-colab", LD_LIBRARY_PATH="/usr/lib64-nvidia"
        ),
        cards.installed("460.32.03", cards.T4, folder="/usr/lib64-nvidia"),
        toolkit(
            "11.1",
            "libcudart.so.11.0",
            "libcublas.so.11",
            "libcublasLt.so.11",
            "libcufft.so.10",
            "libcurand.so.10",
            "libcusolver.so.11",
            "libcusparse.so.11",
            default=True,
        ),
        Machine(
            files={"/etc/ld.so.conf.d/000_cuda.conf": "/usr/local/cuda/lib64\n"},
            binaries={"/usr/lib/x86_64-linux-gnu/libcudnn.so.8.0.5": library("libcudnn.so.8")},
            links={"/usr/lib/x86_64-linux-gnu/libcudnn.so.8": "libcudnn.so.8.0.5"},
        ),
        numpy(tensorflow(system("3.7.12", home="/root"), "2.8.0", and_cuda=False, keras="2.8.0"), "1.21.5").machine,
    ),
}
