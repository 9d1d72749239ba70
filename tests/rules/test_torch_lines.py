"""Packages with compiled parts for one line of torch or TensorFlow: the rules about them, as tables."""

import pytest

from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.python import Framework, Unmet
from gpudoctor.facts.versions import CudaVersion
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
        ("2.8.0+cu128", "torchcodec", "0.17.0", "torchcodec==0.7.*"),
        ("2.10.0+cu128", "torchcodec", "0.12.0", "torchcodec==0.10.*"),
        ("2.2.2+cu121", "dgl", "2.1.0+cu121", "torch==2.2.1"),
        ("2.3.1+cu121", "dgl", "2.2.1", "torch==2.3.0"),
    ],
)
def test_made_for_another_torch(ours, name, version, fix):
    finding = fires("torch-companion-version", **beside(ours, name, version))
    assert finding.severity == "error"
    assert fix in said(finding)


#: As their READMEs pair them: lines of the package, and the line of torch of each.
PAIRED = {
    "torchtext": "0.8-1.7 0.9-1.8 0.10-1.9 0.11-1.10 0.12-1.11 0.13-1.12 0.14-1.13 0.15-2.0 0.16-2.1 0.17-2.2 0.18-2.3",
    "torchcodec": "0.1-2.5 0.2-2.6 0.3-2.7 0.4-2.7 0.5-2.7 0.6-2.8 0.7-2.8 0.8-2.9 0.9-2.9 0.10-2.10 0.11-2.11",
}
ALL_PAIRED = [(name, *pair.split("-")) for name, pairs in PAIRED.items() for pair in pairs.split()]


@pytest.mark.parametrize(("name", "line", "ours"), ALL_PAIRED)
def test_each_line_goes_with_the_torch_it_is_paired_with_and_no_other(name, line, ours):
    quiet("torch-companion-version", **beside(f"{ours}.1", name, f"{line}.0"))
    for other in {its for *_, its in ALL_PAIRED} - {ours}:
        finding = fires("torch-companion-version", **beside(f"{other}.0", name, f"{line}.0"))
        assert f"needs torch {ours}, but torch {other}.0 is installed" in finding.summary
        newest = [one for one in ALL_PAIRED if one[0] == name and one[2] == other]
        # Newer lines are not held to one torch.
        assert not newest or f"{name}=={newest[-1][1]}.*" in said(finding) or f"{name}>=" in said(finding)


@pytest.mark.parametrize(
    ("line", "ours"),
    [("3.0", "2.4"), ("3.1", "2.4"), ("3.2", "2.6"), ("3.3", "2.7"), ("3.4", "2.8"), ("3.5", "2.9"), ("3.6", "2.10")],
)
def test_the_oldest_torch_of_each_triton_for_windows(line, ours):
    """As its README lists them."""
    major, minor = ours.split(".")
    quiet("torch-companion-version", **beside(f"{ours}.0", "triton-windows", f"{line}.0.post1"))
    quiet("torch-companion-version", **beside(f"{major}.{int(minor) + 1}.0", "triton-windows", f"{line}.0.post1"))
    older = f"{major}.{int(minor) - 1}.0"
    finding = fires("torch-companion-version", **beside(older, "triton-windows", f"{line}.0.post1"))
    assert f"needs torch {ours} or newer" in finding.summary


@pytest.mark.parametrize(
    ("ours", "version", "fix"),
    [
        ("2.6.0+cu124", "3.3.1.post19", "triton-windows==3.2.*"),
        ("2.8.0+cu128", "3.5.0.post21", "triton-windows==3.4.*"),
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


#: Package, its release, TensorFlow; the line to install, or what is said where there is none. "fits": nothing is said.
OF_TENSORFLOW = """
tensorflow-text   2.18.1    2.18.1  fits
tensorflow-text   2.19.0    2.18.1  tensorflow-text==2.18.*
tensorflow-text   2.17.0rc0 2.18.1  tensorflow-text==2.18.*
tensorflow-io     0.37.1    2.16.2  fits
tensorflow-io     0.37.1    2.15.1  tensorflow-io==0.36.*
tensorflow-io     0.37.0    2.17.0  TensorFlow 2.16 beside
tensorflow-io     0.31.0    2.11.0  fits
tensorflow-io     0.31.0    2.12.0  tensorflow-io==0.32.*
tensorflow-io     0.28.0    2.10.1  tensorflow-io==0.27.*
tensorflow-io     0.36.0    2.8.4   tensorflow-io==0.25.*
tensorflow-io     0.19.1    2.6.5   tensorflow-io==0.21.*
tensorflow-io     0.20.0    2.5.3   tensorflow-io==0.19.*
tensorflow-io     0.18.0    2.4.4   tensorflow-io==0.17.*
tensorflow-io     0.17.1    2.3.4   tensorflow-io==0.16.*
tensorflow-io     0.14.0    2.2.3   fits
tensorflow-io     0.11.0    2.1.4   fits
tensorflow-io     0.10.0    2.0.4   fits
tensorflow-io     0.8.1     1.15.5  fits
tensorflow-io     0.7.2     1.14.0  fits
tensorflow-io     0.4.0     1.13.2  fits
tensorflow-io     0.8.0     1.14.0  tensorflow-io==0.7.*
tensorflow-io     0.99.0    2.16.2  fits
tensorflow-addons 0.23.0    2.15.1  fits
tensorflow-addons 0.23.0    2.13.1  fits
tensorflow-addons 0.23.0    2.12.1  tensorflow-addons==0.22.*
tensorflow-addons 0.23.0    2.16.2  TensorFlow 2.15 beside
tensorflow-addons 0.22.0    2.12.0  fits
tensorflow-addons 0.22.0    2.15.0  tensorflow-addons==0.23.*
tensorflow-addons 0.13.0    2.3.4   fits
tensorflow-addons 0.13.0    2.5.3   fits
tensorflow-addons 0.13.0    2.6.5   tensorflow-addons==0.16.*
tensorflow-addons 0.12.1    2.5.3   tensorflow-addons==0.15.*
tensorflow-addons 0.12.1    2.4.4   fits
tensorflow-addons 0.11.2    2.4.4   tensorflow-addons==0.14.*
tensorflow-addons 0.10.0    2.2.3   fits
tensorflow-addons 0.9.1     2.1.4   fits
tensorflow-addons 0.8.3     2.2.3   tensorflow-addons==0.11.*
tensorflow-addons 0.7.1     2.1.4   fits
tensorflow-addons 0.6.0     2.1.4   tensorflow-addons==0.9.*
tensorflow-addons 0.5.0     2.1.4   fits
"""


@pytest.mark.parametrize("row", OF_TENSORFLOW.strip().splitlines())
def test_made_for_another_tensorflow(row):
    name, version, ours, expected = row.split(maxsplit=3)
    machine = stack(RTX_4090, frameworks=frameworks(tensorflow(ours)), packages=packages(f"{name}=={version}"))
    if expected == "fits":
        quiet("ext-abi-mismatch", **machine)
        return
    finding = fires("ext-abi-mismatch", **machine)
    assert expected in said(finding)
    assert finding.severity == ("error" if name == "tensorflow-text" else "warning")


def test_what_goes_with_tensorflow_and_was_built_by_conda():
    for one in ("tensorflow-text==2.19.0", "tensorflow-io==0.37.1", "tensorflow-addons==0.23.0"):
        ours = frameworks(tensorflow("2.18.1", "12.5"))
        quiet("ext-abi-mismatch", **stack(RTX_4090, frameworks=ours, packages=packages(one, installer="conda")))


#: Release of torchao, torch; what to install. "fits": nothing is said.
OF_TORCHAO = """
0.13.0 2.8.0  fits
0.14.0 2.8.0  torchao==0.13.0
0.14.1 2.9.0  fits
0.15.0 2.9.1  fits
0.16.0 2.10.0 fits
0.17.0 2.11.0 fits
0.18.0 2.15.0 fits
0.12.0 2.9.0  fits
0.13.0 2.7.1  take torch 2.8.0
0.14.1 2.8.0  torchao==0.13.0
0.14.1 2.9.1  torchao==0.15.0
0.15.0 2.9.0  torchao==0.14.1
0.16.0 2.9.1  torchao==0.15.0
0.15.0 2.10.0 torchao==0.16.0
0.16.0 2.11.0 torchao>=0.17
0.17.0 2.10.0 torchao==0.16.0
0.18.0 2.7.0  take torch 2.11
"""


@pytest.mark.parametrize("row", OF_TORCHAO.strip().splitlines())
def test_the_kernels_of_torchao_are_for_one_torch(row):
    version, ours, expected = row.split(maxsplit=2)
    machine = beside(f"{ours}+cu128", "torchao", version)
    if expected == "fits":
        quiet("torch-companion-version", **machine)
        return
    finding = fires("torch-companion-version", **machine)
    assert expected in said(finding)
    assert finding.severity == "info"
    assert finding.summary.startswith(f"What is compiled in torchao {version} needs torch 2.")
    assert finding.summary.endswith(f", but torch {ours}+cu128 is installed; it is left out.")


@pytest.mark.parametrize(
    ("ours", "cuda", "is_fit"),
    [
        ("1.8.1+cu102", "10.1", False),
        ("1.8.1+cu102", "10.2", True),
        ("1.8.1+cu102", "10", True),
        ("1.8.1+cu111", "11.0", True),
        ("1.8.1+cu111", "10.1", False),
    ],
)
def test_before_cuda_11_the_names_of_libraries_carry_the_minor(ours, cuda, is_fit):
    built = Framework(name="pytorch3d", dist="pytorch3d", version="0.3.0", variant="cuda", cuda=CudaVersion(cuda))
    machine = stack(RTX_3090, frameworks=frameworks(torch(ours), built))
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
