"""FRM011: an installed framework is newer than gpudoctor's compatibility tables."""

from gpudoctor.knowledge.frameworks import computing
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Frameworks, Matrix
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, problem, rule, seen


@rule("FRM011", name="release-not-in-matrix", severity="info")
def release_not_in_matrix(frameworks: Frameworks, matrix: Matrix) -> Iterator[Problem]:
    """An installed framework is newer than gpudoctor's compatibility tables."""
    for name in computing():
        framework = frameworks.get(name)
        have = release_numbers(framework.version) if framework else None
        if framework is None or have is None:
            continue
        newest = matrix.newest(name)
        known = release_numbers(newest)
        if known is None or have <= known:
            continue
        yield problem(
            f"{framework.label} is newer than the latest {name} that gpudoctor knows, {newest}.",
            seen("installed", framework.version, framework.source),
            seen("newest in the tables", f"{newest}, checked {matrix.edition}"),
            subject=framework.label,
            fix=Fix("Update gpudoctor", "safe", (Ask(text="Install a newer gpudoctor."),)),
        )
