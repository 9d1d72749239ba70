"""The table of readers, one for each format of pasted text, and what a text must hold for each to run."""

from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple, cast

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.bounded import BIG
from gpudoctor.tickets.fragment import Fragment
from gpudoctor.tickets.pasted import Pasted


class Reader(NamedTuple):
    """A function of a module of this package; `holds` is an expression on lower-case text, "" where nothing tells."""

    module: str
    function: str
    holds: str = ""

    def read(self, text: Pasted) -> tuple[Fragment, ...]:
        """What the reader finds."""
        found = getattr(import_module(f"gpudoctor.tickets.{self.module}"), self.function)(text)
        return cast("tuple[Fragment, ...]", found)


#: In the order in which their fragments are told.
READERS = (
    Reader(
        "smi",
        "parse_smi",
        r"nvidia-smi|gpu \d+: |uuid|query-gpu|nvml|nvidia driver|driver/library|no devices were|gpu access blocked"
        r"|device handle|libnvidia-ml|driver_version|memory\.|name,|, ?name",
    ),
    Reader("smi_query", "parse_smi_query", r"nvsmi log|nvidia_smi_log"),
    Reader(
        "kernel",
        "parse_kernel",
        r"nvrm|xid \(|fallen off|nouveau|nova_core|nvidia: |nvidia-(?:uvm|modeset): |lockdown: |lsmod|secure ?boot"
        r"|key was rejected|nvidia\w*\s+\d{3}|nvidia[\w-]*[/,] ?\d{3}|/dev/nvidia",
    ),
    Reader("machine", "parse_machine"),
    Reader("cpu_flags", "parse_cpu_flags", r"flags\s*:\s*fpu "),
    Reader(
        "collect_env", "parse_collect_env", r"cuda used to build|gpu models and|is debug build|nvidia driver version"
    ),
    Reader(
        "tf_env",
        "parse_tf_env",
        r"check python|check os platform|check pips|tensorflow import|cuda libs|are we in docker",
    ),
    Reader(
        "tools",
        "parse_tools",
        r"transformers`? version|accelerate`? version|\(gpu\?\)|jaxlib|sys\.platform|detectron2|\"checks\"",
    ),
    Reader(
        "package_reports",
        "parse_package_reports",
        r"cupy version|pytorch\.version|torch cuda|pytorch_version|set vram state|torch-\d",
    ),
    Reader("nccl", "parse_nccl", r"rank\s+\d|cudadriverversion"),
    Reader("gpustat", "parse_gpustat", "'c,"),
    Reader("loaded_models", "parse_loaded_models", r"\d% (?:cpu|gpu)\b|% cpu/gpu"),
    Reader("jetson", "parse_jetson", r"l4t|revision|tegra|jetson|jetpack|[:-]r\d\d\."),
    Reader("rocm", "parse_rocm", r"marketing name|name: +gfx|gpu\["),
    Reader("pip", "parse_pip"),
    Reader(
        "conda",
        "parse_conda",
        r"packages in environment|\[conda\]|dependencies:|::|__cuda=|__glibc=|platform *:|\S {2,}\d\S* +\S",
    ),
    Reader("toolkit", "parse_toolkit", r"=|echo|cuda compilation|(?:cc|\+\+)(?:-\d+)? \(|#define cudnn"),
    Reader("cuda_folders", "parse_cuda_folders", r"cuda-\d|computing toolkit|cudart64_"),
    Reader("python_repl", "parse_echoes"),
    Reader("logs", "parse_logs"),
    Reader("cudnn_versions", "parse_cudnn_versions", r"was compiled with|jax was built|found runtime ver"),
    Reader("loader_errors", "parse_loader_errors", r"lib(?:cu|nv)\w+(?:-\w+)?\.so\.|\w64_\d+(?:_\d+)*\.dll"),
    Reader("build_mismatch", "parse_built_for", r"\(you have |compile"),
    Reader("free_text", "parse_in_words", r"ver|nvidia|/dev/shm"),
    Reader("forms", "parse_forms"),
    Reader("context_hints", "parse_surroundings", r"[/\\]|root@|\* *[\w.-]+ +\S+ +[12]\b"),
    Reader(
        "commands",
        "parse_commands",
        r"docker|podman|nerdctl|apptainer|singularity|nvidia|pytorch:|tensorflow:|capabilities:|cuda version",
    ),
    Reader("installs", "parse_installs", r"\b(?:conda|mamba|pip\d?|uv)\b[^\n]{0,60}(?:torch|tensorflow)"),
    Reader(
        "python_paths",
        "parse_python_paths",
        r"-packages|conda|env|32|capabilities|python (?:executable|path|interpreter|bin)|current python"
        r"|sys\.executable|python_embed|/bin/python|web ?ui|automatic1111|a1111|oobabooga|kohya|comfyui"
        r"|fooocus|sd\.next|easy diffusion|invoke-?ai|stabilitymatrix|pinokio",
    ),
)


def readers_of(text: Pasted) -> Iterator[Reader]:
    """Those that may find something: of a big text all, as looking for each would cost more."""
    body = text.text
    lower = body.lower() if len(body) <= BIG else None
    yield from (one for one in READERS if lower is None or not one.holds or re.search(one.holds, lower))
