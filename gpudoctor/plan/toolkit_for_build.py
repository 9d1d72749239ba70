"""Installs the CUDA toolkit and cuDNN for a TensorFlow that brings neither, by conda or NVIDIA's archives.

What conda-forge has for them is in the words of TensorFlow's installation pages of their time (install/pip at 2.10 and
2.12); cuDNN 7.6 serves what was built with an older 7 (release notes of cuDNN 7.6.5: for CUDA 10.0 and 10.1).
"""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.plan.places import CHANNEL

_CONDA = {
    "10.0": ("cudatoolkit=10.0", "cudnn=7.6"),
    "10.1": ("cudatoolkit=10.1", "cudnn=7.6"),
    "11.2": ("cudatoolkit=11.2", "cudnn=8.1.0"),
    "11.8": ("cudatoolkit=11.8.0",),
}
#: The package index has cuDNN for these.
_PIP = {"11.8": "nvidia-cudnn-cu11==8.6.0.163"}
_TOOLKITS, _CUDNNS = "https://developer.nvidia.com/cuda-toolkit-archive", "https://developer.nvidia.com/cudnn-archive"


def commands_of_conda(cuda: CudaVersion, cudnn: str | None) -> tuple[str, ...]:
    """What puts a CUDA and a cuDNN into an environment of conda; nothing where that is not known of these."""
    words, package = _CONDA.get(str(cuda), ()), _PIP.get(str(cuda))
    text = " ".join((*words, package or ""))
    if not words or cudnn is None or not re.search(rf"cudnn\S*==?{re.escape(cudnn)}\b", text):
        return ()
    typed = f"conda install --channel {CHANNEL} {' '.join(words)}"
    return (typed, f"python -m pip install {package}") if package else (typed,)


def toolkit_for_build(cuda: CudaVersion, cudnn: str | None, scene: Scene, *, cudnn_only: bool = False) -> Fix:
    """What to install beside what is there, and where the program looks for it. `cudnn_only`: the CUDA is there."""
    title = f"Install CUDA {cuda} and cuDNN {cudnn}" if cudnn else f"Install CUDA {cuda}"
    title = f"Install cuDNN {cudnn} for CUDA {cuda}" if cudnn_only else title
    archives = [] if cudnn_only else [Ask(text=f"Install CUDA {cuda} ({_TOOLKITS}), without its driver.")]
    archives += _on_windows(cuda, cudnn) if scene.os == "windows" else _on_linux(cuda, cudnn)
    words, package = _CONDA.get(str(cuda)), _PIP.get(str(cuda))
    place = scene.target.environment if scene.target else None
    if words is None or not (place or "conda").startswith("conda"):
        return Fix(title=title, safety="manual", steps=tuple(archives))
    steps: list[Run | Ask] = [Run(argv=("conda", "install", "--channel", CHANNEL, *words))]
    steps += [Run(argv=(scene.python, "-m", "pip", "install", package))] if package else []
    if scene.os != "windows":
        # conda puts the folder of its DLLs on PATH; on Linux the loader is to be told.
        own = "<SITE_PACKAGES>/nvidia/cudnn/lib:" if package else ""
        steps.append(Ask(text=f"Then: export LD_LIBRARY_PATH={own}$CONDA_PREFIX/lib:$LD_LIBRARY_PATH"))
    return Fix(title=title, safety="review", steps=(*steps, Ask(text="Or without conda:"), *archives))


def _on_windows(cuda: CudaVersion, cudnn: str | None) -> Iterator[Ask]:
    folder = rf"%ProgramFiles%\NVIDIA GPU Computing Toolkit\CUDA\v{cuda}"
    if cudnn:
        text = f"Unpack cuDNN {cudnn} for CUDA {cuda} ({_CUDNNS}) and copy its bin, include and lib into {folder}."
        yield Ask(text=text)
    programs = rf"{folder}\bin"
    yield Ask(text=f"Put {programs} first on PATH and open a new window.")


def _on_linux(cuda: CudaVersion, cudnn: str | None) -> Iterator[Ask]:
    if cudnn:
        yield Ask(text=f"Unpack cuDNN {cudnn} for CUDA {cuda} ({_CUDNNS}) into <CUDNN>.")
    folders = f"{'<CUDNN>/lib64:' if cudnn else ''}/usr/local/cuda-{cuda}/lib64"
    yield Ask(text=f"Before the program starts: export LD_LIBRARY_PATH={folders}:$LD_LIBRARY_PATH")
