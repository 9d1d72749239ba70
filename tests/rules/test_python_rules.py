"""The rules about interpreters and packages, as tables."""

from typing import Any

import pytest
from msgspec import structs

from gpudoctor.facts.base import Gap
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Run
from gpudoctor.facts.python import (
    Broken,
    Foreign,
    Framework,
    Interpreter,
    Kernelspec,
    Package,
    Packages,
    Pin,
    Shadow,
    Unmet,
)
from gpudoctor.facts.system import Environ, System
from tests.rules.stacks import (
    MACOS,
    RTX_4090,
    SITE,
    WINDOWS,
    frameworks,
    interpreter,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    torch,
    wish,
)
from tests.rules.table import fires, quiet


def commands(finding: Finding) -> list[str]:
    return [" ".join(step.argv) for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


# python-unsupported-by-framework


def test_a_release_that_never_had_this_python() -> None:
    asked = wish("tensorflow", ("==", "2.15"))
    finding = fires("python-unsupported-by-framework", wish=asked, **stack(RTX_4090, on=interpreter("3.13.0")))
    assert "the newest is for Python 3.11" in finding.summary
    assert commands(finding) == [
        "uv venv --seed --python 3.10 gpu-env",
        "uv pip install --python gpu-env/bin/python tensorflow[and-cuda]==2.15.1",
    ], "the environment alone would not be what was asked for"
    conda = interpreter("3.13.0", environment="conda")
    finding = fires("python-unsupported-by-framework", wish=asked, **stack(RTX_4090, on=conda))
    assert commands(finding) == ["conda create --channel conda-forge --name gpu-env python=3.10 pip"]


def test_a_lock_file_with_a_release_for_other_pythons() -> None:
    locked = Pin(file="uv.lock", package="torch", wanted="2.5.1", is_locked=True)
    old = Pin(file="uv.lock", package="torch", wanted="2.2.2+cu121", is_locked=True)
    name, nothing = "python-unsupported-by-framework", {"packages": packages(), "host": WINDOWS}
    found = fires(name, **stack(RTX_4090, on=interpreter("3.13.1", pins=(locked,)), **nothing))
    assert "uv.lock" in str(found.evidence)
    quiet(name, **stack(RTX_4090, on=interpreter("3.12.1", pins=(locked,)), **nothing))
    quiet(name, **stack(RTX_4090, on=interpreter("3.13.1", pins=(locked, old)), **nothing))
    has = {"packages": packages("torch==2.5.1"), "host": WINDOWS}
    quiet(name, **stack(RTX_4090, on=interpreter("3.13.1", pins=(locked,)), **has))


@pytest.mark.parametrize(
    ("requirement", "python"),
    [(wish("tensorflow", ("==", "2.15")), "3.11.9"), (wish("torch", ("==", "2.99")), "3.13.0")],
    ids=["has wheels", "unknown release"],
)
def test_nothing_is_said_against_what_may_exist(requirement: object, python: str) -> None:
    quiet("python-unsupported-by-framework", wish=requirement, **stack(RTX_4090, on=interpreter(python)))


@pytest.mark.parametrize("python", ["3.16.0", "3.17.1"])
def test_a_python_too_new_for_everything(python: str) -> None:
    finding = fires("python-unsupported-by-framework", **stack(RTX_4090, on=interpreter(python)))
    assert finding.severity == "warning"
    assert "the newest is for Python 3.15" in finding.summary
    asked = fires("python-unsupported-by-framework", wish=wish("torch"), **stack(RTX_4090, on=interpreter(python)))
    assert asked.severity == "error"


def test_a_release_candidate_does_not_count() -> None:
    asked = wish("tensorflow")
    fires("python-unsupported-by-framework", wish=asked, **stack(RTX_4090, on=interpreter("3.14.0")))
    quiet("python-unsupported-by-framework", wish=asked, **stack(RTX_4090, on=interpreter("3.13.0")))


def test_a_new_python_is_quiet_elsewhere() -> None:
    too_new = interpreter("3.16.0")
    quiet("python-unsupported-by-framework", **stack(on=too_new))
    quiet("python-unsupported-by-framework", **stack(RTX_4090, on=interpreter("3.14.0")))
    quiet("python-unsupported-by-framework", **stack(RTX_4090, on=interpreter("3.12.0")))
    quiet("python-unsupported-by-framework", **stack(RTX_4090, on=too_new, frameworks=frameworks(torch("9.0.0+cu150"))))
    quiet(
        "python-unsupported-by-framework", **(stack(RTX_4090, on=too_new) | {"packages": Gap(reason="no permission")})
    )
    unlisted = System(os="linux", arch="riscv64")
    quiet("python-unsupported-by-framework", **stack(RTX_4090, host=unlisted, on=too_new))
    pypy = interpreter("3.16.0", implementation="PyPy")
    quiet("python-unsupported-by-framework", **stack(RTX_4090, on=pypy))


# Packages that do not fit each other.


def test_numpy_2() -> None:
    has = packages("numpy==2.1.0", "torch==2.2.2")
    finding = fires("numpy2-abi", **stack(frameworks=frameworks(torch("2.2.2+cu121")), packages=has))
    assert commands(finding) == ["/home/me/env/bin/python -m pip install numpy<2"]
    fires("numpy2-abi", **stack(frameworks=frameworks(tensorflow("2.16.1", "12.3")), packages=has))
    asks = Unmet(package="tensorflow", requirement="numpy", wanted=">=1.22,<1.24", others=(">=1.20",), found="2.1.0")
    bounded = structs.replace(has, unmet=(asks,))
    finding = fires("numpy2-abi", **stack(frameworks=frameworks(tensorflow("2.12.0", "11.8")), packages=bounded))
    assert finding.fixes[0].steps[0].argv[-1] == "numpy>=1.22,<1.24"
    windows = frameworks(torch("2.3.1+cu121"))
    fires("numpy2-abi", **stack(host=WINDOWS, frameworks=windows, packages=has))
    quiet("numpy2-abi", **stack(frameworks=windows, packages=has))
    quiet("numpy2-abi", **stack(frameworks=frameworks(torch("2.99.0")), packages=has))
    quiet("numpy2-abi", **stack(frameworks=frameworks(torch("2.2.2+cu121")), packages=packages("numpy==1.26.4")))
    conda = packages("numpy==2.1.0", "pytorch==2.2.2", installer="conda")
    quiet("numpy2-abi", **stack(frameworks=frameworks(torch("2.2.2", variant="cuda")), packages=conda))


def test_numpy_2_with_a_release_that_the_tables_lack() -> None:
    """What its metadata asks for, and its neighbours in the tables, tell; and the finding says so."""
    asks = unmet("numpy", "<2.0.0,>=1.26.0", "2.1.0", package="tensorflow")
    has = packages("numpy==2.1.0", unmet=(asks,))
    finding = fires("numpy2-abi", **stack(frameworks=frameworks(tensorflow("2.99.0")), packages=has))
    assert finding.confidence == "likely"
    assert "derived from its metadata" in finding.evidence[-1].value
    newer = packages("numpy==2.3.0", unmet=(unmet("numpy", "<2.2.0", "2.3.0", package="tensorflow"),))
    quiet("numpy2-abi", **stack(frameworks=frameworks(tensorflow("2.99.0")), packages=newer))
    others = packages("numpy==2.1.0", unmet=(unmet("numpy", "<2", "2.1.0", package="scipy"),))
    quiet("numpy2-abi", **stack(frameworks=frameworks(tensorflow("2.99.0")), packages=others))
    between = fires("numpy2-abi", **stack(frameworks=frameworks(torch("2.1.9+cu121")), packages=others))
    assert between.confidence == "likely"
    known = fires("numpy2-abi", **stack(frameworks=frameworks(torch("2.1.2+cu121")), packages=others))
    assert known.confidence == "certain"


def test_protobuf_that_tensorflow_does_not_admit() -> None:
    says = Unmet(package="tensorflow", requirement="protobuf", wanted="<3.20,>=3.9.2", found="4.25.3")
    has = packages("tensorflow==2.10.1", "protobuf==4.25.3", unmet=(says,))
    finding = fires("tf-protobuf", **stack(frameworks=frameworks(tensorflow("2.10.1", "11.2")), packages=has))
    assert commands(finding)[0].endswith("protobuf<3.20,>=3.9.2")
    fits = packages("tensorflow==2.10.1", "protobuf==3.19.6")
    quiet("tf-protobuf", **stack(frameworks=frameworks(tensorflow("2.10.1", "11.2")), packages=fits))
    newest = packages("protobuf==7.1.0")
    quiet("tf-protobuf", **stack(frameworks=frameworks(tensorflow("2.99.0")), packages=newest))
    quiet("tf-protobuf", **stack(frameworks=frameworks(torch()), packages=newest))


@pytest.mark.parametrize(
    "says",
    [
        Unmet(package="onnx", requirement="protobuf", wanted=">=4.25.1", found="3.19.6"),
        Unmet(package="tensorflow", requirement="numpy", wanted="<1.20", found="1.26.4"),
        Unmet(package="tensorflow", requirement="protobuf", wanted="<3.10", found=None),
    ],
    ids=["another package's", "another requirement", "not installed"],
)
def test_what_tensorflow_does_not_say_of_protobuf(says: Unmet) -> None:
    has = packages("tensorflow==2.10.1", "protobuf==3.19.6", unmet=(says,))
    quiet("tf-protobuf", **stack(frameworks=frameworks(tensorflow("2.10.1", "11.2")), packages=has))


def unmet(requirement: str, wanted: str, found: str | None, package: str = "torch") -> Unmet:
    return Unmet(package=package, requirement=requirement, wanted=wanted, found=found)


CUDNN = unmet("nvidia-cudnn-cu12", "==9.1.0.70", None)


def test_cuda_libraries_that_torch_asks_for() -> None:
    has = packages("torch==2.6.0", unmet=(CUDNN,))
    finding = fires("torch-nvidia-deps-missing", **stack(RTX_4090, frameworks=frameworks(torch()), packages=has))
    assert finding.severity == "error"
    assert commands(finding) == ["/home/me/env/bin/python -m pip install nvidia-cudnn-cu12==9.1.0.70"]
    older = packages("torch==2.6.0", unmet=(unmet("nvidia-cudnn-cu12", "==9.1.0.70", "9.0.0"),))
    finding = fires("torch-nvidia-deps-missing", **stack(RTX_4090, frameworks=frameworks(torch()), packages=older))
    assert finding.severity == "warning"


def test_cuda_libraries_from_elsewhere_are_a_note() -> None:
    has = packages("torch==2.6.0", unmet=(CUDNN,))
    found = libraries(resolution("torch", "libcudnn.so.9", "cudnn", "/usr/lib/libcudnn.so.9"))
    machine = stack(RTX_4090, frameworks=frameworks(torch()), packages=has, libraries=found)
    assert fires("torch-nvidia-deps-missing", **machine).severity == "info"


@pytest.mark.parametrize(
    "one",
    [
        unmet("nvidia-nvjitlink-cu12", "==12.4.127", "12.9.86"),
        unmet("numpy", ">=1.26", None),
        unmet("nvidia-cudnn-cu12", "==9.1.0.70", None, package="vllm"),
    ],
    ids=["newer nvjitlink", "not a GPU package", "not a framework"],
)
def test_unmet_requirements_that_do_no_harm(one: Unmet) -> None:
    machine = stack(RTX_4090, frameworks=frameworks(torch()), packages=packages("torch==2.6.0", unmet=(one,)))
    quiet("torch-nvidia-deps-missing", **machine)


def test_a_processor_build_needs_no_cuda_libraries() -> None:
    has = packages("torch==2.6.0", unmet=(CUDNN,))
    quiet("torch-nvidia-deps-missing", **stack(frameworks=frameworks(torch("2.6.0+cpu")), packages=has))


JAXLIB = unmet("jaxlib", "<=0.10.2,>=0.10.2", None, package="jax")


def test_what_a_framework_cannot_start_without() -> None:
    found = frameworks(Framework(name="jax", dist="jax", version="0.10.2"))
    finding = fires("dependency-missing", **stack(frameworks=found, packages=packages("jax==0.10.2", unmet=(JAXLIB,))))
    assert commands(finding) == ["/home/me/env/bin/python -m pip install jaxlib<=0.10.2,>=0.10.2"]
    six = unmet("six", ">=1.12", None, package="tensorflow-cpu")
    found = frameworks(Framework(name="tensorflow", dist="tensorflow-cpu", version="2.21.0"))
    fires("dependency-missing", **stack(frameworks=found, packages=packages("tensorflow-cpu==2.21.0", unmet=(six,))))


@pytest.mark.parametrize(
    "one",
    [
        unmet("sympy", ">=1.13", None),
        unmet("typing-extensions", ">=4.10", "4.9"),
        unmet("typing-extensions", ">=4.10", None, package="pydantic"),
    ],
    ids=["imported later", "there, but older", "of another package"],
)
def test_what_a_framework_starts_without(one: Unmet) -> None:
    quiet(
        "dependency-missing", **stack(frameworks=frameworks(torch()), packages=packages("torch==2.6.0", unmet=(one,)))
    )


def test_a_conda_package_has_other_names_for_what_it_needs() -> None:
    has = packages("torch==2.6.0", unmet=(unmet("typing-extensions", ">=4.10", None),))
    conda = Packages(installed=tuple(structs.replace(one, installer="conda") for one in has.installed), unmet=has.unmet)
    quiet("dependency-missing", **stack(frameworks=frameworks(torch()), packages=conda))


# The interpreter.


def test_names_that_hide_a_framework() -> None:
    here = Shadow(module="torch", path="/home/me/work/torch.py", where="current directory")
    fires("py-name-shadow", **stack(on=interpreter(shadows=(here,))))
    user = Shadow(module="torch", path="/home/me/.local/torch.py", where="user site")
    elsewhere = Shadow(module="torch", path="/home/ada/lib/torch.py", where="PYTHONPATH")
    finding = fires("py-name-shadow", **stack(on=interpreter(shadows=(elsewhere,))))
    assert "another directory" not in finding.fixes[0].title, "that would not help"
    quiet("py-name-shadow", **stack(on=interpreter(shadows=(user,))))
    quiet("py-name-shadow", **stack())


def strays(*duplicates: Package) -> Packages:
    mine = Package(name="torch", version="1.13.0", user_site=True, location="/home/me/.local")
    return Packages(installed=(mine,), duplicates=duplicates)


def test_a_framework_in_the_home_folder() -> None:
    conda = interpreter(environment="conda", user_site_enabled=True)
    hidden = Package(name="torch", version="2.6.0", location=SITE)
    assert fires("py-user-site-shadow", **stack(on=conda, packages=strays(hidden))).severity == "error"
    assert fires("py-user-site-shadow", **stack(on=conda, packages=strays())).severity == "warning"
    both = Packages(installed=(*strays().installed, hidden))
    assert fires("py-user-site-shadow", **stack(on=conda, packages=both)).severity == "error"
    quiet("py-user-site-shadow", **stack(on=interpreter(user_site_enabled=False), packages=strays(hidden)))
    quiet("py-user-site-shadow", **stack(on=interpreter(user_site_enabled=None), packages=strays(hidden)))
    system = interpreter(environment="system", user_site_enabled=True)
    older = Package(name="torch", version="1.9.0", location=SITE)
    found = fires("py-user-site-shadow", **stack(on=system, packages=strays(hidden)))
    assert "2.6.0" in [one.value for one in found.evidence], "an old copy hides a newer one"
    quiet("py-user-site-shadow", **stack(on=system, packages=strays(older)))
    quiet("py-user-site-shadow", **stack(on=system, packages=strays()))
    bundle = interpreter(environment="standalone", user_site_enabled=True)
    fires("py-user-site-shadow", **stack(on=bundle, packages=strays(older)))
    quiet("py-user-site-shadow", **stack(on=bundle, packages=strays()))
    quiet("py-user-site-shadow", **stack(on=conda, packages=packages("torch==2.6.0")))


def test_a_32_bit_python() -> None:
    assert fires("python-32bit", **stack(RTX_4090, on=interpreter(bits=32))).severity == "error"
    assert fires("python-32bit", **stack(on=interpreter(bits=32))).severity == "info"
    quiet("python-32bit", **stack(RTX_4090))
    quiet("python-32bit", **stack(RTX_4090, on=interpreter(bits=None)))


def test_records_that_cannot_be_read() -> None:
    broken = tuple(Broken(path=f"{SITE}/{name}.dist-info", reason="no METADATA") for name in "ab")
    assert "2 installed packages" in fires("packages-unreadable", **stack(packages=packages(broken=broken))).summary
    fires("packages-unreadable", **stack(packages=packages(broken=broken[:1])))
    left = tuple(
        Broken(path=f"/home/me/env/lib/site/{name}", reason="left over") for name in ("~umpy", "~ip-1.dist-info")
    )
    found = fires("packages-unreadable", **stack(packages=packages(broken=left)))
    assert [step.argv for step in found.fixes[0].steps] == [("rm", "-r", *(one.path for one in left))]
    info = f"{SITE}/numpy-2.4.6.dist-info"
    other = (Broken(path=f"{SITE}/numpy-1.24.4.dist-info", reason="the files are those of 2.4.6"),)
    found = fires("packages-unreadable", **stack(packages=packages("numpy==2.4.6", broken=other)))
    assert [step.argv for step in found.fixes[0].steps] == [("rm", "-r", other[0].path)]
    for reason in ("it is missing", "it is empty", "it is no text"):
        unlisted = (Broken(path=f"{info}/RECORD", reason=reason),)
        found = fires("packages-unreadable", **stack(packages=packages("numpy==2.4.6", broken=unlisted)))
        first, second = found.fixes[0].steps
        assert first.argv == ("rm", "-r", info), "pip cannot take it away"
        assert second.argv[-1] == "numpy==2.4.6"
    mixed = fires("packages-unreadable", **stack(packages=packages(broken=(*left, *broken))))
    assert mixed.fixes[0].safety == "manual"
    quiet("packages-unreadable", **stack())


@pytest.mark.parametrize(
    ("other", "fields"),
    [
        ("/home/me/env/bin/python3", {}),
        (None, {}),
        ("/usr/bin/python3", {"chosen_by": "--python"}),
        ("/home/me/.pyenv/shims/python", {}),
        ("/usr/bin/env", {}),
    ],
    ids=["the same", "not known", "chosen by hand", "a shim", "whichever comes first"],
)
def test_pip_of_this_python(other: str | None, fields: dict) -> None:
    quiet("py-pip-mismatch", **stack(on=interpreter(pip_on_path_interpreter=other, **fields)))


def test_pip_of_another_python() -> None:
    one = interpreter(pip_on_path="/usr/bin/pip", pip_on_path_interpreter="/usr/bin/python3")
    assert "/usr/bin/python3" in fires("py-pip-mismatch", **stack(on=one)).summary
    by_uv = {"pip_on_path": "/usr/bin/pip", "pip_on_path_interpreter": "/usr/bin/python3", "made_by": "uv"}
    assert fires("py-pip-mismatch", **stack(on=interpreter(**by_uv, pip_version=None))).severity == "info"
    assert fires("py-pip-mismatch", **stack(on=interpreter(**by_uv, pip_version="25.0"))).severity == "warning"
    windows = interpreter(
        executable="C:\\env\\Scripts\\python.exe",
        prefix="C:\\env",
        pip_on_path_interpreter="c:\\env\\Scripts\\python.exe",
    )
    quiet("py-pip-mismatch", **stack(host=WINDOWS, on=windows))


def test_tf_keras() -> None:
    keras3 = frameworks(tensorflow("2.18.0"))
    has = packages("tensorflow==2.18.0", "transformers==4.45.0")
    finding = fires("keras3-no-tfkeras", **stack(frameworks=keras3, packages=has))
    assert commands(finding)[0].endswith("install tf-keras~=2.18.0")
    quiet("keras3-no-tfkeras", **stack(frameworks=frameworks(tensorflow("2.15.1", "12.2")), packages=has))
    for fine in (packages("transformers==4.45.0", "tf-keras==2.18.0"), packages("transformers==5.0.0"), packages()):
        quiet("keras3-no-tfkeras", **stack(frameworks=keras3, packages=fine))
    fires("keras3-tfkeras-version", **stack(frameworks=keras3, packages=packages("tf-keras==2.16.0")))
    quiet("keras3-tfkeras-version", **stack(frameworks=keras3, packages=packages("tf-keras==2.18.0")))
    quiet("keras3-tfkeras-version", **stack(packages=packages("tf-keras==2.18.0")))


def kernels(*same: bool | None) -> Interpreter:
    found = tuple(Kernelspec(name=str(number), same_interpreter=one) for number, one in enumerate(same))
    return interpreter(kernelspecs=found)


def test_jupyter_kernels() -> None:
    assert fires("py-kernelspec-mismatch", **stack(on=kernels(False, False))).severity == "info"
    for fine in (kernels(True, False), kernels(None), kernels(), interpreter()):
        quiet("py-kernelspec-mismatch", **stack(on=fine))


def test_ssl() -> None:
    fires("py-no-ssl", **stack(on=interpreter(has_ssl=False)))
    quiet("py-no-ssl", **stack(on=interpreter(has_ssl=True)))
    quiet("py-no-ssl", **stack(host=MACOS, on=interpreter(has_ssl=None)))


def test_a_required_python() -> None:
    fires("python-required", wish=wish("python", ("<", "3.12")), **stack())
    fires(
        "python-required", wish=wish("python", (">=", "3.10")), **stack(on=Interpreter(executable="p", chosen_by="own"))
    )
    for met in (wish("python", ("==", "3.12")), wish("python", (">=", "3.10")), wish("torch"), wish("python")):
        quiet("python-required", wish=met, **stack())


def test_keras_3_under_a_tensorflow_that_asks_for_keras_2() -> None:
    """2.15 is documented to run with it where that was wanted; its own metadata asks for Keras 2."""
    facts = {"frameworks": frameworks(tensorflow("2.15.1"))}
    asked = (Unmet(package="tensorflow", requirement="keras", wanted="<2.16,>=2.15.0", found="3.5.0"),)
    has = packages("tensorflow==2.15.1", "keras==3.5.0", unmet=asked)
    found = fires("dependency-version", **stack(packages=has, **facts))
    assert (found.severity, found.fixes[0].steps[0].argv[-1]) == ("warning", "keras~=2.15.0")
    quiet("dependency-version", **stack(packages=packages("tensorflow==2.15.1", "keras==2.15.0"), **facts))


@pytest.mark.parametrize(("own", "options"), [("tensorflow", ()), ("tensorflow-cpu", ("--no-deps",))])
def test_tf_keras_brings_no_second_tensorflow(own: str, options: tuple[str, ...]) -> None:
    facts = {"frameworks": frameworks(tensorflow("2.18.1")), "environ": Environ(variables={"TF_USE_LEGACY_KERAS": "1"})}
    found = fires("keras3-legacy-model", **stack(packages=packages(f"{own}==2.18.1"), **facts))
    assert found.fixes[0].steps[0].argv[4:] == (*options, "tf-keras~=2.18.0")
    beside = (Unmet(package="tf-keras", requirement="tensorflow", wanted="<2.19,>=2.18", files="/site/tensorflow"),)
    seen = {"frameworks": frameworks(tensorflow("2.18.1"), Framework(name="keras", dist="tf-keras"))}
    quiet("package-without-record", **stack(packages=packages("tensorflow-cpu==2.18.1", unmet=beside), **seen))


# package-of-another-python


def test_packages_that_were_built_for_another_python() -> None:
    def seen(*names: str, location: str = SITE, **fields: Any) -> dict[str, Any]:
        built = tuple(Foreign(package=name, path=f"{location}/{name}/a.so", python="3.10") for name in names)
        there = tuple(
            structs.replace(one, location=location) for one in packages(*(f"{n}==1.0" for n in names)).installed
        )
        has = structs.replace(packages(), installed=there, foreign=built)
        return stack(on=interpreter("3.11.9", **fields), packages=has)

    finding = fires("package-of-another-python", **seen("numpy", "scipy"))
    assert finding.summary == "numpy and scipy were built for Python 3.10, and this is Python 3.11."
    assert commands(finding) == [
        "/home/me/env/bin/python -m pip install --force-reinstall --no-deps numpy==1.0 scipy==1.0"
    ]
    finding = fires("package-of-another-python", **seen("numpy", location="/old", python_path=("/old",)))
    assert [fix.safety for fix in finding.fixes] == ["manual"]
    assert "Take /old out of PYTHONPATH" in str(finding.fixes)
    quiet("package-of-another-python", **seen())
