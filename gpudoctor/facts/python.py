"""The data of the examined Python: interpreter, packages, frameworks, and requirements not met."""

from typing import Literal

from gpudoctor.facts.base import Fact, Gap, Section, Source
from gpudoctor.facts.versions import CudaVersion

#: Damages that are listed: a package whose files are gone needs no list of them all.
MOST_DAMAGES = 100


class Shadow(Fact, frozen=True, kw_only=True):
    """A file or folder that is imported in place of a framework."""

    module: str
    path: str
    #: current directory, PYTHONPATH, user site
    where: Literal["current directory", "PYTHONPATH", "user site"]


class Kernelspec(Fact, frozen=True, kw_only=True):
    """A Jupyter kernel and the interpreter it starts."""

    name: str
    executable: str | None = None
    same_interpreter: bool | None = None


class Pin(Fact, frozen=True, kw_only=True):
    """A GPU package as a file of the project names it: in a lock file a version, elsewhere a requirement."""

    file: str
    package: str
    #: "2.9.1+cpu" in a lock file, ">=2.6" in requirements.txt.
    wanted: str = ""
    is_locked: bool = False
    #: The index of a lock file, where it is PyTorch's own: whl/cpu.
    index: str | None = None


class Interpreter(Section, frozen=True, kw_only=True):
    """The target."""

    executable: str
    #: Why this one: --python, VIRTUAL_ENV, CONDA_PREFIX, PATH, own.
    chosen_by: Literal["--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH", "own", "report"]
    version: str | None = None
    implementation: str | None = None
    bits: Literal[32, 64] | None = None
    #: cp311, cp313t: the ABI part of wheel tags.
    abi: str | None = None
    #: linux-x86_64, win-amd64, macosx-14-arm64.
    platform: str | None = None
    #: The command that was started, where it leads to another file: a pyenv shim.
    started_as: str | None = None
    #: Settings that name an environment without a Python, so that the next choice was taken: VIRTUAL_ENV=/gone.
    passed_over: tuple[str, ...] = ()
    free_threaded: bool | None = None
    prefix: str | None = None
    base_prefix: str | None = None
    environment: Literal["venv", "conda", "conda-base", "system", "standalone"] | None = None
    #: Tool that made the environment where it says so: venv, virtualenv, uv, conda, poetry, pixi, pipx.
    made_by: str | None = None
    externally_managed: bool | None = None
    include_system_site: bool | None = None
    #: Every folder that installed packages are imported from, in the order of sys.path: PYTHONPATH, site-packages of
    #: the environment, user site, site-packages below it, and the folders that path lines of .pth files add.
    site_dirs: tuple[str, ...] = ()
    #: Those of site_dirs that PYTHONPATH puts first.
    python_path: tuple[str, ...] = ()
    user_site: str | None = None
    user_site_enabled: bool | None = None
    #: .pth files whose lines run code at start.
    executable_pth: tuple[str, ...] = ()
    #: Editable installs that a finder in such a .pth file serves, by the name the file gives them.
    editables: tuple[str, ...] = ()
    shadows: tuple[Shadow, ...] = ()
    has_ssl: bool | None = None
    #: pip in the target, and the pip first on PATH with the interpreter it belongs to.
    pip_version: str | None = None
    pip_on_path: str | None = None
    pip_on_path_interpreter: str | None = None
    #: Package managers that can be run: uv, conda, mamba, micromamba, poetry, pixi, pipenv, pipx.
    managers: tuple[str, ...] = ()
    #: Files in the working directory that say which manager looks after it: uv.lock, poetry.lock, pixi.toml.
    project_files: tuple[str, ...] = ()
    #: What these files and requirements.txt say of GPU packages. None: not looked.
    pins: tuple[Pin, ...] | None = None
    kernelspecs: tuple[Kernelspec, ...] | None = None
    has_python_h: bool | None = None


class Package(Fact, frozen=True, kw_only=True):
    """An installed distribution. `name` is normalised (PEP 503)."""

    name: str
    version: str
    location: str | None = None
    #: pip, uv, conda, poetry …
    installer: str | None = None
    #: conda build string: cuda126py312h…
    build: str | None = None
    channel: str | None = None
    #: In the user site rather than in the environment.
    user_site: bool = False
    direct_url: str | None = None


class Unmet(Fact, frozen=True, kw_only=True):
    """A requirement in an installed distribution's own metadata that is not met. `found` None: not installed."""

    package: str
    requirement: str
    wanted: str
    found: str | None = None
    #: Where its files lie all the same: only the record of its installation is gone.
    files: str | None = None
    #: The specifiers by which all other installed distributions ask for the same one.
    others: tuple[str, ...] = ()


class Overlap(Fact, frozen=True, kw_only=True):
    """Two distributions whose RECORDs own the same files; whoever was installed last wrote them."""

    first: str
    second: str
    #: Paths that both own; None: not counted.
    files: int | None = None
    #: How many of them the two do not have the same content for; only these can hurt.
    differing: int | None = None
    #: Most files of one of the two are the other's too: they are builds of the same software. None: not known.
    most: bool | None = None
    example: str
    #: Which of them the bytes on disk agree with, as far as RECORD sizes tell.
    on_disk: str | None = None


class Damage(Fact, frozen=True, kw_only=True):
    """A file that is missing or of another size than the distribution's RECORD says."""

    package: str
    path: str
    expected: int | None = None
    #: None: the file is missing.
    found: int | None = None


class Foreign(Fact, frozen=True, kw_only=True):
    """A distribution whose compiled modules are for another Python."""

    package: str
    #: One of these modules.
    path: str
    #: The Python that they are for: 3.12, or 3.13t, which is free-threaded.
    python: str


class Broken(Fact, frozen=True, kw_only=True):
    """Metadata that could not be read."""

    path: str
    reason: str


class Packages(Section, frozen=True, kw_only=True):
    """The target's installed distributions and what does not agree among them."""

    installed: tuple[Package, ...] = ()
    #: Only these are known (a part of a list, in a ticket): one that is not among them may be installed too.
    excerpt: bool = False
    unmet: tuple[Unmet, ...] = ()
    overlaps: tuple[Overlap, ...] | Gap = ()
    damaged: tuple[Damage, ...] | Gap = ()
    foreign: tuple[Foreign, ...] = ()
    broken: tuple[Broken, ...] = ()
    #: Distributions found more than once on the search path: the first is imported.
    duplicates: tuple[Package, ...] = ()
    #: How many GPU-relevant files were compared with their RECORD, of how many.
    files_checked: int | None = None
    files_known: int | None = None

    def find(self, name: str) -> Package | None:
        """The distribution of that normalised name that an import would use."""
        return next((package for package in self.installed if package.name == name), None)

    def lacks(self, *names: str) -> bool:
        """All packages are known, and none of these is among them."""
        return not self.excerpt and not any(self.find(name) for name in names)


class Framework(Fact, frozen=True, kw_only=True):
    """A framework or GPU library of the target, read from its own files."""

    #: torch, torchvision, torchaudio, tensorflow, keras, jax, jaxlib, jax-cuda-plugin, cupy, onnxruntime, triton,
    #: flash-attn, xformers, bitsandbytes …
    name: str
    #: The distribution: tensorflow-cpu, jax-cuda12-plugin, onnxruntime-gpu.
    dist: str | None = None
    #: What the framework itself reports, local tag included: 2.15.0+cu132.
    version: str | None = None
    #: What the distribution's metadata says: 2.15.0.
    metadata_version: str | None = None
    #: What it was built for; None where that could not be told.
    variant: Literal["cuda", "cpu", "rocm", "xpu", "mps"] | None = None
    cuda: CudaVersion | None = None
    cudnn: str | None = None
    #: Compiled in: "sm_80", "sm_90a", "compute_90" (PTX). None: not known.
    archs: tuple[str, ...] | None = None
    #: File (read out of the binary), metadata (its own build info) or matrix.
    archs_source: Source | None = None
    #: Whether the files with its GPU code are there. None: it has none, or its folder could not be listed.
    code_files: bool | None = None
    location: str | None = None
    #: Extension wheels: the torch they were built for, and their C++ ABI, from the wheel's version tag.
    built_for_torch: str | None = None
    cxx11_abi: bool | None = None
    #: Packages with one compiled part for each CUDA version (bitsandbytes): 118, 121. None: not known.
    cuda_parts: tuple[str, ...] | None = None
    source: Source | None = None

    @property
    def label(self) -> str:
        """Name and version, as in: torch 2.6.0+cu124."""
        return f"{self.name} {self.version}" if self.version else self.name


class Frameworks(Section, frozen=True, kw_only=True):
    """All frameworks of the target. Absent (None) means looked and none there."""

    found: tuple[Framework, ...] = ()

    def get(self, name: str) -> Framework | None:
        """The framework of that name."""
        return next((framework for framework in self.found if framework.name == name), None)
