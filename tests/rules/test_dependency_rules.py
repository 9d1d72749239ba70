"""The rules about packages that frameworks need: missing, of another release, without their files or their record."""

import pytest
from msgspec import structs

from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Run, Write
from gpudoctor.facts.live import AgentRun, Live, SmokeRun, Stage, Thrown, Trial
from gpudoctor.facts.python import Broken, Framework, Unmet
from tests.rules.situations import UBUNTU
from tests.rules.stacks import SITE, WINDOWS, frameworks, interpreter, packages, stack, tensorflow, torch
from tests.rules.table import fires, judge, quiet

PIP = "/home/me/env/bin/python -m pip install"
JAX = Framework(name="jax", dist="jax", version="0.10.2", location=f"{SITE}/jax")


def commands(finding: Finding) -> list[str]:
    return [" ".join(step.argv) for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def unmet(package: str, requirement: str, wanted: str, found: str | None = None, files: str | None = None) -> Unmet:
    return Unmet(package=package, requirement=requirement, wanted=wanted, found=found, files=files)


def failed(framework: str, text: str, *files: str, kind: str = "ImportError") -> Live:
    """An import that failed in these files of the site folder, the last one innermost."""
    frames = "".join(f'  File "{SITE}/{name}", line 1, in <module>\n' for name in files)
    error = Thrown(type=kind, text=text, traceback=f"Traceback (most recent call last):\n{frames}{kind}: {text}\n")
    stages = (Stage(name=f"import {framework}", outcome="failed", error=error),)
    run = AgentRun(framework=framework, task="smoke", ending="failed", stages=stages, error=error)
    return Live(smoke=(SmokeRun(framework=framework, version="1.0", run=run),))


def proved(framework: str) -> Live:
    run = AgentRun(framework=framework, task="smoke", ending="finished")
    trial = Trial(network="dense", device="cpu", outcome="passed")
    return Live(smoke=(SmokeRun(framework=framework, version="1.0", run=run, trials=(trial,)),))


OLD_TYPING = unmet("torch", "typing-extensions", ">=4.10.0", "4.5.0")
NEW_WRAPT = unmet("tensorflow", "wrapt", "<1.15,>=1.11.0", "1.16.0")


# dependency-version


def test_older_than_the_framework_accepts() -> None:
    has = packages("torch==2.6.0", "typing-extensions==4.5.0", unmet=(OLD_TYPING,))
    finding = fires("dependency-version", **stack(frameworks=frameworks(torch()), packages=has))
    assert finding.severity == "warning", "nothing was run"
    assert commands(finding) == [f"{PIP} typing-extensions>=4.10.0"]
    text = "cannot import name 'TypeIs' from 'typing_extensions' (/x/typing_extensions.py)"
    live = failed("torch", text, "torch/__init__.py", "torch/types.py")
    finding = fires("dependency-version", **stack(frameworks=frameworks(torch()), packages=has, live=live))
    assert finding.severity == "error", "it failed in it"
    quiet("dependency-version", **stack(frameworks=frameworks(torch()), packages=has, live=proved("torch")))


def test_newer_than_the_framework_accepts_is_told_where_it_fails() -> None:
    has = packages("tensorflow==2.15.1", "wrapt==1.16.0", unmet=(NEW_WRAPT,))
    machine = stack(frameworks=frameworks(tensorflow("2.15.1", None)), packages=has)
    quiet("dependency-version", **machine)
    live = failed("tensorflow", "No module named 'wrapt.decorators'", kind="ModuleNotFoundError")
    assert fires("dependency-version", **machine, live=live).severity == "error"
    other = failed("tensorflow", "libx.so: cannot open shared object file", "tensorflow/python/x.py")
    quiet("dependency-version", **machine, live=other)
    inside = failed("tensorflow", "something", "tensorflow/__init__.py", "wrapt/x.py", kind="AttributeError")
    fires("dependency-version", **machine, live=inside)


@pytest.mark.parametrize(
    "one",
    [
        unmet("tensorflow", "protobuf", ">=5", "3.20.3"),
        unmet("tensorflow", "numpy", "<2", "2.1.0"),
        unmet("tensorflow", "tensorboard", "~=2.15", "2.10"),
        unmet("tensorflow", "wrapt", "<1.15", "1.14"),
        unmet("vllm", "typing-extensions", ">=4.10", "4.5.0"),
        unmet("tensorflow", "six", ">=1.12", None),
    ],
    ids=["tf-protobuf", "numpy2-abi", "not at the start", "no floor", "another package's", "missing"],
)
def test_what_others_tell_or_does_no_harm(one: Unmet) -> None:
    has = packages("tensorflow==2.15.1", unmet=(one,))
    quiet("dependency-version", **stack(frameworks=frameworks(tensorflow("2.15.1", None)), packages=has))


OLD_NUMPY = packages("torch==2.0.0", "numpy==1.22.4")


@pytest.mark.parametrize(
    ("host", "python", "version", "has", "needed"),
    [
        (WINDOWS, "3.10.11", "2.0.0+cpu", OLD_NUMPY, "numpy>=1.23,<2"),
        (WINDOWS, "3.9.13", "2.0.0+cpu", OLD_NUMPY, None),
        (WINDOWS, "3.10.11", "2.1.0+cpu", OLD_NUMPY, None),
        (UBUNTU, "3.10.11", "2.0.0+cpu", OLD_NUMPY, None),
        (WINDOWS, "3.10.11", "2.0.0+cpu", packages("torch==2.0.0"), None),
        (WINDOWS, "3.10.11", "2.0.0+cpu", packages("torch==2.0.0", "numpy==1.26.4"), None),
        (WINDOWS, "3.10.11", "2.0.0+cpu", packages("torch==2.0.0", "numpy==1.22.4", installer="conda"), None),
    ],
)
def test_wheels_that_were_compiled_for_a_newer_numpy(host, python, version, has, needed) -> None:
    machine = stack(host=host, on=interpreter(python), frameworks=frameworks(torch(version)), packages=has)
    if needed is None:
        quiet("dependency-version", **machine)
    else:
        assert needed in commands(fires("dependency-version", **machine))[0]


def test_a_part_that_a_later_package_left_out_is_not_reinstalled() -> None:
    found = frameworks(("jax", "0.4.10"), ("jaxlib", "0.4.10"))
    machine = stack(frameworks=found, packages=packages("jax==0.4.10", "jaxlib==0.4.10", "ml-dtypes==0.3.0"))
    assert commands(fires("dependency-version", **machine)) == [f"{PIP} ml-dtypes<0.3"]
    older = packages("jax==0.4.10", "jaxlib==0.4.10", "ml-dtypes==0.2.0")
    quiet("dependency-version", **{**machine, "packages": older})


# dependency-missing


def test_tensorflow_trains_without_keras_and_few_programs_do() -> None:
    has = packages("tensorflow==2.21.0", unmet=(unmet("tensorflow", "keras", ">=3.12.0"),))
    finding = fires("dependency-missing", **stack(frameworks=frameworks(tensorflow("2.21.0", None)), packages=has))
    assert finding.summary == "tensorflow 2.21.0 needs keras, which is not installed."
    assert commands(finding) == [f"{PIP} keras>=3.12.0"]


def test_what_several_frameworks_miss_is_one_command() -> None:
    """Two commands for one package would contradict each other, and one of them would be left out."""
    found = frameworks(JAX, torch(), tensorflow("2.21.0", None))
    lacks = (
        unmet("jax", "ml-dtypes", ">=0.5.0"),
        unmet("tensorflow", "ml-dtypes", "<1.0.0,>=0.5.1"),
        unmet("tensorflow", "typing-extensions", ">=3.6.6"),
        unmet("torch", "typing-extensions", ">=4.10.0"),
    )
    machine = stack(
        frameworks=found, packages=packages("jax==0.10.2", "torch==2.6.0", "tensorflow==2.21.0", unmet=lacks)
    )
    findings = judge("dependency-missing", **machine)
    (command,) = {command for finding in findings for command in commands(finding)}
    assert command == f"{PIP} ml-dtypes<1.0.0,>=0.5.1 typing-extensions>=4.10.0"
    assert len(findings) == 3
    assert findings[0].fixes[0].title == "Install what jax, tensorflow and torch need"
    old = tuple(structs.replace(one, found="0.1") for one in lacks)
    has = packages("jax==0.10.2", "torch==2.6.0", "tensorflow==2.21.0", unmet=old)
    told = judge("dependency-version", **stack(frameworks=found, packages=has))
    assert len({command for finding in told for command in commands(finding)}) == 2, "one for each package"


# package-without-record


def test_files_without_a_record() -> None:
    stray = unmet("jax", "jaxlib", ">=0.10.2", files=f"{SITE}/jaxlib/__init__.py")
    has = packages("jax==0.10.2", unmet=(stray,))
    finding = fires("package-without-record", **stack(frameworks=frameworks(JAX), packages=has))
    assert commands(finding) == [f"{PIP} jaxlib>=0.10.2"]
    quiet("dependency-missing", **stack(frameworks=frameworks(JAX), packages=has))


def test_a_framework_without_a_record() -> None:
    there = interpreter(site_dirs=(SITE,))
    stray = structs.replace(torch("2.6.0+cu124"), dist=None, location=f"{SITE}/torch")
    finding = fires("package-without-record", **stack(on=there, frameworks=frameworks(stray), packages=packages()))
    assert commands(finding) == [f"{PIP} torch==2.6.0+cu124 --index-url https://download.pytorch.org/whl/cu124"]
    own = interpreter(site_dirs=(SITE,), python_path=(SITE,))
    quiet("package-without-record", **stack(on=own, frameworks=frameworks(stray), packages=packages()))
    quiet(
        "package-without-record", **stack(on=there, frameworks=frameworks(torch()), packages=packages("torch==2.6.0"))
    )
    built = structs.replace(stray, location="/home/me/src/torch")
    quiet("package-without-record", **stack(on=there, frameworks=frameworks(built), packages=packages()))


# packages-unreadable


def test_what_an_unreadable_record_belongs_to_is_installed_anew() -> None:
    torn = Broken(path=f"{SITE}/ml_dtypes-0.5.1.dist-info/METADATA", reason="it is empty")
    has = packages("ml-dtypes==0.5.1", broken=(torn,))
    finding = fires("packages-unreadable", **stack(packages=has))
    assert commands(finding) == [f"{PIP} --force-reinstall --no-deps ml-dtypes==0.5.1"]
    told = next(step for step in finding.fixes[0].steps if isinstance(step, Write))
    assert told.path == torn.path
    assert "Name: ml-dtypes\nVersion: 0.5.1\n" in told.text, "pip cannot take away what it cannot read"
    left = Broken(path=f"{SITE}/~umpy-2.0.0.dist-info", reason="left over from an uninstall")
    folder = Broken(path=SITE, reason="permission denied")
    shut = Broken(path=f"{SITE}/numpy-2.0.0.dist-info/METADATA", reason="permission denied")
    for other in (left, folder, shut):
        finding = fires("packages-unreadable", **stack(packages=packages("ml-dtypes==0.5.1", broken=(torn, other))))
        assert not commands(finding), "a person looks at what is left over, and at whose the files are"


def test_all_that_an_interrupted_uninstall_left_is_deleted() -> None:
    left = tuple(Broken(path=f"{SITE}/{name}", reason="left over") for name in ("~umpy", "~umpy-2.0.0.dist-info"))
    finding = fires("packages-unreadable", **stack(packages=packages("numpy==2.1.0", broken=left)))
    assert commands(finding) == [f"rm -r {SITE}/~umpy {SITE}/~umpy-2.0.0.dist-info"]


# What is proposed for an import that fails.


@pytest.mark.parametrize(
    ("live", "has", "wanted", "expected"),
    [
        (failed("jax", "No module named 'scipy'"), ("jax==1.0",), (), "install scipy"),
        (
            failed("jax", "No module named 'scipy'"),
            ("jax==1.0",),
            (unmet("jax", "scipy", ">=1.14"), unmet("jax", "scipy", "<2")),
            "install scipy>=1.14,<2",
        ),
        (
            failed("jax", "No module named 'scipy._lib'"),
            ("jax==1.0", "scipy==1.17.1"),
            (),
            "install --force-reinstall --no-deps scipy==1.17.1",
        ),
        (
            failed("tensorflow", "No module named 'tensorflow.python.framework'", "tensorflow/__init__.py"),
            ("tensorflow-cpu==2.20.0",),
            (),
            "install --force-reinstall --no-deps tensorflow-cpu==2.20.0",
        ),
        (
            failed("torch", "cannot import name 'TypeIs' from 'typing_extensions' (x)", "torch/types.py"),
            ("torch==2.6.0", "typing-extensions==4.5.0"),
            (OLD_TYPING,),
            "install typing-extensions>=4.10.0",
        ),
        (
            failed("keras", "cannot import name 'x' from partially initialized module 'keras' (y)"),
            ("keras==3.5.0",),
            (),
            "install --force-reinstall --no-deps keras==3.5.0",
        ),
    ],
)
def test_what_mends_an_import(live: Live, has: tuple[str, ...], wanted: tuple[Unmet, ...], expected: str) -> None:
    finding = fires("framework-import-failed", **stack(packages=packages(*has, unmet=wanted), live=live))
    assert commands(finding)[0].endswith(f" {expected}"), commands(finding)


def test_a_library_that_an_extension_does_not_find() -> None:
    """The package whose file asked for it is written anew; a framework's own CUDA libraries come from many places."""
    has = packages("jax==1.0", "h5py==3.14.0", "torch==2.6.0")
    text = "libcudart.so.12: cannot open shared object file: No such file or directory"
    finding = fires("library-not-loaded", **stack(packages=has, live=failed("jax", text, "h5py/__init__.py")))
    assert commands(finding) == [f"{PIP} --force-reinstall --no-deps h5py==3.14.0"]
    blas = failed("jax", "libscipy_openblas.so: cannot open shared object file", "jax/x.py", "h5py/linalg/blas.py")
    assert commands(fires("library-not-loaded", **stack(packages=has, live=blas))) == commands(finding)
    finding = fires("library-not-loaded", **stack(packages=has, live=failed("torch", text, "torch/__init__.py")))
    assert not commands(finding)
