"""Recipes: the commands for each kind of environment, and that what they propose is healthy once it is there."""

import re
from typing import Any

import pytest
from msgspec import structs

from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.python import Broken, Packages
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.installed_companions import jax_plugins
from gpudoctor.plan.places import (
    companions_there,
    conda,
    conda_prefix,
    install,
    machine_of,
    new_folder,
    replace,
    safety,
    split_by_folder,
    tf_keras,
    uninstall,
    without_records,
)
from gpudoctor.plan.recipes import companions_of, framework_for_gpus, jax_for_gpus, reinstall
from gpudoctor.plan.this_machine import can_be_root
from tests.rules.stacks import (
    ARM,
    GTX_1080_TI,
    H100,
    K80,
    MACOS,
    RTX_3090,
    RTX_4090,
    RTX_5090,
    SITE,
    T4,
    V100,
    WINDOWS,
    card,
    frameworks,
    interpreter,
    jax,
    jax_plugin,
    packages,
    stack,
    tensorflow,
    torch,
)
from tests.rules.test_root_causes_framework import roots

MATRIX = load_matrix()
FIELDS = ("host", "container", "gpus", "driver", "interpreter", "packages")


def scene(*cards: Any, **sections: Any) -> Scene:
    machine = stack(*cards, **sections)
    return Scene(**{name: machine[name] for name in FIELDS})


def commands(steps: Any) -> list[str]:
    return [" ".join(step.argv) for step in steps if isinstance(step, Run)]


def asks(fix: Fix) -> bool:
    return all(isinstance(step, Ask) for step in fix.steps)


# The place.


def on(**fields: Any) -> Scene:
    return scene(RTX_4090, on=interpreter(**fields), packages=packages("torch==2.6.0"))


def test_pip_of_the_target_itself() -> None:
    assert commands(install(on(), "torch==2.6.0", index="https://x")) == [
        "/home/me/env/bin/python -m pip install torch==2.6.0 --index-url https://x"
    ]
    assert commands(uninstall(on(), "torch")) == ["/home/me/env/bin/python -m pip uninstall --yes torch"]
    assert uninstall(on()) == ()


def test_uv_without_pip() -> None:
    uv = on(made_by="uv", pip_version=None)
    assert commands(install(uv, "torch")) == ["uv pip install --python /home/me/env/bin/python torch"]
    assert commands(uninstall(uv, "torch")) == ["uv pip uninstall --python /home/me/env/bin/python torch"]
    assert commands(install(on(made_by="uv"), "torch"))[0].startswith("/home/me/env/bin/python -m pip")


LACKING = {"pip_version": None, "site_dirs": (SITE,)}
ENSURED = "/home/me/env/bin/python -m ensurepip"


@pytest.mark.parametrize(
    ("fields", "there", "first"),
    [
        # It was uninstalled, or never there; what is left of it says that it is there.
        ({}, (), [ENSURED]),
        ({}, ("pip==25.0",), [f"rm -r {SITE}/pip-25.0.dist-info", ENSURED]),
        ({"managers": ("uv",)}, ("pip==25.0",), []),
        # A ticket does not say which pip there is, and conda brings its own.
        ({"chosen_by": "report"}, (), []),
        ({"environment": "conda"}, (), []),
        ({"site_dirs": ()}, (), []),
    ],
)
def test_an_environment_whose_pip_cannot_be_started(
    fields: dict[str, Any], there: tuple[str, ...], first: list[str]
) -> None:
    installed = tuple(structs.replace(one, location=SITE) for one in packages("torch==2.6.0", *there).installed)
    target = interpreter(**{**LACKING, **fields})
    place = scene(RTX_4090, on=target, packages=Packages(installed=installed))
    by_uv = "uv pip install --python /home/me/env/bin/python numpy"
    command = by_uv if "managers" in fields else "/home/me/env/bin/python -m pip install numpy"
    assert commands(install(place, "numpy")) == [*first, command]
    done = commands(replace(place, ("torch",), "torch==2.7.0"))
    assert len(done) == len(first) + 2, "only once"


@pytest.mark.parametrize("fields", [{"environment": "system"}, {"externally_managed": True}])
def test_the_systems_python_gets_an_environment_first(fields: dict[str, Any]) -> None:
    system = on(executable="/usr/bin/python3", **fields)
    assert commands(install(system, "torch")) == [
        "/usr/bin/python3 -m venv gpu-env",
        "gpu-env/bin/python -m pip install torch",
    ]
    assert uninstall(system, "torch") == ()
    fix = framework_for_gpus("torch", system, MATRIX, "2.6.0+cpu")
    assert not any("uninstall" in command for command in commands(fix.steps))
    assert fix.undo is None


def test_windows_names_its_own_paths() -> None:
    machine = scene(
        RTX_4090, host=WINDOWS, on=interpreter(executable="C:\\Python312\\python.exe", environment="system")
    )
    assert commands(install(machine, "torch"))[1] == "gpu-env\\Scripts\\python.exe -m pip install torch"


def test_the_steps_of_a_new_environment_are_told_from_the_others() -> None:
    make = Run(argv=("python3", "-m", "venv", "gpu-env"))
    inside = Run(argv=("gpu-env/bin/python", "-m", "pip", "install", "torch"))
    on_windows = Run(argv=("gpu-env\\Scripts\\python.exe", "-m", "pip", "install", "torch"))
    beside = Run(argv=("gpu-env-2/bin/python", "-m", "pip", "install", "torch"))
    own = Run(argv=("/env/bin/python", "-m", "pip", "uninstall", "torch"))
    said = Ask(text="Close every program.")
    steps = (said, own, make, inside, on_windows, beside)
    assert split_by_folder(steps, "gpu-env") == ((said, make, inside, on_windows), (own, beside))
    assert new_folder(steps) == "gpu-env"
    assert new_folder((said, own)) is None
    assert new_folder((Run(argv=("uv", "venv", "--python", "3.12", "x")),)) == "x"


@pytest.mark.parametrize(
    ("is_root", "groups", "can"),
    [
        (None, None, None),
        (True, None, True),
        (False, None, None),
        (None, ("users", "sudo"), True),
        (None, ("users",), False),
        (False, ("wheel",), True),
        (False, (), False),
        (True, (), True),
    ],
)
def test_who_can_be_root(is_root: bool | None, groups: tuple[str, ...] | None, can: bool | None) -> None:
    assert can_be_root(System(os="linux", is_root=is_root, groups=groups)) is can
    assert can_be_root(None) is None


@pytest.mark.parametrize("major", [12, 13])
def test_the_plugins_of_jax(major: int) -> None:
    one = scene(H100, packages=packages(f"jax-cuda{major}-plugin==0.7.2", "jax==0.7.2"))
    assert [(package.name, found) for package, found in jax_plugins(one)] == [(f"jax-cuda{major}-plugin", major)]


def test_conda_and_projects() -> None:
    conda = interpreter(environment="conda", prefix="/opt/conda/envs/ai")
    assert conda_prefix(conda) == "/opt/conda/envs/ai"
    assert conda_prefix(interpreter()) is None
    assert safety(on(environment="conda")) == "review"
    steps = install(on(made_by="poetry"), "torch")
    assert isinstance(steps[-1], Ask)
    assert "poetry" in steps[-1].text


def test_an_unseen_interpreter() -> None:
    assert commands(install(Scene(), "torch")) == ["python3 -m pip install torch"]
    assert commands(install(Scene(host=WINDOWS), "torch")) == ["python -m pip install torch"]


def test_a_machine_is_known_by_its_platform_and_gpus() -> None:
    assert machine_of(scene(RTX_4090, host=None), MATRIX) is None
    assert machine_of(scene(), MATRIX) is None
    machine = machine_of(scene(RTX_4090), MATRIX)
    assert machine is not None
    assert (machine.platform, machine.python) == ("linux-x86_64", "3.12")


# What is proposed.


def test_torch_from_conda_stays_untouched() -> None:
    conda = scene(
        RTX_5090,
        release="570.86.10",
        on=interpreter(environment="conda"),
        packages=packages("pytorch==2.6.0", installer="conda"),
    )
    listed = commands(framework_for_gpus("torch", conda, MATRIX, "2.6.0").steps)
    assert listed[0] == "/home/me/env/bin/python -m venv gpu-env-torch"


def test_frameworks_that_need_different_cudnn_packages_are_kept_apart() -> None:
    has = packages("tensorflow==2.20.0", "nvidia-cudnn-cu12==9.3.0.75")
    ada = scene(RTX_4090, release="595.45.04", packages=has)
    assert "-m venv gpu-env" in commands(framework_for_gpus("torch", ada, MATRIX).steps)[0]
    pascal = scene(GTX_1080_TI, release="580.65.06", packages=has)
    assert "venv" not in commands(framework_for_gpus("torch", pascal, MATRIX).steps)[0]


def test_two_processor_builds_are_not_replaced_by_gpu_builds_that_overwrite_each_other() -> None:
    has = packages("tensorflow-cpu==2.21.0", "torch==2.13.0+cpu")
    new = scene(RTX_4090, release="580.65.06", packages=has)
    assert "cu130" in commands(framework_for_gpus("torch", new, MATRIX, "2.13.0+cpu").steps)[-1]
    assert "-m venv gpu-env" in commands(framework_for_gpus("tensorflow", new, MATRIX).steps)[0]
    old = scene(RTX_4090, release="535.161.07", packages=has)
    assert "cu126" in commands(framework_for_gpus("torch", old, MATRIX, "2.13.0+cpu").steps)[-1]
    assert "venv" not in commands(framework_for_gpus("tensorflow", old, MATRIX).steps)[0]


def test_companions_come_from_the_index_of_torch() -> None:
    fix = companions_of(scene(RTX_4090, packages=packages("torchvision==0.20.0")), MATRIX, torch(), ("torchvision",))
    assert commands(fix.steps)[-1].endswith(
        "torchvision==0.21.0+cu124 --index-url https://download.pytorch.org/whl/cu124"
    )
    assert fix.undo == "install again: torchvision==0.20.0"
    assert asks(companions_of(scene(RTX_4090), MATRIX, torch("2.6.0"), ("torchvision",)))
    (named,) = companions_of(scene(RTX_4090), MATRIX, torch("2.0.1"), ("torchaudio",)).steps
    assert "torchaudio==2.0.2, which belongs to torch 2.0.1" in named.text
    plain = torch("2.0.1", variant="cuda", cuda=CudaVersion("11.8"), metadata_version="2.0.1")
    fix = companions_of(scene(RTX_4090, packages=packages("torchaudio==2.1.0")), MATRIX, plain, ("torchaudio",))
    assert commands(fix.steps)[-1].endswith(
        "torchaudio==2.0.2+cu118 --index-url https://download.pytorch.org/whl/cu118"
    )
    assert asks(companions_of(scene(RTX_4090), MATRIX, torch("2.15.0+cu132"), ("torchaudio",)))


def test_reinstall_in_the_same_version() -> None:
    fix = reinstall(on(), ("torch",), "Reinstall torch")
    assert commands(fix.steps)[0].endswith("--force-reinstall --no-deps torch===2.6.0")
    assert asks(reinstall(on(), ("gone",), "Reinstall"))


def test_reinstall_in_the_same_build() -> None:
    """The release without its tag is another build; an archive or a folder is no release of an index at all."""
    tagged = reinstall(scene(RTX_4090, packages=packages("jaxlib==0.4.14+cuda12.cudnn89")), ("jaxlib",), "x")
    assert commands(tagged.steps)[0].endswith("--force-reinstall --no-deps jaxlib==0.4.14+cuda12.cudnn89")
    for url, words in (
        ("https://host/a/torch-2.6.0.whl", "torch @ https://host/a/torch-2.6.0.whl"),
        ("file:///src", ""),
    ):
        has = packages("torch==2.6.0+cpu")
        own = structs.replace(has, installed=tuple(structs.replace(one, direct_url=url) for one in has.installed))
        fix = reinstall(scene(RTX_4090, packages=own), ("torch",), "x")
        assert asks(fix) is not bool(words)
        assert not words or commands(fix.steps) == [
            f"/home/me/env/bin/python -m pip install --force-reinstall --no-deps {words}"
        ]


@pytest.mark.parametrize("tag", ["cpu", "cu124", "rocm6.2"])
def test_a_build_of_pytorchs_own_index_comes_from_there_again(tag: str) -> None:
    """PyPI has another build under the same number."""
    fix = reinstall(scene(RTX_4090, packages=packages(f"torch==2.6.0+{tag}", "numpy==2.0.0")), ("torch", "numpy"), "x")
    first, second = commands(fix.steps)
    index = f"https://download.pytorch.org/whl/{tag}"
    assert first.endswith(f"--force-reinstall --no-deps torch==2.6.0+{tag} --index-url {index}")
    assert second.endswith("--force-reinstall --no-deps numpy==2.0.0")


@pytest.mark.parametrize(
    "machine",
    [
        scene(card("GeForce GTX 580", "2.0"), release="390.157"),
        scene(RTX_4090, host=MACOS),
        scene(T4, release="390.157"),
        Scene(),
    ],
    ids=["Fermi", "macOS", "driver too old", "nothing known"],
)
@pytest.mark.parametrize("name", ["torch", "tensorflow", "jax-cuda-plugin"])
def test_where_nothing_fits_a_person_is_asked(machine: Scene, name: str) -> None:
    assert asks(framework_for_gpus(name, machine, MATRIX))


@pytest.mark.parametrize(
    ("name", "gpu", "release", "python", "typed"),
    [
        ("torch", RTX_4090, "580.65.06", "3.17.0", ("uv venv --python 3.", "uv pip install --python gpu-env torch==")),
        ("tensorflow", RTX_5090, "580.65.06", "3.8.10", ("uv venv --python 3.", "tensorflow[and-cuda]==2.21.0")),
        (
            "torch",
            card("Tesla K40c", "3.5"),
            "470.256.02",
            "3.8.10",
            ("conda create --yes --name gpu-env python=3.7", " torch==1.3.0"),
        ),
    ],
)
def test_where_another_python_has_a_build_a_new_environment_gets_it(
    name: str, gpu: Any, release: str, python: str, typed: tuple[str, str]
) -> None:
    fix = framework_for_gpus(name, scene(gpu, release=release, on=interpreter(python)), MATRIX)
    assert fix.safety == "manual"
    make, install = commands(fix.steps)[:2]
    assert typed[0] in make
    assert typed[1] in install


def test_a_gpu_that_no_build_serves_is_said_to_be_that() -> None:
    fix = framework_for_gpus("torch", scene(card("GeForce GTX 680", "3.0"), release="470.256.02"), MATRIX)
    assert "no build of PyTorch that is known here has code for" in fix.title
    assert "/whl/cpu" in fix.steps[0].text


def test_no_jax_for_windows() -> None:
    assert asks(jax_for_gpus(scene(RTX_4090, host=WINDOWS), MATRIX))


CARDS = {
    "1080 Ti": GTX_1080_TI,
    "V100": V100,
    "T4": T4,
    "3090": RTX_3090,
    "4090": RTX_4090,
    "H100": H100,
    "5090": RTX_5090,
}
DRIVERS = ("450.80.02", "470.256.02", "525.60.13", "535.183.01", "550.54.15", "570.86.10", "580.65.06", "595.45.04")
PYTHONS = ("3.8.10", "3.10.4", "3.12.4", "3.13.0", "3.14.0")


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("release", DRIVERS)
@pytest.mark.parametrize("name", CARDS)
def test_what_is_proposed_is_healthy_once_installed(name: str, release: str, python: str) -> None:
    """For each framework: no finding about the build, the driver or the Python is left."""
    gpu, target = CARDS[name], interpreter(python)
    about = {"driver-too-old", "arch-too-new-for-build", "arch-too-old-for-build", "python-unsupported-by-framework"}
    about |= {"torch-cpu-only", "tf-cpu-only", "jax-cpu-only", "numpy2-abi"}
    for framework in ("torch", "tensorflow", "jax-cuda-plugin"):
        fix = framework_for_gpus(framework, scene(gpu, release=release, on=target), MATRIX)
        if asks(fix):
            continue
        if other := re.search(r"new environment with Python (\S+),", fix.title):
            target = interpreter(f"{other[1]}.0")
        found = installed(next(text for text in reversed(commands(fix.steps)) if " install " in text))
        machine = stack(gpu, release=release, on=target, frameworks=found)
        target = interpreter(python)
        assert not about & set(roots(machine)), (framework, commands(fix.steps))


def installed(command: str) -> Any:
    """The frameworks that a proposed command would install."""
    if match := re.search(r"torch==(\S+\+\S+) ", command):
        return frameworks(torch(match.group(1)))
    if match := re.search(r"torch==(\S+)$", command):
        build = MATRIX.torch_build(match[1], "linux-x86_64")
        return frameworks(torch(f"{match[1]}+{build.variant}" if build else match[1]))
    if match := re.search(r"tensorflow(?:\[and-cuda\])?==(\S+)", command):
        row = MATRIX.tensorflow_builds(match.group(1), "linux-x86_64", "tensorflow")[0]
        return frameworks(tensorflow(match.group(1), str(row.cuda), archs=row.archs))
    match = re.search(r"jax\[cuda(\d+)\]==(\S+)", command)
    assert match, command
    return frameworks(jax(match.group(2), None), jax_plugin(match.group(2), int(match.group(1))))


def test_arm_gets_builds_for_arm() -> None:
    gh200 = scene(card("NVIDIA GH200 480GB", "9.0"), release="580.65.06", host=ARM)
    assert "/whl/cu13" in commands(framework_for_gpus("torch", gh200, MATRIX).steps)[-1]
    assert asks(framework_for_gpus("tensorflow", gh200, MATRIX))


def test_k80_gets_what_still_has_its_code() -> None:
    listed = commands(framework_for_gpus("torch", scene(K80, release="470.256.02"), MATRIX).steps)
    assert listed[-1].endswith("/whl/cu118")


@pytest.mark.parametrize(
    ("record", "host", "index"),
    [
        ("2.6.0", {}, ""),
        ("2.6.0+cu124", {}, "+cu124 --index-url https://download.pytorch.org/whl/cu124"),
        (None, {}, "+cu124 --index-url https://download.pytorch.org/whl/cu124"),
        ("2.6.0", {"host": WINDOWS}, "+cu124 --index-url https://download.pytorch.org/whl/cu124"),
    ],
    ids=["from the package index", "from PyTorch's", "not known", "where the package index has another build"],
)
def test_a_companion_comes_from_where_torch_came_from(record: str | None, host: dict[str, Any], index: str) -> None:
    ours = torch("2.6.0+cu124", metadata_version=record)
    here = scene(packages=packages("torch==2.6.0", "torchvision==0.20.0"), **host)
    wanted = commands(companions_of(here, MATRIX, ours, ("torchvision",)).steps)
    assert wanted[-1].endswith(f" install torchvision==0.21.0{index}"), wanted


@pytest.mark.parametrize(
    ("machine", "gone"),
    [
        ({}, f"rm -r {SITE}/numpy-2.2.6.dist-info"),
        ({"host": MACOS}, f"rm -r {SITE}/numpy-2.2.6.dist-info"),
        # Of Windows the command is not known here.
        ({"host": WINDOWS}, None),
        ({"packages": None}, None),
    ],
)
def test_metadata_that_pip_cannot_take_away_is_deleted_first(machine: dict[str, Any], gone: str | None) -> None:
    broken = (Broken(path=f"{SITE}/numpy-2.2.6.dist-info/RECORD", reason="it is missing"),)
    given = {"packages": packages("numpy==2.2.6", broken=broken), **machine}
    of = scene(RTX_4090, **given)
    assert commands(without_records(of, ("numpy==2.1.0",))) == ([gone] if gone else [])
    assert commands(without_records(of, ("torch==2.6.0",))) == []


@pytest.mark.parametrize(
    ("release", "served", "left_out"),
    [
        ("580.95.05", ("cu126", "cu130"), ()),
        ("560.35.05", ("cu126",), ("cu130",)),
        ("525.60.13", ("paddlepaddle-gpu from", "cu118", "cu126"), ("cu130",)),
        ("525.60.12", ("cu118",), ("cu126", "cu130")),
        ("390.157", ("Its makers say how: https://",), ("cu118", "from its makers' index")),
        ("470.82.01", ("cu118",), ("cu126", "cu130")),
    ],
)
def test_a_framework_from_its_makers_comes_for_a_cuda_that_the_driver_serves(release, served, left_out) -> None:
    fix = framework_for_gpus("paddle", scene(RTX_4090, release=release), MATRIX)
    text = " ".join(step.text for step in fix.steps)
    assert all(one in text for one in served), text
    assert not any(one in text for one in left_out), text


@pytest.mark.parametrize(
    ("there", "command"),
    [
        # It requires the distribution `tensorflow`, which would come over tensorflow-cpu.
        (("tensorflow-cpu==2.16.1",), "install --no-deps tf-keras==2.16.0"),
        (("tensorflow==2.16.1",), "install tf-keras==2.16.0"),
        (("tensorflow==2.16.1", "tensorflow-intel==2.16.1"), "install tf-keras==2.16.0"),
        ((), "install tf-keras==2.16.0"),
    ],
)
def test_tf_keras_beside_the_tensorflow_that_is_there(there: tuple[str, ...], command: str) -> None:
    (done,) = commands(tf_keras(scene(RTX_4090, packages=packages(*there)), "tf-keras==2.16.0"))
    assert done.endswith(f" {command}")


@pytest.mark.parametrize(
    ("found", "names"),
    [
        (packages("torch==2.6.0"), ()),
        (packages("torch==2.6.0", "torchaudio==2.6.0"), ("torchaudio",)),
        # What was not seen may be there, and must not stay behind.
        (packages("torch==2.6.0", excerpt=True), ("torchvision", "torchaudio")),
        (None, ("torchvision", "torchaudio")),
    ],
)
def test_the_companions_that_are_to_come_along(found: Any, names: tuple[str, ...]) -> None:
    assert companions_there(Scene(packages=found), ("torchvision", "torchaudio")) == names


@pytest.mark.parametrize(
    ("target", "verb", "command"),
    [
        (
            {"environment": "conda", "managers": ("mamba",)},
            "install",
            "mamba install --prefix /e --channel conda-forge x",
        ),
        ({"environment": "conda", "managers": ("mamba", "conda")}, "remove", "conda remove --prefix /e x"),
        ({"environment": "conda-base"}, "create", "conda create --channel conda-forge x"),
        ({}, "install", "conda install --channel conda-forge x"),
    ],
)
def test_a_command_of_conda(target: dict[str, Any], verb: str, command: str) -> None:
    assert " ".join(conda(interpreter(**{"prefix": "/e", **target}), verb, "x").argv) == command
    assert " ".join(conda(None, "install", "x").argv) == "conda install --channel conda-forge x"


def test_pip_is_brought_back_where_its_files_are_not_known_to_lie() -> None:
    target = interpreter(**LACKING)
    place = scene(RTX_4090, on=target, packages=packages("torch==2.6.0", "pip==25.0"))
    assert commands(install(place, "numpy"))[0] == ENSURED, "no folder is deleted that nobody saw"
    there = Packages(installed=tuple(structs.replace(one, location=SITE) for one in place.packages.installed))
    on_windows = scene(RTX_4090, on=target, packages=there, host=WINDOWS)
    assert commands(install(on_windows, "numpy"))[0] == ENSURED
    on_mac = scene(on=target, packages=there, host=MACOS)
    assert commands(install(on_mac, "numpy"))[0].startswith("rm -r ")
