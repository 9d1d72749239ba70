"""PYT005: CUDA libraries that a framework requires are missing or too old."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Unmet
from gpudoctor.rules._gpu_packages import cuda_major_of, dist_for
from gpudoctor.rules._unmet_requirements import complete, is_gpu_requirement, is_newer, is_of_lower_major
from gpudoctor.rules.builds import in_words, is_conda
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Libraries, Packages, Scene
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen

#: Packages whose CUDA libraries are named by their own requirements.
OWNERS = (
    *("torch", "jax", "jax-cuda12-plugin", "jax-cuda13-plugin", "jax-cuda12-pjrt", "jax-cuda13-pjrt"),
    "tensorflow",
)
#: JAX compares these with what it was built with, and does not use the GPU if one is older (jax_plugins/xla_cuda12,
#: before that jax/_src/xla_bridge.py: _check_cuda_versions). For cuDNN there is cudnn-too-old.
COMPARED = re.compile(r"nvidia-(?:cublas|cufft|cusparse|cusolver|cuda-cupti|cuda-runtime)(?:-cu\d+)?")


@rule("PYT005", name="torch-nvidia-deps-missing", severity="error", when="packages.unmet")
def torch_nvidia_deps_missing(
    packages: Packages, frameworks: Frameworks, libraries: Libraries | Gap | None, scene: Scene
) -> Iterator[Problem]:
    """CUDA libraries that a framework requires are missing or too old.

    What it means:
    PyTorch from pip names its CUDA libraries as packages it needs (nvidia-cublas-cu12 and so on). Some are not there.

    Why it breaks:
    `import torch` ends with "libcudnn.so.9: cannot open shared object file" or "undefined symbol". Typical causes:
    `pip install --no-deps`, `uv sync` with another set of extras, an uninstall of packages that two frameworks share.
    JAX compares versions when it starts: "Found cuBLAS version 120103, but JAX was built against version 120205", and
    uses the processor. Mostly another package, torch say, has brought an older library.

    How to fix it:
    Install the missing packages in the versions that the framework names.

    When to ignore it:
    If the libraries come from elsewhere on purpose (a container image, a module system) and the framework works.

    Sources:
    https://packaging.python.org/en/latest/specifications/core-metadata/#requires-dist-multiple-use
    https://github.com/jax-ml/jax/issues/19121
    """
    told: set[str] = set()
    for owner in OWNERS:
        if is_conda(packages, owner) or not _is_cuda(owner, frameworks):
            continue
        unmet = [one for one in packages.unmet if one.package == owner and _counts(one, frameworks)]
        missing = [one for one in unmet if one.found is None]
        older = [one for one in unmet if one.found is not None and not is_newer(one)]
        if not missing and not older:
            continue
        told.update(one.requirement for one in missing)
        found_elsewhere = _all_found(owner, libraries)
        yield problem(
            _summary(owner, missing, older),
            *tuple(
                seen(f"{owner} needs {one.requirement}{one.wanted}", one.found or "not installed")
                for one in (*missing, *older)[:8]
            ),
            subject=owner,
            severity="info" if missing and found_elsewhere else None if missing or _refuses(older) else "warning",
            confidence="certain" if missing and not found_elsewhere else "likely",
            not_leading_to=("tf-soname-missing",) if found_elsewhere else (),
            fix=complete(scene, owner, (*missing, *older)),
        )
    lost = _not_found(frameworks, libraries) - told if isinstance(scene.gpus, Gpus) and scene.gpus.nvidia else set()
    if missing := [one for one in packages.unmet if one.found is None and one.requirement in lost]:
        owner = missing[0].package
        yield problem(
            _summary(owner, list({one.requirement: one for one in missing}.values()), []),
            *(seen(f"{one.package} needs {one.requirement}{one.wanted}", "not installed") for one in missing[:8]),
            subject=owner,
            confidence="certain",
            fix=complete(scene, owner, tuple(missing)),
        )


def _not_found(frameworks: Frameworks, libraries: Libraries | Gap | None) -> set[str]:
    """The packages of libraries that a framework does not find. An extra may have brought them, which nothing notes."""
    if not isinstance(libraries, Libraries):
        return set()
    lost = [one for framework in frameworks.found for one in libraries.missing(framework.name)]
    return {name for one in lost for major in (12, 13) if (name := dist_for(one.family, major)) is not None}


def _counts(unmet: Unmet, frameworks: Frameworks) -> bool:
    """It is a CUDA library; of what JAX has in another version, one of its CUDA that it compares."""
    if unmet.package.startswith("jax") and unmet.found is not None:
        jax = next((one for one in frameworks.found if unmet.package in (one.name, one.dist)), None)
        major = cuda_major_of(unmet.requirement)
        return _refuses([unmet]) and (jax is None or jax.cuda is None or jax.cuda.major == major)
    return is_gpu_requirement(unmet.requirement)


def _refuses(older: list[Unmet]) -> bool:
    of_jax = [one for one in older if one.package.startswith("jax")]
    return any(COMPARED.fullmatch(one.requirement) or is_of_lower_major(one) for one in of_jax)


def _is_cuda(owner: str, frameworks: Frameworks) -> bool:
    """A CPU build of the same name needs none of them."""
    framework = next((one for one in frameworks.found if owner in (one.name, one.dist)), None)
    return framework is None or framework.variant in ("cuda", None)


def _all_found(owner: str, libraries: Libraries | Gap | None) -> bool:
    """The loader is known to find everything the framework asks for, wherever it comes from."""
    if not isinstance(libraries, Libraries) or libraries.resolutions is None:
        return False
    own = [one for one in libraries.resolutions if one.framework == owner]
    return bool(own) and all(one.path is not None for one in own)


def _summary(owner: str, missing: list[Unmet], older: list[Unmet]) -> str:
    if missing:
        return (
            f"{owner} needs {in_words(one.requirement for one in missing[:4])}, "
            f"which {'is' if len(missing) == 1 else 'are'} not installed."
        )
    return f"{owner} needs newer {in_words(one.requirement for one in older[:4])} than what is installed."
