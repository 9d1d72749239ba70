"""PYT020: an installed package was built for another Python."""

from gpudoctor.facts.python import Foreign
from gpudoctor.plan.recipes import reinstall
from gpudoctor.rules._linked_to_torch import LINKED
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Matrix, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen


@rule("PYT020", name="package-of-another-python", severity="error", when="packages.foreign")
def package_of_another_python(
    packages: Packages, scene: Scene, frameworks: Frameworks | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """An installed package was built for another Python.

    What it means:
    Compiled modules have in their names which Python they are for. Those of this package are for another one than the
    Python that is examined, which does not import them.

    Why it breaks:
    `import numpy` ends with "No module named 'numpy._core._multiarray_umath'". It happens where a folder of packages
    was copied from another environment or image, after `pip install --target` with another Python's pip, and where
    PYTHONPATH leads to the packages of another Python.

    How to fix it:
    Install the same release again with this Python's installer. Take folders of another Python out of PYTHONPATH.

    When to ignore it:
    If nothing imports the package.

    Sources:
    https://peps.python.org/pep-3149/
    https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/
    """
    if not packages.foreign:
        return
    # What a message says of its build is not what the names of its files say: one for every Python may be among them.
    is_told = not any("/" in one.path or "\\" in one.path for one in packages.foreign)
    yield problem(
        _summary(packages.foreign, scene),
        *tuple(seen(one.path, f"a module for Python {one.python}") for one in packages.foreign[:5]),
        confidence="likely" if is_told else "certain",
        fixes=tuple(_fixes(packages.foreign, scene, frameworks, matrix)),
    )


def _summary(foreign: tuple[Foreign, ...], scene: Scene) -> str:
    names = [one.package for one in foreign]
    listed = in_words(names) if len(names) < 5 else f"{', '.join(names[:4])} and {len(names) - 4} more"
    pythons = in_words(sorted({one.python for one in foreign}))
    built = f"{listed} {'was' if len(names) == 1 else 'were'} built for Python {pythons}"
    return f"{built}, and this is Python {scene.python_minor}." if scene.python_minor else f"{built}."


def _fixes(
    foreign: tuple[Foreign, ...], scene: Scene, frameworks: Frameworks | Gap | None, matrix: Matrix
) -> Iterator[Fix]:
    """Those of the environment anew; a folder on PYTHONPATH is the user's, and goes for another Python."""
    lent = scene.target.python_path if scene.target else ()
    where = {one.package: package.location for one in foreign if (package := scene.find(one.package)) is not None}
    folders = tuple(dict.fromkeys(folder for folder in where.values() if folder is not None and folder in lent))
    own = tuple(one.package for one in foreign if where.get(one.package) not in folders)
    if folders:
        text = f"Take {in_words(folders)} out of PYTHONPATH: it is for another Python."
        yield by_hand("Take it out of PYTHONPATH", text)
    torch = frameworks.get("torch") if isinstance(frameworks, Frameworks) else None
    if len(own) == 1 and own[0] in LINKED and torch is not None and scene.find(own[0]) is None:
        yield _beside_torch(own[0], torch, scene, matrix)
    elif own:
        python = f" for Python {scene.python_minor}" if scene.python_minor else ""
        yield reinstall(scene, own, f"Install {in_words(own[:4])} again{python}")


def _beside_torch(name: str, torch: Framework, scene: Scene, matrix: Matrix) -> Fix:
    """An extension of PyTorch, of which only a message tells: pip would bring its own torch with it."""
    # Imported here: hardly any machine has one.
    from gpudoctor.plan.extension_beside import extension_beside

    made = extension_beside(name, torch, scene, matrix)
    if made is not None and made.safety != "manual":
        return made
    tag = f"cp{scene.python_minor.replace('.', '')}" if scene.python_minor else "its tag"
    text = f"From where this one came, take the wheel with {tag} in its name. Install it with --no-deps, without which "
    text += f"pip replaces torch {torch.version}; where there is none, build it with --no-deps --no-build-isolation."
    return by_hand(f"Install the {name} for Python {scene.python_minor or 'here'}", text)
