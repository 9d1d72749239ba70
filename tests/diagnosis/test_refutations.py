"""What rules a cause out: a system, a maker's GPU, a named condition. What was not seen never does."""

import pytest

from gpudoctor.diagnosis.condition import CONDITIONS
from gpudoctor.diagnosis.refutations import is_beside_the_point, refutation, support
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.base import Source
from gpudoctor.facts.driver import Answer, DeviceNode, Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Resolution, Toolkit, Toolkits
from gpudoctor.facts.live import DeviceList, Live, LoadedModel, Symptom
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Package, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, Cpu, System, Wsl
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.places import places_in
from gpudoctor.knowledge.statements import what_shows
from gpudoctor.knowledge.surroundings import subjects_in, surroundings_in
from gpudoctor.rules.load import load_rules

NVML = Answer(outcome="answered", code=0, device_count=1)
LISTS = {"driver": Driver(release=DriverRelease("580.65.06"), nvml=NVML), "gpus": Gpus(devices=(Gpu(vendor="nvidia"),))}


def named(*names):
    return {"gpus": Gpus(devices=tuple(Gpu(vendor="nvidia", name=name) for name in names))}


def amd(name):
    return {"gpus": Gpus(devices=(Gpu(vendor="amd", name=name),))}


def frameworks(**one):
    return {"frameworks": Frameworks(found=(Framework(**one),))}


def message(text, signature="cuda-out-of-memory"):
    return {"live": Live(symptoms=(Symptom(signature=signature, text=text),))}


def loaded(size, told):
    model = LoadedModel(program="ollama", name="m", size=size * 10**9, on_cpu=100, gpu_memory_told=told << 30)
    return {"live": Live(models=(model,))}


VISION_0_6 = Framework(name="torchvision", version="0.6.0")
CUDA_12 = {"cuda": CudaVersion("12.4")}
OOM = (
    "Tried to allocate {} MiB (GPU 0; 8.00 GiB total capacity; 2.81 GiB already allocated; {} GiB free;"
    " {} GiB reserved in total by PyTorch)"
)
SIZE = "numpy.{} size changed, may indicate binary incompatibility. Expected {} from C header, got {} from PyObject"
PYTHON_310 = Interpreter(executable="python", chosen_by="report", version="3.10.6")
PYTHON_311 = Interpreter(executable="python", chosen_by="report", version="3.11.0")
PYTHON_37 = Interpreter(executable="python", chosen_by="report", version="3.7.9")
NO_MATCH = "no-matching-distribution"


def missed(framework, soname, version=None):
    row = Resolution(framework=framework, soname=soname, wanted_by=framework, how="opened")
    toolkit = {"toolkits": Toolkits(found=(Toolkit(root="x", version=CudaVersion(version)),))} if version else {}
    return {"libraries": Libraries(resolutions=(row,))} | toolkit


def toolkit(version):
    return {"toolkits": Toolkits(found=(Toolkit(root="x", version=CudaVersion(version)),))}


def full(where):
    source = Source(kind="library", where=where)
    return {"gpus": Gpus(devices=(Gpu(vendor="nvidia", memory_total_mib=8110, memory_used_mib=7920, source=source),))}


#: By condition: sections with which it holds, and sections with which it does not.
def built_for(torch, own):
    extension = Framework(name="xformers", built_for_torch=torch)
    return Frameworks(found=(Framework(name="torch", version=own), extension))


XFORMERS = message("xFormers can't load C++/CUDA extensions", "xformers-built-for")
ROWS = {
    "model-exceeds-gpu-memory": (loaded(41, told=8), loaded(41, told=48)),
    "model-fits-gpu-memory": (loaded(3, told=8), loaded(7, told=8)),
    "torch-is-for-the-processor": (
        frameworks(name="torch", version="2.0.1+cpu", variant="cpu"),
        frameworks(name="torch", version="2.0.1+cu118", variant="cuda"),
    ),
    "jax-cuda-part-is-there": (
        message("RuntimeError: Unable to load cuSPARSE. Is it installed?", "jax-library-outdated"),
        message("a CUDA-enabled jaxlib is not installed. Falling back to cpu.", "jax-cpu-only"),
    ),
    "tensorflow-ran-until-memory-was-full": (
        message("OP_REQUIRES failed at conv_ops.cc:1103 : Resource exhausted", "tensorflow-gpu-out-of-memory"),
        message(
            "OOM when allocating tensor with shape[9,9] on /job:localhost/task:0/device:CPU:0 by allocator cpu",
            "tensorflow-gpu-out-of-memory",
        ),
    ),
    "cuda-folder-is-wrong": (
        message("Looking for ptxas at /usr/local/cuda-10.1/bin/bin/ptxas", "xla-cuda-folder-names-bin"),
        message("ptxas fatal : Unsupported .version 8.4; current version is '8.2'", "ptxas-too-old"),
    ),
    "torch-was-imported": (
        message("/x/lib/python3.8/site-packages/torch/cuda/__init__.py:83: UserWarning: CUDA initialization", "x"),
        message("ModuleNotFoundError: No module named 'torch'", "x"),
    ),
    "torch-finds-gpu": (
        {"live": Live(devices=(DeviceList(framework="torch", gpu_available=True),))},
        # Another Python of the same machine says otherwise.
        {
            "live": Live(
                devices=(
                    DeviceList(framework="torch", gpu_available=True),
                    DeviceList(framework="torch", gpu_available=False),
                )
            )
        },
    ),
    "gpu-package-on-a-mac": (
        {"host": System(os="macos"), **message("No matching distribution found for x", "mac-gpu-package-asked")},
        {"host": System(os="linux"), **message("No matching distribution found for x", "mac-gpu-package-asked")},
    ),
    "driver-is-the-last-for-gpu": (
        {"driver": Driver(cuda=CudaVersion("9.1")), **named("NVIDIA GeForce GT 540M")},
        {"driver": Driver(cuda=CudaVersion("9.1")), **named("NVIDIA GeForce GTX 1080")},
    ),
    "nvcc-ran": (
        message("error: command '/usr/local/cuda-12.1/bin/nvcc' failed with exit code 2", "x"),
        message("error: command 'nvcc' failed with exit status 127", "x"),
    ),
    "compiler-ran": (
        message("error: command '/usr/bin/x86_64-linux-gnu-gcc' failed with exit code 1", "x"),
        # Its last letters are a compiler's name, too.
        message("error: command '/usr/local/cuda-12.1/bin/nvcc' failed with exit code 2", "x"),
    ),
    "driver-release-is-stated": (
        {"driver": Driver(release=DriverRelease("550.78"))},
        {"driver": Driver(nvml=Answer(outcome="answered", code=9))},
    ),
    "named-builds-know-gpus": (
        message("PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.0.1+cu118)", "xformers-built-for")
        | named("NVIDIA GeForce RTX 3060"),
        message("PyTorch 2.1.2+cu121 with CUDA 1201", "xformers-built-for") | named("NVIDIA GeForce RTX 5090"),
    ),
    "gpu-code-ran": (message("x", "no-kernel-image"), message("x", "torch-no-cuda")),
    "another-extension-fails": (
        message(
            "ImportError: /home/$USER/x/site-packages/flash_attn_2_cuda.so: undefined symbol: _ZN3c10", "torch-symbol"
        ),
        message("OSError: /x/site-packages/torchaudio/lib/libtorchaudio.so: undefined symbol: _ZN3c10", "torch-symbol"),
    ),
    "own-gpu-code-fails": (
        message("Error no kernel image is available", "extension-no-kernel-image"),
        message("no kernel image is available", "no-kernel-image"),
    ),
    "torch-started-cuda": (
        message("UserWarning: CUDA initialization: CUDA unknown error - this may be due to", "cuda-unknown"),
        message("AssertionError: Torch not compiled with CUDA enabled", "torch-no-cuda"),
    ),
    "module-is-loaded": (
        message("NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x30:0xffff:804)", "rm-init-adapter-failed"),
        message("modprobe: FATAL: Module nvidia not found", "modprobe-not-found"),
    ),
    "kfd-may-not-be-opened": (
        message("Unable to open /dev/kfd read-write: Permission denied", "amd-device-files"),
        message("RuntimeError: No HIP GPUs are available", "amd-device-files"),
    ),
    "nouveau-is-loaded": (
        {"driver": Driver(modules_loaded=("nouveau",))},
        {"driver": Driver(modules_loaded=("nouveau", "nvidia"))},
    ),
    "on-jetson": ({"host": System(os="linux", tegra="R36.4.0")}, {"host": System(os="linux", arch="aarch64")}),
    "nvml-lists-gpus": (LISTS, {"driver": Driver(nvml=Answer(outcome="answered", code=9))}),
    "no-gpu-found": ({"gpus": None}, named("NVIDIA L4")),
    "driver-serves-frameworks": (
        {"driver": Driver(cuda=CudaVersion("12.6")), **frameworks(name="torch", **CUDA_12)},
        {"driver": Driver(cuda=CudaVersion("12.2")), **frameworks(name="torch", **CUDA_12)},
    ),
    "toolkit-of-another-cuda": (
        {
            "toolkits": Toolkits(found=(Toolkit(root="/usr/local/cuda", version=CudaVersion("10.2")),)),
            "frameworks": Frameworks(found=(Framework(name="tensorflow", version="2.3.0", cuda=CudaVersion("10.1")),)),
        },
        {
            "toolkits": Toolkits(found=(Toolkit(root="/usr/local/cuda", version=CudaVersion("10.1")),)),
            "frameworks": Frameworks(found=(Framework(name="tensorflow", version="2.3.0", cuda=CudaVersion("10.1")),)),
        },
    ),
    "linked-to-another-toolkit": (
        {
            "toolkits": Toolkits(found=(Toolkit(root="/usr/local/cuda", version=CudaVersion("10.1")),)),
            "frameworks": Frameworks(found=(Framework(name="tensorflow", version="1.13.1", cuda=CudaVersion("10.0")),)),
        },
        {
            "toolkits": Toolkits(found=(Toolkit(root="/usr/local/cuda", version=CudaVersion("10.1")),)),
            "frameworks": Frameworks(found=(Framework(name="tensorflow", version="1.14.0", cuda=CudaVersion("10.0")),)),
        },
    ),
    "companion-breaks-release": (
        {**frameworks(name="tensorflow", version="2.4.1"), **message("'str' object has no attribute 'decode'")},
        {**frameworks(name="tensorflow", version="2.9.0"), **message("'str' object has no attribute 'decode'")},
    ),
    "part-is-in-other-releases": (
        message("ImportError: cannot import name 'ParamSpec' from 'typing_extensions'"),
        message("ImportError: cannot import name 'nothing' from 'typing_extensions'"),
    ),
    "numpy-is-1": (
        {"packages": Packages(installed=(Package(name="numpy", version="1.24.1"),))},
        {"packages": Packages(installed=(Package(name="numpy", version="2.1.0"),))},
    ),
    "nvidia-gpu-is-stated": (
        named("Quadro K5100M"),
        {"gpus": Gpus(devices=(Gpu(vendor="intel", name="Intel UHD Graphics 620"),))},
    ),
    "another-maker-computes": (
        {"gpus": Gpus(devices=(Gpu(vendor="intel", name="Intel Arc B580"),))},
        {"gpus": Gpus(devices=(Gpu(vendor="intel", name="Intel UHD Graphics 620"),))},
    ),
    "no-build-for-this-python": (
        message("(from versions: 0.1.2, 0.1.2.post1) No matching distribution found for torch==1.9.1+cu111", NO_MATCH),
        message("(from versions: 1.13.1, 2.0.0) No matching distribution found for torch==1.9.1+cu111", NO_MATCH),
    ),
    "release-is-offered": (
        message("(from versions: 2.6.0, 2.7.1) No matching distribution found for torch==2.7.1+cu128", NO_MATCH),
        message("(from versions: 2.6.0, 2.7.0) No matching distribution found for torch==2.7.1+cu128", NO_MATCH),
    ),
    "python-has-wheels": (
        {"interpreter": PYTHON_310, **message("No matching distribution found for tensorflow==2.12.0", NO_MATCH)},
        {"interpreter": PYTHON_310, **message("No matching distribution found for tensorflow==1.15.0", NO_MATCH)},
    ),
    "secure-boot-off": ({"driver": Driver(secure_boot=False)}, {"driver": Driver(secure_boot=None)}),
    "container-asked-for-gpus": (
        {"container": Container(gpus_requested=True)},
        {"container": Container(gpus_requested=False)},
    ),
    "container-asked-for-none": (
        {"container": Container(gpus_requested=False)},
        {"container": Container(gpus_requested=None)},
    ),
    "gpu-build-is-listed": (
        {"packages": Packages(installed=(Package(name="onnxruntime-gpu", version="1.9.0"),))},
        {"packages": Packages(installed=(Package(name="onnxruntime", version="1.9.0"),))},
    ),
    "geforce-without-p2p": (named("NVIDIA GeForce RTX 4090"), named("NVIDIA GeForce RTX 3090")),
    "built-by-newer-cuda": (
        toolkit("12.4") | {"driver": Driver(release=DriverRelease("525.85"))},
        # Another family: the driver is too old as a whole.
        toolkit("13.0") | {"driver": Driver(release=DriverRelease("525.85"))},
    ),
    "only-newest-gpus": (named("NVIDIA GeForce RTX 5080"), named("NVIDIA GeForce RTX 4080")),
    "torch-has-no-wheel-for-this-python": (
        frameworks(name="torch", version="1.12.1+cu113") | {"interpreter": PYTHON_311},
        frameworks(name="torch", version="1.12.1+cu113") | {"interpreter": PYTHON_310},
    ),
    "container-had-the-gpu": (
        message("the container loses the GPU after some hours", "container-loses-gpu"),
        message("no GPU in the container", "gpu-not-used"),
    ),
    "rocm-code-ran": (
        message("RuntimeError: HIP error: invalid device function", "torch-hip-error"),
        message("RuntimeError: CUDA error: invalid device function", "no-kernel-image"),
    ),
    "container-tools-ran": (
        message("nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4", "ncc-requirement"),
        message('exec: "nvidia-container-runtime": executable file not found in $PATH: unknown', "runtime-not-found"),
    ),
    "device-files-are-there": (
        {"driver": Driver(device_nodes=(DeviceNode(path="/dev/nvidia0"),))},
        {"driver": Driver(device_nodes=())},
    ),
    "libcuda-missing-beside-nvml": (
        {"driver": Driver(nvml=NVML, cuda_init=Answer(outcome="no-library"))},
        {"driver": Driver(nvml=NVML)},
    ),
    "wsl-without-windows-driver": (
        {"container": Container(wsl=Wsl(version=2, driver_library=False))},
        {"container": Container(wsl=Wsl(version=2, driver_library=None))},
    ),
    "torch-built-for-gpu": (frameworks(name="torch", variant="cuda"), frameworks(name="torch", variant="cpu")),
    "first-error-is-stated": (
        message("RuntimeError: CUDA error: no kernel image is available for execution", "no-kernel-image"),
        message("RuntimeError: Engine core initialization failed. See root cause above.", "engine-core-failed"),
    ),
    "another-image-has-gpu-code": (
        {"container": Container(image="ghcr.io/open-webui/open-webui:main")},
        {"container": Container(image="ghcr.io/open-webui/open-webui:cuda")},
    ),
    "torch-built-for-this-maker": (
        {**amd("AMD Radeon RX 7900 XTX"), **frameworks(name="torch", variant="rocm")},
        {**amd("AMD Radeon RX 7900 XTX"), **frameworks(name="torch", variant="cuda")},
    ),
    "rocm-torch-in-wsl": (
        {"container": Container(wsl=Wsl(version=2)), **frameworks(name="torch", variant="rocm")},
        {"host": System(os="linux"), **frameworks(name="torch", variant="rocm")},
    ),
    "header-is-of-newer-toolkits": (
        {**toolkit("11.5"), **message("fatal error: cuda_fp8.h: No such file or directory", "cuda-header-missing")},
        {**toolkit("12.1"), **message("fatal error: cuda_fp8.h: No such file or directory", "cuda-header-missing")},
    ),
    "torch-not-built-for-rocm": (frameworks(name="torch", variant="cuda"), frameworks(name="torch", variant="rocm")),
    "torch-from-conda": (
        {"packages": Packages(installed=(Package(name="torch", version="2.0", installer="conda"),))},
        {"packages": Packages(installed=(Package(name="torch", version="2.0"),))},
    ),
    "xformers-built-for-this-torch": (
        XFORMERS | {"frameworks": built_for("2.4.0+cu121", "2.4.0+cpu")},
        XFORMERS | {"frameworks": built_for("2.4.0+cu121", "2.3.0+cu121")},
    ),
    "torch-not-from-conda": (
        {"packages": Packages(installed=(Package(name="torch", version="2.0", installer="pip"),))},
        {"packages": Packages(installed=(Package(name="torch", version="2.0"),))},
    ),
    "torch-code-serves-gpus": (
        {
            "gpus": Gpus(devices=(Gpu(vendor="nvidia", capability=Capability("8.6")),)),
            **frameworks(name="torch", variant="cuda", archs=("sm_80", "sm_90"), **CUDA_12),
        },
        {
            "gpus": Gpus(devices=(Gpu(vendor="nvidia", capability=Capability("12.0")),)),
            **frameworks(name="torch", variant="cuda", archs=("sm_80", "sm_90"), **CUDA_12),
        },
    ),
    "only-recent-gpus": (named("NVIDIA GeForce RTX 4090"), named("GeForce RTX 4090", "GeForce GTX 1080")),
    "only-old-gpus": (named("GeForce GTX 1080"), named("NVIDIA GeForce RTX 2080")),
    "no-geforce": (named("NVIDIA A100-SXM4-80GB"), named("NVIDIA GeForce RTX 3090")),
    "no-gtx16": (named("NVIDIA GeForce RTX 3060"), named("NVIDIA GeForce GTX 1660 SUPER", "NVIDIA A100")),
    "cuda-answers-unknown-error": (message("CUDA error: unknown error", "cuda-unknown"), message("x")),
    "images-hold-no-numbers": (message("x", "nan-in-half-precision"), message("x")),
    "numpy-structure-of-1": (message(SIZE.format("dtype", 96, 88)), message(SIZE.format("dtype", 88, 96))),
    "numpy-structure-newer": (message(SIZE.format("ndarray", 88, 80)), message(SIZE.format("ndarray", 80, 88))),
    "gtx16-is-stated": (named("NVIDIA GeForce GTX 1660 SUPER"), named("NVIDIA GeForce RTX 3060")),
    "memory-was-free": (message(OOM.format("50.00", "3.90", "3.00")), message(OOM.format("2048.00", "3.90", "3.00"))),
    "mac-gpu-was-used": (message("x", "mps-out-of-memory"), message("x")),
    "tensorflow-built-for-gpu": (
        frameworks(name="tensorflow", variant="cuda"),
        frameworks(name="tensorflow", variant="cpu"),
    ),
    "tensorflow-without-windows-gpu": (
        {"host": System(os="windows"), **frameworks(name="tensorflow", version="2.16.1")},
        {"host": System(os="linux"), **frameworks(name="tensorflow", version="2.16.1")},
    ),
    "tensorflow-with-windows-gpu": (
        frameworks(name="tensorflow", version="2.10.0"),
        frameworks(name="tensorflow", version="2.11.0"),
    ),
    "tensorflow-brings-libraries": (
        frameworks(name="tensorflow", version="2.16.1"),
        frameworks(name="tensorflow", version="2.15.0"),
    ),
    "cpu-has-avx": (
        {"host": System(os="linux", cpu=Cpu(flags=("sse4_2", "avx")))},
        {"host": System(os="linux", cpu=Cpu(flags=("sse4_2",)))},
    ),
    "tensorflow-has-its-toolkit": (
        {
            "toolkits": Toolkits(found=(Toolkit(root="/usr/local/cuda", version=CudaVersion("12.4")),)),
            **frameworks(name="tensorflow", **CUDA_12),
        },
        {
            "toolkits": Toolkits(found=(Toolkit(root="/usr/local/cuda", version=CudaVersion("11.2")),)),
            **frameworks(name="tensorflow", **CUDA_12),
        },
    ),
    "another-program-misses-libraries": (
        missed("onnxruntime", "libcublas.so.11"),
        missed("mmcv", "libcudart.so.10.1"),
    ),
    "tensorflow-misses-nothing": (missed("jax", "libcudnn.so.8"), missed("tensorflow", "libcudnn.so.8")),
    "tensorflow-leaves-a-folder-out": (
        {"frameworks": Frameworks(found=(Framework(name="tensorflow", version="2.21.0"),))},
        {"frameworks": Frameworks(found=(Framework(name="tensorflow", version="2.20.0"),))},
    ),
    "compiler-was-found": (message("x", "driver-compiles-older-ptx"), message("x", "numba-toolkit-absent")),
    "toolkit-has-other-names": (
        missed("tensorflow", "cudart64_101.dll", "11.2"),
        missed("tensorflow", "cudart64_110.dll", "11.2"),
    ),
    "no-toolkit-found": ({"toolkits": Toolkits()}, {"toolkits": Toolkits(excerpt=True)}),
    "others-hold-little": (message(OOM.format("20", "5.10", "2.90")), message(OOM.format("20", "0.10", "2.90"))),
    "one-gpu-is-listed": (
        {"driver": Driver(nvml=Answer(outcome="answered", code=0, device_count=1))},
        {"driver": Driver(nvml=Answer(outcome="answered", code=0, device_count=2))},
    ),
    # Without the others there would be room; the program fills it; it is not to be had; it lies there in pieces.
    "others-hold-it": (message(OOM.format("20", "0.10", "2.90")), message(OOM.format("20", "4.10", "2.90"))),
    "others-held-it-before": (
        full("TensorFlow's log, line 9"),
        # nvidia-smi may count the program itself.
        full("nvidia-smi, line 9"),
    ),
    "own-program-fills-it": (
        message(
            "Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 0.20 GiB is free. this"
            " process has 7.60 GiB memory in use. and 0.10 GiB is reserved by PyTorch but unallocated"
        ),
        message(OOM.format("20", "0.10", "2.90")),
    ),
    "more-than-the-gpu-has": (message(OOM.format("9000", "4.10", "2.90")), message(OOM.format("20", "4.10", "2.90"))),
    "reserve-in-pieces": (message(OOM.format("900", "2.10", "5.20")), message(OOM.format("20", "0.10", "2.90"))),
    "no-unused-reserve": (message(OOM.format("900", "0.10", "2.90")), message(OOM.format("20", "0.10", "4.90"))),
    "processor-graphics-took-its-place": (
        {**named("AMD Radeon RX 7900 XTX"), **message("Illegal seek for GPU arch : gfx1036", "amd-gpu-not-in-build")},
        {**named("AMD Radeon 780M Graphics"), **message("Illegal seek for GPU arch : gfx1103", "amd-gpu-not-in-build")},
    ),
    "macos-new-enough": (
        {"host": System(os="macos", distribution_version="14.4"), **frameworks(name="torch", version="2.5.0")},
        {"host": System(os="macos", distribution_version="12.2"), **frameworks(name="torch", version="2.5.0")},
    ),
    "tensorflow-of-the-index-serves-gpus": (
        {"host": System(os="linux"), **frameworks(name="tensorflow", version="2.15.0")},
        {"host": System(os="linux"), **frameworks(name="tensorflow", version="2.15.0", dist="tensorflow-cpu")},
    ),
    "torch-companions-agree": (
        {"frameworks": Frameworks(found=(Framework(name="torch", version="1.5.0+cu101"), VISION_0_6))},
        {"frameworks": Frameworks(found=(Framework(name="torch", version="1.6.0"), VISION_0_6))},
    ),
    # Without a release nobody knows which build it is.
    "amd-gpu-in-builds": (
        amd("RX 7900 XTX") | frameworks(name="torch", version="2.13.0+rocm7.2"),
        amd("RX 7900 XTX"),
    ),
    "amd-gpu-in-no-build": (amd("RX 6700xt"), amd("RX 6800 XT")),
    "on-apple-silicon": ({"host": System(os="macos", arch="arm64")}, {"host": System(os="macos", arch="x86_64")}),
    "kfd-refuses-the-gpu": (
        message("kfd kfd: amdgpu: PITCAIRN  not supported in kfd", "kfd-gpu-unsupported"),
        message("Unable to open /dev/kfd read-write: Permission denied", "amd-device-files"),
    ),
    "jax-packages-agree": (
        {
            "packages": Packages(
                installed=(Package(name="jaxlib", version="0.6.2"), Package(name="jax-cuda12-plugin", version="0.6.2"))
            )
        },
        {
            "packages": Packages(
                installed=(Package(name="jaxlib", version="0.6.2"), Package(name="jax-cuda12-plugin", version="0.5.3"))
            )
        },
    ),
}


def test_pytorch_2_1_misspells_its_total():
    text = "Tried to allocate 14.00 MiB. GPU 0 has a total capacty of 6.00 GiB of which {} is free."
    plenty, little = (SnapshotView(Snapshot(**message(text.format(one)))) for one in ("3.55 GiB", "20.12 MiB"))
    assert refutation("batch-too-large", plenty) and not refutation("memory-refused-by-host", plenty)
    assert not refutation("batch-too-large", little) and refutation("memory-refused-by-host", little)


@pytest.mark.parametrize(("free", "is_plenty"), [("4.00", True), ("3.99", False)])
def test_four_times_what_was_asked_for_is_plenty(free, is_plenty):
    seen = SnapshotView(Snapshot(**message(OOM.format("1024.00", free, "0.10"))))
    assert (CONDITIONS["memory-was-free"](seen) is not None) is is_plenty


#: Conditions that a text's words fulfil: (cause, text, why it is refuted).
NAMED = {
    "torch-cuda-part-is-there": (
        "torch-cpu-only",
        "ImportError: /x/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister",
        "the text names PyTorch's own CUDA libraries",
    ),
    "scheduler-was-asked-for-gpus": ("slurm-no-gpu", "srun --gres=gpu:1 --pty bash", "the job asks for a GPU"),
    "in-a-hosted-notebook": (
        "torch-backend-gpu-vendor",
        "the Colab notebook says: Found no NVIDIA driver",
        "a hosted notebook computes on the service's machine, not on yours",
    ),
    "torch-index-given": (
        "torch-index-not-given",
        "Looking in indexes: https://pypi.org/simple, https://download.pytorch.org/whl/cu116",
        "the installer looked at PyTorch's own index",
    ),
    "torch-was-compiled-here": (
        "torch-cpu-only",
        "I built PyTorch 2.4 from source",
        "PyTorch was compiled from source",
    ),
    "wsl-2-is-named": ("wsl1", "I use WSL2 on Windows 11", "this is WSL 2"),
    "libtorch-is-used": (
        "torch-cpu-only",
        "libtorch: torch::cuda::is_available() is false",
        "the program uses libtorch, not Python's torch",
    ),
    "libtorch-for-cpu": (
        "libtorch-cuda-not-linked",
        "wget https://download.pytorch.org/libtorch/nightly/cpu/libtorch-shared-with-deps-latest.zip",
        "the libtorch that was downloaded is for the CPU",
    ),
    "microk8s-brings-the-tools": (
        "ctk-missing",
        "microk8s enable gpu",
        "MicroK8s brings the container tools with its own addon",
    ),
    "numpys-own-file-fails": (
        "numpy2-abi",
        f"numpy/random/mtrand.pyx in init numpy.random.mtrand()\n\n{SIZE.format('dtype', 96, 88)}",
        "the file that fails is NumPy's own",
    ),
    "pod-asks-for-gpus": ("kubernetes-pod-without-gpu", "limits:\n  nvidia.com/gpu: 1", "the pod asks for a GPU"),
    "kubernetes-starts-it": (
        "container-no-gpu-flag",
        "kubectl run it --image=cuda",
        "Kubernetes starts the container, and gives GPUs by the pod's limits",
    ),
}


@pytest.mark.parametrize(("cause", "text", "because"), NAMED.values(), ids=NAMED)
def test_what_a_text_names_refutes(cause, text, because):
    assert refutation(cause, SnapshotView(Snapshot(), surroundings_in(text))) == because
    assert refutation(cause, SnapshotView(Snapshot(), surroundings_in("it fails in WSL 1 under Slurm"))) is None


def test_what_tensorflow_finds_says_nothing_of_another_framework_s_libraries():
    def refuted(*about):
        return refutation("tf-soname-missing", SnapshotView(Snapshot(), {"tensorflow-uses-gpu", *about}))

    assert refuted("about-tensorflow")
    assert refuted("about-tensorflow", "about-jax") is None
    assert refutation("tf-soname-missing", SnapshotView(Snapshot(), {"about-tensorflow"})) is None


@pytest.mark.parametrize("cause", ["arch-too-new-for-build", "arch-too-old-for-build"])
def test_a_build_of_ones_own_for_another_gpu_is_no_framework_s(cause):
    assert refutation(cause, SnapshotView(Snapshot(), {"built-without-this-gpu"}))
    assert refutation(cause, SnapshotView(Snapshot(), {"building"})) is None


@pytest.mark.parametrize(
    "name",
    sorted(
        set(CONDITIONS)
        - {
            "tensorflow-misses-libraries",
            "no-free-memory-shown",
            "no-layers-asked-for",
            "driver-serves-another-program",
            "own-build-lacks-gpu",
            "tensorflow-alone-uses-gpu",
            *NAMED,
        }
    ),
)
def test_condition(name):
    holds, does_not = ROWS[name]
    words = CONDITIONS[name](SnapshotView(Snapshot(**holds)))
    assert words and not words.endswith("."), words
    assert CONDITIONS[name](SnapshotView(Snapshot(**does_not))) is None
    assert CONDITIONS[name](SnapshotView(Snapshot())) is None, "what was not seen never refutes"


@pytest.mark.parametrize(
    ("cause", "text", "refuted"),
    [
        ("jax-cpu-only", 'File "/x/site-packages/jax_plugins/xla_cuda12/__init__.py", line 230, in initialize', True),
        ("jax-cpu-only", 'File "/x/site-packages/jax/_src/xla_bridge.py", line 442, in discover_pjrt_plugins', False),
        ("jax-cpu-only", "ModuleNotFoundError: No module named 'jax_plugins.xla_cuda12'", False),
        ("torch-cpu-only", r'Error loading "C:\x\torch\lib\torch_cuda.dll" or one of its dependencies.', True),
        ("torch-cpu-only", "torch/lib/libtorch_cuda.so: cannot open shared object file: No such file", False),
    ],
)
def test_own_files_of_a_cuda_build_show_that_it_is_installed(cause, text, refuted):
    assert (refutation(cause, SnapshotView(Snapshot(), surroundings_in(text))) is not None) is refuted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("llm = Llama(path) of llama-cpp-python", True),
        ("llm = Llama(path, n_gpu_layers=0) of llama-cpp-python", False),
        ("llama-cli -m model.gguf", False),
    ],
)
def test_who_does_not_name_the_layers_did_not_ask_for_the_gpu(text, shown):
    assert (support("gpu-not-asked-for", SnapshotView(Snapshot(), places_in(text))) is not None) is shown


def test_a_driver_that_serves_another_program_is_not_too_old_unless_a_message_says_so():
    def refuted(signature):
        snapshot = Snapshot(**message("x", signature))
        return refutation("driver-too-old", SnapshotView(snapshot, {"another-program-uses-gpu"}))

    assert refuted("torch-cuda-unavailable") == "another program is said to use this GPU"
    assert refuted("cuda-insufficient-driver") is None


def test_what_a_job_asks_of_its_scheduler():
    asked = surroundings_in("srun -n 4 --gres=gpu:1 -p gpu --pty bash")
    assert refutation("slurm-no-gpu", SnapshotView(Snapshot(), asked)) == "the job asks for a GPU"
    assert refutation("slurm-no-gpu", SnapshotView(Snapshot(), surroundings_in("srun -n 4 --pty bash"))) is None


def test_each_condition_refutes_a_cause_that_exists():
    used = {name for cause in all_causes().values() for name in (*cause.refuted_by, *cause.shown_by, *cause.needs)}
    assert set(CONDITIONS) <= used
    assert all(what_shows(name) for name in used - set(CONDITIONS)), "a condition, or what a statement shows"
    rules = {rule.name for rule in load_rules()}
    assert [cause.id for cause in all_causes().values() if (cause.words is None) != (cause.id in rules)] == []


@pytest.mark.parametrize(
    ("cause", "sections", "refuted"),
    [
        ("drv-nouveau-bound", {"host": System(os="windows")}, True),
        ("drv-nouveau-bound", {"host": System(os="linux")}, False),
        # A Linux that may be WSL's, and one that is known not to be.
        ("wsl1", {"host": System(os="linux")}, False),
        ("wsl1", {"host": System(os="linux"), "container": Container(kind="none")}, True),
        ("driver-too-old", {"gpus": Gpus(devices=(Gpu(vendor="amd"),))}, True),
        ("driver-too-old", {"gpus": Gpus(devices=(Gpu(vendor="amd"), Gpu(vendor="nvidia")))}, False),
        ("amd-device-files", {"gpus": Gpus(devices=(Gpu(vendor="nvidia"),))}, True),
        ("driver-too-old", {}, False),
    ],
)
def test_surroundings_refute(cause, sections, refuted):
    assert (refutation(cause, SnapshotView(Snapshot(**sections))) is not None) == refuted


@pytest.mark.parametrize(
    ("cause", "around", "sections", "refuted"),
    [
        ("torch-cpu-only", ("macos",), {}, True),
        # Several systems are named, or facts say more than words.
        ("torch-cpu-only", ("macos", "linux"), {}, False),
        ("torch-cpu-only", ("macos",), {"host": System(os="linux")}, False),
        ("drv-nouveau-bound", ("windows",), {}, True),
        ("ctk-missing", ("windows", "container"), {}, False),
        ("drv-nouveau-bound", ("linux", "windows"), {}, False),
        ("driver-too-old", ("amd",), {}, True),
        ("driver-too-old", ("amd",), {"gpus": Gpus(devices=(Gpu(vendor="nvidia"),))}, False),
    ],
)
def test_what_a_text_names_refutes_where_the_facts_are_silent(cause, around, sections, refuted):
    assert (refutation(cause, SnapshotView(Snapshot(**sections), around)) is not None) == refuted


def test_a_cause_of_a_framework_that_the_text_does_not_name_is_none():
    def beside(*names):
        return is_beside_the_point("torch-cpu-only", SnapshotView(Snapshot(), {f"about-{name}" for name in names}))

    assert beside("tensorflow") and beside("another")
    assert not beside("torch", "tensorflow")
    # A text that names none may be about any.
    assert not beside()


OF_RELEASES = {
    "another release": ("cpu-no-avx2", frameworks(name="tensorflow", version="2.0.0"), True),
    "that release": ("cpu-no-avx2", frameworks(name="tensorflow", version="2.4.0"), False),
    "no release stated": ("tf216-nvidia-libs-not-found", {}, False),
    "a Python without those releases": ("tf216-nvidia-libs-not-found", {"interpreter": PYTHON_37}, True),
    "a Python with one of them": ("tf216-nvidia-libs-not-found", {"interpreter": PYTHON_310}, False),
}


@pytest.mark.parametrize(("cause", "sections", "out"), OF_RELEASES.values(), ids=OF_RELEASES)
def test_a_cause_of_single_releases(cause, sections, out):
    assert bool(refutation(cause, SnapshotView(Snapshot(**sections)))) is out


@pytest.mark.parametrize(
    ("text", "beside"),
    [("./infer model.plan: Segmentation fault", True), ("python infer.py: Segmentation fault", False)],
)
def test_a_cause_of_packages_where_no_python_is_named(text, beside):
    around = subjects_in(text) | {"about-another"}
    assert is_beside_the_point("numpy2-abi", SnapshotView(Snapshot(), around)) is beside


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/x/lib/python3.10/site-packages/torch/cuda/__init__.py", True),
        ("/tmp/pip-build-env-jmrxpe19/overlay/lib/python3.10/site-packages/torch/cuda/__init__.py", False),
        ("/home/u/.cache/uv/builds-v0/.tmpz1Ab/lib/python3.11/site-packages/torch/cuda/__init__.py", False),
    ],
)
def test_the_torch_of_a_build_is_not_the_users(path, found):
    seen = SnapshotView(Snapshot(**message(f"{path}:83: UserWarning: no NumPy", "x")))
    assert (refutation("ext-build-isolation", seen) is not None) is found
