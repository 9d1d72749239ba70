"""TLK002: the CUDA compiler (nvcc) has a different major version from torch's CUDA."""

from gpudoctor.facts.libraries import Toolkit
from gpudoctor.rules._toolkit_taken import build_wanted, has_nvcc, is_for_gpus, taken_toolkit
from gpudoctor.rules.sections import Environ, Frameworks, Gap, Live, Scene, Toolkits, Wish
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen


@rule(
    "TLK002", name="nvcc-torch-mismatch", severity="error", when="frameworks.torch.cuda, frameworks.torch.variant=cuda"
)
def nvcc_torch_mismatch(
    toolkits: Toolkits,
    frameworks: Frameworks,
    environ: Environ | Gap | None,
    live: Live | Gap | None,
    wish: Wish,
    scene: Scene,
) -> Iterator[Problem]:
    """The CUDA compiler (nvcc) has a different major version from torch's CUDA.

    What it means:
    Extensions of PyTorch are compiled with nvcc of a CUDA toolkit. The toolkit that a build would take has another
    major version than torch's own CUDA.

    Why it breaks:
    PyTorch refuses: "The detected CUDA version (X) mismatches the version that was used to compile PyTorch (Y)". This
    concerns building only. An installed PyTorch runs with its own libraries, whatever toolkit is there. An image is
    built where there is no GPU, so inside a container this is said without one, too.

    How to fix it:
    Let CUDA_HOME lead to a toolkit of torch's major version, or install a torch built for the toolkit's.

    When to ignore it:
    If you do not compile extensions. Without a sign that you do, this is only a note.

    Sources:
    https://docs.pytorch.org/docs/stable/cpp_extension.html
    """
    torch, taken = frameworks.get("torch"), taken_toolkit(toolkits, environ)
    if torch is None or torch.cuda is None or torch.variant != "cuda" or not is_for_gpus(scene.gpus, scene.container):
        return
    if taken is None or taken.version is None or not has_nvcc(taken, toolkits):
        return
    if taken.version.major == torch.cuda.major:
        return
    wanted = build_wanted(scene.packages, environ, wish, live)
    fitting = next((one for one in toolkits.found if one.version and one.version.major == torch.cuda.major), None)
    yield problem(
        f"A build would use CUDA {taken.version} in {taken.root}, but {torch.label} has CUDA {torch.cuda}.",
        seen("toolkit that a build takes", f"CUDA {taken.version} in {taken.root}", taken.source),
        seen("torch was built with CUDA", torch.cuda, torch.source),
        *((seen("sign of a build", wanted),) if wanted else ()),
        subject=taken.root,
        severity=None if wanted else "info",
        # Which gcc that toolkit accepts does not matter once another one is taken.
        fix=_fix(fitting, torch.cuda.text),
    )


def _fix(fitting: Toolkit | None, cuda: str) -> Fix:
    title = "Build with a toolkit of torch's CUDA version"
    if fitting is not None:
        return Fix(title, "safe", (SetEnv(name="CUDA_HOME", value=fitting.root),))
    text = f"Install the CUDA toolkit {cuda} beside the other one (https://developer.nvidia.com/cuda-toolkit-archive)."
    return by_hand(title, text, "Then set CUDA_HOME to its folder.")
