"""FRM009 ext-abi-mismatch."""

from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.python import Framework, Frameworks, Interpreter, Packages
from gpudoctor.model.system import System
from gpudoctor.plan.places import Scene, uninstall
from gpudoctor.rules._builds import release_numbers
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen

#: They have rules of their own.
COMPANIONS = ("torch", "torchvision", "torchaudio")
#: They are linked to the CUDA libraries that torch brings, whether a tag states their torch or not.
LINKED = ("flash-attn", "xformers", "torch-scatter", "torch-sparse", "torch-cluster", "mmcv", "detectron2", "pytorch3d")


@rule("FRM009", name="ext-abi-mismatch", severity="error", since="0.1")
def ext_abi_mismatch(
    frameworks: Frameworks,
    packages: Packages | Gap | None,
    interpreter: Interpreter | Gap | None,
    host: System | Gap | None,
) -> Iterator[Problem]:
    """A compiled extension was built for another torch than the installed one.

    What it means:
    A package such as flash-attn or xformers carries machine code that was linked against one build of torch. The
    installed torch is another one: another release, another CUDA major version or another C++ ABI.

    Why it breaks:
    The extension looks for functions under names that this torch does not have. Its import ends with
    "undefined symbol" or "cannot open shared object file".

    How to mend it:
    Take the wheel of the extension whose name states your torch release, your CUDA and your C++ ABI, or build it anew
    against the installed torch (`--no-build-isolation`). Or install the torch that the extension was built for.

    When to ignore it:
    If you do not use the extension; uninstalling it is cleaner.

    Sources:
    https://github.com/Dao-AILab/flash-attention/releases
    https://docs.pytorch.org/tutorials/advanced/cpp_extension.html
    """
    torch = frameworks.get("torch")
    if torch is None or torch.version is None:
        return
    scene = Scene(host=host, interpreter=interpreter, packages=packages)
    for extension in frameworks.found:
        differences = _differences(torch, extension)
        if extension.name in COMPANIONS or not differences:
            continue
        yield Problem(
            summary=f"{extension.label} was built for another torch: {'; '.join(differences)}.",
            subject=extension.label,
            evidence=(
                seen("torch", torch.version, torch.source),
                seen(f"{extension.label} was built for", _made_for(extension), extension.source),
            ),
            fixes=(
                Fix(
                    title=f"Install a {extension.name} made for torch {torch.version}",
                    safety="review",
                    steps=(
                        *uninstall(scene, extension.dist or extension.name),
                        Ask(
                            text=f"Install the {extension.name} wheel whose name states torch "
                            f"{'.'.join(str(n) for n in (release_numbers(torch.version) or ())[:2])}, your CUDA, ABI "
                            "and Python; or build it against the installed torch (pip install --no-build-isolation)."
                        ),
                    ),
                ),
            ),
        )


def _differences(torch: Framework, extension: Framework) -> tuple[str, ...]:
    """What is known to differ, in words."""
    found = []
    built, have = release_numbers(extension.built_for_torch), release_numbers(torch.version)
    if built and have and have[: min(2, len(built))] != built[:2]:
        found.append(f"built for torch {extension.built_for_torch}, installed is {torch.version}")
    is_linked = extension.built_for_torch is not None or extension.name in LINKED
    if is_linked and extension.cuda and torch.cuda and extension.cuda.major != torch.cuda.major:
        found.append(f"built for CUDA {extension.cuda}, torch has CUDA {torch.cuda}")
    abis = (extension.cxx11_abi, torch.cxx11_abi)
    if extension.built_for_torch and None not in abis and abis[0] != abis[1]:
        found.append(f"built for the C++11 ABI {_on(abis[0])}, torch has it {_on(abis[1])}")
    return tuple(found)


def _made_for(extension: Framework) -> str:
    torch = f"torch {extension.built_for_torch}" if extension.built_for_torch else None
    cuda = f"CUDA {extension.cuda}" if extension.cuda else None
    return ", ".join(one for one in (torch, cuda) if one) or "another ABI"


def _on(flag: bool | None) -> str:
    return "on" if flag else "off"
