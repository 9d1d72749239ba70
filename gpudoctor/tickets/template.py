"""What people fill into issue forms: "- GPU model and memory: RTX 3090 24GB"; and the headings of newer forms."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.system import Container, Wsl
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.sources.build_tags import local_part, parse_tag
from gpudoctor.tickets.fragment import WORDS, Fragment, fragment, source
from gpudoctor.tickets.machine_words import is_wsl, of_os, python_version
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.products import models

FORM = "the reporter's words"

_KINDS = {
    "os": r"os(?: platform and distribution|[ /]platform|[ /]distribution| version)?"
    r"|operating system(?: version)?|distro(?:/kernel version)?|platform|system",
    "tensorflow": r"tensor ?flow(?:[ -]gpu)?(?: version)?(?: \(use command below\))?|tf version",
    "torch": r"(?:py)?torch(?: version)?(?: \(e\.g\.,? [\d.]+\))?",
    "jax": r"jax(?: version)?",
    "python": r"python(?: version)?",
    "gpu": r"(?:nvidia )?gpus?(?: model)?(?:s? and memory)?|graphics? cards?|gpu (?:type|name"
    r"|models? and configuration)|video card",
    "driver": r"(?:nvidia |gpu |cuda |graphics )*drivers?(?: version)?|nvidia-smi|nvidia driver",
    "cuda": r"cuda(?: toolkit)?(?:/cudnn)?(?:[ ,]+cudnn)?(?: version)?",
}
_WORDS = "|".join(f"(?P<{name}>{words})" for name, words in _KINDS.items())
_LABEL = re.compile(
    rf"^\s*(?:(?:[-+•]|#+)\s*)?(?:\*+\s*){{0,2}}(?:{_WORDS})\s*(?:\((?:e\.g\.|if |use )[^)]*\)?\)?\s*)?(?:\*+\s*)?"
    r"(?P<mark>[:=]|(?<=\s)-\s|$)\s*(?:\*+\s*)?(?P<value>.*)$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?(?:(?:a|b|rc|[.-]?dev)\d+)?(?:\+[\w.]+)?)(?![\d])")


def parse_template(text: Pasted) -> tuple[Fragment, ...]:
    """What is stated under such labels."""
    return tuple(
        one
        for name, number, value in _filled(text)
        for one in (
            _offered(number, value) if name == "cuda" and _is_smi(text, number) else _fragment(name, number, value)
        )
    )


def _is_smi(text: Pasted, number: int) -> bool:
    """The pair that nvidia-smi heads its table with, one below the other: it is the CUDA that the driver offers."""
    below = re.match(r"^\W*CUDA Version\W", text.lines[number - 1])
    return bool(below and number > 1 and re.match(r"^\W*Driver Version\W+\d{3}\.", text.lines[number - 2]))


def _offered(number: int, value: str) -> tuple[Fragment, ...]:
    cuda = CudaVersion.parse(value)
    driver = Driver(cuda=cuda, source=source(FORM, number)) if cuda else None
    return fragment(FORM, (number,), WORDS, driver=driver)


def _filled(text: Pasted) -> Iterator[tuple[str, int, str]]:
    """(kind, line, value). A heading has its value on the next line that says something."""
    seen = set()
    for number, match in text.matches(_LABEL):
        name = next(kind for kind in _KINDS if match[kind])
        value, line = match["value"].strip(" *`_"), number
        is_heading = text.lines[number - 1].lstrip().startswith("#")
        if not value and is_heading:
            line, value = next(
                (
                    (later, said.strip(" *`_"))
                    for later, said in enumerate(text.lines[number : number + 4], number + 1)
                    if said.strip()
                ),
                (number, ""),
            )
            value = "" if value.startswith("#") else value
        elif not value and name == "gpu" and match["mark"] == ":":
            yield from _listed(text, number)
            continue
        elif not value or not match["mark"] or (match["mark"] not in (":", "=") and not is_heading):
            continue
        if (
            value
            and value.lower() not in ("n/a", "no response", "_no response_", "-", "none")
            and (name, value) not in seen
        ):
            seen.add((name, value))
            yield name, line, value


def _listed(text: Pasted, start: int) -> Iterator[tuple[str, int, str]]:
    """GPUs as a list under their label, each behind a bullet; told on one line, as they are of one machine."""
    rows: list[str] = []
    for line in text.lines[start : start + 18]:
        if not line.strip() and not rows:
            continue
        bullet = re.match(r"^\s*[-*+•]\s*-?\s*(\S.*)$", line)
        if bullet is None or not any(models(bullet[1])):
            break
        rows.append(bullet[1])
    if rows:
        yield "list of GPUs", start, ", ".join(rows)[:160]


def _fragment(name: str, number: int, value: str) -> tuple[Fragment, ...]:
    where = source(FORM, number)
    if len(value) > 160:
        return ()
    if name == "os":
        return fragment(FORM, (number,), WORDS, host=of_os(value), container=_wsl(value))
    if name == "python" and (version := python_version(value)):
        interpreter = Interpreter(executable="python", chosen_by="report", version=version)
        return fragment(FORM, (number,), WORDS, interpreter=interpreter)
    if name in ("gpu", "list of GPUs"):
        # Under "GPU:" a product is often told twice; in a list each row is one GPU.
        named = models(value) if name != "gpu" else dict.fromkeys(models(value))
        gpus = tuple(Gpu(vendor="nvidia", name=model, source=where) for model in named)
        return fragment(FORM, (number,), WORDS, gpus=Gpus(devices=gpus) if gpus else None)
    if name == "driver":
        found = re.search(r"(?<![\d.])(\d{3}\.\d{2,3}(?:\.\d{1,3})?)(?![\d.]*\d)", value)
        driver = Driver(release=DriverRelease.parse(found[1]), source=where) if found else None
        return fragment(FORM, (number,), WORDS, driver=driver)
    if name == "cuda":
        found = re.match(r"(?:cuda)?[ :=v]*(\d{1,2}\.\d)(?:\.\d+)*(?![\d.])", value, re.I)
        toolkit = (
            Toolkit(root="the CUDA that the reporter names", version=CudaVersion.parse(found[1]), source=where)
            if found
            else None
        )
        return fragment(FORM, (number,), WORDS, toolkits=Toolkits(found=(toolkit,)) if toolkit else None)
    return _framework(name, number, value)


def _wsl(value: str) -> Container | None:
    named = re.search(r"\bwsl\W?(1\b(?!\.\d))?", value, re.I)
    if named is None and not is_wsl(value):
        return None
    return Container(wsl=Wsl(version=1 if named and named[1] else 2))


def _framework(name: str, number: int, value: str) -> tuple[Fragment, ...]:
    """The last number of "v2.16.1-0-g5bc9d26649c 2.16.1"; nothing where several releases are named."""
    found = {match[1] for match in _NUMBER.finditer(re.sub(r"v?\d+\.\d+\.\d+\S*-g[0-9a-f]+", "", value))}
    if len(found) != 1 or not re.match(r"\W*(?:tf|tensorflow|torch|pytorch|v|\d|jax|stable|latest)", value, re.I):
        return ()
    version = found.pop()
    if name in ("torch", "jax") and version.count(".") == 1 and int(version.split(".")[0]) > 2:
        return ()
    dist = next(
        (one for one in ("tensorflow-gpu", "tensorflow-cpu", "tf-nightly-gpu", "tf-nightly") if one in value.lower()),
        None,
    )
    variant, cuda = parse_tag(local_part(version))
    framework = Framework(
        name=name, dist=dist, version=version, variant=variant, cuda=cuda, source=source(FORM, number)
    )
    return fragment(FORM, (number,), WORDS, frameworks=Frameworks(found=(framework,)))
