"""TLK005: Triton links to libcuda.so, but only libcuda.so.1 exists."""

from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Driver, Environ, Frameworks, Gap, Gpus, Libraries, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, Run, SetEnv, problem, rule, run, seen

#: From here on Triton links to libcuda.so.1 itself (triton/runtime/build.py of the wheels 3.5.0, 3.6.0 and 3.7.0).
FIRST_WITHOUT_LINK = numbers_of("triton-links-by-soname")
#: Folder for a link of one's own, below the home folder.
OWN_FOLDER = ".local/lib/libcuda"


@rule("TLK005", name="triton-libcuda-link", severity="warning", when="libraries.libcuda_link=False, frameworks.triton")
def triton_libcuda_link(
    gpus: Gpus,
    frameworks: Frameworks,
    libraries: Libraries,
    driver: Driver,
    environ: Environ | Gap | None,
    host: System,
) -> Iterator[Problem]:
    """Triton links to libcuda.so, but only libcuda.so.1 exists.

    What it means:
    `torch.compile` uses Triton, and Triton compiles a small C program that is linked to the NVIDIA driver's library.
    The C compiler looks for it under the name libcuda.so. The driver is installed without that name.

    Why it breaks:
    The first call ends with "/usr/bin/ld: cannot find -lcuda". Some driver packages and older container tools bring
    the file libcuda.so.1 only. Everything else in PyTorch works.

    How to fix it:
    Make a link libcuda.so beside libcuda.so.1, or in a folder of your own that TRITON_LIBCUDA_PATH names. Installing
    CUDA again does not help.

    When to ignore it:
    If you do not use torch.compile or Triton kernels. From Triton 3.6 on (torch 2.10) the name is not needed.

    Sources:
    https://github.com/triton-lang/triton/blob/main/third_party/nvidia/backend/driver.py (libcuda_dirs)
    """
    triton = frameworks.get("triton")
    if not gpus.nvidia or triton is None or host.os != "linux" or libraries.libcuda_link is not False:
        return
    if (release_numbers(triton.version) or (0,)) >= FIRST_WITHOUT_LINK:
        return
    library = driver.library("libcuda.so.1")
    if library is None or (isinstance(environ, Environ) and environ.get("TRITON_LIBCUDA_PATH")):
        return
    folder = library.path.rpartition("/")[0]
    link = run("ln", "-s", "libcuda.so.1", f"{folder}/libcuda.so")
    yield problem(
        f"{folder}/libcuda.so, which torch.compile and Triton link to at first use, is missing.",
        seen("driver library", library.path, driver.source),
        seen(f"{folder}/libcuda.so", "missing"),
        subject="triton",
        confidence="likely",
        fixes=(
            Fix(
                "Make the link beside the driver's library",
                "review",
                (link,),
                needs_root=True,
                undo=f"rm {folder}/libcuda.so",
            ),
            Fix("Without root: a link in a folder of your own", "safe", _own_link(library.path, host)),
        ),
    )


def _own_link(library: str, host: System) -> tuple[Run | SetEnv | Ask, ...]:
    """Written out in full: a shell does not expand ~ or $HOME inside quotes."""
    home = host.space("home")
    if home is None:
        text = (
            f"Make a folder of your own with a link libcuda.so to {library}, and set TRITON_LIBCUDA_PATH to the folder."
        )
        return (Ask(text=text),)
    folder = f"{home.path.rstrip('/')}/{OWN_FOLDER}"
    return (
        run("mkdir", "-p", folder),
        run("ln", "-s", library, f"{folder}/libcuda.so"),
        SetEnv(name="TRITON_LIBCUDA_PATH", value=folder),
    )
