"""Ways in which real environments break that need no administrator to mend, and the cause that is to be told."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.e2e.broken import Built, Copy, Patient


class Way(NamedTuple):
    """A way to break an environment, and the rule that names the cause."""

    make: Callable[[Path], Patient]
    break_it: Callable[[Patient], object]
    framework: str
    told: str
    #: The framework trains all the same: what is broken is something else, or is used later.
    runs: bool = False
    #: Quick enough for continuous integration.
    quick: bool = False


def pip(*only: str, name: str = "cpu") -> Callable[[Path], Patient]:
    """An environment of venv and pip, with some of its frameworks only."""
    return lambda folder: Copy(name, folder, only=only)


def uv(*only: str) -> Callable[[Path], Patient]:
    """The same made by uv, without pip."""
    return lambda folder: Copy("cpu", folder, only=only, by_uv=True)


def built(minor: int, *wanted: str) -> Callable[[Path], Patient]:
    """An environment of uv with old releases, for an old Python 3."""
    return lambda folder: Built(folder, (3, minor), *wanted)


def gone(*paths: str) -> Callable[[Patient], object]:
    """Files or folders deleted by hand."""
    return lambda patient: [patient.delete(path) for path in paths]


def uninstalled(*names: str) -> Callable[[Patient], object]:
    """Packages that another one had brought, uninstalled."""
    return lambda patient: patient.uv("uninstall", *names)


def installed(*wanted: str) -> Callable[[Patient], object]:
    """Other releases installed, whatever the others ask for."""
    return lambda patient: patient.uv("install", "--no-deps", *wanted)


def cut(path: str) -> Callable[[Patient], object]:
    """A file cut off."""
    return lambda patient: patient.truncate(path)


def content(path: str, raw: bytes) -> Callable[[Patient], object]:
    """A file with other content."""

    def write(patient: Patient) -> None:
        (found,) = patient.site.glob(path)
        patient.write(str(found.relative_to(patient.site)), raw)

    return write


def one_of_two(patient: Patient) -> None:
    """A second distribution that owns the same files as tensorflow-cpu is there, and is uninstalled."""
    (ours,) = patient.site.glob("tensorflow_cpu-*.dist-info")
    second = ours.name.replace("tensorflow_cpu", "tensorflow")
    for file in ("METADATA", "RECORD", "INSTALLER"):
        text = (ours / file).read_text().replace(ours.name, second)
        patient.write(f"{second}/{file}", text.replace("Name: tensorflow_cpu", "Name: tensorflow"))
    patient.uv("uninstall", "tensorflow")


def left_over(patient: Patient) -> None:
    """What pip renames before it takes a package away, and leaves where it is ended then."""
    patient.write("~umpy-1.26.4.dist-info/METADATA", "Metadata-Version: 2.1\nName: numpy\nVersion: 1.26.4\n")
    patient.write("~umpy/__init__.py", "")


def record_of_another(patient: Patient) -> None:
    """The metadata of an older release, left beside the files of a newer one."""
    folder = "numpy-1.24.4.dist-info"
    patient.write(f"{folder}/METADATA", "Metadata-Version: 2.1\nName: numpy\nVersion: 1.24.4\n")
    patient.write(f"{folder}/INSTALLER", "pip\n")
    patient.write(f"{folder}/RECORD", f"{folder}/METADATA,,\n{folder}/INSTALLER,,\n{folder}/RECORD,,\n")


def of_another_python(wanted: str) -> Callable[[Patient], object]:
    """A package put there by the installer of another Python, as a copied folder or image layer has it."""

    def put(patient: Patient) -> None:
        patient.uv("uninstall", wanted.partition("==")[0])
        patient.uv("install", "--no-deps", "--python-version", "3.12", "--only-binary", ":all:", "--target",
                   str(patient.site), wanted)  # fmt: skip

    return put


def over_the_other(wanted: str) -> Callable[[Patient], object]:
    """Another release unpacked over the installed one."""

    def unpack(patient: Patient) -> None:
        folder = patient.cwd / "unpacked"
        patient.uv("install", "--no-deps", "--target", str(folder), wanted)
        for file in folder.rglob("*"):
            if file.is_file():
                patient.write(str(file.relative_to(folder)), file.read_bytes())
        shutil.rmtree(folder)

    return unpack


def all_of(*ways: Callable[[Patient], object]) -> Callable[[Patient], object]:
    """One after the other."""
    return lambda patient: [way(patient) for way in ways]


TENSORFLOW = ("tensorflow", "keras")
OLD_TENSORFLOW = ("tensorflow-cpu==2.12.0",)
OLD_TORCH = ("torch==1.12.1", "numpy==1.26.4")

WAYS = {
    # JAX, with pip.
    "jaxlib uninstalled": Way(pip("jax"), uninstalled("jaxlib"), "jax", "dependency-missing", quick=True),
    "jaxlib of another jax": Way(pip("jax"), installed("jaxlib==0.8.1"), "jax", "jax-plugin-version"),
    "jaxlib half uninstalled": Way(pip("jax"), gone("jaxlib"), "jax", "files-damaged"),
    "library of jaxlib deleted": Way(pip("jax"), gone("jaxlib/_jax*.so"), "jax", "files-damaged"),
    "library of jaxlib emptied": Way(pip("jax"), content("jaxlib/_jax*.so", b""), "jax", "files-damaged"),
    "jaxlib without its record": Way(
        pip("jax"), gone("jaxlib-*.dist-info"), "jax", "package-without-record", runs=True
    ),
    "jax without its record": Way(pip("jax"), gone("jax-*.dist-info"), "jax", "package-without-record", runs=True),
    "opt_einsum half uninstalled": Way(pip("jax"), gone("opt_einsum"), "jax", "files-damaged", quick=True),
    "NumPy too old for jax": Way(pip("jax"), installed("numpy==1.24.4"), "jax", "dependency-version"),
    "libraries of scipy deleted": Way(pip("jax"), gone("scipy.libs"), "jax", "files-damaged", runs=True),
    # JAX, with uv.
    "ml_dtypes uninstalled": Way(uv("jax"), uninstalled("ml-dtypes"), "jax", "dependency-missing", quick=True),
    "library of ml_dtypes deleted": Way(uv("jax"), gone("ml_dtypes/_ml_dtypes_ext*.so"), "jax", "files-damaged"),
    "library of jaxlib cut off": Way(uv("jax"), cut("jaxlib/libjax_common.so"), "jax", "files-damaged"),
    "NumPy half uninstalled": Way(uv("jax"), gone("numpy/linalg"), "jax", "files-damaged"),
    "NumPy uninstalled": Way(uv("jax"), uninstalled("numpy"), "jax", "dependency-missing"),
    # TensorFlow and Keras, with pip.
    "protobuf too old": Way(pip(*TENSORFLOW), installed("protobuf==3.20.3"), "tensorflow", "tf-protobuf"),
    "protobuf too new": Way(pip(name="tf115"), installed("protobuf==4.24.4"), "tensorflow", "tf-protobuf"),
    "flatbuffers half uninstalled": Way(pip(name="tf24"), gone("flatbuffers"), "tensorflow", "files-damaged"),
    "TensorFlow half uninstalled": Way(
        pip(*TENSORFLOW), gone("tensorflow/python/framework"), "tensorflow", "files-damaged"
    ),
    "Keras uninstalled": Way(pip(*TENSORFLOW), uninstalled("keras"), "tensorflow", "dependency-missing", runs=True),
    "optree uninstalled": Way(pip(*TENSORFLOW), uninstalled("optree"), "keras", "dependency-missing"),
    # TensorFlow and Keras, with uv.
    "Keras half uninstalled": Way(uv(*TENSORFLOW), gone("keras/src/layers"), "keras", "files-damaged"),
    "wrapt uninstalled": Way(uv(*TENSORFLOW), uninstalled("wrapt"), "tensorflow", "dependency-missing"),
    "Keras 3 beside an old TensorFlow": Way(
        built(10, *OLD_TENSORFLOW),
        installed("keras==3.5.0", "namex", "optree", "rich"),
        "tensorflow",
        "dependency-version",
        runs=True,
    ),
    "NumPy 2 under an old TensorFlow": Way(
        built(10, *OLD_TENSORFLOW), installed("numpy==2.0.2"), "tensorflow", "numpy2-abi"
    ),
    "one of two TensorFlows uninstalled": Way(uv(*TENSORFLOW), one_of_two, "tensorflow", "files-damaged"),
    # PyTorch, with pip.
    "typing_extensions too old": Way(
        pip("torch"), installed("typing-extensions==4.5.0"), "torch", "dependency-version", quick=True
    ),
    "library of torch cut off": Way(pip("torch"), cut("torch/lib/libtorch_cpu.so"), "torch", "files-damaged"),
    "torch half uninstalled": Way(pip("torch"), gone("torch/nn", "torch/utils"), "torch", "files-damaged"),
    "torch without its record": Way(
        pip("torch"), gone("torch-*.dist-info"), "torch", "package-without-record", runs=True
    ),
    "record of torch damaged": Way(
        pip("torch"), content("torch-*.dist-info/METADATA", b"\xff\x00"), "torch", "packages-unreadable", runs=True
    ),
    # PyTorch, with uv.
    "typing_extensions uninstalled": Way(uv("torch"), uninstalled("typing-extensions"), "torch", "dependency-missing"),
    "NumPy 2 under an old torch": Way(
        built(9, *OLD_TORCH), installed("numpy==2.0.2"), "torch", "numpy2-abi", runs=True
    ),
    "torchvision of another torch": Way(
        built(9, *OLD_TORCH),
        installed("torchvision==0.14.1", "pillow"),
        "torch",
        "torch-companion-version",
        runs=True,
    ),
    # What another hand had tried: an install cut off, a Keras of another age, a package without its record.
    "left over from an install that was cut off": Way(
        pip("jax"), left_over, "jax", "packages-unreadable", runs=True, quick=True
    ),
    "Keras 3 under TensorFlow 2.15": Way(
        built(11, "tensorflow-cpu==2.15.1"),
        installed("keras==3.5.0", "namex", "optree", "rich"),
        "tensorflow",
        "dependency-version",
        runs=True,
    ),
    # Records of installations that installers stumble over, and damage between the files that are looked at first.
    "record of numpy cut off in garbage": Way(
        pip("jax"),
        content("numpy-*.dist-info/RECORD", b"numpy/a.py,,1\n\xff\x00"),
        "jax",
        "packages-unreadable",
        runs=True,
    ),
    "NumPy too old and without its list of files": Way(
        pip("jax"),
        lambda patient: [installed("numpy==1.24.4")(patient), gone("numpy-*.dist-info/RECORD")(patient)],
        "jax",
        "dependency-version",
    ),
    "record of an older NumPy beside the new one": Way(
        pip("jax"), record_of_another, "jax", "packages-unreadable", runs=True, quick=True
    ),
    "NumPy without its record": Way(pip("jax"), gone("numpy-*.dist-info"), "jax", "package-without-record", runs=True),
    "NumPy of another Python": Way(pip("jax"), of_another_python("numpy==2.2.0"), "jax", "package-of-another-python"),
    "opt_einsum uninstalled, and pip itself half": Way(
        pip("jax"), all_of(uninstalled("opt-einsum"), gone("pip/_vendor")), "jax", "dependency-missing"
    ),
    "NumPy of another release unpacked over this": Way(
        pip("jax"), over_the_other("numpy==2.3.0"), "jax", "packages-unreadable", runs=True
    ),
    "h5py half uninstalled": Way(pip(*TENSORFLOW), gone("h5py/_hl"), "keras", "files-damaged", runs=True),
}
