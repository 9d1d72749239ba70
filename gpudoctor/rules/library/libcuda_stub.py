"""LIB007: programs load a stub library instead of the NVIDIA driver's library."""

from gpudoctor.rules.sections import Driver, Gap, Gpus, Libraries, Packages
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen

#: Packages that open the driver by the name libcuda.so before libcuda.so.1 (numba/cuda/cudadrv/driver.py).
BY_SHORT_NAME = ("numba", "numba-cuda")

#: CUDA_ERROR_STUB_LIBRARY, the answer of the stub to every call.
STUB_LIBRARY = 34


@rule(
    "LIB007",
    name="libcuda-stub",
    severity="error",
    when="gpus.nvidia, driver.libraries or driver.cuda_init.code=34 or libraries.search_path",
)
def libcuda_stub(
    gpus: Gpus, driver: Driver, libraries: Libraries | Gap | None, packages: Packages | Gap | None
) -> Iterator[Problem]:
    """Programs load a stub library instead of the NVIDIA driver's library.

    What it means:
    CUDA toolkits contain a folder `stubs` with an empty libcuda.so. It exists only so that programs can be linked on
    machines without a driver. Here it is found before the real one.

    Why it breaks:
    The stub answers every call with an error (CUDA_ERROR_STUB_LIBRARY, 34), so no program finds the GPU. The folder
    got into LD_LIBRARY_PATH, into /etc/ld.so.conf.d or into an image's environment. Where it holds only libcuda.so and
    not libcuda.so.1, just the programs that open the shorter name are misled: Numba is one of them.

    How to fix it:
    Take the stubs folder out of the search path, then run ldconfig if it was in /etc/ld.so.conf.d.

    When to ignore it:
    Never on a machine with a GPU.

    Sources:
    https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html (CUDA_ERROR_STUB_LIBRARY)
    https://github.com/NVIDIA/numba-cuda
    """
    if not gpus.nvidia:
        return
    library = driver.library("libcuda.so.1")
    answer = driver.cuda_init
    if library is not None and library.stub:
        yield _problem(library.path, "Programs load", libraries, driver)
        return
    if answer is not None and answer.code == STUB_LIBRARY:
        yield _problem(_stub_on_path(libraries) or answer.library or "libcuda.so.1", "Programs load", libraries, driver)
        return
    path, users = _short_name(driver, libraries), _users(packages)
    if path is not None and users:
        yield _problem(path, f"{users[0]} loads", libraries, driver)


def _short_name(driver: Driver, libraries: Libraries | Gap | None) -> str | None:
    """The stub that a program gets for the name libcuda.so."""
    first = driver.library("libcuda.so")
    if first is not None:
        return first.path if first.stub else None
    return _stub_on_path(libraries)


def _stub_on_path(libraries: Libraries | Gap | None) -> str | None:
    entries = libraries.search_path if isinstance(libraries, Libraries) else ()
    return next((f"{entry.rstrip('/')}/libcuda.so" for entry in entries if entry.rstrip("/").endswith("/stubs")), None)


def _users(packages: Packages | Gap | None) -> tuple[str, ...]:
    if not isinstance(packages, Packages):
        return ()
    return tuple(name for name in BY_SHORT_NAME if packages.find(name) is not None)


def _problem(path: str, who: str, libraries: Libraries | Gap | None, driver: Driver) -> Problem:
    folder = path.rpartition("/")[0]
    entries = libraries.search_path if isinstance(libraries, Libraries) else ()
    rest = tuple(entry for entry in entries if entry.rstrip("/") != folder)
    title = "Take the stubs folder out of the library search path"
    if len(rest) < len(entries):
        unset = SetEnv(name="LD_LIBRARY_PATH", value=":".join(rest) or None)
        fix = Fix(title, "safe", (unset,), undo=f"export LD_LIBRARY_PATH={':'.join(entries)}")
    else:
        where = "Remove the folder from LD_LIBRARY_PATH where it is set (~/.bashrc, the image, a module)."
        config = "If a file in /etc/ld.so.conf.d names it: remove that line and run ldconfig as root."
        fix = by_hand(title, where, config)
    return problem(
        f"{who} the stub {path} instead of the driver's libcuda, and so finds no GPU."
        if who != "Programs load"
        else f"Programs load the stub {path} instead of the driver's libcuda, so they find no GPU.",
        seen("first libcuda on the search path", path, driver.source),
        subject=path,
        fix=fix,
    )
