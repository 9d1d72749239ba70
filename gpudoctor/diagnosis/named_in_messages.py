"""Fixes that a message itself names: the build an extension was made for, a missing library's package."""

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.libraries import Toolkits
from gpudoctor.facts.scene import Scene, scene_of
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.cuda_programs import named_in
from gpudoctor.knowledge.frameworks import that_run
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.cuda_for_program import for_program, its_folder
from gpudoctor.sources.library_builds import cuda_of, cudnn_of, cudnn_release

#: xformers: what it was built for.
_BUILT_FOR = re.compile(r"PyTorch (\d+\.\d+\.\d+)\+(cu\d+) with CUDA")
#: An installer: what it was asked for.
_WANTED = re.compile(r"\btorch==(\d+\.\d+\.\d+)\+(cu\d+)\b")
#: TensorFlow and JAX: the cuDNN of the build.
_CUDNN_OF_BUILD = re.compile(r"(?:compiled with:?|built against version) (?:(\d\.\d+)[\d.]*|(\d{4,5})\b)")
#: JAX: the oldest that it takes.
_CUDNN_LEAST = re.compile(r"Minimum supported: (?:(\d\.\d+)[\d.]*|(\d{4,5})\b)")
#: /usr/local/cuda-11.8, CUDA\\v11.8
_IN_PATH = re.compile(r"cuda[-/\\]v?(\d{1,2}\.\d)", re.IGNORECASE)
#: Releases of cuDNN that NVIDIA has for CUDA 12, and the other CUDA for which it has them.
_OTHER_CUDA = {8: 11, 9: 13}
_LIBRARY = re.compile(r"\b(lib[A-Za-z][\w-]{2,40}\.so(?:\.\d+)+|[a-z][\w-]{2,30}64_\d+(?:_\d+)*\.dll)\b", re.IGNORECASE)


def named_build(snapshot: Snapshot) -> Fix | None:
    """The torch that xformers says it was built for, or that was not found, where the matrix knows that build."""
    for text in SnapshotView(snapshot, ()).messages:
        found = _BUILT_FOR.search(text) or _WANTED.search(text)
        if found and any(row.variant == found[2] for row in load_matrix().torch_builds(found[1])):
            index = f"https://download.pytorch.org/whl/{found[2]}"
            install = ("python", "-m", "pip", "install", f"torch=={found[1]}+{found[2]}")
            both = load_matrix().torch_companions(found[1])
            vision = tuple(f"torchvision=={one}+{found[2]}" for one in (both.torchvision if both else ())[-1:])
            steps = (Run(argv=(*install, *vision, "--index-url", index)),)
            title = f"Install PyTorch {found[1]}+{found[2]}, from its own index"
            return Fix(title=title, safety="review", steps=steps)
    return None


def named_cudnn(snapshot: Snapshot) -> str | None:
    """The releases of cuDNN that serve a build, where a message says what it was compiled with: ">=8.6,<9"."""
    texts = SnapshotView(snapshot, ()).messages
    return next((made for text in texts if (made := cudnn_asked_for(text))), None)


def with_named_cudnn(commands: tuple[str, ...], snapshot: Snapshot) -> tuple[str, ...]:
    """The commands with the release of cuDNN that a message asks for."""
    cudnn = named_cudnn(snapshot)
    if cudnn and cudnn.startswith((">=6", ">=7")):
        # NVIDIA's packages of cuDNN for pip begin with 8.
        return tuple(one for one in commands if "<CUDNN_PACKAGE>" not in one)
    if cudnn:
        return tuple(one.replace("--upgrade <CUDNN_PACKAGE>", f'"<CUDNN_PACKAGE>{cudnn}"') for one in commands)
    return commands


def cudnn_asked_for(text: str) -> str | None:
    """The same of one message."""
    found = (_CUDNN_LEAST.search(text) or _CUDNN_OF_BUILD.search(text)) if "cudnn" in text.lower() else None
    if found is None:
        return None
    major, minor, *_ = (int(part) for part in cudnn_release(found[1] or found[2]).split("."))
    return f">={major}.{minor},<{major + 1}"


def named_library(snapshot: Snapshot) -> Fix | None:
    """The libraries that a program did not find: its build for the CUDA here, or what brings them."""
    seen = SnapshotView(snapshot, ())
    asker, names = _missed(seen)
    toolkits = seen.section(Toolkits, "toolkits")
    here = tuple(one.version for one in toolkits.found if one.version) if toolkits else ()
    environ = seen.section(Environ, "environ")
    named = _IN_PATH.search((environ.get("CUDA_PATH") or environ.get("CUDA_HOME") or "") if environ else "")
    here = (*here, CudaVersion(named[1])) if named else here
    if not names:
        return None
    if not here and all(map(cudnn_of, names)):
        return _cudnn_alone(asker, names, scene_of(snapshot))
    spans = [span for one in names if (span := cuda_of(one))]
    having = next((one for one in here if "." in one.text and all(span.holds(one) for span in spans)), None)
    if having is not None and spans and not all(map(cudnn_of, names)):
        return its_folder(CudaVersion(f"{having.major}.{having.minor}"), scene_of(snapshot))
    own = seen.framework(asker)
    return for_program(asker, names, here, scene_of(snapshot), load_matrix(), own.version if own else None)


def _cudnn_alone(asker: str, names: tuple[str, ...], scene: Scene) -> Fix | None:
    """A cuDNN for which nothing tells the CUDA: the usual one, and what it is called for the other."""
    other = _OTHER_CUDA.get(cudnn_of(names[0]) or 0)
    # Where no program asks, or one whose releases decide, there is other advice.
    by_package = other and asker and asker not in that_run("bench")
    fix = for_program(asker, names, (), scene, load_matrix()) if by_package else None
    if fix is None or fix.safety == "manual":
        return None
    ask = Ask(text=f"Where the program is built for CUDA {other}, the package is nvidia-cudnn-cu{other}.")
    return Fix(title=fix.title, safety=fix.safety, steps=(*fix.steps, ask))


def _missed(seen: SnapshotView) -> tuple[str, tuple[str, ...]]:
    """Who asked for which files: as a text states it, else by the messages alone."""
    missed = seen.missed_by_programs
    if missed:
        asker = missed[0].framework
        return asker, tuple(dict.fromkeys(one.soname for one in missed if one.framework == asker))
    found = (name for text in seen.messages for name in _LIBRARY.findall(text))
    names = tuple(dict.fromkeys(name for name in found if cuda_of(name) or cudnn_of(name)))
    return named_in("\n".join(seen.messages)) or "", names
