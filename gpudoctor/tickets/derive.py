"""What follows from what is stated: a build from a package, a platform from a system. Nothing is guessed."""

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Section
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.facts.system import Container, System, Wsl
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.installed_builds import Builds, framework_of
from gpudoctor.tickets.fragment import Fragment, fragment, source
from gpudoctor.tickets.machine_words import is_wsl

#: GPUs of machines with ARM processors.
_ON_ARM = re.compile(r"GH200|GB10\b|GB200|GB300|Orin|Xavier|Thor|Tegra|\bnvgpu\b|T4G", re.I)


def of_packages(fragments: tuple[Fragment, ...]) -> tuple[Fragment, ...]:
    """For each list of packages, the frameworks in it."""
    made: list[Fragment] = []
    for one in fragments:
        packages = one.sections.get("packages")
        if isinstance(packages, Packages):
            found = tuple(
                framework
                for package in packages.installed
                if (framework := framework_of(package, packages, source(one.form, one.lines[0]))) is not None
            )
            made += fragment(one.form, one.lines, one.rank, frameworks=Frameworks(found=found) if found else None)
    return tuple(made)


def completed(sections: dict[str, Section], matrix: Matrix) -> dict[str, Section]:
    """The sections with what follows from them."""
    made = dict(sections)
    made.update(_system(made))
    frameworks, packages = made.get("frameworks"), made.get("packages")
    if isinstance(frameworks, Frameworks):
        host, interpreter = made.get("host"), made.get("interpreter")
        context = Builds(
            matrix,
            packages if isinstance(packages, Packages) else None,
            host if isinstance(host, System) else None,
            interpreter if isinstance(interpreter, Interpreter) else None,
        )
        made["frameworks"] = Frameworks(found=tuple(context.completed(one) for one in frameworks.found))
    for name in ("toolkits", "environ"):
        if name in made:
            made[name] = msgspec.structs.replace(made[name], excerpt=True)
    interpreter = made.get("interpreter")
    if isinstance(interpreter, Interpreter) and interpreter.version and interpreter.version.count("."):
        numbers = interpreter.version.split(".")
        made["interpreter"] = msgspec.structs.replace(interpreter, abi=interpreter.abi or f"cp{numbers[0]}{numbers[1]}")
    return made


def _system(sections: dict[str, Section]) -> dict[str, Section]:
    """A discrete GPU whose model is not one of ARM machines is in an x86-64 one; a kernel of Microsoft's is WSL's."""
    made: dict[str, Section] = {}
    host, gpus, container = sections.get("host"), sections.get("gpus"), sections.get("container")
    if not isinstance(host, System):
        return made
    if host.arch is None and host.os in ("linux", "windows") and isinstance(gpus, Gpus) and gpus.nvidia:
        named = [gpu.name for gpu in gpus.nvidia if gpu.name]
        if named and not any(_ON_ARM.search(name) for name in named):
            made["host"] = msgspec.structs.replace(host, arch="x86_64")
    if is_wsl(host.kernel or ""):
        known = container if isinstance(container, Container) else Container()
        made["container"] = msgspec.structs.replace(known, wsl=known.wsl or Wsl(version=2))
    return made
