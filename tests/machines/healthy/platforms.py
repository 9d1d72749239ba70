"""Older boards, login nodes, hosted notebooks, and what stands between a program and the driver on each."""

from gpudoctor.host.machine import Machine
from gpudoctor.host.port import Stat
from tests.machines import answers, parts
from tests.machines.healthy import cards
from tests.machines.healthy.apple_arm import mac
from tests.machines.healthy.containers import image, in_docker
from tests.machines.healthy.frameworks import jax, tensorflow, torch
from tests.machines.healthy.pieces import DISPLAY, FIRST_NAMESPACE, K24, NO_GPU, PERSISTENCED, numpy, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.servers import rhel
from tests.machines.healthy.target import mac_venv, system, venv, windows_venv
from tests.machines.healthy.windows import WDDM, windows


def jetson(release: str, kernel: str, board: str, chip: str, version: str, glibc: str) -> Machine:
    """A Jetson of before JetPack 6: the driver is nvgpu, and there is no NVML."""
    folder = "/usr/lib/aarch64-linux-gnu/tegra"
    return parts.merge(
        parts.linux("ubuntu", version, kernel, like="debian", arch="aarch64", glibc=glibc,
                    flags="fp asimd atomics", groups=(1000, 44)),
        Machine(
            files={
                "/etc/nv_tegra_release": f"{release}\n",
                f"{folder}/libcuda.so.1.1": "ELF",
                "/proc/device-tree/compatible": f"nvidia,{board}\0nvidia,{chip}\0",
                "/proc/device-tree/model": "NVIDIA Jetson\0",
                "/etc/ld.so.conf.d/nvidia-tegra.conf": f"{folder}\n",
                "/sys/module/nvgpu/version": "1\n",
                "/proc/modules": "nvgpu 2654208 23 - Live 0x0000000000000000 (O)\n",
            },
            links={f"{folder}/libcuda.so.1": "libcuda.so.1.1"},
            directories={"/sys/bus/pci/devices": ()},
            stats={
                f"/dev/{name}": Stat(kind="character", mode=0o660, owner="root", group="video")
                for name in ("nvhost-gpu", "nvhost-ctrl-gpu", "nvmap")
            },
        ),
    )  # fmt: skip


XAVIER = made(
    "Jetson AGX Xavier with JetPack 5.1: the CUDA driver answers, and NVML does not exist there",
    jetson("# R35 (release), REVISION: 4.1, GCID: 1, BOARD: t186ref, EABI: aarch64, DATE: Tue Aug  1 19:57:35 UTC 2023",
           "5.10.120-tegra", "p2972-0000", "tegra194", "20.04", "2.31"),
    answers.cuda(11040, {"name": "Xavier", "capability": [7, 2], "uuid": "0000000000000000000000000000000f"}),
    torch(venv("3.8.10", arch="aarch64"), "2.0.0+nv23.05", archs=("sm_72", "sm_87"), cuda="11.4", cudnn="8.6.0",
          companions=False).machine,
    sees="1 GPU, torch 2.0.0+nv23.05",
)  # fmt: skip
NANO = made(
    "Jetson Nano with JetPack 4.6 and NVIDIA's wheel for Python 3.6",
    jetson("# R32 (release), REVISION: 7.1, GCID: 1, BOARD: t210ref, EABI: aarch64, DATE: Sat Feb 19 17:05:08 UTC 2022",
           "4.9.253-tegra", "p3450-0000", "tegra210", "18.04", "2.27"),
    answers.cuda(10020, {"name": "NVIDIA Tegra X1", "capability": [5, 3], "uuid": "0000000000000000000000000000000f"}),
    torch(venv("3.6.9", arch="aarch64"), "1.10.0", archs=("sm_53", "sm_62", "sm_72"), cuda="10.2", cudnn="8.2.1",
          companions=False).machine,
    sees="1 GPU, torch 1.10.0+cu102",
)  # fmt: skip
INTEL_MAC = made(
    "an Intel Mac with the last torch for it",
    mac("12.7.6", "21.6.0", "Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz"),
    torch(mac_venv("3.11.9"), "2.2.2").machine,
    sees="torch 2.2.2",
    verdict="incomplete",
    why="the GPUs of an Intel Mac are not read, and some of 2013 have NVIDIA ones; nothing is called no-gpu unseen",
)
LOGIN_NODE = made(
    "the login node of a Slurm cluster: no GPU there, and the CUDA build that jobs use",
    rhel("9.4", "5.14.0-427.el9.x86_64", "2.34", "rocky"),
    NO_GPU,
    Machine(files={"/etc/slurm/slurm.conf": "ClusterName=c\n", "/usr/bin/srun": "ELF"}),
    torch(venv("3.11.9"), "2.6.0+cu124").machine,
    sees="torch 2.6.0+cu124",
    verdict="no-gpu",
)
FORWARD = made(
    "forward compatibility: an image with CUDA 12.8 and its cuda-compat in front, on a 535 data-centre host",
    image("24.04", "2.39"),
    in_docker(LD_LIBRARY_PATH="/usr/local/cuda-12.8/compat"),
    cards.installed("535.247.01", cards.H100),
    Machine(
        files={"/usr/local/cuda-12.8/compat/libcuda.so.570.124.06": "ELF"},
        links={
            "/usr/local/cuda-12.8/compat/libcuda.so.1": "libcuda.so.570.124.06",
            "/usr/local/cuda-12.8/compat/libcuda.so": "libcuda.so.1",
        },
    ),
    answers.cuda(12080, cards.cuda_facts(cards.H100)),
    torch(system("3.12.3", home="/root", site="/usr/local/lib/python3.12/dist-packages"), "2.7.1+cu128").machine,
    sees="1 GPU, torch 2.7.1+cu128",
)
KAGGLE = made(
    "a hosted notebook with two T4",
    image(flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    in_docker(shm=14 * parts.GIB, KAGGLE_KERNEL_RUN_TYPE="Interactive"),
    cards.installed("560.35.03", cards.T4, cards.T4),
    numpy(tensorflow(
        system("3.11.11", home="/root", site="/usr/local/lib/python3.11/dist-packages"), "2.18.0", keras="3.8.0"
    )).machine,
    sees="2 GPU, tensorflow 2.18.0",
)  # fmt: skip
DISPLAY_CARD = made(
    "a GTX 1060 beside an RTX 4090, which alone is chosen; the build has code for both",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_4090, cards.GTX_1060, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu126").machine,
    Machine(env={"CUDA_VISIBLE_DEVICES": "0"}),
    sees="2 GPU, torch 2.6.0+cu126",
)
WINDOWS_RADEON = made(
    "Windows 11 with a Radeon: torch computes on the processor",
    windows("10.0.22631.4602", "1002:744c", driver=False),
    numpy(torch(windows_venv("3.12.10"), "2.6.0+cpu")).machine,
    sees="torch 2.6.0+cpu",
    verdict="no-gpu",
)
WINDOWS_TF_CPU = made(
    "Windows 11 without an NVIDIA GPU and TensorFlow, which computes on the processor there",
    windows("10.0.26100.4349", "8086:7d55", driver=False),
    numpy(tensorflow(windows_venv("3.12.10"), "2.18.0", keras="3.6.0"), "2.0.2").machine,
    sees="tensorflow 2.18.0",
    verdict="no-gpu",
)
WINDOWS_TOOLKIT = made(
    "Windows 11 with CUDA 12.6 and CUDA 11.8 toolkits; torch brings its own libraries",
    windows("10.0.22631.4602", "10de:2786"),
    cards.asked("572.83", cards.RTX_4070, os="windows", **WDDM),
    Machine(
        env={"CUDA_PATH": "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.6"},
        files={
            f"C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v{version}\\{name}": text
            for version in ("11.8", "12.6")
            for name, text in (("version.json", f'{{"cuda": {{"version": "{version}.0"}}}}'), ("bin\\nvcc.exe", "MZ"))
        },
    ),
    torch(windows_venv("3.11.9"), "2.6.0+cu126").machine,
    sees="1 GPU, torch 2.6.0+cu126",
)
WSL_DOCKER = made(
    "a container of Docker Desktop: WSL's kernel, its libraries handed in",
    image(flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    in_docker(),
    Machine(
        files={
            "/proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n",
            "/usr/lib/wsl/lib/libcuda.so": "ELF",
            "/usr/lib/wsl/lib/libcuda.so.1": "ELF",
            "/usr/lib/wsl/lib/libnvidia-ml.so.1": "ELF",
            "/etc/ld.so.conf.d/wsl.conf": "/usr/lib/wsl/lib\n",
        },
        links={f"/usr/lib/x86_64-linux-gnu/{name}": f"/usr/lib/wsl/lib/{name}"
               for name in ("libcuda.so.1", "libnvidia-ml.so.1")},
        directories={"/sys/bus/pci/devices": ()},
        stats={"/dev/dxg": Stat(kind="character", mode=0o666, owner="root", group="root")},
    ),
    cards.asked("566.36", cards.RTX_4070, os="windows", **DISPLAY),
    torch(venv("3.11.12", "/opt/venv"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
GRAPHICS = made(
    "a desktop whose GPU is shared with the screen's programs, which hold memory as graphics",
    ubuntu("24.04", K24, "2.39"),
    FIRST_NAMESPACE,
    cards.installed("570.169", cards.RTX_3060, flavour="open", **{
        **DISPLAY,
        "memory": {"total": 12288 * 1024**2, "used": 1400 * 1024**2},
        "processes.graphics": [{"pid": 2001, "usedGpuMemory": 700 * 1024**2},
                               {"pid": 2002, "usedGpuMemory": 500 * 1024**2}],
    }),
    Machine(files={"/proc/2001/comm": "Xorg\n", "/proc/2002/comm": "firefox\n"}),
    torch(venv("3.12.3"), "2.7.1+cu126").machine,
    sees="1 GPU, torch 2.7.1+cu126",
)  # fmt: skip
GH200_JAX = made(
    "JAX on a GH200",
    ubuntu("22.04", "6.8.0-1025-nvidia-64k", "2.35", arch="aarch64", flags="fp asimd atomics sve sve2 bf16 i8mm"),
    PERSISTENCED,
    cards.installed("570.172.08", cards.GH200, arch="aarch64", flavour="open"),
    jax(venv("3.11.12", arch="aarch64"), "0.7.2").machine,
    sees="1 GPU, jax 0.7.2",
)
POP_OS = made(
    "Pop!_OS, a relative of Ubuntu, with its own packages",
    parts.linux("pop", "22.04", "6.12.10-76061203-generic", like="ubuntu debian"),
    parts.dpkg(nvidia_driver_570="570.133.07-1pop0~1743687481", system76_driver_nvidia="20.04.98"),
    cards.installed("570.133.07", cards.RTX_4070, flavour="open", **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu126").machine,
    sees="1 GPU, torch 2.6.0+cu126",
)

MACHINES: dict[str, Healthy] = {
    "jetson-xavier-jetpack5": XAVIER,
    "jetson-nano-jetpack4": NANO,
    "macos-intel": INTEL_MAC,
    "rocky-login-node": LOGIN_NODE,
    "docker-h100-forward-compatibility": FORWARD,
    "kaggle-2-t4": KAGGLE,
    "ubuntu-4090-display-card": DISPLAY_CARD,
    "windows11-radeon": WINDOWS_RADEON,
    "windows11-cpu-tensorflow": WINDOWS_TF_CPU,
    "windows11-4070-toolkits": WINDOWS_TOOLKIT,
    "docker-desktop-wsl-4070": WSL_DOCKER,
    "ubuntu-3060-graphics": GRAPHICS,
    "ubuntu-gh200-jax": GH200_JAX,
    "pop-4070": POP_OS,
}
