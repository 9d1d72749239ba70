"""What people, and programs on top of the frameworks, say where no GPU is used."""

from gpudoctor.signatures.catalogue import signature

_START = "https://pytorch.org/get-started/locally/"
_PIP = "https://www.tensorflow.org/install/pip"
_NOT = (
    r"(?:does(?: no|n.?)t|do(?: no|n.?)t|can(?:no|.?)t|could ?n[o']t|not|un(?:able|available)|fail\w*|never|no longer)"
)
_SEEN = r"(?:detect\w*|see\w*|find\w*|found|recogni[sz]\w*|us(?:e|ed|ing)\b|access\w*|visible|available|work\w*)"
_NO_TORCH = {
    "torch-cpu-only": 0.45,
    "torch-cpu-only-conda": 0.35,
    "torch-cpu-only-conda @ by-conda": 0.25,
    "driver-too-old": 0.3,
    "container-no-gpu-flag @ container": 0.31,
    "jetson-generic-wheel @ jetson": 0.35,
    "torch-backend-gpu-vendor @ amd": 0.25,
    "no-gpu @ intel": 0.25,
    "macos-no-cuda @ macos": 0.33,
    "slurm-no-gpu @ slurm": 0.31,
    "cvd-invalid": 0.15,
}

SIGNATURES = (
    signature(
        "program-sees-no-gpu",
        r"\bgpu available: (?:false|none\b)|gpu available: true \((?:cuda|mps)\), used: false"
        r"|no supported gpu backend found|invalid cuda 'device=\d|cuda unavailable, invalid device"
        r"|torch is not able to use gpu|only 0 devices available|python-[\d.]+ torch-[\d.]+\S* cpu\b"
        r"|your device does not support the current version of torch/cuda"
        r"|no (?:cuda|gpu) (?:device|runtime)?s? ?(?:was |were |is |are )?(?:found|detected|available)\b"
        r"|cuda (?:is )?(?:not|un) ?available\b",
        needles=(
            "gpu available: ",
            "supported gpu backend",
            "invalid cuda 'device",
            "cuda unavailable",
            "not able to use gpu",
            " torch-",
            "only 0 devices",
            "does not support the current version of torch",
            "no cuda",
            "no gpu",
            "cuda not available",
            "cuda is not available",
        ),
        meaning="The program asks PyTorch for a GPU, and PyTorch sees none that it can use.",
        causes=_NO_TORCH,
        ask="python -c 'import torch; print(torch.__version__, torch.version.cuda)'; nvidia-smi",
        source=_START,
        frameworks=("torch",),
        fallback=True,
    ),
    signature(
        "gpu-not-used",
        rf"\bgpus?\b[^\n]{{0,20}}\b{_NOT}\b[^\n]{{0,12}}\b(?:detect\w*|found|recogni[sz]\w*|used|utili[sz]ed|visible)\b"
        rf"|\b{_NOT}\b[^\n]{{0,12}}\b(?:detect|find|see|recogni[sz]e|us(?:e|ing))\b[^\n]{{0,12}}\bgpus?\b"
        r"|\bcpu instead of (?:the )?gpu|\binstead of (?:the )?gpu\b[^\n]{0,20}\bcpu",
        needles=("gpu",),
        meaning="A program does not use the GPU.",
        causes={
            "torch-cpu-only": 0.2,
            "driver-too-old": 0.15,
            "tf-cpu-only": 0.12,
            "jax-cpu-only": 0.1,
            "container-no-gpu-flag @ container": 0.2,
            "wsl-driver-libs-missing @ wsl": 0.1,
            "macos-no-cuda @ macos": 0.3,
        },
        ask="nvidia-smi; pip list | grep -iE 'torch|tensorflow|jax|nvidia'",
        source=_START,
        fallback=True,
    ),
    signature(
        "torch-uses-no-gpu",
        rf"\b(?:py)?torch\b[^\n]{{0,30}}\b{_NOT}\b[^\n]{{0,25}}\b{_SEEN}[^\n]{{0,25}}\b(?:gpu|cuda)\b"
        rf"|\b(?:gpu|cuda)\b[^\n]{{0,25}}\b{_NOT}\b[^\n]{{0,15}}\b{_SEEN}[^\n]{{0,25}}\b(?:py)?torch\b",
        needles=("torch",),
        meaning="PyTorch sees no GPU that it can use.",
        causes=_NO_TORCH,
        ask="python -c 'import torch; print(torch.__version__, torch.version.cuda)'; nvidia-smi",
        source=_START,
        frameworks=("torch",),
        fallback=True,
    ),
    signature(
        "tensorflow-uses-no-gpu",
        rf"\b(?:tensorflow|tf|keras)\b[^\n]{{0,30}}\b{_NOT}\b[^\n]{{0,25}}\b{_SEEN}[^\n]{{0,25}}\bgpus?\b"
        rf"|\bgpus?\b[^\n]{{0,25}}\b{_NOT}\b[^\n]{{0,15}}\b{_SEEN}[^\n]{{0,25}}\b(?:tensorflow|tf|keras)\b"
        r"|list_physical_devices\(['\"]gpu['\"]\)[^\n]{0,30}(?:empty|\[\])|is_gpu_available\(\)\W*(?:returns?|is"
        r"|gives)?\W*false"
        r"|list_physical_devices[^\n]{0,30}only[^\n]{0,12}cpu",
        needles=("tensorflow", "tf ", "keras", "list_physical_devices", "is_gpu_available"),
        meaning="TensorFlow lists no GPU.",
        causes={
            "tf-windows-native": 0.3,
            "tf-windows-native @ windows": 0.3,
            "tf-cuda-version-unsupported": 0.35,
            "tf-cpu-only": 0.35,
            "tf216-nvidia-libs-not-found": 0.35,
            "tf-soname-missing": 0.25,
            "macos-no-cuda @ macos": 0.33,
        },
        ask="python -c 'import tensorflow as tf; print(tf.__version__, tf.test.is_built_with_cuda())'; nvidia-smi",
        source=_PIP,
        frameworks=("tensorflow",),
        fallback=True,
    ),
    signature(
        "jax-uses-no-gpu",
        rf"\bjax\b[^\n]{{0,30}}\b{_NOT}\b[^\n]{{0,25}}\b{_SEEN}[^\n]{{0,25}}\bgpus?\b"
        r"|jax\.devices\(\)[^\n]{0,30}(?:cpudevice|tfrt_cpu|only[^\n]{0,12}cpu)",
        needles=("jax",),
        meaning="JAX lists no GPU.",
        causes={"jax-cpu-only": 0.5, "cudnn-too-old": 0.2, "driver-too-old": 0.2, "cuda-init-failed": 0.15},
        ask="pip list | grep -i jax; nvidia-smi",
        source="https://docs.jax.dev/en/latest/installation.html",
        frameworks=("jax",),
        fallback=True,
    ),
)
