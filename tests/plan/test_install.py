"""Install plans: known wishes by hand, then for any machine and wish."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from gpudoctor.facts.fix import Run
from gpudoctor.facts.plan import InstallPlan, Place
from gpudoctor.facts.python import Package, Packages
from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.offer_types import Extension
from gpudoctor.plan.demand import Demand, NotADemand, parse_demand, together
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.install import Refused, plan_install
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.steps import moved
from tests.plan.test_solve_properties import CAPABILITIES, DRIVERS, FRAMEWORKS, SPECIFIERS, machines, meets_everything

MATRIX = load_matrix()
WINDOWS, MACOS, ARM = "windows-x86_64", "macos-arm64", "linux-aarch64"
NEW = Place(python="python3.12", venv="env")
OWN = Place(python="/env/bin/python", version="3.12")
BUILD = "torch==2.14.1+cu126"
CU126 = "https://download.pytorch.org/whl/cu126"
GLIBC = {"libc": "glibc", "libc_version": LibraryVersion("2.35")}


def where(driver="580.65.06", *gpus, python="3.12", platform="linux-x86_64", **facts):
    libc = GLIBC if platform.startswith("linux") else {}
    return Machine(
        driver=driver and DriverRelease(driver),
        capabilities=tuple(map(Capability, gpus)),
        python=python,
        platform=platform,
        **{**libc, **facts},
    )


def planned(machine, words, cuda=None, place=NEW, **options):
    return plan_install(machine, parse_demand(tuple(words.split()), cuda), MATRIX, place=place, **options)


def commands(plan):
    return [" ".join(step.argv) for step in plan.steps if isinstance(step, Run)]


def builds(plan):
    return [choice.build for one in (plan, *plan.apart) for choice in one.choices]


ADA, PASCAL, BLACKWELL, HOPPER, TURING = "8.9", "6.1", "12.0", "9.0", "7.5"


@pytest.mark.parametrize(
    ("machine", "words", "install"),
    [
        (where("580.65.06", ADA), "torch", "torch==2.15.0"),
        (
            where("535.54", ADA),
            "torch torchvision",
            f"torch==2.14.1+cu126 torchvision==0.29.1+cu126 --index-url {CU126}",
        ),
        # xformers is built for CUDA 12 only.
        (
            where("580.65.06", ADA),
            "torch xformers",
            f"torch==2.14.1+cu126 xformers==0.0.35 --extra-index-url {CU126}",
        ),
        (where("580.65.06", ADA), "xformers==0.0.30", "torch==2.7.0 xformers==0.0.30"),
        (where("580.65.06", ADA), "torch triton", "torch==2.15.0 triton~=3.9.0"),
        (where("580.65.06", ADA), "torch cupy onnxruntime-gpu bitsandbytes", "cupy-cuda13x==14.2.0"),
        (where("535.54", ADA), "cupy onnxruntime-gpu", "onnxruntime-gpu==1.26.0 cupy-cuda12x==14.2.0"),
        (
            where("535.54", ADA),
            "tensorflow keras tf-keras",
            "tensorflow[and-cuda]==2.20.0 keras>=3.10.0 tf-keras==2.20.1",
        ),
        (where("535.54", ADA), "keras", "tensorflow[and-cuda]==2.20.0 keras>=3.10.0"),
        (where("535.54", ADA), "jax keras", f"jax[cuda12]=={MATRIX.newest('jax')} keras>=3"),
        # NumPy 1 keeps CuPy 14 away.
        (where("450.80.02", "8.0", python="3.9"), "torch==2.0.1 cupy", "cupy-cuda11x==13.6.0"),
        # GH200.
        (where("570.124.06", HOPPER, platform=ARM), "torch", f"torch==2.14.1+cu126 --index-url {CU126}"),
        (where(None, cpu_only=True), "torch", "torch==2.15.0+cpu --index-url https://download.pytorch.org/whl/cpu"),
        (where(None, cpu_only=True), "tensorflow", "tensorflow-cpu==2.21.0"),
        # tf-keras requires tensorflow by that name.
        (where(None, cpu_only=True), "tensorflow==2.20.0 tf-keras", "install tensorflow==2.20.0"),
        (where(None, platform=MACOS), "torch", "torch==2.15.0"),
        (where("580.97", ADA, platform=WINDOWS), "torch", "torch==2.15.0+cu132 --index-url"),
    ],
)
def test_what_is_installed(machine, words, install):
    plan = planned(machine, words)
    assert isinstance(plan, InstallPlan), plan
    assert install in " ".join(commands(plan)), commands(plan)


@pytest.mark.parametrize(
    ("machine", "words", "constraint", "said"),
    [
        (where("580.65.06", ADA, python="3.13"), "tensorflow==2.10.*", "python", "no wheel for Python 3.13"),
        (where("580.65.06", TURING), "torch flash-attn", "companion", "No flash-attn is known"),
        (where("580.65.06", ADA), "torch keras<3", "companion", "runs on TensorFlow only"),
        (where("580.65.06", ADA), "tensorflow keras<3", "companion", "needs keras>=3"),
        (where("580.65.06", ADA), "torch triton<3", "companion", "needs triton~="),
        (where("580.97", ADA, platform=WINDOWS), "torch triton", "companion", "no wheel for windows"),
        (where(None, cpu_only=True), "onnxruntime-gpu", "companion", "needs a build with CUDA"),
        # No wheel of any release there (an installer's own answer).
        (
            where(None, python="3.9", platform=ARM, cpu_only=True),
            "torch triton",
            "companion",
            "no wheel for Python 3.9",
        ),
        (where("535.54", ADA, python="3.7"), "onnxruntime-gpu", "companion", "No onnxruntime-gpu is known"),
        (where(None, "8.7", platform=ARM, tegra="R36"), "torch", "platform", "Jetson"),
        (where("580.97", ADA, platform=WINDOWS), "jax", "platform", "no GPU build for native Windows"),
        (where("470.256.02", ADA), "torch xformers==0.0.35", None, "Driver"),
    ],
)
def test_what_is_refused_names_its_constraint(machine, words, constraint, said):
    found = planned(machine, words)
    assert isinstance(found, Refused)
    assert constraint is None or found.refusals[0].constraint == constraint
    assert said in found.text
    assert all(refusal.ways for refusal in found.refusals)


def test_a_cuda_that_is_asked_for():
    assert builds(planned(where("580.65.06", ADA), "torch", "12.6")) == ["torch 2.14.1+cu126"]
    assert builds(planned(where("580.65.06", ADA), "torch", "12.1")) == ["torch 2.5.1+cu121"]
    assert builds(planned(where("580.65.06", ADA), "torch", "cpu")) == ["torch 2.15.0+cpu"]
    assert builds(planned(where("580.65.06", ADA), "tensorflow", "12.6")) == ["tensorflow[and-cuda] 2.20.0"]
    refused = planned(where("580.65.06", ADA), "torch", "9.9")
    assert isinstance(refused, Refused)
    assert "CUDA 9.9 is asked for" in refused.text


def test_gpus_of_which_no_build_serves_all():
    plan = planned(where("580.65.06", BLACKWELL, PASCAL), "torch")
    assert builds(plan) == ["torch 2.15.0+cu132"]
    assert plan.leaves_out == ("compute capability 6.1",)
    assert "No build serves every GPU" in plan.notes[0]
    both = planned(where("580.65.06", ADA, PASCAL), "torch")
    assert both.leaves_out == ()
    assert builds(both) == ["torch 2.14.1+cu126"]


def test_frameworks_that_cannot_share_get_environments_of_their_own():
    plan = planned(where("580.65.06", PASCAL), "torch tensorflow<2.20")
    assert [one.place.venv for one in (plan, *plan.apart)] == ["env", "env-tensorflow"]
    assert "nvidia-cuda-runtime" in plan.separate_because
    conda = planned(
        where("580.65.06", PASCAL), "torch tensorflow<2.20", place=Place(manager="conda", python="", conda="ai")
    )
    assert [one.place.conda for one in (conda, *conda.apart)] == ["ai", "ai-tensorflow"]


def test_wsl_has_the_numbers_of_windows():
    """Driver 528.33 of Windows is branch 525 and starts CUDA 12; on Linux 528 would be no branch at all."""
    plan = planned(where("528.33", ADA, wsl=True), "torch")
    assert builds(plan) == ["torch 2.14.1+cu126"]
    assert "527.41" in " ".join(plan.choices[0].why)
    assert any("Windows driver" in cost for one in plan.alternatives for cost in one.costs)


def test_alternatives_say_what_they_cost():
    plan = planned(where("535.54", ADA), "torch")
    costs = {one.build: one.costs for one in plan.alternatives}
    assert costs["torch 2.15.0+cu132"] == ("driver >= 580.65.06 in place of 535.54", "a restart")
    old = planned(where("535.54", ADA, python="3.9"), "torch")
    assert any("Python 3.10 in place of 3.9" in one.costs for one in old.alternatives)


def test_without_root_a_driver_comes_last_and_is_the_administrators():
    plan = planned(where("535.54", ADA), "torch", can_be_root=False)
    assert "by an administrator" in plan.alternatives[-1].costs[0]
    assert not any("driver" in cost for one in plan.alternatives[:-1] for cost in one.costs)
    assert not any(word in " ".join(commands(plan)) for word in ("apt", "sudo", "driver"))


# The tools.


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (NEW, ["python3.12 -m venv env", "env/bin/python -m pip install torch==2.14.1+cu126 --index-url " + CU126]),
        (
            Place(manager="uv", python="3.12", venv="env"),
            [
                "uv venv --python 3.12 env",
                f"uv pip install --python env/bin/python torch==2.14.1+cu126 --index {CU126}",
            ],
        ),
        (
            Place(manager="conda", python="python", conda="ai", version="3.12"),
            [
                "conda create --yes --name ai --override-channels --channel conda-forge python=3.12 pip",
                f"conda run --no-capture-output --name ai python -m pip install {BUILD} --index-url {CU126}",
            ],
        ),
        (
            Place(manager="micromamba", python="python", conda="./ai", version="3.12"),
            [
                "micromamba create --yes --prefix ./ai --override-channels --channel conda-forge python=3.12 pip",
                f"micromamba run --prefix ./ai python -m pip install torch==2.14.1+cu126 --index-url {CU126}",
            ],
        ),
        (OWN, [f"/env/bin/python -m pip install torch==2.14.1+cu126 --index-url {CU126}"]),
    ],
)
def test_the_commands_of_each_tool(place, expected):
    assert commands(planned(where("535.54", ADA), "torch", place=place)) == expected


def test_uv_looks_at_every_index():
    plan = planned(where("535.54", ADA), "torch tensorflow", place=Place(manager="uv", python="3.12", venv="env"))
    assert commands(plan)[1].endswith(f"--index {CU126} --index-strategy unsafe-best-match")


def test_indexes_of_the_user():
    plan = planned(where("535.54", ADA), "torch", indexes=Indexes(main="https://in.house/simple"))
    assert commands(plan)[1].endswith(
        f"torch==2.14.1+cu126 --index-url https://in.house/simple --extra-index-url {CU126}"
    )
    mirror = planned(where("535.54", ADA), "torch", indexes=Indexes(torch="https://in.house/whl/"))
    assert commands(mirror)[1].endswith("torch==2.14.1+cu126 --index-url https://in.house/whl/cu126")


def test_the_same_plan_in_another_place():
    plan = planned(where("535.54", ADA), "torch flash-attn")
    elsewhere = moved(plan, Place(python="python3.12", venv="/tmp/beside", version="3.12"))
    assert commands(elsewhere) == [
        text.replace("env/bin", "/tmp/beside/bin").replace("venv env", "venv /tmp/beside") for text in commands(plan)
    ]
    assert elsewhere.requirements == plan.requirements


def test_what_is_compiled_comes_after_and_not_from_the_index_of_torch():
    *_, tools, last = commands(planned(where("535.54", ADA), "torch flash-attn"))
    assert tools == "env/bin/python -m pip install packaging ninja setuptools wheel"
    assert last == "env/bin/python -m pip install --no-build-isolation flash-attn==2.8.3.post2"


# What is there already.


def holding(*texts):
    return Packages(installed=tuple(Package(name=n, version=v) for n, v in (text.split("==") for text in texts)))


@pytest.mark.parametrize(
    ("present", "words", "removed"),
    [
        (("torch==2.14.1+cpu",), "torch", ("torch",)),
        (("torch==2.14.1+cu126", "torchvision==0.29.1+cpu"), "torch torchvision", ("torchvision",)),
        (("torch==2.6.0+cu124",), "torch", ()),
        (("tensorflow-cpu==2.20.0",), "tensorflow", ("tensorflow-cpu",)),
        (("tensorflow==2.20.0", "tensorflow-intel==2.20.0"), "tensorflow", ("tensorflow-intel", "tensorflow")),
        # Both own libcudnn.so.9: taking one away takes files of the other.
        (
            ("nvidia-cudnn-cu13==9.1", "nvidia-cudnn-cu12==9.1", "nvidia-nccl-cu13==2"),
            "torch",
            ("nvidia-cudnn-cu13", "nvidia-nccl-cu13", "nvidia-cudnn-cu12"),
        ),
    ],
)
def test_what_must_leave_first(present, words, removed):
    plan = planned(where("535.54", ADA), words, place=OWN, packages=holding(*present))
    assert plan.removed == removed
    assert bool(plan.remove) == bool(removed)
    assert planned(where("535.54", ADA), words, packages=holding(*present)).removed == (), "a new environment is empty"


def test_a_framework_that_stays_and_needs_another_cuda_is_no_neighbour():
    has = holding("jax-cuda12-plugin==0.6.2", "jax==0.6.2")
    refused = planned(where("580.65.06", ADA), "torch", place=OWN, packages=has)
    assert isinstance(refused, Refused)
    assert refused.refusals[0].constraint == "pins"
    both = planned(where("580.65.06", ADA), "torch jax", place=OWN, packages=has)
    assert isinstance(both, InstallPlan)


def test_tensorflow_beside_torch_is_seen_by_what_only_it_brings():
    has = holding("tensorflow==2.20.0", "torch==2.14.1+cu126", "nvidia-cudnn-cu12==9.10", "nvidia-cuda-nvcc-cu12==12.9")
    refused = planned(where("580.65.06", ADA), "torch", place=OWN, packages=has)
    assert isinstance(refused, Refused)
    assert "tensorflow is installed here" in refused.text
    assert isinstance(planned(where("580.65.06", ADA), "torch", "12.6", place=OWN, packages=has), InstallPlan)


def test_a_cuda_that_is_named_is_for_a_gpu_that_is_not_seen():
    nowhere = where(None, cpu_only=True)
    plan = planned(nowhere, "torch", "12.6")
    assert builds(plan) == ["torch 2.14.1+cu126"]
    assert "was not judged" in " ".join(plan.notes)
    assert "--cuda" in " ".join(planned(nowhere, "torch").notes)
    assert "--cuda" not in " ".join(planned(nowhere, "torch", "cpu").notes)


def test_an_extra_that_keeps_torch_back_is_named():
    assert any(
        "xformers is made for these only" in note for note in planned(where("580.65.06", ADA), "torch xformers").notes
    )


# Words.


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pytoch",), "Did you mean"),
        (("xyzzy",), "Known are torch"),
        (("torch>3,<2",), "No version can be"),
        (("torch @ https://x.example/t.whl",), "give a version"),
        (("torch=2",), "torch==2.6.0"),
        (("",), "torch"),
    ],
)
def test_words_that_are_no_wish(words, said):
    with pytest.raises(NotADemand, match=re.escape(said)):
        parse_demand(words)


def test_a_cuda_that_is_none():
    with pytest.raises(NotADemand, match=r"12\.6"):
        parse_demand(("torch",), "twelve")


def test_the_processor_builds_name_is_a_wish_for_the_processor():
    assert parse_demand(("tensorflow-cpu",)).cpu_only
    assert not parse_demand(("tensorflow-cpu", "torch")).cpu_only


def test_two_demands_in_one():
    both = together(parse_demand(("torch>=2.6",)), parse_demand(("torchvision", "jax", "torch<2.9")))
    assert both.wanted[0].specifier == ">=2.6,<2.9"
    assert both.wanted[0].companions == (("torchvision", ""),)
    assert [one.framework for one in both.wanted] == ["torch", "jax"]
    assert together(Demand(), Demand()) == Demand()


# Any machine, any wish.

EXTRAS = ("", "keras", "xformers", "cupy", "onnxruntime-gpu", "triton", "bitsandbytes", "torchvision", "flash-attn")
words = st.builds(
    lambda names, extra: " ".join(filter(None, (*names, extra))),
    st.lists(
        st.builds(
            lambda name, specifier: f"{name}{specifier}", st.sampled_from(FRAMEWORKS), st.sampled_from(SPECIFIERS)
        ),
        min_size=1,
        max_size=2,
        unique_by=lambda text: re.split("[<>=!]", text)[0],
    ),
    st.sampled_from(EXTRAS),
)
PLACE = Place(python="python3", venv="env")


def understood(text):
    try:
        return parse_demand(tuple(text.split()))
    except NotADemand:
        return None


def check_extension(name, version, torch, machine):
    """The row of the table, read plainly."""
    rows = [
        row
        for row in MATRIX.table("extensions")
        if isinstance(row, Extension) and (row.dist or row.package) == name and version in row.versions
    ]
    for row in rows:
        suits = machine.python is None or SpecifierSet(row.requires_python).contains(f"{machine.python}.99")
        suits = suits and (machine.platform in row.platforms)
        if torch is not None:
            suits = suits and Version(torch.version) in SpecifierSet(row.torch)
            suits = suits and (not row.cuda or int(torch.cuda.split(".")[0]) in row.cuda)
        if suits:
            return True
    return not rows


@settings(max_examples=150, derandomize=True)
@given(machines, words)
def test_a_plan_meets_every_constraint_and_a_refusal_names_one(machine, text):
    demand = understood(text)
    if demand is None:
        return
    found = plan_install(machine, demand, MATRIX, place=PLACE)
    if isinstance(found, Refused):
        assert all(refusal.constraint and refusal.text.endswith(".") for refusal in found.refusals)
        return
    served = [gpu for index, gpu in enumerate(machine.capabilities) if machine.label(index) not in found.leaves_out]
    part = machine.with_only(
        tuple(i for i in range(len(machine.capabilities)) if machine.label(i) not in found.leaves_out)
    )
    assert bool(served) == bool(machine.capabilities), "never all of them left out"
    wanted = {one.framework: one for one in demand.wanted}
    chosen = {choice.framework: choice for one in (found, *found.apart) for choice in one.choices}
    assert set(chosen) == set(wanted)
    for choice in chosen.values():
        assert Version(choice.version) in SpecifierSet(wanted[choice.framework].specifier)
        assert any(meets_everything(choice, row, part) for row in _rows(choice)), (choice.build, machine)
    for one in (found, *found.apart):
        majors = {choice.cuda.split(".")[0] for choice in one.choices if choice.cuda}
        assert len(majors) <= 1
        torch = next((choice for choice in one.choices if choice.framework == "torch"), None)
        for requirement in map(Requirement, one.requirements):
            version = str(requirement.specifier).removeprefix("==")
            assert check_extension(requirement.name, version, torch if torch and torch.cuda else None, machine)
        names = [Requirement(text).name for text in one.requirements]
        assert len(names) == len(set(names)), "nothing is asked for twice"


def _rows(choice):
    if choice.framework == "torch":
        return [row for row in MATRIX.torch_builds(choice.version) if row.variant == choice.variant]
    if choice.framework == "jax":
        variant = "cuda12" if choice.cuda is None else choice.variant
        return [row for row in MATRIX.jax_builds(choice.version) if row.variant == variant]
    return MATRIX.tensorflow_builds(choice.version, None, choice.build.split("[")[0].split()[0])


@settings(max_examples=100, derandomize=True)
@given(
    machines,
    st.sampled_from(FRAMEWORKS),
    st.sampled_from(EXTRAS),
    st.sampled_from(CAPABILITIES),
    st.sampled_from(DRIVERS),
)
def test_another_constraint_never_makes_a_plan_newer(machine, name, extra, gpu, driver):
    from msgspec.structs import replace

    def newest(where, text, cuda=None):
        found = plan_install(where, parse_demand(tuple(text.split()), cuda), MATRIX, place=PLACE)
        if isinstance(found, Refused) or found.leaves_out:
            return None
        chosen = {c.framework: Version(c.version) for one in (found, *found.apart) for c in one.choices}
        return chosen.get(name)

    before = newest(machine, name)
    more = [
        newest(replace(machine, capabilities=(*machine.capabilities, Capability(gpu)), gpu_names=()), name),
        newest(replace(machine, driver=machine.driver or DriverRelease(driver)), name),
        newest(machine, f"{name} {extra}"),
        newest(machine, name, "12"),
    ]
    for after in more:
        assert after is None or (before is not None and after <= before)


@pytest.mark.parametrize(
    ("installed", "words", "install"),
    [
        # What is there goes along, at the release that pairs: the one for 2.6 does not load beside another torch.
        (["torch==2.6.0+cpu", "torchvision==0.21.0+cpu"], "torch<2.9", "torch==2.8.0 torchvision==0.23.0"),
        (["torchaudio==2.6.0"], "torch<2.9 torchvision", "torch==2.8.0 torchvision==0.23.0 torchaudio==2.8.0"),
        (["torch==2.6.0+cpu"], "torch<2.9", "torch==2.8.0"),
        (["torchvision==0.21.0+cpu"], "tensorflow<2.19", "tensorflow[and-cuda]==2.18.1"),
        # No torchaudio was made for that release: then it stays as it is.
        (["torchaudio==2.6.0"], "torch==1.1.0", "torch==1.1.0"),
    ],
)
def test_companions_that_are_there_go_along(installed, words, install):
    machine = where("580.65.06", TURING, python="3.7" if "1.1.0" in words else "3.12")
    there = Packages(installed=tuple(Package(name=one.split("==")[0], version=one.split("==")[1]) for one in installed))
    place = structs.replace(OWN, version=machine.python)
    plan = planned(machine, words, place=place, packages=there)
    assert " ".join(plan.requirements).replace("+cu126", "").replace("+cu100", "").startswith(install)
    by_conda = Packages(installed=tuple(structs.replace(one, installer="conda") for one in there.installed))
    plan = planned(machine, words, place=place, packages=by_conda)
    assert not any(one.startswith("torchaudio") for one in plan.requirements)


def test_a_patch_release_of_what_was_asked_for_is_the_nearest():
    """2.15.0 asks for TensorRT packages that cannot be had; 2.15.1 is the same release without."""
    found = planned(where("550.54.15", ADA, python="3.11"), "tensorflow==2.15")
    assert isinstance(found, Refused)
    assert found.refusals[0].ways[0].obstacles[0].change in ("tensorflow==2.15.1", "tensorflow==2.15.0.post1")


@pytest.mark.parametrize("python", [None, "3.11", "3.12"])
def test_other_ways_agree_with_the_plan(python):
    """What does not share the environment with the rest of the plan is no way; a newer release is not called older."""
    plan = planned(where("580.65.06", "8.6", python=python), "torch tensorflow jax")
    shared = {choice.cuda.split(".")[0] for choice in plan.choices}
    assert shared == {"12"}
    assert not [one.build for one in plan.alternatives if "cu13" in one.build or "cuda13" in one.build]
