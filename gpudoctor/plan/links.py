"""Links that mend a release which does not find a library that comes with it. Data only."""

import posixpath
from collections.abc import Mapping

from gpudoctor.facts.fix import Ask, Run, run
from gpudoctor.facts.plan import Place
from gpudoctor.facts.scene import Scene
from gpudoctor.plan.places import Steps, new_folder


def link_steps(links: Mapping[str, str], site_packages: str | None) -> tuple[Run | Ask, ...]:
    """Make them in the environment with this site-packages; None: its path is not known, and a person makes them."""
    if site_packages is None:
        return tuple(Ask(text=f"Below site-packages, {link_words(one, links[one])}.") for one in links)
    return tuple(
        run("ln", "-sf", posixpath.relpath(links[one], posixpath.dirname(one)), f"{site_packages}/{one}")
        for one in links
    )


def linked(steps: Steps, links: Mapping[str, str], scene: Scene) -> Steps:
    """Steps that install, and the links after them, in the environment that they make or in that of the scene."""
    place = Place(python=scene.python, venv=new_folder(steps), version=scene.python_minor)
    return (*steps, *link_steps(links, site_packages_of(place)))


def link_words(link: str, to: str) -> str:
    """What there is to do, in words."""
    return f"link {to} into {posixpath.dirname(link)}"


def site_packages_of(place: Place) -> str | None:
    """The folder of packages of an environment on Linux whose path and Python are known."""
    prefix = place.conda if place.conda is not None and "/" in place.conda else None
    if place.conda is None:
        prefix, is_path, _ = place.interpreter.rpartition("/bin/")
        prefix = prefix if is_path else None
    return f"{prefix}/lib/python{place.version}/site-packages" if prefix and place.version else None
