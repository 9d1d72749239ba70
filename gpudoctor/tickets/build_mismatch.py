"""Errors that a package was built for another version than is there: xformers, DeepSpeed, apex, extensions."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.python import Foreign, Framework, Frameworks, Interpreter, Packages
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.sources.build_tags import local_part, parse_tag
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

XFORMERS, BUILD = "xformers' warning", "the check of a build"

_TORCH = re.compile(r"PyTorch (\d\S*) with CUDA (\d+|None) \(you have (\d[\w.+]*)\)")
_PYTHON = re.compile(r"\bPython +([23]\.\d+\.\d+) \(you have ([23]\.\d+\.\d+)\)")
#: DeepSpeed; torch.utils.cpp_extension, in two wordings.
_FOUND_AND_WANTED = re.compile(
    r"Installed CUDA version (\d+\.\d+) does not match the version torch was compiled with (\d+\.\d+)"
    r"|detected CUDA version \((\d+\.\d+)\) (?:mismatches|has a minor version mismatch with) the version that was"
    r" used to compile(?: PyTorch \((\d+\.\d+)\))?"
)
_WANTED = re.compile(r"(?:Pytorch binaries were compiled with Cuda|^\s*PyTorch \(?)\s?(\d+\.\d+)", re.I)


def parse_built_for(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    body = text.text
    return (*(_xformers(text) if "(you have " in body else ()), *(_built(text) if "compile" in body else ()))


def _xformers(text: Pasted) -> tuple[Fragment, ...]:
    """The installed versions are those in brackets; the others are those of the machine that built xformers."""
    found: list[Fragment] = []
    for number, match in text.found(_TORCH):
        both = (*_torch(number, match[3]).found, _extension(number, match[1], match[2]))
        found += fragment(XFORMERS, (number,), REPORT, frameworks=Frameworks(found=both))
        break
    for number, match in text.found(_PYTHON):
        python = Interpreter(executable="python", chosen_by="report", version=match[2])
        built, own = (release.rpartition(".")[0] for release in (match[1], match[2]))
        other = Foreign(package="xformers", path=XFORMERS, python=built)
        packages = Packages(foreign=(other,), excerpt=True) if built != own else None
        found += fragment(XFORMERS, (number,), REPORT, interpreter=python, packages=packages)
        break
    return tuple(found)


def _extension(number: int, torch: str, cuda: str) -> Framework:
    """Xformers as it was built: its CUDA is 1201, for 12.1; None where it has no GPU code."""
    parsed = CudaVersion(f"{int(cuda) // 100}.{int(cuda) % 100}") if cuda.isdigit() and int(cuda) > 100 else None
    return Framework(name="xformers", built_for_torch=torch, cuda=parsed, source=source(XFORMERS, number))


def _torch(number: int, version: str) -> Frameworks:
    variant, cuda = parse_tag(local_part(version))
    where = source(XFORMERS, number)
    return Frameworks(found=(Framework(name="torch", version=version, variant=variant, cuda=cuda, source=where),))


def _built(text: Pasted) -> tuple[Fragment, ...]:
    """The toolkit that was found, and the CUDA that torch was built with."""
    for number, match in text.found(_FOUND_AND_WANTED):
        wanted = match[2] or match[4]
        if wanted is None:
            later = (_WANTED.search(line) for line in text.lines[number : number + 2])
            wanted = next((one[1] for one in later if one), None)
        toolkit = Toolkit(
            root="the nvcc on PATH", version=CudaVersion.parse(match[1] or match[3]), source=source(BUILD, number)
        )
        return fragment(
            BUILD, (number,), REPORT, toolkits=Toolkits(found=(toolkit,)), frameworks=_cuda_of_torch(number, wanted)
        )
    for number, match in text.found(_WANTED):
        if "binaries" in match[0].lower():
            return fragment(BUILD, (number,), REPORT, frameworks=_cuda_of_torch(number, match[1]))
    return ()


def _cuda_of_torch(number: int, cuda: str | None) -> Frameworks | None:
    if cuda is None:
        return None
    torch = Framework(name="torch", variant="cuda", cuda=CudaVersion.parse(cuda), source=source(BUILD, number))
    return Frameworks(found=(torch,))
