"""What to do where a program asks for CUDA libraries that are not there: another build of it, or the libraries."""

import pytest

from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.cuda_for_program import for_program, its_folder, tensorflow_for_cuda
from tests.rules.stacks import GTX_1080_TI, RTX_4090, WINDOWS, card, interpreter, stack

MATRIX = load_matrix()
TESLA_T4 = card("Tesla T4", "7.5")
PIP = "/home/me/env/bin/python -m pip install"
CONDA = "conda install --channel conda-forge"
FOLDERS = "<SITE_PACKAGES>/nvidia"
#: What ONNX Runtime opens besides.
OPENED = "nvidia-cuda-runtime-cu12 nvidia-cufft-cu12 nvidia-curand-cu12"
ARCHIVES = "Take it from https://developer.nvidia.com/cuda-toolkit-archive"


def scene(python="3.12.4", gpu=TESLA_T4, **sections):
    machine = stack(gpu, on=interpreter(python), **sections)
    return Scene(**{name: machine[name] for name in Scene.__struct_fields__})


PASCAL = scene(gpu=GTX_1080_TI)
PY312, PY38, PY37, ON_WINDOWS = scene(), scene("3.8.10"), scene("3.7.9"), scene("3.10.4", host=WINDOWS)


def fix_for(asker, names, here="", where=PY312):
    cudas = tuple(map(CudaVersion, here.split()))
    return for_program(asker, tuple(names.split()), cudas, where, MATRIX)


def check(fix, title, command, *said):
    """The title, the one command (or none, where a person must do it), and what is said after it, in order."""
    assert title in fix.title
    assert [" ".join(step.argv) for step in fix.steps if isinstance(step, Run)] == ([command] if command else [])
    asks = [step.text for step in fix.steps if isinstance(step, Ask)]
    assert len(asks) == len(said), asks
    for text, ask in zip(said, asks, strict=True):
        assert text in ask
    by = command.split()[0] if command else ""
    assert fix.safety == {"": "manual", "conda": "review"}.get(by, "safe")


@pytest.mark.parametrize(
    ("asker", "names", "here", "where", "title", "command", "said"),
    [
        (
            *("onnxruntime", "libcublasLt.so.11 libcudnn.so.8", "12.4", PY312, "build of ONNX Runtime for CUDA 12.4"),
            f"{PIP} onnxruntime-gpu>=1.19,<1.27",
            ("Or keep it: Install the libraries of CUDA 11 and cuDNN 8 beside what is there. `",),
        ),
        (
            *("onnxruntime", "libcublasLt.so.12", "11.8", PY312, "build of ONNX Runtime for CUDA 11.8"),
            f"{PIP} onnxruntime-gpu>=1.17,<1.19",
            ("CUDA 12 beside",),
        ),
        # Of several the newest.
        (
            *("onnxruntime", "libcublasLt.so.12", "11.8 13.0", PY312, "build of ONNX Runtime for CUDA 13.0"),
            f"{PIP} onnxruntime-gpu>=1.27",
            ("CUDA 12 beside",),
        ),
        (
            *("ctranslate2", "libcublas.so.12", "11.8", PY312, "build of CTranslate2 for CUDA 11.8"),
            f"{PIP} ctranslate2>=3.0,<4.0",
            ("4.0 to 4.4 for CUDA 12 and cuDNN 8", "nvidia-cublas-cu12 'nvidia-cudnn-cu12==9.*'`. Put "),
        ),
        (
            *("ctranslate2", "libcudnn_ops_infer.so.8", "12.4", PY312, "build of CTranslate2 for CUDA 12.4"),
            f"{PIP} ctranslate2>=4.5",
            ("4.0 to 4.4", "the libraries of cuDNN 8 beside"),
        ),
        (
            *("cupy", "libnvrtc.so.12", "11.8", PY312, "build of CuPy for CUDA 11.8"),
            f"{PIP} cupy-cuda11x==13.6.0",
            ("a package for each CUDA", "nvidia-cuda-nvrtc-cu12"),
        ),
        # CuPy 14 wants a newer Python.
        (
            *("cupy", "libnvrtc.so.11.2", "12.4", scene("3.9.2"), "build of CuPy for CUDA 12.4"),
            f"{PIP} cupy-cuda12x==13.6.0",
            ("a package for each CUDA", "CUDA 11.2 to 11.x beside"),
        ),
        (
            *("mxnet", "libcudart.so.9.2", "10.2", PY312, "build of MXNet for CUDA 10.2"),
            f"{PIP} mxnet-cu102",
            ("a toolkit of that very CUDA", "retired", f"`{CONDA} cudatoolkit=9.2 cudnn`. Put $CONDA_PREFIX/lib on"),
        ),
        # There is no build of it for CUDA 12.
        (
            *("mxnet", "libcudart.so.10.2", "12.4", PY312, "the libraries of CUDA 10.2 beside what is there"),
            f"{CONDA} cudatoolkit=10.2 cudnn",
            ("Put $CONDA_PREFIX/lib on LD_LIBRARY_PATH", "a toolkit of that very CUDA", "retired"),
        ),
        # Of the makers' index, for the lowest CUDA of the major.
        (
            *("paddle", "libcudart.so.11.0", "12.4", PY312, "build of PaddlePaddle for CUDA 12.6"),
            f"{PIP} paddlepaddle-gpu==3.3.1 --index-url https://www.paddlepaddle.org.cn/packages/stable/cu126/",
            ("CUDA 11 beside",),
        ),
        (
            *("paddle", "libcudart.so.11.0", "10.2", PY312, "the libraries of CUDA 11 beside what is there"),
            f"{PIP} nvidia-cuda-runtime-cu11",
            (f"Put {FOLDERS}/cuda_runtime/lib on",),
        ),
        (
            *("dgl", "libcudart.so.10.2", "11.1", PY312, "build of DGL for CUDA 11.1"),
            f"{PIP} dgl-cu111",
            ("for one CUDA and one torch", "CUDA 10.2 beside"),
        ),
        (
            *("jax", "libcudart.so.13", "12.4", PY312, "build of JAX for CUDA 12.4"),
            f"{PIP} jax[cuda12]",
            ("brings its CUDA libraries along", f"{PIP} nvidia-cuda-runtime`. Put {FOLDERS}/cu13/lib on"),
        ),
        (
            *("tensorflow", "libcudart.so.10.1", "11.2", PY38, "build of TensorFlow for CUDA 11.2"),
            f"{PIP} tensorflow==2.11.1",
            ("CUDA 10.1 beside",),
        ),
        # Which does not say itself which protobuf or NumPy it works with.
        (
            *("tensorflow", "libcudart.so.10.0", "10.1", PY37, "build of TensorFlow for CUDA 10.1"),
            f"{PIP} tensorflow==2.3.4 protobuf>=3.9.2,<3.21",
            ("CUDA 10.0 beside",),
        ),
        (
            *("tensorflow", "cudart64_101.dll", "11.2", ON_WINDOWS, "build of TensorFlow for CUDA 11.2"),
            f"{PIP} tensorflow==2.10.1 numpy<2",
            (r"Put %CONDA_PREFIX%\Library\bin on PATH",),
        ),
    ],
)
def test_a_build_for_the_cuda_that_is_there(asker, names, here, where, title, command, said):
    check(fix_for(asker, names, here, where), title, command, *said)


@pytest.mark.parametrize(
    ("asker", "names", "here", "title", "said"),
    [
        (
            *("pygpu", "libcublas.so.9.0", "10.2", "libgpuarray knows CUDA up to 9 by its files' names"),
            ("Theano is not developed any more",),
        ),
        (
            *("darknet", "libcudart.so.10.2", "12.1", "Compile it on this machine"),
            ("the CUDA of its builder", "cudatoolkit=10.2"),
        ),
        (
            *("onnxruntime-rust", "libcublas.so.12", "13.0", "Let ort fetch the build for your CUDA"),
            ("cuDNN 9 for the same CUDA", "CUDA 12 beside"),
        ),
        # The libraries of another CUDA do not make it fit the torch that is there.
        ("torchvision", "libcudart.so.11.0", "12.4", "the extension whose name states your torch and its CUDA", ()),
        ("vllm", "libcudart.so.11.0", "12.4", "vLLM into an environment of its own", ("0.2.2",)),
    ],
)
def test_what_no_installer_has_a_build_of(asker, names, here, title, said):
    check(fix_for(asker, names, here), title, None, *said)


@pytest.mark.parametrize(
    ("asker", "names", "here", "where", "title", "command", "said"),
    [
        # With what it opens next, and the cuDNN of that build.
        (
            *("onnxruntime", "libcublasLt.so.12", "", PY312, "the libraries of CUDA 12, which it asks for"),
            f"{PIP} nvidia-cublas-cu12 {OPENED} nvidia-cudnn-cu12==9.*",
            (f"{FOLDERS}/curand/lib, {FOLDERS}/cudnn/lib on LD_LIBRARY_PATH",),
        ),
        (
            *("ctranslate2", "libcublas.so.12 libcudnn.so.9", "", PY312, "of CUDA 12 and cuDNN 9, which it asks for"),
            f"{PIP} nvidia-cublas-cu12 nvidia-cudnn-cu12==9.*",
            (f"Put {FOLDERS}/cublas/lib, {FOLDERS}/cudnn/lib on", "4.0 to 4.4"),
        ),
        # The CUDA that is there is the right one: what is missing of it comes beside it.
        (
            *("onnxruntime", "libcublas.so.12 libcudnn.so.9", "12.4", PY312, "of cuDNN 9 beside what is there"),
            f"{PIP} nvidia-cublas-cu12 nvidia-cudnn-cu12==9.* {OPENED}",
            ("Put ",),
        ),
        (
            *("torch", "libcublas.so.12", "12.4", PY312, "the libraries of CUDA 12.4 beside what is there"),
            f"{PIP} nvidia-cublas-cu12",
            (f"Put {FOLDERS}/cublas/lib on",),
        ),
        # cuDNN is for the CUDA that is there; where none is known, for the one that most drivers serve.
        (
            *("torch", "libcudnn.so.9", "13.0", PY312, "of cuDNN 9 beside what is there"),
            f"{PIP} nvidia-cudnn-cu13==9.* nvidia-cublas",
            (f"Put {FOLDERS}/cudnn/lib, {FOLDERS}/cu13/lib on",),
        ),
        (
            *("torch", "libcudnn.so.8", "", PY312, "of cuDNN 8, which it asks for"),
            f"{PIP} nvidia-cudnn-cu12==8.* nvidia-cublas-cu12",
            ("Put ",),
        ),
        (
            *("somebody", "libcublas.so.12", "11.8", PY312, "CUDA 12 beside what is there"),
            f"{PIP} nvidia-cublas-cu12",
            ("Put ", "Or take a build of the program for CUDA 11.8."),
        ),
        (
            *("somebody", "libcublas.so.11", "12 13.0", PY312, "CUDA 11 beside what is there"),
            f"{PIP} nvidia-cublas-cu11",
            ("Put ", "for CUDA 13.0."),
        ),
        # From CUDA 13 on some packages have its number, and others have not.
        (
            *("somebody", "libcublas.so.13 libnccl.so.2 libcudnn.so.9", "", PY312, "CUDA 13 and cuDNN 9"),
            f"{PIP} nvidia-cublas nvidia-nccl-cu13 nvidia-cudnn-cu13==9.*",
            (f"Put {FOLDERS}/cu13/lib, {FOLDERS}/nccl/lib, {FOLDERS}/cudnn/lib on",),
        ),
        (
            *("somebody", "cublas64_13.dll cudnn64_9.dll", "", ON_WINDOWS, "CUDA 13 and cuDNN 9"),
            f"{PIP} nvidia-cublas nvidia-cudnn-cu13==9.*",
            (r"Put <SITE_PACKAGES>\nvidia\cu13\bin, <SITE_PACKAGES>\nvidia\cudnn\bin on PATH",),
        ),
        # One name of several CUDAs: of those the one that has the other names, too.
        ("somebody", "libcufft.so.10", "", PY312, "CUDA 10.1 to 11.x", f"{PIP} nvidia-cufft-cu11", ("Put ",)),
        (
            *("somebody", "libcufft.so.10 libcusolver.so.10", "", PY312, "CUDA 10.1 to 11.x"),
            f"{CONDA} cudatoolkit=11.0 cudnn",
            ("Put ",),
        ),
        (
            *("somebody", "libcudnn.so.7", "", PY312, "CUDA 8.0 to 10.2 and cuDNN 7"),
            f"{CONDA} cudatoolkit=10.2 cudnn=7",
            ("Put ",),
        ),
        (
            *("somebody", "libcudnn.so.7", "10.0", PY312, "of cuDNN 7 beside what is there"),
            f"{CONDA} cudatoolkit=10.0 cudnn=7",
            ("Put ",),
        ),
        (
            *("somebody", "libcudart.so.11.0 libcudnn.so.8", "", PY312, "CUDA 11 and cuDNN 8"),
            f"{PIP} nvidia-cuda-runtime-cu11 nvidia-cudnn-cu11==8.* nvidia-cublas-cu11",
            ("Put ",),
        ),
        # No package has these.
        ("somebody", "libcublas.so.8.0", "", PASCAL, "CUDA 8.0, which it asks for", None, (ARCHIVES,)),
        (
            *("somebody", "libcublas.so.9.0 libcudnn.so.7", "12.4", PY312, "CUDA 9.0 and cuDNN 7 beside"),
            *(None, (ARCHIVES, "for CUDA 12.4.")),
        ),
        ("somebody", "libcudnn.so.7", "11.2", PY312, "CUDA 8.0 to 10.2", f"{CONDA} cudatoolkit=10.2 cudnn=7", None),
        # TensorFlow for CUDA 11 is made for one toolkit and one cuDNN.
        (
            *("tensorflow", "libcudart.so.11.0 libcudnn.so.8", "12.2", PY38, "CUDA 11 and cuDNN 8 beside"),
            f"{CONDA} cudatoolkit=11.2 cudnn=8.1.0",
            ("Put $CONDA_PREFIX/lib on LD_LIBRARY_PATH", "'tensorflow[and-cuda]>=2.14'"),
        ),
        (
            *("tensorflow", "cudart64_110.dll cudnn64_8.dll", "", ON_WINDOWS, "CUDA 11 and cuDNN 8, which it asks for"),
            f"{CONDA} cudatoolkit=11.2 cudnn=8.1.0",
            (r"Put %CONDA_PREFIX%\Library\bin on PATH",),
        ),
        (
            *("tensorflow", "libcudart.so.10.0 libcudnn.so.7", "", PY37, "CUDA 10.0 and cuDNN 7, which it asks for"),
            f"{CONDA} cudatoolkit=10.0 cudnn=7",
            ("Put ", "'tensorflow[and-cuda]>=2.14'"),
        ),
        (
            *("tensorflow", "libcudart.so.12", "", PY312, "CUDA 12, which it asks for"),
            f"{PIP} nvidia-cuda-runtime-cu12",
            ("Put ", "'tensorflow[and-cuda]>=2.14'"),
        ),
    ],
)
def test_the_libraries_beside_what_is_there(asker, names, here, where, title, command, said):
    fix = fix_for(asker, names, here, where)
    said = said if said is not None else ("Put ", "for CUDA 11.2.")
    check(fix, title, command, *said)


@pytest.mark.parametrize(
    "names",
    ["libfoo.so.1", "libcublas.so", "libcurand.so.10", "libcusparse.so.12", "libcublas.so.12 libcublas.so.13"],
    ids=["no library of CUDA", "no version", "10 to 13", "12 and 13", "of no CUDA both"],
)
def test_what_does_not_tell_its_cuda_gets_no_command(names):
    assert fix_for("somebody", names) is None
    assert fix_for("torch", names) is None


@pytest.mark.parametrize(
    ("where", "variable", "typed"),
    [
        (PY312, "LD_LIBRARY_PATH", "export LD_LIBRARY_PATH=/usr/local/cuda-12.4/lib64:$LD_LIBRARY_PATH"),
        (
            *(ON_WINDOWS, "in PATH"),
            '$env:PATH = "$env:ProgramFiles\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4\\bin;$env:PATH"',
        ),
    ],
)
def test_the_folder_of_a_cuda_that_has_them(where, variable, typed):
    fix = its_folder(CudaVersion("12.4"), where)
    assert variable in fix.title
    assert typed in fix.steps[0].text
    check(fix, "Name the folder of CUDA 12.4", None, typed, "cuDNN's own folder")


@pytest.mark.parametrize(
    ("cuda", "where", "wanted"),
    [
        # Its libraries have the same names from the first minor of a major on: an older build comes first.
        ("12.5", PY312, "tensorflow[and-cuda]==2.20.0"),
        ("12.2", Scene(), "tensorflow[and-cuda]==2.15.1"),
        ("11.8", Scene(), "tensorflow[and-cuda]==2.14.1"),
        ("11.2", Scene(), "tensorflow==2.11.1"),
        # Of those for a later minor the first.
        ("12.2", PY312, "tensorflow[and-cuda]==2.16.2"),
        ("12.0", Scene(), "tensorflow[and-cuda]==2.15.0"),
        # cuSOLVER of 11.0 has the name of 10.
        ("11.0", PY38, "tensorflow==2.4.4"),
        ("11.1", PY38, "tensorflow==2.5.2"),
        # Before CUDA 11 each minor has names of its own.
        ("10.1", PY38, "tensorflow==2.3.4"),
        ("10.0", PY37, "tensorflow-gpu==2.0.4"),
        ("10.2", Scene(), None),
        ("9.0", Scene(), "tensorflow-gpu==1.12.3"),
        # Of the system and of the Python.
        ("11.2", ON_WINDOWS, "tensorflow==2.10.1"),
        ("12.5", ON_WINDOWS, None),
        ("10.1", PY312, None),
        ("13.0", PY312, None),
        # 12 says nothing of the names of its minor.
        ("12", PY312, None),
    ],
)
def test_the_tensorflow_for_a_cuda(cuda, where, wanted):
    assert tensorflow_for_cuda(CudaVersion(cuda), where, MATRIX) == wanted


def test_no_libraries_that_are_older_than_the_gpu():
    fix = fix_for("somebody", "libcudnn.so.7", "11.2", scene(gpu=RTX_4090))
    assert fix is not None and fix.safety == "manual" and "10.2 is older than this GPU" in fix.title
