"""Collects the facts from the rows of one tool's report."""

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Section
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import DeviceList, Live
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.sources.build_tags import local_part, parse_tag
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source

_YES = {"true": True, "yes": True, "false": False, "no": False}
_NUMBER = re.compile(r"(\d+\.\d+(?:\.\d+)*[\w.]*(?:\+[\w.]+)?)")


class Reading(msgspec.Struct):
    """What rows of one tool add up to."""

    form: str
    lines: list[int] = []
    frameworks: dict[str, Framework] = {}
    live: dict[str, DeviceList] = {}
    gpus: list[Gpu] = []
    sections: dict[str, Section] = {}

    def framework(self, name: str, text: str, number: int) -> None:
        """Note a framework's version, where the text is one."""
        match = _NUMBER.match(text.strip().lstrip("v"))
        if match:
            variant, cuda = parse_tag(local_part(match[1]))
            self.frameworks[name] = Framework(
                name=name, version=match[1], variant=variant, cuda=cuda, source=source(self.form, number)
            )

    def available(self, name: str, text: str) -> None:
        """Note whether it says that it can use a GPU."""
        flag = _YES.get(text.strip("() .").lower())
        if flag is not None:
            self.live[name] = DeviceList(framework=name, gpu_available=flag)

    def fragment(self) -> tuple[Fragment, ...]:
        """The fragment of it all."""
        return fragment(
            self.form,
            self.lines,
            REPORT,
            frameworks=Frameworks(found=tuple(self.frameworks.values())) if self.frameworks else None,
            live=Live(devices=tuple(self.live.values())) if self.live else None,
            gpus=Gpus(devices=tuple(self.gpus)) if self.gpus else None,
            **self.sections,
        )
