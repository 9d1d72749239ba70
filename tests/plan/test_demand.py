"""Words as a demand: other names of a wish, slips of the pen, several demands in one."""

import re

import pytest

from gpudoctor.plan.demand import Demand, NotADemand, parse_demand, together


def asked(demand):
    return {one.framework: one.specifier for one in demand.wanted}


@pytest.mark.parametrize(
    ("word", "framework"),
    [
        ("pytorch", "torch"),
        ("PyTorch>=2", "torch"),
        ("tf", "tensorflow"),
        ("tensorflow-gpu", "tensorflow"),
        ("jaxlib", "jax"),
        ("paddlepaddle", "paddle"),
        ("paddlepaddle-gpu", "paddle"),
    ],
)
def test_other_names_of_a_framework(word, framework):
    assert list(asked(parse_demand((word,), any_package=True))) == [framework]


@pytest.mark.parametrize(
    ("words", "cuda", "frameworks", "extras"),
    [
        # What brings its framework along; keras runs on any.
        (("keras",), None, {"tensorflow": ""}, ("keras",)),
        (("torch", "keras"), None, {"torch": ""}, ("keras",)),
        (("torch", "tf-keras"), None, {"torch": "", "tensorflow": ""}, ("tf-keras",)),
        (("torchaudio", "triton"), None, {"torch": ""}, ("triton",)),
        (("cupy-cuda12x", "torch>=2", "torch<3"), "12", {"torch": ">=2,<3"}, ("cupy",)),
        (("onnxruntime-gpu",), "12.6", {}, ("onnxruntime-gpu",)),
    ],
)
def test_what_is_wanted(words, cuda, frameworks, extras):
    demand = parse_demand(words, cuda)
    assert asked(demand) == frameworks
    assert tuple(name for name, _ in demand.extras) == extras
    assert {one.cuda for one in demand.wanted} <= {cuda}
    assert not demand.cpu_only


@pytest.mark.parametrize(
    ("words", "cuda", "cpu_only"),
    [
        (("torch",), "cpu", True),
        (("tensorflow-cpu", "keras"), None, True),
        (("tensorflow-cpu",), "12", False),
        (("tensorflow-cpu", "torch"), None, False),
        (("tensorflow",), None, False),
    ],
)
def test_what_is_for_the_processor(words, cuda, cpu_only):
    assert parse_demand(words, cuda).cpu_only is cpu_only


@pytest.mark.parametrize("cuda", ["126", "12.x", "12.6.1", "", "cpus"])
def test_what_is_no_cuda(cuda):
    with pytest.raises(NotADemand, match="is no CUDA version"):
        parse_demand(("torch",), cuda)


@pytest.mark.parametrize(
    "name",
    [
        "pytoch",
        "torchx",
        "jaxx",
        "kears",
        "jaxlb",
        "torchvison",
        "tensorflw",
        "xformer",
        "tensorflow-gpuu",
        "tensrflow",
    ],
)
def test_a_slip_of_the_pen_installs_no_other_package(name):
    for any_package in (True, False):
        with pytest.raises(NotADemand, match="Did you mean") as raised:
            parse_demand((name,), any_package=any_package)
        assert raised.value.near


@pytest.mark.parametrize(
    "name",
    [
        *("torchmetrics", "tensorflow-hub", "tensorflow-io", "tensorboard", "transformers", "faiss-cpu", "numpy"),
        *("flash-attn-3", "torchrl", "keras-cv", "jaxtyping", "mxnet", "tensorrt-lean-cu12"),
    ],
)
def test_names_of_their_own_are_the_installers(name):
    assert parse_demand((name, "torch"), any_package=True).others == (name,)
    with pytest.raises(NotADemand, match=re.escape(repr(name))):
        parse_demand((name,))


@pytest.mark.parametrize("word", ["torch==" + "9" * 400, "./here", "torch =="])
def test_what_is_no_requirement(word):
    with pytest.raises(NotADemand, match="is no framework"):
        parse_demand((word,), any_package=True)


TORCH, JAX = parse_demand(("torch",)), parse_demand(("jax",))
HASHED = Demand(files=("r.txt",), settled="r.txt names the hash of every file", hashed=True)
NO_INDEX = Demand(files=("r.txt",), settled="r.txt has --no-index")
RICH = Demand(others=("rich", "numpy"), files=("p.txt",))


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (HASHED, TORCH, "names the hash of every file, so torch cannot be chosen beside it"),
        (parse_demand(("torch", "jax")), NO_INDEX, "has --no-index, so torch, jax cannot be chosen"),
        (HASHED, RICH, "'rich' has none"),
        (RICH, HASHED, "'rich' has none"),
        (TORCH, parse_demand(("torch>3",)), None),
        (parse_demand(("torch<3",)), parse_demand(("torch>3",)), "No version can be torch<3,>3"),
    ],
)
def test_demands_that_do_not_go_together(one, other, said):
    if said is None:
        assert asked(together(one, other)) == {"torch": ">3"}
        return
    with pytest.raises(NotADemand, match=re.escape(said)):
        together(one, other)


def test_demands_that_go_together():
    both = together(NO_INDEX, RICH)
    assert (both.files, both.others, both.settled) == (("r.txt", "p.txt"), ("rich", "numpy"), NO_INDEX.settled)
    for both in (together(HASHED, Demand()), together(Demand(), HASHED)):
        assert (both.hashed, both.settled, both.files) == (True, HASHED.settled, ("r.txt",))
    again = together(RICH, Demand(others=("numpy", "rich", "attrs"), files=("p.txt",)))
    assert (again.others, again.files, again.hashed) == (("rich", "numpy", "attrs"), ("p.txt",), False)
    for both in (together(parse_demand(("torch",), "cpu"), JAX), together(JAX, parse_demand(("torch",), "cpu"))):
        assert both.cpu_only
    assert together(TORCH, JAX, "12").wanted[1].cuda == "12"
    assert not together(TORCH, JAX).cpu_only
