"""NVIDIA's CUDA libraries from PyPI: conflicts between CUDA majors, and links to libraries not found."""

import posixpath
from collections.abc import Mapping

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Run, run
from gpudoctor.facts.plan import Place
from gpudoctor.facts.python import Packages
from gpudoctor.facts.scene import Scene
from gpudoctor.plan.places import Steps, new_folder

#: NVIDIA's libraries whose distribution carries the CUDA major, and whose files lie in the same folder for each major.
_LIBRARY = re.compile(
    r"(nvidia-(?:cublas|cuda-(?:cccl|cupti|nvcc|nvrtc|runtime)|cudnn|cufft|cufile|curand|cusolver|cusparse|cusparselt"
    r"|nccl|npp|nvjitlink|nvjpeg|nvshmem|nvtx))-cu(\d+)"
)


def left_over(packages: Packages | None, majors: frozenset[int]) -> tuple[str, ...]:
    """NVIDIA's installed libraries for CUDA majors other than these, whose files those of these majors would share."""
    return tuple(
        package.name
        for package in (packages.installed if packages is not None else ())
        if (match := _LIBRARY.fullmatch(package.name)) and int(match.group(2)) not in majors
    )


def namesakes(packages: Packages, names: tuple[str, ...], majors: frozenset[int]) -> tuple[str, ...]:
    """The installed libraries for these majors that share files with some others, and lose them when those go."""
    bases = dict.fromkeys(match.group(1) for name in names if (match := _LIBRARY.fullmatch(name)))
    wanted = (f"{base}-cu{major}" for base in bases for major in sorted(majors))
    return tuple(name for name in wanted if packages.find(name) is not None)


def owners_of_the_same(scene: Scene, requirements: tuple[str, ...]) -> tuple[str, ...]:
    """The installed distributions that own files of NVIDIA's libraries which are asked for, for another CUDA major."""
    asked = [match for text in requirements if (match := _LIBRARY.match(text))]
    packages = scene.packages if isinstance(scene.packages, Packages) else None
    found: dict[str, None] = {}
    for match in asked:
        base, major = match.group(1), int(match.group(2))
        for name in left_over(packages, frozenset((major,))):
            if name.rpartition("-cu")[0] == base:
                found[name] = None
    return tuple(found)


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
