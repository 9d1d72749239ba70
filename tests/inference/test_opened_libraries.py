"""The CUDA of a TensorFlow by the names of the libraries in its log, and what follows from it."""

import pytest

from gpudoctor.assist.judged import judged_input
from gpudoctor.examine.tickets import Input
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.read import ingest

OPENED = "2020-10-31 19:34:12.910019: I tensorflow/stream_executor/platform/default/dso_loader.cc:48] "
OPENED += "Successfully opened dynamic library {}"


@pytest.mark.parametrize(
    ("names", "cuda"),
    [
        (("libcudart.so.10.1",), "10.1"),
        (("cudart64_101.dll",), "10.1"),
        (("libcudart.so.9.0",), "9.0"),
        (("cudnn64_7.dll", "cublas64_10.dll"), "10.1"),
        (("libcudart.so.11.0",), None),
        (("libcudnn.so.8",), None),
    ],
)
def test_the_cuda_that_it_was_built_with(names: tuple[str, ...], cuda: str | None) -> None:
    text = "\n".join(OPENED.format(name) for name in names)
    frameworks = ingest(text.encode(), load_matrix()).snapshot.frameworks
    found = frameworks.get("tensorflow") if hasattr(frameworks, "get") else None
    assert (found.cuda if found else None) == (CudaVersion(cuda) if cuda else None)


@pytest.mark.parametrize(
    ("text", "cause", "holds"),
    [
        ("It hangs in epoch 1 on an RTX 3070, and on a RTX 3080\n" + OPENED.format("cublas64_10.dll"),
         "tf1-on-new-gpu", ""),
        ("RTX 2070 SUPER, TensorFlow\nCould not load dynamic library 'libcudnn.so.7'; dlerror: libcudnn.so.7: cannot "
         "open shared object file: No such file or directory\n" + OPENED.format("libcudart.so.10.1"),
         "tf-soname-missing", "cudatoolkit=10.1"),
    ],
)  # fmt: skip
def test_what_follows(text: str, cause: str, holds: str) -> None:
    ticket = judged_input(Input("ticket", text.encode())).ticket
    assert ticket.causes[0].key == cause
    assert holds in str(ticket.remedies[0])
