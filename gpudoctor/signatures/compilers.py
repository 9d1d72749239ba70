"""Messages of compilers: XLA, ptxas, Triton, nvcc and the host compiler."""

from gpudoctor.signatures.catalogue import signature

_XLA = "https://github.com/openxla/xla/blob/main/xla/service/gpu/llvm_gpu_backend/nvptx_backend.cc"
_PTXAS = "https://github.com/openxla/xla/blob/main/xla/stream_executor/cuda/subprocess_compilation.cc"
_EXTENSION = "https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py"
_TRITON = "https://github.com/triton-lang/triton/blob/main/python/triton/runtime/build.py"
_NVCC = "https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html#host-compiler-support-policy"

SIGNATURES = (
    signature(
        "libdevice-missing",
        r"can.?t find libdevice|libdevice (?:is required by this hlo module|not found)"
        r"|libdevice\.10\.bc[^\n]{0,20}not found"
        r"|couldn.?t get ptxas/libdevice",
        needles=("libdevice",),
        meaning="XLA, TensorFlow's and JAX's compiler, does not find its file libdevice.10.bc.",
        causes={"xla-libdevice-missing": 0.92, "xla-ptxas-missing": 0.15},
        ask="find / -name 'libdevice*.bc' 2>/dev/null; echo \"$XLA_FLAGS\"",
        source=_XLA,
        frameworks=("tensorflow", "jax"),
    ),
    signature(
        "xla-jit-failed",
        r"jit compilation failed|\bxla compilation (?:failed|error)",
        needles=("jit compilation failed", "xla compilation"),
        meaning="XLA could not compile a part of the program for the GPU.",
        causes={
            "xla-libdevice-missing": 0.6,
            "xla-ptxas-old": 0.3,
            "xla-ptxas-missing": 0.25,
            "arch-too-new-for-build": 0.2,
        },
        ask="the line before it; find / -name 'libdevice*.bc' 2>/dev/null; which ptxas",
        source=_XLA,
        frameworks=("tensorflow", "jax"),
        fallback=True,
    ),
    signature(
        "ptxas-too-old",
        r"you are using ptxas [\d.x]+, (?:which is older|but \w+ requires)"
        r"|ptxas\s*:? (?:fatal\s*:? )?unsupported \.version"
        r"|ptxas[^\n]{0,80}does not support "
        r"cc|ptxas[^\n]{0,60}too old|value 'sm_\w+' is not defined for option 'gpu-name'",
        needles=("ptxas", "gpu-name"),
        meaning="The program ptxas, which compiles for the GPU, is too old for the framework or the GPU.",
        causes={"xla-ptxas-old": 0.9, "triton-no-compiler": 0.05, "arch-too-new-for-build": 0.2},
        ask="which -a ptxas; ptxas --version",
        source=_PTXAS,
    ),
    signature(
        "xla-ptx-version",
        r"PTX version [\d.]+ does not support target 'sm_\w+'",
        needles=("does not support target",),
        meaning="XLA in this build of the framework does not compile for this GPU, which is newer.",
        causes={"arch-too-new-for-build": 0.85, "xla-ptxas-old": 0.1},
        ask="python -c 'import tensorflow as tf; print(tf.__version__, tf.sysconfig.get_build_info())'",
        source="https://github.com/tensorflow/tensorflow/issues/111958",
        frameworks=("tensorflow", "jax"),
    ),
    signature(
        "ptxas-known-bug",
        r"ptxas[^\n]{0,120}(?:known to miscompile|has a (?:known )?bug|clobbers)",
        needles=("ptxas",),
        meaning="This ptxas has a known fault that makes wrong code.",
        causes={"xla-ptxas-old": 0.6, "xla-ptxas-hopper-bug": 0.5},
        ask="which -a ptxas; ptxas --version",
        source=_PTXAS,
    ),
    signature(
        "ptxas-failed",
        r"ptxas (?:returned an error|exited with non-zero)|ptx assembly aborted due to errors",
        needles=("ptxas", "ptx assembly aborted"),
        meaning="The program ptxas, which compiles for the GPU, failed; the line before it says why.",
        causes={"xla-ptxas-old": 0.6, "xla-ptxas-missing": 0.25, "arch-too-new-for-build": 0.15},
        ask="which -a ptxas; ptxas --version",
        source=_PTXAS,
        fallback=True,
    ),
    signature(
        "ptx-kernel-missing",
        r"failed to get ptx kernel|could not find the corresponding function|named symbol not found",
        needles=("failed to get ptx kernel", "find the corresponding function", "named symbol not found"),
        meaning="What was compiled for the GPU lacks a function, because the compiler or its target did not fit.",
        causes={"xla-ptxas-old": 0.6, "arch-too-new-for-build": 0.35, "arch-too-old-for-build": 0.2},
        ask="which -a ptxas; ptxas --version; nvidia-smi --query-gpu=name,compute_cap --format=csv",
        source=_PTXAS,
    ),
    signature(
        "ptxas-missing",
        r"couldn.?t (?:find|invoke|get) (?:a suitable version of )?ptxas|ptxas not found"
        r"|no such file or directory:? ['\"]?[\w/.-]*ptxas|no ptxas found|relying on driver to perform ptx compilation",
        needles=("ptxas", "driver to perform ptx compilation"),
        meaning="The program ptxas, which compiles for the GPU, is not found.",
        causes={"xla-ptxas-missing": 0.8, "xla-ptxas-old": 0.15, "files-damaged": 0.1},
        ask="which -a ptxas; pip list | grep nvcc",
        source=_PTXAS,
    ),
    signature(
        "ptxas-of-cuda-dir-missing",
        r"can.?t find ptxas binary",
        needles=("find ptxas binary",),
        meaning="XLA does not find the program ptxas and lets the driver compile, which a new enough driver can.",
        causes={"xla-ptxas-missing": 0.6, "harmless": 0.4},
        ask="which -a ptxas; the lines that follow, where they speak of an out-of-date driver",
        source=_PTXAS,
        frameworks=("jax", "tensorflow"),
    ),
    signature(
        "driver-older-than-ptxas",
        r"older than the ptxas cuda version",
        needles=("older than the ptxas",),
        meaning="The driver offers an older CUDA than the compiler, so JAX compiles more slowly; nothing breaks.",
        causes={"xla-driver-older-than-ptxas": 0.95},
        ask="nvidia-smi | head -4",
        source=_PTXAS,
        frameworks=("jax", "tensorflow"),
    ),
    signature(
        "triton-no-c-compiler",
        r"failed to find c compiler|fatal error: python\.h: no such file|include file 'python\.h' not found",
        needles=("failed to find c compiler", "python.h"),
        meaning="Triton, which compiles for torch.compile, finds no C compiler or not the headers of Python.",
        causes={"triton-no-compiler": 0.95},
        ask="which cc gcc clang; python -c 'import sysconfig; print(sysconfig.get_path(\"include\"))'",
        source=_TRITON,
        frameworks=("torch",),
    ),
    signature(
        "link-libcuda",
        r"cannot find -lcuda\b|['\"]-lcuda['\"]",
        needles=("-lcuda",),
        meaning="The linker looks for libcuda.so, and only libcuda.so.1 is there.",
        causes={"triton-libcuda-link": 0.9, "drv-absent": 0.1},
        ask="ldconfig -p | grep libcuda.so",
        source="https://github.com/triton-lang/triton/issues/2507",
        frameworks=("torch",),
    ),
    signature(
        "triton-missing",
        r"no module named '?triton|cannot find a working triton installation|triton is not (?:available|installed)"
        r"|tritonmissing",
        needles=("triton",),
        meaning="Triton, which torch.compile needs for the GPU, is not installed or does not work.",
        causes={"not-installed": 0.6, "triton-no-compiler": 0.4, "package-half-installed": 0.2},
        ask="pip list | grep -i triton",
        source="https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
        frameworks=("torch",),
    ),
    signature(
        "triton-gpu-too-old",
        r"too old to be supported by the triton gpu compiler|gputooold",
        needles=("triton gpu compiler", "gputooold"),
        meaning="Triton, which torch.compile uses, does not serve a GPU this old.",
        causes={"feature-needs-newer-gpu": 0.85, "arch-too-old-for-build": 0.2},
        ask="nvidia-smi --query-gpu=name,compute_cap --format=csv",
        source="https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
        frameworks=("torch",),
    ),
    signature(
        "triton-resources",
        r"out of resource: (?:shared memory|registers)|outofresources",
        needles=("out of resource: ", "outofresources"),
        meaning="A piece of code that Triton made needs more of the GPU's fast memory than this model has.",
        causes={"feature-needs-newer-gpu": 0.6, "bug-in-gpu-code": 0.45},
        ask="nvidia-smi --query-gpu=name,compute_cap --format=csv; pip list | grep -i triton",
        source="https://triton-lang.org/main/programming-guide/chapter-3/debugging.html",
        frameworks=("torch",),
    ),
    signature(
        "inductor-failed",
        r"torch\._inductor\.exc\.\w+|torch\._dynamo\.exc\.backendcompilerfailed|backendcompilerfailed",
        needles=("torch._inductor.exc", "backendcompilerfailed"),
        meaning="Torch.compile could not compile the model; the line after says why.",
        causes={"triton-no-compiler": 0.6, "triton-libcuda-link": 0.4, "not-installed": 0.2},
        ask="which cc gcc; pip list | grep -i triton",
        source="https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
        frameworks=("torch",),
        fallback=True,
    ),
    signature(
        "gcc-too-new",
        r"unsupported gnu version|unsupported (?:clang|microsoft visual studio) version"
        r"|host_config\.h[^\n]{0,60}#error",
        needles=("unsupported gnu version", "unsupported clang version", "unsupported microsoft", "host_config.h"),
        meaning="The C compiler is newer than what this CUDA compiler (nvcc) accepts.",
        causes={"nvcc-gcc-too-new": 0.95},
        ask="nvcc --version | tail -2; gcc --version | head -1",
        source=_NVCC,
    ),
    signature(
        "nvcc-torch-mismatch",
        r"detected cuda version \([\d.]+\) (?:mismatches|has a minor version mismatch with)",
        needles=("detected cuda version",),
        meaning="The CUDA compiler (nvcc) is of another version than the CUDA that PyTorch was built with.",
        causes={"nvcc-torch-mismatch": 0.85, "torch-companion-cuda": 0.25, "toolkit-not-needed": 0.2},
        ask="nvcc --version | tail -2; python -c 'import torch; print(torch.version.cuda)'",
        source=_EXTENSION,
        frameworks=("torch",),
    ),
    signature(
        "cuda-home-missing",
        r"cuda_home (?:environment variable )?is not set|cuda_home (?:does not exist|not found)"
        r"|unable to find cuda_home"
        r"|could not find cuda[^\n]{0,20}nvcc|nvcc(?:\.exe)?['\"]?: (?:command )?not found"
        r"|no cuda runtime is found, using cuda_home"
        r"|no such file or directory:? ['\"]?[^\s'\"]*\bnvcc\b|\bnvcc['\"]?: no such file or directory"
        r"|failed to find nvcc|nvcc (?:was )?not found in (?:your )?(?:path|cuda)",
        needles=("cuda_home", "nvcc"),
        meaning="GPU code is to be compiled, and the CUDA compiler nvcc is not found.",
        causes={"cuda-home-missing": 0.9, "toolkit-not-needed": 0.25, "torch-rocm-build": 0.15},
        ask='which nvcc; ls -d /usr/local/cuda*; echo "$CUDA_HOME"',
        source=_EXTENSION,
    ),
    signature(
        "nvcc-not-found-warning",
        r"but nvcc was not found",
        needles=("nvcc was not found",),
        meaning="A package wants to compile GPU code, and the CUDA compiler nvcc is not found.",
        causes={"cuda-home-missing": 0.7, "torch-rocm-build": 0.4, "toolkit-not-needed": 0.1},
        ask="which nvcc; python -c 'import torch; print(torch.version.cuda, torch.version.hip)'",
        source=_EXTENSION,
    ),
    signature(
        "nvcc-unsupported-arch",
        r"nvcc fatal\s*:? unsupported gpu architecture",
        needles=("unsupported gpu architecture",),
        meaning="This CUDA compiler (nvcc) does not know the GPU that it is to compile for.",
        causes={"nvcc-torch-mismatch": 0.5, "arch-too-new-for-build": 0.4, "arch-too-old-for-build": 0.2},
        ask='nvcc --list-gpu-arch; echo "$TORCH_CUDA_ARCH_LIST"',
        source=_NVCC,
    ),
)
