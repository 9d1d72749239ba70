"""Which fact a label asks for: "GPU model and memory", "Treiber-Version", "显卡型号", "nvidia_driver_version"."""

from functools import lru_cache

from gpudoctor.facts import lazy_re as re

#: What is left of a label without its by-words, by kind of fact.
_NOUNS = {
    "os": "os|os platform|os distribution|platform|system|operating system|distro|distribution|linux distribution"
    "|linux distro|host os|betriebssystem|plattform|操作系统|系统|系统环境|系统平台|运行系统|平台",
    "os by name": "ubuntu|debian|centos|fedora|windows|macos|mac os|linux mint|rhel",
    "gpu": "gpu|gpus|nvidia gpu|nvidia gpus|graphics card|graphics cards|graphic card|graphic cards|video card"
    "|nvidia graphics card|nvidia card|card|cards|graphics|vga"
    "|grafikkarte|grafikkarten|grafik|显卡|显卡 gpu|gpu 显卡|gpu 卡"
    "|nvidia 显卡|nvidia grafikkarte",
    "driver": "driver|drivers|nvidia driver|nvidia drivers|gpu driver|gpu drivers|graphics driver|graphics drivers"
    "|cuda driver|nvidia gpu driver|nvidia graphics driver|nvidia cuda driver|graphics card driver|video driver"
    "|nvidia open gpu kernel modules|nvidia kernel module"
    "|nvidia smi|treiber|nvidia treiber|gpu treiber|grafiktreiber|grafikkartentreiber|nvidia grafiktreiber|驱动"
    "|驱动程序|显卡驱动|显卡驱动程序|nvidia 驱动|nvidia 驱动程序|gpu 驱动|nvidia 显卡驱动|英伟达驱动",
    "cuda": "cuda|cuda tool kit|execution provider library"
    "|cuda toolkit|cuda toolkits|cudatoolkit|nvidia cuda|nvidia cuda toolkit|nvcc|cuda nvcc|cuda 工具包",
    "python": "python|python3|cpython|python interpreter|python 解释器",
    "torch": "torch|pytorch|py torch",
    "tensorflow": "tensorflow|tensor flow|tensorflow gpu|tensor flow gpu|tf|tf gpu|tensorflow tf",
    "jax": "jax",
    "cudnn": "cudnn|nvidia cudnn|cudnn library|cudnn 库",
    "kernel": "kernel|linux kernel|内核|系统内核",
    "onnxruntime": "onnxruntime|onnx runtime|onnxruntime gpu|onnx runtime gpu|ort|microsoft.ml.onnxruntime"
    "|microsoft.ml.onnxruntime.gpu",
}
_KINDS = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split("|")}
#: What is asked for beside the fact, and read by nobody.
_BESIDE = frozenset((
    *("memory", "vram", "ram", "configuration", "architecture", "arch", "number", "count", ""),
    *("environment", "speicher", "显存", "内存", "数量"),
))  # fmt: skip
_BYWORDS = frozenset((
    *("version", "versions", "ver", "release", "name", "names", "model", "models", "type", "types", "info", "details"),
    *("information", "detail", "installed", "used", "using", "my", "the", "your", "our", "of", "current", "number"),
    *("no", "nr", "exact", "running", "which", "what", "is", "are", "you", "modell", "typ", "von", "des", "die"),
    *("or", "commit", "id", "two", "both", "uname"),
    *("der", "das", "mein", "meine", "verwendete", "verwendeter", "verwendetes", "installierte", "installierter"),
    *("installiertes", "genutzte", "benutzte", "aktuelle", "versionsnummer", "modellname", "bezeichnung"),
))  # fmt: skip
_BYWORDS_HAN = re.compile("版本号|版本|型号|信息|名称|类型|使用的|安装的|当前|您的|我的|你的|的")
_COMPOUND = re.compile(r"(?<=\w{3})(?:version|versionen|modell|typ|name)$")
_NOTE = re.compile(r"[((（][^()（）]{0,60}[)）]?|\[[^\[\]]{0,60}\]")
_AND = re.compile(r"[/,&+、]|\b(?:and|und|with|mit)\b|[和及与]")
_HAN = re.compile(r"([\u4e00-\u9fff]+)")
#: Labels are short.
LONGEST = 64


@lru_cache(maxsize=4096)
def kinds_of(label: str) -> tuple[str, ...]:
    """The kinds that it asks for, in its order, "" for what stands beside; none if it asks for anything else."""
    if not 1 < len(label) <= LONGEST:
        return ()
    words = _NOTE.sub(" ", label.lower()).strip(" *_`\"'?？:：#")
    kinds = dict.fromkeys(_kind(part) for part in _AND.split(words.replace("_", " ").replace("-", " ")))
    return tuple(kinds) if None not in kinds and any(kinds) else ()  # type: ignore[arg-type]


def _kind(part: str) -> str | None:
    tokens = (_COMPOUND.sub("", token) for token in _HAN.sub(_spaced, part).split())
    noun = " ".join(token for token in tokens if token not in _BYWORDS)
    return "" if noun in _BESIDE else _KINDS.get(noun)


def _spaced(match: re.Match[str]) -> str:
    return f" {_BYWORDS_HAN.sub('', match[1])} "
