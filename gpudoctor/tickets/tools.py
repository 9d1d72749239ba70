"""Environment reports of transformers, accelerate, JAX, OpenMMLab, detectron2; env-doctor's JSON."""

from collections.abc import Callable, Iterator

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.live import DeviceList, ListedDevice, Live
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.sources.build_tags import local_part, parse_tag
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.machine_words import compiler_version, of_os, of_platform, python_version
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.reading import Reading

_ROW = re.compile(r"^\s*(?:[-*]\s*)?[`*]*([A-Za-z][\w .,?()/+-]{1,50}?)[`*]*\s*(?::|\s{2,})\s*[`*]*(.*?)[`*]*\s*$")
_GPU_WORD = re.compile(r"^(?:NVIDIA|GeForce|Tesla|Quadro|TITAN|RTX|GTX|A100|H100)", re.I)


_VERSIONS = (
    ("pytorch version", "torch"),
    ("tensorflow version", "tensorflow"),
    ("jaxlib version", "jaxlib"),
    ("jax version", "jax"),
    ("keras version", "keras"),
)


def _transformers(said: dict[str, tuple[int, str]], read: Reading) -> None:
    """`- PyTorch version (GPU?): 2.0.1+cu118 (True)`."""
    for label, name in _VERSIONS:
        number, value = next((row for key, row in said.items() if key.startswith(label)), (0, ""))
        if value and not value.startswith("not"):
            read.framework(name, value, number)
            flag = re.search(r"\((True|False|gpu|cpu)\)", value)
            if flag and name in ("torch", "tensorflow"):
                read.available(name, flag[1])
            read.lines.append(number)
    for label in ("gpu type", "accelerator", "gpu"):
        number, value = said.get(label, (0, ""))
        if _GPU_WORD.match(value) and not read.gpus:
            read.gpus.append(Gpu(vendor="nvidia", name=value.split(",")[0].strip(), source=source(read.form, number)))
            read.lines.append(number)


def _jax(said: dict[str, tuple[int, str]], read: Reading) -> None:
    """jax.print_environment_info()."""
    for name in ("jax", "jaxlib"):
        if name in said:
            read.framework(name, said[name][1], said[name][0])
            read.lines.append(said[name][0])
    number, value = next(
        ((n, v) for k, (n, v) in said.items() if k.startswith(("jax.devices", "device info"))), (0, "")
    )
    if not number:
        return
    read.lines.append(number)
    names = re.findall(r"(CudaDevice|GpuDevice|CpuDevice|TFRT_CPU_|RocmDevice)\(?(?:id=)?(\d+)", value)
    on_gpu = bool(re.search(r"CudaDevice|GpuDevice|RocmDevice", value)) or bool(_GPU_WORD.match(value))
    on_cpu = "cpu" in value.lower()
    if names or on_gpu or on_cpu:
        devices = tuple(
            ListedDevice(
                name=f"{'cpu' if ('C' in kind[:1] and 'Cpu' in kind) or 'TFRT' in kind else 'cuda'}:{index}",
                kind="cpu" if "Cpu" in kind or "TFRT" in kind else "gpu",
                index=int(index),
            )
            for kind, index in names
        )
        read.live["jax"] = DeviceList(framework="jax", devices=devices or None, gpu_available=on_gpu)


def _openmmlab(said: dict[str, tuple[int, str]], read: Reading) -> None:
    """mmcv's, mmengine's and detectron2's collect_env."""
    for label, name in (("pytorch", "torch"), ("torchvision", "torchvision")):
        number, value = said.get(label, (0, ""))
        if number:
            read.framework(name, value, number)
            read.lines.append(number)
    number, value = said.get("cuda available", said.get("gpu available", (0, "")))
    if number:
        read.available("torch", value.split(":")[-1])
        read.lines.append(number)
    for label, (number, value) in said.items():
        if re.fullmatch(r"gpu [\d,]+", label) and _GPU_WORD.match(value):
            arch = re.search(r"\(arch=([\d.]+)\)", value)
            name = value.split("(arch")[0].strip()
            read.gpus += [
                Gpu(vendor="nvidia", index=int(index), name=name, capability=Capability.parse(arch and arch[1]),
                    source=source(read.form, number))
                for index in label[4:].split(",") if index
            ]  # fmt: skip
            read.lines.append(number)
    number, value = said.get("driver version", (0, ""))
    if number and DriverRelease.parse(value):
        read.sections["driver"] = Driver(release=DriverRelease.parse(value), source=source(read.form, number))
        read.lines.append(number)
    number, value = said.get("nvcc", (0, ""))
    built = re.search(r"release (\d+\.\d+)|\bV(\d+\.\d+)(?:\.\d+)?", value)
    compiler = compiler_version(said.get("gcc", (0, ""))[1])
    if built or compiler:
        version = CudaVersion.parse((built[1] or built[2]) if built else None)
        found = (Toolkit(root="the nvcc on PATH", version=version, nvcc="nvcc", source=source(read.form, number)),)
        read.sections["toolkits"] = Toolkits(
            found=found if version else (),
            nvcc_on_path="nvcc" if version else None,
            compiler="gcc" if compiler else None,
            compiler_version=compiler,
        )


#: What makes a text this tool's: labels of which all must be there; its name; what reads it.
_TOOLS: tuple[tuple[tuple[str, ...], str, Callable[[dict[str, tuple[int, str]], Reading], None]], ...] = (
    (("transformers version",), "transformers-cli env", _transformers),
    (("accelerate version",), "accelerate env", _transformers),
    (("pytorch version (gpu?)",), "transformers-cli env", _transformers),
    (("jax", "jaxlib"), "jax.print_environment_info()", _jax),
    (("pytorch", "cuda available", "sys.platform"), "collect_env of OpenMMLab", _openmmlab),
    (("pytorch", "detectron2"), "collect_env of detectron2", _openmmlab),
    (("pytorch", "gpu available", "sys.platform"), "collect_env of detectron2", _openmmlab),
)


def parse_tools(text: Pasted) -> tuple[Fragment, ...]:
    """Every such report in the text."""
    said: dict[str, tuple[int, str]] = {}
    for number, line in text.filled:
        row = _ROW.match(line.replace("`", "")) if ":" in line or "  " in line else None
        if row and (":" in line or row[1].lower() in _COLUMNS or re.fullmatch(r"GPU [\d,]+", row[1])):
            said.setdefault(row[1].strip().lower().strip("`"), (number, row[2]))
    found: list[Fragment] = []
    for labels, form, reads in _TOOLS:
        if all(any(key.startswith(label.strip("`")) for key in said) for label in labels):
            read = Reading(form=form)
            reads(said, read)
            _common(said, read)
            found += read.fragment()
            break
    return (*found, *_env_doctor(text))


#: Labels of reports in columns, which have no colon.
_COLUMNS = ("sys.platform", "python", "pytorch", "torchvision", "cuda available", "gpu available", "driver version",
            "detectron2", "nvcc", "gcc", "numpy", "cuda_home", "cuda compiler")  # fmt: skip


def _common(said: dict[str, tuple[int, str]], read: Reading) -> None:
    if not read.lines:
        return
    number, value = said.get("python version", said.get("python", (0, "")))
    version = python_version(value)
    if version:
        read.sections["interpreter"] = Interpreter(executable="python", chosen_by="report", version=version)
        read.lines.append(number)
    number, value = said.get("platform", said.get("sys.platform", (0, "")))
    host = of_platform(value) or of_os({"linux": "Linux", "win32": "Windows", "darwin": "macOS"}.get(value, ""))
    if host:
        read.sections["host"] = host
        read.lines.append(number)


class _Check(msgspec.Struct):
    version: str | None = None
    path: str | None = None
    detected: bool | None = None
    metadata: dict[str, object] = {}


class _Library(msgspec.Struct):
    version: str | None = None
    cuda_version: str | None = None


class _Compute(msgspec.Struct):
    gpu_name: str | None = None
    compute_capability: str | None = None
    arch_list: list[str] = []
    cuda_available: bool | None = None


class _Checks(msgspec.Struct):
    driver: _Check | None = None
    cuda: _Check | None = None
    libraries: dict[str, _Library] = {}
    compute_compatibility: _Compute | None = None


class _Report(msgspec.Struct):
    checks: _Checks
    summary: dict[str, object]


def _env_doctor(text: Pasted) -> Iterator[Fragment]:
    """`env-doctor check --json`; its fields: github.com/mitulgarg/env-doctor, docs/commands/check.md."""
    starts = [number for number, line in text.filled if line.strip() == "{" or line.startswith('{"')]
    for start in starts[:20] if '"checks"' in text.text else ():
        end = next((n for n in range(start, len(text.lines) + 1) if text.lines[n - 1].rstrip() == "}"), start)
        try:
            report = decode_json("\n".join(text.lines[start - 1 : end]), type=_Report)
        except (msgspec.DecodeError, RecursionError):
            continue
        yield from _doctored(report.checks, start, end)


def _doctored(checks: _Checks, start: int, end: int) -> tuple[Fragment, ...]:
    form = "env-doctor's report"
    where = source(form, start)
    compute = checks.compute_compatibility or _Compute()
    libraries = []
    for name, library in checks.libraries.items():
        if library.version is None:
            continue
        variant, cuda = parse_tag(local_part(library.version))
        stated = CudaVersion.parse(library.cuda_version)
        archs = tuple(compute.arch_list) if name == "torch" else ()
        libraries.append(
            Framework(name=name, version=library.version, variant="cuda" if stated else variant, cuda=stated or cuda,
                      archs=archs or None, source=where)
        )  # fmt: skip
    release = DriverRelease.parse(checks.driver.version) if checks.driver else None
    toolkit = CudaVersion.parse(checks.cuda.version) if checks.cuda else None
    gpu = Gpu(
        vendor="nvidia", name=compute.gpu_name, capability=Capability.parse(compute.compute_capability), source=where
    )
    return fragment(
        form,
        range(start, end + 1),
        REPORT,
        driver=Driver(
            release=release,
            cuda=CudaVersion.parse((checks.driver.metadata if checks.driver else {}).get("max_cuda_version")),
            source=where,
        )
        if release
        else None,
        toolkits=Toolkits(found=(Toolkit(root=(checks.cuda and checks.cuda.path) or "CUDA", version=toolkit),))
        if toolkit
        else None,
        frameworks=Frameworks(found=tuple(libraries)) if libraries else None,
        gpus=Gpus(devices=(gpu,)) if compute.gpu_name else None,
        live=Live(devices=(DeviceList(framework="torch", gpu_available=compute.cuda_available),))
        if compute.cuda_available is not None
        else None,
    )
