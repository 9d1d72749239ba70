"""PYT003: the installed protobuf does not match the installed TensorFlow."""

from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.matrix.types import ProtobufRange
from gpudoctor.plan.places import install, safety
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Matrix, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen


@rule("PYT003", name="tf-protobuf", severity="error", when="frameworks.tensorflow, packages.protobuf")
def tf_protobuf(packages: Packages, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The installed protobuf does not match the installed TensorFlow."""
    tensorflow, protobuf = frameworks.get("tensorflow"), packages.find("protobuf")
    if tensorflow is None or protobuf is None:
        return
    for wanted in _wanted(tensorflow, packages, matrix):
        if is_met(wanted, protobuf.version):
            continue
        yield problem(
            f"{tensorflow.label} works with protobuf {wanted}, but protobuf {protobuf.version} is installed.",
            seen("protobuf", protobuf.version),
            seen(f"{tensorflow.label} works with", wanted, tensorflow.source),
            subject="protobuf",
            fix=Fix(
                "Install a protobuf that fits",
                safety(scene),
                install(scene, f"protobuf{wanted}"),
                undo=f"install protobuf=={protobuf.version}",
            ),
        )
        return


def _wanted(tensorflow: Framework, packages: Packages, matrix: Matrix) -> Iterator[str]:
    """TensorFlow's own requirement where it is not met, and the range that the matrix knows to work."""
    dist = tensorflow.dist or "tensorflow"
    for unmet in packages.unmet:
        if unmet.package == dist and unmet.requirement == "protobuf" and unmet.found is not None:
            yield unmet.wanted
    row = _row(tensorflow, matrix)
    if row is not None:
        yield row.works or row.required


def _row(tensorflow: Framework, matrix: Matrix) -> ProtobufRange | None:
    """The release's own row; for a build that the matrix has none of (1.15.8 of DirectML), another of its line."""
    numbers = release_numbers(tensorflow.version)
    if tensorflow.version is None or numbers is None or len(numbers) < 2:
        return None
    line = f"{numbers[0]}.{numbers[1]}"
    versions = (tensorflow.version, *(f"{line}.{patch}" for patch in range(6)))
    return next((row for version in versions if (row := matrix.tf_protobuf(version)) is not None), None)
