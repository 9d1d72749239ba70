"""What the rows of one report add up to."""

import re

import msgspec

from gpudoctor.formats.build_tags import local_part, parse_tag
from gpudoctor.ingest.fragment import REPORT, Fragment, fragment, source
from gpudoctor.model.base import Section
from gpudoctor.model.gpus import Gpu, Gpus
from gpudoctor.model.live import DeviceList, Live
from gpudoctor.model.python import Framework, Frameworks

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
