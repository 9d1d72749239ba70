"""LIB026 built-for-other-cuda: a program asks for libraries of another CUDA or cuDNN than a text says to be there."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Resolution, Toolkit, Toolkits
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.versions import CudaVersion
from tests.rules.stacks import GTX_1080_TI, RTX_4090, stack
from tests.rules.table import fires, quiet, skips

RULE = "built-for-other-cuda"
PASTED = Live(symptoms=(Symptom(signature="cuda-library-missing", text="cannot open shared object file"),))


def text(asker, soname, *cudas, files=(), torch=None, live=PASTED, gpu=RTX_4090, release=None):
    missed = Resolution(framework=asker, soname=soname, wanted_by=asker, how="opened")
    copies = tuple(LibraryCopy(family=family, soname=name, path=name) for family, name in files)
    found = tuple(Toolkit(root=cuda, version=CudaVersion(cuda)) for cuda in cudas)
    built = (Framework(name="torch", version="2.1.0", variant="cuda", cuda=CudaVersion(torch)),) if torch else ()
    built += (Framework(name=asker, version=release),) if release else ()
    return stack(gpu) | {
        "libraries": Libraries(resolutions=(missed,), copies=copies),
        "toolkits": Toolkits(found=found, excerpt=True),
        "frameworks": Frameworks(found=built),
        "live": live,
    }


#: With the command, or the words, that the first fix begins with.
FIRES = {
    "TensorFlow 1.5 to 1.12 beside CUDA 9.2": (
        text("tensorflow", "libcublas.so.9.0", "9.2", gpu=GTX_1080_TI),
        "developer.nvidia.com",
    ),
    "TensorFlow 2.1 beside CUDA 11.0": (
        text("tensorflow", "libcudart.so.10.1", "11.0", gpu=GTX_1080_TI),
        "cudatoolkit=10.1",
    ),
    "no toolkit older than the GPU": (text("tensorflow", "libcudart.so.10.1", "11.0"), "10.1 is older than this GPU"),
    "TensorFlow 2.1 beside CUDA 12.2": (text("tensorflow", "libcudart.so.10.1", "12.9"), "tensorflow[and-cuda]=="),
    "ONNX Runtime for CUDA 11 beside 12.4": (
        text("onnxruntime", "libcublas.so.11", "12.4"),
        "onnxruntime-gpu>=1.19,<1.27",
    ),
    "MXNet for 10.0 beside 10.1": (text("mxnet", "libcudart.so.10.0", "10.1"), "mxnet-cu101"),
    "Paddle for 10.2 beside 12.0": (text("paddle", "libcudart.so.10.2", "12.0"), "PaddlePaddle for CUDA 12.6"),
    "Paddle 2 stays Paddle 2": (text("paddle", "cudnn64_7.dll", "11.2", release="2.3.2"), "paddlepaddle-gpu==2.6.2"),
    "Paddle 3 stays Paddle 3": (text("paddle", "libcudart.so.12", "11.2", release="3.0.0"), "paddlepaddle-gpu==3."),
    "CTranslate2 for 12 beside 11.8": (text("ctranslate2", "libcublas.so.12", "11.8"), "ctranslate2>=3.0,<4.0"),
    "CTranslate2 for 12 beside 13": (text("ctranslate2", "libcublas.so.12", "13.0"), "nvidia-cublas-cu12"),
    "libgpuarray for 7.0 beside 10": (text("pygpu", "nvrtc64_70.dll", "10"), "GPUARRAY_CUDA_VERSION"),
    "an extension of torch, whose CUDA counts": (
        text("mmcv", "libcudart.so.10.1", "10.1", torch="12.1"),
        "build of the extension",
    ),
    "files say more than words": (
        text("dgl", "libcusparse.so.11", "11.3", files=[("cusparse", "libcusparse.so.12")]),
        "nvidia-cusparse-cu11",
    ),
    "cuDNN 8 wanted, 7 there": (
        text("jax", "libcudnn.so.8", "11.0", files=[("cudnn", "libcudnn.so.7")]),
        "nvidia-cudnn-cu11==8.*",
    ),
    "cuDNN 7 wanted by a build for CUDA 10.1, cuDNN 8 and CUDA 10.2 there": (
        text("tensorflow", "libcudnn.so.7", "10.2", files=[("cudnn", "libcudnn.so.8")])
        | {
            "frameworks": Frameworks(
                found=(Framework(name="tensorflow", version="2.3.0", cuda=CudaVersion("10.1"), cudnn="7.6"),)
            )
        },
        "Install CUDA 10.1 and cuDNN 7.6",
    ),
}
QUIET = {
    "the right CUDA, not on the path": text("tensorflow", "cudart64_110.dll", "11.2"),
    "one of two is right": text("mxnet", "libcudart.so.10.0", "10.0", "11.2"),
    "10 may be 10.0": text("mxnet", "libcudart.so.10.0", "10"),
    "nothing is stated": text("mxnet", "libcudart.so.10.0"),
    "the right file is listed": text("jax", "libcudnn.so.8", "11.0", files=[("cudnn", "libcudnn.so.8")]),
    "a machine that was looked at": text("mxnet", "libcudart.so.10.0", "10.1", live=Live()),
}


@pytest.mark.parametrize(("machine", "remedy"), FIRES.values(), ids=FIRES)
def test_it_fires(machine, remedy):
    finding = fires(RULE, **machine)
    assert finding.confidence == "likely"
    assert remedy in f"{finding.fixes[0].title} {finding.fixes[0].steps}"


def test_no_libraries_older_than_the_gpu_beside_a_build():
    machine = text("paddle", "libcudart.so.10.2", "12.0")
    assert "10.2" not in str(fires(RULE, **machine).fixes)
    assert "10.2" in str(fires(RULE, **text("mxnet", "libcudart.so.10.2", "11.2", gpu=GTX_1080_TI)).fixes)


@pytest.mark.parametrize("machine", QUIET.values(), ids=QUIET)
def test_it_is_quiet(machine):
    quiet(RULE, **machine)


def test_it_leaves_open_what_was_not_seen():
    assert skips(RULE, **(text("mxnet", "libcudart.so.10.0", "10.1") | {"libraries": Gap(reason="not seen")}))
