"""What a ticket tells of its place and its history decides the cause, and the remedy is one that can be done there."""

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import ticket
from gpudoctor.report.triage import remedy_for
from tests.examine.test_told import commands

MISMATCH = "Failed to initialize NVML: Driver/library version mismatch"
NO_DRIVER = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
SIZE = "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88"
IN_NUMPY = f"numpy/random/mtrand.pyx in init numpy.random.mtrand()\n\n{SIZE} from PyObject\n"

#: A text; its first cause; what the remedy says or types, and what it must not.
TOLD = {
    "the module of a pod is the node's": (
        f"In our Kubeflow notebook nvidia-smi prints\n{MISMATCH}", "drv-lib-mismatch", ["kubectl drain"], [],
    ),
    "the module of a notebook server is its machine's": (
        f"on the JupyterHub\n{MISMATCH}", "drv-lib-mismatch", ["Whoever runs it"], [],
    ),
    "the module of a hosted notebook is its service's": (
        f"Kaggle\n{MISMATCH}", "drv-lib-mismatch", ["start a new one"], ["reboot"],
    ),
    "the module of a machine is its own": (f"Ubuntu\n{MISMATCH}", "drv-lib-mismatch", ["reboot"], ["kubectl"]),
    "NumPy was replaced in a session": (
        f"Google Colab, after pip install:\n{IN_NUMPY}", "numpy-of-two-releases", ["Restart session"], ["numpy<2"],
    ),
    "NumPy was replaced in a kernel": (
        f"in Jupyter\n{IN_NUMPY}", "numpy-of-two-releases", ["Restart the notebook's kernel"], ["numpy<2"],
    ),
    "files of two NumPys": (
        f"$ python train.py\n{IN_NUMPY}", "numpy-of-two-releases", ["pip uninstall --yes numpy"], ["numpy<2"],
    ),
    "parts of two NumPys": (
        "on Kaggle: ImportError: cannot import name '_center' from 'numpy._core.umath' (/usr/lib/numpy/_core/umath.py)",
        "numpy-of-two-releases", ["Restart the session"], [],
    ),
    "a package built for NumPy 1": (f"pandas/_libs/interval.pyx in init\n{SIZE}", "numpy2-abi", ["numpy<2"], []),
    "an old processor": (
        "Illegal instruction (core dumped) when the container with tensorflow starts, an old Xeon X5650 server",
        "cpu-no-avx", ["another machine", "without AVX"], [],
    ),
    "the commit limit": (
        "[WinError 1455] The paging file is too small for this operation to complete.",
        "windows-commit-limit", ["paging file", "num_workers"], ["MAX_JOBS", "container"],
    ),
    "the commit limit, by Rust": (
        "safetensors: (os error 1455)", "windows-commit-limit", ["paging file"], ["MAX_JOBS"],
    ),
    "the commit limit, in German": (
        "OSError: Die Auslagerungsdatei ist zu klein", "windows-commit-limit", ["paging file"], [],
    ),
    "headers help each time": (
        f"Debian 12, GCP\n{NO_DRIVER}\nInstalling linux-headers-$(uname -r) helps until the next kernel.",
        "drv-kernel-headers-missing", ["linux-headers-amd64", "sudo dkms autoinstall"], ["--reinstall"],
    ),
    "kernel-devel helps each time": (
        f"Rocky Linux 9\n{NO_DRIVER}\nAfter each update it works again once I add kernel-devel of the new kernel.",
        "drv-kernel-headers-missing", ["kernel-devel-matched"], ["apt"],
    ),
    "the device plugin's own words": (
        "The nvidia-device-plugin DaemonSet: Nvml init failed: ERROR_LIBRARY_NOT_FOUND; docker has the runtime nvidia",
        "kubernetes-runtime-class", ["kubectl get nodes -o wide", "--runtime=containerd"], [],
    ),
    "NVML's own words on a machine": (
        "failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", "nvml-library-missing", [], ["kubectl"],
    ),
    "a pod that asked for none": (
        "In pods that do not request a GPU, nvidia-smi shows all 4 GPUs of the node",
        "gpus-given-unasked", ["NVIDIA_VISIBLE_DEVICES=void", "accept-nvidia-visible-devices-envvar"], [],
    ),
    "a container that asked for none": (
        "docker run without requesting any GPU still lists all GPUs with the cuda image",
        "gpus-given-unasked", ["default-runtime"], ["kubectl"],
    ),
    "the engine is not Docker": (
        'RuntimeHandler "nvidia" not supported, on CRI-O with Kubernetes 1.30',
        "ctk-not-configured", ["--runtime=crio"], [],
    ),
    "MicroK8s 1.21": (
        'microk8s 1.21/stable: failed to get sandbox runtime: no runtime for "nvidia" is configured',
        "ctk-not-configured", ["microk8s disable gpu", "snap refresh microk8s"], ["enable nvidia", "Docker or Podman"],
    ),
    "MicroK8s with its addon": (
        'MicroK8s 1.28, I did microk8s enable gpu: no runtime for "nvidia" is configured',
        "ctk-not-configured", ["microk8s disable gpu", "containerd-template.toml"], ["enable nvidia", "snap refresh"],
    ),
    "a program for another cuDNN, in prose": (
        "Windows 10, CUDA 10.2 with cuDNN 7.6.5. The program says that cudnn64_8.dll is missing",
        "built-for-other-cuda", ["cuDNN 8"], ["gpudoctor devices"],
    ),
    "a program for another cuDNN, in Chinese": (
        "装了cuDNN 7.6.5，运行时提示找不到 cudnn64_8.dll", "built-for-other-cuda", ["cuDNN 8"], ["cu12"],
    ),
    "Paddle for another cuDNN": (
        "PaddleOCR, cuDNN 7.6: 缺少cudnn64_8.dll", "built-for-other-cuda", ["PaddlePaddle was built with"], ["cu12"],
    ),
    "a program for another CUDA, in German": (
        "Ich habe CUDA 10.1 installiert, aber die Datei cudart64_110.dll fehlt (MXNet)", "built-for-other-cuda", [], [],
    ),
    "the processor is the bottleneck": (
        "I train a YOLO net with pytorch on cuda: CPU is at 100% and the GPU only at 3-5%", "perf-input-bound", [], [],
    ),
    "the processor is the bottleneck, in Chinese": (
        "pytorch训练，CPU占用率100%，GPU利用率只有4%左右", "perf-input-bound", [], [],
    ),
    "black images": (
        "torch.float16\ndiffusers\\image_processor.py:90: RuntimeWarning: invalid value encountered in cast",
        "gtx16-half-precision", ["torch.float32"], [],
    ),
    "black images on another card": (
        "RTX 3060\nmodules/processing.py:968: RuntimeWarning: invalid value encountered in cast",
        "half-precision-overflows", ["--no-half-vae"], [],
    ),
    "the package for AMD's GPUs": (
        "RTX 4070\nVersion: v1.10.1-amd-18-gabcdef01\nRuntimeError: Torch is not able to use GPU",
        "package-chosen-for-another-maker", ["for NVIDIA's GPUs"], ["pip install torch"],
    ),
    "the package for AMD's GPUs beside an AMD card": (
        "RX 6600\nstable-diffusion-webui-directml\\launch.py\nRuntimeError: Torch is not able to use GPU",
        "directml-not-in-program", [], ["for NVIDIA's GPUs"],
    ),
    "a variable that nothing reads": (
        "MAKE_ARGS='-DGGML_CUDA=on' pip install llama-cpp-python==0.3.4 numpy==1.26.4 and BLAS = 0",
        "build-option-unheard",
        ['CMAKE_ARGS="-DGGML_CUDA=on" pip install llama-cpp-python==0.3.4 numpy==1.26.4 --force-reinstall'], ["<"],
    ),
    "an option that no release has": (
        'CMAKE_ARGS="-DGGML_CUBLAS=on" uv run pip install llama-cpp-python==0.2.70 --no-cache-dir, BLAS = 0',
        "build-option-unheard", ['CMAKE_ARGS="-DLLAMA_CUBLAS=on" uv run pip install llama-cpp-python==0.2.70'], ["<"],
    ),
    "an option that is renamed": (
        "CMake Error: LLAMA_CUBLAS is deprecated and will be removed in the future.", "build-option-unheard",
        ["-DGGML_CUDA=on"], [],
    ),
    "the option of PowerShell": (
        'PS C:\\src> set CMAKE_ARGS="-DGGML_CUDA=on"\nPS C:\\src> pip install llama-cpp-python\nBLAS = 0',
        "build-option-unheard", ["$env:CMAKE_ARGS"], [],
    ),
    "the right option": (
        'CMAKE_ARGS="-DGGML_CUDA=on" pip install llama-cpp-python, BLAS = 0', "built-without-gpu", ["nvcc"], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "cause", "says", "never"), TOLD.values(), ids=TOLD)
def test_the_cause_and_what_to_do_about_it(text, cause, says, never, tmp_path):
    path = tmp_path / "ticket.txt"
    path.write_text(text, encoding="utf-8")
    one = ticket(str(path), criteria_of((), (), (), None))
    remedy = remedy_for(one)
    told = "\n".join((remedy.say, *commands(one))) if remedy else ""
    assert (one.causes[0].key if one.causes else None) == cause
    assert [each for each in says if each not in told] == []
    assert [each for each in never if each in told] == []
