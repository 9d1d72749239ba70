"""The types of snapshot sections that rules take as parameters: Gpus, Driver, Frameworks and others."""

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer, Driver, DriverLibrary
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Package, Packages
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.system import Container, Environ, System
from gpudoctor.facts.wish import Wish
from gpudoctor.knowledge.matrix.query import Matrix

__all__ = [
    "Answer",
    "Container",
    "Driver",
    "DriverLibrary",
    "Environ",
    "Framework",
    "Frameworks",
    "Gap",
    "Gpu",
    "Gpus",
    "Interpreter",
    "Libraries",
    "LibraryCopy",
    "Live",
    "Matrix",
    "Package",
    "Packages",
    "Scene",
    "System",
    "Toolkits",
    "Wish",
]
