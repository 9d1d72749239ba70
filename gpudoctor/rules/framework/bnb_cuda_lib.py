"""FRM025: no compiled library of bitsandbytes exists for the CUDA version it would use."""

from gpudoctor.facts.finding import Severity
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.places import install, safety
from gpudoctor.rules.builds import release_numbers, release_of
from gpudoctor.rules.sections import (
    Environ,
    Framework,
    Frameworks,
    Gap,
    Gpus,
    Libraries,
    LibraryCopy,
    Scene,
    System,
    Toolkits,
)
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, SetEnv, problem, rule, seen

#: The first release with wheels for Windows, and with CUDA libraries found through torch.
FIRST_MODERN = numbers_of("bitsandbytes-windows")
#: From here on it takes the CUDA version of torch; before, that of the runtime it found (CHANGELOG.md, 0.41.0).
FIRST_WITH_TORCH = numbers_of("bitsandbytes-torch-cuda")
#: Where those looked last, after the conda environment and the paths in variables.
LAST_RESORT = "/usr/local/cuda"
VARIABLE = "BNB_CUDA_VERSION"

#: What is wrong, how grave it is where not an error, what shows it.
Fault = tuple[str, Severity | None, tuple[Evidence, ...]]


@rule(
    "FRM025",
    name="bnb-cuda-lib",
    severity="error",
    when="frameworks.bitsandbytes, frameworks.torch.variant=cuda, gpus.nvidia",
)
def bnb_cuda_lib(
    gpus: Gpus,
    frameworks: Frameworks,
    host: System,
    libraries: Libraries | Gap | None,
    toolkits: Toolkits | Gap | None,
    environ: Environ | Gap | None,
    scene: Scene,
) -> Iterator[Problem]:
    """No compiled library of bitsandbytes exists for the CUDA version it would use.

    What it means:
    bitsandbytes brings one compiled part for each CUDA version and takes the one of torch's CUDA, or the one that the
    variable BNB_CUDA_VERSION names. That one is not there, or cannot be loaded.

    Why it breaks:
    A release older than your torch lacks the part. Before 0.43 there was none for Windows, and on Linux the CUDA
    runtime of the same version had to be on the library path. Before 0.41 it did not ask torch at all: it took the
    version of the CUDA runtime that it found, in the end the toolkit in /usr/local/cuda. A BNB_CUDA_VERSION left over
    from another attempt asks for a part that does not exist.

    How to fix it:
    Install a current bitsandbytes, and unset BNB_CUDA_VERSION where it is set. Changing LD_LIBRARY_PATH is not needed.

    When to ignore it:
    If you do not use 8-bit or 4-bit layers.

    Sources:
    https://huggingface.co/docs/bitsandbytes/main/en/installation
    https://github.com/bitsandbytes-foundation/bitsandbytes/blob/main/CHANGELOG.md (0.41.0), and its
    bitsandbytes/cuda_setup/main.py of 0.39 (determine_cuda_runtime_lib_path)
    https://huggingface.co/posts/Titus-von-Koeller/208953986335856 (Windows is supported from release 0.43.0 on)
    """
    bnb, torch = frameworks.get("bitsandbytes"), frameworks.get("torch")
    if not gpus.nvidia or bnb is None or torch is None or torch.variant != "cuda" or torch.cuda is None:
        return
    override = environ.get(VARIABLE) if isinstance(environ, Environ) else None
    fault = _override(bnb, torch, override) if override else _old_release(bnb, torch, host, libraries)
    fault = fault or (None if override else _of_the_toolkit(bnb, host, libraries, toolkits, environ))
    fault = fault or _absent_part(bnb, torch, override)
    if fault is None:
        return
    summary, severity, evidence = fault
    upgrade = Fix(
        title="Install a current bitsandbytes",
        safety=safety(scene),
        # With torch named, the newest bitsandbytes that takes this torch; without, another torch may come.
        steps=install(scene, "bitsandbytes>=0.43", *_as_it_is(torch), options=("--upgrade",)),
        undo=f"install bitsandbytes=={bnb.version}",
    )
    unset = Fix(f"Unset {VARIABLE}", "safe", (SetEnv(name=VARIABLE, value=None),), undo=f"export {VARIABLE}={override}")
    yield problem(
        summary,
        seen("torch", f"{torch.version or 'unknown version'}, CUDA {torch.cuda}", torch.source),
        *evidence,
        subject=bnb.label,
        severity=severity,
        confidence="likely",
        fixes=(unset, upgrade) if override else (upgrade,),
    )


def _digits(framework: Framework) -> str:
    return f"{framework.cuda.major}{framework.cuda.minor}" if framework.cuda else ""


def _override(bnb: Framework, torch: Framework, wanted: str) -> Fault | None:
    evidence = (seen(VARIABLE, wanted), seen("parts present", _parts(bnb)))
    if bnb.cuda_parts is None:
        if wanted == _digits(torch):
            return None
        return f"{VARIABLE}={wanted} makes {bnb.label} look for a part of another CUDA than torch's.", "info", evidence
    if wanted in bnb.cuda_parts:
        return None
    return f"{VARIABLE}={wanted} makes {bnb.label} look for a part that it does not have.", None, evidence


def _old_release(bnb: Framework, torch: Framework, host: System, libraries: Libraries | Gap | None) -> Fault | None:
    numbers = release_numbers(bnb.version)
    if numbers is None or numbers >= FIRST_MODERN:
        return None
    if host.os == "windows":
        return f"{bnb.label} has no parts for Windows; 0.43 is the first that has.", None, (seen("system", "Windows"),)
    if not isinstance(libraries, Libraries) or torch.cuda is None or not libraries.copies:
        return None
    runtimes = [one for one in libraries.copies if one.family == "cudart" and one.origin != "bundled"]
    if any(one.cuda_major in (torch.cuda.major, None) for one in runtimes):
        return None
    found = ", ".join(one.path for one in runtimes) or "none"
    text = f"{bnb.label} looks for CUDA {torch.cuda.major}'s runtime on the library path and finds none."
    return text, None, (seen("CUDA runtimes found", found),)


def _of_the_toolkit(
    bnb: Framework,
    host: System,
    libraries: Libraries | Gap | None,
    toolkits: Toolkits | Gap | None,
    environ: Environ | Gap | None,
) -> Fault | None:
    """The part for the toolkit's CUDA, which old releases take where nothing else is found, is not there."""
    numbers = release_numbers(bnb.version)
    if numbers is None or numbers >= FIRST_WITH_TORCH or host.os != "linux" or not bnb.cuda_parts:
        return None
    if not isinstance(toolkits, Toolkits) or not isinstance(environ, Environ) or environ.get("LD_LIBRARY_PATH"):
        return None
    # The runtime of a conda environment is found first; a wheel's has no such name, libcudart.so.
    if isinstance(libraries, Libraries) and any(_is_found_first(one) for one in libraries.copies):
        return None
    taken = next((one for one in toolkits.found if one.is_default or one.root == LAST_RESORT), None)
    if taken is None or taken.version is None:
        return None
    wanted = f"{taken.version.major}{taken.version.minor}"
    if wanted in bnb.cuda_parts:
        return None
    text = f"{bnb.label} has no part for CUDA {taken.version} of {taken.root}, which it takes instead of torch's."
    return text, None, (seen("toolkit", f"CUDA {taken.version} in {taken.root}"), seen("parts present", _parts(bnb)))


def _is_found_first(copy: LibraryCopy) -> bool:
    return copy.family == "cudart" and copy.origin == "conda"


def _absent_part(bnb: Framework, torch: Framework, override: str | None) -> Fault | None:
    if override or bnb.cuda_parts is None or _digits(torch) in bnb.cuda_parts:
        return None
    if not bnb.cuda_parts:
        text = f"{bnb.label} has no compiled part for CUDA: it is a copy of the sources, or was built for other GPUs."
        return text, None, (seen("its folder", bnb.location or "not known"), seen("parts present", "none"))
    major = str(torch.cuda.major) if torch.cuda else ""
    # Within a major a near part may be taken; of another major none can.
    severity: Severity | None = "info" if any(part.startswith(major) for part in bnb.cuda_parts) else None
    text = f"{bnb.label} has no part for CUDA {torch.cuda}, which torch uses."
    return text, severity, (seen("parts present", _parts(bnb)),)


def _parts(bnb: Framework) -> str:
    return ", ".join(bnb.cuda_parts) or "none" if bnb.cuda_parts is not None else "not known"


def _as_it_is(torch: Framework) -> tuple[str, ...]:
    """The requirement that keeps the torch that is installed."""
    return (f"torch=={release_of(torch.version)}",) if torch.version is not None else ()
