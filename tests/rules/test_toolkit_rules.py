"""The rules about compiling GPU code, as tables."""

from gpudoctor.facts.fix import Run, SetEnv
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Framework
from gpudoctor.facts.system import Environ, System
from tests.rules.stacks import (
    RTX_4090,
    WINDOWS,
    frameworks,
    interpreter,
    packages,
    stack,
    toolkit,
    toolkits,
    torch,
    wish,
)
from tests.rules.table import fires, quiet

DEEPSPEED = packages("torch==2.6.0", "deepspeed==0.19.8")
TORCH = frameworks(torch())


def test_a_missing_compiler_matters_to_those_who_compile() -> None:
    assert fires("cuda-home-missing", **stack(RTX_4090, frameworks=TORCH, packages=DEEPSPEED)).severity == "error"
    fires("cuda-home-missing", wish=wish("flash-attn"), **stack(RTX_4090, frameworks=TORCH))
    wants = Environ(variables={"TORCH_CUDA_ARCH_LIST": "8.9"})
    assert fires("cuda-home-missing", **stack(RTX_4090, frameworks=TORCH, environ=wants)).severity == "info"
    dangling = toolkits(cuda_home="/usr/local/cuda-11.8", cuda_home_exists=False)
    note = fires("cuda-home-missing", **stack(RTX_4090, frameworks=TORCH, toolkits=dangling))
    assert note.severity == "info"
    assert "/usr/local/cuda-11.8" in note.summary


def test_a_build_that_failed_needs_a_compiler() -> None:
    said = Live(symptoms=(Symptom(signature="cuda-home-missing", text="CUDA_HOME environment variable is not set"),))
    assert fires("cuda-home-missing", live=said, **stack(RTX_4090, frameworks=TORCH)).severity == "error"
    other = Live(symptoms=(Symptom(signature="no-cuda-gpus", text="No CUDA GPUs are available"),))
    quiet("cuda-home-missing", live=other, **stack(RTX_4090, frameworks=TORCH))
    # Who prints this has an nvcc.
    ran = Live(symptoms=(Symptom(signature="nvcc-torch-mismatch", text="The detected CUDA version (10.1) mismatches"),))
    quiet("cuda-home-missing", live=ran, **stack(RTX_4090, frameworks=TORCH))
    has = toolkits(toolkit("12.4", is_default=True))
    quiet("cuda-home-missing", live=said, **stack(RTX_4090, frameworks=TORCH, toolkits=has))
    old = toolkits(toolkit("11.8"), nvcc_on_path=toolkit("11.8").nvcc)
    assert (
        fires("nvcc-torch-mismatch", live=said, **stack(RTX_4090, frameworks=TORCH, toolkits=old)).severity == "error"
    )


def test_a_package_that_is_wanted_and_does_not_find_the_installed_torch() -> None:
    text = "ModuleNotFoundError: No module named 'torch'"
    said = Live(symptoms=(Symptom(signature="module-not-found", text=text),))
    machine = stack(RTX_4090, frameworks=TORCH, packages=packages("torch==2.6.0"))
    finding = fires("ext-build-isolation", wish=wish("flash-attn"), live=said, **machine)
    assert any("--no-build-isolation" in step.argv for step in finding.fixes[0].steps if isinstance(step, Run))
    quiet("ext-build-isolation", live=said, **machine)
    quiet("ext-build-isolation", wish=wish("flash-attn"), live=said, **machine | {"packages": packages("numpy==2.0")})
    built = packages("torch==2.6.0", "flash-attn==2.8.3")
    quiet("ext-build-isolation", wish=wish("flash-attn"), live=said, **machine | {"packages": built})
    other = Live(symptoms=(Symptom(signature="module-not-found", text="No module named 'jax'"),))
    quiet("ext-build-isolation", wish=wish("flash-attn"), live=other, **machine)


def test_nobody_else_needs_a_compiler() -> None:
    quiet("cuda-home-missing", **stack(RTX_4090, frameworks=TORCH))
    quiet("cuda-home-missing", **stack(frameworks=TORCH, packages=DEEPSPEED))
    has = toolkits(toolkit("12.4", is_default=True))
    quiet("cuda-home-missing", **stack(RTX_4090, frameworks=TORCH, packages=DEEPSPEED, toolkits=has))
    only_path = toolkits(nvcc_on_path="/usr/bin/nvcc")
    quiet("cuda-home-missing", **stack(RTX_4090, frameworks=TORCH, packages=DEEPSPEED, toolkits=only_path))


def test_a_compiler_that_only_the_environment_names() -> None:
    named = Environ(variables={"CUDA_PATH": "/usr/local/cuda-11.8/"})
    machine = stack(RTX_4090, frameworks=TORCH, packages=DEEPSPEED, toolkits=toolkits(toolkit("11.8")))
    fires("nvcc-torch-mismatch", **machine | {"environ": named})
    quiet("nvcc-torch-mismatch", **machine)


def test_a_compiler_of_another_major() -> None:
    old, fitting = toolkit("11.8"), toolkit("12.4")
    taken = toolkits(old, fitting, nvcc_on_path=old.nvcc)
    note = fires("nvcc-torch-mismatch", **stack(RTX_4090, frameworks=TORCH, toolkits=taken))
    assert note.severity == "info"
    assert note.fixes[0].steps == (SetEnv(name="CUDA_HOME", value="/usr/local/cuda-12.4"),)
    building = stack(RTX_4090, frameworks=TORCH, toolkits=taken, packages=DEEPSPEED)
    assert fires("nvcc-torch-mismatch", **building).severity == "error"
    home = toolkits(old, cuda_home="/usr/local/cuda-11.8/")
    fires("nvcc-torch-mismatch", **stack(RTX_4090, frameworks=TORCH, toolkits=home))
    default = toolkits(toolkit("11.8", is_default=True))
    fires("nvcc-torch-mismatch", **stack(RTX_4090, frameworks=TORCH, toolkits=default))


def test_a_compiler_of_the_same_major() -> None:
    same = toolkits(toolkit("12.8", is_default=True))
    quiet("nvcc-torch-mismatch", **stack(RTX_4090, frameworks=TORCH, toolkits=same))
    elsewhere = toolkits(toolkit("11.8"), nvcc_on_path="/usr/local/bin/nvcc")
    quiet("nvcc-torch-mismatch", **stack(RTX_4090, frameworks=TORCH, toolkits=elsewhere))
    cpu = frameworks(torch("2.6.0+cpu"))
    quiet("nvcc-torch-mismatch", **stack(RTX_4090, frameworks=cpu, toolkits=toolkits(toolkit("11.8", is_default=True))))
    quiet("nvcc-torch-mismatch", **stack(frameworks=TORCH, toolkits=toolkits(toolkit("11.8", is_default=True))))


def test_gcc_and_nvcc() -> None:
    nvcc = toolkit("12.4")

    def compilers(version: str | None, name: str = "/usr/bin/gcc", cuda: object = nvcc) -> object:
        return toolkits(cuda, nvcc_on_path=cuda.nvcc, compiler=name, compiler_version=version)

    note = fires("nvcc-gcc-too-new", **stack(RTX_4090, toolkits=compilers("14.2.0")))
    assert note.severity == "info"
    assert "13" in note.summary
    assert (
        fires("nvcc-gcc-too-new", **stack(RTX_4090, toolkits=compilers("14.2.0"), packages=DEEPSPEED)).severity
        == "error"
    )
    for fine in (
        compilers("13.3.0"),
        compilers(None),
        compilers("18.1.0", "/usr/bin/clang"),
        compilers("14.2.0", cuda=toolkit("12.8")),
        compilers("30.0.0", cuda=toolkit("19.0")),
    ):
        quiet("nvcc-gcc-too-new", **stack(RTX_4090, toolkits=fine))
    quiet("nvcc-gcc-too-new", **stack(toolkits=compilers("14.2.0")))


def test_triton_needs_a_c_compiler() -> None:
    both = frameworks(torch(), Framework(name="triton", version="3.2.0"))
    none = toolkits()
    finding = fires("triton-no-compiler", **stack(RTX_4090, frameworks=both, toolkits=none))
    assert finding.severity == "info"
    assert finding.fixes[0].steps == (Run(argv=("apt", "install", "build-essential")),)
    bare = interpreter(has_python_h=False)
    arch = System(os="linux", distribution="arch", arch="x86_64")
    has = toolkits(compiler="/usr/bin/gcc")
    fires("triton-no-compiler", **stack(RTX_4090, on=bare, host=arch, frameworks=both, toolkits=has))
    quiet("triton-no-compiler", **stack(RTX_4090, frameworks=both, toolkits=has))
    quiet("triton-no-compiler", **stack(RTX_4090, frameworks=TORCH, toolkits=none))
    quiet("triton-no-compiler", **stack(frameworks=both, toolkits=none))
    quiet("triton-no-compiler", **stack(RTX_4090, host=WINDOWS, frameworks=both, toolkits=none))
