"""The data of `verify`: the machine given, and the verdict on each package, setting or image."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Packages
from gpudoctor.knowledge.matrix.types import Grade
from gpudoctor.plan.machine import Machine

#: fits: it does what it says on this machine. does not fit: it fails, or what it brings does not run or harms.
#: does nothing: it ends at once, and nothing has changed. not known: it was not, or could not be, judged.
Word = Literal["fits", "does not fit", "does nothing", "not known"]
#: Behind "does not fit": impossible, there is no such thing, on no machine; and "not here", it exists, but not for this
#: machine. Behind "not known": not in the tables, gpudoctor has no row of it; not asked, a fact that decides was not
#: given (which GPU, which driver), or the user's own index was not asked.
Grounds = Literal["impossible", "not here", "not in the tables", "not asked"]
#: What a verdict rests on.
Aspect = Literal[
    "version",
    "index",
    "python",
    "platform",
    "libc",
    "gpu",
    "cudnn",
    "driver",
    "companion",
    "bound",
    "installed",
    "replaces",
    "environment",
    "name",
    "option",
    "syntax",
]


class Given(Fact, frozen=True, kw_only=True):
    """The machine and the environment that commands are judged for. What is None was not given, and is not judged."""

    machine: Machine = Machine()
    #: What is installed. With `excerpt` another package may be there, too.
    packages: Packages | None = None
    #: The interpreter's path or name, and what kind of environment it is.
    python: str | None = None
    environment: Literal["venv", "conda", "conda-base", "system", "standalone"] | None = None
    #: The operating system's package manager refuses pip there (PEP 668).
    externally_managed: bool | None = None
    #: The Python that the first pip on PATH installs into, where it is another one.
    other_pip: str | None = None
    #: As /etc/os-release has it: ubuntu, 22.04.
    distribution: str | None = None
    distribution_version: str | None = None
    #: A GPU is to be used, whichever it is.
    for_gpu: bool = False
    #: The image that a Dockerfile builds upon; and what was given at the end of its other stages, by their names.
    base: str | None = None
    stage: str = ""
    stages: "dict[str, Given]" = {}
    #: Libraries that the text itself makes links to.
    linked: frozenset[str] = frozenset()


class Verdict(Fact, frozen=True, kw_only=True):
    """The judgement on one package, setting or image of a command."""

    #: The line of the text, from 1, and the file where one was named.
    line: int
    file: str | None = None
    #: The command as it was written, shortened; control characters taken out.
    command: str
    #: What is judged: torch==2.6.0.
    subject: str
    word: Word
    grounds: Grounds | None = None
    aspect: Aspect | None = None
    #: In a sentence; empty for what fits.
    because: str = ""
    #: The nearest command that fits.
    instead: str | None = None
    #: What it is: torch 2.6.0+cu126.
    build: str | None = None
    #: What a user should know although it fits.
    notes: tuple[str, ...] = ()
    #: Facts that were not given, so that they were not judged: GPU, driver.
    not_judged: tuple[str, ...] = ()
    source: str = ""
    checked: str = ""
    confidence: Grade | None = None


class Verdicts(Fact, frozen=True, kw_only=True):
    """Those of a text, in its order, and the one that counts for all of it."""

    word: Word
    found: tuple[Verdict, ...]


class Mistakes(Fact, frozen=True, kw_only=True):
    """What in Dockerfiles and Compose files keeps a GPU from being used."""

    files: tuple[str, ...]
    found: tuple[Verdict, ...]
    #: How many instructions were judged, and how many of them could not be.
    judged: int
    not_known: int


#: What counts first. A command of which a part does nothing does what the other part does.
ORDER: tuple[Word, ...] = ("does not fit", "not known", "fits", "does nothing")


def overall(found: tuple[Verdict, ...]) -> Word:
    """The word for a whole text: what does not fit outweighs what is not known; nothing at all is not known.

    Packages and programs that are not of this field ("name") count only where there is nothing else.
    """
    words = {one.word for one in found if one.word != "not known" or one.aspect != "name"}
    return next((word for word in ORDER if word in words), "not known")
