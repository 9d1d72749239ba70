"""A release that the matrix does not know is judged by what its own wheel says: the verdict is the same.

Each build of torch from 1.13 and of TensorFlow from 2.14 on for Linux is put into machines, and judged twice: by the
matrix as it ships, and by one without that release. The snapshot carries what the probes read from an installed wheel.
"""

from packaging.version import Version

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Source
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.python import Package, Packages, Unmet
from gpudoctor.facts.specifiers import is_met
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.rules.load import load_rules
from tests import whole

MATRIX = load_matrix()
RULES = tuple(rule for rule in load_rules() if any(want.field == "matrix" for want in rule.wants))
PLATFORM = "linux-x86_64"
CARDS = {
    "Tesla K80": "3.7",
    "GeForce GTX 980": "5.2",
    "Tesla P100-PCIE-16GB": "6.0",
    "Tesla V100-SXM2-16GB": "7.0",
    "NVIDIA A100-SXM4-40GB": "8.0",
    "NVIDIA GeForce RTX 4090": "8.9",
    "NVIDIA H100 PCIe": "9.0",
    "NVIDIA B200": "10.0",
    "NVIDIA GeForce RTX 5090": "12.0",
}
DRIVERS = ("470.256.02", "535.54.03", "550.54.14", "570.124.06", "580.65.06")
#: Of all builds, those whose verdicts may change: what only the tables know.
SHARE = 0.95


def torch_builds():
    """(version with its build, row) of each build of torch for Linux."""
    for row in MATRIX.torch_builds():
        known = PLATFORM in row.platforms and not row.variant.startswith("rocm")
        if known and Version(row.version) >= Version("1.13"):
            yield "torch", f"{row.version}+{row.variant}", row


def tensorflow_builds():
    """(distribution, version, row) of each release of TensorFlow for Linux; a row covers several."""
    for row in MATRIX.tensorflow_builds(platform=PLATFORM):
        for version in {row.first, row.last}:
            if Version(version) >= Version("2.14") and row.build != "stub":
                yield row.dist, version, row


BUILDS = tuple(
    sorted(((dist, version, row) for dist, version, row in (*torch_builds(), *tensorflow_builds())), key=str)
)


def without(dist, version):
    """The matrix as it would be if that release had come out after it was made."""
    gone = Version(Version(version).public)
    name = "torch" if dist == "torch" else "tensorflow"
    less = Matrix(MATRIX.read)

    def is_of_release(table, row):
        if table == name and name == "tensorflow":
            return Version(row.first) <= gone <= Version(row.last)
        if table == "numpy" and row.package != name:
            return False
        named = (
            row.torch if table == "companions" else row.tensorflow if table in ("keras", "protobuf") else row.version
        )
        return Version(named) == gone

    touched = {"torch": ("torch", "companions", "numpy"), "tensorflow": ("tensorflow", "keras", "protobuf", "numpy")}
    for table in touched[name]:
        less._decoded[table] = tuple(row for row in MATRIX.table(table) if not is_of_release(table, row))
        assert len(less._decoded[table]) <= len(MATRIX.table(table))
    return less


def framework(dist, version, row):
    """A build as the probes read it: torch/version.py or build_info.py, the binary's fat sections, the requirements."""
    is_torch = dist == "torch"
    archs = row.archs.get(PLATFORM, ()) if is_torch else row.archs
    on_gpu = row.cuda is not None if is_torch else row.build == "gpu"
    # build_info.py names the major only; the extra's requirement names the release.
    pinned = next(
        (LibraryVersion.parse(text.split(">=")[-1].split("==")[-1]) for text in pins(row) if "cudnn" in text), None
    )
    return whole.framework(
        "torch" if is_torch else "tensorflow",
        version,
        dist=dist,
        variant="cuda" if on_gpu else "cpu",
        cuda=row.cuda,
        cudnn=(row.cudnn if is_torch and row.default_on else str(pinned) if pinned else None) if on_gpu else None,
        archs=tuple(archs or ()) or None,
        archs_source=Source(kind="file", where="the framework's library") if archs else None,
    )


def pins(row):
    """What the wheel's own metadata asks for."""
    return getattr(row, "and_cuda", ())


def packages(one, row, numpy="1.26.4", protobuf="4.25.8"):
    """The installed distributions and the requirements of the framework that they do not meet."""
    unmet = []
    asks = {"numpy": asked_numpy(one, row), "protobuf": getattr(row, "protobuf", None)}
    for name, found in (("numpy", numpy), ("protobuf", protobuf)):
        wanted = asks[name]
        if wanted and not is_met(wanted, found):
            unmet.append(Unmet(package=one.dist, requirement=name, wanted=wanted, found=found))
    installed = [Package(name=one.dist, version=one.metadata_version)]
    installed += [Package(name="numpy", version=numpy), Package(name="protobuf", version=protobuf)]
    return Packages(installed=tuple(installed), unmet=tuple(unmet))


def asked_numpy(one, row):
    required = getattr(row, "numpy", None)
    return required.split("|")[0].split(";")[0].strip() if required else None


def snapshots(dist, version, row):
    """Machines with the build: every GPU and driver that go together, and the faults that tables help to find."""
    one = framework(dist, version, row)
    on_gpu = one.variant == "cuda"
    # Each build meets every card with two of the drivers, and over the builds every card meets every driver.
    for index, (card, capability) in enumerate(CARDS.items()):
        turn = index + len(version) + int(Version(version).minor)
        for driver in {DRIVERS[turn % len(DRIVERS)], DRIVERS[(turn + 2) % len(DRIVERS)]} if on_gpu else DRIVERS[:1]:
            gpus = [whole.gpu(card, capability)]
            yield (
                f"{card}, driver {driver}",
                whole.machine(gpus, whole.driver(driver), [one], packages=packages(one, row)),
            )
    gpus = [whole.gpu("NVIDIA A100-SXM4-40GB", "8.0")]
    place = {"gpus": gpus, "driver": whole.driver("580.65.06"), "frameworks": [one]}
    yield "NumPy 2", whole.machine(**place, packages=packages(one, row, numpy="2.2.6"))
    for protobuf in ("3.19.6", "5.29.3", "7.1.0") if dist != "torch" else ():
        yield f"protobuf {protobuf}", whole.machine(**place, packages=packages(one, row, protobuf=protobuf))
    if one.cudnn and on_gpu:
        for taken in ("8.2.4", "8.9.7", "9.1.0", "9.30.0"):
            yield f"cuDNN {taken}", whole.machine(**place, packages=packages(one, row), libraries=libraries(one, taken))


def libraries(one, version):
    """The loader takes a cuDNN of that version."""
    taken = Resolution(
        framework=one.name,
        soname=f"libcudnn.so.{version[0]}",
        family="cudnn",
        wanted_by="libtorch_cuda.so",
        how="linked",
        path=f"/usr/lib/libcudnn.so.{version}",
        via="cache",
        version=LibraryVersion(version),
        origin="system",
    )
    return Libraries(resolutions=(taken,))


def verdict(snapshot, matrix):
    """What is wrong, and how badly. That a release is not in the tables is a note of its own."""
    diagnosis = diagnose(snapshot, matrix, RULES)
    assert not diagnosis.crashed, diagnosis.crashed[0].traceback
    return {(one.name, one.severity, one.subject) for one in diagnosis.findings if one.name != "release-not-in-matrix"}


def changed(dist, version, row):
    """The machines whose verdict depends on the matrix knowing the release."""
    less = without(dist, version)
    return [
        (situation, before ^ after)
        for situation, snapshot in snapshots(dist, version, row)
        if (before := verdict(snapshot, MATRIX)) != (after := verdict(snapshot, less))
    ]


def test_the_verdict_does_not_depend_on_the_matrix_knowing_the_release():
    misses = {f"{dist} {version}": found for dist, version, row in BUILDS if (found := changed(dist, version, row))}
    share = 1 - len(misses) / len(BUILDS)
    said = [
        f"{build}: {situation}: {sorted(differs)}" for build, found in misses.items() for situation, differs in found
    ]
    said = (f"{share:.1%} of {len(BUILDS)} builds are judged alike", *said)
    assert share >= SHARE, "\n".join(said)


def test_every_verdict_of_some_build_is_a_fault():
    """The comparison is of something: old and new GPUs, old drivers and old libraries do give findings."""
    names = set()
    for dist, version, row in BUILDS[:: len(BUILDS) // 12]:
        names |= {name for _, one in snapshots(dist, version, row) for name, _, _ in verdict(one, MATRIX)}
    assert {
        "arch-too-new-for-build",
        "arch-too-old-for-build",
        "driver-too-old",
        "numpy2-abi",
        "torch-cpu-only",
    } <= names
