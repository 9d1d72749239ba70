"""Python sessions: prompts with their answers, and values printed with a name."""

from collections.abc import Callable, Iterator
from typing import Any

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import DeviceList, ListedDevice, Live
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.sources.build_tags import local_part, parse_tag
from gpudoctor.sources.gpu_names import maker_of
from gpudoctor.tickets.build_environments import lines_of_builds
from gpudoctor.tickets.fragment import Fragment, fragment, source
from gpudoctor.tickets.machine_words import python_version
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.printed_labels import printed

FORM = "answers of Python"

_PROMPT = re.compile(r"^\s*(?:>>> ?|In ?\[\d*\]: ?|\$ |# |C:\\[^>]*>|PS [^>]*> |\([\w.-]+\) .*?[$#>] )?(.*)$")
_COMMAND = re.compile(
    r"torch\.cuda\.is_available|torch\.__version__|torch\.version\.cuda|torch\.cuda\.device_count|get_device_name"
    r"|get_arch_list|cudnn\.version\(|is_gpu_available|list_physical_devices|list_local_devices|is_built_with_cuda"
    r"|tf\.__version__|tensorflow\.__version__|tf\.version\.VERSION|jax\.(?:local_)?devices\(|default_backend"
    r"|jax(?:lib)?(?:\.version)?\.__version__|get_device_capability|sys\.version"
)
#: Lines that come between a command and its answer: logs and warnings.
_NOISE = re.compile(
    r"^\s*(?:\d{4}-\d\d-\d\d[ T]|[IWE]\d{4} |[IWE] tensorflow/|WARNING|.*Warning:|\s+return |\s*warnings\.warn"
    r"|To enable"
    r"|Instructions for|Use |WARNING:|>>>\s*$|\.\.\.|-{3,}|import |pciBusID|coreClock|Skipping)"
)
#: An answer behind its command: in a comment, after an arrow, or in words.
_SAME_LINE = re.compile(
    r"^(.*?\))\s*(?:(?:#|=>|-+>|:|=|returns?|gives?|prints?|is|→)\s*)+['\"]?(True|False|\d\S*|None|\[\])\s*['\"]?"
    r"(?:\s+is returned)?\.?$",
    re.IGNORECASE,
)
_BOOLEAN = re.compile(r"^\s*(?:Out ?\[\d*\]: ?)?\(?['\"]?.*?\b(True|False)\b")
_VERSION = re.compile(r"(?<![\d.])(\d+\.\d+(?:\.\d+)?[\w.]*(?:\+[\w.]+)?)")
_DEVICES = re.compile(r"PhysicalDevice\(name=['\"](/physical_device:(\w+):(\d+))['\"]")
_LOCAL = re.compile(r"name: ['\"](/device:(\w+):(\d+))['\"]")
_DESCRIBED = re.compile(
    r"device: (\d+), name: ([^,]+), pci bus id: ([0-9a-fA-F:.]+)(?:, compute capability: ([\d.]+))?"
)
_CUDA_DEVICE = re.compile(r"\b(?:CudaDevice|GpuDevice)\(id=(\d+)")
_CPU_DEVICE = re.compile(r"\b(?:CpuDevice\(id=|TFRT_CPU_)(\d+)")
_KINDS = {"GPU": "gpu", "CPU": "cpu", "XLA_GPU": "xla-gpu", "XLA_CPU": "xla-cpu", "TPU": "tpu"}
_NAMED_COUNT = re.compile(
    r"^\s*(?:Num(?:ber of)? GPUs(?: Available)?|(?:is )?GPUs?(?: is)? available)\s*:?\s+(\d+|\[.*\])\s*$", re.I
)
_NAMED = (
    (re.compile(r"^\W*(?:(?:is )?(?:torch |pytorch )?cuda(?: is)? available|torch\.cuda\.is_available\(\)"
        r"|CUDA available\?|GPU available(?: by torch)?)\W{1,5}(True|False|Yes|No)\b", re.I), "torch", "gpu_available"),
    (re.compile(r"^\W*torch\.__version__\W{1,6}(\d[\w.+]*)"), "torch", "version"),
    (re.compile(r"^\W*(?:torch|pytorch)(?: version)?\s*[:=]\s*v?(\d+\.\d+\.\d+[\w.+]*)\W*$", re.I), "torch", "version"),
    (re.compile(r"^\W*torch\.version\.cuda\W{1,6}(\d[\d.]*|None)"), "torch", "cuda"),
    (re.compile(r"^\W*tf\.test\.is_gpu_available\(\)\W{1,5}(True|False)"), "tensorflow", "gpu_available"),
    (re.compile(r"^\W*(?:tensorflow|tf)\.__version__\W{1,6}(\d[\w.+]*)"), "tensorflow", "version"),
    (re.compile(r"^\W*(?:v\d+\.\d+\.\d+\S*-\d+-g[0-9a-f]{7,}"
        r"|unknown)\s+(\d+\.\d+\.\d+[\w.-]*)\s*$"), "tensorflow", "version"),
    (re.compile(r"^\W*(?:tensorflow"
        r"|tf)(?:[ -]gpu)?(?: version)?\s*[:=]\s*v?(\d+\.\d+\.\d+[\w.+]*)\W*$", re.I), "tensorflow", "version"),
)  # fmt: skip
_PYTHON = re.compile(r"^\s*(?:Python )?(3\.\d{1,2}\.\d{1,2}|2\.7\.\d+)(?: \||\s*\((?:main|default|tags|v3)|\s*$)")
_BANNER = re.compile(
    r"^\s*(?:Python (?=\d\.\d+\.\d)|Using CPython |Your python: python=)([23]\.\d{1,2}(?:\.\d{1,2})?)\b"
)


#: Two words and more before a command, which no shell and no Python would read; a Chinese character counts as a word.
_CODE = re.compile(r"\b(?:import|print|assert|if|return)\b|\bpython[\d.]* -c|^\s*(?:>>>|In ?\[|\$ )|^[^,]*[^=]=[^=]")
_WORDS_BEFORE = re.compile(r"^\W{0,4}(?:[^\W\d_]\w*\S* +\S*\w{2}|[\u4e00-\u9fff]{2}).*[\s,.:;，。]$")


def is_told(line: str) -> bool:
    """A person tells an answer in a sentence, which may tell more."""
    command = _COMMAND.search(line)
    before = line[: command.start()] if command else ""
    return bool(_WORDS_BEFORE.match(before)) and not _CODE.search(before)


class _Told:
    """What was told of each framework, and where."""

    def __init__(self) -> None:
        self.facts: dict[str, dict[str, Any]] = {}
        self.lines: list[int] = []
        self.places: dict[str, int] = {}
        self.gpus: list[Gpu] = []

    def add(self, number: int, framework: str, name: str, value: Any) -> None:
        """Note a fact, once."""
        self.facts.setdefault(framework, {}).setdefault(name, value)
        self.places.setdefault(framework, number)
        self.lines.append(number)


def parse_echoes(text: Pasted) -> tuple[Fragment, ...]:
    """Everything that Python told in the text."""
    told = _Told()
    python: str | None = None
    others = lines_of_builds(text)
    for number, line in text.filled:
        if not line.strip() or number in others:
            continue
        if _COMMAND.search(line):
            _answered(text, number, line, told)
        _devices(number, line, told)
        _named(number, line, told)
        if python is None and (banner := _BANNER.match(line)):
            python = python_version(banner[1])
            told.lines.append(number)
    for number, asked, answer in printed(text):
        _note(number, asked, answer, told)
    return fragment(
        FORM,
        told.lines,
        frameworks=_frameworks(told),
        live=_live(told),
        gpus=Gpus(devices=tuple(told.gpus)) if told.gpus else None,
        interpreter=Interpreter(executable="python", chosen_by="report", version=python) if python else None,
    )


def _answers(text: Pasted, number: int) -> Iterator[tuple[int, str]]:
    """The lines after a command that may be its answer, up to the next command."""
    for later in range(number + 1, min(number + 60, len(text.lines) + 1)):
        line = text.lines[later - 1]
        if line.strip() and not _NOISE.match(line):
            if re.match(r"^\s*(?:>>> ?\S|In ?\[\d*\]:)", line) or (_COMMAND.search(line) and "(" in line):
                return
            yield later, line
            return


def _answered(text: Pasted, number: int, line: str, told: _Told) -> None:
    """A command and its answer, on the next line that is no log, or behind it on the same line."""
    command = _PROMPT.match(line)
    body = (command[1] if command else line).strip()
    same = _SAME_LINE.match(body)
    if same:
        _note(number, same[1], same[2], told)
        return
    asked = [one for one in re.split(r";|\bprint\b", body) if _COMMAND.search(one)]
    if len(asked) != 1:
        asked = [body]
    several = [one for one in body.split(",") if _COMMAND.search(one)]
    for later, answer in _answers(text, number):
        values = answer.split()
        if len(several) > 1 and len(several) == len(values):
            # print(a, b) shows the answers beside one another.
            for one, value in zip(several, values, strict=True):
                _note(number, one, value, told)
            told.lines.append(later)
        elif len(answer) < 300 and _note(number, body if len(asked) != 1 else asked[0], answer.strip(), told):
            told.lines.append(later)


#: None, as Python prints it.
_NONE: Any = object()
_PRODUCT = re.compile(r"['\"][^'\"]{4,60}['\"]|(?:NVIDIA|GeForce|Tesla|Quadro|TITAN).{2,50}")


def _flag(answer: str) -> bool | None:
    match = re.fullmatch(r"\W*(?:(?:returns?|gives?|prints?)\W+)?(True|False)\W*", answer, re.IGNORECASE)
    return match[1].lower() == "true" if match else None


def _number(answer: str) -> str | None:
    match = re.fullmatch(r"\W*(\d+\.\d+(?:\.\d+)?[\w.+-]*?)\W*", answer)
    return match[1].strip(".'\"") if match else None


def _word(answer: str) -> str | None:
    match = re.fullmatch(r"\W*(cpu|gpu|tpu|cuda)\W*", answer)
    return match[1] if match else None


#: (words of the command, framework, what is told, how an answer reads)
_QUESTIONS: tuple[tuple[str, str, str, Callable[[str], Any]], ...] = (
    ("torch.cuda.is_available", "torch", "gpu_available", _flag),
    ("is_gpu_available", "tensorflow", "gpu_available", _flag),
    ("is_built_with_cuda", "tensorflow", "built_with_cuda", _flag),
    ("torch.__version__", "torch", "version", _number),
    ("torch.version.cuda", "torch", "cuda", lambda answer: _number(answer) or (_NONE if answer == "None" else None)),
    ("tf.__version__", "tensorflow", "version", _number),
    ("tensorflow.__version__", "tensorflow", "version", _number),
    ("tf.version.VERSION", "tensorflow", "version", _number),
    ("jax.__version__", "jax", "version", _number),
    ("jax.version.__version__", "jax", "version", _number),
    ("jaxlib.__version__", "jaxlib", "version", _number),
    ("jaxlib.version.__version__", "jaxlib", "version", _number),
    ("device_count", "torch", "device_count", lambda answer: int(answer) if answer.isdecimal() else None),
    ("get_arch_list", "torch", "archs", lambda answer: tuple(re.findall(r"(?:sm|compute)_\d+[af]?", answer)) or None),
    ("default_backend", "jax", "backend", _word),
)


def _note(number: int, command: str, answer: str, told: _Told) -> bool:
    """Note what an answer says; whether it was one."""
    answer = re.sub(r"^Out ?\[\d*\]: ?", "", answer)
    for words, framework, name, read in _QUESTIONS:
        value = read(answer) if words in command else None
        if value is not None:
            told.add(number, framework, name, None if value is _NONE else value)
            return True
    if "list_physical_devices" in command and "GPU" in command and answer in ("[]", "0", "(0)"):
        told.add(number, "tensorflow", "no_gpus", True)
        return True
    if "get_device_name" in command and _PRODUCT.fullmatch(answer):
        name = answer.strip("'\"")
        told.gpus.append(Gpu(vendor=maker_of(name), name=name, source=source(FORM, number)))
        told.lines.append(number)
        return True
    return False


def _devices(number: int, line: str, told: _Told) -> None:
    """Devices that TensorFlow or JAX list."""
    for pattern in (_DEVICES, _LOCAL):
        for match in pattern.finditer(line) if "name" in line else ():
            if match[2] in _KINDS:
                device = ListedDevice(name=match[1], kind=_KINDS[match[2]], index=int(match[3]))  # type: ignore[arg-type]
                told.facts.setdefault("tensorflow", {}).setdefault("devices", {})[match[1]] = device
                told.places.setdefault("tensorflow", number)
                told.lines.append(number)
    for pattern, kind in ((_CUDA_DEVICE, "gpu"), (_CPU_DEVICE, "cpu")):
        for match in pattern.finditer(line) if "Device(" in line or "TFRT" in line else ():
            name = f"{'cuda' if kind == 'gpu' else kind}:{match[1]}"
            device = ListedDevice(name=name, kind=kind, index=int(match[1]))  # type: ignore[arg-type]
            told.facts.setdefault("jax", {}).setdefault("devices", {})[device.name] = device
            told.places.setdefault("jax", number)
            told.lines.append(number)


def _named(number: int, line: str, told: _Told) -> None:
    """A value printed with its name."""
    count = _NAMED_COUNT.match(line)
    if count:
        none = count[1] in ("0", "[]")
        told.add(number, "tensorflow", "no_gpus" if none else "has_gpus", True)
    for pattern, framework, name in _NAMED:
        match = pattern.match(line)
        if match:
            value = {"true": True, "yes": True, "false": False, "no": False}.get(match[1].lower(), match[1])
            told.add(number, framework, name, None if value == "None" else value)


def _frameworks(told: _Told) -> Frameworks | None:
    found = []
    for name, facts in told.facts.items():
        version = facts.get("version")
        variant, cuda = parse_tag(local_part(version or ""))
        if name == "torch" and "cuda" in facts:
            stated = CudaVersion.parse(facts["cuda"])
            # Without CUDA it may be built for ROCm too; only a version that says so tells.
            variant, cuda = ("cuda", stated) if stated else (variant or ("cpu" if version else None), None)
        if facts.get("built_with_cuda") is not None and variant is None:
            variant = "cuda" if facts["built_with_cuda"] else "cpu"
        if version or variant:
            where = source(FORM, told.places[name])
            found.append(
                Framework(
                    name=name, version=version, variant=variant, cuda=cuda, archs=facts.get("archs"), source=where
                )
            )
    return Frameworks(found=tuple(found)) if found else None


def _live(told: _Told) -> Live | None:
    lists = []
    for name, facts in told.facts.items():
        devices = tuple(facts["devices"].values()) if "devices" in facts else None
        if devices is None and facts.get("no_gpus"):
            devices = ()
        available = facts.get("gpu_available")
        if available is None and devices is not None:
            available = any(device.kind == "gpu" for device in devices)
        if available is None and facts.get("device_count") is not None:
            available = facts["device_count"] > 0
        if available is None and facts.get("has_gpus"):
            available = True
        if available is None and devices is None and "backend" not in facts:
            continue
        lists.append(
            DeviceList(
                framework=name,
                version=facts.get("version"),
                devices=devices,
                gpu_available=available,
                built_with_cuda=facts.get("built_with_cuda"),
                cuda=facts.get("cuda"),
                archs=facts.get("archs"),
                backend=facts.get("backend"),
            )
        )
    return Live(devices=tuple(lists)) if lists else None
