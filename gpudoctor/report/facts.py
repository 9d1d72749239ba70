"""Lists the facts of a snapshot as rows of text, layer by layer, for the end of a report."""

from collections.abc import Callable, Iterable, Iterator

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, Environ, System
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.report.commands import visible

Rows = Iterator[tuple[str, str]]

#: Packages worth showing: those of the GPU stack and what their builds lean on.
_TELLING = (
    *(one.packages[0] for one in descriptors()), "nvidia", "cuda", "cudnn", "numpy", "triton", "protobuf", "xformers",
    "flash", "bitsandbytes", "onnxruntime", "cupy", "tf-", "tf_", "ml-dtypes", "accelerate", "transformers",
    "numba", "deepspeed", "vllm", "pip", "setuptools", "apex", "lightning", "rapids", "cudf", "tensorrt",
    "nvidia-ml", "pynvml",
)  # fmt: skip


class FactGroup(Fact, frozen=True, kw_only=True):
    """The facts of one layer, each a name and a value."""

    title: str
    rows: tuple[tuple[str, str], ...]


def fact_groups(snapshot: Snapshot) -> tuple[FactGroup, ...]:
    """The groups, hardware first; a section that was not seen has its reason, an absent one says so."""
    sections: tuple[tuple[str, object, Callable[..., Rows]], ...] = (
        ("GPUs", snapshot.gpus, _gpus),
        ("System", snapshot.host, _system),
        ("Container and scheduler", snapshot.container, _container),
        ("Driver", snapshot.driver, _driver),
        ("CUDA toolkits", snapshot.toolkits, _toolkits),
        ("Libraries", snapshot.libraries, _libraries),
        ("Environment variables", snapshot.environ, _environ),
        ("Python", snapshot.interpreter, _interpreter),
        ("Packages", snapshot.packages, _packages),
        ("Frameworks", snapshot.frameworks, _frameworks),
        ("What was run", snapshot.live, _live),
    )
    return tuple(_group(title, section, rows) for title, section, rows in sections)


def _group(title: str, section: object, rows: Callable[..., Rows]) -> FactGroup:
    if section is None:
        return FactGroup(title=title, rows=(("", "none"),))
    if isinstance(section, Gap):
        return FactGroup(title=title, rows=(("", f"not seen: {visible(section.reason)}"),))
    shown = tuple((visible(name), visible(value)) for name, value in rows(section) if value)
    return FactGroup(title=title, rows=shown or (("", "nothing to tell"),))


def _gpus(gpus: Gpus) -> Rows:
    for gpu in gpus.devices:
        yield gpu.label, ", ".join(filter(None, _gpu(gpu)))


def _gpu(gpu: Gpu) -> Iterator[str]:
    yield gpu.name or ""
    yield f"compute capability {gpu.capability}" if gpu.capability else ""
    yield f"{gpu.memory_total_mib} MiB" if gpu.memory_total_mib else ""
    yield f"{gpu.memory_used_mib} MiB in use" if gpu.memory_used_mib else ""
    yield f"PCI {gpu.pci_bus_id}" if gpu.pci_bus_id else ""
    yield f"id {gpu.pci_id}" if gpu.pci_id else ""
    yield gpu.uuid or ""
    yield f"driver {gpu.bound_driver}" if gpu.bound_driver else ""
    yield f"{len(gpu.processes)} processes" if gpu.processes else ""


def _system(host: System) -> Rows:
    yield "system", host.pretty_name or " ".join(filter(None, (host.distribution, host.distribution_version)))
    yield "kernel", " ".join(filter(None, (host.kernel, host.arch)))
    yield "libc", " ".join(filter(None, (host.libc, host.libc_version)))
    if host.cpu:
        yield (
            "processor",
            ", ".join(filter(None, (host.cpu.model, f"{host.cpu.cores} cores" if host.cpu.cores else ""))),
        )
    yield "memory", _gib(host.memory_total)
    for space in host.spaces or ():
        yield f"room for {space.purpose or space.path}", f"{_gib(space.free)} free of {_gib(space.total)}"


def _container(container: Container) -> Rows:
    yield "container", container.kind or ""
    yield "Kubernetes", _yes(container.kubernetes)
    yield "WSL", str(container.wsl.version or "yes") if container.wsl else ""
    yield "Slurm", ("in a job" if container.slurm.in_job else "outside a job") if container.slurm else ""
    yield "notebook", container.notebook or ""
    yield "NVIDIA_VISIBLE_DEVICES", container.nvidia_visible_devices or ""


def _driver(driver: Driver) -> Rows:
    yield "release", _text(driver.release)
    yield "offers CUDA", _text(driver.cuda)
    yield "kernel module", " ".join(filter(None, (_text(driver.module_release), driver.module_flavour)))
    yield "modules loaded", ", ".join(driver.modules_loaded or ())
    yield "Secure Boot", _yes(driver.secure_boot)
    for what, answer in (("NVML", driver.nvml), ("CUDA driver", driver.cuda_init)):
        yield what, _answer(answer)
    for library in driver.libraries or ():
        yield library.name, library.real_path or library.path
    if isinstance(driver.kernel_log, tuple):
        for line in driver.kernel_log[-10:]:
            yield "kernel log", line.text


def _answer(answer: Answer | None) -> str:
    if answer is None or answer.outcome == "not-asked":
        return ""
    if answer.ok:
        return "answers" + (f", {answer.device_count} devices" if answer.device_count is not None else "")
    return answer.outcome if answer.outcome != "answered" else f"{answer.name or 'error'} ({answer.code})"


def _toolkits(toolkits: Toolkits) -> Rows:
    for toolkit in toolkits.found:
        yield toolkit.root, " ".join(filter(None, (toolkit.full_version or _text(toolkit.version), toolkit.origin)))
    yield "nvcc on PATH", toolkits.nvcc_on_path or ""
    yield "compiler", " ".join(filter(None, (toolkits.compiler, toolkits.compiler_version)))


def _libraries(libraries: Libraries) -> Rows:
    for one in libraries.resolutions or ():
        via = f" (by {one.via})" if one.via else ""
        yield f"{one.framework}: {one.soname}", f"{one.path}{via}" if one.path else "not found"
    if not libraries.resolutions:
        for copy in libraries.copies[:40]:
            yield copy.soname, copy.path


def _environ(environ: Environ) -> Rows:
    yield from environ.variables.items()
    yield "others", f"{environ.others} not shown" if environ.others else ""


def _interpreter(python: Interpreter) -> Rows:
    yield "executable", python.executable
    yield "version", " ".join(filter(None, (python.version, python.implementation, python.platform)))
    yield (
        "environment",
        " ".join(filter(None, (python.environment, f"made by {python.made_by}" if python.made_by else ""))),
    )
    yield "pip on PATH", python.pip_on_path or ""
    for folder in python.site_dirs:
        yield "packages from", folder


def _packages(packages: Packages) -> Rows:
    telling = [one for one in packages.installed if one.name.startswith(_TELLING)]
    for one in telling:
        where = ", ".join(filter(None, (one.installer, one.build, one.channel, "user site" if one.user_site else "")))
        yield one.name, one.version + (f" ({where})" if where else "")
    others = len(packages.installed) - len(telling)
    yield "others", f"{others} not shown" if others else ""


def _frameworks(frameworks: Frameworks) -> Rows:
    for one in frameworks.found:
        yield one.name, ", ".join(_framework(one))


def _framework(one: Framework) -> Iterable[str]:
    facts = (
        one.version or "version not known",
        f"{one.variant} build" if one.variant else "",
        f"CUDA {one.cuda}" if one.cuda else "",
        f"cuDNN {one.cudnn}" if one.cudnn else "",
        f"code for {' '.join(one.archs)}" if one.archs else "",
    )
    return filter(None, facts)


def _live(live: Live) -> Rows:
    for listed in live.devices:
        names = "not told" if listed.devices is None else ", ".join(device.name for device in listed.devices) or "none"
        yield f"{listed.framework} lists", names
    for run in live.smoke:
        for trial in run.trials:
            words = (
                trial.outcome,
                f"accuracy {trial.accuracy:.0%}" if trial.accuracy is not None else "",
                trial.detail,
            )
            what = f"{run.framework} on {trial.device}: {trial.network} {trial.precision}"
            yield what, ", ".join(word for word in words if word)
    for symptom in live.symptoms:
        yield f"said ({symptom.where or 'somewhere'})", symptom.text


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _yes(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _gib(size: int | None) -> str:
    return f"{size / 1024**3:.1f} GiB" if size is not None else "unknown"
