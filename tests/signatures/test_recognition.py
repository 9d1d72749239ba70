"""What is recognised, what is not, and how long it takes."""

import json
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpudoctor.signatures import lines_that_matter, recognise, signature_of, signatures

NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"

#: A message and the signature that it must be recognised as, as frameworks, drivers and users write them.
MESSAGES = [
    (NO_KERNEL, "no-kernel-image"),
    ("CUDA error 209 at ggml-cuda.cu:100", "no-kernel-image"),
    ("cudaErrorNoKernelImageForDevice: no kernel image", "no-kernel-image"),
    ("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
     "torch-sm-not-compatible"),
    ("cu->cuInit(0) failed -> CUDA_ERROR_NOT_INITIALIZED: initialization error", "cuda-not-initialized"),
    ("CUDA error 3: initialization error", "cuda-not-initialized"),
    ("cuda driver library init failure: 3", "cuda-not-initialized"),
    ("CUDA driver version is insufficient for CUDA runtime version", "cuda-insufficient-driver"),
    ("cudaGetDeviceCount returned 35", "cuda-insufficient-driver"),
    ("cuda runtime error (46) : all CUDA-capable devices are busy or unavailable", "cuda-devices-unavailable"),
    ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", "cuda-devices-unavailable"),
    ("cudaGetDeviceCount returned 100", "cuda-no-device"),
    ("failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected", "cuda-no-device"),
    ("RuntimeError: CUDA error: invalid device ordinal", "cuda-invalid-device"),
    ("cuInit failed with error code 101", "cuda-invalid-device"),
    ("Loaded runtime CuDNN library: 7301 (compatibility version 7300) but source was compiled with 7003 (",
     "cudnn-older-than-built"),
    ("RuntimeError: cuDNN version mismatch: PyTorch was compiled against 7102 but linked against 7605",
     "torch-cudnn-incompatible"),
    ("symbol cublasLtGetStatusString version libcublasLt.so.11 not defined in file libcublasLt.so.11 with link time",
     "cuda-library-symbol"),
    ("libfoo.so: symbol bar, version BAR_2 not defined in file libbar.so.2 with link time reference",
     "symbol-undefined"),
    ("ImportError: libcudnn.so.8: cannot open shared object", "cudnn-file-missing"),
    ("FileNotFoundError: [Errno 2] No such file or directory: '/usr/local/cuda/bin/nvcc'", "cuda-home-missing"),
    ("failed call to cuInit: UNKNOWN ERROR (34)", "cuda-stub-library"),
    ("Detected that PyTorch and torch_scatter were compiled with different CUDA versions.", "geometric-cuda-mismatch"),
    ("Could not dlopen library 'libcublas.so.10.0'; dlerror: libcublas.so.10.0: cannot open shared object file",
     "tf-library-missing"),
    ("version_match. cuDNN compiled (7102) and runtime (7004) versions mismatch", "torch-cudnn-incompatible"),
    ("nvptx_compiler.cc:73] Can't find ptxas binary in ${CUDA_DIR}/bin. Will back to the GPU driver",
     "ptxas-of-cuda-dir-missing"),
    ("# library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object", "tf-library-missing"),
    ("cuda_utils.c:14: error: include file 'Python.h' not found", "triton-no-c-compiler"),
    ("Could not load library libcudnn_cnn_infer.so.8. Error: /cuda/lib64/libnvrtc.so: undefined symbol: nvrtcGet",
     "cuda-library-symbol"),
    ("Could not load library libcudnn_cnn_infer.so.8. Error: /x/libcudnn_cnn_infer.so.8: undefined symbol: _ZN11nv",
     "cudnn-parts-mixed"),
    ("Jax plugin configuration error: Exception when calling jax_plugins.xla_cuda12.initialize()",
     "jax-plugin-failed"),
    ("AttributeError: module 'jax._src.lib.triton' has no attribute 'register_compilation_handler'",
     "jax-pjrt-mismatch"),
    ("ImportError: cannot import name 'triton' from 'jax._src.lib' (jax/_src/lib/__init__.py)", "jax-pjrt-mismatch"),
    ("RuntimeError: jaxlib/cuda/versions_helpers.cc:72: operation cublasGetVersion( nullptr, &version) failed",
     "jax-library-asked"),
    ("the provided PTX was compiled with an unsupported toolchain.", "cuda-unsupported-ptx"),
    ("CUDA error 222", "cuda-unsupported-ptx"),
    ("cudaErrorOperatingSystem", "cuda-operating-system"),
    ("CUDA error: OS call failed or operation not supported on this OS", "cuda-operating-system"),
    ("cuInit: 304", "cuda-operating-system"),
    ("CUDA error: an illegal memory access was encountered", "cuda-illegal-address"),
    ("CUDA_ERROR_ILLEGAL_ADDRESS", "cuda-illegal-address"),
    ("CUDA error 700 in kernel.cu", "cuda-illegal-address"),
    ("CUDA error: too many resources requested for launch", "cuda-launch-resources"),
    ("CUDA error: the launch timed out and was terminated", "cuda-launch-timeout"),
    ("CUDA error 703", "cuda-incompatible-texturing"),
    ("cudaErrorPeerAccessAlreadyEnabled", "cuda-peer-already"),
    ("CUDA error: peer access has not been enabled", "cuda-peer-not-enabled"),
    ("CUDA error 708", "cuda-context-active"),
    ("CUDA_ERROR_CONTEXT_IS_DESTROYED", "cuda-context-destroyed"),
    ("CUDA error: device-side assert triggered", "cuda-assert"),
    ("CUDA error 711", "cuda-too-many-peers"),
    ("4x GTX 1080 Ti: AllReduce hangs", "nccl-hangs"),
    ("model freeze(stuck) when using 4 or more GPUs", "nccl-hangs"),
    ("training gets stuck as soon as it uses 2 GPUs", "nccl-hangs"),
    ("CUDA error 712", "cuda-host-memory-registered"),
    ("CUDA error 713", "cuda-host-memory-not-registered"),
    ("CUDA_ERROR_HARDWARE_STACK_ERROR", "cuda-hardware-stack"),
    ("CUDA error: an illegal instruction was encountered", "cuda-illegal-instruction"),
    ("CUDA error: misaligned address", "cuda-misaligned-address"),
    ("CUDA error 717", "cuda-invalid-address-space"),
    ("CUDA error 718", "cuda-invalid-pc"),
    ("CUDA error: unspecified launch failure", "cuda-launch-failed"),
    ("CUDA_ERROR_LAUNCH_FAILED", "cuda-launch-failed"),
    ("RuntimeError: CUDA error: operation not supported", "cuda-not-supported"),
    ("Error 802: system not yet initialized", "cuda-system-not-ready"),
    ("cudaGetDeviceCount() failed with error code 802", "cuda-system-not-ready"),
    ("Error 803: system has unsupported display driver / cuda driver combination", "cuda-driver-mismatch"),
    ("Error 804: forward compatibility was attempted on non supported HW", "cuda-compat-unsupported"),
    ("cuInit(0) = 804", "cuda-compat-unsupported"),
    ("failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error", "cuda-unknown"),
    ("CUDA unknown error - this may be due to an incorrectly set up environment", "cuda-unknown"),
    ("CUDA error 999", "cuda-unknown"),
    ("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "cudnn-not-initialized"),
    ("cuDNN error: CUDNN_STATUS_VERSION_MISMATCH", "cudnn-version-mismatch"),
    ("cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", "cudnn-version-mismatch"),
    ("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "cudnn-execution-failed"),
    ("Loaded runtime CuDNN library: 8.5.0 but source was compiled with: 8.6.0.", "cudnn-older-than-built"),
    ("DNN library is not found.", "dnn-library-not-found"),
    ("Cannot dlopen some GPU libraries. Please make sure the missing libraries", "tf-cannot-dlopen"),
    ("Could not find cuda drivers on your machine, GPU will not be used.", "tf-could-not-find-cuda-drivers"),
    ("Could not load dynamic library 'libcudart.so.11.0'; dlerror: not found", "tf-library-missing"),
    ("Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice", "libdevice-missing"),
    ("libdevice not found at ./libdevice.10.bc [Op:__some_op]", "libdevice-missing"),
    ("Couldn't invoke ptxas --version", "ptxas-missing"),
    ("ptxas fatal   : Unsupported .version 8.4; current version is '8.2'", "ptxas-too-old"),
    ("ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'", "ptxas-too-old"),
    ("NCCL error in: ProcessGroupNCCL.cpp:1275, unhandled system error, NCCL version 2.19", "nccl-system-error"),
    ("ncclUnhandledCudaError: Call to CUDA function failed.", "nccl-cuda-error"),
    ("Illegal instruction (core dumped)", "illegal-instruction"),
    ("A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.2", "numpy1-module-in-numpy2"),
    ("ValueError: numpy.dtype size changed, may indicate binary incompatibility.", "numpy-dtype-size"),
    ("AttributeError: _ARRAY_API not found", "numpy1-module-in-numpy2"),
    ("/lib64/libm.so.6: version `GLIBC_2.27' not found (required by x.so)", "glibc-too-old"),
    ("libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by x.so)", "glibcxx-too-old"),
    ("libtorch_cuda.so: undefined symbol: ncclCommRegister", "cuda-library-symbol"),
    ("flash_attn_2_cuda.cpython-311.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs", "torch-symbol"),
    ("AssertionError: Torch not compiled with CUDA enabled", "torch-not-compiled-with-cuda"),
    ("RuntimeError: Found no NVIDIA driver on your system.", "no-nvidia-driver"),
    ("The NVIDIA driver on your system is too old (found version 11040).", "driver-too-old"),
    ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "smi-cannot-communicate"),
    ("NVIDIA-SMI has failed because it couldn\u2019t communicate with the NVIDIA driver", "smi-cannot-communicate"),
    ("Failed to initialize NVML: Driver/library version mismatch", "nvml-version-mismatch"),
    ("No devices were found", "smi-no-devices"),
    ("RuntimeError: operator torchvision::nms does not exist", "torchvision-operators"),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", "torch-gpu-out-of-memory"),
    ("OOM when allocating tensor with shape[64,128]", "tensorflow-gpu-out-of-memory"),
    ("XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate", "tensorflow-gpu-out-of-memory"),
    ("TypeError: Descriptors cannot be created directly.", "protobuf-descriptors"),
    ("ImportError: DLL load failed while importing _pywrap_tensorflow_internal", "win-dll-load-failed"),
    ("Unable to initialize backend 'cuda': FAILED_PRECONDITION", "jax-backend-failed"),
    ("jax_plugins.xla_cuda12: error in initialize()", "jax-backend-failed"),
    ("libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12", "nvjitlink-symbol"),
    ("ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory", "cudnn-file-missing"),
    ("CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`", "cublas-not-initialized"),
    ("CUBLAS_STATUS_ALLOC_FAILED", "cublas-alloc-failed"),
    ("RuntimeError: CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasGemmEx`", "cublas-failed"),
    ("Could not find the bitsandbytes CUDA binary at libbitsandbytes_cuda124.so", "bnb-cuda-binary"),
    ("FlashAttention only supports Ampere GPUs or newer.", "flash-attn-gpu"),
    ("WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:", "xformers-built-for"),
    ("#error -- unsupported GNU version! gcc versions later than 12 are not supported!", "gcc-too-new"),
    ("ERROR: No matching distribution found for torch==1.8.1", "no-matching-distribution"),
    ("ERROR: ResolutionImpossible: for help visit", "resolution-conflict"),
    ("NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.", "xid-79"),
    ("NVRM: Xid (PCI:0000:01:00): 119, Timeout waiting for RPC from GSP!", "xid-119"),
    ("NVRM: Xid (PCI:0000:65:00): 48, pid=99, Double Bit ECC Error", "xid-ecc"),
    ("NVRM: Xid (PCI:0000:65:00): 31, pid=99, MMU Fault", "xid-program"),
    ("ModuleNotFoundError: No module named 'torch'  (during build wheel)", "extension-needs-torch-to-build"),
]  # fmt: skip

#: More of them: packages that add GPU code, other makers' GPUs, data loaders, several machines, building, precision.
for _file in sorted(Path(__file__).parent.glob("messages*.json")):
    MESSAGES += [tuple(row) for row in json.loads(_file.read_text(encoding="utf-8"))]

#: Lines of a run in which nothing is wrong.
HEALTHY = """
Epoch 1/3 loss: 0.4021 accuracy: 0.8811
2026-11-21 10:00:00.1 I tensorflow/core/common_runtime/gpu/gpu_device.cc:2020] Created device /job:localhost/gpu:0
This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.
HTTP error 304: Not Modified
GPU 0: NVIDIA RTX 4090 available, 24217 MiB free; CUDA version 12.4; driver 550.54.14
Using cuda:0 device. Loading data from 3 files.
NCCL version 2.21.5+cuda12.4
Installing collected packages: torch-2.6.0+cu124
step 999 of 1000, batch 804, 35 samples, error 0.0031, code path 700
xFormers 0.0.27.post2, pytorch.version: 2.4.0+cu121
memory_efficient_attention.cutlassF-pt: available
Using device: mps, macOS 14.5 on Apple M2
PyTorch version 2.6.0+rocm6.2, AMD Radeon RX 7900 XTX, gfx1100
Intel(R) Arc(TM) A770 Graphics, driver 1.3.29735
loading with 8 data loader workers and pinned memory
Using bf16 mixed precision training on NVIDIA A100-SXM4-80GB
GPU memory usage: 10240 MiB of 81920 MiB, freed after each step
NCCL INFO P2P Chunksize set to 524288; Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
Initializing process group with TCPStore on node1:29500, world size 2
[INFO] DeepSpeed Op Builder: cpu_adam compiled and loaded
conda install pytorch torchvision pytorch-cuda=12.1 -c pytorch -c nvidia
Available providers: ['CUDAExecutionProvider', 'CPUExecutionProvider']
Building wheel for flash-attn (setup.py): finished with status 'done'
NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build
nvidia: loading out-of-tree module taints kernel.
Started nvidia-persistenced.service - NVIDIA Persistence Daemon.
vermagic:       6.8.0-45-generic SMP preempt mod_unload modversions
INFO[0000] Selecting /dev/nvidia-uvm as /dev/nvidia-uvm
nvidia-gridd: License acquired successfully. (Info: 10.0.0.5, NVIDIA RTX Virtual Workstation)
Allocated resources: nvidia.com/gpu 1 1
"""


@pytest.mark.parametrize(("text", "name"), MESSAGES, ids=[f"{name}:{text[:30]}" for text, name in MESSAGES])
def test_a_message_is_known(text, name):
    assert name in [symptom.signature for symptom in recognise(text)]


@pytest.mark.parametrize("line", HEALTHY.strip().splitlines())
def test_a_line_of_a_healthy_run_is_no_message(line):
    assert not recognise(line)


def test_a_symptom_says_where_and_whose():
    (symptom,) = recognise(f"noise\n{NO_KERNEL}\nnoise", framework="torch", where="smoke torch on gpu:0")
    assert (symptom.signature, symptom.text) == ("no-kernel-image", NO_KERNEL)
    assert (symptom.framework, symptom.where) == ("torch", "smoke torch on gpu:0")


def test_each_line_once_and_few_of_each():
    assert len(recognise(f"{NO_KERNEL}\n" * 50)) == 1
    many = "\n".join(f"Could not load dynamic library 'libcu{chr(97 + n)}.so'" for n in range(20))
    assert len(recognise(many)) == 5


def test_the_order_is_that_of_the_text():
    names = [one.signature for one in recognise(f"Illegal instruction\n{NO_KERNEL}\nNo devices were found")]
    assert names == ["illegal-instruction", "no-kernel-image", "smi-no-devices"]


def test_colours_and_other_line_ends_do_not_hide_a_message():
    for text in (
        "\x1b[31mRuntimeError: \x1b[1mCUDA error: no kernel \x1b[0mimage is available\x1b[m",
        f"Epoch 1\r\n{NO_KERNEL}\r\n",
        f"10%|##   |\r20%|###  |\r{NO_KERNEL}",
        f"\u0130stanbul\n{NO_KERNEL}",
        "\x1b]0;title\x07" + NO_KERNEL,
    ):
        assert [one.signature for one in recognise(text)] == ["no-kernel-image"], text
        assert not re.search(r"[\x00-\x1f]", recognise(text)[0].text)


def test_what_is_general_gives_way_to_what_is_known():
    assert [one.signature for one in recognise("CUDA error: something nobody has seen")] == ["cuda-error-other"]
    assert [one.signature for one in recognise(NO_KERNEL)] == ["no-kernel-image"]


def test_a_long_line_is_told_in_part():
    (symptom,) = recognise("x" * 5000 + " No devices were found " + "y" * 5000)
    assert "No devices were found" in symptom.text
    assert len(symptom.text) <= 400


def test_lines_that_matter_are_few_and_in_order():
    log = "\n".join(
        ["starting"] * 3
        + [f"step {n}" for n in range(500)]
        + [
            "W0000 gpu_device.cc:2341] Cannot dlopen some GPU libraries.",
            "warning: something",
            "ValueError: bad",
            "done",
        ]
    )
    assert lines_that_matter(log) == (
        "W0000 gpu_device.cc:2341] Cannot dlopen some GPU libraries.",
        "warning: something",
        "ValueError: bad",
    )
    assert lines_that_matter(log, 1) == ("W0000 gpu_device.cc:2341] Cannot dlopen some GPU libraries.",)
    assert lines_that_matter("") == ()
    assert len(lines_that_matter("\n".join(f"error {chr(97 + n % 26)}{n}" for n in range(500)), 40)) == 40


def test_every_row_is_whole():
    names = [row.name for row in signatures()]
    assert len(names) == len(set(names))
    for row in signatures():
        assert row.meaning.endswith("."), row.name
        assert row.meaning[0].isupper(), row.name
        assert row.ask, row.name
        assert row.source.startswith("https://"), row.name
        assert row.needles, row.name
        for needle in row.needles:
            assert needle == needle.lower(), row.name
            assert len(needle) >= 3, row.name
        assert row.causes, row.name
        assert re.compile(row.pattern, re.IGNORECASE)
        assert signature_of(row.name) is row


def test_every_row_of_the_messages_is_reached_by_its_needles():
    """A pattern that matches where no needle stands would never be tried."""
    for text, name in MESSAGES:
        row = signature_of(name)
        assert any(needle in text.lower() for needle in row.needles)


GIGANTIC = 10_000_000


def _different_lines():
    draw = random.Random(1)
    words = ("epoch", "step", "training", "cuda", "error", "device", "tensorflow", "failed", "nccl", "version", "load")
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines, size = [], 0
    while size < GIGANTIC:
        lines.append(" ".join([*draw.choices(words, k=10), "".join(draw.choices(letters, k=12))]))
        size += len(lines[-1]) + 1
    return "\n".join(lines)


BIG_TEXTS = {
    "training": lambda: "\n".join(f"Epoch {n} loss: {n / 7:.5f}" for n in range(400_000)),
    "different": _different_lines,
    "one line": lambda: "CUDA error " * (GIGANTIC // 11),
    "nothing": lambda: "a" * GIGANTIC,
    "colours": lambda: "\x1b[31m" * (GIGANTIC // 5),
    "open colours": lambda: "\x1b]" * (GIGANTIC // 2),
    "empty lines": lambda: "\n" * GIGANTIC,
    "spaces": lambda: "error loading " + " " * GIGANTIC,
    "brackets": lambda: "(" * GIGANTIC,
    "errors": lambda: "\n".join(f"CUDA error: x{n} out of memory cudnn nccl warn" for n in range(200_000)),
    "symbols": lambda: "undefined symbol: " * (GIGANTIC // 18),
}


@pytest.mark.timed
@pytest.mark.parametrize("name", BIG_TEXTS)
def test_ten_megabytes_take_no_time(name):
    text = BIG_TEXTS[name]() + f"\n{NO_KERNEL}\n"
    recognise("warm")
    begun = time.process_time()
    found = recognise(text)
    middle = time.process_time()
    lines_that_matter(text)
    ended = time.process_time()
    assert "no-kernel-image" in [one.signature for one in found]
    # A fraction of this on a machine that does nothing else.
    assert middle - begun < 3, middle - begun
    assert ended - middle < 3, ended - middle


@pytest.mark.timed
@pytest.mark.parametrize("row", signatures(), ids=lambda row: row.name)
def test_no_pattern_is_slow_on_a_line_made_for_it(row):
    pattern = re.compile(row.pattern, re.IGNORECASE)
    for needle in row.needles:
        for line in (
            needle * 100,
            (needle + " ") * 100,
            needle + " " * 1500,
            needle + "a" * 1500,
            needle + "([<'" * 300,
        ):
            begun = time.process_time()
            pattern.search(line[:1600])
            assert time.process_time() - begun < 0.25, (row.name, needle)


@settings(max_examples=60)
@given(st.text(max_size=3000))
def test_any_text_is_survived(text):
    for symptom in recognise(text):
        assert symptom.text
    assert len(lines_that_matter(text)) <= 40
