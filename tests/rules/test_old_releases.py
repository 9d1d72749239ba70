"""Releases that want one exact neighbour, a CUDA or a Keras, or a GPU that newer parts no longer know, as tables."""

import pytest

from gpudoctor.facts.driver import Answer
from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.python import Framework
from gpudoctor.facts.versions import CudaVersion
from tests.rules.situations import driver, library
from tests.rules.stacks import (
    GTX_1080_TI,
    JETSON,
    K80,
    RTX_3090,
    V100,
    card,
    frameworks,
    interpreter,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    toolkit,
    toolkits,
)
from tests.rules.table import fires, quiet


def said(finding):
    return [
        " ".join(step.argv)
        if isinstance(step, Run)
        else step.text
        if isinstance(step, Ask)
        else f"{step.name}={step.value}"
        for fix in finding.fixes
        for step in fix.steps
    ]


# cuSOLVER's name.


def wants(soname, version, cuda, *installed):
    missing = libraries(resolution("tensorflow", soname, "cusolver"))
    found = toolkits(*(toolkit(one) for one in installed))
    return stack(GTX_1080_TI, frameworks=frameworks(tensorflow(version, cuda)), libraries=missing, toolkits=found)


@pytest.mark.parametrize(
    ("machine", "told"),
    [
        (wants("libcusolver.so.10", "2.4.0", "11.0", "11.2"), True),
        (wants("libcusolver.so.11", "2.5.1", "11.2", "11.0"), True),
        (wants("libcusolver.so.10", "2.4.0", "11.0", "11.2", "11.0"), False),
        (wants("libcusolver.so.11", "2.5.1", "11.2", "11.5"), False),
        (wants("libcusolver.so.11", "2.15.0", "12.2", "11.0"), False),
        (wants("libcudnn.so.8", "2.4.0", "11.0", "11.2"), False),
    ],
    ids=["2.4 and 11.2", "2.5 and 11.0", "its own is here too", "not for its version", "brings its own", "cuDNN"],
)
def test_cuda_11_0_calls_its_cusolver_otherwise(machine, told):
    (fires if told else quiet)("tf-cuda-version-unsupported", **machine)


# A compat copy of a branch that dropped the GPU.


def compat(card_, code, release="520.61.05"):
    newer = library("libcuda.so.1", release, path="/usr/local/cuda-11.8/compat/libcuda.so.1", compat=True)
    answer = Answer(outcome="answered", code=code)
    return stack(card_, driver=driver("470.182.03", libraries=(newer,), cuda_init=answer))


def test_a_compat_copy_that_no_longer_serves_the_gpu():
    finding = fires("cuda-compat-unsupported-gpu", **compat(K80, 100))
    assert not any("driver of at least" in fix.title for fix in finding.fixes)
    assert "compat folder" in " ".join(said(finding))
    quiet("cuda-compat-unsupported-gpu", **compat(V100, 100))
    quiet("cuda-compat-unsupported-gpu", **compat(K80, 0))
    quiet("cuda-compat-unsupported-gpu", **compat(K80, 100, "470.256.02"))


# conda's builds.

IN_CONDA = interpreter(environment="conda", prefix="/opt/conda/envs/ai", executable="/opt/conda/envs/ai/bin/python")


def test_condas_tensorflow_gpu_is_no_placeholder():
    quiet("tf-gpu-package-removed", **stack(packages=packages("tensorflow-gpu==2.18.0", installer="conda")))
    fires("tf-gpu-package-removed", **stack(packages=packages("tensorflow-gpu==2.12.0")))


def conda_tensorflow(*more, version="2.18.0", installer="conda"):
    runtime = resolution(
        "tensorflow", "libcudart.so.12", "cudart", "/opt/conda/envs/ai/lib/libcudart.so.12", origin="conda"
    )
    has = packages(f"tensorflow=={version}", *more, installer=installer)
    return stack(
        RTX_3090,
        on=IN_CONDA,
        frameworks=frameworks(tensorflow(version, "12.6")),
        packages=has,
        libraries=libraries(runtime),
    )


def test_condas_tensorflow_without_a_compiler():
    finding = fires("xla-libdevice-missing", **conda_tensorflow())
    install, variable = said(finding)
    assert install.endswith("--channel conda-forge cuda-nvcc")
    assert variable == "XLA_FLAGS=--xla_gpu_cuda_data_dir=/opt/conda/envs/ai/targets/x86_64-linux"
    quiet("xla-libdevice-missing", **conda_tensorflow("cuda-nvcc-tools==12.6.85"))
    quiet("xla-libdevice-missing", **conda_tensorflow(installer="pip"))


def conda_jaxlib(*more, version="0.4.23", installer="conda"):
    jaxlib = Framework(name="jaxlib", dist="jaxlib", version=version, variant="cuda")
    has = packages(f"jaxlib=={version}", *more, installer=installer)
    return stack(RTX_3090, on=IN_CONDA, frameworks=frameworks(jaxlib), packages=has)


def test_condas_jaxlib_without_a_compiler():
    assert said(fires("xla-ptxas-missing", **conda_jaxlib())) == [
        "conda install --prefix /opt/conda/envs/ai --channel conda-forge cuda-nvcc"
    ]
    quiet("xla-ptxas-missing", **conda_jaxlib("cuda-nvcc==12.3.107"))
    quiet("xla-ptxas-missing", **conda_jaxlib(installer="pip"))
    quiet("xla-ptxas-missing", **conda_jaxlib(version="0.5.3"))


# JAX on a Jetson.


def test_jax_for_arm_servers_on_a_jetson():
    orin = card("Orin", "8.7")
    server = Framework(
        name="jax-cuda-plugin",
        dist="jax-cuda12-plugin",
        version="0.11.1",
        variant="cuda",
        cuda=CudaVersion("12"),
        archs=("sm_80", "sm_90", "compute_120"),
    )
    finding = fires("jetson-generic-wheel", **stack(orin, host=JETSON, frameworks=frameworks(server)))
    assert "jetson-containers" in said(finding)[0]
    own = Framework(name="jax-cuda-plugin", version="0.4.28", variant="cuda", cuda=CudaVersion("12"), archs=("sm_87",))
    quiet("jetson-generic-wheel", **stack(orin, host=JETSON, frameworks=frameworks(own)))


# Keras.


@pytest.mark.parametrize(
    ("tf", "keras", "severity"),
    [
        ("2.6.0", "2.11.0", "error"),
        ("2.8.4", "2.9.0", "error"),
        ("2.12.1", "3.0.5", "error"),
        ("2.15.0", "2.13.1", "error"),
        ("2.14.1", "3.0.3", "warning"),
        ("2.15.0", "3.0.3", None),
        ("2.6.5", "2.6.0", None),
        ("2.15.1", "2.15.0", None),
        ("2.5.3", "2.4.3", None),
        ("2.16.2", "3.9.0", None),
        ("2.20.0", "3.15.0", None),
    ],
)
def test_keras_2_goes_with_one_tensorflow(tf, keras, severity):
    machine = stack(
        frameworks=frameworks(tensorflow(tf, "11.2")), packages=packages(f"tensorflow=={tf}", f"keras=={keras}")
    )
    if severity is None:
        quiet("dependency-version", **machine)
        return
    finding = fires("dependency-version", **machine)
    assert finding.severity == severity
    assert f"keras~={'.'.join(tf.split('.')[:2])}.0" in said(finding)[0]
