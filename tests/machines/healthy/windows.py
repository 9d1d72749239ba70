"""WSL and Windows."""

from gpudoctor.facts.system import Space
from gpudoctor.host.machine import Command, Machine
from gpudoctor.host.port import Stat
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.frameworks import tensorflow, torch
from tests.machines.healthy.pieces import DISPLAY, numpy
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import venv, windows_venv

# WSL and Windows.

WSL = parts.merge(
    parts.linux("ubuntu", "22.04", "5.15.167.4-microsoft-standard-WSL2", like="debian", vendor="",
                flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    Machine(
        env={"WSL_DISTRO_NAME": "Ubuntu-22.04"},
        files={
            "/usr/lib/wsl/lib/libcuda.so": "ELF",
            "/usr/lib/wsl/lib/libcuda.so.1": "ELF",
            "/usr/lib/wsl/lib/libnvidia-ml.so.1": "ELF",
            "/etc/ld.so.conf.d/ld.wsl.conf": "/usr/lib/wsl/lib\n",
        },
        directories={"/sys/bus/pci/devices": ()},
        stats={"/dev/dxg": Stat(kind="character", mode=0o666, owner="root", group="root")},
    ),
)  # fmt: skip
WSL_TORCH = made(
    "WSL2 with the Windows driver and no Linux driver; LD_LIBRARY_PATH names WSL's own folder",
    WSL,
    Machine(env={"LD_LIBRARY_PATH": "/usr/lib/wsl/lib:"}),
    cards.asked("566.36", cards.RTX_4090, os="windows", **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
WSL_TF = made(
    "WSL2 for TensorFlow, whose GPU builds for Windows ended with 2.10",
    WSL,
    cards.asked("572.83", cards.RTX_4080, os="windows", **DISPLAY),
    tensorflow(venv("3.12.3"), "2.19.0", keras="3.9.0").machine,
    sees="1 GPU, tensorflow 2.19.0",
)


#: Microsoft's C++ runtime, which most programs install.
RUNTIME = ("vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll", "msvcp140_1.dll")


def windows(build: str, gpu_ids: str, *, driver: bool = True) -> Machine:
    """Windows with the display adapters that pnputil lists."""
    vendor, _, device = gpu_ids.upper().partition(":")
    system32 = "C:\\Windows\\System32"
    pnputil = ("pnputil", "/enum-devices", "/connected", "/class", "Display")
    return Machine(
        platform="win32",
        cwd="C:\\Users\\ada",
        env={
            "PROCESSOR_ARCHITECTURE": "AMD64",
            "NUMBER_OF_PROCESSORS": "16",
            "USERPROFILE": "C:\\Users\\ada",
            "TEMP": "C:\\Temp",
            "SystemRoot": "C:\\Windows",
        },
        files={f"{system32}\\{name}": "MZ" for name in (*RUNTIME, *(("nvcuda.dll", "nvml.dll") if driver else ()))},
        spaces={"C:\\Temp": Space(path="C:\\Temp", total=900 * parts.GIB, free=300 * parts.GIB)},
        commands=(
            Command(argv=("cmd", "/d", "/c", "ver"), code=0, stdout=f"\r\nMicrosoft Windows [Version {build}]\r\n"),
            Command(argv=(*pnputil,), code=0,
                    stdout=f"Instance ID: PCI\\VEN_{vendor}&DEV_{device}&SUBSYS_00000000&REV_A1\\4&0&0&0008\r\n"),
        ),
    )  # fmt: skip


#: Under Windows the driver model WDDM hides how much memory a process has.
WDDM = {**DISPLAY, "processes.compute": [{"pid": 7788, "usedGpuMemory": None}], "persistence": None}
WINDOWS_4090 = made(
    "Windows 11, PyTorch's own CUDA wheel",
    windows("10.0.22631.4602", "10de:2684"),
    cards.asked("566.36", cards.RTX_4090, os="windows", **WDDM),
    torch(windows_venv("3.11.9"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
WINDOWS_5070 = made(
    "Windows 11 with Blackwell and a 12.8 build",
    windows("10.0.26100.4349", "10de:2f04"),
    cards.asked("576.88", cards.RTX_5070, os="windows", **WDDM),
    torch(windows_venv("3.12.10"), "2.7.1+cu128").machine,
    sees="1 GPU, torch 2.7.1+cu128",
)
WINDOWS_TF = made(
    "Windows 10 with TensorFlow 2.10, the last with a GPU build there, CUDA 11.2 and cuDNN 8.1 on PATH",
    windows("10.0.19045.4529", "10de:1b06"),
    cards.asked("528.49", cards.GTX_1080_TI, os="windows", **WDDM),
    Machine(
        env={
            "CUDA_PATH": "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2",
            "PATH": "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2\\bin;C:\\Windows\\System32",
        },
        files={
            f"C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2\\{name}": text
            for name, text in {
                "version.json": '{"cuda": {"version": "11.2.2"}}',
                **{
                    f"bin\\{dll}": "MZ"
                    for dll in (
                        "nvcc.exe", "cudart64_110.dll", "cublas64_11.dll", "cublasLt64_11.dll", "cufft64_10.dll",
                        "curand64_10.dll", "cusolver64_11.dll", "cusparse64_11.dll", "cudnn64_8.dll",
                        "cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll",
                    )
                },
            }.items()
        },
    ),
    numpy(tensorflow(windows_venv("3.10.11"), "2.10.1", keras="2.10.0"), "1.24.4").machine,
    sees="1 GPU, tensorflow 2.10.1",
)  # fmt: skip
WINDOWS_CPU = made(
    "Windows 11 with Intel graphics: a plain pip install gives the processor build, which is right here",
    windows("10.0.22631.4602", "8086:46a6", driver=False),
    torch(windows_venv("3.12.10"), "2.6.0").machine,
    sees="torch 2.6.0+cpu",
    verdict="no-gpu",
)

MACHINES: dict[str, Healthy] = {
    "wsl2-4090": WSL_TORCH,
    "wsl2-4080-tensorflow": WSL_TF,
    "windows11-4090": WINDOWS_4090,
    "windows11-5070": WINDOWS_5070,
    "windows10-1080ti-tensorflow": WINDOWS_TF,
    "windows11-cpu": WINDOWS_CPU,
}
