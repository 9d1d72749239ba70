"""FRM011: an installed framework is newer than gpudoctor's compatibility tables."""

from gpudoctor.knowledge.frameworks import computing
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Frameworks, Matrix
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, problem, rule, seen


@rule("FRM011", name="release-not-in-matrix", severity="info")
def release_not_in_matrix(frameworks: Frameworks, matrix: Matrix) -> Iterator[Problem]:
    """An installed framework is newer than gpudoctor's compatibility tables.

    What it means:
    gpudoctor knows releases up to the one named below. The installed one came later, so it was judged only by what
    its own files say: its CUDA version, its GPU architectures, its requirements.

    Why it breaks:
    Nothing is broken. What only the tables know, such as which companion releases belong to it, was not checked.

    How to fix it:
    Update gpudoctor.

    When to ignore it:
    Always, if the rest of the report is what you need.

    Sources:
    The tables that come with gpudoctor; `gpudoctor matrix` shows them with the date of each fact.
    """
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
