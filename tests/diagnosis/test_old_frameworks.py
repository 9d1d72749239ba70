"""Tickets about old TensorFlow and its companions: the cause that leads, and what its remedy says."""

import pytest

from gpudoctor.assist.judged import judged_input
from gpudoctor.examine.tickets import Input
from gpudoctor.report.triage import remedy_lines

XLA = "Loaded runtime CuDNN library: {} but source was compiled with: {}."
TICKETS = {
    "a toolkit of another CUDA, where TensorFlow is linked to it": (
        (
            "tensorflow-gpu 1.13.1, Windows 10, Python 3.6, CUDA 10.1 and cuDNN 7.5\n"
            "ImportError: DLL load failed: The specified module could not be found.\n"
            "Failed to load the native TensorFlow runtime."
        ),
        "tf-cuda-version-unsupported",
        ["cudatoolkit=10.0", r"CUDA\v10.0\bin", "tensorflow==2.3.4", "!LD_LIBRARY_PATH"],
    ),
    "a DLL of a CUDA that is not the one that is there": (
        "tf-gpu 1.4.0, CUDA 9.0, cuDNN 7, Windows\nImportError: Could not find 'cudart64_80.dll'.",
        "tf-cuda-version-unsupported",
        ["CUDA 8.0", "cuDNN 6", "tensorflow-gpu==1.12.3"],
    ),
    "a DLL of another cuDNN": (
        (
            "Windows 7, GTX 1060, python 3.5.2, tensorflow-gpu 1.2.0, CUDA 8.0, cudnn 6.0\n"
            "ImportError: Could not find 'cudnn64_5.dll'."
        ),
        "built-for-other-cuda",
        ["tensorflow-gpu==1.4.0"],
    ),
    "a newer cuDNN of another major": (
        (
            "TF 1.3 gpu, Ubuntu 16.04, CUDA 8\nE tensorflow/stream_executor/cuda/cuda_dnn.cc:378] "
            "Loaded runtime CuDNN library: 7005 (compatibility version 7000) but source was compiled with 6021"
        ),
        "cudnn-too-old",
        ["cuDNN 6.0 for CUDA 8.0", "!older", "!nvidia-cudnn"],
    ),
    "an older cuDNN": (
        "Python 3.7, tensorflow-gpu 2.1.0, CUDA 10.1, Linux\n" + XLA.format("7.4.2", "7.6.0"),
        "cudnn-too-old",
        ["cudatoolkit=10.1 cudnn=7.6", "!nvidia-cudnn"],
    ),
    "an older cuDNN, on Windows": (
        "tensorflow-gpu 1.12, windows 10, CUDA 9.0\n" + XLA.format("7.1.4", "7.2.1"),
        "cudnn-too-old",
        ["cuDNN 7.2 for CUDA 9.0", r"CUDA\v9.0\bin", "!export"],
    ),
    "h5py 3 with an old Keras": (
        (
            "Keras 2.2.4, tensorflow 1.14\n    model_config = json.loads(model_config.decode('utf-8'))\n"
            "AttributeError: 'str' object has no attribute 'decode'"
        ),
        "dependency-version",
        ["h5py<3"],
    ),
    "a Keras newer than TensorFlow": (
        (
            "AttributeError: module 'tensorflow.compat.v2' has no attribute '__internal__'\n"
            "tensorflow 2.1.0 python 3.7 keras 2.6.0"
        ),
        "dependency-version",
        ["keras<2.4"],
    ),
    "a NumPy newer than TensorFlow": (
        (
            "NotImplementedError: Cannot convert a symbolic Tensor (lstm/strided_slice:0) to a numpy array.\n"
            "tensorflow 2.3.1, numpy 1.20.2, Python 3.8"
        ),
        "dependency-version",
        ["numpy<1.20"],
    ),
    "an alias that NumPy removed, in TensorFlow": (
        "AttributeError: module 'numpy' has no attribute 'object'.\ntensorflow 2.2.0 and numpy 1.24.1, Python 3.8",
        "dependency-version",
        ["numpy<1.20"],
    ),
    "a part that other releases have": (
        "ImportError: cannot import name 'ParamSpec' from 'typing_extensions'\ntorch 2.0.1, python 3.8",
        "api-changed",
        ["typing-extensions>=3.10"],
    ),
    "a release that a person shortens": (
        "torchvision 0.4.0, torch 1.2\nImportError: cannot import name 'PILLOW_VERSION' from 'PIL'",
        "api-changed",
        ["Pillow<7"],
    ),
}


@pytest.mark.parametrize(("text", "cause", "holds"), TICKETS.values(), ids=TICKETS)
def test_what_leads(text: str, cause: str, holds: list[str]) -> None:
    ticket = judged_input(Input("ticket", text.encode())).ticket
    first = ticket.causes[0]
    assert (first.key, first.weight >= 0.7) == (cause, True)
    remedy = next(one for one in ticket.remedies if one.cause == cause)
    said = "\n".join((first.words, *(line for _, line in remedy_lines(remedy, ticket.system))))
    for part in holds:
        assert (part.removeprefix("!") in said) is not part.startswith("!"), (part, said)


#: Cards that no build of a framework serves, or old ones only.
OLD_CARDS = {
    "Tesla architecture, before the cards that PyTorch ever had code for": (
        "Quadro FX 2800M, Windows 10, driver 342.01, torch 2.1.0+cu118\ntorch.cuda.is_available() False",
        ["compute capability 1.1", "Use the CPU, or another GPU", "!driver branch"],
    ),
    "the number before the series": (
        "9500 GT, tensorflow-gpu 1.4 on Windows 7, CUDA 8.0\nfailed call to cuInit: CUDA_ERROR_NO_DEVICE",
        ["compute capability 1.1", "no build of TensorFlow"],
    ),
    "what a text is about, where no release is stated": (
        (
            "JAX on a Tesla K80, Ubuntu 20.04, driver 470.182.03, Python 3.9\n"
            "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: no kernel image is available for execution on the device"
        ),
        ["no build of JAX", "!PyTorch"],
    ),
    "an old build, where no Python is stated": (
        "GT 710, driver 470.199.02, Ubuntu 22.04, torch 2.4.0+cu118\nno kernel image is available for execution",
        ["python=3.7", "torch==1.3"],
    ),
}


@pytest.mark.parametrize(("text", "holds"), OLD_CARDS.values(), ids=OLD_CARDS)
def test_old_cards(text: str, holds: list[str]) -> None:
    ticket = judged_input(Input("ticket", text.encode())).ticket
    first = ticket.causes[0]
    assert first.key == "arch-too-old-for-build"
    remedy = ticket.remedies[0]
    said = "\n".join((first.words, remedy.say, *(line for _, line in remedy_lines(remedy, ticket.system))))
    for part in holds:
        assert (part.removeprefix("!") in said) is not part.startswith("!"), (part, said)
