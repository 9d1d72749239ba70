"""Requirements that are not met: where they begin to matter, to whom, and how they are worded."""

import pytest
from msgspec import structs

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.python import Framework, Packages, Shadow, Unmet
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.merge import plan_of
from gpudoctor.rules._unmet_requirements import complete, is_gpu_requirement, is_newer, is_older, requirements_of
from tests.rules.stacks import SITE, frameworks, interpreter, packages, stack, tensorflow, torch
from tests.rules.table import fires, judge, quiet, rule_of
from tests.rules.test_dependency_rules import JAX, OLD_TYPING, failed, proved, unmet


@pytest.mark.parametrize(
    ("wanted", "found", "older", "newer"),
    [
        (">=4.10.0", "4.9", True, False),
        (">=4.10.0", "4.10.0", False, True),
        (">=4.10", "4.11", False, True),
        ("==12.4.127", "12.4.127", False, True),
        ("~=2.15", "2.14.9", True, False),
        # The highest of several bounds counts.
        (">=1.0,>=2.0", "1.5", True, False),
        # Without a floor nothing is older or newer; nor is what is missing.
        ("<2", "1.0", False, False),
        ("!=1.5", "1.0", False, False),
        (">=1.0", None, False, False),
        (">=1.0", "a nightly", False, False),
    ],
)
def test_older_and_newer(wanted, found, older, newer):
    one = Unmet(package="torch", requirement="x", wanted=wanted, found=found)
    assert (is_older(one), is_newer(one)) == (older, newer)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("nvidia-cudnn-cu12", True), ("triton", True), ("pytorch-triton", True), ("cuda-toolkit", True), ("numpy", False)],
)
def test_what_belongs_to_the_gpu(name, is_one):
    assert is_gpu_requirement(name) is is_one


def test_each_requirement_is_worded_once():
    asked = [("numpy", ">=2.0"), ("six", ""), ("numpy", "<3"), ("numpy", ">=2.0")]
    wanted = tuple(unmet("jax", name, text) for name, text in asked)
    assert requirements_of(wanted) == ("numpy>=2.0,<3", "six")


def scene(installed=(), installer="pip", **fields):
    return Scene(interpreter=interpreter(**fields), packages=packages(*installed, installer=installer))


def test_where_it_is_installed():
    """Into the user's own environment; elsewhere where the system, conda or a namesake is in the way."""
    missing = (unmet("jax", "scipy", ">=1.14"),)
    mends = complete(scene(["jax==0.10.2"]), "jax", missing)
    assert (mends.title, mends.safety) == ("Install what jax needs", "safe")
    assert mends.steps[0].argv[-1] == "scipy>=1.14"
    for other in (
        scene(["jax==0.10.2"], externally_managed=True),
        scene(["jax==0.10.2"], environment="system"),
        scene(["jax==0.10.2"], "conda"),
    ):
        assert complete(other, "jax", missing).safety == "manual"
    # Another package that conda installed does not forbid it.
    assert complete(scene(["scipy==1.0"], "conda"), "jax", missing).safety == "safe"
    taken = complete(scene(["nvidia-cudnn-cu13==9.1"]), "torch", (unmet("torch", "nvidia-cudnn-cu12", "==9.1"),))
    assert taken.title == "Give torch an environment of its own"
    assert "nvidia-cudnn-cu13" in taken.steps[0].text


# dependency-missing

SIX = unmet("tensorflow", "six", ">=1.12")


def missing(*wanted, version="2.15.1", installer="pip", **fields):
    has = packages(f"tensorflow=={version}", installer=installer, unmet=wanted)
    return stack(frameworks=frameworks(tensorflow(version, None, **fields)), packages=has)


def test_what_is_missing_is_named():
    found = fires("dependency-missing", **missing(SIX))
    assert "needs six to start, which is not installed." in found.summary
    assert [(one.fact, one.value) for one in found.evidence] == [("tensorflow needs six>=1.12", "not installed")]
    both = fires("dependency-missing", **missing(SIX, unmet("tensorflow", "wrapt", ">=1")))
    assert "needs six and wrapt to start, which are not installed." in both.summary
    names = ("absl-py", "astunparse", "flatbuffers", "gast", "numpy", "packaging", "six", "wrapt")
    many = fires("dependency-missing", **missing(*(unmet("tensorflow", name, "") for name in names)))
    assert "needs absl-py, astunparse, flatbuffers, gast, numpy and packaging to start" in many.summary
    assert len(many.evidence) == len(names)


@pytest.mark.parametrize(
    "one",
    [
        unmet("tensorflow", "six", ">=1.12", found="1.10"),
        unmet("tensorflow", "six", ">=1.12", files=f"{SITE}/six.py"),
        unmet("vllm", "six", ">=1.12"),
        unmet("tensorflow", "tensorboard", ">=2"),
    ],
    ids=["there", "its files are there", "another package's", "not at the start"],
)
def test_what_is_not_missing(one):
    quiet("dependency-missing", **missing(one))


def test_the_distribution_that_brought_it_is_the_owner():
    here = {"version": "2.15.1", "dist": "tensorflow-cpu"}
    fires("dependency-missing", **missing(unmet("tensorflow-cpu", "six", ""), **here))
    quiet("dependency-missing", **missing(SIX, **here))
    of_torch = packages("torch==2.6.0", unmet=(unmet("torch", "typing-extensions", ">=4.10"),))
    fires("dependency-missing", **stack(frameworks=frameworks(torch(dist=None)), packages=of_torch))


def test_conda_keeps_records_of_its_own():
    quiet("dependency-missing", **missing(SIX, installer="conda"))


def test_one_that_is_whole_hides_none_that_is_not():
    """In the order in which they are looked at: jax, keras, tensorflow, torch."""
    typing = unmet("torch", "typing-extensions", ">=4.10")
    has = packages("jax==1", "tensorflow==2.15.1", "torch==2.6.0", unmet=(typing,))
    found = judge(
        "dependency-missing",
        **stack(frameworks=frameworks(JAX, tensorflow("2.15.1", None), torch()), packages=has),
    )
    assert [one.subject for one in found] == ["torch"]


# dependency-version


def of_version(one, name="tensorflow", version="2.15.1", installer="pip", **more):
    framework = tensorflow(version, None) if name == "tensorflow" else Framework(name=name, version=version)
    has = packages(f"{name}=={version}", installer=installer, unmet=(one,))
    return stack(frameworks=frameworks(framework), packages=has, **more)


@pytest.mark.parametrize(
    ("one", "name", "told"),
    [
        (unmet("tensorflow", "six", ">=1.12", "1.11"), "tensorflow", True),
        (unmet("tensorflow", "h5py", ">=3.10", "3.1"), "tensorflow", True),
        (unmet("jax", "scipy", ">=1.11", "1.5"), "jax", True),
        (unmet("jax", "jaxlib", ">=0.4", "0.3"), "jax", False),
        (unmet("keras", "h5py", ">=3.10", "3.1"), "keras", False),
        # NumPy 2 with what was made for NumPy 1 is another rule's; NumPy 1 that is too old is this one's.
        (unmet("tensorflow", "numpy", ">=1.26,<2", "2.1.0"), "tensorflow", False),
        (unmet("tensorflow", "numpy", ">=1.26,<2", "1.20"), "tensorflow", True),
        # So is a NumPy 2 that is too old: nothing of NumPy 1 is asked for.
        (unmet("jax", "numpy", ">=2.1", "2.0.0"), "jax", True),
        (unmet("jax", "numpy", "<2", "2.0.0"), "jax", False),
        (unmet("jax", "numpy", ">=2.1", "1.26"), "jax", True),
    ],
)
def test_which_versions_are_told(one, name, told):
    (fires if told else quiet)("dependency-version", **of_version(one, name))


@pytest.mark.parametrize(("where", "plans"), [("PYTHONPATH", False), ("user site", True)])
def test_a_copy_of_pythonpath_is_by_hand_and_what_follows_from_it_too(where, plans):
    """Installing another one into the environment changes nothing: it is not the one that is imported."""
    one = unmet("jax", "numpy", ">=2.1", "1.26")
    shadow = Shadow(module="numpy", path="/home/ada/lib/numpy", where=where)
    sections = {**of_version(one, "jax"), "interpreter": interpreter(shadows=(shadow,))}
    rules = tuple(rule_of(name) for name in ("dependency-version", "py-name-shadow"))
    judged = diagnose(Snapshot(**sections), load_matrix(), rules)
    assert any("PYT017" in mending.cures for mending in plan_of(judged).fixes) is plans
    assert {one.code for one in judged.findings} >= {"PYT017"}


def test_what_is_said_of_a_version():
    found = fires("dependency-version", **of_version(unmet("tensorflow", "six", ">=1.12", "1.11")))
    assert "needs six >=1.12, but 1.11 is installed." in found.summary
    assert [(one.fact, one.value) for one in found.evidence] == [("tensorflow needs", "six>=1.12"), ("six", "1.11")]
    quiet("dependency-version", **of_version(unmet("tensorflow", "six", ">=1.12", "1.11"), installer="conda"))


def test_a_version_beside_those_that_say_nothing():
    wanted = (unmet("vllm", "six", ">=1", "0.1"), unmet("torch", "sympy", ">=1", None), OLD_TYPING)
    has = packages("jax==1", "torch==2.6.0", unmet=wanted)
    found = judge("dependency-version", **stack(frameworks=frameworks(JAX, torch()), packages=has))
    assert [one.subject for one in found] == ["torch"]


def test_another_framework_that_works_proves_nothing():
    machine = of_version(OLD_TYPING, "torch", "2.6.0")
    quiet("dependency-version", **machine, live=proved("torch"))
    assert fires("dependency-version", **machine, live=proved("jax")).severity == "warning"
    text = "cannot import name 'TypeIs' from 'typing_extensions' (x)"
    assert fires("dependency-version", **machine, live=failed("jax", text)).severity == "warning"
    assert fires("dependency-version", **machine, live=failed("torch", text)).severity == "error"


# package-without-record


def test_what_is_said_of_files_without_a_record():
    stray = structs.replace(torch("2.6.0+cu124"), dist=None, location=f"{SITE}/torch")
    on = interpreter(site_dirs=(SITE,))

    def here(framework, has=None, python=on):
        return stack(on=python, frameworks=frameworks(framework), packages=has or Packages())

    found = fires("package-without-record", **here(stray))
    assert (found.evidence[0].fact, found.evidence[0].value) == ("files", f"{SITE}/torch")
    windows = interpreter(site_dirs=("C:\\env\\Lib\\site-packages",))
    fires(
        "package-without-record",
        **here(structs.replace(stray, location="C:\\env\\Lib\\site-packages\\torch"), None, windows),
    )
    for other in (
        structs.replace(stray, dist="torch"),
        structs.replace(stray, location=None),
        structs.replace(stray, name="torchvision"),
    ):
        quiet("package-without-record", **here(other))
    quiet("package-without-record", **here(stray, packages("torch==2.6.0")))


def test_files_of_what_no_framework_needs():
    stray = unmet("vllm", "six", "", files=f"{SITE}/six.py")
    whole = unmet("jax", "six", "")
    for one in (stray, whole):
        has = packages("jax==0.10.2", unmet=(one,))
        quiet("package-without-record", **stack(frameworks=frameworks(JAX), packages=has))
