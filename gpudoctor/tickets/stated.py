"""What a text states otherwise, so that it needs no hearsay: sections, frameworks and packages by name."""

from gpudoctor.facts.base import Section
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.python import Frameworks, Packages
from gpudoctor.facts.system import System
from gpudoctor.tickets.fragment import Fragment

#: The field without which a section does not state what people tell of it.
_DECIDES = {"driver": "release", "gpus": "devices", "toolkits": "found", "interpreter": "version"}


def stated_in(fragments: tuple[Fragment, ...]) -> set[str]:
    """What needs no hearsay: the sections that are stated, and the frameworks and packages by name."""
    found: set[str] = set()
    for one in fragments:
        sections: dict[str, Section] = one.sections
        found.update(name for name, section in sections.items() if getattr(section, _DECIDES.get(name, ""), None))
        if isinstance(libraries := sections.get("libraries"), Libraries):
            found.update(copy.family for copy in libraries.copies if copy.family == "cudnn")
        # A path tells the kind of system only; which distribution it is people say.
        if isinstance(host := sections.get("host"), System) and (host.distribution or host.os != "linux"):
            found.add("host")
        if isinstance(host, System) and host.kernel:
            found.add("kernel")
        if isinstance(driver := sections.get("driver"), Driver) and driver.cuda:
            found.add("offered")
        if isinstance(frameworks := sections.get("frameworks"), Frameworks):
            found.update(framework.name for framework in frameworks.found if framework.version)
        if isinstance(packages := sections.get("packages"), Packages):
            found.update(package.name for package in packages.installed)
    return found
