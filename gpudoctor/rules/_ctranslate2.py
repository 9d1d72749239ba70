"""CUDA libraries that CTranslate2 (faster-whisper) opens and would not find."""

import posixpath

from gpudoctor.facts.finding import Severity
from gpudoctor.facts.libraries import Resolution
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.plan.places import install, safety
from gpudoctor.rules._missing_libraries import copies_of, package_of, where_looked
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Framework, Frameworks, Gpus, Libraries, Scene
from gpudoctor.rules.terms import Ask, Evidence, Fix, Iterator, Problem, SetEnv, problem, seen

#: Built with cuDNN 9 from this release on.
FIRST_WITH_CUDNN_9 = milestone("ctranslate2-cudnn-9")


def of_ctranslate2(gpus: Gpus | None, libraries: Libraries, frameworks: Frameworks, scene: Scene) -> Iterator[Problem]:
    """What it would not find when it first works on a GPU; the process ends then."""
    engine = frameworks.get("ctranslate2")
    missing = libraries.missing("ctranslate2")
    if engine is None or engine.variant != "cuda" or gpus is None or not gpus.nvidia or not missing:
        return
    installed = [copies[0] for one in missing if (copies := copies_of(one, libraries))]
    state = "installed, but not where it looks" if len(installed) == len(missing) else "not found"
    yield problem(
        f"{engine.label} opens {in_words(one.soname for one in missing)}, which "
        f"{'is' if len(missing) == 1 else 'are'} {state}; it crashes when it first uses the GPU.",
        *(seen(f"{one.soname} wanted by", one.wanted_by) for one in missing),
        *(seen(f"{copy.soname} is installed at", copy.path) for copy in installed),
        *where_looked(engine, libraries),
        *_other_cudnn(engine, libraries),
        subject=engine.label,
        severity=_severity(missing, libraries),
        confidence="likely",
        fixes=_fixes(engine, missing, libraries, scene),
    )


def _severity(missing: tuple[Resolution, ...], libraries: Libraries) -> Severity | None:
    """Torch maps its own copies when it uses them; a program that does so before gets them here too."""
    of_torch = {one.soname for one in libraries.resolutions or () if one.framework == "torch" and one.path}
    return "warning" if all(one.soname in of_torch for one in missing) else None


def _other_cudnn(engine: Framework, libraries: Libraries) -> Iterator[Evidence]:
    own = (engine.cudnn or "").partition(".")[0]
    for copy in libraries.copies if own else ():
        if copy.family == "cudnn" and copy.version is not None and str(copy.version.major) != own:
            yield seen(f"it is built with cuDNN {engine.cudnn}; there is", f"cuDNN {copy.version} at {copy.path}")


def _fixes(engine: Framework, missing: tuple[Resolution, ...], libraries: Libraries, scene: Scene) -> tuple[Fix, ...]:
    folders = dict.fromkeys(
        posixpath.dirname(copies[0].path) for one in missing if (copies := copies_of(one, libraries))
    )
    if folders and all(copies_of(one, libraries) for one in missing):
        value = ":".join(dict.fromkeys((*folders, *libraries.search_path)))
        title = "Name the folder of the libraries for this program"
        return (Fix(title, "safe", (SetEnv(name="LD_LIBRARY_PATH", value=value),)),)
    wanted = tuple(dict.fromkeys(_pinned(name, engine) for one in missing if (name := package_of(one, engine))))
    name_it = Ask(
        text="Then name their folders, nvidia/cublas/lib and nvidia/cudnn/lib in site-packages, in LD_LIBRARY_PATH: "
        "CTranslate2 does not look there by itself."
    )
    own = Fix(
        f"Install the libraries that {engine.label} was built with", safety(scene), (*install(scene, *wanted), name_it)
    )
    is_8 = (engine.cudnn or "").startswith("8") and engine.cuda is not None and engine.cuda.major == 12
    if not is_8 or not any(True for _ in _other_cudnn(engine, libraries)):
        return (own,)
    newer = Fix(
        "Install a CTranslate2 that was built with cuDNN 9",
        safety(scene),
        (*install(scene, f"ctranslate2>={FIRST_WITH_CUDNN_9}", options=("--upgrade",)), name_it),
    )
    return (newer, own)


def _pinned(package: str, engine: Framework) -> str:
    major = (engine.cudnn or "").partition(".")[0]
    return f"{package}=={major}.*" if package.startswith("nvidia-cudnn") and major else package
