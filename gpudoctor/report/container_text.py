"""Renders the chosen container image and the command that starts it as text."""

from collections.abc import Iterator

from gpudoctor.facts.fix import Run
from gpudoctor.report.commands import step_lines
from gpudoctor.report.fit_lines import FitLine, machine_words
from gpudoctor.report.fit_text import blocks_text
from gpudoctor.report.terminal import Style
from gpudoctor.verify.choose_image import ImageChoice

TOOLKIT = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"


def container_text(choice: ImageChoice, style: Style) -> str:
    """The command, what is in the image, and why not a newer one."""
    blocks = [(FitLine("what", f"For {machine_words(choice.machine)}:"),)]
    if choice.refused:
        return blocks_text([*blocks, (FitLine("what", choice.refused),)], style)
    lines = step_lines(Run(argv=choice.command), windows=choice.machine.os == "windows")
    return blocks_text([*blocks, tuple(FitLine("command", line) for line in lines), tuple(_about(choice))], style)


def _about(choice: ImageChoice) -> Iterator[FitLine]:
    row = choice.image
    assert row is not None
    parts = (
        f"{row.image} {row.version}" if row.version else "",
        f"CUDA {row.cuda}" if row.cuda else "",
        f"cuDNN {row.cudnn}" if row.cudnn else "",
        f"Python {row.python}" if row.python else "",
    )
    yield FitLine("what", f"{choice.command[-1]}: {', '.join(filter(None, parts))}")
    if choice.newest:
        yield FitLine("not", f"not {choice.newest}: {choice.newest_because}")
    yield FitLine("but", f"It needs Docker and the NVIDIA Container Toolkit: {TOOLKIT}")
    yield FitLine("source", f"source ({row.confidence}, {row.checked}): {row.source}")
