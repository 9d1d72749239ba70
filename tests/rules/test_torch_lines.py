"""Packages with compiled parts for one line of torch or TensorFlow: the rules about them, as tables."""

import pytest

from gpudoctor.model.fix import Ask, Run
from gpudoctor.model.python import Framework, Unmet
from gpudoctor.model.versions import CudaVersion
from tests.rules.stacks import (
    RTX_3090,
    RTX_4090,
    frameworks,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    torch,
)
from tests.rules.table import fires, quiet


def said(finding):
    return " ".join(
        " ".join(step.argv) if isinstance(step, Run) else step.text
        for step in finding.fixes[0].steps
        if isinstance(step, Run | Ask)
    )


def beside(ours, name, version, **more):
    return stack(RTX_4090, frameworks=frameworks(torch(ours)), packages=packages(f"{name}=={version}", **more))


@pytest.mark.parametrize(
    ("ours", "name", "version", "fix"),
    [
        ("2.4.0+cu121", "torchtext", "0.18.0", "ended with 0.18"),
        ("2.1.2+cu121", "torchtext", "0.15.2", "torchtext==0.16.*"),
        ("1.9.0+cu111", "torchtext", "0.9.1", "torchtext==0.10.*"),
        ("1.6.0+cu102", "torchtext", "0.8.1", "no torchtext for torch 1.6"),
        ("2.8.0+cu128", "torchcodec", "0.8.1", "torchcodec==0.7.*"),
        ("2.10.0+cu128", "torchcodec", "0.9.1", "torchcodec==0.10.*"),
        ("2.13.0+cu130", "torchcodec", "0.9.1", "--upgrade --no-deps torchcodec"),
        ("2.2.2+cu121", "dgl", "2.1.0+cu121", "torch==2.2.1"),
        ("2.3.1+cu121", "dgl", "2.2.1", "torch==2.3.0"),
    ],
)
def test_made_for_another_torch(ours, name, version, fix):
    finding = fires("torch-companion-version", **beside(ours, name, version))
    assert finding.severity == "error"
    assert fix in said(finding)


@pytest.mark.parametrize(
    ("ours", "version", "fix"),
    [
        ("2.6.0+cu124", "3.3.1.post19", "triton-windows<3.3"),
        ("2.8.0+cu128", "3.5.0.post21", "triton-windows<3.5"),
    ],
)
def test_a_triton_that_is_newer_than_torch(ours, version, fix):
    finding = fires("torch-companion-version", **beside(ours, "triton-windows", version))
    assert finding.severity == "warning"
    assert fix in said(finding)


@pytest.mark.parametrize(
    ("ours", "name", "version"),
    [
        ("2.3.1+cu121", "torchtext", "0.18.0"),
        ("2.2.2+cu121", "torchtext", "0.17.0"),
        ("2.9.0+cu128", "torchtext", "0.6.0"),
        ("2.8.0+cu128", "torchcodec", "0.6.0"),
        ("2.13.0+cu130", "torchcodec", "0.12.0"),
        ("2.2.1+cu121", "dgl", "2.1.0"),
        ("2.6.0+cu124", "dgl", "2.5.0"),
        ("2.6.0+cu124", "triton-windows", "3.2.0.post21"),
        ("2.9.0+cu128", "triton-windows", "3.4.0.post21"),
        ("2.14.0+cu130", "triton-windows", "3.9.0"),
        ("2.3.0a0+6ddf5cf85e.nv24.4", "torchtext", "0.17.0a0"),
        ("2.4.0a0+git1234", "torchtext", "0.17.0"),
    ],
)
def test_made_for_this_torch_or_not_known(ours, name, version):
    quiet("torch-companion-version", **beside(ours, name, version))


def test_conda_compiles_against_the_torch_beside_it():
    quiet("torch-companion-version", **beside("2.1.2", "torchtext", "0.15.2", installer="conda"))


def wants(package, wanted, found):
    return Unmet(package=package, requirement="torch", wanted=wanted, found=found)


def test_vllm_names_its_torch():
    finding = fires(
        "ext-abi-mismatch", **beside("2.2.1+cu121", "vllm", "0.3.3", unmet=(wants("vllm", "==2.1.2", "2.2.1"),))
    )
    assert "torch==2.1.2" in said(finding)


@pytest.mark.parametrize(
    ("name", "unmet"),
    [
        ("vllm", ()),
        ("vllm", (wants("vllm", "==2.2.2", "2.2.1"),)),
        ("xformers", (wants("xformers", ">=2.8", "2.2.1"),)),
        ("accelerate", (wants("accelerate", "==2.1.2", "2.2.1"),)),
    ],
    ids=["met", "patch release", "no pin", "not compiled"],
)
def test_extensions_that_fit_their_torch(name, unmet):
    quiet("ext-abi-mismatch", **beside("2.2.1+cu121", name, "1.0", unmet=unmet))


@pytest.mark.parametrize(("version", "is_fit"), [("2.18.1", True), ("2.19.0", False), ("2.17.0rc0", False)])
def test_tensorflow_text_goes_with_the_tensorflow_of_its_number(version, is_fit):
    ours = frameworks(tensorflow("2.18.1", "12.5"))
    machine = stack(RTX_4090, frameworks=ours, packages=packages(f"tensorflow-text=={version}"))
    if is_fit:
        quiet("ext-abi-mismatch", **machine)
    else:
        assert "tensorflow-text==2.18.*" in said(fires("ext-abi-mismatch", **machine))


@pytest.mark.parametrize(("cuda", "is_fit"), [("10.1", False), ("10.2", True), ("10", True)])
def test_before_cuda_11_the_names_of_libraries_carry_the_minor(cuda, is_fit):
    built = Framework(name="pytorch3d", dist="pytorch3d", version="0.3.0", variant="cuda", cuda=CudaVersion(cuda))
    machine = stack(RTX_3090, frameworks=frameworks(torch("1.8.1+cu102"), built))
    (quiet if is_fit else fires)("ext-abi-mismatch", **machine)


@pytest.mark.parametrize(
    ("bnb", "name", "triton", "is_fit"),
    [
        ("0.45.0", "triton", "3.2.0", False),
        ("0.44.1", "triton-windows", "3.3.1.post19", False),
        ("0.45.1", "triton", "3.2.0", True),
        ("0.45.0", "triton", "3.1.0", True),
    ],
)
def test_bitsandbytes_and_the_triton_without_ops(bnb, name, triton, is_fit):
    machine = beside("2.6.0+cu124", "bitsandbytes", bnb)
    machine["packages"] = packages(f"bitsandbytes=={bnb}", f"{name}=={triton}")
    (quiet if is_fit else fires)("dependency-version", **machine)


@pytest.mark.parametrize(("how", "is_fit"), [("linked", False), ("opened", True)])
def test_torch_does_not_start_without_the_cupti_it_is_linked_to(how, is_fit):
    lacks = libraries(resolution("torch", "libcupti.so.11.2", "cupti", None, how=how))
    machine = stack(RTX_3090, frameworks=frameworks(torch("1.12.0+cu112")), libraries=lacks, packages=packages())
    (quiet if is_fit else fires)("tf-soname-missing", **machine)
