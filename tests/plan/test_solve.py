"""The solver: known machines by hand; the rest is in test_solve_properties."""

from unittest.mock import ANY

import pytest
from msgspec.structs import replace

from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion, package_version
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Fit, Wanted
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.constraints import Obstacle
from gpudoctor.plan.glibc import glibc_floor, has_glibc_floor, oldest_current_glibc
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit
from gpudoctor.plan.specifiers import agree
from gpudoctor.plan.unsat_reasons import cost, distance
from gpudoctor.plan.wheels import has_wheel

MATRIX = load_matrix()
#: The newest torch of the package index that torchvision and torchaudio go with.
TRIO = next(row for row in MATRIX.torch_builds() if row.torchaudio and "linux-x86_64" in row.default_on)
TRIO_ASKED = f"torch=={TRIO.version} torchvision=={TRIO.torchvision} torchaudio=={TRIO.torchaudio}"
INDEX = "https://download.pytorch.org/whl"
WINDOWS, MACOS, ARM = "windows-x86_64", "macos-arm64", "linux-aarch64"


def where(driver=None, *gpus, python="3.12", platform="linux-x86_64", **facts):
    return Machine(
        driver=driver and DriverRelease(driver),
        capabilities=tuple(map(Capability, gpus)),
        python=python,
        platform=platform,
        **facts,
    )


def wish(*texts):
    names = ((text, *[text.partition(sign)[0] for sign in "=<>~!" if sign in text]) for text in texts)
    wanted = []
    for text, *cut in names:
        name = min([text, *cut], key=len)
        wanted.append(Wanted(framework=name, specifier=text[len(name) :]))
    return tuple(wanted)


def builds(found: Fit):
    return [one.build for environment in found.environments for one in environment.proposals]


def the_one(found: Fit):
    (environment,) = found.environments
    (proposal,) = environment.proposals
    return proposal


RTX_3090, RTX_4090, H100, RTX_5090, PASCAL, V100, K80, T4, GB10, B200, A100 = (
    "8.6", "8.9", "9.0", "12.0", "6.1", "7.0", "3.7", "7.5", "12.1", "10.0", "8.0",
)  # fmt: skip

OLD_GLIBC = {"libc": "glibc", "libc_version": LibraryVersion("2.17")}
TORCH_12, TENSORFLOW, JAX_12 = (
    "torch 2.14.1+cu126",
    "tensorflow[and-cuda] 2.20.0",
    f"jax[cuda12] {MATRIX.newest('jax')}",
)
ON_CPU = ["torch 2.15.0+cpu", "tensorflow-cpu 2.21.0", f"jax {MATRIX.newest('jax')}"]


@pytest.mark.parametrize(
    ("machine", "build", "next_one", "constraint", "change"),
    [
        (where("535.54", RTX_3090), "torch 2.14.1+cu126", "torch 2.15.0+cu132", "driver", "driver >= 580.65.06"),
        (where("535.54", RTX_4090), "torch 2.14.1+cu126", "torch 2.15.0+cu132", "driver", "driver >= 580.65.06"),
        (where("525.60.13", RTX_3090), "torch 2.14.1+cu126", "torch 2.15.0+cu132", "driver", "driver >= 580.65.06"),
        (where("550.54.14", H100), "torch 2.14.1+cu126", "torch 2.15.0+cu132", "driver", "driver >= 580.65.06"),
        (where("570.124.06", RTX_5090), "torch 2.11.0+cu128", None, "driver", "driver >= 580.65.06"),
        (where("580.65.06", PASCAL), "torch 2.14.1+cu126", "torch 2.15.0+cu132", "gpu", None),
        (where("580.65.06", V100), "torch 2.14.1+cu126", "torch 2.15.0+cu132", "gpu", None),
                (where("450.80.02", T4, python="3.9"), "torch 2.7.1+cu118", None, "driver", "driver >= 525.60.13"),
        (where("440.100", T4, python="3.9"), "torch 1.12.1+cu102", None, "driver", "driver >= 450.80.02"),
        (where("580.95.05", GB10, platform=ARM), "torch 2.15.0+cu132", None, None, None),
        (where("610.43.02", B200), "torch 2.15.0+cu132", None, None, None),
        (where("610.43.02", B200, python="3.10"), "torch 2.14.1+cu130", None, "python", "Python 3.11 to 3.15"),
        (where("580.65.06", RTX_4090, **OLD_GLIBC), "torch 2.6.0+cu124", None, "libc", "glibc >= 2.28"),
    ],
)  # fmt: skip
def test_torch(machine, build, next_one, constraint, change):
    proposal = the_one(fit(machine, wish("torch"), MATRIX))
    assert proposal.build == build
    assert {"gpu", "python"} <= {reason.constraint for reason in proposal.why}
    if constraint is None:
        assert proposal.why_not_newer is None
        return
    found = proposal.why_not_newer
    assert next_one in (None, found.build)
    first, *more = found.obstacles
    assert (first.constraint, change and first.change) == (constraint, change)
    assert {one.constraint for one in more} <= {"index"}


@pytest.mark.parametrize(
    ("platform", "release", "python", "asked", "build"),
    [
        ("macos-arm64", "14.0", "3.12", "torch", "torch 2.15.0+cpu"),
        ("macos-arm64", "13.7.8", "3.12", "torch", "torch 2.8.0+cpu"),
        ("macos-arm64", "12.7", "3.12", "torch", "torch 2.4.1+cpu"),
        ("macos-arm64", "11.6", "3.12", "torch", "torch 2.11.0+cpu"),
        # No release for this Python uses the GPU there.
        ("macos-arm64", "13.7.8", "3.14", "torch<2.11", "torch 2.9.1+cpu"),
        ("macos-arm64", "26.1", "3.12", "torch tensorflow", "torch 2.15.0+cpu"),
        ("macos-arm64", "12.7", "3.12", "tensorflow", "tensorflow 2.21.0"),
        ("macos-arm64", "11.0", "3.12", "jax", f"jax {MATRIX.newest('jax')}"),
        ("macos-x86_64", "10.14", "3.10", "tensorflow", "tensorflow 2.11.1"),
        ("macos-x86_64", "10.15", "3.10", "tensorflow", "tensorflow 2.16.2"),
        ("macos-x86_64", "10.9", "3.12", "torch", "torch 2.2.2+cpu"),
        ("macos-x86_64", "10.15", "3.12", "jax", "jax 0.4.38"),
    ],
)
def test_no_wheel_is_offered_that_this_macos_cannot_take(platform, release, python, asked, build):
    machine = where(platform=platform, python=python, macos=LibraryVersion(release))
    found = fit(machine, wish(*asked.split()), MATRIX)
    assert found.environments[0].proposals[0].build == build
    assert "macOS release" not in found.not_judged
    assert "macOS release" in fit(replace(machine, macos=None), wish(*asked.split()), MATRIX).not_judged


def test_the_newer_build_of_the_same_kind_is_not_left_unsaid():
    _, same = the_one(fit(where("535.54", RTX_4090), wish("torch"), MATRIX)).why_not_newer.obstacles
    assert same.text == "torch 2.15.0+cu126 would fit, but no download index is known to offer it"


@pytest.mark.parametrize(
    ("machine", "asked", "framework", "constraint", "changes"),
    [
        (where("440.100", T4), "torch", "torch", "driver", ["driver >= 525.60.13", "Python 3.7 to 3.10"]),
        (where("535.54", RTX_5090), "torch", "driver", "driver", ["driver branch 570 or newer"]),
        (where("580.65.06", K80), "torch", "driver", "driver", ["driver branch 470, the last that serves it"]),
        (where("570.124.06", RTX_5090), "torch==2.6.0", "torch", "gpu", ["torch==2.11.0"]),
        (where("580.65.06", PASCAL), "torch==2.9.1+cu130", "torch", "gpu", ["torch==2.9.1"]),
        (where("580.65.06", A100), "torch==99", "torch", "version", ["torch==2.15.0"]),
        (where("580.65.06", A100, python="3.16"), "tensorflow", "tensorflow", "python", None),
        (where("580.65.06", A100, libc="musl"), "torch", "torch", "libc", ["a system with glibc"]),
        (where("580.65.06", A100, platform=WINDOWS), "jax", "jax", "platform", ["WSL 2, which is linux-x86_64"]),
        (where("580.65.06", A100, platform="windows-aarch64"), "torch", "torch", "platform", None),
        (where("530.30.02", A100, platform=ARM), "tensorflow", "tensorflow", "platform", ["linux-x86_64"]),
        (where(platform="macos-x86_64"), "jax>=0.5", "jax", "platform", None),
        (where(platform=MACOS, macos=LibraryVersion("13.6")), "torch==2.15.0", "torch", "macos", ["torch==2.11.0"]),
        (where(platform=MACOS, macos=LibraryVersion("11.7")), "tensorflow", "tensorflow", "macos", ["macOS >= 12.0"]),
    ],
)  # fmt: skip
def test_refusals_name_the_constraint_and_the_change(machine, asked, framework, constraint, changes):
    found = fit(machine, wish(asked), MATRIX)
    assert found.environments == ()
    (refusal,) = found.refusals
    assert (refusal.framework, refusal.constraint) == (framework, constraint)
    if changes is not None:
        assert [one.change for way in refusal.ways for one in way.obstacles][: len(changes)] == changes


def test_windows_tensorflow_ends_at_2_10():
    old = the_one(fit(where("528.33", RTX_3090, python="3.10", platform=WINDOWS), wish("tensorflow"), MATRIX))
    assert old.build == "tensorflow 2.10.1"
    assert "native Windows after 2.10" in old.why_not_newer.obstacles[0].text
    assert any("CUDA 11.2 and cuDNN 8.1" in limit for limit in old.limits)
    (refusal,) = fit(where("580.65.06", RTX_3090, platform=WINDOWS), wish("tensorflow"), MATRIX).refusals
    assert [way.obstacles[0].change for way in refusal.ways] == ["Python 3.7 to 3.10", "WSL 2, which is linux-x86_64"]


def test_kepler_ends_where_its_cudnn_does():
    proposal = the_one(fit(where("470.256.02", K80, python="3.9"), wish("torch"), MATRIX))
    assert proposal.build == "torch 2.3.1+cu118"
    assert {one.constraint for one in proposal.why_not_newer.obstacles} == {"cudnn"}


def test_several_gpus_that_no_build_serves():
    (refusal,) = fit(where("580.65.06", RTX_5090, PASCAL), wish("torch"), MATRIX).refusals
    parts = {part.build: (part.serves, part.leaves_out) for part in refusal.partly}
    young, old = ("compute capability 12.0",), ("compute capability 6.1",)
    assert parts == {"torch 2.15.0+cu132": (young, old), "torch 2.14.1+cu126": (old, young)}


def test_several_gpus_that_one_build_serves():
    proposal = the_one(fit(where("580.65.06", T4, RTX_4090, T4), wish("torch"), MATRIX))
    assert proposal.build == "torch 2.15.0+cu132"
    assert sum(reason.constraint == "gpu" for reason in proposal.why) == 3


@pytest.mark.parametrize(
    ("machine", "asked", "together"),
    [
        (where("580.65.06", A100), ("torch", "tensorflow"), [TORCH_12, TENSORFLOW]),
        (where("580.65.06", A100), ("tensorflow", "torch"), [TENSORFLOW, TORCH_12]),
        (where("580.65.06", A100), ("torch", "jax"), ["torch 2.15.0+cu132", f"jax[cuda13] {MATRIX.newest('jax')}"]),
        (where("535.54", A100), ("jax", "tensorflow", "torch"), [JAX_12, TENSORFLOW, TORCH_12]),
        (where(cpu_only=True), ("torch", "tensorflow", "jax"), ON_CPU),
    ],
)  # fmt: skip
def test_one_environment(machine, asked, together):
    found = fit(machine, wish(*asked), MATRIX)
    assert len(found.environments) == 1
    assert found.separate_because is None
    assert builds(found) == together


@pytest.mark.parametrize(
    ("machine", "asked", "because"),
    [
        (where("580.65.06", PASCAL), ("torch", "tensorflow<2.20"), "nvidia-cuda-runtime-cu12"),
        (where("580.65.06", A100), ("torch>=2.15", "tensorflow"), "both own the same files"),
        (where("580.65.06", A100), ("tensorflow<2.20", "jax"), "tensorflow[and-cuda] 2.19.1"),
        (where(python="3.10", cpu_only=True), ("tensorflow<2.14", "torch"), "not known to suit"),
        (where(cpu_only=True), ("tensorflow==2.19.1", "jax>=0.12"), "asks for numpy<2.2.0"),
    ],
)
def test_separate_environments(machine, asked, because):
    found = fit(machine, wish(*asked), MATRIX)
    assert len(found.environments) == 2
    assert because in found.separate_because


@pytest.mark.parametrize(
    ("machine", "wanted", "command"),
    [
        (where("580.65.06", A100), wish("torch"), "python3.12 -m pip install torch==2.15.0"),
        (
            where("535.54", A100),
            wish("torch"),
            f"python3.12 -m pip install torch==2.14.1+cu126 --index-url {INDEX}/cu126",
        ),
        (
            where("580.65.06", A100, platform=WINDOWS),
            wish("torch"),
            f"python -m pip install torch==2.15.0+cu132 --index-url {INDEX}/cu132",
        ),
        (
            where("580.65.06", A100),
            (Wanted(framework="torch", companions=(("torchvision", ""), ("torchaudio", ""))),),
            f"python3.12 -m pip install {TRIO_ASKED}",
        ),
        (
            where("440.100", T4, python="3.9"),
            wish("torch"),
            "python3.9 -m pip install torch==1.12.1 numpy<2",
        ),
        (
            where("441.66", T4, python="3.9", platform=WINDOWS),
            wish("torch"),
            f"python -m pip install torch==1.10.2+cu102 numpy<2 --extra-index-url {INDEX}/cu102",
        ),
        (
            where("580.65.06", PASCAL),
            wish("tensorflow<2.21"),
            "python3.12 -m pip install tensorflow[and-cuda]==2.20.0 nvidia-cudnn-cu12==9.10.2.21",
        ),
        (
            where("470.256.02", T4, python="3.8"),
            wish("tensorflow==2.9.0"),
            "python3.8 -m pip install tensorflow==2.9.0 protobuf>=3.9.2,<3.21",
        ),
        (where(platform=MACOS), wish("torch"), "python3.12 -m pip install torch==2.15.0"),
        (where(cpu_only=True), wish("torch"), f"python3.12 -m pip install torch==2.15.0+cpu --index-url {INDEX}/cpu"),
        (where(cpu_only=True), wish("tensorflow"), "python3.12 -m pip install tensorflow-cpu==2.21.0"),
    ],
)
def test_the_command(machine, wanted, command):
    found = fit(machine, wanted, MATRIX)
    assert " ".join(found.environments[0].command) == command


def test_macos_uses_apples_gpu():
    found = fit(where(platform=MACOS), wish("torch", "tensorflow"), MATRIX)
    torch, tensorflow = found.environments[0].proposals
    assert "MPS" in torch.why[-1].text
    assert "no driver for NVIDIA" in tensorflow.why[-1].text


def test_what_is_not_known_is_said():
    found = fit(where(python=None), wish("torch"), MATRIX)
    assert found.not_judged == ("driver", "GPU", "Python version", "C library")
    (branch, _) = fit(where("580", A100), wish("torch"), MATRIX).not_judged
    assert "branch 580" in branch


def test_jit_is_a_limit():
    proposal = the_one(fit(where("570.124.06", H100, python="3.11"), wish("tensorflow<2.16"), MATRIX))
    assert any("first start is slow" in limit for limit in proposal.limits)


@pytest.mark.parametrize("gpu", [B200, RTX_5090])
@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("tensorflow==2.15.1", "the cuDNN it is made for has no code"),
        ("tensorflow==2.16.2", "compute capability 9.0 alone (sm_90a)"),
        ("tensorflow==2.20.0", "compute capability 9.0 alone (sm_90a)"),
    ],
)
def test_hardly_a_wheel_of_tensorflow_runs_on_blackwell(gpu, asked, reason):
    (refusal,) = fit(where("570.124.06", gpu, python="3.11"), wish(asked), MATRIX).refusals
    assert refusal.constraint == "gpu"
    assert reason in refusal.text
    assert [way.build for way in refusal.ways] == ["tensorflow[and-cuda] 2.21.0", ANY]
    assert refusal.ways[1].obstacles[-1].change == "NVIDIA's container of it, nvcr.io/nvidia/tensorflow"


#: GPU, wish, Python: the release, what is asked for beside it, and whether a link mends it.
MENDED = [
    (RTX_5090, "tensorflow", "3.12", "2.21.0", ("nvidia-cuda-nvcc-cu12>=12.8",), True),
    (B200, "tensorflow", "3.11", "2.21.0", ("nvidia-cuda-nvcc-cu12>=12.8",), True),
    (GB10, "tensorflow", "3.12", "2.21.0", ("nvidia-cuda-nvcc-cu12>=12.9",), True),
    (RTX_4090, "tensorflow==2.21.0", "3.12", "2.21.0", (), True),
    (RTX_4090, "tensorflow", "3.12", "2.20.0", (), False),
    (T4, "tensorflow", "3.13", "2.20.0", (), False),
]


@pytest.mark.parametrize(("gpu", "asked", "python", "release", "beside", "linked"), MENDED)
def test_a_release_that_a_link_mends_comes_after_those_that_need_none(gpu, asked, python, release, beside, linked):
    found = fit(where("580.65.06", gpu, python=python), wish(asked), MATRIX)
    proposal = the_one(found)
    assert (proposal.version, proposal.requirements[1:], bool(proposal.links)) == (release, beside, linked)
    assert all(link.startswith("nvidia/") and to.startswith("nvidia/") for link, to in proposal.links.items())
    assert not any(other.links for other in found.alternatives)


def test_a_release_that_must_be_mended_says_so_and_by_whom_it_is_known():
    proposal = the_one(fit(where("580.65.06", RTX_5090), wish("tensorflow"), MATRIX))
    assert any("libcusolver.so.11" in limit and "link" in limit for limit in proposal.limits)
    assert any("reported by users" in limit for limit in proposal.limits)
    assert not fit(where(cpu_only=True), wish("tensorflow"), MATRIX).environments[0].proposals[0].links


def test_the_same_wheels_run_on_hopper():
    assert the_one(fit(where("570.124.06", H100), wish("tensorflow"), MATRIX)).build


def test_tensorflow_2_14_asks_for_a_tensorrt_that_has_no_python_3_11():
    proposal = the_one(fit(where("450.80.02", T4, python="3.11"), wish("tensorflow"), MATRIX))
    assert proposal.build == "tensorflow 2.13.1"


@pytest.mark.parametrize(
    ("machine", "asked", "text"),
    [
        (where(python="3.13", platform=MACOS), "torch<2.6", "it has no wheel for Python 3.13"),
        (where(python="3.8", platform=WINDOWS, cpu_only=True), "tensorflow==2.13.1", "it has no wheel for Python 3.8"),
    ],
)
def test_a_python_that_one_platform_lacks(machine, asked, text):
    (refusal,) = fit(machine, wish(asked), MATRIX).refusals
    assert text in refusal.text
    assert fit(where(python=machine.python, cpu_only=True), wish(asked), MATRIX).refusals == ()


def test_old_tensorflow_beside_jax():
    found = fit(where(python="3.11", cpu_only=True), wish("tensorflow==2.17.1", "jax==0.4.30"), MATRIX)
    assert "not known to suit" in found.separate_because


def test_wheels_in_words():
    known = the_one(fit(where("580.65.06", A100), wish("torch"), MATRIX)).why[0].text
    open_ = the_one(fit(where("580.65.06", A100, python=None), wish("torch"), MATRIX)).why[0].text
    assert known == "it has a wheel for Python 3.12 on linux-x86_64"
    assert open_ == "it has wheels for Python 3.11 to 3.15 on linux-x86_64"


@pytest.mark.parametrize(
    ("package", "release", "kinds", "floor"),
    [
        ("torch", "2.6.0", ("cu124", "linux-x86_64"), "2.17"),
        ("torch", "0.4.0", ("cu90",), None),
        ("torch", "2.6.0", ("cu126", "linux-x86_64"), "2.28"),
        ("torch", "2.6.0", ("cpu", "linux-aarch64"), "2.28"),
        ("torch", "2.7.0", ("cu118", None), "2.28"),
        ("tensorflow", "2.20.0", ("and-cuda",), "2.17"),
        ("tensorflow", "2.21.0", ("and-cuda",), "2.27"),
        ("jaxlib", "0.5.3", ("cuda12",), "2.17"),
        ("jaxlib", "0.6.2", ("cuda12",), "2.27"),
        ("jaxlib", "0.6.2", ("cpu",), "2.17"),
        ("jaxlib", "0.7.0", ("cpu",), "2.17"),
        ("jaxlib", "0.7.0", ("cuda12",), "2.27"),
        ("jaxlib", "0.7.1", ("cpu",), "2.27"),
        ("nvidia-cudnn-cu12", "9.5.0.50", (), None),
        ("nvidia-cudnn-cu12", "9.5.1.17", (), "2.28"),
        ("nvidia-cudnn-cu12", "9.6.0.74", (), "2.27"),
        ("keras", "3.0", (), None),
        ("torch", "nightly", (), None),
    ],
)
def test_the_c_library_of_wheels(package, release, kinds, floor):
    found = glibc_floor(package, release, MATRIX, *kinds)
    assert (found and str(found)) == floor


def test_the_c_library_below_which_no_current_release_has_a_wheel():
    assert str(oldest_current_glibc(MATRIX)) == "2.27"
    assert has_glibc_floor("torch", MATRIX)
    assert not has_glibc_floor("keras", MATRIX)


def test_not_known_on_macos_is_its_release():
    assert fit(where(platform=MACOS), wish("torch"), MATRIX).not_judged == ("macOS release",)


@pytest.mark.parametrize(
    ("one", "other", "agreed"),
    [
        (">=2.2", "<2.2.0,>=1.26.0", False),
        (">=2.0", "<2.2.0,>=1.26.0", True),
        ("==12.6.*", ">=12.5.82,<13.0", True),
        ("==12.4.*", ">=12.5.82,<13.0", False),
        ("==12.6.*", "==12.5.82", False),
        ("==12.5.*", "==12.5.82", True),
        (">2,<2.1", "", True),
        (">2", "<2", False),
        ("!=2.0", "==2.0", False),
        ("~=1.19.2", "<1.20", True),
        ("~=1.19.2", ">=1.20", False),
        ("<2.0", "", True),
        ("<1.0", ">=0.9", True),
        # Only just below a bound is one left.
        ("<2", "!=0.*", True),
        ("<2.0", "!=0.*,!=1.*", False),
        ("<0", "!=0.*", False),
    ],
)
def test_specifiers_agree(one, other, agreed):
    assert agree(one, other) is agreed
    assert agree(other, one) is agreed


def asks(*constraints):
    return [Obstacle(constraint=one, text=one) for one in constraints]


@pytest.mark.parametrize(
    ("constraints", "much"),
    [
        ("version", 1),
        ("cuda", 1),
        ("companion", 1),
        ("python", 1),
        ("pins", 2),
        ("driver", 3),
        ("libc", 5),
        ("cudnn", 7),
        ("gpu", 7),
        ("platform", 9),
        ("withdrawn", 20),
        ("defect", 20),
        ("index", 20),
        ("unknown", 20),
        ("", 0),
        ("version python driver", 5),
        ("gpu gpu gpu", 7),
    ],
)
def test_what_each_change_asks_of_the_user(constraints, much):
    found = asks(*constraints.split())
    assert cost(found) == (much, len(found))


def test_a_way_out_leads_to_what_is_not_old_and_asks_for_few_steps_of_the_driver():
    newest = {
        one.cuda and str(one.cuda): one for one in builds_of("torch", "linux-x86_64", MATRIX) if one.version == "2.6.0"
    }
    for cuda, steps in (("11.8", 1), ("12.4", 2)):
        assert distance(asks("driver"), newest[cuda], 0.0) == 3 + steps
        assert distance(asks("driver"), newest[cuda], 0.5) == 8 + steps
        assert distance(asks("python"), newest[cuda], 1.0) == 11
    assert distance(asks("driver"), newest[None], 0.0) == 3


@pytest.mark.parametrize(
    ("package", "version", "python", "platform", "there"),
    [
        ("torchvision", "0.20.1", "3.12", "linux-x86_64", True),
        ("torchvision", "0.20.1", "3.13", "linux-x86_64", False),
        ("torchvision", "0.21.0", "3.13", "linux-x86_64", True),
        ("torchvision", None, "3.13", "linux-x86_64", True),
        ("torchvision", "0.14.1", "3.7", "macos-arm64", False),
        ("keras", "3.13.0", "3.12", "windows-x86_64", True),
        # Not known: the release, the package, the Python, the platform.
        ("torchvision", "99.0", "3.12", "linux-x86_64", True),
        ("no-such-package", None, "3.12", "linux-x86_64", True),
        ("torchvision", "0.20.1", None, "linux-x86_64", True),
        ("torchvision", "0.20.1", "3.13", None, True),
    ],
)
def test_whether_a_package_has_a_wheel(package, version, python, platform, there):
    assert has_wheel(package, Machine(python=python, platform=platform), MATRIX, version) is there


def test_a_companion_without_a_wheel_for_this_python_is_not_proposed():
    """torch 2.5 has wheels for Python 3.13, and the torchvision that was made for it has none."""
    machine = where("550.54.14", A100, python="3.13")
    found = fit(machine, (Wanted(framework="torch", specifier="<2.6", companions=(("torchvision", ""),)),), MATRIX)
    assert [one.constraint for one in found.refusals] == ["companion"]
    alone = fit(machine, (Wanted(framework="torch", specifier="<2.6"),), MATRIX)
    assert the_one(alone).version == "2.5.1"


def test_the_newest_torchaudio_goes_with_newer_torch():
    """torchaudio 2.11 has builds for some CUDA only, and goes with every torch from 2.11 on."""
    asked = (Wanted(framework="torch", companions=(("torchvision", ""), ("torchaudio", ""))),)
    proposal = the_one(fit(where("580.65.06", A100), asked, MATRIX))
    assert package_version(proposal.version) > package_version("2.11.0")
    assert proposal.variant in {row.variant for row in MATRIX.torch_builds("2.11.0")}
