"""LIB006: files of an installed package are missing or have been changed."""

from gpudoctor.facts.python import MOST_DAMAGES, Damage
from gpudoctor.plan.recipes import reinstall
from gpudoctor.rules._missing_libraries import is_lost_by_damage
from gpudoctor.rules.sections import Gap, Libraries, Packages, Scene
from gpudoctor.rules.terms import Evidence, Iterator, Problem, problem, rule, seen


@rule("LIB006", name="files-damaged", severity="error", when="packages.damaged")
def files_damaged(packages: Packages, libraries: Libraries | Gap | None, scene: Scene) -> Iterator[Problem]:
    """Files of an installed package are missing or have been changed.

    What it means:
    Each package records its files and their sizes. Some files of a GPU package are gone or have another size.

    Why it breaks:
    A download or an installation was interrupted, the disk was full, another package wrote the same file, or a file
    was copied in by hand. Imports fail, or a library of the wrong version is loaded.

    How to fix it:
    Reinstall the package in the same version.

    When to ignore it:
    If you replaced the file yourself and know why.

    Sources:
    https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    """
    if isinstance(packages.damaged, Gap):
        return
    not_leading_to = () if is_lost_by_damage(libraries, packages) else ("tf-soname-missing",)
    by_package: dict[str, list[Damage]] = {}
    for damage in packages.damaged:
        by_package.setdefault(damage.package, []).append(damage)
    for name, damages in by_package.items():
        missing = sum(damage.found is None for damage in damages)
        parts = [f"{missing} missing"] if missing else []
        parts += [f"{len(damages) - missing} of another size"] if missing < len(damages) else []
        count = f"{len(damages)} or more" if len(packages.damaged) >= MOST_DAMAGES else str(len(damages))
        files = f"A file of {name} is" if count == "1" else f"{count} files of {name} are"
        yield problem(
            f"{files} not as installed ({', '.join(parts)}).",
            *tuple(_evidence(damage) for damage in damages[:5]),
            subject=name,
            not_leading_to=not_leading_to,
            fix=reinstall(scene, (name,), f"Reinstall {name}"),
        )


def _evidence(damage: Damage) -> Evidence:
    if damage.found is None:
        return seen(damage.path, "missing")
    return seen(
        damage.path, f"{damage.found:,} bytes, recorded with {damage.expected:,}" if damage.expected else "changed"
    )
