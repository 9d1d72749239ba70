"""What commands in a text show: a container's GPU flags and image, nvidia-smi said to work."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.system import Container
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.sources.command_lines import Image as FrameworkImage
from gpudoctor.sources.command_lines import Started, images, started
from gpudoctor.tickets.fragment import HEARSAY, REPORT, WORDS, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.statements import statements_in

START, IMAGE, BANNER, WORKS = "the container's start", "the image's name", "the banner of a CUDA image", "nvidia-smi"

#: A name with a tag, or with the folder of who publishes it: what people make up for an example is one word.
_OF_SERVICE = re.compile(r"^\s+image: *[\"']?([\w.:/@-]{3,120}?)[\"']?\s*$", re.MULTILINE)
_REFERENCE = re.compile(r"[\w.-]+(?:/[\w.-]+)*(?:[:@][\w.:-]+)|[\w.-]+(?:/[\w.-]+)+")
_BANNER = re.compile(r"^CUDA Version (\d{1,2}\.\d)\.\d{1,3}$")


def parse_commands(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    return (*_start(text), *_images(text), *_banner(text), *_works(text))


def _start(text: Pasted) -> tuple[Fragment, ...]:
    """Whether GPUs were asked for, where every start agrees."""
    found = tuple(started(text.lines))
    if len({one.asks_for_gpus for one in found}) != 1:
        return ()
    engines = {one.engine for one in found}
    kind = "apptainer" if engines <= {"apptainer", "singularity"} else None
    container = Container(kind=kind, gpus_requested=found[0].asks_for_gpus, image=_image_of(found, text))  # type: ignore[arg-type]
    return fragment(START, found[0].lines, REPORT, container=container)


def _image_of(found: tuple[Started, ...], text: Pasted) -> str | None:
    """The image that all of them start; None where they differ, or where a word stands for it."""
    # Imported here: few texts start a container.
    from gpudoctor.verify.asked import Image
    from gpudoctor.verify.read_words import read_command
    from gpudoctor.verify.split_commands import Typed, commands

    lines = "\n".join("\n".join(text.lines[number - 1] for number in one.lines) for one in found)
    asked = (one for typed in commands(lines) if isinstance(typed, Typed) for one in read_command(typed))
    names = {one.name for one in asked if isinstance(one, Image)}
    # A compose file has one a service.
    names = names or set(_OF_SERVICE.findall("\n".join(text.lines)))
    name = names.pop() if len(names) == 1 else ""
    return name if _REFERENCE.fullmatch(name) else None


def _images(text: Pasted) -> tuple[Fragment, ...]:
    named = tuple(images(text.lines))
    if len({one[1:] for one in named}) != 1:
        return ()
    return fragment(IMAGE, (named[0].line,), HEARSAY, frameworks=Frameworks(found=(_framework(named[0]),)))


def _framework(one: FrameworkImage) -> Framework:
    return Framework(
        name=one.framework,
        version=one.version,
        variant="cuda" if one.cuda else "cpu",
        cuda=CudaVersion.parse(one.cuda),
        source=source(IMAGE, one.line),
    )


def _banner(text: Pasted) -> tuple[Fragment, ...]:
    """The toolkit of the image, below its ruled title."""
    for number, match in text.matches(_BANNER):
        if any(line.strip("= ") == "CUDA" and "==" in line for line in text.lines[max(0, number - 6) : number]):
            where = source(BANNER, number)
            toolkit = Toolkit(root="/usr/local/cuda", version=CudaVersion.parse(match[1]), source=where)
            return fragment(BANNER, (number,), toolkits=Toolkits(found=(toolkit,)), container=Container(kind="other"))
    return ()


def _works(text: Pasted) -> tuple[Fragment, ...]:
    said = next((one for one in statements_in(text) if one.statement.id == "nvidia-smi-works"), None)
    if said is None:
        return ()
    answer = Answer(outcome="answered", code=0, name="NVML_SUCCESS", source=source(WORKS, said.line))
    return fragment(WORKS, (said.line,), WORDS, driver=Driver(nvml=answer))
